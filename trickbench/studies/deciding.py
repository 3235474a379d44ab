"""When a duel is decided: the sequential test it is stopped by, told from a duel's totals, and what is said of the result.

A test looks at deals in order and stops at the first one it may; what came after is not counted. So the result depends neither on threads
nor on the pieces in which deals are played.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from trickbench.errors import UsageError, unknown
from trickbench.games.game import Game
from trickbench.stats.intervals import Estimate, normal_quantile
from trickbench.stats.pentanomial import normalised_elo, pair_likelihood_ratio
from trickbench.stats.sequential import LOWER, MOST, UPPER, MarginState, MarginTest, PairState, PairTest
from trickbench.stats.stopping import edge_after, nelo_after
from trickbench.studies.seatings import DEAL, Seen, scale_of

MARGIN, PENTANOMIAL = "margin", "pentanomial"
TESTS = {MARGIN: (0.0, 0.5), PENTANOMIAL: (0.0, 5.0)}
"""The hypotheses of each test where none are given: points a deal, normalised Elo."""
ERRORS = (0.05, 0.05)
RULE_KEYS = ("test", "low", "high", "alpha", "beta")


class Rule(NamedTuple):
    """A sequential test.

    Attributes
    ----------
    test : str
        "margin": the edge in points a deal. "pentanomial": wins of pairs of plays, in normalised Elo (Manille).
    low, high : float, optional
        H0 and H1; by default 0 and 0.5 points, or 0 and 5 normalised Elo.
    alpha, beta : float
        How often H1 may be taken when H0 holds, and H0 when H1 holds.
    """

    test: str = MARGIN
    low: float | None = None
    high: float | None = None
    alpha: float = ERRORS[0]
    beta: float = ERRORS[1]

    @property
    def pentanomial(self) -> bool:
        """True for the test of pairs."""
        return self.test == PENTANOMIAL

    @property
    def edges(self) -> tuple[float, float]:
        """H0 and H1."""
        low, high = TESTS[self.test]
        return low if self.low is None else self.low, high if self.high is None else self.high

    @property
    def unit(self) -> str:
        """What the hypotheses are measured in."""
        return "normalised Elo" if self.pentanomial else "points a deal"

    def as_dict(self) -> dict[str, Any]:
        """Return the rule as manifests and experiments hold it."""
        return {"test": self.test, "low": self.edges[0], "high": self.edges[1], "alpha": self.alpha, "beta": self.beta}


def read_rule(said: Any) -> Rule:
    """Return the rule that an experiment or a caller says: True, a table, or a rule.

    Raises
    ------
    UsageError
        For anything else, and for hypotheses and error rates that cannot be.
    """
    if said is True:
        said = {}
    if isinstance(said, Rule):
        said = said._asdict()
    if not isinstance(said, dict):
        raise UsageError(f"until_decided cannot be {said!r}; true, or a table with {', '.join(RULE_KEYS)}, would be right")
    for key, value in said.items():
        if key not in RULE_KEYS:
            raise unknown("key", key, RULE_KEYS, "until_decided")
        if key != "test" and value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise UsageError(f"until_decided: {key} cannot be {value!r}; a number would be right")
    rule = Rule(**said)
    if rule.test not in TESTS:
        raise unknown("test", rule.test, TESTS, "until_decided")
    _margin(rule, 1)
    return rule


def _margin(rule: Rule, scale: int) -> MarginTest:
    low, high = rule.edges
    return MarginTest(low, high, rule.alpha, rule.beta, unit=1 / scale)


def _pairs(rule: Rule) -> PairTest:
    low, high = rule.edges
    return PairTest(low, high, rule.alpha, rule.beta)


def _sums(total: pd.DataFrame | None) -> tuple[int, int, int]:
    """Return how many deals a duel's totals have, and the sums of x and of its square."""
    if total is None:
        return 0, 0, 0
    rows = total[total["what"] == DEAL]
    x, counts = rows["x"].to_numpy(np.int64), rows["count"].to_numpy(np.int64)
    return int(counts.sum()), int((x * counts).sum()), int((x * x * counts).sum())


def _categories(total: pd.DataFrame | None) -> tuple[int, int, int, int, int]:
    """Return how many pairs of a duel's totals have 0, 1/2, 1, 3/2, 2 points."""
    if total is None:
        return (0, 0, 0, 0, 0)
    rows = total[total["what"] == DEAL]
    counts = np.bincount(2 * rows["wins"] + rows["ties"], weights=rows["count"], minlength=5)
    a, b, c, d, e = (int(count) for count in counts)
    return a, b, c, d, e


