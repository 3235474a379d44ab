"""Maximum likelihood for choices among a few alternatives, of many data sets at once, and which agents results can be compared.

Bradley-Terry, Davidson's ties and Plackett-Luce are all of one form: an alternative is chosen with probability proportional to exp(x . theta),
its features x known (a multinomial logit). The likelihood is concave; Newton's method finds its top in a handful of steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.errors import RunError

STEPS = 200
AT_ONCE = 64
"""Data sets fitted together: enough to share the overhead, few enough to stay in the cache."""


class Choices(NamedTuple):
    """Choice situations of one size, and how often each alternative was chosen in each data set."""

    features: NDArray[np.float64]
    """[situations, alternatives, parameters]"""
    counts: NDArray[np.float64]
    """[data sets, situations, alternatives]"""
    open: NDArray[np.bool_]
    """[data sets, situations, alternatives]: whether the alternative was to be had"""

    def only(self, some: Any) -> Choices:
        """Return those data sets."""
        return Choices(self.features, self.counts[some], self.open[some])


def most_likely(blocks: list[Choices], gauge: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the most likely parameters of each data set.

    Parameters
    ----------
    blocks : list of Choices
        The likelihood is the product over all their situations.
    gauge : float64[data sets, parameters, parameters]
        Added to the information matrix, to make it regular: the outer product of a direction in which the likelihood does not change with itself.
        The answer has no part in that direction.

    Returns
    -------
    float64[data sets, parameters]

    Raises
    ------
    RunError
        If the top is not found, as where there is none.
    """
    parts = [slice(start, start + AT_ONCE) for start in range(0, len(gauge), AT_ONCE)]
    return np.concatenate([_climb([block.only(part) for block in blocks], gauge[part]) for part in parts])


def _climb(blocks: list[Choices], gauge: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the top of the likelihood by Newton's method with halved steps where it would fall."""
    theta = np.zeros(gauge.shape[:2])
    height, slope, information = _look(blocks, theta)
    for _ in range(STEPS):
        step = np.linalg.solve(information + gauge, slope[..., None])[..., 0]
        # Far from the top the quadratic is no guide; e^2 at a time is.
        step *= np.minimum(1, 2 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        for _ in range(40):
            new = _look(blocks, theta + step)
            worse = new[0] < height - 1e-9 * np.abs(height)
            if not worse.any():
                break
            step[worse] /= 2
        theta = theta + step
        height, slope, information = new
        if np.abs(step).max() < 1e-9:
            return theta
    raise RunError("ratings: the likelihood has no top that can be found; a prior gives it one (prior=1)")


def _look(blocks: list[Choices], theta: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-likelihood of each data set, its slope, and the information matrix."""
    sets, size = theta.shape
    height, slope, information = np.zeros(sets), np.zeros((sets, size)), np.zeros((sets, size, size))
    for features, counts, is_open in blocks:
        flat = features.reshape(-1, size)
        utility = np.where(is_open, (theta @ flat.T).reshape(counts.shape), -np.inf)
        utility = utility - utility.max(axis=2, keepdims=True)
        shares = np.exp(utility)
        total = shares.sum(axis=2, keepdims=True)
        shares = shares / total
        height += (counts * (np.where(is_open, utility, 0.0) - np.log(total))).sum(axis=(1, 2))
        played = counts.sum(axis=2, keepdims=True)
        slope += (counts - played * shares).reshape(sets, -1) @ flat
        squares = (flat[:, :, None] * flat[:, None, :]).reshape(len(flat), -1)
        means = np.einsum("dtk,tkp->dtp", shares, features, optimize=True)
        information += ((played * shares).reshape(sets, -1) @ squares).reshape(sets, size, size) - (played * means).transpose(0, 2, 1) @ means
    return height, slope, information


def reached(ahead: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return who is ahead of whom along any chain of results, oneself included.

    Parameters
    ----------
    ahead : bool[..., n, n]
        Whether i was ahead of j in some result.
    """
    n = ahead.shape[-1]
    found = (ahead | np.eye(n, dtype=bool)).astype(np.float32)
    for _ in range(max(1, (n - 1).bit_length())):
        found = np.minimum(found @ found, 1)
    return found > 0


def relative(theta: NDArray[np.float64], reach: NDArray[np.bool_], anchor: int) -> NDArray[np.float64]:
    """Return ratings less the anchor's.

    Where results tie them together both ways the difference is finite. Where they lead one way only, the likelihood rises without end: infinite.
    Where they do not lead at all: NaN.
    """
    above, below = reach[..., :, anchor], reach[..., anchor, :]
    outside = np.where(above, np.inf, np.where(below, -np.inf, np.nan))
    return np.asarray(np.where(above & below, theta - theta[..., anchor : anchor + 1], outside))
