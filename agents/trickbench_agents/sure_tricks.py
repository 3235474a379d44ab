"""sure-tricks: bids the tricks that it sees in its hand and nothing more."""

from __future__ import annotations

import trickbench
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.rules import CLUBS, DIAMONDS, HEARTS, SPADES
from trickbench.games.manchego.sets import bid_near, run_from_top

MOST_IN_PLAIN_SUIT = 2
"""Of a run from the top in a plain suit; a third round is likely to be ruffed."""


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
    return bid_near(view.legal, count)


agent = trickbench.Agent(
    name="sure-tricks",
    summary="bids its trumps in a run from the top and at most two such cards in each plain suit",
    manchego={"bid": bid},
    uses_word=False,
)
