"""How well bidders know their hands: scores of their forecasts, and of bids alone where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from trickbench.stats.calibration import TENTHS
from trickbench.stats.intervals import Estimate
from trickbench.stats.ratios import Grouped, ratio_interval
from trickbench.studies.forecasting import BIN, EVENTS, MEASURE, MEASURES, OUTCOME, PIT, PIT_BINS, UNIT
from trickbench.studies.study import SUMS

if TYPE_CHECKING:
    from trickbench.studies.bids_result import BidsResult

SPREAD = ("crps", "log_score", "brier", "miss")
"""Measures that only a forecast has."""
BINS = ["player", "bidder", "event", "lower", "upper", "n", "predicted", "observed", "low", "high"]
PARTS = ("reliability", "resolution", "uncertainty", "within")


def own_rows(result: BidsResult, player: int, bidder: int) -> pd.DataFrame:
    """Return what was counted of a bidder's forecasts under a card player."""
    table = result.totals["forecasts"]
    return table[(table["bidder"] == bidder) & (table["player"] == player)]


def taken(result: BidsResult) -> bool:
    """Return True if forecasts were taken."""
    return "forecasts" in result.totals


def over_deals(row: Any, deals: int, unit: float = 1.0) -> Estimate:
    """Return the mean of a case from a row of sums."""
    kept = [int(row[f"{SUMS}{name}"]) for name in ("t", "nn", "nt", "tt")]
    return ratio_interval(Grouped(deals, int(row["count"]), *kept), unit=unit)


def deals_of(rows: pd.DataFrame) -> int:
    """Return on how many deals forecasts were taken: each has three bids."""
    return int(rows.loc[rows["what"] == OUTCOME, "count"].sum()) // 3


def calibration(result: BidsResult) -> pd.DataFrame:
    """Return how well each bidder knows its hand, where all three at the table bid alike.

    Columns: player, bidder, n (bids); distance (of the bid: the CRPS of a forecast of this one number), and for those that forecast: crps, log_score
    (where what happened was possible), brier (of "the bid is exact"), miss (mean forecast less tricks), each with _low and _high (95 %, over deals);
    impossible (bids after which happened what had probability 0: the log score of all is infinite); crps_blind (CRPS of always forecasting how often
    each number of tricks is taken), skill (1 - crps / crps_blind); reliability, resolution, uncertainty, within (of the Brier score, by tenths).
    Without a forecast the distance is over all deals of the study; forecasts are taken on fewer.
    """
    rows = []
    for player, name in enumerate(result.players):
        for bidder, who in enumerate(result.names):
            if taken(result) and bidder in result.study.forecasters:
                rows.append({"player": name, "bidder": who, **scores(own_rows(result, player, bidder))})
            else:
                found = result.found(player, bidder, "distance", bidder)
                rows.append({"player": name, "bidder": who, "n": 3 * found.n, **_named("distance", found)})
    spans = [f"{name}{end}" for name in ("distance", *SPREAD) for end in ("", "_low", "_high")]
    return pd.DataFrame(rows).reindex(columns=["player", "bidder", "n", *spans, "impossible", "crps_blind", "skill", *PARTS])


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def scores(rows: pd.DataFrame) -> dict[str, Any]:
    """Return the measures of one forecaster."""
    deals, found = deals_of(rows), {"n": 3 * deals_of(rows)}
    measured: dict[str, Any] = {}
    for row in rows[rows["what"] == MEASURE].to_dict("records"):
        name = MEASURES[int(row["a"])]
        if name == "impossible":
            measured[name] = int(row[f"{SUMS}t"]) // UNIT
        else:
            measured |= _named(name, over_deals(row, deals, 1 / UNIT))
    outcomes = rows[rows["what"] == OUTCOME].sort_values("a")["count"].to_numpy(np.int64)
    f = np.cumsum(outcomes) / max(int(outcomes.sum()), 1)
    blind = float((f * (1 - f)).sum())
    skill = 1 - measured["crps"] / blind if blind else np.nan
    return {**found, **measured, "crps_blind": blind, "skill": skill, **brier_parts(rows, measured["brier"])}


def brier_parts(rows: pd.DataFrame, score: float) -> dict[str, float]:
    """Return the parts of the Brier score of "the bid is exact", by tenths."""
    own = rows[(rows["what"] == BIN) & (rows["a"] == EVENTS.index("exact")) & (rows["count"] > 0)]
    n = own["count"].to_numpy(np.float64)
    said, came = own[f"{SUMS}p"].to_numpy(np.float64) / n / UNIT, own[f"{SUMS}t"].to_numpy(np.float64) / n
    rate = float((n * came).sum() / n.sum())
    reliability, resolution = (float((n * gaps**2).sum() / n.sum()) for gaps in (said - came, came - rate))
    uncertainty = rate * (1 - rate)
    return dict(zip(PARTS, (reliability, resolution, uncertainty, score - reliability + resolution - uncertainty), strict=True))


def reliability(result: BidsResult) -> pd.DataFrame:
    """Return reliability curves of forecasts, where all three at the table bid alike.

    Columns: player, bidder, event ("exact": the bid is; "at least": so many tricks, for 1 to 17), lower, upper (edges of the bin), n (forecasts),
    predicted (mean probability), observed (rate), low, high (95 %, over deals: the forecasts of a deal go together).
    """
    rows = []
    for player, bidder in _forecasting(result):
        own = own_rows(result, player, bidder)
        deals = deals_of(own)
        for row in own[(own["what"] == BIN) & (own["count"] > 0)].sort_values(["a", "b"]).to_dict("records"):
            found, bin_ = over_deals(row, deals), int(row["b"])
            ends = [max(0.0, found.low), min(1.0, found.high)]
            said = int(row[f"{SUMS}p"]) / int(row["count"]) / UNIT
            where = [EVENTS[int(row["a"])], TENTHS[bin_], TENTHS[bin_ + 1]]
            rows.append([result.players[player], result.names[bidder], *where, found.n, said, found.mean, *ends])
    return pd.DataFrame(rows, columns=BINS)


def pit(result: BidsResult) -> pd.DataFrame:
    """Return PIT histograms of forecasts, where all three at the table bid alike; a calibrated forecaster fills all bins alike.

    Columns: player, bidder, lower, upper (edges of the bin), n (bids), share, low, high (95 %, over deals).
    """
    rows = []
    for player, bidder in _forecasting(result):
        own = own_rows(result, player, bidder)
        deals = deals_of(own)
        for row in own[own["what"] == PIT].sort_values("b").to_dict("records"):
            found, b = over_deals(row, deals, 1 / UNIT), int(row["b"])
            where = [result.players[player], result.names[bidder], b / PIT_BINS, (b + 1) / PIT_BINS]
            rows.append([*where, found.n, found.mean, found.low, found.high])
    return pd.DataFrame(rows, columns=["player", "bidder", "lower", "upper", "n", "share", "low", "high"])


def _forecasting(result: BidsResult) -> list[tuple[int, int]]:
    """Return (card player, bidder) of whoever's forecasts were taken."""
    return [(player, bidder) for player in range(len(result.players)) for bidder in result.study.forecasters] if taken(result) else []
