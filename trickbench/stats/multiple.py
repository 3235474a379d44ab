"""Many comparisons at once: p-values, and what is left of them and of intervals when a whole family must hold.

Holm for a ladder of agents, where no step may be wrong; Benjamini-Hochberg for a sweep of settings, where a stated share of the finds may be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.errors import UsageError
from trickbench.stats.distributions import check_level, student_p, student_quantile
from trickbench.stats.intervals import Estimate


def p_value(estimate: Estimate, against: float = 0.0) -> float:
    """Return the two-sided p-value of a mean by Student's t: how often so large a difference comes by chance if the true mean is ``against``.

    NaN with fewer than two observations; with a standard deviation of 0 it is 1 or 0.
    """
    if estimate.n < 2:
        return math.nan
    gap = estimate.mean - against
    if estimate.sd == 0:
        return float(gap == 0)
    return student_p(gap * math.sqrt(estimate.n) / estimate.sd, estimate.n - 1)


def _ordered(p_values: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return p-values and their ascending order; raise UsageError if they are none."""
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise UsageError("p-values: give a row of numbers from 0 to 1")
    return p, np.argsort(p, kind="stable")


def holm(p_values: Any) -> NDArray[np.float64]:
    """Return Holm's adjusted p-values (Holm 1979).

    Calling those at or below 5 % real errs even once in at most 5 % of families, whatever goes together with what.

    Parameters
    ----------
    p_values : float[m]

    Returns
    -------
    float64[m]
        In the order given.
    """
    p, order = _ordered(p_values)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return adjusted


def benjamini_hochberg(p_values: Any) -> NDArray[np.float64]:
    """Return adjusted p-values (q-values) of Benjamini and Hochberg (1995).

    Of those called real at or below 5 %, at most 5 % are expected not to be; for independent or positively related p-values.

    Parameters
    ----------
    p_values : float[m]

    Returns
    -------
    float64[m]
        In the order given.
    """
    p, order = _ordered(p_values)
    m = len(p)
    scaled = p[order] * m / np.arange(1, m + 1)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return adjusted


def simultaneous_intervals(estimates: Sequence[Estimate], level: float = 0.99) -> list[Estimate]:
    """Return the estimates with Student's intervals that all hold at once with this probability.

    Bonferroni's: each at 1 - (1 - level) / m. An interval that excludes 0 means that Holm rejects too; Holm may reject a few more, for which no
    two-sided interval of use exists (Strassburger and Bretz 2008).

    Parameters
    ----------
    estimates : sequence of Estimate
        Means over deals.
    level : float
        Of the family.
    """
    check_level(level)
    each = 1 - (1 - level) / max(len(estimates), 1)
    found = []
    for one in estimates:
        reach = student_quantile(each, one.n - 1) * one.sd / math.sqrt(one.n) if one.n > 1 else math.nan
        found.append(Estimate(one.n, one.mean, one.sd, one.mean - reach, one.mean + reach))
    return found


def family(names: Sequence[str], estimates: Sequence[Estimate], level: float = 0.99) -> pd.DataFrame:
    """Return a family of mean differences as a table.

    Columns: name, n, mean, sd, low, high (simultaneous), p, holm, fdr (Benjamini-Hochberg), real (Holm's p at or below 1 - level). Those without
    a p-value are left out of the adjustment.
    """
    wide = simultaneous_intervals(estimates, level)
    p = np.array([p_value(one) for one in estimates], np.float64)
    known = ~np.isnan(p)
    table = pd.DataFrame(wide, columns=list(Estimate._fields))
    table.insert(0, "name", list(names))
    for column, values in (("p", p[known]), ("holm", holm(p[known])), ("fdr", benjamini_hochberg(p[known]))):
        table[column] = np.nan
        table.loc[known, column] = values
    table["real"] = table["holm"] <= 1 - level
    return table
