"""Text in figures: measured, wrapped and shortened, and numbers as people read them."""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.textpath import TextToPath

FONT = "DejaVu Sans"
"""Comes with matplotlib, so figures look the same on every machine."""
SMALL = 9.0
"""Size of everything but titles and axis labels."""
LABEL = 9.5
"""Size of axis labels."""
LONGEST = 400
"""Characters of a name that are looked at; the middle of a longer one is left out."""
MINUS = "\N{MINUS SIGN}"
RULER = TextToPath()
SPARE = 1.03
"""Text on a screen is up to so much wider than its outlines: letters begin on whole pixels."""


@cache
def font(bold: bool = False) -> FontProperties:
    """Return the font that text is measured in."""
    return FontProperties(family=[FONT], weight="bold" if bold else "normal")


def cleaned(text: str) -> str:
    """Return text on one line, with a box for each character that the font cannot draw."""
    line = " ".join(text.split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]}…{line[-LONGEST // 2 :]}"
    drawn = get_font(findfont(font()))
    return "".join(letter if drawn.get_char_index(ord(letter)) else "□" for letter in line)


def width_of(text: str, size: float = SMALL, bold: bool = False) -> float:
    """Return the width of a line of text in points."""
    own = font(bold).copy()
    own.set_size(size)
    return SPARE * float(RULER.get_text_width_height_descent(text, own, False)[0]) if text else 0.0


def shortened(text: str, width: float, size: float = SMALL) -> str:
    """Return text that is no wider than ``width`` points, without its middle if need be."""
    if width_of(text, size) <= width:
        return text
    low, high = 0, len(text) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width_of(_without_middle(text, middle), size) <= width else (low, middle - 1)
    return _without_middle(text, low)


def _without_middle(text: str, kept: int) -> str:
    return f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"


def wrapped(text: str, width: float, most: int = 2, size: float = SMALL, bold: bool = False) -> str:
    """Return text broken after spaces, commas and slashes into lines no wider than ``width`` points.

    What does not fit into ``most`` lines is left out of the middle of the last one.
    """
    lines = [""]
    for part in re.split(r"(?<=[\s,/])", text):
        if lines[-1] and width_of((lines[-1] + part).rstrip(), size, bold) > width:
            lines.append("")
        lines[-1] += part
    lines = [*lines[: most - 1], "".join(lines[most - 1 :])]
    return "\n".join(shortened(line.strip(), width, size) for line in lines if line.strip())


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign, or a dash where there is none."""
    if math.isnan(value):
        return "–"
    text = f"{value:+.{digits}f}"
    return f"{0:.{digits}f}" if not float(text) else text.replace("-", MINUS)


def plain(value: float, digits: int = 2) -> str:
    """Return a number with its sign if it is negative."""
    return signed(value, digits).removeprefix("+")


def percent(rate: float) -> str:
    """Return a share in per cent: one decimal, and two digits of what is less than one."""
    if math.isnan(rate):
        return "–"
    if rate == 0 or rate >= 0.01:
        return f"{100 * rate:.1f} %"
    return f"{np.format_float_positional(100 * rate, 2, fractional=False, trim='-')} %"
