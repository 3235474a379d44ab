"""Sets of cards that the heuristic chooses among in Manchego."""

from __future__ import annotations

import trickbench
from trickbench.bits import popcount
from trickbench.games.manchego.rules import CLUBS, DIAMONDS, HEARTS, SPADES


@trickbench.kernel
def suits_with(cards: int, count: int) -> int:
    """Return the suits of which a set has at least so many cards."""
    suits = CLUBS if popcount(cards & CLUBS) >= count else 0
    suits |= DIAMONDS if popcount(cards & DIAMONDS) >= count else 0
    suits |= HEARTS if popcount(cards & HEARTS) >= count else 0
    return suits | (SPADES if popcount(cards & SPADES) >= count else 0)


@trickbench.kernel
def few(cards: int, hand: int) -> int:
    """Return the cards of a set in suits of one card in hand, else of two, else of three; else all."""
    three, two, one = cards & ~suits_with(hand, 4), cards & ~suits_with(hand, 3), cards & ~suits_with(hand, 2)
    found = three if three != 0 else cards
    found = two if two != 0 else found
    return one if one != 0 else found


@trickbench.kernel
def strongest(cards: int, masters: int, one: int, two: int, three: int) -> int:
    """Return the cards of a set that the fewest cards can beat: masters, else those that at most one can beat, two, three; else all."""
    found = cards & three if cards & three != 0 else cards
    found = cards & two if cards & two != 0 else found
    found = cards & one if cards & one != 0 else found
    return cards & masters if cards & masters != 0 else found
