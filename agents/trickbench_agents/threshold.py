"""threshold: doubles and redoubles on the card points of its own hand."""

from __future__ import annotations

from typing import NamedTuple

import trickbench
from trickbench.games.manille.layout import View
from trickbench.games.manille.rules import points


class Parameters(NamedTuple):
    """points: card points of the hand, of 60 in the pack, from which on it speaks."""

    points: int = 22


@trickbench.kernel
def speak(view: View, params: Parameters) -> int:
    """Say yes with enough card points."""
    return trickbench.YES if points(view.hand) >= params.points else trickbench.NO


agent = trickbench.Agent(
    name="threshold",
    summary="doubles and redoubles with at least so many card points in its own hand",
    manille={"double": speak, "redouble": speak},
    parameters=Parameters,
    limits={"points": (0, 40)},
    uses_word=False,
)
