"""Differences between two runs: of means from independent deals, or deal by deal where both played the same ones."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.counts import spans
from trickbench.stats.intervals import Estimate, sums_interval
from trickbench.stats.summary import SIDES

INDEPENDENT, PAIRED = "independent", "paired"
"""How a difference was taken."""
DEAL_BY_DEAL = {"manille": ("net", "score", "points", "tricks"), "manchego": ("score", "bid", "tricks", "distance")}
"""Quantities whose differences are taken deal by deal where that can be; rates are not among them."""
COLUMNS = [
    "match", "who", "quantity", "n_a", "mean_a", "low_a", "high_a", "n_b", "mean_b", "low_b", "high_b", "method", "n", "difference", "low", "high",
    "differs",
]  # fmt: skip


class Mean(NamedTuple):
    """A mean, a rate or a difference, with its interval."""

    mean: float
    low: float
    high: float


def independent_gap(a: Mean, b: Mean) -> Mean:
    """Return the difference of two means or rates of independent deals, the second less the first.

    The interval comes from those of the two (Zou and Donner 2008). For means with normal intervals that is the root of the summed squares
    of the standard errors; for rates with Wilson's it is Newcombe's (1998), which stays inside -1..1 and holds at 0 and 1.
    """
    difference = b.mean - a.mean
    down, up = math.hypot(b.mean - b.low, a.high - a.mean), math.hypot(b.high - b.mean, a.mean - a.low)
    return Mean(difference, difference - down, difference + up)


def shared_deals(a: Any, b: Any) -> tuple[int, int]:
    """Return (first, count) of the deals that two runs of one seed both recorded; a count of 0 if there are none."""
    if not (a.record and b.record and a.seed == b.seed and a.game.family == b.game.family):
        return 0, 0
    first = max(a.first, b.first)
    return first, max(0, min(a.first + a.count, b.first + b.count) - first)


def paired_gaps(a: Any, b: Any, first: int, count: int) -> dict[tuple[str, str], Estimate]:
    """Return the mean difference deal by deal, the second run less the first, of what every side or seat scored and took.

    Deals are independent, so the differences are, and their mean has a normal interval. What luck the cards bring is in both runs and
    cancels as far as the runs are alike.

    Parameters
    ----------
    a, b : Run
        With deals recorded.
    first, count : int
        Deals that both have.

    Returns
    -------
    dict
        (side or seat, quantity) to the estimate: Manille's net, score, points and tricks, Manchego's score, bid, tricks and distance. Points
        and tricks are left out where deals were forfeited, which have none.
    """
    forfeits = any("forfeit" in set(run.summary["quantity"]) for run in (a, b))
    kept = ("net", "score") if forfeits else DEAL_BY_DEAL[a.game.family]
    sums: dict[tuple[str, str], list[int]] = {}
    for start, some in spans(first, count, min(a.shard, b.shard)):
        tables = [run.game.deals(run.read(start, some)[0], start) for run in (a, b)]
        for place, who in enumerate(SIDES if a.game.family == "manille" else map(str, range(a.game.players))):
            for quantity in kept:
                before, now = (_values(table, quantity, place) for table in tables)
                total = sums.setdefault((who, quantity), [0, 0])
                total[0] += int((now - before).sum())
                total[1] += int(((now - before) ** 2).sum())
    return {key: sums_interval(count, total, squares) for key, (total, squares) in sums.items()}


def _values(table: pd.DataFrame, quantity: str, place: int) -> NDArray[np.int64]:
    """Return a quantity of a side or seat in each deal."""
    if quantity == "net":
        return table["net_0"].to_numpy(np.int64) * (1 - 2 * place)
    return table[f"{quantity}_{place}"].to_numpy(np.int64)


def compare_runs(a: Any, b: Any) -> pd.DataFrame:
    """Return every quantity that two matches both have, with both means, their difference, and its 95 % interval.

    Parameters
    ----------
    a, b : Run

    Returns
    -------
    DataFrame
        ``difference`` is the second less the first; ``method`` is "paired" (over ``n`` deals that both recorded) or "independent"; ``differs``
        says that the interval excludes 0. A paired difference is that of the shared deals, which may be fewer than those of the means.
    """
    first, shared = shared_deals(a, b)
    paired = paired_gaps(a, b, first, shared) if shared else {}
    both = a.summary.merge(b.summary, on=["who", "quantity"], suffixes=("_a", "_b"), sort=False)
    rows = []
    for row in both.to_dict("records"):
        exact = paired.get((row["who"], row["quantity"]))
        if exact is None:
            method, n, gap = INDEPENDENT, 0, independent_gap(*(Mean(row[f"mean_{run}"], row[f"low_{run}"], row[f"high_{run}"]) for run in "ab"))
        else:
            method, n, gap = PAIRED, exact.n, Mean(exact.mean, exact.low, exact.high)
        found = {"match": a.match, "method": method, "n": n, "difference": gap.mean, "low": gap.low, "high": gap.high}
        rows.append({**row, **found, "differs": gap.low > 0 or gap.high < 0})
    return pd.DataFrame(rows, columns=COLUMNS)
