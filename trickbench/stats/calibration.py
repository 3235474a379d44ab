"""How good probabilities are: scores of forecasts, and whether what was said to happen so often did.

Two kinds of forecasts. Of an event, the probability that it happens: Brier score, reliability in bins. Of a whole number from 0 up, weights of all
its values: CRPS, logarithmic score, PIT. All scores are losses: less is better.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.errors import UsageError
from trickbench.stats.intervals import Estimate, rate_interval
from trickbench.stats.paired import paired_interval

TENTHS = np.linspace(0, 1, 11)
"""Edges of the bins that probabilities are sorted into unless told otherwise."""
FINE = 1 << 20
"""Scores of single cases are rounded to whole multiples of 1 / this, so that their sums do not depend on any order."""


class Brier(NamedTuple):
    """A Brier score and what it is made of: score = reliability - resolution + uncertainty + within."""

    score: Estimate
    """mean of (probability - outcome)^2 over the cases"""
    reliability: float
    """how far what was said is from what happened, bin by bin: 0 is perfectly calibrated"""
    resolution: float
    """how far what happened in the bins is from the overall rate: the more the better"""
    uncertainty: float
    """rate (1 - rate): the score of who always says the overall rate"""
    within: float
    """what forecasts of one bin differ; 0 without bins"""

    @property
    def skill(self) -> float:
        """Share of the uncertainty that the forecasts take away; NaN if the event always or never happens."""
        return 1 - self.score.mean / self.uncertainty if self.uncertainty else float("nan")


def _cases(probabilities: Any, hits: Any, counts: Any) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return probabilities, hits and counts as arrays; raise UsageError if they cannot be."""
    p, happened = np.asarray(probabilities, np.float64), np.asarray(hits, np.int64)
    n = np.ones(p.shape, np.int64) if counts is None else np.asarray(counts, np.int64)
    if p.ndim != 1 or p.shape != happened.shape or p.shape != n.shape:
        raise UsageError("probabilities, hits and counts: give rows of one length")
    if not ((p >= 0) & (p <= 1)).all():
        raise UsageError("probabilities: give numbers from 0 to 1")
    if ((happened < 0) | (happened > n)).any():
        raise UsageError("hits: an event happens no less than 0 times, and no more often than there are cases")
    return p, happened, n


def bin_of(probabilities: NDArray[np.float64], edges: NDArray[np.float64] = TENTHS) -> NDArray[np.int64]:
    """Return the number of each probability's bin: from an edge to below the next, the last to 1."""
    found: NDArray[np.int64] = np.clip(np.searchsorted(edges, probabilities, "right") - 1, 0, len(edges) - 2)
    return found


def reliability_bins(probabilities: Any, hits: Any, counts: Any = None, edges: NDArray[np.float64] = TENTHS, level: float = 0.95) -> pd.DataFrame:
    """Return how often an event happened where its probability was said to be about so much.

    Parameters
    ----------
    probabilities : float[k]
        As forecast.
    hits : int[k]
        How often the event happened: 0 or 1 for single cases.
    counts : int[k], optional
        How many cases each probability was forecast for; one unless told otherwise.
    edges : float64[bins + 1]
        Of the bins, ascending from 0 to 1.
    level : float
        Of the intervals.

    Returns
    -------
    DataFrame
        A row a bin that has cases: lower, upper (its edges), n (cases), predicted (mean probability), observed (rate), low, high (Wilson's interval
        of the rate, for independent cases).

    Raises
    ------
    UsageError
        For what is no probability or no number of hits.
    """
    p, happened, n = _cases(probabilities, hits, counts)
    bins, size = bin_of(p, edges), len(edges) - 1
    cases, events = (np.bincount(bins, weights, size).astype(np.int64) for weights in (n, happened))
    said = np.bincount(bins, p * n, size)
    rows = []
    for number in np.flatnonzero(cases):
        rate = rate_interval(int(events[number]), int(cases[number]), level)
        rows.append([edges[number], edges[number + 1], rate.n, said[number] / cases[number], rate.mean, rate.low, rate.high])
    return pd.DataFrame(rows, columns=["lower", "upper", "n", "predicted", "observed", "low", "high"])


