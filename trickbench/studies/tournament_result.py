"""What a tournament found, computed from its totals: payoffs of pairs, ratings, equilibrium, all with intervals."""

from __future__ import annotations

import json
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.stats.intervals import Estimate, normal_quantile
from trickbench.stats.multiple import family
from trickbench.stats.ratings import Rated, rated_pairs, rated_triples, rating_table
from trickbench.stats.solution import alpha_rank, alpha_rank_three, nash_average
from trickbench.studies.duel_result import counted_mean
from trickbench.studies.seatings import DEAL, scale_of
from trickbench.studies.study import Result
from trickbench.studies.threes import GAP, LEAD, OWN, PAIRS_OF_THREE, THREES, kinds_of_orders, weights_of_orders

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trickbench.studies.tournaments import Tournament

THREES_UNIT = len(THREES)
"""Seatings of three agents: differences of their scores are added over these."""
PAIR_KINDS = [[wins, ties, 2 - wins - ties] for wins in range(3) for ties in range(3 - wins)]
"""What a deal in both seatings can be: wins of the first, ties, wins of the second."""
DRAWS = 500
"""Resamples for the intervals of ratings."""


def _results(table: pd.DataFrame) -> list[int]:
    """Return how many deals of a pairing were of each of :data:`PAIR_KINDS`."""
    deals = table[table["what"] == DEAL]
    return [int(deals.loc[(deals["wins"] == wins) & (deals["ties"] == ties), "count"].sum()) for wins, ties, _ in PAIR_KINDS]


