"""Maps of payoffs: points a deal of every two agents, with their intervals in the cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from trickbench.plotting.sheet import INK, LOOKS, Sheet
from trickbench.plotting.studies import row_name
from trickbench.plotting.text import signed, width_of

LOSES, WINS = LOOKS[1].colour, LOOKS[0].colour
DARK = 0.21
"""Relative luminance below which white text has more contrast than ink (WCAG 2.1)."""


def payoff_map(sheet: Sheet, names: Sequence[str], table: pd.DataFrame, across: str, after: str = "") -> None:
    """Draw a map of payoffs on the first panel of a sheet.

    Parameters
    ----------
    sheet : Sheet
    names : sequence of str
        Rows and columns, from the top and from the left.
    table : DataFrame
        row, column (their names), mean, low, high; cells that are not there stay empty.
    across : str
        What the columns are, above them.
    after : str
        Stands after that and after what tells that columns have numbers, as they do where names are too long for them.
    """
    panel, places = sheet.panels[0], {name: number for number, name in enumerate(names)}
    means = np.full((len(names), len(names)), np.nan)
    means[table["row"].map(places), table["column"].map(places)] = table["mean"]
    limit = float(np.nanmax(np.abs(means))) or 1.0
    colours = LinearSegmentedColormap.from_list("payoffs", [LOSES, "#ffffff", WINS])
    image = panel.imshow(np.ma.masked_invalid(means), cmap=colours, vmin=-limit, vmax=limit, aspect="auto")
    bar = sheet.area.colorbar(image, ax=panel, fraction=0.04, pad=0.015)
    bar.set_label("points a deal", fontsize=9)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=9)
    panel.set_xlabel(f"{across}{'' if name_cells(sheet, names) else ' (number of the row)'}{after}")
    write_cells(panel, places, table, image)
    panel.spines[:].set_visible(False)


def name_cells(sheet: Sheet, names: Sequence[str]) -> bool:
    """Name rows and columns; return False if columns have the rows' numbers, because names are too long for them."""
    panel, numbers = sheet.panels[0], range(len(names))
    rows = [row_name(name, sheet.width * 0.22) for name in names]
    widest = max(width_of(line) for name in rows for line in name.split("\n"))
    fits = widest <= (sheet.width - widest - 90) / len(names) - 6
    panel.set_yticks(numbers, rows if fits else [f"{name}  {number + 1}" for number, name in enumerate(rows)])
    panel.set_xticks(numbers, rows if fits else [str(number + 1) for number in numbers])
    panel.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    panel.xaxis.set_label_position("top")
    return fits


def write_cells(panel: Axes, places: dict[str, int], table: pd.DataFrame, image: AxesImage) -> None:
    """Write value and half the interval into each cell, on white where the cell is dark."""
    digits = 1 if len(places) > 8 else 2
    for row in table.to_dict("records"):
        colour = "white" if luminance(image.to_rgba(np.array([row["mean"]]))[0]) < DARK else INK
        reach = "" if np.isnan(row["low"]) or row["low"] == row["high"] else f"\n± {(row['high'] - row['low']) / 2:.{digits}f}"
        text = f"{signed(row['mean'], digits)}{reach}"
        panel.text(places[row["column"]], places[row["row"]], text, ha="center", va="center", color=colour, linespacing=1.15)


def luminance(colour: NDArray[np.float64]) -> float:
    """Return the relative luminance of an sRGB colour, 0 black to 1 white (WCAG 2.1)."""
    parts = np.asarray(colour[:3], np.float64)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))
