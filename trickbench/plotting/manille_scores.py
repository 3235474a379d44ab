"""The picture of Manille's net deal scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator
from numpy.typing import NDArray

from trickbench.plotting.bars import NEAR, TAIL, bar_of, bar_width, draw_intervals, headroom, share_label, tails, tinted
from trickbench.plotting.sheet import GREY, INK, INTERVAL, LOOKS, Sheet, interval_handle, who
from trickbench.plotting.text import SMALL, percent, signed, width_of, wrapped
from trickbench.stats.intervals import Estimate
from trickbench.stats.summary import histogram, mean_of, rate_of

if TYPE_CHECKING:
    from trickbench.simulation import Run

TONES = ((1, 1, 0.5), (2, 2, 0.0), (3, 1 << 15, -0.5))
"""Ranges of a deal's factor, and how much lighter (or darker) than a side's colour they are."""


def scores(run: Run, sheet: Sheet) -> None:
    """Draw how often each net score occurs, side 0 winning to the right, side 1 to the left, ties between them."""
    panel, width, most = sheet.panels[0], bar_width(run), int(run.outcomes["net_0"].abs().max())
    table = run.outcomes.assign(place=bar_of(run.outcomes["net_0"].to_numpy(np.int64), width))
    total = histogram(table, "place")
    places = total.index.to_numpy(np.float64)
    far = abs(places) > NEAR
    draw_bars(panel, table, places, np.select([places == 0, far], [0.86, TAIL - 2], width - 0.14))
    ends = draw_intervals(panel, places, total, run.count)
    notes = [percent(count / run.count) for count in total[far]]
    # Upright where a bar is too narrow for its note.
    turn = 90 if max(map(width_of, notes), default=0) > TAIL * sheet.panel_width() / (2 * extent(most)) else 0
    for place, end, note in zip(places[far], ends[far], notes, strict=True):
        panel.annotate(note, (place, end), (0, 3), textcoords="offset points", ha="center", va="bottom", rotation=turn)
    score_axes(panel, most, width, turn)
    headroom(panel, 0.1 if turn == 0 else 0.4 if sheet.roomy else 0.9)
    score_notes(run, sheet)


def draw_bars(panel: Axes, table: pd.DataFrame, places: NDArray[np.float64], widths: NDArray[np.float64]) -> None:
    """Draw a bar of shares at each place, in layers for the factors of the deals."""
    bottom = np.zeros(len(places))
    for low, high, tone in TONES:
        some = histogram(table[table["factor"].between(low, high)], "place").reindex(places, fill_value=0)
        heights = 100 * some.to_numpy(np.float64) / table["count"].sum()
        colours = [GREY if place == 0 else tinted(LOOKS[int(place < 0)].colour, tone) for place in places]
        panel.bar(places, heights, widths, bottom, color=colours)
        bottom += heights


def limit_of(most: int) -> int:
    """Return how far bars of equal width are shown if scores go up to ``most``."""
    return NEAR if most > NEAR / 2 else NEAR // 2


def extent(most: int) -> float:
    """Return how far the axis of net scores reaches to both sides if they go up to ``most``."""
    return limit_of(most) + 1.5 + TAIL * len(tails(most))


def score_axes(panel: Axes, most: int, width: int, turn: int) -> None:
    """Label the axes of net scores as far as ``most``; both sides count away from the middle."""
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
    panel.set_xlabel("net score of the deal, to the side that scored it (points)")
    panel.set_ylabel(share_label(width))


def score_notes(run: Run, sheet: Sheet) -> None:
    """Say above the bars whose they are, and in the legend what is drawn."""
    panel, table, width = sheet.panels[0], run.outcomes, sheet.panel_width() / 2 - 10
    for side, name in enumerate(who(run)):
        net = table["net_0"] * (1 - 2 * side)
        rate = rate_of(table, net > 0)
        lines = (wrapped(name, width), f"scores in {percent(rate.mean)} of deals", mean_text(mean_of(table.assign(net=net), "net"), width))
        align: Literal["left", "right"] = "left" if side else "right"
        panel.set_title("\n".join(lines), loc=align, ha=align, fontsize=SMALL, color=tinted(LOOKS[side].colour, -0.3))
    tie = rate_of(table, table["net_0"] == 0)
    sheet.legend(Patch(color=GREY, label=f"no score, a tie: {percent(tie.mean)}"), *factor_handles(table), interval_handle(colour=INK))


def mean_text(mean: Estimate, width: float) -> str:
    """Return a mean net score with its interval, on two lines if one is wider than ``width`` points."""
    text = f"mean net score {signed(mean.mean)}"
    if np.isnan(mean.low):
        return text
    reach = f"({INTERVAL} {signed(mean.low)} to {signed(mean.high)})"
    return f"{text} {reach}" if width_of(f"{text} {reach}") <= width else f"{text}\n{reach}"


def factor_handles(table: pd.DataFrame) -> list[tuple[Patch, ...]]:
    """Return the legend's signs for the tones of the factors that occurred in decided deals."""
    seen = table.loc[table["net_0"] != 0, "factor"]
    handles = []
    for least, most, tone in TONES:
        some = sorted(seen[seen.between(least, most)].unique())
        if some:
            label = f"factor ×{' ×'.join(map(str, some[:3]))}{' …' if len(some) > 3 else ''}"
            handles.append(tuple(Patch(color=tinted(LOOKS[side].colour, tone), label=label) for side in (1, 0)))
    return handles
