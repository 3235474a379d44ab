"""A Manchego view as agents read it, from the rows of a block."""

from __future__ import annotations

from typing import Any

from trickbench.games.manchego import layout as at
from trickbench.games.manchego.options import RuleValues
from trickbench.games.rows import LANES
from trickbench.jit import kernel
from trickbench.narrow import entry


@kernel
def header_of(view: Any, rules: RuleValues) -> tuple[int, int, int]:
    """Return what is the same for all lanes: trick, position, target."""
    return entry(view[at.HEADER + at.TRICK]), entry(view[at.HEADER + at.POSITION]), rules.target


@kernel
def view_of(view: Any, i: int, header: tuple[int, int, int]) -> at.View:
    """Return the view of lane ``i``."""
    trick, position, target = header
    return at.View(
        entry(view[at.HAND + i]),
        entry(view[at.LEGAL + i]),
        entry(view[at.PLAYED + i]),
        entry(view[at.TURNED + i]),
        entry(view[at.LED + i]),
        entry(view[at.TRUMP + i]),
        entry(view[at.BEST + i]),
        entry(view[at.TABLE + i]),
        entry(view[at.TABLE + LANES + i]),
        position,
        trick,
        entry(view[at.CANNOT + i]),
        entry(view[at.CANNOT + LANES + i]),
        entry(view[at.DEALER + i]),
        entry(view[at.BIDS_SEEN + i]),
        entry(view[at.BIDS_SEEN + LANES + i]),
        entry(view[at.BIDS_SEEN + 2 * LANES + i]),
        entry(view[at.TRICKS_SEEN + i]),
        entry(view[at.TRICKS_SEEN + LANES + i]),
        entry(view[at.TRICKS_SEEN + 2 * LANES + i]),
        entry(view[at.SCORES_SEEN + i]),
        entry(view[at.SCORES_SEEN + LANES + i]),
        entry(view[at.SCORES_SEEN + 2 * LANES + i]),
        target,
        entry(view[at.WORD + i]),
    )
