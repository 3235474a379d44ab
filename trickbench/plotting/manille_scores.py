"""The picture of Manille's net deal scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from numpy.typing import NDArray

from trickbench.plotting.bars import NEAR, TAIL, bar_of, bar_width, draw_intervals, extent, headroom, share_label, tail_notes, tinted, two_sided
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
    turn = tail_notes(panel, places[far], ends[far], total[far] / run.count, TAIL * sheet.panel_width() / (2 * extent(most)))
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


def score_axes(panel: Axes, most: int, width: int, turn: int) -> None:
    """Label the axes of net scores as far as ``most``; both sides count away from the middle."""
    two_sided(panel, most, turn)
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
