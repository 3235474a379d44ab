"""fixed: bids the same number every time."""

from __future__ import annotations

from typing import NamedTuple

import trickbench
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.sets import bid_near


class Parameters(NamedTuple):
    """n: the bid."""

    n: int = 6


@trickbench.kernel
def bid(view: View, params: Parameters) -> int:
    """Bid n; where the hook forbids it, one more, or one less than 17."""
    return bid_near(view.legal, params.n)


agent = trickbench.Agent(
    name="fixed", summary="bids n every time", manchego={"bid": bid}, parameters=Parameters, limits={"n": (0, 17)}, uses_word=False
)
