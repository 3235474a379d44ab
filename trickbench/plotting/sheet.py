"""The sheet that a picture is drawn on: a figure with heading and panels, or axes that somebody else made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pandas as pd
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D

from trickbench.errors import UsageError
from trickbench.plotting.text import FONT, LABEL, SMALL, cleaned, shortened, width_of, wrapped
from trickbench.stats.summary import SIDES, side_agents

if TYPE_CHECKING:
    from trickbench.match import GameRun
    from trickbench.simulation import Run


TITLE = 13.0
SIZE = (9.0, 5.0)
"""Inches."""
ROOMY = 4.5
"""Height in inches from which on the heading may break long names over lines."""
DPI = 110
POINTS = 72
"""Points in an inch."""
INK, GREY, FAINT = "#222222", "#666666", "#dddddd"
INTERVAL = "95 % interval"


Line = Literal["-", "--", ":", "none"]


class Look(NamedTuple):
    """How a side or seat is drawn; each differs from the others without its colour."""

    colour: str
    """of Okabe and Ito's palette, which colour-blind people can tell apart"""
    marker: str
    line: Line
    hatch: str

    def handle(self, label: str, line: Line = "none") -> Line2D:
        """Return the legend's sign for points of a side or seat."""
        return Line2D([], [], color=self.colour, marker=self.marker, linestyle=line, markersize=5.5, linewidth=1, label=label)

    def points(self) -> dict[str, Any]:
        """Return how points with intervals, and no line through them, are drawn."""
        return {"color": self.colour, "marker": self.marker, "markersize": 5.5, "linestyle": "none", "elinewidth": 1.4}


LOOKS = (Look("#0072B2", "o", "-", ""), Look("#D55E00", "s", "--", "////"), Look("#009E73", "^", ":", "...."))
MORE_LOOKS = (
    *LOOKS, Look("#CC79A7", "D", "-", ""), Look("#E69F00", "v", "--", ""), Look("#56B4E9", "P", ":", ""), Look("#000000", "X", "-", ""),
    Look("#8C6D31", "<", "--", ""), Look("#666666", ">", ":", ""),
)  # fmt: skip
"""For pictures of many; further ones begin again."""
STYLE = {
    "font.family": [FONT],
    "font.size": SMALL,
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.labelsize": LABEL,
    "axes.titlesize": LABEL,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": SMALL,
    "errorbar.capsize": 2.5,
}


def styled() -> AbstractContextManager[None]:
    """Return a context in which figures look alike, whatever the user's settings, which are restored after it."""
    manager: AbstractContextManager[None] = style.context(["default", STYLE])
    return manager


class Picture(Figure):
    """A figure that a notebook shows by itself; pyplot, which would do that for others, does not know of it."""

    def _repr_png_(self) -> bytes:
        content = BytesIO()
        self.savefig(content, format="png")
        return content.getvalue()


class Kind(NamedTuple):
    """A kind of picture.

    ``draw(run, sheet)`` fills ``sheet.panels``, which are in ``rows`` and ``columns``.
    """

    title: str
    draw: Callable[[Any, Sheet], None]
    rows: int = 1
    columns: int = 1
    options: dict[str, Any] = {}  # noqa: RUF012 (of a tuple, never written)
    """for ``subplots``"""


@dataclass
class Sheet:
    """Where a picture is drawn.

    Attributes
    ----------
    area : SubFigure
        What holds heading, panels and legend.
    panels : list of Axes
        In reading order.
    width : float
        Width of the area in points.
    roomy : bool
        False if it is so low that headings must be short.
    """

    area: SubFigure
    panels: list[Axes]
    width: float
    roomy: bool

    def legend(self, *handles: Any) -> None:
        """Show a legend below the panels.

        A tuple of handles is shown side by side with the label of the first.
        """
        labels = [str((handle[0] if isinstance(handle, tuple) else handle).get_label()) for handle in handles]
        widths = [width_of(label) + 4.6 * SMALL for label in labels]
        fitting = (n for n in range(len(handles), 1, -1) if sum(max(widths[k::n]) for k in range(n)) <= self.width)
        columns = next(fitting, 1)
        # Legends are filled column by column, and read row by row.
        order = [k for column in range(columns) for k in range(column, len(handles), columns)]
        self.area.legend(
            [handles[k] for k in order],
            [labels[k] for k in order],
            loc="outside lower left",
            ncols=columns,
            handler_map={tuple: HandlerTuple(None, 0)},
            handletextpad=0.6,
            columnspacing=1.6,
        )

    def panel_width(self, columns: int = 1, beside: float = 50) -> float:
        """Return the width of each of so many panels in a row, with ``beside`` points left to labels."""
        return (self.width - beside) / columns - 8


def new_area(size: Sequence[float]) -> SubFigure:
    """Return the area of a new figure, which pyplot knows nothing of; ``size`` in inches."""
    area = Picture(figsize=(size[0], size[1]), dpi=DPI, layout="constrained", facecolor="white").subfigures()
    assert isinstance(area, SubFigure)
    return area