class TournamentResult(Result):
    """The result of :func:`trickbench.tournament`; a part of it is a pairing."""

    study: Tournament

    def __init__(self, study: Tournament, totals: dict[str, pd.DataFrame]) -> None:
        super().__init__(study, totals)
        self.names = study.names
        self.by_pairing = dict(zip(study.pairings(), totals.values(), strict=True))

    def __repr__(self) -> str:
        return f"<TournamentResult of {len(self.names)} agents in {self.study.game.described()}, {self.study.deals:,} deals a pairing>"

    @cached_property
    def payoffs(self) -> pd.DataFrame:
        """One row for two different agents.

        Columns: row, column, n (deals), mean (points a deal that the row's has more), sd, low, high (95 %), p_holm (that it is 0, adjusted for all
        pairs). In Manchego the mean over all threes that both are in, each with the same weight.
        """
        pairs = list(combinations(range(len(self.names)), 2))
        adjusted = family([""] * len(pairs), [self.payoff(*pair) for pair in pairs])["holm"]
        rows = []
        for (one, other), p in zip(pairs, adjusted, strict=True):
            rows.append([self.names[one], self.names[other], *self.payoff(one, other), p])
            rows.append([self.names[other], self.names[one], *self.payoff(other, one), p])
        return pd.DataFrame(rows, columns=["row", "column", "n", "mean", "sd", "low", "high", "p_holm"])

    def payoff(self, one: int, other: int) -> Estimate:
        """Return what one agent has more than another, points a deal."""
        if one > other:
            found = self.payoff(other, one)
            return Estimate(found.n, -found.mean, found.sd, -found.high, -found.low)
        if self.study.size == 2:
            table, unit = self.by_pairing[one, other], scale_of(self.study.game).deal
            deals = table[table["what"] == DEAL]
            return counted_mean(deals["x"], deals["count"], unit)
        met = [three for three in self.by_pairing if one in three and other in three]
        pairs = [PAIRS_OF_THREE.index((three.index(one), three.index(other))) for three in met]
        return mean_of_independent([self._of_three(three, pair) for three, pair in zip(met, pairs, strict=True)])

    def _of_three(self, three: tuple[int, ...], which: int, unit: int = THREES_UNIT) -> Estimate:
        """Return the mean of one of the quantities that a table of three counts."""
        table = self.by_pairing[three]
        rows = table[(table["what"] == GAP) & (table["a"] == which)]
        return counted_mean(rows["b"], rows["count"], unit)

    def edge(self, agent: int) -> Estimate:
        """Return what an agent has more than the others at its table, points a deal, mean over all pairings that it is in."""
        if self.study.size == 2:
            return mean_of_independent([self.payoff(agent, other) for other in range(len(self.names)) if other != agent])
        met = [three for three in self.by_pairing if agent in three]
        return mean_of_independent([self._of_three(three, LEAD + three.index(agent), 2 * THREES_UNIT) for three in met])

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """[agents, agents]: points a deal that the row's agent has more than the column's; antisymmetric, 0 on the diagonal."""
        agents = range(len(self.names))
        return np.array([[0.0 if one == other else self.payoff(one, other).mean for other in agents] for one in agents])

    @cached_property
    def alpha_ranks(self) -> NDArray[np.float64]:
        """Share of the time (of seats, in Manchego) that each agent holds where payoffs select; in Manchego among threes of different agents."""
        if self.study.size == 2:
            return alpha_rank(self.matrix).mass
        cube = np.full((len(self.names),) * 3, np.nan)
        for three in self.by_pairing:
            for who, (one, other) in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1))):
                score = self._of_three(three, OWN + who).mean
                cube[three[who], three[one], three[other]] = cube[three[who], three[other], three[one]] = score
        return alpha_rank_three(cube).mass

    @cached_property
    def rated(self) -> Rated:
        """Strengths by maximum likelihood, the anchor's 0, with bootstrap intervals over deals.

        Manille: Bradley-Terry with Davidson's ties on the plays. Manchego: Plackett-Luce on the orders of scores; of agents with equal scores
        every order counts its share.
        """
        agents, anchor = len(self.names), self.study.anchored
        pairings = list(self.by_pairing)
        if self.study.size == 2:
            return rated_pairs(pairings, [_results(table) for table in self.by_pairing.values()], PAIR_KINDS, agents, anchor, draws=DRAWS)
        kinds = [kinds_of_orders(table) for table in self.by_pairing.values()]
        every = np.unique(np.concatenate([numbers for numbers, _ in kinds]))
        counts = np.zeros((len(kinds), len(every)), np.int64)
        for row, (numbers, seen) in zip(counts, kinds, strict=True):
            row[np.searchsorted(every, numbers)] = seen
        return rated_triples(pairings, counts, weights_of_orders(every), agents, anchor, draws=DRAWS)

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """One row an agent, the best first.

        Columns: agent; rating, low, high (logarithm of strength, 95 %); elo, elo_low, elo_high; edge, edge_low, edge_high (points a deal more than
        the others at its table); alpha_rank (share of the time); Manille also nash (share in the maximum-entropy equilibrium), nash_edge (points a
        deal against it).
        """
        edges = [self.edge(agent) for agent in range(len(self.names))]
        spans = {"edge": [e.mean for e in edges], "edge_low": [e.low for e in edges], "edge_high": [e.high for e in edges]}
        table = pd.DataFrame({"agent": self.names, **spans, "alpha_rank": self.alpha_ranks})
        if self.study.size == 2:
            table["nash"], table["nash_edge"] = nash_average(self.matrix)
        return rating_table(self.names, self.rated).merge(table, on="agent")

    @cached_property
    def timed(self) -> pd.DataFrame:
        """The ratings with the ``microseconds`` that an agent takes to choose a card here and now: the one thing that another run gives otherwise."""
        from trickbench.checking import Timer

        own = dict(zip(self.names, self.study.agents, strict=True))
        taken = [Timer(self.study.game, own[str(name)]).time("play") / 1000 for name in self.ratings["agent"]]
        return self.ratings.assign(microseconds=taken)

    @property
    def summary(self) -> pd.DataFrame:
        """The ratings."""
        return self.ratings

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables of the result."""
        return {"payoffs": self.payoffs, "ratings": self.ratings}

    def text(self) -> str:
        """Return what was found as a person reads it."""
        from trickbench.studies.telling import tournament_text

        return tournament_text(self)

    def figures(self) -> dict[str, Figure]:
        """Return the figures by name."""
        from trickbench.plotting.tournaments import tournament_figures

        return tournament_figures(self)

    def facts(self) -> dict[str, Any]:
        """Return what was found as JSON holds it."""
        tables = {name: json.loads(table.to_json(orient="records")) for name, table in self.tables().items()}
        return {**self.study.as_dict(), "pairings": len(self.by_pairing), **tables, "digest": self.digest}


def mean_of_independent(found: list[Estimate], level: float = 0.95) -> Estimate:
    """Return the mean of independent estimates, each with the same weight; ``sd`` is that of one deal in each."""
    n = sum(one.n for one in found)
    mean = sum(one.mean for one in found) / len(found)
    variance = sum(one.sd**2 / one.n for one in found) / len(found) ** 2
    reach = normal_quantile(level) * variance**0.5
    return Estimate(n, mean, (variance * n) ** 0.5, mean - reach, mean + reach)
