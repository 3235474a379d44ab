"""What figures of studies share: a sheet for a result, and rows of estimates with their intervals (a forest plot)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trickbench.plotting.sheet import GREY, INK, SIZE, Kind, drawn, new_area, styled, told_of
from trickbench.plotting.text import cleaned, signed, width_of, wrapped

BAND = "#f4f4f4"
NAMES = 190
"""Width in points of the names of rows, at most."""


class Told(NamedTuple):
    """What a figure says below its title."""

    game: str
    facts: str
    """deals, seatings, seed"""
    names: Sequence[str] = ()


class Row(NamedTuple):
    """An estimate with its interval, and what is written beside it."""

    name: str
    mean: float
    low: float
    high: float
    note: str


def figure_of(kind: Kind, subject: Any, told: Told, height: float = SIZE[1]) -> Figure:
    """Return a figure of a study: title, grey lines, panels, legend.

    Parameters
    ----------
    kind : Kind
        ``draw(subject, sheet)`` fills the panels.
    subject : object
    told : Told
    height : float
        Inches.
    """
    with styled():
        return drawn(new_area((SIZE[0], height)), subject, kind, partial(told_of, *told))


def height_for(rows: int, lines: int = 1) -> float:
    """Return the height in inches of a figure with so many rows of so many lines."""
    return 2.1 + rows * (0.14 + 0.16 * lines)


def forest(panel: Axes, rows: Sequence[Row], zero: bool = True, **look: Any) -> None:
    """Draw a row for each estimate, from the top: its name, a point with its interval, and a note to the right.

    Parameters
    ----------
    panel : Axes
    rows : sequence of Row
        Where an interval is NaN, none is drawn.
    zero : bool
        Show 0, with a line.
    **look
        For ``errorbar``.
    """
    numbers = np.arange(len(rows))
    means, lows, highs = (np.array([getattr(row, key) for row in rows], np.float64) for key in ("mean", "low", "high"))
    for number in numbers[::2]:
        panel.axhspan(number - 0.5, number + 0.5, color=BAND, linewidth=0, zorder=0)
    if zero:
        panel.axvline(0, color=GREY, linewidth=0.9, linestyle=":")
    panel.errorbar(means, numbers, xerr=np.maximum([means - lows, highs - means], 0), **look)
    panel.set_yticks(numbers, [row.name for row in rows])
    panel.set_ylim(len(rows) - 0.5, -0.5)
    panel.tick_params(axis="y", length=0)
    panel.margins(x=0.06)
    panel.grid(axis="x")
    write_beside(panel, [row.note for row in rows])


def write_beside(panel: Axes, notes: Sequence[str]) -> None:
    """Write a note to the right of each row."""
    beside = (max((width_of(line) for note in notes for line in note.split("\n")), default=0) + 8, 0)
    for number, note in enumerate(notes):
        panel.annotate(note, (1, number), beside, panel.get_yaxis_transform(), "offset points", ha="right", va="center", color=INK)


def row_name(name: str, width: float = NAMES) -> str:
    """Return a name for a row, no wider than ``width`` points, on two lines if need be."""
    return wrapped(cleaned(name), width)


def with_reach(mean: float, low: float, high: float, digits: int = 2) -> str:
    """Return a mean with half the width of its interval: "+5.11 ± 0.04"."""
    return signed(mean, digits) if np.isnan(low) or low == high else f"{signed(mean, digits)} ± {(high - low) / 2:.{digits}f}"
