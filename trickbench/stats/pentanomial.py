"""Pairs of results in five categories: normalised Elo, and the likelihood ratio of two values of it.

A pair is one deal played with A and B exchanged; A's two results add up to 0, 1/2, 1, 3/2 or 2 points. Normalised Elo measures the mean in
standard deviations, so that a test of it takes as many pairs whatever the rate of ties (Van den Bergh, "Normalized Elo" and "Comments on
normalized Elo"): t = (mean - 1/2) / sd of one result, nElo = 800 / ln 10 t, where the variance of one result is twice that of a pair's mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.errors import UsageError
from trickbench.stats.distributions import check_level
from trickbench.stats.intervals import Estimate, normal_quantile

NELO = 800 / math.log(10)
"""Normalised Elo of t = 1: 347.4356."""
PAIRS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Mean result of a pair in each category."""
UNSEEN = 1e-3
"""Pairs that a category without any counts as (the value of fishtest and fastchess), for the likelihood to be finite."""


def pair_t(nelo: float) -> float:
    """Return (mean - 1/2) / sd of a pair's mean for a normalised Elo."""
    return math.sqrt(2) * nelo / NELO


def normalised_elo(counts: Any, level: float = 0.95) -> Estimate:
    """Return the normalised Elo of counted pairs with its interval.

    The interval is normal, with the variance of mean / sd by the delta method: (1 - s t + (k - 1) t^2 / 4) / n for a skewness s and a kurtosis
    k, which is 1 / n near equality.

    Parameters
    ----------
    counts : int[5]
        Pairs in which A had 0, 1/2, 1, 3/2, 2 points.
    level : float
        Confidence level.

    Returns
    -------
    Estimate
        ``sd`` is that of one pair, in nElo. Infinite, without an interval, if every pair is the same but for 1 point; 0 if all had 1 point.
    """
    check_level(level)
    seen = _five(counts)
    n = int(seen.sum())
    if n == 0:
        return Estimate(0, math.nan, math.nan, math.nan, math.nan)
    p = seen / n
    mean = float(p @ PAIRS)
    gaps = PAIRS - mean
    variance = float(p @ gaps**2)
    if variance == 0:
        return Estimate(n, 0.0 if mean == 0.5 else math.copysign(math.inf, mean - 0.5), math.nan, math.nan, math.nan)
    t = (mean - 0.5) / math.sqrt(variance)
    skewness, kurtosis = float(p @ gaps**3) / variance**1.5, float(p @ gaps**4) / variance**2
    scale = NELO / math.sqrt(2)
    sd = scale * math.sqrt(max(0.0, 1 - skewness * t + (kurtosis - 1) * t * t / 4))
    reach = normal_quantile(level) * sd / math.sqrt(n)
    return Estimate(n, scale * t, sd, scale * t - reach, scale * t + reach)


def _five(counts: Any) -> NDArray[np.int64]:
    """Return the counts of the five categories; raise UsageError if they are not."""
    seen = np.asarray(counts, np.int64)
    if seen.shape != (5,) or (seen < 0).any():
        raise UsageError("counts: give five numbers of pairs, those in which A had 0, 1/2, 1, 3/2 and 2 points")
    return seen


def pair_likelihood_ratio(counts: Any, nelo0: float, nelo1: float) -> NDArray[np.float64]:
    """Return ln of the likelihood ratio of two normalised Elos, each at its most likely distribution.

    Parameters
    ----------
    counts : int[..., 5]
        Pairs in each category; any number of such counts at once.
    nelo0, nelo1 : float
        The two hypotheses.

    Returns
    -------
    float64[...]
        Positive where ``nelo1`` is the likelier.
    """
    return likelihood_ratio(counts, PAIRS, pair_t(nelo0), pair_t(nelo1))


def likelihood_ratio(counts: Any, scores: NDArray[np.float64], t0: float, t1: float) -> NDArray[np.float64]:
    """Return ln of the likelihood ratio of two values of t = (mean - 1/2) / sd for results in categories with these scores.

    Parameters
    ----------
    counts : int[..., k]
    scores : float64[k]
        Score of each category.
    t0, t1 : float
    """
    seen = np.asarray(counts, np.float64)
    rows = np.where(seen == 0, UNSEEN, seen).reshape(-1, len(scores))
    shares = rows / rows.sum(axis=1, keepdims=True)
    ratio = np.log(_most_likely(shares, scores, t1)) - np.log(_most_likely(shares, scores, t0))
    return np.asarray((rows * ratio).sum(axis=1).reshape(seen.shape[:-1]))


def _most_likely(shares: NDArray[np.float64], scores: NDArray[np.float64], t: float) -> NDArray[np.float64]:
    """Return the most likely distributions with this t given the observed shares, a row each.

    Van den Bergh, "Comments on normalized Elo", section 4.1: with mean and sd held fixed, t is linear in the probabilities, and the most likely
    ones are shares / (1 + x phi). Mean and sd are then taken anew, ten times at most as in fishtest; each turn brings some three digits at the
    small t that tests are about. Each root is sought from the one before.
    """
    found, root = shares, np.zeros(len(shares))
    for _ in range(10):
        mean = (found @ scores)[:, None]
        gaps = scores - mean
        sd = np.sqrt((found * gaps**2).sum(axis=1, keepdims=True))
        phi = scores - 0.5 - t * sd * (1 + (gaps / sd) ** 2) / 2
        root = _secular_root(shares, phi, root)
        before, found = found, shares / (1 + root[:, None] * phi)
        if np.abs(found - before).max() < 1e-9:
            break
    return found


def _secular_root(shares: NDArray[np.float64], phi: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x with sum of shares phi / (1 + x phi) = 0, a root a row, by Newton's method kept inside its bracket."""
    low, high = -1 / phi.max(axis=1), -1 / phi.min(axis=1)
    x = np.where((start > low) & (start < high), start, 0.0)
    for _ in range(100):
        parts = phi / (1 + x[:, None] * phi)
        value, slope = (shares * parts).sum(axis=1), -(shares * parts**2).sum(axis=1)
        low, high = np.where(value > 0, x, low), np.where(value < 0, x, high)
        new = x - value / slope
        new = np.where((new > low) & (new < high), new, (low + high) / 2)
        moved = np.abs(new - x).max()
        x = new
        if moved < 1e-12:
            break
    return x
