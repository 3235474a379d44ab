"""Figures of a duel: differences deal by deal, effects of seat and dealer, and what each way of playing needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from trickbench.plotting.bars import FEW_WIDTH, MANY, NEAR, TAIL, bar_of, draw_intervals, extent, headroom, tail_notes, tinted, two_sided
from trickbench.plotting.sheet import GREY, INK, INTERVAL, LOOKS, Kind, Sheet, interval_handle, interval_label
from trickbench.plotting.studies import Row, Told, figure_of, forest, height_for, with_reach, write_beside
from trickbench.plotting.text import SMALL, cleaned, percent, shortened, width_of
from trickbench.stats.intervals import Estimate, normal_quantile

if TYPE_CHECKING:
    from trickbench.studies.duel_result import DuelResult

WANTED = 0.1
"""Half the width, in points a deal, of the interval for which the plays needed are written."""


def duel_figures(result: DuelResult) -> dict[str, Figure]:
    """Return the figures of a duel by name.

    Parameters
    ----------
    result : DuelResult

    Returns
    -------
    dict of str to Figure
        "differences": how often deals favour A and B, and by how much; "effects": A's edge by seat and dealer; "precision", if a control
        variate was taken: what a play is worth in each way of playing.
    """
    told = told_of_duel(result)
    figures = {"differences": figure_of(Kind("What deals in all seatings favour, and by how much", differences), result, told)}
    figures["effects"] = figure_of(effects_kind(result), result, told, height_for(len(result.effects) + 1 + 2 * (result.games is not None)))
    if result.control is not None:
        kind = Kind("What a play is worth, by way of playing", precision)
        figures["precision"] = figure_of(kind, result, told, height_for(len(result.precision()), 2))
    return figures


def told_of_duel(result: DuelResult) -> Told:
    """Return what figures of a duel say below their titles."""
    names = [f"{letter}: {cleaned(name)}" for letter, name in zip("AB", result.study.names, strict=True)]
    return Told(result.study.game.described(), f"{deals_text(result)}, each in {result.plays} seatings · seed {result.study.seed}", names)


def deals_text(result: DuelResult) -> str:
    """Return the number of deals that were played, as text."""
    return f"{result.edge.n:,} deal{'s' * (result.edge.n != 1)}"


def whole_points(x: NDArray[np.int64], unit: int) -> NDArray[np.int64]:
    """Return x / unit rounded to whole points, halves away from 0; 0 stays for deals that favour nobody, so less than 1 is 1."""
    rounded = (2 * np.abs(x) + unit) // (2 * unit)
    whole: NDArray[np.int64] = np.sign(x) * np.maximum(rounded, x != 0)
    return whole


def differences(result: DuelResult, sheet: Sheet) -> None:
    """Draw the share of deals by x_d, those that favour A to the right."""
    panel, n = sheet.panels[0], result.edge.n
    width = 1 if n >= MANY else FEW_WIDTH
    points = whole_points(result.by_deal["x"].to_numpy(np.int64), result.scale.deal)
    most = int(np.abs(points).max())
    counts = result.by_deal["count"].groupby(bar_of(points, width)).sum()
    places = counts.index.to_numpy(np.float64)
    far = abs(places) > NEAR
    widths = np.select([places == 0, far], [0.86, TAIL - 2], width - 0.14)
    colours = [GREY if place == 0 else LOOKS[int(place < 0)].colour for place in places]
    panel.bar(places, 100 * counts / n, widths, color=colours)
    ends = draw_intervals(panel, places, counts, n)
    turn = tail_notes(panel, places[far], ends[far], counts[far] / n, TAIL * sheet.panel_width() / (2 * extent(most)))
    two_sided(panel, most, turn)
    headroom(panel, 0.2 if turn == 0 else 0.4)
    draw_edge(result, sheet)
    favours(result, sheet)
    panel.set_xlabel("mean of the deal's seatings, in favour of B to the left, of A to the right (points)")
    panel.set_ylabel(f"share of deals (%), bars {width} point{'s' * (width > 1)} wide")
    sheet.legend(edge_handle(), Patch(color=GREY, label="favours nobody"), interval_handle(f"{INTERVAL} of a share", INK))


def draw_edge(result: DuelResult, sheet: Sheet) -> None:
    """Draw A's edge with its interval above the bars, and write it."""
    panel, edge = sheet.panels[0], result.edge
    reach = 0.0 if np.isnan(edge.low) else edge.high - edge.mean
    # Outside the bars of equal width places are no points any more.
    place = edge.mean if abs(edge.mean) <= NEAR else float(bar_of(np.array([round(edge.mean)]), 1)[0])
    strip = panel.get_xaxis_transform()
    panel.axvline(place, color=INK, linewidth=1, linestyle="--", zorder=0.5)
    panel.errorbar([place], [0.94], xerr=[reach], transform=strip, color=INK, marker="D", markersize=5, linestyle="none")
    text = f"A's edge {with_reach(edge.mean, edge.low, edge.high)} points a deal"
    sign = 1 if edge.mean <= 0 else -1
    align: Literal["left", "right"] = "left" if sign > 0 else "right"
    panel.annotate(text, (place + sign * reach, 0.94), (sign * 8, 0), strip, "offset points", ha=align, va="center")


