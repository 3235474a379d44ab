"""Counter-based random words: Philox4x32-10.

A word is a pure function of (seed, deal, purpose, block), so results do not depend on threads, chunks or
the order of work, and exchanging an agent changes no deal and no other seat's word.

The generator is that of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

from trickbench.jit import kernel

MASK32 = 0xFFFFFFFF
MULTIPLIER_0 = 0xD2511F53
MULTIPLIER_1 = 0xCD9E8D57
WEYL_0 = 0x9E3779B9
WEYL_1 = 0xBB67AE85

INDEX_BITS = 48
"""A deal's index has at most this many bits; the 16 bits above it hold the deal's number within its game."""
MOST_IN_GAME = (1 << 16) - 1
"""The greatest number of a deal within its game (or match)."""

DEALING = 1 << 16
"""Purpose of the words that deal the cards; the purposes below it are the decision numbers."""
FIRST_DEALER = DEALING + 1
"""Purpose of the one word, at index 0, that draws a run's first dealer."""
WORLDS = DEALING + 8
"""Purpose of the words that deal the hidden hands of a call book's rollouts."""
BID_WORLDS = DEALING + 9
"""Purpose of the words that deal the hidden hands of a bidder's rollouts."""
MORE = 1 << 24
"""Added to the purpose of a decision for an agent's further words."""


@kernel
def one_round(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> tuple[int, int, int, int, int, int]:
    """Return counter and key after one round."""
    p0 = c0 * MULTIPLIER_0
    p1 = c2 * MULTIPLIER_1
    a = ((p1 >> 32) & MASK32) ^ c1 ^ k0
    c = ((p0 >> 32) & MASK32) ^ c3 ^ k1
    return a, p1 & MASK32, c, p0 & MASK32, (k0 + WEYL_0) & MASK32, (k1 + WEYL_1) & MASK32


@kernel
def philox(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> tuple[int, int, int, int]:
    """Return four 32-bit words for a counter of four and a key of two 32-bit words."""
    # Ten rounds written out: as a loop, LLVM does not unroll it, and the loop over lanes around it stays scalar
    # (9.0 ns a block and lane instead of 0.9).
    c0, c1, c2, c3, k0, k1 = one_round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3, k0, k1 = one_round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3, k0, k1 = one_round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3, k0, k1 = one_round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3, k0, k1 = one_round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3, k0, k1 = one_round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3, k0, k1 = one_round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3, k0, k1 = one_round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3, k0, k1 = one_round(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3, _, _ = one_round(c0, c1, c2, c3, k0, k1)
    return c0, c1, c2, c3


@kernel
def words(seed: int, index: int, deal: int, purpose: int, block: int) -> tuple[int, int, int, int]:
    """Return the four words of one block.

    Parameters
    ----------
    seed : int
        64 bits, the key (as a signed number it is the same bits).
    index : int
        Deal or game, 0..2**48-1.
    deal : int
        Number of the deal within its game, 0..65535; 0 for independent deals.
    purpose : int
        ``DEALING``, ``FIRST_DEALER``, or a decision number: word i then belongs to absolute seat i.
    block : int
        Number of the block of four words.
    """
    low, high = counter(index, deal)
    return words_at(seed, low, high, purpose, block)


@kernel
def counter(index: int, deal: int) -> tuple[int, int]:
    """Return the first two words of the counter: of the deal ``deal`` within the game at ``index``."""
    return index & MASK32, ((index >> 32) & 0xFFFF) | (deal << 16)


@kernel
def words_at(seed: int, low: int, high: int, purpose: int, block: int) -> tuple[int, int, int, int]:
    """Return what :func:`words` returns, from the first two words of the counter."""
    return philox(low, high, purpose, block, seed & MASK32, (seed >> 32) & MASK32)


@kernel
def index_of(low: int, high: int) -> int:
    """Return the index that the first two words of a counter hold."""
    return low | ((high & 0xFFFF) << 32)


@kernel
def number_of(high: int) -> int:
    """Return the deal's number within its game, from the second word of a counter."""
    return high >> 16


@kernel
def record_place(low: int, high: int, first: int) -> int:
    """Return the row of a deal in a record that begins at the index ``first``, or in the record of one game."""
    return index_of(low, high) - first + number_of(high)


@kernel
def more_words(seed: int, index: int, deal: int, decision: int, seat: int, block: int) -> tuple[int, int, int, int]:
    """Return four of the further words an agent may draw for one decision of one seat."""
    return words(seed, index, deal, MORE | (seat << 16) | decision, block)


def first_dealer(seed: int, players: int) -> int:
    """Return the seat that deals at index 0; the dealer of index i is (this + i) mod players."""
    return (words(seed, 0, 0, FIRST_DEALER, 0)[0] * players) >> 32
