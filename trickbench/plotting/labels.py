"""Labels of points, placed where they are in the way of nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from trickbench.plotting.sheet import GREY, POINTS
from trickbench.plotting.text import SMALL, width_of

HEIGHT = 1.3 * SMALL
CLEAR = 7.0
"""Points between a point and its label."""


def label_points(panel: Axes, x: NDArray[np.float64], y: NDArray[np.float64], names: Sequence[str]) -> None:
    """Write a name beside each point: where neither another point nor a label is, as near as can be.

    Called last, when limits and labels of the panel are fixed: the figure is laid out, and places are computed from that.

    Parameters
    ----------
    panel : Axes
    x, y : float64[points]
    names : sequence of str
        As wide as they are to be shown.
    """
    figure = panel.figure.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    scale = POINTS / figure.dpi
    places = panel.transData.transform(np.column_stack([x, y])) * scale
    inside = Bbox(panel.bbox.get_points() * scale)
    taken = [Bbox.from_bounds(across - 4, up - 4, 8, 8) for across, up in places]
    for (across, up), point, name in zip(places, zip(x, y, strict=True), names, strict=True):
        boxes = list(candidates(across, up, width_of(name)))
        best = min(boxes, key=lambda box: hidden(box, taken, inside))
        taken.append(best)
        shift = ((best.x0 + best.x1) / 2 - across, (best.y0 + best.y1) / 2 - up)
        line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3} if boxes.index(best) > 3 else None
        note = panel.annotate(name, point, shift, textcoords="offset points", ha="center", va="center", arrowprops=line)
        note.set_in_layout(False)


def candidates(across: float, up: float, width: float) -> Iterator[Bbox]:
    """Yield boxes for a label: right, left, above and below the point, then further and further up and down."""
    for side in (CLEAR, -CLEAR - width):
        yield Bbox.from_bounds(across + side, up - HEIGHT / 2, width, HEIGHT)
    for middle in (CLEAR, -CLEAR - HEIGHT):
        yield Bbox.from_bounds(across - width / 2, up + middle, width, HEIGHT)
    for step in range(1, 12):
        for sign in (1, -1):
            for side in (2 * CLEAR, -2 * CLEAR - width):
                yield Bbox.from_bounds(across + side, up + (sign * step - 0.5) * HEIGHT, width, HEIGHT)


def hidden(box: Bbox, taken: Sequence[Bbox], inside: Bbox) -> float:
    """Return how much of a box is taken or outside, in square points."""
    shared = [Bbox.intersection(box, other) for other in taken]
    within = Bbox.intersection(box, inside)
    outside = box.width * box.height - (within.width * within.height if within else 0.0)
    return float(outside + sum(one.width * one.height for one in shared if one))