def edge_handle() -> object:
    """Return the legend's sign for A's edge."""
    handle = LOOKS[0].handle(f"A's edge, the mean over deals, with {INTERVAL}", "--")
    handle.set(color=INK, marker="D", markersize=5)
    return handle


def favours(result: DuelResult, sheet: Sheet) -> None:
    """Say above the bars how many deals favour whom."""
    panel, width = sheet.panels[0], sheet.panel_width() / 2 - 20
    shares = pd.Series(np.sign(result.by_deal["x"]), result.by_deal.index)
    found = result.by_deal["count"].groupby(shares).sum() / result.edge.n
    for side, (letter, name) in enumerate(zip("AB", result.study.names, strict=True)):
        text = f"of deals favour {letter}: "
        share = percent(found.get(1 - 2 * side, 0.0))
        line = f"{share} {text}{shortened(cleaned(name), width - width_of(f'{share} {text}'))}"
        align: Literal["left", "right"] = "left" if side else "right"
        panel.set_title(line, loc=align, ha=align, fontsize=SMALL, color=tinted(LOOKS[side].colour, -0.3))


def effects_kind(result: DuelResult) -> Kind:
    """Return the kind of the picture of effects: games have a panel of their own, for they are no points."""
    if result.games is None:
        return Kind("A's edge, by seat and dealer", effects)
    heights = {"gridspec_kw": {"height_ratios": [len(result.effects) + 1, 1]}}
    return Kind("A's edge, by seat and dealer, and in whole games", effects, 2, 1, heights)


def effects(result: DuelResult, sheet: Sheet) -> None:
    """Draw A's edge over all seatings, in each seat, and by who deals; and in games, if there are any."""
    rows = [row_of("all seatings", result.edge), *(row_of(name, effect) for name, effect in result.effects.items())]
    forest(sheet.panels[0], rows, **LOOKS[0].points())
    sheet.panels[0].set_xlabel("A's edge in a deal (points)")
    if result.games is not None:
        games = Estimate(result.games.n, *(100 * value for value in result.games[1:]))
        note = f"{with_reach(games.mean, games.low, games.high, 1)} %"
        forest(sheet.panels[1], [Row("whole games", games.mean, games.low, games.high, note)], **LOOKS[1].points())
        sheet.panels[1].set_xlabel(f"games that A wins more than B, of {games.n:,} in every seating (%)")
    sheet.legend(interval_handle(interval_label(pd.Series([result.edge.n]), "deals are the unit of evidence")))


def row_of(name: str, estimate: Estimate) -> Row:
    """Return the row of an estimate in points."""
    return Row(name, estimate.mean, estimate.low, estimate.high, with_reach(*estimate[1:2], *estimate[3:]))


def precision(result: DuelResult, sheet: Sheet) -> None:
    """Draw how many plays of independent deals one play replaces in each way of playing."""
    panel, table = sheet.panels[0], result.precision()
    rows = np.arange(len(table))
    bounds = table["method"].str.endswith("at most")
    for some, hatch, colour in ((~bounds, "", LOOKS[0].colour), (bounds, "////", tinted(LOOKS[0].colour, 0.5))):
        panel.barh(rows[some], table["factor"][some], 0.6, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
    panel.axvline(1, color=GREY, linewidth=0.9, linestyle=":")
    panel.set_yticks(rows, [method.replace(" and ", " and\n").replace(", at most", ",\nat most") for method in table["method"]])
    panel.set_ylim(len(table) - 0.5, -0.5)
    panel.tick_params(axis="y", length=0)
    panel.grid(axis="x")
    plays = (normal_quantile(0.95) * result.single.sd / WANTED) ** 2 / table["factor"]
    notes = [f"{factor:.2f}: {number:,.0f} plays" for factor, number in zip(table["factor"], plays, strict=True)]
    write_beside(panel, notes)
    panel.set_xlabel("plays of independent deals that one play replaces (rollouts not counted)")
    panel.set_title(f"at the right the factor, and plays for ± {WANTED} points a deal ({INTERVAL})", fontsize=SMALL, color=GREY)
    assert result.control is not None
    sheet.legend(
        Patch(color=LOOKS[0].colour, label=f"measured; control variate on {result.control.plain.n:,} deals"),
        Patch(facecolor=tinted(LOOKS[0].colour, 0.5), hatch="////", edgecolor="white", linewidth=0, label="bound"),
    )
