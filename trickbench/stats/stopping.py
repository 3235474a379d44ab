"""Estimates after a sequential test has stopped.

A test stops because the mean is far from where it began, so the plain mean at the stop is biased away from the middle, and its interval does not
cover. Here the log-likelihood ratio is taken as Brownian motion with an unknown drift between two constant barriers. All outcomes are ordered
stage by stage: stops at the upper barrier from the earliest to the latest, then paths without a decision by where they ended, then stops at
the lower barrier from the latest to the earliest (Siegmund 1985; Whitehead 1997). The probability of an outcome at least as high as the one seen
rises with the drift, so the drifts at which it is 1/2 and the two tails are a median-unbiased estimate and an exact interval.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.errors import UsageError
from trickbench.stats.distributions import check_level
from trickbench.stats.pentanomial import NELO, normalised_elo, pair_t
from trickbench.stats.sequential import UPPER, MarginState, MarginTest, PairState, PairTest

SIEGMUND = 0.5825971579390107
"""-zeta(1/2) / sqrt(2 pi): steps by which a random walk on average overshoots a barrier, seen from a barrier that much further away."""
SHORT = 0.05
"""Time, in squared distances of the barriers, below which images replace the series of waves."""
WAVES = np.arange(1, 18)
"""Beyond, a wave k has decayed to exp(-k^2 pi^2 SHORT / 2): to 1e-31 at 17."""
IMAGES = np.arange(-3, 4)
"""Images of the start; the next are below exp(-2 (2 . 3)^2 / SHORT)."""


class Stopped(NamedTuple):
    """An effect as estimated after a sequential test."""

    n: int
    naive: float
    """the plain estimate, biased by the stopping"""
    median: float
    """median-unbiased estimate"""
    low: float
    high: float


def _normal_cdf(z: Any) -> NDArray[np.float64]:
    """Return the standard normal distribution function of an array."""
    return np.asarray(0.5 * _erfc(np.asarray(z, np.float64) / -math.sqrt(2)), np.float64)


_erfc = np.frompyfunc(math.erfc, 1, 1)


def passes_above(drift: Any, time: Any, place: Any, lower: Any, upper: Any) -> NDArray[np.float64]:
    """Return the probability that Brownian motion from 0 ends above an outcome in the stage-wise order.

    Arguments are broadcast against one another.

    Parameters
    ----------
    drift, time : float
        Drift per unit of time (variance 1 per unit), and when the outcome came about.
    place : float
        Where: at or above ``upper``, or at or below ``lower``, for a stop there, else where the path was when observation ended.
    lower, upper : float
        The barriers, below and above 0.

    Returns
    -------
    float64[...]
        P(at the upper barrier by then, before the lower) + P(no stop by then, and above ``place``).
    """
    given = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in (drift, time, place, lower, upper)))
    shape = given[0].shape
    eta, t, y, low, high = (value.reshape(-1, 1) for value in given)
    y = np.clip(y, low, high)
    short = (t < SHORT * (high - low) ** 2)[:, 0]
    found = np.empty(len(eta))
    for some, method in ((short, _by_images), (~short, _by_waves)):
        if some.any():
            found[some] = method(*(value[some] for value in (eta, t, y, low, high)))
    return np.clip(found, 0, 1).reshape(shape)


def _by_waves(eta: Any, t: Any, y: Any, low: Any, high: Any) -> Any:
    """Return the probability by the eigenfunctions between the barriers, for long times."""
    width = high - low
    kappa = WAVES * math.pi / width
    rate = (eta**2 + kappa**2) / 2
    decayed = np.exp(-rate * t)
    later = np.exp(eta * high) / width * (kappa * np.sin(kappa * high) * decayed / rate).sum(axis=1, keepdims=True)

    def primitive(x: Any) -> Any:
        angle = kappa * (x - low)
        return np.exp(eta * x) * (eta * np.sin(angle) - kappa * np.cos(angle)) / (2 * rate)

    waiting = 2 / width * (np.sin(-kappa * low) * decayed * (primitive(high) - primitive(y))).sum(axis=1, keepdims=True)
    return (_ever_upper(eta, low, high) - later + waiting)[:, 0]


def _ever_upper(eta: Any, low: Any, high: Any) -> Any:
    """Return the probability that the upper barrier is met before the lower."""
    size = np.maximum(np.abs(eta), 1e-12)
    behind = np.where(eta > 0, -low, high)
    # Towards the barrier behind which the drift points; away from it, the complement by the same formula.
    toward = np.expm1(-2 * size * behind) / np.expm1(-2 * size * (high - low))
    return np.where(eta > 0, toward, 1 - toward)


def _grown(exponent: Any) -> Any:
    """Return e^exponent, kept finite: where it would not be, the normal tail that it multiplies is 0."""
    return np.exp(np.minimum(exponent, 700))


def _by_images(eta: Any, t: Any, y: Any, low: Any, high: Any) -> Any:
    """Return the probability by images of the start behind the barriers, for short times."""
    width, root = high - low, np.sqrt(t)
    away = high + 2 * IMAGES * width
    distance = np.abs(away)
    # First passage to one barrier at this distance (inverse Gaussian), weighted to the drift of the true one.
    direct = _grown(eta * (high - distance)) * _normal_cdf((eta * t - distance) / root)
    mirrored = _grown(eta * (high + distance)) * _normal_cdf(-(eta * t + distance) / root)
    reached = (np.sign(away) * (direct + mirrored)).sum(axis=1)

    def between(centre: Any) -> Any:
        bottom, top = (y - centre - eta * t) / root, (high - centre - eta * t) / root
        # Far out, one tail less the other: the distribution function itself is 1 to the last digit there.
        side = np.where(bottom > 0, -1.0, 1.0)
        return _grown(eta * centre) * side * (_normal_cdf(side * top) - _normal_cdf(side * bottom))

    waiting = (between(2 * IMAGES * width) - between(2 * high + 2 * IMAGES * width)).sum(axis=1)
    return reached + waiting


def drift_at(probability: Any, time: Any, place: Any, lower: Any, upper: Any, first: Any = False) -> NDArray[np.float64]:
    """Return the drift at which an outcome is surpassed with this probability; arguments are broadcast against one another.

    Parameters
    ----------
    probability : float[...]
        1/2 for the median-unbiased drift.
    time, place, lower, upper : float[...]
        As for ``passes_above``.
    first : bool[...]
        Whether this was the first time at which the motion was looked at: then no barrier was in its way.
    """
    chance, t, y, low, high, looked = np.broadcast_arrays(probability, time, place, lower, upper, first)
    root = np.sqrt(t)
    # Ten standard errors either way; the width matters where a path without a decision took long.
    reach = 10 / root + 10 / (high - low)
    left, right = y / t - reach, y / t + reach
    # Halved 36 times: to 1e-9 of a standard error.
    for _ in range(36):
        middle = (left + right) / 2
        above = np.where(looked, _normal_cdf(middle * root - y / root), passes_above(middle, t, y, low, high))
        left, right = np.where(above < chance, middle, left), np.where(above < chance, right, middle)
    return np.asarray((left + right) / 2)


def edge_after(test: MarginTest, state: MarginState, level: float = 0.95) -> Stopped:
    """Return the edge in points after a test of margins has stopped.

    Parameters
    ----------
    test : MarginTest
    state : MarginState
        Where it stopped, or where it stands: one that goes on counts as one that ends without a decision here.
    level : float
        Confidence level.

    Notes
    -----
    The standard deviation is taken as known, the one at the stop. Barriers are moved out by the mean overshoot of a random walk (Siegmund 1985).
    """
    if state.n < 2:
        raise UsageError("edge_after: the test has seen fewer than two deals")
    mean, sd = test.moments(state)
    if sd == 0:
        return Stopped(state.n, mean, mean, math.nan, math.nan)
    return _estimate(test, state, mean, test.lower, test.upper, sd, level)


def nelo_after(test: PairTest, state: PairState, level: float = 0.95) -> Stopped:
    """Return the normalised Elo after a test of pairs has stopped; parameters as for ``edge_after``."""
    if state.n < 2:
        raise UsageError("nelo_after: the test has seen fewer than two pairs")
    plain = normalised_elo(state.counts)
    if not plain.sd > 0:
        return Stopped(state.n, plain.mean, plain.mean, math.nan, math.nan)
    scale = NELO / math.sqrt(2)
    found = _estimate(test, state, plain.mean / scale, pair_t(test.lower), pair_t(test.upper), plain.sd / scale, level)
    return Stopped(found.n, plain.mean, found.median * scale, found.low * scale, found.high * scale)


def _estimate(
    test: MarginTest | PairTest, state: MarginState | PairState, naive: float, lower: float, upper: float, sd: float, level: float
) -> Stopped:
    """Return the estimate of an effect that has this standard deviation in one observation, tested between two values of it."""
    check_level(level)
    step = (upper - lower) / sd
    time = state.n * step * step
    bounds = test.bounds
    # The path whose drift is (effect - middle) / (upper - lower); the ratio itself bends a little at large effects.
    path = state.n * (naive - (lower + upper) / 2) * step / sd
    low, high = bounds.lower - SIEGMUND * step, bounds.upper + SIEGMUND * step
    first = state.n == test.least
    if state.verdict in ("lower", UPPER) and not first:
        path = high if state.verdict == UPPER else low
    drifts = drift_at(np.array([(1 - level) / 2, 0.5, (1 + level) / 2]), time, path, low, high, first)
    bottom, median, top = ((lower + upper) / 2 + float(drift) * (upper - lower) for drift in drifts)
    return Stopped(state.n, naive, median, bottom, top)
