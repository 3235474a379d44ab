"""Pictures of a run: distributions of scores and points, trump calls, bids.

Every figure says what it shows, of which game, agents, deals and seed. Intervals are 95 %. This and what it is made
of (:mod:`trickbench.plotting`) are the only modules that import matplotlib, and none of them touches pyplot or
the user's settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trickbench.errors import unknown
from trickbench.plotting import games, manchego, manille
from trickbench.plotting.sheet import SIZE, Kind, area_of, drawn, new_area, styled, subtitle
from trickbench.storage import write_once

if TYPE_CHECKING:
    from trickbench.match import GameRun
    from trickbench.simulation import Run

_KINDS: dict[str, dict[str, Kind]] = {"manille": manille.KINDS, "manchego": manchego.KINDS}


def _kinds(run: Run | GameRun) -> dict[str, Kind]:
    return games.kinds_for(run.game.sides) if hasattr(run, "games") else _KINDS.get(run.game.family, {})


def kinds(run: Run | GameRun) -> list[str]:
    """Return the kinds of figure that :func:`plot` can make of a run.

    Parameters
    ----------
    run : Run or GameRun

    Returns
    -------
    list of str
        Manille: "scores", "calls", "points"; Manchego: "scores", "bids", "score_by_bid"; whole games of either: "lengths", "scores".
    """
    return list(_kinds(run))


def plot(run: Run | GameRun, kind: str = "scores", *, ax: Axes | None = None, size: Sequence[float] = SIZE) -> Figure:
    """Return a figure of a run.

    Parameters
    ----------
    run : Run or GameRun
        From :func:`trickbench.simulate`, :func:`trickbench.load` or :func:`trickbench.play_games`.
    kind : str
        Manille:

        - "scores": how often each net deal score (points) occurs, for the side that wins it, by factor;
        - "calls": share of deals won and mean net score of the dealer's side, by trump call and side that deals;
        - "points": how often a side takes 0 to 60 card points.

        Manchego:

        - "scores": how often each deal score (points) occurs, by seat;
        - "bids": deals by bid and tricks won, a map for each seat;
        - "score_by_bid": mean deal score and number of deals by bid and seat.

        Whole games:

        - "lengths": how many deals a game lasts, and who wins it;
        - "scores": the scores at the end of a game, for each side or seat.
    ax : Axes, optional
        A subplot that the picture, with heading, legend and all its panels, replaces; its figure gets the constrained layout.
    size : two numbers
        Width and height in inches of the new figure that is made without ``ax``.

    Returns
    -------
    Figure
        Save it with ``savefig``; pyplot does not know of it, so it need not be closed.

    Raises
    ------
    UsageError
        For a kind that the game does not have, or axes that are not a subplot.

    Examples
    --------
    >>> plot(run, "calls").savefig("calls.png")  # doctest: +SKIP
    """
    if kind not in kinds(run):
        raise unknown("plot", kind, kinds(run))
    chosen = _kinds(run)[kind]
    with styled():
        area = new_area(size) if ax is None else area_of(ax)
        return drawn(area, run, chosen, partial(subtitle, run))


def figures(run: Run | GameRun) -> dict[str, Figure]:
    """Return a figure of each kind that a run can show, by kind.

    Parameters
    ----------
    run : Run or GameRun

    Returns
    -------
    dict of str to Figure
    """
    return {kind: plot(run, kind) for kind in kinds(run)}


def save_figures(run: Run | GameRun, folder: Path, prefix: str = "") -> list[Path]:
    """Draw all figures of a run into a folder, as PNG; return their files.

    Parameters
    ----------
    run : Run or GameRun
    folder : Path
        Made if need be.
    prefix : str
        Put before the kind in the files' names.

    Raises
    ------
    RunError
        If a file cannot be written.
    """
    paths = []
    for kind, figure in figures(run).items():
        paths.append(folder / f"{prefix}{kind.replace('_', '-')}.png")
        write_once(paths[-1], partial(figure.savefig, format="png"))
    return paths
