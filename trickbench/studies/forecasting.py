"""What bidders forecast of their own tricks, and what came of it: forecasts scored, sums of integers.

An agent with a ``forecast`` is asked for the tricks that it expects with the bid that it makes: ``forecast(view, params, rules, tables)`` on a view
of arrays, one element a bid, returns weights of 0 .. 17 tricks, [n, 18].
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.forecasts import forecaster
from trickbench.games.game import Game
from trickbench.games.manchego import layout as at
from trickbench.stats.calibration import bin_of, crps, cumulative, log_score, pit_shares, probability_of
from trickbench.studies.asking import Dealt, bid_view
from trickbench.studies.study import SUMS
from trickbench.table import Table

MEASURE, BIN, PIT, OUTCOME = 0, 1, 2, 3
"""What rows count: bids with the sums of a score; forecasts of an event by bin of their probability; bids with their share of a bin of the PIT
histogram; bids by tricks taken."""
ROWS = ["what", "a", "b", f"{SUMS}t", f"{SUMS}p", f"{SUMS}nn", f"{SUMS}nt", f"{SUMS}tt"]
MEASURES = ("crps", "log_score", "brier", "miss", "distance", "impossible")
"""miss: mean of the forecast less tricks; distance: of the bid; brier: of the forecast that the bid is exact; impossible: 1 if what happened had
probability 0 (left out of the log score, which is infinite then)."""
UNIT = 10_000
"""Scores and shares are kept as whole multiples of 1 / UNIT, so that sums depend on no order."""
EVENTS = ("exact", "at least")
"""The bid is exact; at least 1, 2, ... 17 tricks are taken."""
PIT_BINS = 10


def forecasts(game: Game, bidder: Table, dealt: Dealt, bids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what a bidder forecasts in deals in which all three bid as it does.

    Parameters
    ----------
    game : Game
    bidder : Table
        See :func:`trickbench.studies.asking.bid_table`.
    dealt : Dealt
    bids : int64[deals, 3]
        By seat.

    Returns
    -------
    float64[3, deals, 18]
        Distribution functions, by place in the bidding.
    """
    ask = forecaster(bidder, 0, "bid")
    assert ask is not None
    return np.stack([cumulative(ask(bid_view(game, dealt, bids, place)[0])) for place in range(at.PLAYERS)])


def by_place(dealt: Dealt, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return values [deals, 3] by seat as [3, deals] by place in the bidding."""
    deals = np.arange(len(values))
    return np.stack([values[deals, (dealt.dealers + 1 + place) % at.PLAYERS] for place in range(at.PLAYERS)])


def table_of(f: NDArray[np.float64], bids: NDArray[np.int64], tricks: NDArray[np.int64]) -> pd.DataFrame:
    """Return how forecasts held, as a table that adds up with those of other deals.

    Parameters
    ----------
    f : float64[3, deals, 18]
    bids, tricks : int64[3, deals]
        All by place in the bidding.
    """
    parts = [measure_rows(f, bids, tricks), bin_rows(f, bids, tricks), pit_rows(f, tricks)]
    taken = np.bincount(tricks.ravel(), minlength=at.TRICKS + 1)
    parts.append(pd.DataFrame({"a": np.arange(at.TRICKS + 1), "count": taken}).assign(what=OUTCOME))
    return pd.concat([part.reindex(columns=[*ROWS, "count"], fill_value=0) for part in parts], ignore_index=True).astype(np.int64)


def grouped(n: NDArray[np.int64], t: NDArray[np.int64]) -> dict[str, int]:
    """Return the sums that are kept of deals with n cases that come to t."""
    products = {"nn": n * n, "nt": n * t, "tt": t * t}
    return {f"{SUMS}t": int(t.sum()), **{f"{SUMS}{name}": int(own.sum()) for name, own in products.items()}, "count": int(n.sum())}


def measure_rows(f: NDArray[np.float64], bids: NDArray[np.int64], tricks: NDArray[np.int64]) -> pd.DataFrame:
    """Return sums of each of :data:`MEASURES` over deals; distribution functions are [3, deals, 18], bids and tricks [3, deals]."""
    places = range(len(f))
    chance = np.stack([probability_of(f[place], bids[place]) for place in places])
    logs = np.stack([log_score(f[place], tricks[place]) for place in places])
    finite = np.isfinite(logs)
    mean = (1 - f).sum(axis=2)
    values = {
        "crps": np.stack([crps(f[place], tricks[place]) for place in places]), "log_score": np.where(finite, logs, 0),
        "brier": (chance - (bids == tricks)) ** 2, "miss": mean - tricks, "distance": np.abs(bids - tricks), "impossible": ~finite,
    }  # fmt: skip
    rows = []
    for number, name in enumerate(MEASURES):
        n = finite.sum(axis=0) if name == "log_score" else np.full(f.shape[1], len(f))
        rows.append({"a": number, **grouped(n, np.round(UNIT * values[name]).astype(np.int64).sum(axis=0))})
    return pd.DataFrame(rows).assign(what=MEASURE)


def bin_rows(f: NDArray[np.float64], bids: NDArray[np.int64], tricks: NDArray[np.int64]) -> pd.DataFrame:
    """Return for each of :data:`EVENTS` (``a``) and each tenth of probability (``b``) how often it was forecast, and how often it came."""
    chance = np.stack([probability_of(f[place], bids[place]) for place in range(len(f))])
    levels = np.arange(1, at.TRICKS + 1)
    deals = f.shape[1]
    cases = (
        (chance, bids == tricks),
        ((1 - f[:, :, :-1]).transpose(0, 2, 1).reshape(-1, deals), (tricks[:, None, :] >= levels[:, None]).reshape(-1, deals)),
    )
    rows = []
    for event, (said, came) in enumerate(cases):
        keys = bin_of(np.clip(said, 0, 1).ravel()) * deals + np.tile(np.arange(deals), len(said))
        size = 10 * deals
        n, t, p = (np.bincount(keys, weights, size).astype(np.int64).reshape(10, deals)
                   for weights in (np.ones(said.size), came.ravel(), np.round(UNIT * said.ravel())))  # fmt: skip
        rows += [{"a": event, "b": b, f"{SUMS}p": int(p[b].sum()), **grouped(n[b], t[b])} for b in range(10)]
    return pd.DataFrame(rows).assign(what=BIN)


def pit_rows(f: NDArray[np.float64], tricks: NDArray[np.int64]) -> pd.DataFrame:
    """Return how much of each bin (``b``) of the PIT histogram is filled."""
    shares = sum(np.round(UNIT * pit_shares(own, taken, PIT_BINS)).astype(np.int64) for own, taken in zip(f, tricks, strict=True))
    n = np.full(f.shape[1], len(f))
    return pd.DataFrame([{"b": b, **grouped(n, np.asarray(shares)[:, b])} for b in range(PIT_BINS)]).assign(what=PIT)
