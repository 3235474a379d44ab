"""Hands of Manille up to the names of their suits: canonical form, numbering, and how often each occurs.

A hand is four masks of 8 bits, one a suit. Which suit is called what changes no value, so a hand stands for all that its masks make in any
order: its *canonical* form has them ascending, clubs the least. Of the 10,518,300 hands 472,579 are canonical.

They are numbered by rank, in the order of the sorted masks read from the greatest: the number of canonical hands before one is
a sum of four numbers, one for each mask (the combinatorial number system, Knuth, The Art of Computer Programming 4A, 7.2.1.3, for multisets of
masks with 8 cards in all).
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.bits import popcount
from trickbench.cards import CALLS, MANILLE, NO_TRUMP
from trickbench.errors import UsageError
from trickbench.games.manille.layout import NT_CALL
from trickbench.games.manille.options import HAND_SIZE
from trickbench.jit import kernel

SUITS, MASKS = 4, 256
COUNT = 472_579
"""Canonical hands."""
ALL_HANDS = comb(MANILLE.size, HAND_SIZE)
ROW = (HAND_SIZE + 1) * MASKS
"""Length of the part of :func:`ranking` for one number of masks."""
FIRST_HAND = (1 << HAND_SIZE) - 1
"""A hand of 8 cards: stands in where a lane holds no whole hand, so that no table is read outside."""


@kernel
def sorted_masks(hand: int) -> tuple[int, int, int, int]:
    """Return the masks of a hand's suits, ascending."""
    a, b, c, d = hand & 0xFF, (hand >> 8) & 0xFF, (hand >> 16) & 0xFF, (hand >> 24) & 0xFF
    a, b = (a if a < b else b), (b if a < b else a)
    c, d = (c if c < d else d), (d if c < d else c)
    a, c = (a if a < c else c), (c if a < c else a)
    b, d = (b if b < d else d), (d if b < d else b)
    return a, (b if b < c else c), (c if b < c else b), d


@kernel
def canonical(hand: int) -> int:
    """Return a hand with its suits renamed so that their masks ascend from clubs to spades."""
    a, b, c, d = sorted_masks(hand)
    return a | (b << 8) | (c << 16) | (d << 24)


@kernel
def rank_of(hand: int, table: Any) -> int:
    """Return the number of a hand's canonical form; of what is no hand of 8 cards, some number in range.

    Parameters
    ----------
    hand : int
        A set of cards.
    table : int64 array
        Begins with :func:`ranking`.
    """
    # Four reads from 74 kB. A binary search in the 472,579 sorted hands takes 19 dependent ones from 3.8 MB (docs/calls.md has the times).
    a, b, c, d = sorted_masks(hand if popcount(hand) == HAND_SIZE else FIRST_HAND)
    three = HAND_SIZE - popcount(d)
    two = three - popcount(c)
    one = two - popcount(b)
    upper = table[3 * ROW + HAND_SIZE * MASKS + d] + table[2 * ROW + three * MASKS + c]
    return upper + table[ROW + two * MASKS + b] + table[one * MASKS + a]  # type: ignore[no-any-return]


@kernel
def call_bit(hand: int, call: int) -> int:
    """Return a canonical hand's call (0..3 suits from the least mask, 4 no-trump) as the choice bit of the hand as it is held.

    Of suits with the same mask, which are worth the same, it is the first of C D H S.
    """
    a, b, c, d = sorted_masks(hand)
    mask = a if call == 0 else b
    mask = c if call == 2 else mask
    mask = d if call == 3 else mask
    bit = 4 if (hand >> 16) & 0xFF == mask else 8
    bit = 2 if (hand >> 8) & 0xFF == mask else bit
    bit = 1 if hand & 0xFF == mask else bit
    return 1 << NT_CALL if call == NT_CALL else bit


