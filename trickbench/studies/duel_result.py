"""What a duel found, computed from its totals: edge, intervals, rates, effects of seat and dealer, what pairing and rollouts are worth."""

from __future__ import annotations

import json
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.stats.intervals import Estimate
from trickbench.stats.paired import bootstrap_interval, paired_interval, saved_by_pairing
from trickbench.stats.pentanomial import normalised_elo
from trickbench.studies.control import Controlled, controlled, left_in_duplicates
from trickbench.studies.deciding import Decision, decision
from trickbench.studies.seatings import DEAL, DUEL, SEATING, scale_of
from trickbench.studies.study import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trickbench.studies.duels import Duel

COLUMNS = ["quantity", "unit", "n", "mean", "sd", "low", "high"]
CORRECTED = "edge, corrected for stopping"
POINTS, RATE = "points a deal", "share of plays"


def counted_mean(values: Any, counts: Any, unit: float = 1) -> Estimate:
    """Return the mean of counted integer values, divided by ``unit``, with Student's interval."""
    return paired_interval(np.asarray(values, np.int64), np.asarray(counts, np.int64), unit=1 / unit)


class DuelResult(Result):
    """The result of :func:`trickbench.duel`; positive means in favour of the first agent, A."""

    study: Duel

    def __init__(self, study: Duel, totals: dict[str, pd.DataFrame]) -> None:
        super().__init__(study, totals)
        self.scale = scale_of(study.game)
        table = totals["deals"]
        self.by_deal = table[table["what"] == DEAL]
        self.by_seating = table[table["what"] == SEATING]

    def __repr__(self) -> str:
        edge = self.edge
        return f"<DuelResult {' against '.join(self.study.names)}: edge {edge.mean:.3f} ({edge.low:.3f} .. {edge.high:.3f}), {edge.n:,} deals>"

    @property
    def plays(self) -> int:
        """How often each deal was played: seatings."""
        return len(DUEL[self.study.game.family])

    @cached_property
    def edge(self) -> Estimate:
        """Mean of x_d in points a deal, over deals, with Student's 95 % interval; naive if the duel was stopped by a test."""
        return counted_mean(self.by_deal["x"], self.by_deal["count"], self.scale.deal)

    @cached_property
    def bootstrap(self) -> Estimate:
        """The edge with a bootstrap interval: deals drawn with replacement."""
        values, counts = self.by_deal["x"].to_numpy(np.int64), self.by_deal["count"].to_numpy(np.int64)
        return bootstrap_interval(values, counts, unit=1 / self.scale.deal)

    @cached_property
    def single(self) -> Estimate:
        """The edge from single seatings as if they were independent; ``sd`` is sigma single."""
        return counted_mean(self.by_seating["x"], self.by_seating["count"], self.scale.seating)

    @property
    def variance_factor(self) -> float:
        """Plays of independent deals that give the interval of one play in duplicates: sigma_single^2 / (seatings sigma_paired^2)."""
        return saved_by_pairing(self.single.sd, self.edge.sd, self.plays)

    @cached_property
    def rates(self) -> dict[str, Estimate]:
        """Shares of plays that A won, tied and lost, with intervals over deals."""
        deals, seatings = self.by_deal, self.plays
        lost = seatings - deals["wins"] - deals["ties"]
        columns = {"win": deals["wins"], "tie": deals["ties"], "loss": lost}
        return {name: counted_mean(column, deals["count"], seatings) for name, column in columns.items()}

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """Manille: how many deals gave A 0, 1/2, 1, 3/2, 2 wins of its two plays, a tie counting half."""
        points = 2 * self.by_deal["wins"] + self.by_deal["ties"]
        return np.bincount(points, weights=self.by_deal["count"], minlength=2 * self.plays + 1).astype(np.int64)

    @cached_property
    def effects(self) -> dict[str, Estimate]:
        """A's edge in one seating, by where it sits and by who deals; each deal counts once in each."""
        rows, seatings = self.by_seating, DUEL[self.study.game.family]
        if self.study.game.family == "manille":
            sides = {f"A in seats {side}+{side + 2}": rows["seating"] == side for side in (0, 1)}
            deals = rows["dealer"] % 2 == rows["seating"]
            groups = {**sides, "A's side deals": deals, "B's side deals": ~deals}
        else:
            odd = np.array([seats.index(int(sum(seats) == 1)) for seats in seatings])
            alone = rows["seating"].map(dict(enumerate(sum(seats) == 2 for seats in seatings)))
            place = (rows["seating"].map(dict(enumerate(odd))) - rows["dealer"] - 1) % 3
            groups = {}
            for who, those in (("A", alone), ("B", ~alone)):
                groups |= {f"{who} alone, bids {name}": those & (place == number) for number, name in enumerate(("first", "second", "last"))}
        return {name: counted_mean(rows.loc[some, "x"], rows.loc[some, "count"], self.scale.seating) for name, some in groups.items()}

    @cached_property
    def games(self) -> Estimate | None:
        """A's share of games won less B's (a draw counts for neither), over games in all seatings; None if none were played."""
        table = self.totals.get("games")
        unit = 2 if self.study.game.family == "manille" else 9
        return None if table is None else counted_mean(table["x"], table["count"], unit)

    @cached_property
    def control(self) -> Controlled | None:
        """What a control variate by rollouts brings; None if none was taken."""
        return None if "control" not in self.totals else controlled(self.totals["control"], self.scale)

    @cached_property
    def decision(self) -> Decision | None:
        """What the sequential test decided; None without one."""
        return None if self.study.rule is None else decision(self.study.rule, self.study.game, self.totals["deals"])

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row a quantity: quantity, unit, n, mean, sd, low, high (95 %)."""
        name = "edge" if self.decision is None else "edge, biased by stopping"
        rows: list[list[Any]] = [[name, POINTS, *self.edge], ["edge, bootstrap over deals", POINTS, *self.bootstrap]]
        if self.decision is not None:
            rows.append([CORRECTED, self.decision.rule.unit, *self.decision.corrected])
        rows += [[name, RATE, *rate] for name, rate in self.rates.items()]
        if self.study.game.family == "manille":
            rows.append(["normalised Elo", "nElo of pairs", *normalised_elo(self.pairs)])
        rows += [[name, POINTS, *effect] for name, effect in self.effects.items()]
        if self.games is not None:
            rows.append(["edge in games", "share of games", *self.games])
        if self.control is not None:
            rows += [["edge, one seating", POINTS, *self.control.plain], ["edge, one seating, control variate", POINTS, *self.control.controlled]]
        return pd.DataFrame(rows, columns=COLUMNS)

    def precision(self) -> pd.DataFrame:
        """Return what each way of playing needs for the same interval.

        Columns: method, sigma (of one observation, points), plays (of a deal for one observation), factor (plays of independent deals that one
        play replaces; rollouts are not counted).
        """
        rows: list[list[Any]] = [["independent deals", self.single.sd, 1, 1.0], ["duplicates", self.edge.sd, self.plays, self.variance_factor]]
        if self.control is not None:
            rows.append(["control variate", self.control.controlled.sd, 1, self.control.factor])
            both = self.edge.sd * math.sqrt(1 - left_in_duplicates(self.totals["control"]))
            rows.append(["duplicates and control variate, at most", both, self.plays, saved_by_pairing(self.single.sd, both, self.plays)])
        return pd.DataFrame(rows, columns=["method", "sigma", "plays", "factor"])

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables of the result: summary, precision, and how often each x_d occurred."""
        differences = self.by_deal.groupby("x")["count"].sum().reset_index()
        differences["x"] = differences["x"] / self.scale.deal
        return {"summary": self.summary, "precision": self.precision(), "differences": differences}

    def text(self) -> str:
        """Return what was found as a person reads it."""
        from trickbench.studies.telling import duel_text

        return duel_text(self)

    def figures(self) -> dict[str, Figure]:
        """Return the figures by name."""
        from trickbench.plotting.duels import duel_figures

        return duel_figures(self)

    def facts(self) -> dict[str, Any]:
        """Return what was found as JSON holds it."""
        facts: dict[str, Any] = {
            **self.study.as_dict(),
            "deals_played": self.edge.n,
            "sigma_single": self.single.sd,
            "sigma_paired": self.edge.sd,
            "variance_factor": self.variance_factor,
            "decision": None if self.decision is None else self.decision.facts(),
            "precision": json.loads(self.precision().to_json(orient="records")),
            "summary": json.loads(self.summary.to_json(orient="records")),
            "digest": self.digest,
        }
        if self.study.game.family == "manille":
            facts["pairs"] = self.pairs.tolist()
        return facts
