"""The paired design: intervals over deals that were played in all seatings, what pairing saves, how many deals an edge takes.

One observation is one deal, x_d: with A and B exchanged over the same cards, half the sum of A's two results. The plays of a deal go together,
so an interval over plays would be wrong; over deals it holds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.errors import UsageError
from trickbench.stats.distributions import check_level, one_sided_quantile, student_quantile
from trickbench.stats.intervals import Estimate, mean_interval, normal_quantile

METHODS = ("bca", "percentile")


def paired_interval(values: NDArray[np.int64], counts: NDArray[np.int64], level: float = 0.95, unit: float = 1.0) -> Estimate:
    """Return the mean of counted integer values with Student's interval.

    Parameters
    ----------
    values, counts : int64[k]
        Each x_d, in units, and how many deals had it.
    level : float
        Confidence level.
    unit : float
        Points in one unit. Halves of points stay exact as integers: ``unit=0.5`` for the sums of the two results of a Manille deal.

    Returns
    -------
    Estimate
        In points; NaN where there is nothing to estimate it from.
    """
    check_level(level)
    plain = mean_interval(values, counts, level)
    n, mean, sd = plain.n, plain.mean * unit, plain.sd * unit
    if n < 2:
        return Estimate(n, mean, math.nan, math.nan, math.nan)
    reach = student_quantile(level, n - 1) * sd / math.sqrt(n)
    return Estimate(n, mean, sd, mean - reach, mean + reach)


def bootstrap_interval(
    values: NDArray[np.int64],
    counts: NDArray[np.int64],
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
    unit: float = 1.0,
    method: str = "bca",
) -> Estimate:
    """Return the mean of counted integer values with a bootstrap interval over deals.

    A resample of n deals is a multinomial draw of the histogram. Draws come from Philox with the seed, and from nothing else.

    Parameters
    ----------
    values, counts, level, unit
        As for ``paired_interval``.
    draws : int
        Resamples.
    seed : int
        Of the resamples.
    method : str
        "percentile", or "bca": corrected for bias and for the standard error that changes with the mean (Efron 1987), which skewed scores need.

    Notes
    -----
    Measured: below some hundred deals Student's interval covers better than either; the bootstrap is the check on it, not its better.
    """
    if method not in METHODS:
        raise UsageError(f"method: '{method}' is no bootstrap interval; give one of: {', '.join(METHODS)}")
    plain = paired_interval(values, counts, level, unit)
    if plain.n < 2:
        return plain
    held = counts > 0
    seen, n = values[held], plain.n
    draw = np.random.Generator(np.random.Philox(seed))
    means = draw.multinomial(n, counts[held] / n, size=draws) @ seen * (unit / n)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        tails = _corrected_tails(tails, means, plain, seen * unit, counts[held])
    low, high = np.quantile(means, tails)
    return Estimate(n, plain.mean, plain.sd, float(low), float(high))


def _corrected_tails(
    tails: NDArray[np.float64], means: NDArray[Any], plain: Estimate, seen: NDArray[Any], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the tails of Efron's BCa interval; the acceleration of a mean is its skewness / 6."""
    if plain.sd == 0:
        return tails
    # Means of integers repeat: those that meet the mean itself (up to rounding) count half.
    gap, near = means - plain.mean, 1e-9 * plain.sd
    below = (np.count_nonzero(gap < -near) + np.count_nonzero(np.abs(gap) <= near) / 2) / len(means)
    bias = one_sided_quantile(min(max(below, 0.5 / len(means)), 1 - 0.5 / len(means)))
    deviations = seen - plain.mean
    acceleration = float((counts * deviations**3).sum()) / (6 * float((counts * deviations**2).sum()) ** 1.5)
    shifted = [bias + one_sided_quantile(tail) for tail in tails]
    z = [bias + value / max(1 - acceleration * value, 1e-9) for value in shifted]
    return np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in z])


def saved_by_pairing(sd_single: float, sd_paired: float, seatings: int = 2) -> float:
    """Return how many times as many plays independent deals need for the interval that the paired design gives.

    A deal costs ``seatings`` plays and its x_d has variance sd_paired^2, so the factor is sd_single^2 / (seatings sd_paired^2). Above 1, pairing
    pays; at 1 the plays of a deal are as good as independent.

    Parameters
    ----------
    sd_single : float
        Standard deviation of one play's result.
    sd_paired : float
        Of x_d, the mean over the seatings of one deal.
    seatings : int
        Plays of a deal: 2 for two sides, 6 for three agents in three seats.
    """
    if sd_paired <= 0:
        return math.inf if sd_single > 0 else math.nan
    return sd_single**2 / (seatings * sd_paired**2)


def _reach(power: float, level: float) -> float:
    """Return how many standard errors an edge must be for a two-sided test of this level to see it with this probability."""
    if not 0.5 <= power < 1:
        raise UsageError(f"power: {power} is no power to plan for; give a number from 0.5 to below 1, such as 0.8")
    return normal_quantile(check_level(level)) + one_sided_quantile(power)


def deals_for(edge: float, sigma: float, power: float = 0.8, level: float = 0.95) -> int:
    """Return how many deals it takes to see an edge: ((z_level + z_power) sigma / edge)^2, rounded up.

    Parameters
    ----------
    edge : float
        Points a deal, other than 0.
    sigma : float
        Standard deviation of x_d.
    power : float
        Probability that the interval of ``level`` will exclude 0 when the edge is as stated.
    level : float
        Of the two-sided interval.
    """
    reach = _reach(power, level)
    if edge == 0 or not math.isfinite(edge):
        raise UsageError(f"edge: no number of deals shows an edge of {edge:g} points; give one other than 0")
    if not (sigma > 0 and math.isfinite(sigma)):
        raise UsageError(f"sigma: {sigma:g} is no standard deviation; give a number above 0")
    return max(2, math.ceil((reach * sigma / edge) ** 2))


def edge_for(deals: int, sigma: float, power: float = 0.8, level: float = 0.95) -> float:
    """Return the smallest edge, in points a deal, that so many deals show with this power: the inverse of ``deals_for``."""
    if deals < 2:
        raise UsageError(f"deals: {deals} is too few for an interval; give 2 or more")
    return _reach(power, level) * sigma / math.sqrt(deals)
