"""Figures of a study of bids: scores, payoffs, bids against tricks, sums of bids, steps, and how well forecasts hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, MultipleLocator

from trickbench.games.manchego.layout import TRICKS
from trickbench.plotting.manchego import COLOURS, EDGES, LINE, MEAN, NOTHING, colour_bar, map_axes, trick_map
from trickbench.plotting.payoffs import payoff_map
from trickbench.plotting.reliability import TWO_PANELS, Curve, draw_reliability, look_of
from trickbench.plotting.sheet import GREY, INK, INTERVAL, Kind, Sheet, interval_handle
from trickbench.plotting.studies import BAND, Row, Told, figure_of, forest, height_for, row_name, with_reach
from trickbench.plotting.text import LABEL, cleaned, percent, shortened, width_of
from trickbench.stats.intervals import rate_interval
from trickbench.studies.bids_forecasts import taken
from trickbench.studies.bids_result import STEPS

if TYPE_CHECKING:
    from trickbench.studies.bids_result import BidsResult

ACROSS = 4
"""Maps in a row."""
Draw = Callable[["BidsResult", int, Sheet], None]


def bids_figures(result: BidsResult) -> dict[str, Figure]:
    """Return the figures of a study of bids by name.

    Parameters
    ----------
    result : BidsResult

    Returns
    -------
    dict of str to Figure
        "scores": points by bidder and card player, against all bidders and against the reference; "sums": the sum of the three bids. For each card
        player (with its number if there are several) "payoffs", "tricks": bids against tricks, "steps": each bidder against the one before it; if
        forecasts were taken "reliability" and "pit".
    """
    size, players = len(result.names), len(result.players)
    told = told_of_bids(result)
    beside = {"sharey": True}
    title = "Points of each bidder, by card player"
    figures = {"scores": figure_of(Kind(title, scores, 1, 2, beside), result, told, 2.2 + 0.2 * size * max(2, players))}
    figures["sums"] = figure_of(Kind("The sum of the three bids, where all at the table bid alike", sums), result, told)
    for player in range(players):
        for name, (kind, draw, height) in kinds_of(result, player).items():
            own = kind._replace(draw=partial(_drawn, draw, player))
            figures[name if players == 1 else f"{name}-{player + 1}"] = figure_of(own, result, told_of_bids(result, player, name), height)
    return figures


def _drawn(draw: Draw, player: int, result: BidsResult, sheet: Sheet) -> None:
    draw(result, player, sheet)


def kinds_of(result: BidsResult, player: int) -> dict[str, tuple[Kind, Draw, float]]:
    """Return the pictures for one card player: kind, how it is drawn, height in inches."""
    size = len(result.names)
    rows, columns = -(-size // ACROSS), min(size, ACROSS)
    maps = Kind("Bids against tricks, where all at the table bid alike", _nothing, rows, columns, {"sharex": True, "sharey": True})
    found: dict[str, tuple[Kind, Draw, float]] = {
        "payoffs": (Kind("Points a deal of the row's bidder against two of the column's", _nothing), payoffs, 2.5 + 0.42 * size),
        "tricks": (maps, tricks, 2.1 + 2.3 * rows),
    }
    if size > 1:
        found["steps"] = (Kind("Each bidder against the one before it", _nothing), steps, height_for(size - 1, 2))
    if taken(result):
        panels = {"sharex": True, "sharey": "row", **{key: value for key, value in TWO_PANELS.items() if key != "sharex"}}
        found["reliability"] = (Kind("Forecasts of tricks: what was said, and what happened", _nothing, 2, 2, panels), reliability, 5.6)
        some = len(result.study.forecasters)
        kind = Kind(
            "Where what happened fell in the forecasts (PIT)", _nothing, -(-some // ACROSS), min(some, ACROSS), {"sharex": True, "sharey": True}
        )
        found["pit"] = (kind, pit, 1.9 + 1.9 * -(-some // ACROSS))
    return found


def _nothing(_result: Any, _sheet: Sheet) -> None:
    """Draw nothing: the picture is of one card player, and drawn for it."""


def told_of_bids(result: BidsResult, player: int | None = None, figure: str = "") -> Told:
    """Return what figures say below their titles; those of one card player name it."""
    study = result.study
    deals = study.parts()[-1].count if figure in ("reliability", "pit") else study.deals
    seats = "three of one bidder at the table" if figure in ("reliability", "pit") else "each with every bidder in every seat"
    names = [] if player is None else [f"cards played by {cleaned(result.players[player])}"]
    return Told(study.game.described(), f"{deals:,} deal{'s' * (deals != 1)}, {seats} · seed {study.seed}", names)


def scores(result: BidsResult, sheet: Sheet) -> None:
    """Draw points a deal by bidder and card player: against each bidder in turn, and against the reference."""
    crossed = result.crossed[result.crossed["quantity"] == "score"]
    own = result.summary[(result.summary["quantity"] == "score") & (result.summary["against"] == "each bidder")]
    names = [row_name(name, sheet.width * 0.2) for name in result.names]
    for panel, table in zip(sheet.panels, (own, crossed), strict=True):
        for number in range(0, len(names), 2):
            panel.axhspan(number - 0.5, number + 0.5, color=BAND, linewidth=0, zorder=0)
        panel.axvline(0, color=GREY, linewidth=0.9, linestyle=":")
        for player, name in enumerate(result.players):
            points(panel, table[table["player"] == name], player, len(result.players))
        panel.set_yticks(range(len(names)), names)
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.tick_params(axis="y", length=0)
        panel.margins(x=0.06)
        panel.grid(axis="x")
        panel.set_xlabel("points a deal of one seat")
    left, right = sheet.panels
    left.set_title("all at the table play these cards,\nthe two others bid as each bidder in turn")
    room = sheet.panel_width(2, sheet.width * 0.2) - width_of("the two others are ", LABEL)
    right.set_title(f"one plays these cards,\nthe two others are {shortened(cleaned(result.study.opponent.text), room, LABEL)}")
    handles = [look_of(player).handle(f"cards: {shortened(cleaned(name), 200)}") for player, name in enumerate(result.players)]
    sheet.legend(*handles, interval_handle(f"{INTERVAL} over deals"))


def points(panel: Axes, table: pd.DataFrame, number: int, of: int) -> None:
    """Draw the rows of a table as points with intervals, a little above or below their lines."""
    places = np.arange(len(table)) + 0.56 * ((number + 0.5) / of - 0.5)
    mean, low, high = (table[name].to_numpy(np.float64) for name in ("mean", "low", "high"))
    panel.errorbar(mean, places, xerr=np.maximum([mean - low, high - mean], 0), **look_of(number).points())


def sums(result: BidsResult, sheet: Sheet) -> None:
    """Draw how often the three bids come to each sum; who plays the cards changes no bid, so one card player's tables stand for all."""
    panel, deals = sheet.panels[0], result.study.deals
    table = result.bid_sums[(result.bid_sums["bidder"] == result.bid_sums["against"]) & (result.bid_sums["player"] == result.players[0])]
    panel.axvline(TRICKS, color=INK, linewidth=1.1, linestyle="--")
    for bidder, who in enumerate(result.names):
        own = table[table["bidder"] == who].set_index("sum")["share"]
        spread = own.reindex(range(int(own.index.min()), int(own.index.max()) + 1))
        found = [rate_interval(round(share * deals), deals) if share == share else None for share in spread]
        reach = 100 * np.array([[one.mean - one.low, one.high - one.mean] if one else [0.0, 0.0] for one in found]).T
        look = look_of(bidder)
        style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": look.line, "linewidth": 1.1, "markersize": 4}
        panel.errorbar(spread.index, 100 * spread, np.maximum(reach, 0), elinewidth=0.8, capsize=1, **style)
    panel.set(ylabel="share of deals (%, log scale)", xlabel="sum of the three bids (tricks)", yscale="log", ylim=(50 / deals, 130))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.xaxis.set_major_locator(MultipleLocator(3))
    panel.grid()
    handles = [look_of(bidder).handle(mean_sum(result, bidder, sheet), look_of(bidder).line) for bidder in range(len(result.names))]
    line = Line2D([], [], color=INK, linewidth=1.1, linestyle="--", label=f"{TRICKS}: the tricks of a deal")
    sheet.legend(*handles, line, interval_handle(f"{INTERVAL} of a share"))