@cache
def ranking() -> NDArray[np.int64]:
    """Return the table by which :func:`rank_of` numbers hands.

    Returns
    -------
    int64[4 * 9 * 256]
        At ``((k - 1) * 9 + cards) * 256 + mask``: how many multisets of ``k`` masks, all below ``mask``, have so many cards in all.
    """
    cards = np.array([mask.bit_count() for mask in range(MASKS)])
    table = np.zeros((SUITS + 1, HAND_SIZE + 1, MASKS + 1), np.int64)
    table[0, 0] = 1
    for k in range(1, SUITS + 1):
        for total in range(HAND_SIZE + 1):
            rest = total - cards
            greatest = np.where(rest >= 0, table[k - 1, rest, np.arange(1, MASKS + 1)], 0)
            table[k, total, 1:] = np.cumsum(greatest)
    assert table[SUITS, HAND_SIZE, MASKS] == COUNT
    found = np.ascontiguousarray(table[1:, :, :MASKS]).reshape(-1)
    found.flags.writeable = False
    return found


def ranks_of(hands: Any) -> NDArray[np.int64]:
    """Return the numbers of the canonical forms of many hands.

    Parameters
    ----------
    hands : array of integers
        Sets of 8 cards each.

    Raises
    ------
    UsageError
        If one has not 8 cards.
    """
    given = np.atleast_1d(np.asarray(hands)).astype(np.int64)
    wrong = np.bitwise_count(given) != HAND_SIZE
    if wrong.any():
        raise UsageError(f"a dealt hand has {HAND_SIZE} cards; '{MANILLE.text(given[wrong][0])}' has not")
    table = ranking().reshape(SUITS, HAND_SIZE + 1, MASKS)
    masks = np.sort(suit_masks(given), axis=-1)
    rest = np.full(given.shape, HAND_SIZE)
    found = np.zeros(given.shape, np.int64)
    for k in reversed(range(SUITS)):
        found += table[k, rest, masks[..., k]]
        rest = rest - np.bitwise_count(masks[..., k])
    return found


def hands_of(ranks: Any) -> NDArray[np.uint32]:
    """Return the canonical hands of many numbers."""
    left = np.array(ranks, np.int64, ndmin=1)
    table = ranking().reshape(SUITS, HAND_SIZE + 1, MASKS)
    rest = np.full(left.shape, HAND_SIZE)
    hands = np.zeros(left.shape, np.int64)
    for k in reversed(range(SUITS)):
        mask = np.zeros(left.shape, np.int64)
        for cards in range(HAND_SIZE + 1):
            some = rest == cards
            mask[some] = np.searchsorted(table[k, cards], left[some], side="right") - 1
        left -= table[k, rest, mask]
        rest -= np.bitwise_count(mask)
        hands |= mask << (HAND_SIZE * k)
    return hands.astype(np.uint32)


def suit_masks(hands: Any) -> NDArray[np.int64]:
    """Return the masks of the four suits of hands, in a last axis: clubs first."""
    return (np.asarray(hands, np.int64)[..., None] >> (HAND_SIZE * np.arange(SUITS))) & (MASKS - 1)


def orbit_sizes(hands: Any) -> NDArray[np.int64]:
    """Return how many hands become the same when suits are renamed: 24 over the ways to exchange suits with the same mask."""
    masks = np.sort(suit_masks(hands), axis=-1)
    same = masks[..., 1:] == masks[..., :-1]
    pairs = same.sum(axis=-1)
    # Three equalities: all four alike, 4! ways. Two: three alike, 3! ways, or two pairs, 2! 2! ways. One: 2! ways.
    two_pairs = same[..., 0] & same[..., 2] & ~same[..., 1]
    ways = np.array([1, 2, 6, 24])[pairs]
    return 24 // np.where(two_pairs, 4, ways)


def suits_from_canonical(hand: int) -> tuple[int, int, int, int]:
    """Return for each suit of the canonical form, from the least mask up, the number of the hand's suit that it stands for."""
    masks = [int(mask) for mask in suit_masks(hand)]
    a, b, c, d = sorted(range(SUITS), key=lambda suit: masks[suit])
    return a, b, c, d


def calls_from_canonical(hand: int) -> list[str]:
    """Return for each call of the canonical form the hand's own call: C D H S as renamed, then no-trump."""
    return [*(CALLS[suit] for suit in suits_from_canonical(hand)), NO_TRUMP]


def read_hand(text: str) -> int:
    """Return a dealt hand from text.

    Raises
    ------
    UsageError
        For cards that do not exist or stand twice, or not 8 of them.
    """
    hand = MANILLE.set(text)
    if hand.bit_count() != HAND_SIZE:
        raise UsageError(f"a dealt hand has {HAND_SIZE} cards; '{text}' has {hand.bit_count()}")
    return hand
