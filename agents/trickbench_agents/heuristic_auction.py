"""The auction of the heuristic: linear values of a hand, with thresholds found by duplicate deals (docs/heuristic.md)."""

from __future__ import annotations

import trickbench
from trickbench.bits import popcount
from trickbench.games.manille.layout import View
from trickbench.games.manille.rules import CLUBS, DIAMONDS, HEARTS, PACK, SPADES, points
from trickbench.games.manille.sets import best_suit, shadow, suit_value

PER_CARD, PER_POINT = 4, 1
"""Value of a suit as trump: 4 a card and 1 a card point."""
NO_TRUMP_FROM, NO_TRUMP_PER_VALUE = 22, 3
"""No-trump from this strength on, and 3 more for every 4 of the best suit's value above 16."""
EN_FACE_BELOW = 22
"""A best suit worth less is left to partner."""
TRUMP_WORTH, MASTER_WORTH = 7, 2
DOUBLE_FROM, DOUBLE_NO_TRUMP_FROM = 40, 25
REDOUBLE_FROM, REDOUBLE_NO_TRUMP_FROM = 45, 31


@trickbench.kernel
def masters(hand: int) -> int:
    """Return how many cards of a hand nobody can beat in suit before the first trick."""
    return popcount(hand & ~shadow(PACK & ~hand))


@trickbench.kernel
def best_value(hand: int) -> int:
    """Return the value of the best suit as trump."""
    best = suit_value(hand, CLUBS, PER_CARD, PER_POINT)
    value = suit_value(hand, DIAMONDS, PER_CARD, PER_POINT)
    best = value if value > best else best
    value = suit_value(hand, HEARTS, PER_CARD, PER_POINT)
    best = value if value > best else best
    value = suit_value(hand, SPADES, PER_CARD, PER_POINT)
    return value if value > best else best


@trickbench.kernel
def call(view: View) -> int:
    """Call the longest suit, no-trump with masters and points, or leave it to partner; look first."""
    best = best_value(view.hand)
    strength = 4 * masters(view.hand) + points(view.hand)
    no_trump = strength >= NO_TRUMP_FROM + NO_TRUMP_PER_VALUE * ((best >> 2) - 4)
    answer = trickbench.NT if no_trump else best_suit(view.hand, 256, 4)
    pass_on = (view.legal & trickbench.EN_FACE != 0) & (best < EN_FACE_BELOW) & (not no_trump)
    answer = trickbench.EN_FACE if pass_on else answer
    return trickbench.LOOK if view.legal & trickbench.LOOK else answer


@trickbench.kernel
def worth(view: View) -> int:
    """Return what a hand is worth when trump is known."""
    return points(view.hand) + MASTER_WORTH * masters(view.hand) + TRUMP_WORTH * popcount(view.hand & view.trump)


@trickbench.kernel
def double(view: View) -> int:
    """Double with a hand that is worth enough."""
    least = DOUBLE_FROM if view.trump != 0 else DOUBLE_NO_TRUMP_FROM
    return trickbench.YES if worth(view) >= least else trickbench.NO


@trickbench.kernel
def redouble(view: View) -> int:
    """Redouble with a hand that is worth more."""
    least = REDOUBLE_FROM if view.trump != 0 else REDOUBLE_NO_TRUMP_FROM
    return trickbench.YES if worth(view) >= least else trickbench.NO
