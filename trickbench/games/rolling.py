"""What rollouts have in common in every game: positions into lanes, block by block, played out, added up."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from numba import int64, types

from trickbench.engine import NUMBERS, Loops
from trickbench.games.rows import LANES
from trickbench.jit import compiled


def make_rollout(at: ModuleType, loops: Loops, load: Callable[..., None], play_out: Callable[..., int], add_up: Callable[..., None]) -> Any:
    """Return the compiled ``rollout`` of a game.

    Parameters
    ----------
    at : module
        The game's layout.
    loops : Loops
        The engine's loops for it.
    load, play_out, add_up : callable
        Put positions into the lanes; play them to their end; add what came of them to the sums of their groups.
    """
    table, choose = types.int64[:, ::1], loops.choose

    @compiled(int64(loops.blocks, NUMBERS, NUMBERS, table, NUMBERS, int64, int64, NUMBERS, NUMBERS, NUMBERS, table, choose, choose, choose, choose))
    def rollout(
        S: Any, R: Any, run: Any, T: Any, groups: Any, trick: int, place: int, data: Any, bounds: Any, error: Any, sums: Any, f0: Any, f1: Any,
        f2: Any, f3: Any,
    ) -> int:  # fmt: skip
        """Play positions to their end and add up scores; return 0, or 1 after an illegal card. See :mod:`trickbench.rollouts`."""
        lanes = S.size // at.SIZE * LANES
        for first in range(0, T.shape[1], lanes):
            load(S, R, T, first)
            if play_out(S, R, run, trick, place, data, bounds, error, f0, f1, f2, f3) > 0:
                return 1
            add_up(S, groups, first, sums)
        return 0

    return rollout
