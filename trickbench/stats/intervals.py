"""Intervals for means and rates from exact counts."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Estimate(NamedTuple):
    """A mean with its denominator and interval."""

    n: int
    """observations"""
    mean: float
    sd: float
    """standard deviation of one observation"""
    low: float
    high: float


def normal_quantile(level: float) -> float:
    """Return how many standard errors a two-sided interval of this level reaches: 1.96 at 0.95."""
    return NormalDist().inv_cdf(0.5 + level / 2)


def mean_interval(values: NDArray[np.int64], counts: NDArray[np.int64], level: float = 0.95) -> Estimate:
    """Return the mean of counted integer values with a normal interval.

    The sums are exact integers, so the result does not depend on the order of anything.

    Parameters
    ----------
    values, counts : int64[k]
        Each value and how often it was seen.
    level : float
        Confidence level.
    """
    return sums_interval(int(counts.sum()), int((values * counts).sum()), int((values * values * counts).sum()), level)


def sums_interval(n: int, total: int, squares: int, level: float = 0.95) -> Estimate:
    """Return the mean of integer values, of which the sum and the sum of the squares are known, with a normal interval.

    Parameters
    ----------
    n, total, squares : int
        How many values, their sum, the sum of their squares.
    level : float
        Confidence level.
    """
    if n == 0:
        return Estimate(0, math.nan, math.nan, math.nan, math.nan)
    mean = total / n
    if n == 1:
        return Estimate(1, mean, math.nan, math.nan, math.nan)
    sd = math.sqrt(max(0, n * squares - total * total) / (n * (n - 1)))
    reach = normal_quantile(level) * sd / math.sqrt(n)
    return Estimate(n, mean, sd, mean - reach, mean + reach)


def rate_interval(hits: int, n: int, level: float = 0.95) -> Estimate:
    """Return a rate with Wilson's score interval (Wilson 1927), which stays inside 0..1 and holds at 0 and 1.

    Parameters
    ----------
    hits, n : int
        How often, of how many.
    level : float
        Confidence level.
    """
    if n == 0:
        return Estimate(0, math.nan, math.nan, math.nan, math.nan)
    z, p = normal_quantile(level), hits / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if hits == 0 else max(0.0, middle - reach)
    high = 1.0 if hits == n else min(1.0, middle + reach)
    return Estimate(n, p, math.sqrt(p * (1 - p)), low, high)
