"""Pictures of a call book: which suits are worth calling, when no-trump is right, what is best how often and how clearly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, Normalize, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MultipleLocator
from numpy.typing import NDArray

from trickbench.errors import UsageError, unknown
from trickbench.games.manille.hands import ALL_HANDS
from trickbench.plotting.sheet import INK, LOOKS, SIZE, Kind, Look, Sheet, drawn, new_area, styled
from trickbench.plotting.text import MINUS, SMALL, cleaned, percent, plain, width_of, wrapped
from trickbench.storage import write_once
from trickbench.studies.book import Book
from trickbench.studies.book_reading import EN_FACE_NAME, best_kinds, en_face_gain, en_face_share, margins, no_trump_share, suit_worth

NOTHING = "#f2f2f2"
DIVERGING, RISING = "PuOr", "Blues"
CELL = 7.0
"""Size of the numbers in cells."""
FOURTH = Look("#CC79A7", "D", "-", "xxxx")
PER_CELL = 4
"""Card points of a hand in one cell."""
FAR = 10
"""Points beyond which colours do not tell how far en face is behind: with a long suit it is 30, and ahead at most 5."""
RARE = 1000
"""Numbers of fewer hands are drawn in italics."""


def book_subtitle(book: Book, width: float, most: int) -> str:
    """Return what every figure of a book says below its title."""
    made = book.configuration
    players = " and ".join(dict.fromkeys(cleaned(player) for player in made["players"]))
    own = f"{made['game']} · all {ALL_HANDS:,} hands of the dealer · {book.rollouts:,} worlds for each of 472,579 · seed {made['seed']}"
    partner = ", after en face the partner calls by the book" if EN_FACE_NAME in book.calls else ""
    return f"{wrapped(own, width, most)}\n{wrapped(f'cards played by {players}, nobody doubles{partner}', width, most)}"


def heat(
    panel: Axes, table: pd.DataFrame, across: str, up: str, norm: Normalize, colours: str, digits: int, width: float, rare: int = RARE
) -> None:
    """Draw the means of a table as a map with a number in every cell, in italics if it is of few deals; the panel is so many points wide."""
    xs, ys = (np.arange(int(table[name].min()), int(table[name].max()) + 1) for name in (across, up))
    cells = np.full((len(ys), len(xs)), np.nan)
    cells[table[up] - ys[0], table[across] - xs[0]] = table["mean"]
    extent = (xs[0] - 0.5, xs[-1] + 0.5, ys[0] - 0.5, ys[-1] + 0.5)
    image = panel.imshow(np.ma.masked_invalid(cells), cmap=colours, norm=norm, aspect="auto", origin="lower", extent=extent)
    for x, y, value, deals in zip(table[across], table[up], table["mean"], table["deals"], strict=True):
        dark = _luminance(image.get_cmap(), norm(value)) < 0.45
        text = _rounded(value, digits)
        size = CELL * min(1.0, 0.9 * width / len(xs) / width_of(text, CELL))
        style = "italic" if deals < rare else "normal"
        panel.text(x, y, text, ha="center", va="center", fontsize=size, style=style, color="white" if dark else INK)
    panel.set_facecolor(NOTHING)
    panel.xaxis.set_major_locator(MultipleLocator(1 if len(xs) < 10 else 2))
    panel.yaxis.set_major_locator(MultipleLocator(1))


def _luminance(colours: Colormap, place: Any) -> float:
    red, green, blue, _ = colours(place)
    return float(0.299 * red + 0.587 * green + 0.114 * blue)


def bar_beside(sheet: Sheet, norm: Normalize, colours: str, label: str) -> None:
    """Show beside the maps what a colour stands for."""
    bar = sheet.area.colorbar(ScalarMappable(norm, colours), ax=sheet.panels, pad=0.01, aspect=30)
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label(label)


def suits(book: Book, sheet: Sheet) -> None:
    """Draw the mean net score of calling a suit, by its length and its card points, and by its length and the tens in the hand."""
    tables = {"points": suit_worth(book, "points"), "tens": suit_worth(book, "tens")}
    most = max(float(table["mean"].abs().max()) for table in tables.values())
    norm = TwoSlopeNorm(0, -most, most)
    labels = ("card points of the suit (points)", "tens in the hand (cards)")
    for panel, (by, table), label, part in zip(sheet.panels, tables.items(), labels, (0.7, 0.3), strict=True):
        heat(panel, table, by, "length", norm, DIVERGING, 0 if by == "points" else 1, part * (sheet.width - 130))
        panel.set_xlabel(wrapped(label, part * (sheet.width - 130)))
    sheet.panels[0].set_ylabel("length of the suit that is called (cards)")
    bar_beside(sheet, norm, DIVERGING, "mean net score of the dealer's side (points)")
    sheet.legend(Patch(color=NOTHING, label=f"no such hands; italics: fewer than {RARE:,} of {4 * ALL_HANDS:,} suits"))


def _rounded(value: float, digits: int) -> str:
    """Return a number as cells have it."""
    text = f"{value:.{digits}f}"
    return f"{0:.{digits}f}" if not float(text) else text.replace("-", MINUS)


def no_trump(book: Book, sheet: Sheet) -> None:
    """Draw on which share of deals no-trump is best: by longest suit, and masters, tens or aces."""
    norm = Normalize(0, 100)
    parts = (("masters", 9, "masters (cards)"), ("tens", 5, "tens (cards)"), ("aces", 5, "aces (cards)"))
    for panel, (by, columns, label) in zip(sheet.panels, parts, strict=True):
        table = no_trump_share(book, by)
        table["mean"] *= 100
        heat(panel, table, by, "longest", norm, RISING, 0, columns / 19 * (sheet.width - 160))
        panel.set_xlabel(label)
    sheet.panels[0].set_ylabel("longest suit (cards)")
    bar_beside(sheet, norm, RISING, "deals on which no-trump is best (%)")
    note = f"no such hands; italics: fewer than {RARE:,}; masters: cards that nobody can beat in suit, from the ten down"
    sheet.legend(Patch(color=NOTHING, label=note))


def en_face(book: Book, sheet: Sheet) -> None:
    """Draw on which share of deals en face is best: by longest suit, and tens or card points."""
    _by_longest(book, sheet, en_face_share, 100, Normalize(0, 100), RISING, "deals on which en face is best (%)", 0)


def en_face_worth(book: Book, sheet: Sheet) -> None:
    """Draw by how much en face is ahead of the best other call: by longest suit, and tens or card points."""
    label = f"ahead of the best other call (points; from {FAR} on alike)"
    _by_longest(book, sheet, en_face_gain, 1, TwoSlopeNorm(0, -FAR, FAR), DIVERGING, label, 1)


def _by_longest(
    book: Book, sheet: Sheet, read: Callable[[Book, str, int], pd.DataFrame], times: float, norm: Normalize, colours: str, label: str, digits: int
) -> None:
    """Draw two maps of a value by the longest suit: with the tens and the card points of the hand."""
    parts = (("tens", 1, 5, "tens (cards)"), ("points", PER_CELL, 10, f"card points of the hand, from (in steps of {PER_CELL})"))
    for panel, (by, per, columns, across) in zip(sheet.panels, parts, strict=True):
        table = read(book, by, per)
        table["mean"] *= times
        heat(panel, table, by, "longest", norm, colours, digits, columns / 15 * (sheet.width - 140))
        panel.xaxis.set_major_locator(MultipleLocator(1))
        panel.xaxis.set_major_formatter(FuncFormatter(partial(_from, per)))
        panel.set_xlabel(across)
    sheet.panels[0].set_ylabel("longest suit (cards)")
    bar_beside(sheet, norm, colours, label)
    sheet.legend(Patch(color=NOTHING, label=f"no such hands; italics: fewer than {RARE:,}"))


def _from(per: int, place: float, _: int | None) -> str:
    """Return with what a cell begins."""
    return f"{per * place:.0f}"


def best(book: Book, sheet: Sheet) -> None:
    """Draw how often each kind of call is best, and how far ahead the best call is of the second."""
    left, right = sheet.panels
    kinds = best_kinds(book)
    others = {"no-trump": "NT", "en face": "en face"} if EN_FACE_NAME in book.calls else {"no-trump": "NT"}
    names = [*map(str, range(1, 9)), *others.values()]
    base, handles = np.zeros(len(names)), []
    for kind, look in zip(("longest suit", "shorter suit", *others), (*LOOKS, FOURTH), strict=False):
        own = kinds[kinds["kind"] == kind]
        shares = np.zeros(len(names))
        for length, share in zip(own["length"], own["share"], strict=True):
            shares[names.index(others[kind] if length == 0 else str(length))] = 100 * share
        filled: dict[str, Any] = {"facecolor": look.colour, "hatch": look.hatch, "edgecolor": "white", "linewidth": 0.5}
        left.bar(names, shares, 0.8, base, **filled)
        handles.append(Patch(**filled, label=f"{kind}: {percent(shares.sum() / 100)}"))
        base += shares
    for name, height in zip(names, base, strict=True):
        text = f"{height:.1f}" if height >= 0.05 else "< 0.1" if height else "–"
        left.annotate(text, (name, height), (0, 2), textcoords="offset points", ha="center")
    left.set(xlabel=f"best call: cards in the suit, {'' if len(others) > 1 else 'or '}{' or '.join(others)}", ylabel="deals (%)")
    left.grid(axis="y")
    left.tick_params(axis="x", length=0)
    draw_margins(right, margins(book), book.weights)
    sheet.legend(*handles)


def draw_margins(panel: Axes, margin: NDArray[np.float64], weights: NDArray[np.int64]) -> None:
    """Draw on which share of deals the best call is ahead of the second by so many points or more."""
    order = np.argsort(margin)
    ahead = 100 * (1 - np.concatenate([[0], np.cumsum(weights[order])[:-1]]) / weights.sum())
    thin = np.unique(np.linspace(0, len(order) - 1, 2000).astype(int))
    panel.plot(margin[order][thin], ahead[thin], color=LOOKS[0].colour, linewidth=1.6)
    for points in (1, 3, 10):
        share = float(np.average(margin >= points, weights=weights))
        panel.plot([points], [100 * share], marker="o", color=LOOKS[0].colour, markersize=5)
        panel.annotate(f"{plain(points, 0)} or more: {percent(share)}", (points, 100 * share), (8, 4), textcoords="offset points")
    panel.set(xlim=(0, 30), ylim=(0, 102))
    panel.set_xlabel("best call ahead of the second by (points)")
    panel.set_ylabel("deals with so much or more (%)")
    panel.grid()


KINDS = {
    "suits": Kind("What calling a suit is worth to the dealer's side", suits, 1, 2, {"sharey": True, "gridspec_kw": {"width_ratios": (16, 6)}}),
    "no_trump": Kind("When no-trump is the best call", no_trump, 1, 3, {"sharey": True, "gridspec_kw": {"width_ratios": (9, 5, 5)}}),
    "best": Kind("Which call is best, and by how much", best, 1, 2, {"gridspec_kw": {"width_ratios": (5, 4)}}),
    "en_face": Kind("When to leave the call to the partner", en_face, 1, 2, {"sharey": True, "gridspec_kw": {"width_ratios": (5, 10)}}),
    "en_face_worth": Kind("What leaving it to the partner is worth", en_face_worth, 1, 2, {"sharey": True, "gridspec_kw": {"width_ratios": (5, 10)}}),
}


def kinds_of(book: Book) -> list[str]:
    """Return the kinds of figures that a book has: those of en face if it has a value for it."""
    return [kind for kind in KINDS if EN_FACE_NAME in book.calls or not kind.startswith("en_face")]


def plot_book(book: Book, kind: str = "suits", size: Sequence[float] = SIZE) -> Figure:
    """Return a figure of a call book.

    Parameters
    ----------
    book : Book
    kind : str
        - "suits": mean net score of calling a suit, by its length and card points, and by length and the tens in the hand;
        - "no_trump": share of deals on which no-trump is best, by longest suit and masters, tens or aces;
        - "best": how often each kind of call is best, and how far it is ahead of the second;
        - "en_face", "en_face_worth": on which share of deals en face is best, and how far it is ahead of the best other call, by longest suit and
          tens or card points; for books of games that have it.
    size : two numbers
        Width and height in inches.

    Raises
    ------
    UsageError
        For another kind, or one that the book has no values for.
    """
    if kind not in KINDS:
        raise unknown("plot", kind, KINDS)
    if kind not in kinds_of(book):
        raise UsageError(f"plot '{kind}': this book has no value of en face; one of a game that has it, as manille, would be right")
    with styled():
        return drawn(new_area(size), book, KINDS[kind], partial(book_subtitle, book))


def save_book_figures(book: Book, folder: Path) -> list[Path]:
    """Draw all figures of a book into a folder, as PNG; return their files.

    Raises
    ------
    RunError
        If a file cannot be written.
    """
    paths = []
    for kind in kinds_of(book):
        paths.append(folder / f"calls-{kind.replace('_', '-')}.png")
        write_once(paths[-1], partial(plot_book(book, kind).savefig, format="png"))
    return paths
