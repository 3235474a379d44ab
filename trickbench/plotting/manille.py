"""Pictures of a run of Manille: deal scores, trump calls, card points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MultipleLocator

from trickbench.cards import CALLS
from trickbench.games.manille.scoring import HALF, PACK_POINTS
from trickbench.plotting.bars import bar_of, bar_width, draw_intervals, headroom, share_label, tinted
from trickbench.plotting.manille_scores import scores
from trickbench.plotting.sheet import GREY, INK, LOOKS, Kind, Look, Sheet, interval_handle, interval_label, short_who
from trickbench.plotting.text import LABEL, percent, plain, signed, width_of, wrapped
from trickbench.stats.intervals import Estimate
from trickbench.stats.summary import SIDES, by_call, histogram, mean_of, rate_of

if TYPE_CHECKING:
    from trickbench.simulation import Run


def points(run: Run, sheet: Sheet) -> None:
    """Draw how often each side takes each number of card points, and where winning begins."""
    panel, width = sheet.panels[0], bar_width(run)
    played = run.outcomes[run.outcomes["forfeit"] < 0]
    number = int(played["count"].sum())
    handles = []
    for side, name in enumerate(short_who(run, sheet.width / 2 - 50)):
        places = HALF + bar_of(played[f"points_{side}"].to_numpy(np.int64) - HALF, width)
        counts = histogram(played.assign(place=places), "place")
        handles.append((draw_points(panel, counts, number, width, side), LOOKS[side].handle(name)))
        handles[-1][0].set_label(name)
        # Beside each other where there is room for it.
        shift = (side - 0.5) * (width > 1)
        draw_intervals(panel, counts.index.to_numpy(np.float64) + shift, counts, number, tinted(LOOKS[side].colour, -0.4))
        draw_mean(sheet, mean_of(played, f"points_{side}"), rate_of(played, played["winner"] == side), side)
    point_axes(panel, width)
    sheet.legend(*handles, interval_handle(colour=INK))


def draw_points(panel: Axes, counts: pd.Series, number: int, width: int, side: int) -> Patch:
    """Draw the histogram of a side, bars for side 0 and hatched steps for side 1, and return its sign for the legend."""
    look = LOOKS[side]
    beyond = 0.5 + width * np.arange(HALF // width + 1)
    edges = HALF + np.concatenate([-beyond[::-1], beyond])
    shares = 100 * counts.reindex((edges[1:] + edges[:-1]) / 2, fill_value=0).to_numpy(np.float64) / max(number, 1)
    filled: dict[str, Any] = {"facecolor": tinted(look.colour, 0.45), "edgecolor": look.colour, "linewidth": 0.5}
    hatched: dict[str, Any] = {"facecolor": "none", "edgecolor": look.colour, "linewidth": 1.6, "hatch": look.hatch}
    if side == 0:
        panel.bar(edges[:-1], shares, np.diff(edges), align="edge", **filled)
    else:
        panel.stairs(shares, edges, **hatched)
    return Patch(**(hatched if side else filled))


def draw_mean(sheet: Sheet, mean: Estimate, wins: Estimate, side: int) -> None:
    """Draw the mean of a side with its interval, and write its win rate, above the histograms, each side in a line of its own."""
    panel, look = sheet.panels[0], LOOKS[side]
    if mean.n == 0:
        panel.text(0.25 + 0.5 * (side == 0), 0.5, "no deals", color=look.colour, ha="center", transform=panel.transAxes)
        return
    reach, height, strip = 0.0 if np.isnan(mean.low) else mean.high - mean.mean, 0.9 - 0.07 * side, panel.get_xaxis_transform()
    panel.errorbar([mean.mean], [height], xerr=[reach], transform=strip, **look.points())
    text = f"mean {plain(mean.mean)}, wins {percent(wins.mean)}"
    room = (PACK_POINTS - mean.mean - reach) * sheet.panel_width() / PACK_POINTS - 8
    right = (mean.mean > HALF and width_of(text) < room) or mean.mean < HALF / 2
    place, shift, align = (mean.mean + reach, 8, "left") if right else (mean.mean - reach, -8, "right")
    note = panel.annotate(text, (place, height), (shift, 0), strip, "offset points", ha=align, va="center")
    note.set_color(tinted(look.colour, -0.3))


def point_axes(panel: Axes, width: int) -> None:
    """Label the axes of card points and mark the line that a side must pass."""
    panel.set_xlim(-1, PACK_POINTS + 1)
    panel.xaxis.set_major_locator(MultipleLocator(10))
    panel.xaxis.set_minor_locator(MultipleLocator(5))
    headroom(panel, 0.35)
    panel.axvline(HALF, color=INK, linewidth=1.2, linestyle="--")
    for x, align, note in ((HALF - 0.7, "right", "loses"), (HALF + 0.7, "left", f"wins with more than {HALF}")):
        panel.text(x, 0.99, note, ha=align, va="top", transform=panel.get_xaxis_transform())
    panel.set_xlabel("card points that the side takes in a deal (points)")
    panel.set_ylabel(share_label(width))


def calls(run: Run, sheet: Sheet) -> None:
    """Draw win rate and mean net score for every trump call, for each side as dealer."""
    table = by_call(run)
    labels = ("deals won by the dealer's side (%)", "mean net score of the dealer's side (points)")
    for panel, label, quantity, middle in zip(sheet.panels, labels, ("win", "net"), (50, 0), strict=True):
        call_rows(panel, middle)
        for side, look in enumerate(LOOKS[: len(SIDES)]):
            draw_calls(panel, table[table["who"] == SIDES[side]], quantity, look, 0.4 * side - 0.2)
        panel.set_xlabel(wrapped(label, sheet.panel_width(2), size=LABEL))
    sheet.panels[0].set_ylabel("trump call")
    handles = [look.handle(f"dealt by {name}") for look, name in zip(LOOKS, short_who(run, sheet.width / 2 - 90), strict=False)]
    sheet.legend(*handles, interval_handle(interval_label(table["n"], "rates: Wilson")))


def draw_calls(panel: Axes, own: pd.DataFrame, quantity: str, look: Look, shift: float) -> None:
    """Draw a side's values with intervals, and write them, with how many calls they come from, to the right of the rows."""
    scale = 100 if quantity == "win" else 1
    values, low, high = (scale * own[f"{quantity}{end}"].to_numpy(np.float64) for end in ("", "_low", "_high"))
    rows = np.arange(len(own)) + shift
    panel.errorbar(values, rows, xerr=np.maximum([values - low, high - values], 0), **look.points())
    texts = [call_note(quantity, value, n) for value, n in zip(own[quantity], own["n"], strict=True)]
    beside, place = (max(map(width_of, texts)) + 6, 0), panel.get_yaxis_transform()
    for row, text, n in zip(rows, texts, own["n"], strict=True):
        note = panel.annotate(text, (1, row), beside, place, "offset points", ha="right", va="center", annotation_clip=False)
        note.set_color(INK if n else GREY)


def call_note(quantity: str, value: float, n: int) -> str:
    """Return a value of a call as text."""
    if n == 0:
        return "no deals"
    return f"{percent(value)} of {n:,}" if quantity == "win" else signed(value)


def call_rows(panel: Axes, middle: float) -> None:
    """Prepare a panel with a row for each call and a line at what is even."""
    panel.set_yticks(range(len(CALLS)), CALLS)
    panel.set_ylim(len(CALLS) - 0.5, -0.5)
    panel.tick_params(axis="y", length=0)
    for row in range(0, len(CALLS), 2):
        panel.axhspan(row - 0.5, row + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
    panel.axvline(middle, color=GREY, linewidth=0.9, linestyle=":")
    panel.grid(axis="x")


KINDS = {
    "scores": Kind("Distribution of the net deal score", scores),
    "calls": Kind("Trump calls: how often the dealer's side wins, and its mean net score", calls, 1, 2, {"sharey": True}),
    "points": Kind("Distribution of card points in a deal", points),
}
