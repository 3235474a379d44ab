"""Forecasts of bidders that compute one number: a normal distribution, in whole tricks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.games.manchego.rules import TRICKS


def each(view: Any) -> Iterator[Any]:
    """Yield a view of integers for each element of a view of arrays."""
    for fields in zip(*(np.asarray(column).tolist() for column in view), strict=True):
        yield type(view)(*fields)


def around(expected: Sequence[float], shift: float, spread: float) -> NDArray[np.float64]:
    """Return the probabilities of 0 to 17 tricks, [n, 18]: a normal distribution cut into whole tricks; what lies outside falls to 0 and 17.

    Parameters
    ----------
    expected : sequence of n floats
    shift : float
        Added to each.
    spread : float
        Standard deviation.
    """
    cuts = (np.arange(TRICKS) + 0.5 - np.asarray(expected, float)[:, None] - shift) / (spread * math.sqrt(2))
    below = (1 + np.vectorize(math.erf, otypes=[float])(cuts)) / 2
    return np.diff(below, axis=1, prepend=0.0, append=1.0)
