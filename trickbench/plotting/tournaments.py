"""Figures of a tournament, and of several duels that are steps of a ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from numpy.typing import NDArray

from trickbench.plotting.labels import label_points
from trickbench.plotting.payoffs import payoff_map
from trickbench.plotting.sheet import GREY, INTERVAL, LOOKS, SIZE, Kind, Sheet, interval_handle
from trickbench.plotting.studies import Row, Told, figure_of, forest, height_for, row_name, with_reach
from trickbench.plotting.text import cleaned, shortened, signed
from trickbench.stats.intervals import Estimate

if TYPE_CHECKING:
    from trickbench.studies.tournament_result import TournamentResult

MANY = 6
"""Points up to this many have their names beside them; more have numbers."""


def tournament_figures(result: TournamentResult) -> dict[str, Figure]:
    """Return the figures of a tournament by name.

    Parameters
    ----------
    result : TournamentResult

    Returns
    -------
    dict of str to Figure
        "payoffs": a map of points a deal for every two agents; "ratings": log-strengths and Elo; "speed", if it was measured: what an agent
        gains against the field, by the time it takes.
    """
    told, agents = told_of_tournament(result), len(result.names)
    anchor = cleaned(result.names[result.study.anchored])
    kind = Kind("Payoffs: points a deal that the row's agent has more than the column's", payoffs)
    figures = {
        "payoffs": figure_of(kind, result, told, 2.3 + 0.42 * agents),
        "ratings": figure_of(Kind(f"Ratings; {anchor} is 0", ratings), result, told, height_for(agents, 2) + 0.4),
    }
    if result.timed["microseconds"].notna().any():
        figures["speed"] = figure_of(Kind("Strength and speed", speed), result, told, SIZE[1] + 0.1 * agents * (agents > MANY))
    return figures


def told_of_tournament(result: TournamentResult) -> Told:
    """Return what figures of a tournament say below their titles."""
    study, parts = result.study, result.study.parts()
    deals = f"{study.deals:,} deal{'s' * (study.deals != 1)} for every {'two' if study.size == 2 else 'three'} agents"
    return Told(study.game.described(), f"{len(result.names)} agents · {deals}, each in {parts[0].plays} seatings · seed {study.seed}")


def ranked(result: TournamentResult) -> pd.DataFrame:
    """Return the ratings, best first."""
    table: pd.DataFrame = result.ratings
    return table.sort_values("rating", ascending=False, kind="stable", ignore_index=True)


def payoffs(result: TournamentResult, sheet: Sheet) -> None:
    """Draw a map of points a deal, agents by rating; values with half their intervals in the cells."""
    payoff_map(sheet, ranked(result)["agent"].tolist(), result.payoffs, "against", f"; ± half the {INTERVAL}")
    sheet.panels[0].set_ylabel("agent, best first")


def ratings(result: TournamentResult, sheet: Sheet) -> None:
    """Draw ratings with their intervals, best first, on a scale of log-strength below and of Elo above."""
    panel, table = sheet.panels[0], ranked(result)
    rows = [Row(row_name(own["agent"]), own["rating"], own["low"], own["high"], rating_note(own)) for own in table.to_dict("records")]
    forest(panel, rows, **LOOKS[0].points())
    panel.set_xlabel("rating (log-strength)")
    scale = elo_scale(table)
    if scale:
        elo = panel.secondary_xaxis("top", functions=(lambda x: np.multiply(x, scale), lambda x: np.divide(x, scale)))
        elo.set_xlabel("Elo")
        elo.xaxis.set_major_locator(MaxNLocator(8))
        elo.tick_params(labelsize=9)
    sheet.legend(interval_handle(f"{INTERVAL} (bootstrap)"))


def rating_note(own: dict[Any, Any]) -> str:
    """Return an agent's rating and Elo as text; the anchor has no interval."""
    return f"{with_reach(own['rating'], own['low'], own['high'])}, Elo {signed(own['elo'], 0)}"


def elo_scale(table: pd.DataFrame) -> float:
    """Return Elo points for 1 of log-strength, as the table has them; 0 if all ratings are 0."""
    ratings, elo = table["rating"].to_numpy(np.float64), table["elo"].to_numpy(np.float64)
    far = np.abs(ratings).argmax()
    return float(elo[far] / ratings[far]) if ratings[far] else 0.0


def speed(result: TournamentResult, sheet: Sheet) -> None:
    """Draw what agents gain against the field by the time they take for a decision."""
    panel, table = sheet.panels[0], result.timed.dropna(subset="microseconds")
    x, y = table["microseconds"].to_numpy(np.float64), table["edge"].to_numpy(np.float64)
    reach = np.maximum([y - table["edge_low"], table["edge_high"] - y], 0)
    panel.axhline(0, color=GREY, linewidth=0.9, linestyle=":")
    panel.errorbar(x, y, reach, **LOOKS[0].points())
    time_axis(panel, x)
    panel.margins(y=0.12)
    panel.grid()
    panel.set_ylabel("mean edge against the field (points a deal)")
    names = [shortened(cleaned(agent), 150 if len(table) <= MANY else sheet.width / 2 - 60) for agent in table["agent"]]
    numbered = [LOOKS[0].handle(f"{number}  {name}") for number, name in enumerate(names, 1)] if len(names) > MANY else []
    sheet.legend(*numbered, interval_handle())
    label_points(panel, x, y, [str(number) for number in range(1, len(names) + 1)] if numbered else names)


def time_axis(panel: Axes, x: NDArray[np.float64]) -> None:
    """Prepare a logarithmic axis of microseconds, with room for the labels of points at the sides."""
    low, high = float(x.min()) / 2, float(x.max()) * 2
    panel.set_xscale("log")
    panel.set_xlim(low, high)
    panel.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,)))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.set_xlabel("time for a decision (microseconds, log scale)")


def ladder_figure(steps: pd.DataFrame) -> Figure:
    """Return a figure of the edge of each step of a ladder of duels.

    Parameters
    ----------
    steps : DataFrame
        One row a duel: study, A, B, game, n (deals), edge (points a deal), low, high (99 %, simultaneous).
    """
    games = list(dict.fromkeys(steps["game"]))
    told = Told(", ".join(games), f"{len(steps)} duel{'s' * (len(steps) != 1)}, {steps['n'].sum():,} deals, each in all seatings")
    return figure_of(Kind("Ladder: the edge of A against B in each step", ladder), steps, told, height_for(len(steps), 3))


def ladder(steps: pd.DataFrame, sheet: Sheet) -> None:
    """Draw the edge of each step with its interval."""
    panel, several = sheet.panels[0], steps["game"].nunique() > 1
    forest(panel, [step_row(step, several) for step in steps.to_dict("records")], **LOOKS[0].points())
    panel.set_xlabel("A's edge in a deal (points)")
    sheet.legend(interval_handle("99 % interval, simultaneous for all steps"))


def step_row(step: dict[Any, Any], several: bool) -> Row:
    """Return the row of a step, with its game if there are several."""
    edge = Estimate(int(step["n"]), step["edge"], np.nan, step["low"], step["high"])
    study = f"{step['study']}, {step['game']}" if several else step["study"]
    lines = [str(study), f"A: {step['A']}", f"B: {step['B']}"]
    note = f"{with_reach(edge.mean, edge.low, edge.high)}\n{edge.n:,} deal{'s' * (edge.n != 1)}"
    return Row("\n".join(shortened(cleaned(line), 230) for line in lines), edge.mean, edge.low, edge.high, note)
