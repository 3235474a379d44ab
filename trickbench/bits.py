"""Sets as bits: the operations every kernel is made of.

A set is one non-negative integer, at most 62 bits; a card is its bit index; "none" is 0. All functions are
branch-free, keep to integers, and work alike on Python integers and in compiled code, where LLVM turns
a loop over lanes that calls them into vector instructions.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from trickbench.jit import kernel
from trickbench.narrow import natural


def popcount(cards: int) -> int:
    """Return the number of cards in a set."""
    return int(cards).bit_count()


# numba types neither np.bitwise_count nor int.bit_count; LLVM's ctpop vectorises.
@intrinsic
def _ctpop(_context: Any, value: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        count = builder.ctpop(arguments[0])
        return builder.zext(count, ir.IntType(64)) if value == natural else count

    return (types.int64 if value == natural else value)(value), generate


# No annotations: numba compares the two argument lists to the letter.
@overload(popcount)
def _popcount_compiled(cards):  # type: ignore[no-untyped-def]
    return lambda cards: _ctpop(cards)


@kernel
def lowest(cards: int) -> int:
    """Return the lowest bit of a set as a set; 0 for the empty set."""
    return cards & -cards


@kernel
def highest(cards: int) -> int:
    """Return the highest bit of a set as a set; 0 for the empty set."""
    # Smearing, because a count of leading zeros does not vectorise below AVX-512.
    cards |= cards >> 1
    cards |= cards >> 2
    cards |= cards >> 4
    cards |= cards >> 8
    cards |= cards >> 16
    cards |= cards >> 32
    return cards ^ (cards >> 1)


@kernel
def above(card: int, suit: int) -> int:
    """Return the cards of ``suit`` above the one-card set ``card``; the whole suit when ``card`` is 0."""
    return suit & -(card + card) if card != 0 else suit


@kernel
def over(card: int, suit: int) -> int:
    """Return the cards of ``suit`` above a card if it is of the suit; none if it is not."""
    own = card & suit
    return suit & -(own + own)


@kernel
def below(card: int, suit: int) -> int:
    """Return the cards of ``suit`` below the one-card set ``card``; none when ``card`` is 0."""
    return suit & (card - 1) if card != 0 else 0


@kernel
def bounded(word: int, n: int) -> int:
    """Map a 32-bit word to 0..n-1 by multiply-high.

    No rejection: a value's probability is off by less than n / 2**32 of itself (1.3e-8 at n = 52), which 10**15
    draws would not show.
    """
    return (word * n) >> 32


@kernel
def nth(cards: int, n: int) -> int:
    """Return the n-th card (from 0) of a set of at most 62 bits, by halving with popcounts."""
    position = 0
    for width in (32, 16, 8, 4, 2, 1):
        count = popcount((cards >> position) & ((1 << width) - 1))
        skip = n >= count
        n = n - count if skip else n
        position = position + width if skip else position
    return 1 << position


@kernel
def nth_of_hand(cards: int, n: int) -> int:
    """Return the n-th card (from 0) of a set of at most 8 cards, by clearing lower ones."""
    for k in range(7):
        cards = cards & (cards - 1) if n > k else cards
    return cards & -cards


@kernel
def pick(cards: int, word: int) -> int:
    """Return a uniformly chosen card of a non-empty set, decided by a 32-bit word."""
    return nth(cards, bounded(word, popcount(cards)))


@kernel
def pick_of_hand(cards: int, word: int) -> int:
    """Return what :func:`pick` returns, faster, for a set of at most 8 cards."""
    return nth_of_hand(cards, bounded(word, popcount(cards)))


def members(cards: int) -> list[int]:
    """Return the indices of the cards in a set, ascending."""
    cards = int(cards)
    return [index for index in range(cards.bit_length()) if cards >> index & 1]
