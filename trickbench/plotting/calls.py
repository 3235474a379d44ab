"""Figures of a study of calls: how often each call wins, the regret of callers, what suits are worth, and which call is best how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from trickbench.plotting.bars import tinted
from trickbench.plotting.book import DIVERGING, NOTHING, bar_beside, heat
from trickbench.plotting.sheet import GREY, INTERVAL, LOOKS, SIZE, Kind, Sheet, interval_handle
from trickbench.plotting.studies import BAND, Row, Told, figure_of, forest, height_for, row_name, with_reach, write_beside
from trickbench.plotting.text import SMALL, cleaned, signed, wrapped
from trickbench.studies.calls_telling import kind_text

if TYPE_CHECKING:
    from trickbench.studies.calls_result import CallsResult

FEW = 30
"""Numbers of fewer suits are drawn in italics."""
OVER_DEALS = f"{INTERVAL} over deals"
BEST_FROM = 0.0005
"""Kinds of calls that are best less often are left out."""


def calls_figures(result: CallsResult) -> dict[str, Figure]:
    """Return the figures of a study of calls by name.

    Parameters
    ----------
    result : CallsResult

    Returns
    -------
    dict of str to Figure
        "calls": how often every call wins and what it is worth; "rules": the regret of every caller; "suits": what calling a suit is worth, by its
        length, points and ten; "best": how often each kind of call is the best one, and what it is then worth.
    """
    told, every = told_of_calls(result), told_of_calls(result, every=True)
    shared = {"sharey": True}
    calls, best, players = len(_first(result, result.by_call)), len(_common(result)), len(result.players)
    maps = {"sharey": True, "gridspec_kw": {"width_ratios": (16, 2.6)}}
    return {
        "calls": figure_of(Kind("How often each call wins, and what it is worth", draw_calls, 1, 2, shared), result, every, height_for(calls) + 0.3),
        "rules": figure_of(Kind("How far callers are behind the best call", rules, 1, players, shared), result, every, _height(result) + 0.4),
        "suits": figure_of(Kind("What calling a suit is worth to the dealer's side", suits, 1, 2, maps), result, told, SIZE[1] + 0.2),
        "best": figure_of(Kind("Which call is the best, and what it is then worth", draw_best, 1, 2, shared), result, told, height_for(best)),
    }


def _height(result: CallsResult) -> float:
    return height_for(len(result.study.names), 2)


def told_of_calls(result: CallsResult, every: bool = False) -> Told:
    """Return what figures of a study of calls say below their titles; ``every``: they show all who play the cards."""
    study = result.study
    deals = f"{result.deals:,} deal{'s' * (result.deals != 1)}, the dealer's hand in {study.worlds:,} worlds with every call · seed {study.seed}"
    players = " or ".join(result.players) if every else result.players[0]
    return Told(study.game.described(), deals, [f"cards played by {cleaned(players)}, {study.auction_text}"])


def _first(result: CallsResult, table: pd.DataFrame) -> pd.DataFrame:
    return table[table["players"] == result.players[0]].reset_index(drop=True)


def _reach(table: pd.DataFrame, name: str, unit: float = 1) -> Any:
    """Return how far intervals reach down and up."""
    low, mean, high = (unit * table[f"{name}{end}"].to_numpy(np.float64) for end in ("_low", "", "_high"))
    return np.nan_to_num(np.maximum([mean - low, high - mean], 0))


def banded(panel: Axes, names: list[str]) -> None:
    """Prepare rows with names from the top, every other one with a band."""
    for number in range(0, len(names), 2):
        panel.axhspan(number - 0.5, number + 0.5, color=BAND, linewidth=0, zorder=0)
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.tick_params(axis="y", length=0)
    panel.grid(axis="x")


def draw_calls(result: CallsResult, sheet: Sheet) -> None:
    """Draw win rate and net score of every call, by all who play the cards."""
    names = _first(result, result.by_call)["call"].tolist()
    parts = (("win", 100.0, "worlds that the dealer's side wins (%)"), ("net", 1.0, "net score of the dealer's side in a deal (points)"))
    apart = 0.36 / max(1, len(result.players) - 1)
    for panel, (name, unit, label) in zip(sheet.panels, parts, strict=True):
        banded(panel, names)
        for number, players in enumerate(result.players):
            table = result.by_call[result.by_call["players"] == players]
            rows = np.arange(len(table)) + apart * (number - (len(result.players) - 1) / 2)
            panel.errorbar(unit * table[name].to_numpy(np.float64), rows, xerr=_reach(table, name, unit), **LOOKS[number % len(LOOKS)].points())
        panel.set_xlabel(label)
        panel.margins(x=0.08)
    sheet.panels[1].axvline(0, color=GREY, linewidth=0.9, linestyle=":")
    sheet.panels[0].axvline(50, color=GREY, linewidth=0.9, linestyle=":")
    table = _first(result, result.by_call)
    write_beside(sheet.panels[0], [f"{100 * rate:.1f} %" for rate in table["win"]])
    write_beside(sheet.panels[1], [with_reach(*ends) for ends in table[["net", "net_low", "net_high"]].itertuples(index=False)])
    handles = [LOOKS[number % len(LOOKS)].handle(f"cards played by {cleaned(name)}") for number, name in enumerate(result.players)]
    sheet.legend(*handles, interval_handle(f"{OVER_DEALS}; numbers: {cleaned(result.players[0])}"))


def rules(result: CallsResult, sheet: Sheet) -> None:
    """Draw the regret of every caller as a bar from 0: what it is at least, and at most."""
    order = _first(result, result.regret)["caller"].tolist()
    colour = LOOKS[0].colour
    for panel, players in zip(sheet.panels, result.players, strict=True):
        table = result.regret[result.regret["players"] == players].set_index("caller").loc[order]
        rows, lost, most = np.arange(len(table)), table["lost"].to_numpy(np.float64), table["most"].to_numpy(np.float64)
        begin = np.maximum(lost, 0)
        panel.barh(rows, begin, 0.56, color=colour)
        panel.barh(rows, most - begin, 0.56, begin, color=tinted(colour, 0.6), hatch="////", edgecolor="white", linewidth=0)
        panel.errorbar(most, rows, xerr=_reach(table, "most"), fmt="none", ecolor="black", elinewidth=1.2)
        banded(panel, [row_name(name) for name in order])
        write_beside(panel, [f"{signed(one)} to {signed(other)}" for one, other in zip(lost, most, strict=True)])
        panel.set_xlabel("regret in a deal (points)")
        if len(result.players) > 1:
            panel.set_title(wrapped(f"cards played by {cleaned(players)}", sheet.panel_width(len(result.players))), fontsize=SMALL, color=GREY)
    sheet.legend(
        Patch(color=colour, label="at least: behind the best call of half the worlds, on the other half"),
        Patch(facecolor=tinted(colour, 0.6), hatch="////", edgecolor="white", linewidth=0, label="at most: behind the best call of all worlds"),
        interval_handle(OVER_DEALS, "black"),
    )


def suits(result: CallsResult, sheet: Sheet) -> None:
    """Draw the mean net score of calling a suit by its length and card points, and by its length with and without its ten."""
    table = _first(result, result.by_feature).rename(columns={"net": "mean", "suits": "deals"})
    parts = {"length, points": ("card points of the suit (points)", 0), "length, ten": ("has its ten", 1)}
    tables = {name: table[table["feature"] == name].astype({"first": int, "second": int}) for name in parts}
    every = pd.concat(tables.values())
    most = float(every.loc[every["deals"] >= min(FEW, every["deals"].max()), "mean"].abs().max()) or 1.0
    norm, width = TwoSlopeNorm(0, -most, most), sheet.width - 130
    for panel, (name, (label, digits)), part in zip(sheet.panels, parts.items(), (0.84, 0.16), strict=True):
        heat(panel, tables[name], "second", "first", norm, DIVERGING, digits, part * width, FEW)
        panel.set_xlabel(label)
    sheet.panels[1].set_xticks([0, 1], ["no", "yes"])
    sheet.panels[0].set_ylabel("length of the suit that is called (cards)")
    bar_beside(sheet, norm, DIVERGING, "mean net score of the dealer's side (points)")
    total = int(tables["length, ten"]["deals"].sum())
    sheet.legend(Patch(color=NOTHING, label=f"none seen; italics: fewer than {FEW} of {total:,} suits (intervals: features.csv)"))


def _common(result: CallsResult) -> pd.DataFrame:
    """Return the kinds of calls that are best often enough to be shown."""
    table = _first(result, result.best)
    return table[table["share"] >= BEST_FROM]


def draw_best(result: CallsResult, sheet: Sheet) -> None:
    """Draw how often each kind of call is the best, and what it is then worth."""
    table = _common(result).to_dict("records")
    names = [kind_text(row["kind"], row["length"]) for row in table]
    parts = (("share", 100.0, 1, " %", "deals on which it is the best call (%)"), ("net", 1.0, 2, "", "net score of the dealer's side (points)"))
    for number, (panel, (name, unit, digits, sign, label)) in enumerate(zip(sheet.panels, parts, strict=True)):
        rows = []
        for own, title in zip(table, names, strict=True):
            mean, low, high = (unit * own[f"{name}{end}"] for end in ("", "_low", "_high"))
            rows.append(Row(title, mean, low, high, with_reach(mean, low, high, digits).removeprefix("+" if sign else "") + sign))
        forest(panel, rows, **LOOKS[number].points())
        panel.set_xlabel(label)
    half = f"{result.worlds // 2:,} worlds"
    sheet.legend(interval_handle(f"{OVER_DEALS}; chosen in {half}, valued in other {half}, both ways round"))
