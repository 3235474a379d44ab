"""What tricks have in common in every game: the highest trump wins, else the highest card of the suit led."""

from __future__ import annotations

from typing import Any

from trickbench.bits import above, over
from trickbench.games.rows import LANES
from trickbench.jit import kernel


@kernel
def overs(best: int, led: int, trump: int) -> int:
    """Return the cards that would take the trick from the winning card."""
    # With a trump winning, above() gives the higher trumps; with a plain winner (best & trump == 0), all trumps.
    return above(best & trump, trump) | over(best, led)


@kernel
def beats(card: int, best: int, led: int, trump: int) -> int:
    """Return 1 if a card takes the trick from the winning card, else 0."""
    return 1 if card & overs(best, led, trump) else 0


@kernel
def winners(cards: int, best: int, led: int, trump: int) -> int:
    """Return the cards of a set that would be winning the trick if played now; all of them when leading."""
    return cards & overs(best, led, trump) if best != 0 else cards


@kernel
def give(B: Any, i: int, row: int, places: int, word: int, card: int, left: int) -> int:
    """Give one card to one of four rows in lane ``i``, with probability proportional to its free places.

    Parameters
    ----------
    B : array
        A block.
    row : int
        The first of four rows of hands.
    places : int
        Free places, 8 bits a row.
    word : int
        32-bit word.
    card, left : int
        The card as a set; how many cards are still to be dealt, this one included.

    Returns
    -------
    int
        The places left.
    """
    r = (word * left) >> 32
    a = places & 0xFF
    b = a + ((places >> 8) & 0xFF)
    c = b + ((places >> 16) & 0xFF)
    B[row + i] |= card if r < a else 0
    B[row + LANES + i] |= card if (r >= a) & (r < b) else 0
    B[row + 2 * LANES + i] |= card if (r >= b) & (r < c) else 0
    B[row + 3 * LANES + i] |= card if r >= c else 0
    third = (1 << 16) if r < c else (1 << 24)
    second = (1 << 8) if r < b else third
    return places - (1 if r < a else second)


@kernel
def hand_out(B: Any, i: int, row: int, places: int, word: int, card: int, left: int) -> int:
    """Do what :func:`give` does with a card that is given by its index."""
    return give(B, i, row, places, word, 1 << card, left)


@kernel
def new_names(number: int) -> tuple[int, int, int, int]:
    """Return the suits 0..3 in one of 24 orders."""
    a, rest = number & 3, number >> 2
    swap = rest >= 3
    b = rest - 3 if swap else rest
    b = b + 1 if b >= a else b
    c = 1 if (a == 0) | (b == 0) else 0
    c = 2 if (c == 1) & ((a == 1) | (b == 1)) else c
    d = 6 - a - b - c
    return a, b, (d if swap else c), (c if swap else d)
