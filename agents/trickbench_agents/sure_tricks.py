"""sure-tricks: bids the tricks that it sees in its hand and nothing more."""

from __future__ import annotations

import trickbench
from trickbench.bits import above, highest, popcount
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.rules import CLUBS, DIAMONDS, HEARTS, SPADES

MOST_IN_PLAIN_SUIT = 2
"""Of a run from the top in a plain suit; a third round is likely to be ruffed."""


@trickbench.kernel
def run_from_top(hand: int, gone: int, suit: int) -> int:
    """Return how many cards of a suit the hand holds from the top down without a gap."""
    missing = highest(suit & ~(hand | gone))
    return popcount(hand & above(missing, suit))


@trickbench.kernel
def plain_run(hand: int, gone: int, suit: int, trump: int) -> int:
    """Return the sure tricks of a suit that is not trump."""
    run = run_from_top(hand, gone, suit)
    run = run if run < MOST_IN_PLAIN_SUIT else MOST_IN_PLAIN_SUIT
    return run if suit != trump else 0


@trickbench.kernel
def bid(view: View) -> int:
    """Bid the trumps in a run from the top, and at most two such cards in each other suit."""
    count = run_from_top(view.hand, view.turned, view.trump)
    count += plain_run(view.hand, view.turned, CLUBS, view.trump)
    count += plain_run(view.hand, view.turned, DIAMONDS, view.trump)
    count += plain_run(view.hand, view.turned, HEARTS, view.trump)
    count += plain_run(view.hand, view.turned, SPADES, view.trump)
    wanted = 1 << count
    other = wanted << 1 if count < 17 else wanted >> 1
    return wanted if view.legal & wanted else other


agent = trickbench.Agent(
    name="sure-tricks",
    summary="bids its trumps in a run from the top and at most two such cards in each plain suit",
    manchego={"bid": bid},
    uses_word=False,
)
