"""expected-tricks: bids the tricks that a linear evaluation of its hand expects.

The weights are fitted by least squares to simulated deals in which everybody plays to win (``python experiments/fit_expected_tricks.py``), in
units of 1/1024 trick, and stand in ``expected_tricks.csv`` beside this file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trickbench
from trickbench.agent import NoParameters
from trickbench.bits import popcount
from trickbench.cards import FRENCH
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.options import RuleValues
from trickbench.games.manchego.rules import CLUBS, DIAMONDS, HEARTS, SPADES
from trickbench.games.manchego.sets import bid_near, run_from_top
from trickbench_agents.normal import around, each

WEIGHTS = Path(__file__).with_name("expected_tricks.csv")
ACES, KINGS, QUEENS, JACKS = (FRENCH.rank(letter) for letter in "AKQJ")
FEATURES = ("one", "trumps", "trumps in a run from the top", "trump A K Q J", "aces", "kings guarded", "queens guarded twice", "short", "long")
"""What the weights belong to, in order. Aces, kings and queens are of plain suits; short: 3 for a void, 2 and 1 for one and two cards of a plain
suit, counted with at least three trumps; long: cards beyond the fifth of plain suits."""
UNIT = 1024
SHIFT, SPREAD = 0.0, 1.14
"""By how much tricks exceed the expected ones, on average, and their standard deviation (``python experiments/fit_forecasts.py``)."""


@trickbench.kernel
def plain(hand: int, suit: int, trump: int) -> tuple[int, int, int, int, int]:
    """Return a plain suit's aces, guarded kings, twice guarded queens, shortness and length beyond five; zeros for trump."""
    cards = hand & suit
    count = popcount(cards)
    counts = 0 if suit == trump else 1
    king = popcount(cards & KINGS) if count >= 2 else 0
    queen = popcount(cards & QUEENS) if count >= 3 else 0
    short = 3 - count if count < 3 else 0
    longer = count - 5 if count > 5 else 0
    return counts * popcount(cards & ACES), counts * king, counts * queen, counts * short, counts * longer


@trickbench.kernel
def features(hand: int, turned: int, trump: int) -> tuple[int, int, int, int, int, int, int, int, int]:
    """Return the features of a hand, in the order of ``FEATURES``."""
    trumps = hand & trump
    count = popcount(trumps)
    c, d, h, s = plain(hand, CLUBS, trump), plain(hand, DIAMONDS, trump), plain(hand, HEARTS, trump), plain(hand, SPADES, trump)
    short = c[3] + d[3] + h[3] + s[3] if count >= 3 else 0
    return (
        1,
        count,
        run_from_top(hand, turned, trump),
        popcount(trumps & (ACES | KINGS | QUEENS | JACKS)),
        c[0] + d[0] + h[0] + s[0],
        c[1] + d[1] + h[1] + s[1],
        c[2] + d[2] + h[2] + s[2],
        short,
        c[4] + d[4] + h[4] + s[4],
    )


@trickbench.kernel
def expected(view: View, tables: Any) -> int:
    """Return the expected tricks, in 1/1024."""
    x = features(view.hand, view.turned, view.trump)
    value = tables[0] * x[0] + tables[1] * x[1] + tables[2] * x[2] + tables[3] * x[3] + tables[4] * x[4]
    return value + tables[5] * x[5] + tables[6] * x[6] + tables[7] * x[7] + tables[8] * x[8]  # type: ignore[no-any-return]


@trickbench.kernel
def bid(view: View, params: NoParameters, rules: RuleValues, tables: Any) -> int:
    """Bid the expected tricks, rounded."""
    tricks = (expected(view, tables) + UNIT // 2) >> 10
    tricks = 0 if tricks < 0 else tricks
    return bid_near(view.legal, 17 if tricks > 17 else tricks)


def read_weights(_params: NoParameters) -> NDArray[np.int64]:
    """Return the weights in units of 1/1024 trick."""
    lines = WEIGHTS.read_text(encoding="utf-8").splitlines()[1:]
    return np.array([int(line.rpartition(",")[2]) for line in lines], np.int64)


def forecast(view: View, params: NoParameters, rules: RuleValues, tables: Any) -> NDArray[np.float64]:
    """Return what it expects: a normal distribution around the tricks before rounding."""
    return around([expected(one, tables) / UNIT for one in each(view)], SHIFT, SPREAD)


agent = trickbench.Agent(
    name="expected-tricks",
    summary="bids what a linear evaluation of its hand expects, fitted to simulated deals",
    manchego={"bid": bid},
    tables=read_weights,
    forecast={"bid": forecast},
    uses_word=False,
)
