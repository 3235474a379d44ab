"""random: every legal card, call or bid with the same probability."""

from __future__ import annotations

import trickbench
from trickbench.bits import pick, pick_of_hand
from trickbench.games.manchego.layout import View as ManchegoView
from trickbench.games.manille.layout import View as ManilleView


@trickbench.kernel
def any_of_hand(view: ManilleView) -> int:
    """Return any legal card or call of Manille (at most 8)."""
    return pick_of_hand(view.legal, view.word)


@trickbench.kernel
def any_legal(view: ManchegoView) -> int:
    """Return any legal card or bid of Manchego."""
    return pick(view.legal, view.word)


agent = trickbench.Agent(
    name="random",
    summary="any legal card, call or bid, uniformly; doubles are left to the default",
    manille={"play": any_of_hand, "call": any_of_hand},
    manchego={"play": any_legal, "bid": any_legal},
)
