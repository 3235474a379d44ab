"""no-trump: always calls no-trump."""

from __future__ import annotations

from typing import NamedTuple

import trickbench
from trickbench.games.manille.layout import View


class Parameters(NamedTuple):
    """blind: 1 to call before looking, where the rules allow it."""

    blind: int = 0


@trickbench.kernel
def call(view: View, params: Parameters) -> int:
    """Call no-trump; before looking only if told to."""
    return trickbench.NT if (view.legal & trickbench.LOOK == 0) | (params.blind != 0) else trickbench.LOOK


agent = trickbench.Agent(
    name="no-trump",
    summary="always calls no-trump; blind=1: before looking, where the rules allow it",
    manille={"call": call},
    parameters=Parameters,
    limits={"blind": (0, 1)},
    uses_word=False,
)
