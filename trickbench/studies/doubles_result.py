"""What a study of doubles found: gains, differences between doublers, calibration of forecasts, thresholds."""

from __future__ import annotations

import json
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from trickbench.stats.calibration import brier_score, reliability_bins
from trickbench.stats.intervals import Estimate, rate_interval, sums_interval
from trickbench.stats.thresholds import even_point
from trickbench.studies.auction_views import DOUBLES
from trickbench.studies.doubles_forecast import PERMILLE
from trickbench.studies.doubles_seen import ABOVE, ANSWERED, BELOW, DIFFERENCE, DOUBLED, GAIN, SQUARES, TIED
from trickbench.studies.study import Result
from trickbench.studies.voices import SILENT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CALLS = ("suit", "no-trump")
NEAR = 0.2
"""A threshold comes from cases of which the probability is within so much of even: gains there lie on a line."""
COLUMNS = ["who", "quantity", "unit", "n", "mean", "sd", "low", "high"]


class DoublesResult(Result):
    """What a study of doubles found.

    Attributes
    ----------
    study : Doubles
    totals : dict of str to DataFrame
    """

    @property
    def names(self) -> list[str]:
        """The doublers."""
        return list(self.study.names)

    @property
    def redoublers(self) -> list[str]:
        """Who answers a double: nobody, then each of the doublers."""
        return [SILENT, *self.names]

    def _rows(self, what: int, one: int, other: int) -> pd.DataFrame:
        table = self.totals["deals"]
        return table[(table["what"] == what) & (table["one"] == one) & (table["other"] == other)]

    @cached_property
    def gains(self) -> pd.DataFrame:
        """What doubling wins: a row for each doubler against each redoubler.

        Columns: doubler, redoubler, n (deals), gain (points a deal that the doublers' side has more than with nobody speaking), low, high, doubled
        (share of the deals), redoubled (share of the doubled ones), gain_doubled (points a doubled deal), below (share of the doubled deals in
        which the dealer's side has fewer than 30 points), below_passed (of the others).
        """
        rows = []
        for one, doubler in enumerate(self.names):
            for back, redoubler in enumerate(self.redoublers):
                table = self._rows(DOUBLED, one, back)
                gain, spoken = _gain(table), table["doubled"] == 1
                doubled = table[spoken]
                n, count = int(table["count"].sum()), int(doubled["count"].sum())
                rows.append([
                    doubler, redoubler, n, gain.mean, gain.low, gain.high, count / n, _share(doubled, doubled["redoubled"] == 1), _gain(doubled).mean,
                    _share(doubled, doubled["outcome"] == BELOW), _share(table[~spoken], table.loc[~spoken, "outcome"] == BELOW),
                ])  # fmt: skip
        names = ["doubler", "redoubler", "n", "gain", "low", "high", "doubled", "redoubled", "gain_doubled", "below", "below_passed"]
        return pd.DataFrame(rows, columns=names)

    @cached_property
    def answers(self) -> pd.DataFrame:
        """What redoubling wins: a row for each redoubler against each doubler.

        Columns: redoubler, doubler, n (deals), gain (points a deal that the dealer's side has more than with silence), low, high, redoubled (share
        of the doubled deals), above (share of the redoubled deals in which the dealer's side has more than 30 points).
        """
        rows = []
        for back, redoubler in enumerate(self.names, start=1):
            for one, doubler in enumerate(self.names):
                table = self._rows(ANSWERED, one, back)
                doubled = table[table["doubled"] == 1]
                redoubled = doubled[doubled["redoubled"] == 1]
                gain = _gain(table)
                rows.append([
                    redoubler, doubler, gain.n, gain.mean, gain.low, gain.high, _share(doubled, doubled["redoubled"] == 1),
                    _share(redoubled, redoubled["outcome"] == ABOVE),
                ])  # fmt: skip
        return pd.DataFrame(rows, columns=["redoubler", "doubler", "n", "gain", "low", "high", "redoubled", "above"])

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Doublers against each other: what the first wins more than the second, points a deal, deal by deal.

        Columns: first, second, redoubler, n, difference, low, high.
        """
        rows = []
        for one, first in enumerate(self.names):
            for two in range(one + 1, len(self.names)):
                for back, redoubler in enumerate(self.redoublers):
                    table = self._rows(DIFFERENCE, one, two)
                    found = _gain(table[table["redoubled"] == back])
                    rows.append([first, self.names[two], redoubler, found.n, found.mean, found.low, found.high])
        return pd.DataFrame(rows, columns=["first", "second", "redoubler", "n", "difference", "low", "high"])

    def forecasts(self, number: int, decision: int | None = None, no_trump: int | None = None) -> pd.DataFrame:
        """Return what doubler ``number`` forecast: below and tie (in 1/1000), outcome, count, and sums of what speaking would have won."""
        table = self.totals[f"forecasts-{number}"]
        some = np.full(len(table), True)
        for name, value in (("decision", decision), ("no_trump", no_trump)):
            some &= True if value is None else (table[name] == value).to_numpy()
        return table[some]

    @cached_property
    def calibration(self) -> pd.DataFrame:
        """How good forecasts are: a row for each forecaster, decision, and kind of call.

        Columns: doubler, decision (who is asked), call, n (times asked), decided (of them without a tie); brier, brier_low, brier_high of the
        probability that the dealer's side has fewer than 30 points, ties left out, and its parts reliability, resolution, uncertainty; skill;
        tie_said and tie_seen: mean probability of 30 points, and how often it came to that.
        """
        rows = []
        for number in self.study.forecasters():
            for decision, who in enumerate(DOUBLES):
                for no_trump, call in enumerate(CALLS):
                    table = self.forecasts(number, decision, no_trump)
                    if len(table):
                        rows.append([self.names[number], who, call, *_scores(table)])
        names = ["n", "decided", "brier", "brier_low", "brier_high", "reliability", "resolution", "uncertainty", "skill", "tie_said", "tie_seen"]
        return pd.DataFrame(rows, columns=["doubler", "decision", "call", *names])

    def reliability(self, number: int, decision: int | None = None) -> pd.DataFrame:
        """Return the reliability curve of a forecaster's probability that the dealer's side has fewer than 30 points, ties left out."""
        return reliability_bins(*_cases(self.forecasts(number, decision)))

    @cached_property
    def thresholds(self) -> pd.DataFrame:
        """The probability from which on (for redoubles: up to which) speaking wins more than it loses.

        Columns: doubler (whose forecasts, and whose redoubles answer a double), decision, call, n (cases near it), threshold, low, high.
        """
        rows = []
        for number in self.study.forecasters():
            for decision, who in enumerate(DOUBLES):
                for no_trump, call in enumerate(CALLS):
                    table = self.forecasts(number, decision, no_trump)
                    found = _threshold(table)
                    rows.append([self.names[number], who, call, found.n, found.mean, found.low, found.high])
        return pd.DataFrame(rows, columns=["doubler", "decision", "call", "n", "threshold", "low", "high"])

    @property
    def summary(self) -> pd.DataFrame:
        """One row a quantity: gains of doubling and redoubling in points a deal."""
        rows = []
        for what, table in ((DOUBLED, self.gains), (ANSWERED, self.answers)):
            for row in table.to_dict("records"):
                one, back = self.names.index(row["doubler"]), self.redoublers.index(row["redoubler"])
                who = f"{row['doubler']} against {row['redoubler']}" if what == DOUBLED else f"{row['redoubler']} against {row['doubler']}"
                rows.append([who, "gain by doubling" if what == DOUBLED else "gain by redoubling", "points", *_gain(self._rows(what, one, back))])
        return pd.DataFrame(rows, columns=COLUMNS)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return every table by the name of its CSV file."""
        found = {"summary": self.summary, "gains": self.gains, "answers": self.answers, "differences": self.differences}
        return found | ({"calibration": self.calibration, "thresholds": self.thresholds} if self.study.forecasters() else {})

    def text(self) -> str:
        """Return what was found as a person reads it."""
        from trickbench.studies.doubles_telling import doubles_text

        return doubles_text(self)

    def figures(self) -> dict[str, Figure]:
        """Return the figures by name."""
        from trickbench.plotting.doubles import doubles_figures

        return doubles_figures(self)

    def facts(self) -> dict[str, Any]:
        """Return what was found as JSON holds it."""
        tables = {name: json.loads(table.to_json(orient="records")) for name, table in self.tables().items()}
        return {**self.study.as_dict(), **tables, "digest": self.digest}


