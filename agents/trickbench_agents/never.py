"""never: does not double or redouble."""

from __future__ import annotations

import trickbench


@trickbench.kernel
def no(view):  # type: ignore[no-untyped-def]
    """Say no."""
    return trickbench.NO


agent = trickbench.Agent(name="never", summary="never doubles or redoubles", manille={"double": no, "redouble": no}, uses_word=False)
