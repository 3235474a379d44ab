"""A Manchego view as agents read it, from the rows of a block."""

from __future__ import annotations

from typing import Any

from numba import int64

from trickbench.games.manchego import layout as at
from trickbench.games.manchego.options import RuleValues
from trickbench.games.rows import LANES
from trickbench.jit import kernel


@kernel
def header_of(view: Any, rules: RuleValues) -> tuple[int, int, int]:
    """Return what is the same for all lanes: trick, position, target."""
    return int64(view[at.HEADER + at.TRICK]), int64(view[at.HEADER + at.POSITION]), rules.target


@kernel
def view_of(view: Any, i: int, header: tuple[int, int, int]) -> at.View:
    """Return the view of lane ``i``."""
    trick, position, target = header
    return at.View(
        int64(view[at.HAND + i]),
        int64(view[at.LEGAL + i]),
        int64(view[at.PLAYED + i]),
        int64(view[at.TURNED + i]),
        int64(view[at.LED + i]),
        int64(view[at.TRUMP + i]),
        int64(view[at.BEST + i]),
        int64(view[at.TABLE + i]),
        int64(view[at.TABLE + LANES + i]),
        position,
        trick,
        int64(view[at.CANNOT + i]),
        int64(view[at.CANNOT + LANES + i]),
        int64(view[at.DEALER + i]),
        int64(view[at.BIDS_SEEN + i]),
        int64(view[at.BIDS_SEEN + LANES + i]),
        int64(view[at.BIDS_SEEN + 2 * LANES + i]),
        int64(view[at.TRICKS_SEEN + i]),
        int64(view[at.TRICKS_SEEN + LANES + i]),
        int64(view[at.TRICKS_SEEN + 2 * LANES + i]),
        int64(view[at.SCORES_SEEN + i]),
        int64(view[at.SCORES_SEEN + LANES + i]),
        int64(view[at.SCORES_SEEN + 2 * LANES + i]),
        target,
        int64(view[at.WORD + i]),
    )