def mean_sum(result: BidsResult, bidder: int, sheet: Sheet) -> str:
    """Return a bidder's name with the mean sum of three of its bids; bids do not depend on who plays the cards."""
    return f"{shortened(cleaned(result.names[bidder]), sheet.width / 3)}: mean {result.found(0, bidder, 'total', bidder).mean:.1f}"


def payoffs(result: BidsResult, player: int, sheet: Sheet) -> None:
    """Draw a map of points a deal; the best response to each column is framed, thick if it is clearly ahead of all others."""
    panel, names = sheet.panels[0], result.names
    table = result.payoffs[result.payoffs["player"] == result.players[player]]
    payoff_map(sheet, names, table.rename(columns={"bidder": "row", "against": "column"}), "the two others bid as")
    own = result.best_responses[result.best_responses["player"] == result.players[player]]
    for column, (best, clear) in enumerate(zip(own["best"], own["clear"], strict=True)):
        panel.add_patch(Rectangle((column - 0.48, names.index(best) - 0.46), 0.96, 0.92, fill=False, edgecolor=INK, linewidth=2.6 if clear else 1.0))
    framed = [
        Patch(facecolor="none", edgecolor=INK, linewidth=width, label=label)
        for width, label in ((2.6, "best against the column's, clearly (95 %, all together)"), (1.0, "best, not clearly"))
    ]
    sheet.legend(*framed, interval_handle(f"±: half the {INTERVAL} over deals"))


