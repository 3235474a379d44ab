"""The heuristic's bid in Manchego: what its hand is worth when everybody plays to a bid, less what the others have claimed.

It counts the features of ``expected-tricks`` with weights of its own (``heuristic_weights.py``), found by duplicate deals. They come to fewer tricks:
where tricks are left that nobody wants, they fall to the others more than to the low bidder. After high bids of the others it bids less.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import trickbench
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.rules import TRICKS
from trickbench.games.manchego.sets import bid_near
from trickbench_agents.expected_tricks import UNIT, features
from trickbench_agents.heuristic_weights import BidWeights
from trickbench_agents.normal import around, each

SHIFT, SPREAD = 0.62, 1.58
"""By how much tricks exceed the expected ones, on average, and their standard deviation (``python experiments/fit_forecasts.py``)."""


@trickbench.kernel
def claimed(view: View, w: BidWeights) -> int:
    """Return what the bids made before add to a bid, in 1/1024 trick."""
    second = w.second + w.second_bid * view.bid_right
    last = w.last + w.last_bid * (view.bid_left + view.bid_right)
    # The dealer bids last. With the dealer on the left one bid was made, the one of right.
    later = last if view.dealer == 0 else second
    return 0 if view.dealer == 2 else later


@trickbench.kernel
def expected(view: View, w: BidWeights) -> int:
    """Return what the hand is worth after the bids made before, in 1/1024 trick."""
    x = features(view.hand, view.turned, view.trump)
    value = w.one * x[0] + w.trumps * x[1] + w.run * x[2] + w.honours * x[3] + w.aces * x[4]
    return value + w.kings * x[5] + w.queens * x[6] + w.short * x[7] + w.long * x[8] + claimed(view, w)


@trickbench.kernel
def bid(view: View, w: BidWeights) -> int:
    """Bid what the hand is worth after the bids made before, rounded."""
    tricks = (expected(view, w) + UNIT // 2) >> 10
    tricks = 0 if tricks < 0 else tricks
    return bid_near(view.legal, TRICKS if tricks > TRICKS else tricks)


def forecast(view: View, w: BidWeights) -> NDArray[np.float64]:
    """Return what it expects: a normal distribution around the tricks before rounding."""
    return around([expected(one, w) / UNIT for one in each(view)], SHIFT, SPREAD)