def first_stop(rule: Rule, game: Game, before: pd.DataFrame | None, seen: Seen) -> int | None:
    """Return how many of some deals a test takes before it stops; None if it goes on.

    Parameters
    ----------
    rule : Rule
    game : Game
    before : DataFrame or None
        Totals of all earlier deals.
    seen : Seen
        The next deals, in order.
    """
    if rule.pentanomial:
        counts = _categories(before)
        found = _pairs(rule).feed(PairState(sum(counts), counts), 2 * seen.wins + seen.ties)
        return found.n - sum(counts) if found.verdict else None
    n, total, squares = _sums(before)
    state = _margin(rule, scale_of(game).deal).feed(MarginState(n, total, squares), seen.x)
    return state.n - n if state.verdict else None


def _standing(rule: Rule, game: Game, total: pd.DataFrame) -> tuple[MarginTest | PairTest, MarginState | PairState]:
    """Return a rule's test, and how it stands after a duel's totals; its verdict is "" if it goes on."""
    if rule.pentanomial:
        pairs, counts = _pairs(rule), _categories(total)
        llr = float(pair_likelihood_ratio(np.array(counts), pairs.lower, pairs.upper))
        return pairs, PairState(sum(counts), counts, llr, pairs.first_stop(sum(counts) - 1, np.array([llr]))[1])
    margin, sums = _margin(rule, scale_of(game).deal), _sums(total)
    llr = float(margin.llr(*sums))
    return margin, MarginState(*sums, llr, margin.first_stop(sums[0] - 1, np.array([llr]))[1])


def is_over(rule: Rule, game: Game, total: pd.DataFrame) -> bool:
    """Return True if the test has decided."""
    return bool(_standing(rule, game, total)[1].verdict)


class Decision(NamedTuple):
    """How a sequential test ended, and what is known of the effect then."""

    rule: Rule
    verdict: str
    """LOWER (H0), UPPER (H1), or MOST: not decided after the most deals"""
    n: int
    llr: float
    bounds: tuple[float, float]
    naive: Estimate
    """in the rule's unit: the plain estimate, biased by the stopping"""
    corrected: Estimate
    """median-unbiased, with an interval that holds for a test that stops"""

    def lines(self) -> list[str]:
        """Return what a person reads."""
        low, high = self.rule.edges
        said = {LOWER: f"H0: {low:g}", UPPER: f"H1: {high:g}", MOST: "nothing, the most deals were played"}[self.verdict]
        about = f"{self.rule.test} test of {low:g} against {high:g} {self.rule.unit}, errors {self.rule.alpha:g} and {self.rule.beta:g}"
        span = f"{self.corrected.low:.3f} .. {self.corrected.high:.3f}"
        return [
            f"{about}: decided for {said} (LLR {self.llr:.2f}, bounds {self.bounds[0]:.2f} and {self.bounds[1]:.2f}) after {self.n:,} deals",
            f"stopped estimates are biased: plain {self.naive.mean:.3f}, corrected for stopping {self.corrected.mean:.3f} ({span}) {self.rule.unit}",
        ]

    def facts(self) -> dict[str, Any]:
        """Return the decision as JSON holds it."""
        numbers = {"naive": self.naive._asdict(), "corrected": self.corrected._asdict()}
        return {"rule": self.rule.as_dict(), "verdict": self.verdict, "deals": self.n, "llr": self.llr, "bounds": list(self.bounds), **numbers}


def decision(rule: Rule, game: Game, total: pd.DataFrame) -> Decision:
    """Return how a duel's test ended, from its totals."""
    test, state = _standing(rule, game, total)
    if isinstance(test, PairTest) and isinstance(state, PairState):
        found, sd = nelo_after(test, state), normalised_elo(state.counts).sd
    else:
        assert isinstance(test, MarginTest)
        assert isinstance(state, MarginState)
        found, sd = edge_after(test, state), test.moments(state)[1]
    reach = normal_quantile(0.95) * sd / state.n**0.5
    naive = Estimate(state.n, found.naive, sd, found.naive - reach, found.naive + reach)
    corrected = Estimate(state.n, found.median, sd, found.low, found.high)
    return Decision(rule, state.verdict or MOST, state.n, state.llr, (test.bounds.lower, test.bounds.upper), naive, corrected)
