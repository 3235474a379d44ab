"""Sequential tests: play until one of two stated edges is clearly the better explanation.

Wald's sequential probability ratio test with the likelihoods at their most likely other parameters. A test is told observations in order and
stops at the first deal at which it may; what comes after is ignored, so the answer does not depend on how the sequence is cut.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.errors import UsageError
from trickbench.stats.pentanomial import pair_likelihood_ratio

LOWER, UPPER, MOST = "lower", "upper", "most"
"""How a test ends: the lower hypothesis, the upper one, or the stated most observations without a decision."""
LEAST = 100
"""Observations before a test may stop. The standard deviation of a few scores is too small too often: rare large ones are not among them yet.
For Manille deals of paired agents (standard deviation 15, kurtosis 22), edges of 0 and 4, and 5 % stated, tests that may stop from the 10th deal
on miss the upper edge in 10 % of cases, from the 50th in 5.0 %, from the 100th in 3.2 %; for edges of 0 and 2 in 6.4, 6.9 and 5.4 %."""
CHUNK = 256
"""Pairs whose likelihoods are computed at once at first; twice as many each time after."""


class Bounds(NamedTuple):
    """Where the log-likelihood ratio stops a test."""

    lower: float
    upper: float


def sprt_bounds(alpha: float, beta: float) -> Bounds:
    """Return Wald's bounds: ln(beta / (1 - alpha)) and ln((1 - beta) / alpha).

    Parameters
    ----------
    alpha, beta : float
        Stated rates of the two errors: ending at the upper hypothesis when the lower holds, and the other way round.
    """
    for name, rate in (("alpha", alpha), ("beta", beta)):
        if not 0 < rate < 0.5:
            raise UsageError(f"{name}: {rate} is no error rate of a test; give a number between 0 and 0.5, such as 0.05")
    return Bounds(math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha))


class MarginState(NamedTuple):
    """What a test of margins knows: exact sums."""

    n: int = 0
    total: int = 0
    """sum of the observations, in units"""
    squares: int = 0
    """sum of their squares"""
    llr: float = 0.0
    """log-likelihood ratio of the upper hypothesis over the lower"""
    verdict: str = ""
    """empty until the test has ended: "lower", "upper" or "most" """


class PairState(NamedTuple):
    """What a test of pairs knows: counts of the five categories."""

    n: int = 0
    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    """pairs with 0, 1/2, 1, 3/2, 2 points"""
    llr: float = 0.0
    verdict: str = ""


@dataclass(frozen=True)
class SequentialTest:
    """What both tests have: two hypotheses, two error rates, a least and a most number of observations."""

    lower: float
    """the hypothesis that the lower bound stands for"""
    upper: float
    alpha: float = 0.05
    beta: float = 0.05
    least: int = LEAST
    most: int | None = None
    """observations after which the test ends without a decision; None: it goes on"""

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise UsageError(f"hypotheses: {self.lower:g} and {self.upper:g}; give two numbers, the lower first")
        sprt_bounds(self.alpha, self.beta)
        if self.least < 2:
            raise UsageError(f"least: {self.least} is too few for a standard deviation; give 2 or more")
        if self.most is not None and self.most < self.least:
            raise UsageError(f"most: {self.most} is below least, {self.least}; give as many or more")

    @property
    def bounds(self) -> Bounds:
        """Where the test stops."""
        return sprt_bounds(self.alpha, self.beta)

    def first_stop(self, before: int, llr: NDArray[np.float64]) -> tuple[int, str]:
        """Return where a test stops first, and how.

        Parameters
        ----------
        before : int
            Observations before those of ``llr``.
        llr : float64[k]
            Log-likelihood ratio after each observation.

        Returns
        -------
        (int, str)
            Position in ``llr`` (its last if the test goes on) and verdict.
        """
        n = np.arange(before + 1, before + len(llr) + 1)
        low, high = llr <= self.bounds.lower, llr >= self.bounds.upper
        ends = (low | high) & (n >= self.least)
        if self.most is not None:
            ends |= n >= self.most
        if not ends.any():
            return len(llr) - 1, ""
        at = int(ends.argmax())
        return at, UPPER if high[at] else LOWER if low[at] else MOST


@dataclass(frozen=True)
class MarginTest(SequentialTest):
    """Test of two edges in points a deal: ``lower`` against ``upper``.

    Observations are whole numbers of units. With a normal x_d whose standard deviation is unknown the ratio is
    n/2 ln[(v + (m - lower)^2) / (v + (m - upper)^2)], m and v the mean and variance so far; divided by v it is the usual
    n/2 ln[(1 + (t - t0)^2) / (1 + (t - t1)^2)].
    """

    unit: float = 1.0
    """points in one unit, as in ``paired_interval``"""

    def llr(self, n: Any, total: Any, squares: Any) -> NDArray[np.float64]:
        """Return the log-likelihood ratio of sums in units; 0 where there is nothing yet."""
        n = np.maximum(np.asarray(n, np.float64), 1)
        mean = np.asarray(total) / n
        variance = np.maximum(np.asarray(squares) / n - mean * mean, 0)
        # Equal observations that meet a hypothesis exactly have an infinite likelihood there: the limit, kept finite.
        away = [np.maximum(variance + (mean - edge / self.unit) ** 2, 1e-300) for edge in (self.lower, self.upper)]
        return np.asarray(n / 2 * np.log(away[0] / away[1]))

    def feed(self, state: MarginState, values: Any) -> MarginState:
        """Return the state after more observations, in order.

        Parameters
        ----------
        state : MarginState
            ``MarginState()`` at the start.
        values : int[k]
            x_d of the next deals, in units.
        """
        x = np.asarray(values, np.int64)
        if state.verdict or not len(x):
            return state
        total, squares = state.total + np.cumsum(x), state.squares + np.cumsum(x * x)
        llr = self.llr(np.arange(state.n + 1, state.n + len(x) + 1), total, squares)
        at, verdict = self.first_stop(state.n, llr)
        return MarginState(state.n + at + 1, int(total[at]), int(squares[at]), float(llr[at]), verdict)

    def moments(self, state: MarginState) -> tuple[float, float]:
        """Return the mean and standard deviation so far, in points."""
        mean = state.total / state.n
        return mean * self.unit, math.sqrt(max(state.squares / state.n - mean * mean, 0.0)) * self.unit


@dataclass(frozen=True)
class PairTest(SequentialTest):
    """Test of two normalised Elos on pairs: ``lower`` against ``upper`` (the pentanomial test of fishtest and fastchess)."""

    def feed(self, state: PairState, categories: Any) -> PairState:
        """Return the state after more pairs, in order.

        Parameters
        ----------
        state : PairState
            ``PairState()`` at the start.
        categories : int[k]
            Twice A's points in each of the next pairs: 0 to 4.
        """
        pairs = np.asarray(categories, np.int64)
        if ((pairs < 0) | (pairs > 4)).any():
            raise UsageError("categories: a pair of results is one of 0 to 4, twice its points")
        done, width = 0, CHUNK
        while done < len(pairs) and not state.verdict:
            state = self._feed(state, pairs[done : done + width])
            done, width = done + width, 2 * width
        return state

    def _feed(self, state: PairState, pairs: NDArray[np.int64]) -> PairState:
        """Return the state after some pairs, all of whose likelihoods are computed."""
        counts = np.asarray(state.counts) + np.cumsum(pairs[:, None] == np.arange(5), axis=0)
        llr = np.zeros(len(pairs))
        skipped = min(max(self.least - 1 - state.n, 0), len(pairs) - 1)
        llr[skipped:] = pair_likelihood_ratio(counts[skipped:], self.lower, self.upper)
        at, verdict = self.first_stop(state.n, llr)
        a, b, c, d, e = (int(count) for count in counts[at])
        return PairState(state.n + at + 1, (a, b, c, d, e), float(llr[at]), verdict)
