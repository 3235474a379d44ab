"""Where a gain that rises with a probability is 0: from which probability on it pays to act."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trickbench.stats.distributions import student_quantile
from trickbench.stats.intervals import Estimate


def even_point(
    x: NDArray[np.float64], counts: NDArray[np.int64], gains: NDArray[np.int64], squares: NDArray[np.int64], level: float = 0.95
) -> Estimate:
    """Return the x at which a straight line through gains is 0.

    Least squares over single cases, of which counts, sums and sums of squares at each x are known. The interval is by the linear approximation of the
    ratio, with errors that may differ from x to x (White 1980).

    Parameters
    ----------
    x : float64[k]
        Two different ones at least.
    counts, gains, squares : int64[k]
        Cases at each x, the sum of their gains, and of the squares of these.
    level : float

    Returns
    -------
    Estimate
        ``n`` cases; ``sd`` is the standard error. NaN where the line does not cross 0, or nothing can be said.
    """
    n = int(counts.sum())
    nothing = Estimate(n, math.nan, math.nan, math.nan, math.nan)
    if len(x) < 2 or n < 3:
        return nothing
    table = np.stack([np.ones(len(x)), x], axis=1)
    information = (table * counts[:, None]).T @ table
    line = np.linalg.solve(information, table.T @ gains)
    if line[1] == 0:
        return nothing
    fitted = table @ line
    left = squares - 2 * fitted * gains + counts * fitted**2
    inverse = np.linalg.inv(information)
    covariance = inverse @ ((table * left[:, None]).T @ table) @ inverse
    point = -line[0] / line[1]
    slope = np.array([-1.0, -point]) / line[1]
    error = math.sqrt(max(0.0, float(slope @ covariance @ slope)))
    reach = student_quantile(level, n - 2) * error
    return Estimate(n, float(point), error, float(point - reach), float(point + reach))
