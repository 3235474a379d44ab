"""never: does not double or redouble."""

from __future__ import annotations

import trickbench
from trickbench.games.manille.layout import View


@trickbench.kernel
def no(view: View) -> int:
    """Say no."""
    return trickbench.NO


agent = trickbench.Agent(name="never", summary="never doubles or redoubles", manille={"double": no, "redouble": no}, uses_word=False)