def _gain(table: pd.DataFrame) -> Estimate:
    return sums_interval(int(table["count"].sum()), int(table[GAIN].sum()), int(table[SQUARES].sum()))


def _share(table: pd.DataFrame, some: Any) -> float:
    return rate_interval(int(table.loc[some, "count"].sum()), int(table["count"].sum())).mean


def _cases(table: pd.DataFrame) -> tuple[Any, Any, Any]:
    """Return probabilities of fewer than 30 points, how often it came to that, and how often it was said, ties left out."""
    decided = table[table["outcome"] != TIED]
    counts = decided.groupby("below")["count"].sum()
    hits = decided[decided["outcome"] == BELOW].groupby("below")["count"].sum().reindex(counts.index, fill_value=0)
    return counts.index.to_numpy() / PERMILLE, hits.to_numpy(np.int64), counts.to_numpy(np.int64)


def _scores(table: pd.DataFrame) -> list[float]:
    """Return the numbers of a row of ``calibration``."""
    found = brier_score(*_cases(table), edges=np.linspace(0, 1, 21))
    counts = table["count"].to_numpy(np.int64)
    n, ties = int(counts.sum()), int(table.loc[table["outcome"] == TIED, "count"].sum())
    said = float((table["tie"] * table["count"]).sum()) / PERMILLE / n
    score = found.score
    return [n, score.n, score.mean, score.low, score.high, found.reliability, found.resolution, found.uncertainty, found.skill, said, ties / n]


def _threshold(table: pd.DataFrame) -> Estimate:
    near = table[(table["below"] / PERMILLE - 0.5).abs() < NEAR]
    if near.empty:
        return Estimate(0, math.nan, math.nan, math.nan, math.nan)
    sums = near.groupby("below")[["count", GAIN, SQUARES]].sum()
    counts, gains, squares = (sums[name].to_numpy(np.int64) for name in ("count", GAIN, SQUARES))
    return even_point(sums.index.to_numpy() / PERMILLE, counts, gains, squares)
