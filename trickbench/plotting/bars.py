"""Histograms: which values share a bar, shares with their intervals, and room above them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.ticker import FixedLocator
from numpy.typing import NDArray

from trickbench.plotting.sheet import GREY, INK
from trickbench.plotting.text import percent, width_of
from trickbench.stats.intervals import rate_interval

if TYPE_CHECKING:
    from trickbench.simulation import Run

MANY, FEW_WIDTH = 3_000, 5
"""From so many deals on each score has a bar of its own; with fewer, this many scores share one."""
NEAR = 60
"""Values up to this stand in bars of equal width; beyond it each bar holds twice as many as the one before."""
TAIL = 10
"""How far apart the bars beyond are drawn."""


def tinted(colour: str, tone: float) -> str:
    """Return a colour mixed with white (tone above 0) or black (below)."""
    towards = 1.0 if tone > 0 else 0.0
    red, green, blue = (part + (towards - part) * abs(tone) for part in to_rgb(colour))
    return to_hex((red, green, blue))


def bar_width(run: Run) -> int:
    """Return how many scores or points share a bar: few deals are not worth a bar for each."""
    return 1 if run.count >= MANY else FEW_WIDTH


def share_label(width: int) -> str:
    """Return the label of an axis of shares."""
    return "share of deals (%)" if width == 1 else f"share of deals (%), bars {width} points wide"


def bar_of(values: NDArray[np.int64], width: int) -> NDArray[np.float64]:
    """Return the middle of each value's bar: zero has one of its own, and the bars on its two sides mirror each other.

    Beyond ``NEAR`` bars are further apart than the values: ``TAIL`` for each doubling.
    """
    size = np.abs(values)
    doublings = np.ceil(np.log2(np.maximum(size, 1) / NEAR))
    near, far = width * np.ceil(size / width) - (width - 1) / 2, NEAR + (doublings - 0.5) * TAIL + 1
    return np.sign(values) * np.where(size <= NEAR, near, far)


def tails(most: int) -> list[tuple[int, int]]:
    """Return the ranges of scores beyond ``NEAR``: 61 to 120, 121 to 240 and so on, as far as ``most``."""
    found, low = [], NEAR
    while low < most:
        found.append((low + 1, 2 * low))
        low *= 2
    return found


def limit_of(most: int) -> int:
    """Return how far bars of equal width are shown if scores go up to ``most``."""
    return NEAR if most > NEAR / 2 else NEAR // 2


def extent(most: int) -> float:
    """Return how far the axis of values on two sides reaches to both sides if they go up to ``most``."""
    return limit_of(most) + 1.5 + TAIL * len(tails(most))


def two_sided(panel: Axes, most: int, turn: int) -> None:
    """Prepare the axis of values up to ``most`` that count away from the middle on both sides, beyond ``NEAR`` in ranges."""
    limit = limit_of(most)
    ticks = {float(place): str(abs(place)) for place in range(-limit, limit + 1, limit // 3)}
    for low, high in tails(most):
        place = float(bar_of(np.array([high]), 1)[0])
        ticks |= dict.fromkeys((-place, place), f"{low}–{high}" if turn else f"{low}–\n{high}")
    for tick, label in zip(panel.set_xticks(list(ticks), list(ticks.values())), ticks.values(), strict=True):
        tick.label1.set_rotation(turn if "–" in label else 0)
    panel.xaxis.set_minor_locator(FixedLocator(list(range(-limit, limit + 1, limit // 6))))
    panel.set_xlim(-extent(most), extent(most))
    for sign in (-1, 1) if tails(most) else ():
        panel.axvline(sign * (NEAR + 0.8), color=GREY, linewidth=0.7, linestyle=":")


def tail_notes(panel: Axes, places: NDArray[np.float64], ends: NDArray[np.float64], shares: pd.Series, room: float) -> int:
    """Write the shares above bars that are ``room`` points apart, upright if that is too narrow, and return the angle."""
    notes = [percent(share) for share in shares]
    turn = 90 if max(map(width_of, notes), default=0) > room else 0
    for place, end, note in zip(places, ends, notes, strict=True):
        panel.annotate(note, (place, end), (0, 3), textcoords="offset points", ha="center", va="bottom", rotation=turn)
    return turn


def wilson(counts: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return how far the intervals of shares ``counts / n`` reach down and up, in per cent, as ``errorbar`` takes it."""
    estimates = [rate_interval(int(count), n) for count in counts]
    reach = [[100 * (one.mean - one.low) for one in estimates], [100 * (one.high - one.mean) for one in estimates]]
    return np.maximum(np.array(reach, np.float64).reshape(2, -1), 0)


def draw_intervals(panel: Axes, places: NDArray[np.float64], counts: pd.Series, n: int, colour: str = INK) -> NDArray[np.float64]:
    """Draw the intervals of shares ``counts / n`` at the tops of bars, and return where they end."""
    reach = wilson(counts.to_numpy(np.int64), n)
    shares = 100 * counts.to_numpy(np.float64) / max(n, 1)
    panel.errorbar(places, shares, reach, fmt="none", ecolor=colour, elinewidth=0.8, capsize=1)
    ends: NDArray[np.float64] = shares + reach[1]
    return ends


def headroom(panel: Axes, above: float) -> None:
    """Leave so much room above what is drawn from zero up, in parts of its height, without ticks and grid lines."""
    top = panel.dataLim.y1 if panel.dataLim.y1 > 0 else 100
    panel.set_ylim(0, (1 + above) * top)
    panel.set_yticks([tick for tick in panel.get_yticks() if 0 <= tick <= 1.02 * top])
    panel.grid(axis="y")