def area_of(ax: Axes) -> SubFigure:
    """Return an area in the place of a subplot, which it replaces.

    Raises
    ------
    UsageError
        If the axes are not one of a figure's subplots.
    """
    place = ax.get_subplotspec() if isinstance(ax, Axes) else None
    if place is None:
        raise UsageError("ax cannot be these axes; one subplot would be right, as from figure.subplots()")
    figure = ax.figure
    ax.remove()
    if not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        figure.figure.set_layout_engine("constrained")
    return figure.add_subfigure(place, facecolor="white")


def drawn(area: SubFigure, subject: Any, kind: Kind, told: Callable[[float, int], str]) -> Figure:
    """Draw a picture of a subject on an area and return its figure; ``told`` gives the subtitle, as :func:`told_of` does."""
    kind.draw(subject, sheet_on(area, kind, told))
    figure = area.figure.figure
    assert isinstance(figure, Figure)
    # Ticks are made when a figure is first drawn; that must not wait until the user's settings are back.
    figure.draw_without_rendering()
    return figure


def sheet_on(area: SubFigure, kind: Kind, told: Callable[[float, int], str]) -> Sheet:
    """Return a sheet with heading and empty panels on an area.

    ``told`` takes the width in points and how many lines a part may have, and returns what stands below the title.
    """
    inches = area.bbox.transformed(area.dpi_scale_trans.inverted())
    width = inches.width * POINTS - 16
    # Two headings, one in the other: the outer is the title, and the layout makes room for both.
    area.suptitle(wrapped(kind.title, width, size=TITLE, bold=True), x=0.01, ha="left", fontsize=TITLE, weight="bold")
    inner = area.subfigures()
    assert isinstance(inner, SubFigure)
    roomy = bool(inches.height >= ROOMY)
    lines = told(width, 2 if roomy else 1)
    inner.suptitle(lines, x=0.01, ha="left", fontsize=SMALL, color=GREY, linespacing=1.3)
    panels = list(inner.subplots(kind.rows, kind.columns, squeeze=False, **kind.options).flat)
    for panel in panels:
        # How many ticks there is room for is computed from this, or else from the user's settings, whenever a figure is drawn.
        panel.tick_params(labelsize=SMALL)
    return Sheet(inner, panels, width, roomy)


def places(run: Run | GameRun) -> list[str]:
    """Return "seats 0+2" or "seat 0" for each side or seat."""
    return [f"seats {side}" for side in SIDES] if run.game.family == "manille" else [f"seat {seat}" for seat in range(run.game.players)]


def who(run: Run | GameRun) -> list[str]:
    """Return "seats 0+2: greedy" or "seat 0: greedy" for each side or seat."""
    return [f"{place}: {cleaned(agent)}" for place, agent in zip(places(run), side_agents(run), strict=True)]


def short_who(run: Run | GameRun, width: float, size: float = SMALL) -> list[str]:
    """Return the sides or seats with their agents, shortened to ``width`` points."""
    named = zip(places(run), side_agents(run), strict=True)
    return [f"{place}: {shortened(cleaned(agent), width - width_of(f'{place}: ', size), size)}" for place, agent in named]


def subtitle(run: Run | GameRun, width: float, most: int) -> str:
    """Return what every figure of a run says below its title: game and changed rules, deals, seed, agents."""
    start = f" from number {run.first:,}" if run.first else ""
    return told_of(run.game.described(), f"{run.size_text}{start}{forfeits_text(run)} · seed {run.seed}", who(run), width, most)


def told_of(game: str, facts: str, names: Sequence[str], width: float, most: int) -> str:
    """Return the lines below a title: game and facts, then who plays, no wider than ``width`` points.

    A part that needs more than a line may have ``most`` of them.
    """
    game = cleaned(game)
    lines = [f"{game} · {facts}"] if width_of(f"{game} · {facts}") <= width else [wrapped(game, width, most), wrapped(facts, width, most)]
    lines += [" · ".join(names)] * bool(names) if width_of(" · ".join(names)) <= width else [wrapped(name, width, most) for name in names]
    return "\n".join(lines)


def forfeits_text(run: Run | GameRun) -> str:
    """Return how many deals were forfeited, if any: they have scores, but no points."""
    if "forfeit" not in run.outcomes:
        return ""
    number = int(run.outcomes.loc[run.outcomes["forfeit"] >= 0, "count"].sum())
    return f" ({number:,} forfeited, which count in scores alone)" if number else ""


def interval_handle(label: str = INTERVAL, colour: str = GREY) -> Line2D:
    """Return the legend's sign for intervals that are drawn as bars with caps."""
    return Line2D([], [], color=colour, marker="|", markersize=7, linewidth=1.2, markeredgewidth=1.2, label=label)


def interval_label(numbers: pd.Series, note: str = "") -> str:
    """Return what the legend says of intervals of means of so many deals each: one deal has none."""
    notes = [note] * bool(note) + ["none for 1 deal"] * bool((numbers == 1).any())
    return f"{INTERVAL} ({'; '.join(notes)})" if notes else INTERVAL
