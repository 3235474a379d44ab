"""Pictures of whole games: how long they last and who wins them, and the scores at their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from trickbench.plotting.bars import draw_intervals, headroom
from trickbench.plotting.sheet import GREY, INK, INTERVAL, LOOKS, Kind, Sheet, interval_handle, short_who, who
from trickbench.plotting.text import LABEL, plain, width_of
from trickbench.stats.games import mean_of_values

if TYPE_CHECKING:
    from trickbench.match import GameRun

MOST_BARS = 60
"""Values that have bars of their own; with more, neighbours share one."""
NOBODY = -1


def bar_width(values: Any) -> int:
    """Return how many values share a bar."""
    return max(1, -(-(int(np.max(values)) - int(np.min(values)) + 1) // MOST_BARS))


def lengths(run: GameRun, sheet: Sheet) -> None:
    """Draw the share of games that last so many deals, in layers for who wins them."""
    panel, games = sheet.panels[0], run.games
    width = bar_width(games["deals"])
    starts = (games["deals"] // width * width).rename("bar")
    layers = games.groupby([starts, "winner"]).size().unstack(fill_value=0)
    places = layers.index.to_numpy(np.float64) + (width - 1) / 2
    bottom, handles = np.zeros(len(places)), []
    for side, name in [*enumerate(who(run)), (NOBODY, "nobody alone")]:
        if side not in layers:
            continue
        heights = 100 * layers[side].to_numpy(np.float64) / len(games)
        colour, hatch = (GREY, "") if side == NOBODY else (LOOKS[side].colour, LOOKS[side].hatch)
        look: dict[str, Any] = {"facecolor": colour, "hatch": hatch, "edgecolor": "white"}
        panel.bar(places, heights, width - 0.14 * width, bottom, linewidth=0, **look)
        bottom += heights
        handles.append(Patch(label=f"won by {name}", **look))
    draw_intervals(panel, places, layers.sum(axis=1), len(games))
    mean = mean_of_values(games["deals"])
    panel.axvline(mean.mean, color=INK, linewidth=1.3, linestyle="--")
    reach = f" ± {plain((mean.high - mean.low) / 2)}" * (mean.sd > 0)
    panel.set_title(f"mean {plain(mean.mean)}{reach} deals a game (dashed)")
    panel.set_xlabel("deals in the game" + f", bars {width} wide" * (width > 1))
    panel.set_ylabel("share of games (%)")
    panel.xaxis.set_major_locator(MaxNLocator(12, steps=(1, 2, 5, 10), integer=True))
    headroom(panel, 0.06)
    sheet.legend(*handles, interval_handle(f"{INTERVAL} of a share", INK))


def scores(run: GameRun, sheet: Sheet) -> None:
    """Draw the distribution of the scores at the end of a game, a panel for each side or seat."""
    columns = [f"score_{side}" for side in range(run.game.sides)]
    width = bar_width(run.games[columns])
    for side, panel in enumerate(sheet.panels):
        values = run.games[columns[side]]
        counts = (values // width * width).value_counts().sort_index()
        places = counts.index.to_numpy(np.float64) + (width - 1) / 2
        panel.bar(places, 100 * counts / len(values), 0.86 * width, color=LOOKS[side].colour)
        draw_intervals(panel, places, counts, len(values))
        mean = mean_of_values(values)
        panel.axvline(mean.mean, color=INK, linewidth=1.3, linestyle="--")
        about = f": mean {plain(mean.mean, 1)}" + f" ± {plain((mean.high - mean.low) / 2, 1)}" * (mean.n > 1)
        panel.set_title(short_who(run, sheet.panel_width() - width_of(about, LABEL), LABEL)[side] + about)
        panel.set_ylabel("games (%)")
        panel.yaxis.set_major_locator(MaxNLocator(4))
        panel.xaxis.set_major_locator(MaxNLocator(12, steps=(1, 2, 5, 10), integer=True))
        panel.grid(axis="y")
    sheet.panels[-1].set_xlabel("score at the end of the game (points)" + f", bars {width} wide" * (width > 1))
    sheet.legend(interval_handle(f"{INTERVAL} of a share", INK))


def kinds_for(sides: int) -> dict[str, Kind]:
    """Return the kinds of pictures of whole games, for a game in which so many score apart."""
    return {
        "lengths": Kind("How long games last, and who wins them", lengths),
        "scores": Kind("Scores at the end of a game", scores, rows=sides, options={"sharex": True}),
    }
