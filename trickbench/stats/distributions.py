"""Normal and Student distributions from the standard library and numpy alone."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

from trickbench.errors import UsageError
from trickbench.stats.intervals import normal_quantile

MANY = 1000.0
"""Degrees of freedom from which Student's quantile is taken from its expansion about the normal one."""


def check_level(level: float) -> float:
    """Return a confidence level; raise UsageError unless it is between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"level: {level} is no confidence level; give a number between 0 and 1, such as 0.95")
    return level


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b).

    By its continued fraction, evaluated as Lentz does (Press et al. 2007, 6.4), on the side of the mean where it converges quickly.
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - math.log(a) - math.lgamma(a) - math.lgamma(b) + math.lgamma(a + b))
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d, c = 1 / (1 + step * d), 1 + step / c
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * value


def student_p(t: float, df: float) -> float:
    """Return the two-sided p-value of Student's t with ``df`` degrees of freedom."""
    if df <= 0:
        raise UsageError(f"df: {df} degrees of freedom; at least two observations are needed")
    if math.isinf(df):
        return normal_p(t)
    return incomplete_beta(df / (df + t * t), df / 2, 0.5)


def normal_p(z: float) -> float:
    """Return the two-sided p-value of a standard normal value."""
    return math.erfc(abs(z) / math.sqrt(2))


# Tables of intervals ask for the same few numbers again and again; one takes half a millisecond.
@lru_cache(maxsize=4096)
def student_quantile(level: float, df: float) -> float:
    """Return how many standard errors a two-sided interval reaches when the standard deviation has ``df`` degrees of freedom.

    Exact to 1e-8 (relative). Up to 1,000 degrees of freedom the root of the incomplete beta function by bisection; beyond, four terms of the
    expansion about the normal quantile (Abramowitz and Stegun 26.7.5), where the fifth is below 1e-9 for any level that is used.

    Parameters
    ----------
    level : float
        Confidence level: 2.2621... at 0.95 with 9 degrees of freedom.
    df : float
        Degrees of freedom, above 0.
    """
    check_level(level)
    if df <= 0:
        raise UsageError(f"df: {df} degrees of freedom; at least two observations are needed")
    if df > MANY:
        return _expanded_quantile(normal_quantile(level), df)
    low, high = 0.0, 1.0
    while student_p(high, df) > 1 - level:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if student_p(middle, df) > 1 - level else (low, middle)
    return (low + high) / 2


def _expanded_quantile(z: float, df: float) -> float:
    """Return Student's quantile for many degrees of freedom from the normal one."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / df ** (power + 1) for power, term in enumerate(terms))


def one_sided_quantile(probability: float) -> float:
    """Return the standard normal quantile of a probability: 0.8416 at 0.8."""
    if not 0 < probability < 1:
        raise UsageError(f"{probability} is no probability of a quantile; give a number between 0 and 1")
    return NormalDist().inv_cdf(probability)
