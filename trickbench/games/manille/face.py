"""A Manille view as agents read it, from the rows of a block."""

from __future__ import annotations

from typing import Any

from numba import int64

from trickbench.games.manille import layout as at
from trickbench.games.manille.options import RuleValues
from trickbench.games.rows import LANES
from trickbench.jit import kernel
from trickbench.narrow import entry


@kernel
def header_of(view: Any, rules: RuleValues) -> tuple[int, int, int]:
    """Return what is the same for all lanes: trick, position, target."""
    return int64(view[at.HEADER + at.TRICK]), int64(view[at.HEADER + at.POSITION]), rules.target


@kernel
def view_of(view: Any, i: int, header: tuple[int, int, int]) -> at.View:
    """Return the view of lane ``i``."""
    trick, position, target = header
    return at.View(
        entry(view[at.HAND + i]),
        entry(view[at.LEGAL + i]),
        entry(view[at.PLAYED + i]),
        entry(view[at.LED + i]),
        entry(view[at.TRUMP + i]),
        entry(view[at.BEST + i]),
        entry(view[at.PARTNER_WINNING + i]),
        entry(view[at.TABLE + i]),
        entry(view[at.TABLE + LANES + i]),
        entry(view[at.TABLE + 2 * LANES + i]),
        position,
        trick,
        entry(view[at.TRICK_POINTS + i]),
        entry(view[at.CANNOT + i]),
        entry(view[at.CANNOT + LANES + i]),
        entry(view[at.CANNOT + 2 * LANES + i]),
        entry(view[at.DEALER + i]),
        entry(view[at.CALLER + i]),
        entry(view[at.ASKED + i]),
        entry(view[at.CALL + i]),
        entry(view[at.DOUBLED + i]),
        entry(view[at.REDOUBLED + i]),
        entry(view[at.FACTOR + i]),
        entry(view[at.POINTS_US + i]),
        entry(view[at.POINTS_THEM + i]),
        entry(view[at.TRICKS_US + i]),
        entry(view[at.TRICKS_THEM + i]),
        entry(view[at.SCORE_US + i]),
        entry(view[at.SCORE_THEM + i]),
        entry(view[at.CARRY + i]),
        target,
        entry(view[at.WORD + i]),
    )
