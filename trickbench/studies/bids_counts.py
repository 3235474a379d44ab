"""Tables of what was counted in a study of bids: bids against tricks, by position, by bid, and the sums of three bids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.stats.intervals import mean_interval, rate_interval
from trickbench.stats.ratios import Grouped, ratio_interval
from trickbench.studies.bids_seen import JOINT, SAME, TOTAL
from trickbench.studies.study import SUMS

if TYPE_CHECKING:
    from trickbench.studies.bids_result import BidsResult

POSITIONS = ("first", "second", "last")
SPAN = ["n", "mean", "sd", "low", "high"]
GROUP = ["player", "bidder", "against"]
BY_BID = [
    *GROUP, "bid", "n", "share", "tricks", "tricks_low", "tricks_high", "tricks_sd", "exact", "exact_low", "exact_high", "score",
]  # fmt: skip


def named(result: BidsResult, player: int, groups: pd.Series) -> dict[str, Any]:
    """Return columns that say which card player, bidder and opponents the numbers of groups stand for."""
    one, other = np.divmod(groups.to_numpy(np.int64), len(result.names))
    names = np.array(result.names)
    return {"player": result.players[player], "bidder": names[one], "against": names[other]}


def joint(result: BidsResult) -> pd.DataFrame:
    """Return how often each bid and number of tricks went together.

    Columns: player, bidder, against, position (first, second, last to bid), bid, tricks, count (bids), score, squares (sums of the bidder's scores
    and of their squares).
    """
    parts = []
    for player, table in enumerate(result.by_player):
        rows = table[table["what"] == JOINT]
        columns = {"position": np.array(POSITIONS)[rows["a"]], "bid": rows["b"], "tricks": rows["c"], "count": rows["count"]}
        sums = {"score": rows[f"{SUMS}u"], "squares": rows[f"{SUMS}v"]}
        parts.append(pd.DataFrame({**named(result, player, rows["one"]), **columns, **sums}))
    return pd.concat(parts, ignore_index=True)


def by_position(result: BidsResult) -> pd.DataFrame:
    """Return one row a card player, bidder, opponents, position in the bidding and quantity.

    Columns: player, bidder, against, position, quantity ("score", "exact", "distance", "bias"), n (deals: each has one bid at each position), mean,
    sd, low, high (95 %; Wilson's for exact).
    """
    rows = []
    for key, own in result.joint.groupby([*GROUP, "position"], sort=False):
        gap, counts = (own["bid"] - own["tricks"]).to_numpy(np.int64), own["count"].to_numpy(np.int64)
        n, total, squares = int(counts.sum()), int(own["score"].sum()), int(own["squares"].sum())
        quantities = {
            "score": ratio_interval(Grouped(n, n, total, n, total, squares)),
            "exact": rate_interval(int(counts[gap == 0].sum()), n),
            "distance": mean_interval(np.abs(gap), counts),
            "bias": mean_interval(gap, counts),
        }
        rows += [[*key, quantity, *estimate] for quantity, estimate in quantities.items()]
    return pd.DataFrame(rows, columns=[*GROUP, "position", "quantity", *SPAN])


def given_bid(result: BidsResult) -> pd.DataFrame:
    """Return what each bid of a bidder came to: its implied calibration.

    Columns: player, bidder, against, bid, n (bids), share, tricks (mean), tricks_low, tricks_high, tricks_sd (of one bid), exact (rate), exact_low,
    exact_high, score (mean). Intervals are 95 %, over deals: bids of one deal go together.
    """
    return pd.concat([_given(result, player, table) for player, table in enumerate(result.by_player)], ignore_index=True)


def _given(result: BidsResult, player: int, table: pd.DataFrame) -> pd.DataFrame:
    pairs = table[table["what"] == SAME]
    keys = zip(*(pairs[name].tolist() for name in ("one", "a", "b")), strict=True)
    alike = dict(zip(keys, pairs[["count", f"{SUMS}u", f"{SUMS}v"]].to_numpy(np.int64).tolist(), strict=True))
    counted, rows = table[table["what"] == JOINT], []
    totals = counted.groupby("one")["count"].sum().to_dict()
    for (group, bid), own in counted.groupby(["one", "b"]):
        won, counts = own["c"].to_numpy(np.int64), own["count"].to_numpy(np.int64)
        n = int(counts.sum())
        sums = (_grouped(result.study.deals, value, counts, alike.get((group, bid, k))) for k, value in enumerate((won, 1 * (won == bid))))
        tricks, exact = map(ratio_interval, sums)
        row = [group, bid, n, n / totals[group], tricks.mean, tricks.low, tricks.high, mean_interval(won, counts).sd]
        rows.append([*row, exact.mean, max(0.0, exact.low), min(1.0, exact.high), own[f"{SUMS}u"].sum() / n])
    found = pd.DataFrame(rows, columns=["group", *BY_BID[len(GROUP) :]])
    return found.assign(**named(result, player, found["group"]))[BY_BID]


def _grouped(deals: int, values: NDArray[np.int64], counts: NDArray[np.int64], alike: list[int] | None) -> Grouped:
    """Return the sums over deals of cases, of which some two are of one deal: how many two, the sum of their products, and of their sums."""
    pairs, products, sums = alike or (0, 0, 0)
    n, total, squares = int(counts.sum()), int((values * counts).sum()), int((values * values * counts).sum())
    return Grouped(deals, n, total, n + 2 * pairs, total + sums, squares + 2 * products)


def bid_sums(result: BidsResult) -> pd.DataFrame:
    """Return how often the three bids of a table came to each sum; a deal has 17 tricks.

    Columns: player, bidder, against, sum, count (tables), share.
    """
    parts = []
    for player, table in enumerate(result.by_player):
        rows = table[table["what"] == TOTAL]
        own = pd.DataFrame({**named(result, player, rows["one"]), "sum": rows["a"], "count": rows["count"]})
        # A bidder against itself has one table, which was counted for each of its three seats.
        own["count"] //= np.where(own["bidder"] == own["against"], 3, 1)
        parts.append(own.assign(share=own["count"] / own.groupby(["bidder", "against"])["count"].transform("sum")))
    return pd.concat(parts, ignore_index=True)
