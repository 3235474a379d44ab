"""longest: calls its longest suit."""

from __future__ import annotations

import trickbench
from trickbench.games.manille.layout import View
from trickbench.games.manille.sets import best_suit


@trickbench.kernel
def call(view: View) -> int:
    """Call the longest suit; of equals the one with more card points, then the higher of C D H S. Looks first."""
    return best_suit(view.hand, 256, 4) if view.legal & 1 else trickbench.LOOK


agent = trickbench.Agent(
    name="longest", summary="calls its longest suit; of equals the one with more points", manille={"call": call}, uses_word=False
)