def tricks(result: BidsResult, player: int, sheet: Sheet) -> None:
    """Draw a map of bids and tricks for each bidder, with the mean of the tricks and their spread."""
    joint = result.joint[(result.joint["player"] == result.players[player]) & (result.joint["bidder"] == result.joint["against"])]
    given = result.given_bid[(result.given_bid["player"] == result.players[player]) & (result.given_bid["bidder"] == result.given_bid["against"])]
    maps = [trick_map(joint[joint["bidder"] == name]) for name in result.names]
    norm = LogNorm(1, max(10, *(int(counts.max()) for counts in maps)))
    for name, counts, panel in zip(result.names, maps, sheet.panels, strict=False):
        panel.imshow(np.ma.masked_equal(counts, 0), cmap=COLOURS, norm=norm, aspect="auto", origin="lower", interpolation="nearest")
        panel.plot(EDGES, EDGES, color=LINE, linewidth=1.6)
        own = given[given["bidder"] == name]
        panel.errorbar(own["bid"], own["tricks"], own["tricks_sd"].fillna(0), linestyle="none", ecolor=INK, elinewidth=0.9, capsize=0, **MEAN)
        exact = np.trace(counts) / counts.sum()
        panel.set_title(f"{shortened(cleaned(name), sheet.panel_width(min(len(result.names), ACROSS), 105), LABEL)}\nexact: {percent(exact)}")
        map_axes(panel)
        panel.set_xlabel("")
    finish_grid(sheet, len(result.names), "bid (tricks)", "tricks won (tricks)")
    colour_bar(sheet, norm, "bids")
    mean = Line2D([], [], linestyle="none", label="mean tricks with the bid, line: ± standard deviation", **MEAN)
    sheet.legend(Line2D([], [], color=LINE, linewidth=1.6, label="tricks won = bid"), mean, Patch(color=NOTHING, label="no bids"))


def finish_grid(sheet: Sheet, used: int, below: str, beside: str) -> None:
    """Hide the panels of a grid that are not used, and label its outer axes."""
    columns = min(used, ACROSS)
    for number, panel in enumerate(sheet.panels):
        panel.set_visible(number < used)
        if number < used <= number + columns:
            panel.set_xlabel(below)
            panel.tick_params(labelbottom=True)
        if number % columns == 0:
            panel.set_ylabel(beside)


def steps(result: BidsResult, player: int, sheet: Sheet) -> None:
    """Draw the edge of each bidder over the one before it."""
    own = result.steps[(result.steps["player"] == result.players[player]) & (result.steps["quantity"] == "edge")]
    rows = []
    for step in own.to_dict("records"):
        names = "\nagainst ".join(shortened(cleaned(step[key]), 180) for key in ("bidder", "before"))
        rows.append(Row(names, step["mean"], step["low"], step["high"], with_reach(step["mean"], step["low"], step["high"])))
    forest(sheet.panels[0], rows, **look_of(0).points())
    sheet.panels[0].set_xlabel("edge in all six seatings of the two (points a deal)")
    sheet.legend(interval_handle(f"{100 * STEPS:.0f} % interval, simultaneous for all steps and quantities of the card player"))


def by_bidder(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows of each bidder, with its name."""
    return [(name, table[table["bidder"] == name]) for name in dict.fromkeys(table["bidder"].tolist())]


def reliability(result: BidsResult, player: int, sheet: Sheet) -> None:
    """Draw reliability curves: of "the bid is exact", and of "at least so many tricks"."""
    table = result.reliability[result.reliability["player"] == result.players[player]]
    upper, lower = sheet.panels[:2], sheet.panels[2:]
    handles: list[Any] = []
    events = (("exact", "the bid is exact", "bids"), ("at least", "at least 1, 2, .. 17 tricks", "forecasts"))
    for high, low, (event, words, cases) in zip(upper, lower, events, strict=True):
        own = table[table["event"] == event]
        curves = [Curve(shortened(cleaned(name), 200), rows) for name, rows in by_bidder(own)]
        handles = draw_reliability(high, low, curves, words, cases)
    sheet.area.align_ylabels()
    sheet.legend(*handles, interval_handle(f"{INTERVAL} over deals"))


def pit(result: BidsResult, player: int, sheet: Sheet) -> None:
    """Draw a PIT histogram for each forecaster: even if it is calibrated."""
    table = result.pit[result.pit["player"] == result.players[player]]
    for (name, own), panel in zip(by_bidder(table), sheet.panels, strict=False):
        share, low, high = (100 * own[key].to_numpy(np.float64) for key in ("share", "low", "high"))
        places = 50 * (own["lower"] + own["upper"]).to_numpy(np.float64)
        panel.bar(places, share, 8.6, color=look_of(0).colour)
        panel.errorbar(places, share, np.maximum([share - low, high - share], 0), fmt="none", ecolor=INK, elinewidth=0.9, capsize=1.5)
        panel.axhline(10, color=GREY, linewidth=1, linestyle=(0, (4, 2)))
        panel.set_title(shortened(cleaned(name), sheet.panel_width(min(len(sheet.panels), ACROSS)), LABEL))
        panel.xaxis.set_major_locator(MultipleLocator(20))
        panel.grid(axis="y")
    finish_grid(sheet, len(result.study.forecasters), "place in the forecast (%)", "bids (%)")
    even = Line2D([], [], color=GREY, linewidth=1, linestyle=(0, (4, 2)), label="calibrated")
    sheet.legend(even, interval_handle(f"{INTERVAL} over deals", INK))
