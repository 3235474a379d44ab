"""Figures of a study of doubles: what speaking wins, reliability curves, and gain against probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trickbench.plotting.reliability import TWO_PANELS, Curve, draw_reliability
from trickbench.plotting.sheet import GREY, LOOKS, MORE_LOOKS, Kind, Sheet, interval_handle
from trickbench.plotting.studies import Row, Told, figure_of, forest, height_for, row_name, with_reach
from trickbench.plotting.text import cleaned
from trickbench.stats.intervals import sums_interval
from trickbench.studies.auction_views import DOUBLES
from trickbench.studies.doubles_forecast import PERMILLE
from trickbench.studies.doubles_result import CALLS
from trickbench.studies.doubles_seen import GAIN, SQUARES

if TYPE_CHECKING:
    from trickbench.studies.doubles_result import DoublesResult

ASKED = {"left": "left opponent doubles", "right": "right opponent doubles", "dealer": "dealer redoubles", "partner": "dealer's partner redoubles"}
FEWEST = 50
"""Cases of a point in the picture of gains."""


def doubles_figures(result: DoublesResult) -> dict[str, Figure]:
    """Return the figures of a study of doubles by name."""
    gains = Kind("What doubling wins", _draw_gains)
    told = _told(result, f"{result.study.deals:,} deals, each by every pair")
    found = {"gains": figure_of(gains, result, told, height_for(len(result.gains)))}
    for number in result.study.forecasters():
        name, told = result.names[number], _told(result, f"{result.study.forecasts:,} deals")
        suffix = "" if len(result.study.forecasters()) == 1 else f"-{number + 1}"
        title = f"What {cleaned(name)} says of the dealer's chances, and what happens"
        found[f"reliability{suffix}"] = figure_of(Kind(title, _draw_reliability, 2, 1, TWO_PANELS), (result, number), told, 6.4)
        title = f"When speaking pays: gain against the chance that {cleaned(name)} gives"
        found[f"thresholds{suffix}"] = figure_of(Kind(title, _draw_thresholds, 1, 2, {"sharex": True}), (result, number), told)
    return found


def _told(result: DoublesResult, facts: str) -> Told:
    return Told(result.study.game.described(), f"{facts} · seed {result.study.seed}", [f"calls and plays: {cleaned(result.study.players_name)}"])


def _draw_gains(result: DoublesResult, sheet: Sheet) -> None:
    (panel,) = sheet.panels
    rows = [
        Row(row_name(f"{row['doubler']}, answered by {row['redoubler']}"), row["gain"], row["low"], row["high"],
            f"{with_reach(row['gain'], row['low'], row['high'])}, doubles {100 * row['doubled']:.0f} %")
        for row in result.gains.to_dict("records")
    ]  # fmt: skip
    forest(panel, rows, **LOOKS[0].points())
    panel.set_xlabel("more than with nobody speaking, points a deal for the side that doubles")
    sheet.legend(interval_handle())


def _draw_reliability(subject: tuple[DoublesResult, int], sheet: Sheet) -> None:
    result, number = subject
    upper, lower = sheet.panels
    curves = [Curve(ASKED[who], result.reliability(number, decision)) for decision, who in enumerate(DOUBLES)]
    curves = [curve for curve in curves if len(curve.bins)]
    handles = draw_reliability(upper, lower, curves, "dealer's side below 30 points", "times asked")
    sheet.legend(*handles, interval_handle())


def _draw_thresholds(subject: tuple[DoublesResult, int], sheet: Sheet) -> None:
    result, number = subject
    handles: list[Any] = []
    for no_trump, (call, panel) in enumerate(zip(CALLS, sheet.panels, strict=True)):
        panel.axhline(0, color=GREY, linewidth=0.9, linestyle=":")
        for decision, who in enumerate(DOUBLES):
            look = MORE_LOOKS[decision]
            points = gain_bins(result.forecasts(number, decision, no_trump))
            if len(points):
                reach = [points["gain"] - points["low"], points["high"] - points["gain"]]
                style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": look.line, "linewidth": 1.1, "markersize": 4.5}
                panel.errorbar(points["chance"], points["gain"], reach, elinewidth=1.2, **style)
            handles += [look.handle(ASKED[who], look.line)] * (no_trump == 0)
        panel.set_title("a trump suit is called" if call == "suit" else "no-trump is called")
        panel.set_xlabel("P(dealer's side below 30), ties left out (%)")
        panel.grid()
    sheet.panels[0].set_ylabel("gain by speaking, points a time")
    sheet.legend(*handles, interval_handle(), Line2D([], [], color=GREY, linestyle=":", label="neither wins nor loses"))


def gain_bins(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean gain by speaking in each tenth of probability that has cases enough: chance (%), n, gain, low, high."""
    rows = []
    tenths = np.minimum(table["below"] * 10 // PERMILLE, 9)
    for _, some in table.groupby(tenths):
        n = int(some["count"].sum())
        if n >= FEWEST:
            gain = sums_interval(n, int(some[GAIN].sum()), int(some[SQUARES].sum()))
            rows.append([100 * float((some["below"] * some["count"]).sum()) / PERMILLE / n, n, gain.mean, gain.low, gain.high])
    return pd.DataFrame(rows, columns=["chance", "n", "gain", "low", "high"])
