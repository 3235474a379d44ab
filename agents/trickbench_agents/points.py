"""points: calls the suit in which it holds the most card points."""

from __future__ import annotations

import trickbench
from trickbench.games.manille.layout import View
from trickbench.games.manille.sets import best_suit


@trickbench.kernel
def call(view: View) -> int:
    """Call the suit with the most card points; of equals the longer one, then the higher of C D H S. Looks first."""
    return best_suit(view.hand, 4, 256) if view.legal & 1 else trickbench.LOOK


agent = trickbench.Agent(
    name="points", summary="calls the suit in which it holds the most card points; of equals the longer one", manille={"call": call}, uses_word=False
)
