"""Reliability curves: how often something happened where its probability was said to be so much, and how often that was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MultipleLocator

from trickbench.plotting.sheet import GREY, MORE_LOOKS, Look

TWO_PANELS: dict[str, Any] = {"sharex": True, "gridspec_kw": {"height_ratios": (3, 1)}}
"""For ``subplots`` with two rows: the curves, and below them the numbers of cases."""


class Curve(NamedTuple):
    """The bins of one forecaster."""

    name: str
    bins: pd.DataFrame
    """As :func:`trickbench.stats.calibration.reliability_bins` makes them: predicted, observed, low, high (0 to 1), n."""


def look_of(number: int) -> Look:
    """Return how curve ``number`` is drawn."""
    return MORE_LOOKS[number % len(MORE_LOOKS)]


def draw_reliability(upper: Axes, lower: Axes, curves: Sequence[Curve], event: str, cases: str = "cases") -> list[Any]:
    """Draw reliability curves with their intervals about the diagonal, and below them how many cases each bin has.

    Parameters
    ----------
    upper, lower : Axes
        Panels with one axis of probabilities, such as :data:`TWO_PANELS` makes.
    curves : sequence of Curve
    event : str
        What happens with the probability, for the label of the axis; a point stands at the mean probability of its bin.
    cases : str
        What is counted.

    Returns
    -------
    list
        Handles for the legend: the diagonal, and each curve.
    """
    upper.plot([0, 100], [0, 100], color=GREY, linewidth=1, linestyle=(0, (4, 2)))
    handles: list[Any] = [Line2D([], [], color=GREY, linewidth=1, linestyle=(0, (4, 2)), label="as said: perfectly calibrated")]
    for number, (name, bins, look) in enumerate((curve.name, curve.bins, look_of(number)) for number, curve in enumerate(curves)):
        predicted, observed, low, high = (100 * bins[key].to_numpy(np.float64) for key in ("predicted", "observed", "low", "high"))
        reach = np.maximum([observed - low, high - observed], 0)
        style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": look.line, "linewidth": 1.2, "markersize": 5}
        upper.errorbar(predicted, observed, reach, elinewidth=1.2, zorder=2 + number / 100, **style)
        lower.plot(predicted, bins["n"], **style)
        handles.append(look.handle(name, look.line))
    upper.set(xlim=(-2, 102), ylim=(-2, 102), ylabel="how often it happened (%)")
    lower.set(xlabel=f"{event}: probability forecast (%)", ylabel=f"{cases}\n(log scale)", yscale="log")
    count_axis(lower, curves)
    for panel in (upper, lower):
        panel.xaxis.set_major_locator(MultipleLocator(20))
        panel.grid()
    upper.yaxis.set_major_locator(MultipleLocator(20))
    return handles


def count_axis(lower: Axes, curves: Sequence[Curve]) -> None:
    """Prepare the logarithmic axis of numbers of cases."""
    most = max((int(curve.bins["n"].max()) for curve in curves if len(curve.bins)), default=1)
    lower.set_ylim(0.6, 10 ** np.ceil(np.log10(2 * most)))
    lower.yaxis.set_major_locator(LogLocator(numticks=5))
    lower.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
