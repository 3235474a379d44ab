"""Means over cases that come in groups: several bids of one deal go together, so deals are the unit of evidence."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.stats.distributions import check_level, student_quantile
from trickbench.stats.intervals import Estimate


class Grouped(NamedTuple):
    """What is known of groups of cases: exact sums over the groups, of which each has n cases that come to t."""

    groups: int
    """with those that have no cases"""
    cases: int
    total: float
    """sum of t"""
    cases_squared: float
    """sum of n^2"""
    crossed: float
    """sum of n t"""
    total_squared: float
    """sum of t^2"""


def ratio_interval(sums: Grouped, level: float = 0.95, unit: float = 1.0) -> Estimate:
    """Return the mean of a case, where cases come in groups of different sizes, with an interval over groups.

    The ratio of two sums by its linear approximation: the variance of sum(t - m n), as in surveys (Cochran 1977, 6.3), with Student's quantile. With
    one case in every group it is the ordinary mean with Student's interval.

    Parameters
    ----------
    sums : Grouped
    level : float
    unit : float
        What 1 in ``total`` is worth.

    Returns
    -------
    Estimate
        ``n`` is the number of cases; ``sd`` is such that sd / sqrt(n) is the standard error.
    """
    check_level(level)
    if sums.cases == 0:
        return Estimate(0, math.nan, math.nan, math.nan, math.nan)
    mean = sums.total / sums.cases
    if sums.groups < 2:
        return Estimate(sums.cases, mean * unit, math.nan, math.nan, math.nan)
    left = max(0.0, sums.total_squared - 2 * mean * sums.crossed + mean * mean * sums.cases_squared)
    error = math.sqrt(left * sums.groups / (sums.groups - 1)) / sums.cases
    reach = student_quantile(level, sums.groups - 1) * error
    low, high = mean - reach, mean + reach
    return Estimate(sums.cases, mean * unit, error * math.sqrt(sums.cases) * unit, low * unit, high * unit)


def contrast(n: int, sums: NDArray[Any], products: NDArray[Any], weights: NDArray[Any], level: float = 0.95) -> Estimate:
    """Return the mean over deals of a weighted sum of quantities that were seen on the same deals, with Student's interval.

    Parameters
    ----------
    n : int
        Deals.
    sums : int64[k]
        Sum of each quantity over the deals.
    products : int64[k, k]
        Sums of products of two of them.
    weights : float[k]
        1 and -1 for the paired difference of two.
    level : float
    """
    check_level(level)
    some = np.flatnonzero(weights)
    own = np.asarray(weights, np.float64)[some]
    mean = float(own @ sums[some]) / n
    if n < 2:
        return Estimate(n, mean, math.nan, math.nan, math.nan)
    # Whole numbers until the last step: a small difference of large sums loses nothing.
    exact = np.array([[n * int(products[a, b]) - int(sums[a]) * int(sums[b]) for b in some] for a in some], np.float64)
    variance = max(0.0, float(own @ exact.reshape(len(some), len(some)) @ own)) / (n * (n - 1))
    sd = math.sqrt(variance)
    reach = student_quantile(level, n - 1) * sd / math.sqrt(n)
    return Estimate(n, mean, sd, mean - reach, mean + reach)
