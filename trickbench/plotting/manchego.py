"""Pictures of a run of Manchego: deal scores, bids against tricks, scores by bid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, MultipleLocator
from numpy.typing import NDArray

from trickbench.games.manchego.layout import PLAYERS, TRICKS
from trickbench.plotting.bars import draw_intervals
from trickbench.plotting.sheet import GREY, INK, INTERVAL, LOOKS, Kind, Sheet, interval_handle, interval_label, short_who, who
from trickbench.plotting.text import LABEL, SMALL, percent, signed, width_of, wrapped
from trickbench.stats.intervals import Estimate
from trickbench.stats.summary import by_bid, histogram, mean_of

if TYPE_CHECKING:
    from trickbench.simulation import Run

EDGES = (-0.5, TRICKS + 0.5)
COLOURS, LINE, NOTHING = "viridis_r", "#D55E00", "#f2f2f2"
MEAN: dict[str, Any] = {"marker": "o", "markersize": 4.5, "color": "white", "markeredgecolor": INK}
WHOLE = FuncFormatter(lambda value, _: f"{value:,.0f}")


def own_rows(run: Run, seat: int) -> pd.DataFrame:
    """Return the outcomes of a seat."""
    table: pd.DataFrame = run.outcomes[run.outcomes["seat"] == seat]
    return table


def scores(run: Run, sheet: Sheet) -> None:
    """Draw the distribution of scores of each seat, one panel below the other."""
    for seat, panel in enumerate(sheet.panels):
        own = own_rows(run, seat)
        counts, mean = histogram(own, "score"), mean_of(own, "score")
        values = counts.index.to_numpy(np.float64)
        panel.bar(values, 100 * counts / run.count, 0.86, color=LOOKS[seat].colour)
        draw_intervals(panel, values, counts, run.count)
        about = draw_mean(panel, mean)
        panel.set_title(short_who(run, sheet.panel_width() - width_of(about, LABEL), LABEL)[seat] + about)
        panel.set_ylabel("deals (%)")
        panel.yaxis.set_major_locator(MaxNLocator(4))
        panel.grid(axis="y")
    sheet.panels[-1].set_xlabel("score of the seat in a deal (points)")
    sheet.panels[-1].xaxis.set_major_locator(MaxNLocator(12, steps=(1, 2, 5, 10), integer=True))
    line = Line2D([], [], color=INK, linewidth=1.3, linestyle="--", label="mean score")
    sheet.legend(line, Patch(color=INK, alpha=0.18, label=f"{INTERVAL} of the mean"), interval_handle(f"{INTERVAL} of a share", INK))


def draw_mean(panel: Axes, mean: Estimate) -> str:
    """Draw the mean score and its interval, and return them as text."""
    panel.axvline(mean.mean, color=INK, linewidth=1.3, linestyle="--")
    if np.isnan(mean.low):
        return f" · mean {signed(mean.mean)}"
    panel.axvspan(mean.low, mean.high, color=INK, alpha=0.18, linewidth=0)
    return f" · mean {signed(mean.mean)} ({INTERVAL} {signed(mean.low)} to {signed(mean.high)})"


def bids(run: Run, sheet: Sheet) -> None:
    """Draw how many deals had each bid and number of tricks, a map for each seat, with the exact bids marked."""
    maps = [trick_map(own_rows(run, seat)) for seat in range(PLAYERS)]
    norm = LogNorm(1, max(10, *(int(counts.max()) for counts in maps)))
    table = by_bid(run)
    for seat, (panel, name) in enumerate(zip(sheet.panels, who(run), strict=True)):
        panel.imshow(np.ma.masked_equal(maps[seat], 0), cmap=COLOURS, norm=norm, aspect="auto", origin="lower", interpolation="nearest")
        own = table[table["who"] == str(seat)]
        panel.plot(EDGES, EDGES, color=LINE, linewidth=1.6)
        panel.plot(own["bid"], own["tricks"], linestyle="none", **MEAN)
        exact = np.trace(maps[seat]) / run.count
        panel.set_title(f"{wrapped(name, sheet.panel_width(PLAYERS, 105), size=LABEL)}\nexact bids: {percent(exact)}")
        map_axes(panel)
    sheet.panels[0].set_ylabel("tricks won in the deal (tricks)")
    colour_bar(sheet, norm)
    mean = Line2D([], [], linestyle="none", label="mean tricks won with the bid", **MEAN)
    sheet.legend(Line2D([], [], color=LINE, linewidth=1.6, label="tricks won = bid"), mean, Patch(color=NOTHING, label="no deals"))


def colour_bar(sheet: Sheet, norm: LogNorm, what: str = "deals") -> None:
    """Show beside the maps how many deals, or other things, a colour stands for."""
    bar = sheet.area.colorbar(ScalarMappable(norm, COLOURS), ax=sheet.panels, pad=0.01)
    bar.ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if norm.vmax is not None and norm.vmax < 100_000 else (1,), numticks=20))
    bar.ax.yaxis.set_major_formatter(WHOLE)
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label(f"{what} (log scale)")


def trick_map(own: pd.DataFrame) -> NDArray[np.int64]:
    """Return how many deals of a seat had each number of tricks (rows) with each bid (columns)."""
    counts = np.zeros((TRICKS + 1, TRICKS + 1), np.int64)
    np.add.at(counts, (own["tricks"].to_numpy(np.int64), own["bid"].to_numpy(np.int64)), own["count"].to_numpy(np.int64))
    return counts


def map_axes(panel: Axes) -> None:
    """Label the axes of a map of bids and tricks."""
    panel.set(xlim=EDGES, ylim=EDGES, xlabel="bid (tricks)", facecolor=NOTHING)
    panel.xaxis.set_major_locator(MultipleLocator(5))
    panel.yaxis.set_major_locator(MultipleLocator(5))
    panel.xaxis.set_minor_locator(MultipleLocator(1))
    panel.yaxis.set_minor_locator(MultipleLocator(1))


def score_by_bid(run: Run, sheet: Sheet) -> None:
    """Draw the mean score of each bid of each seat with its interval, and below it how many deals had the bid."""
    upper, lower = sheet.panels
    table = by_bid(run)
    least, most = int(table["bid"].min()), int(table["bid"].max())
    bids_made = np.arange(least, most + 1)
    handles = []
    for seat, name in enumerate(short_who(run, sheet.width / 2 - 60)):
        look = LOOKS[seat]
        own = table[table["who"] == str(seat)].set_index("bid").reindex(bids_made)
        places = bids_made + 0.2 * (seat - 1)
        score = own["score"].to_numpy(np.float64)
        reach = np.abs(own[["score_low", "score_high"]].to_numpy(np.float64).T - score)
        upper.errorbar(places, score, reach, color=look.colour, marker=look.marker, linestyle=look.line, linewidth=1, elinewidth=1.3, markersize=5)
        lower.plot(places, own["n"], color=look.colour, marker=look.marker, linestyle=look.line, linewidth=1, markersize=5)
        handles.append(look.handle(name, look.line))
    bid_axes(upper, lower, bids_made, table)
    sheet.area.align_ylabels()
    sheet.legend(*handles, interval_handle(interval_label(table["n"])))


def bid_axes(upper: Axes, lower: Axes, bids_made: NDArray[np.int64], table: pd.DataFrame) -> None:
    """Label the axes of mean scores and numbers of deals by bid; bids that nobody made say so."""
    upper.axhline(0, color=GREY, linewidth=0.9, linestyle=":")
    upper.set_ylabel("mean score\n(points)")
    lower.set(xlabel="bid (tricks)", ylabel="deals\n(log scale)", yscale="log")
    lower.set_ylim(0.6, 10 ** np.ceil(np.log10(table["n"].max() + 1)))
    lower.yaxis.set_major_locator(LogLocator(numticks=5))
    lower.yaxis.set_major_formatter(WHOLE)
    lower.set_xlim(bids_made[0] - 0.6, bids_made[-1] + 0.6)
    lower.xaxis.set_major_locator(MultipleLocator(1))
    for bid in sorted(set(bids_made) - set(table["bid"])):
        lower.text(bid, 0.5, "no deals", color=GREY, rotation=90, ha="center", va="center", transform=lower.get_xaxis_transform())
    for panel in (upper, lower):
        panel.grid()


KINDS = {
    "scores": Kind("Distribution of deal scores by seat", scores, PLAYERS, 1, {"sharex": True, "sharey": True}),
    "bids": Kind("Bids against tricks won", bids, 1, PLAYERS, {"sharey": True}),
    "score_by_bid": Kind("Mean deal score by bid", score_by_bid, 2, 1, {"sharex": True, "gridspec_kw": {"height_ratios": (3, 2)}}),
}
