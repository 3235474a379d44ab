"""What a study of bids found, computed from its totals: quantities of bidders, payoffs, best responses, steps, all with intervals over deals."""

from __future__ import annotations

import json
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.stats.intervals import Estimate
from trickbench.stats.multiple import family, simultaneous_intervals
from trickbench.stats.ratios import contrast
from trickbench.studies import bids_counts, bids_forecasts
from trickbench.studies.bids_counts import SPAN
from trickbench.studies.bids_seen import Moments, moments
from trickbench.studies.study import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trickbench.studies.bids import Bids

SHOWN = ("score", "exact", "distance", "bias", "bid", "tricks", "total")
"""The quantities of a summary, each a mean a seat and deal; total: the three bids at the table."""
EVERY = "each bidder"
"""Instead of an opponent: the mean over all, each with the same weight."""
CLEAR, STEPS = 0.95, 0.99
"""Levels at which best responses, and steps from a bidder to the next, hold together."""


class BidsResult(Result):
    """The result of :func:`trickbench.bids`."""

    study: Bids

    def __init__(self, study: Bids, totals: dict[str, pd.DataFrame]) -> None:
        super().__init__(study, totals)
        self.names, self.players = study.names, study.player_names
        *self.by_player, self.against_reference = (table for _, table in totals["deals"].groupby("player"))

    def __repr__(self) -> str:
        return f"<BidsResult of {len(self.names)} bidders under {', '.join(self.players)}, {self.study.deals:,} deals>"

    @cached_property
    def _moments(self) -> list[dict[str, Moments]]:
        return [moments(table) for table in self.by_player]

    def weights(self, one: int, other: int | None = None) -> NDArray[np.float64]:
        """Return which groups make up a bidder against two of another, or (None) against two of each in turn."""
        size = len(self.names)
        found = np.zeros((size, size))
        found[one, slice(None) if other is None else other] = 1 / size if other is None else 1
        return found.ravel()

    def estimate(self, player: int, quantity: str, weights: NDArray[np.float64], level: float = 0.95) -> Estimate:
        """Return a weighted sum of groups' means a seat and deal, with Student's interval over deals; 1 and -1 make a paired difference."""
        own = self._moments[player][quantity]
        return contrast(own.n, own.sums, own.products, weights / 3, level)

    def payoff(self, player: int, one: int, other: int) -> Estimate:
        """Return what a bidder scores a deal against two of another."""
        return self.estimate(player, "score", self.weights(one, other))

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row a card player, bidder, opponents and quantity.

        Columns: player, bidder, against (two of this bidder, or "each bidder": the mean over all), quantity, n (deals), mean, sd, low, high (95 %).
        Quantities, each the mean of the bidder's three seats: score (points), exact (share of bids), distance, bias (bid less tricks), bid, tricks
        (all in tricks), total (sum of the three bids at the table).
        """
        rows = []
        for player, name in enumerate(self.players):
            for one, bidder in enumerate(self.names):
                for other, against in [(None, EVERY), *enumerate(self.names)]:
                    own = self.weights(one, other)
                    rows += [[name, bidder, against, quantity, *self.estimate(player, quantity, own)] for quantity in SHOWN]
        return pd.DataFrame(rows, columns=["player", "bidder", "against", "quantity", *SPAN])

    def found(self, player: int, bidder: int, quantity: str, against: int | None = None) -> Estimate:
        """Return one quantity of the summary."""
        return self.estimate(player, quantity, self.weights(bidder, against))

    @cached_property
    def payoffs(self) -> pd.DataFrame:
        """One row a card player and two bidders.

        Columns: player, bidder, against (two of them), n (deals), mean (points a deal of the one bidder), sd, low, high (95 %), best (it is the best
        response to them).
        """
        rows = []
        for player, name in enumerate(self.players):
            best = {row.against: row.best for row in self.best_responses[self.best_responses["player"] == name].itertuples()}
            for one, bidder in enumerate(self.names):
                for other, against in enumerate(self.names):
                    rows.append([name, bidder, against, *self.payoff(player, one, other), best[against] == bidder])
        return pd.DataFrame(rows, columns=["player", "bidder", "against", *SPAN, "best"])

    @cached_property
    def best_responses(self) -> pd.DataFrame:
        """One row a card player and bidder that the two others at the table are.

        Columns: player, against, best (whose mean score against two of them is highest), n (deals), score, low, high (95 %); second, ahead (points
        that the best is ahead of it, the same deals), ahead_low, ahead_high (95 % for all pairs of bidders against all opponents together), clear (in
        such intervals it is ahead of every other), to_itself (the best response to a bidder is the bidder).
        """
        rows: list[list[Any]] = []
        for player, name in enumerate(self.players):
            pairs = self._leads(player)
            for other, against in enumerate(self.names):
                rows.append([name, against, *self._best(player, other, pairs), None])
                rows[-1][-1] = rows[-1][2] == against
        columns = ["player", "against", "best", "n", "score", "low", "high", "second", "ahead", "ahead_low", "ahead_high", "clear"]
        return pd.DataFrame(rows, columns=[*columns, "to_itself"])

    def _leads(self, player: int) -> dict[tuple[int, int, int], Estimate]:
        """Return what one bidder scores more than another against each opponent, with intervals that all hold together."""
        size = range(len(self.names))
        keys = [(other, one, two) for other in size for one, two in combinations(size, 2)]
        found = [self.estimate(player, "score", self.weights(one, other) - self.weights(two, other)) for other, one, two in keys]
        leads = dict(zip(keys, simultaneous_intervals(found, CLEAR), strict=True))
        turned = {(other, two, one): Estimate(e.n, -e.mean, e.sd, -e.high, -e.low) for (other, one, two), e in leads.items()}
        return leads | turned

    def _best(self, player: int, other: int, pairs: dict[tuple[int, int, int], Estimate]) -> list[Any]:
        """Return who scores most against two of a bidder, how far it is ahead, and whether that is clear."""
        scores = [self.payoff(player, one, other) for one in range(len(self.names))]
        order = sorted(range(len(scores)), key=lambda one: -scores[one].mean)
        best, chosen = order[0], scores[order[0]]
        found = [self.names[best], chosen.n, chosen.mean, chosen.low, chosen.high]
        if len(order) == 1:
            return [*found, None, *[np.nan] * 3, False]
        leads = [pairs[other, best, one] for one in order[1:]]
        return [*found, self.names[order[1]], leads[0].mean, leads[0].low, leads[0].high, all(lead.low > 0 for lead in leads)]

    @cached_property
    def steps(self) -> pd.DataFrame:
        """Each bidder against the one named before it, on the same deals.

        Columns: player, bidder, before, quantity, n (deals), mean (the difference), sd, low, high (99 % for all rows of the card player together),
        p_holm, real. Quantities: "edge" (points a deal in all six seatings of the two, as in a duel), "score against each bidder", and "exact" and
        "distance" where all three at the table bid alike.
        """
        tables = [self._steps(player) for player in range(len(self.players))] if len(self.names) > 1 else []
        columns = ["player", "bidder", "before", "quantity", *SPAN, "p_holm", "real"]
        return pd.concat(tables, ignore_index=True)[columns] if tables else pd.DataFrame(columns=columns)

    def _steps(self, player: int) -> pd.DataFrame:
        rows, found = [], []
        for before, one in zip(range(len(self.names)), range(1, len(self.names)), strict=False):
            alike = self.weights(one, one) - self.weights(before, before)
            met = self.weights(one, before) - self.weights(before, one)
            # A duel's x: three times two seats against one, less the same with both exchanged, over nine sittings of each.
            differences = {
                "edge": self.estimate(player, "lead", met / 3),
                "score against each bidder": self.estimate(player, "score", self.weights(one) - self.weights(before)),
                "exact": self.estimate(player, "exact", alike),
                "distance": self.estimate(player, "distance", alike),
            }
            rows += [[self.players[player], self.names[one], self.names[before], quantity] for quantity in differences]
            found += list(differences.values())
        table = family([""] * len(found), found, STEPS).rename(columns={"holm": "p_holm"}).drop(columns=["name", "p", "fdr"])
        return pd.concat([pd.DataFrame(rows, columns=["player", "bidder", "before", "quantity"]), table], axis=1)

    @cached_property
    def crossed(self) -> pd.DataFrame:
        """Every bidder with every card player against two of the reference, as whole strategies.

        Columns: player, bidder, quantity ("score", "exact", "distance"), n (deals), mean, sd, low, high (95 %). All meet the same opponents on the
        same deals, so rows tell bidding from play.
        """
        own, rows, size = moments(self.against_reference), [], len(self.names)
        for number in range(size * len(self.players)):
            weights = np.zeros(size * len(self.players))
            weights[number] = 1 / 3
            for quantity in ("score", "exact", "distance"):
                estimate = contrast(own[quantity].n, own[quantity].sums, own[quantity].products, weights)
                rows.append([self.players[number // size], self.names[number % size], quantity, *estimate])
        return pd.DataFrame(rows, columns=["player", "bidder", "quantity", *SPAN])

    @cached_property
    def joint(self) -> pd.DataFrame:
        """Bids against tricks: see :func:`trickbench.studies.bids_counts.joint`."""
        return bids_counts.joint(self)

    @cached_property
    def by_position(self) -> pd.DataFrame:
        """Quantities by position in the bidding: see :func:`trickbench.studies.bids_counts.by_position`."""
        return bids_counts.by_position(self)

    @cached_property
    def given_bid(self) -> pd.DataFrame:
        """What each bid came to: see :func:`trickbench.studies.bids_counts.given_bid`."""
        return bids_counts.given_bid(self)

    @cached_property
    def bid_sums(self) -> pd.DataFrame:
        """The sums of the three bids of a table: see :func:`trickbench.studies.bids_counts.bid_sums`."""
        return bids_counts.bid_sums(self)

    @cached_property
    def calibration(self) -> pd.DataFrame:
        """How well each bidder knows its hand, where all three at the table bid alike: see :func:`trickbench.studies.bids_forecasts.calibration`."""
        return bids_forecasts.calibration(self)

    @cached_property
    def reliability(self) -> pd.DataFrame:
        """How often events came that were forecast with some probability: see :func:`trickbench.studies.bids_forecasts.reliability`."""
        return bids_forecasts.reliability(self)

    @cached_property
    def pit(self) -> pd.DataFrame:
        """PIT histograms: see :func:`trickbench.studies.bids_forecasts.pit`."""
        return bids_forecasts.pit(self)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables of the result."""
        found = {
            "summary": self.summary, "payoffs": self.payoffs, "best_responses": self.best_responses, "steps": self.steps, "crossed": self.crossed,
            "by_position": self.by_position, "given_bid": self.given_bid, "bid_sums": self.bid_sums, "joint": self.joint.drop(columns="squares"),
            "calibration": self.calibration,
        }  # fmt: skip
        return found | ({"reliability": self.reliability, "pit": self.pit} if len(self.pit) else {})

    def text(self) -> str:
        """Return what was found as a person reads it."""
        from trickbench.studies.bids_telling import bids_text

        return bids_text(self)

    def figures(self) -> dict[str, Figure]:
        """Return the figures by name."""
        from trickbench.plotting.bids import bids_figures

        return bids_figures(self)

    def facts(self) -> dict[str, Any]:
        """Return what was found as JSON holds it."""
        tables = {name: json.loads(table.to_json(orient="records")) for name, table in self.tables().items() if name != "joint"}
        return {**self.study.as_dict(), **tables, "digest": self.digest}