def brier_score(probabilities: Any, hits: Any, counts: Any = None, edges: NDArray[np.float64] | None = None, level: float = 0.95) -> Brier:
    """Return the Brier score (Brier 1950) of forecasts of an event, with its decomposition (Murphy 1973).

    Parameters
    ----------
    probabilities, hits, counts
        As for :func:`reliability_bins`.
    edges : float64[bins + 1], optional
        Of bins in which forecasts are taken together; by default only equal ones are.
    level : float
        Of the score's interval, for independent cases.

    Notes
    -----
    With bins, Murphy's three terms of the mean forecasts are not the whole score: ``within`` is the rest, the variance of the forecasts within
    bins less twice their covariance with what happened (Stephenson, Coelho and Jolliffe 2008).
    """
    p, happened, n = _cases(probabilities, hits, counts)
    total = int(n.sum())
    losses = np.round(np.concatenate([(1 - p) ** 2, p**2]) * FINE).astype(np.int64)
    score = paired_interval(losses, np.concatenate([happened, n - happened]), level, 1 / FINE)
    if total == 0:
        return Brier(score, *[float("nan")] * 4)
    group = np.unique(p, return_inverse=True)[1] if edges is None else bin_of(p, edges)
    cases, events, said = (np.bincount(group, weights) for weights in (n, happened, p * n))
    kept = cases > 0
    cases, rates, means = cases[kept], events[kept] / cases[kept], said[kept] / cases[kept]
    rate = happened.sum() / total
    reliability = float((cases * (means - rates) ** 2).sum() / total)
    resolution = float((cases * (rates - rate) ** 2).sum() / total)
    uncertainty = float(rate * (1 - rate))
    exact = float((happened * (1 - p) ** 2 + (n - happened) * p**2).sum() / total)
    within = 0.0 if edges is None else exact - reliability + resolution - uncertainty
    return Brier(score, reliability, resolution, uncertainty, within)


def cumulative(weights: Any) -> NDArray[np.float64]:
    """Return the distribution functions of forecasts of a whole number.

    Parameters
    ----------
    weights : int or float[n, values]
        Of the values 0, 1, 2, ...; they need not sum to 1.

    Returns
    -------
    float64[n, values]
        P(number <= value); the last is 1.

    Raises
    ------
    UsageError
        For weights that are negative, not finite, or all 0.
    """
    given = np.asarray(weights, np.float64)
    if given.ndim != 2 or not np.isfinite(given).all() or (given < 0).any() or not (given.sum(axis=1) > 0).all():
        raise UsageError("weights: give rows of finite numbers from 0 up, in each at least one above 0")
    sums = np.cumsum(given, axis=1)
    found: NDArray[np.float64] = sums / sums[:, -1:]
    return found


def probability_of(distribution: NDArray[np.float64], values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability of one value for each row of distribution functions [n, values]."""
    rows = np.arange(len(values))
    below = np.where(values > 0, distribution[rows, np.maximum(values - 1, 0)], 0.0)
    found: NDArray[np.float64] = distribution[rows, values] - below
    return found


def crps(distribution: NDArray[np.float64], outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the ranked probability score of each forecast: the sum over k of (F(k) - 1[outcome <= k])^2.

    The discrete form of the CRPS (Epstein 1969; Gneiting and Raftery 2007), in the unit of the number forecast. That of a forecast of one value is
    the distance of the outcome from it.

    Parameters
    ----------
    distribution : float64[n, values]
        From :func:`cumulative`.
    outcomes : int64[n]
    """
    reached = np.arange(distribution.shape[1]) >= outcomes[:, None]
    found: NDArray[np.float64] = ((distribution - reached) ** 2).sum(axis=1)
    return found


def log_score(distribution: NDArray[np.float64], outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the logarithmic score of each forecast, -ln of the probability of what happened; infinite where that was 0."""
    chance = probability_of(distribution, outcomes)
    found: NDArray[np.float64] = np.full(len(chance), np.inf)
    found[chance > 0] = -np.log(chance[chance > 0])
    return found


def pit_shares(distribution: NDArray[np.float64], outcomes: NDArray[np.int64], bins: int = 10) -> NDArray[np.float64]:
    """Return which share of each bin of its PIT histogram each forecast fills, [n, bins]; a row sums to 1.

    The probability integral transform of a whole number is an interval, F(outcome - 1) to F(outcome), over which a case is spread evenly (Czado,
    Gneiting and Held 2009). Over calibrated forecasts every bin gets the same.
    """
    high = distribution[np.arange(len(outcomes)), outcomes]
    width = probability_of(distribution, outcomes)
    low = high - width
    edges = np.linspace(0, 1, bins + 1)
    # What happened with probability 0 is a point; it goes to the bin that it stands in, as if it were a narrow interval.
    span = np.maximum(width, 1e-12)
    start = np.minimum(low, 1 - span)
    filled = np.clip((edges[None, :] - start[:, None]) / span[:, None], 0, 1)
    filled[:, -1] = 1
    found: NDArray[np.float64] = np.diff(filled, axis=1)
    return found
