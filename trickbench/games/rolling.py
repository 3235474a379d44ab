"""What rollouts have in common in every game: positions into lanes, block by block, played out, added up."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from numba import int64, types, void

from trickbench.engine import NUMBERS, Loops
from trickbench.games.rows import LANES
from trickbench.jit import compiled
from trickbench.streams import counter

TABLE = types.int64[:, ::1]


def make_rollout(at: ModuleType, loops: Loops, load_lane: Callable[..., None], play_out: Callable[..., int], add_up: Callable[..., None]) -> Any:
    """Return the compiled ``rollout`` of a game.

    Parameters
    ----------
    at : module
        The game's layout.
    loops : Loops
        The engine's loops for it.
    load_lane, play_out, add_up : callable
        Put a position into a lane; play the lanes to their end; add what came of them to the sums of their groups.
    """
    size, count_row, live, choose = at.SIZE, at.COUNTER, at.LIVE, loops.choose

    @compiled(void(loops.blocks, NUMBERS, TABLE, int64))
    def load(S: Any, R: Any, T: Any, first: int) -> None:
        """Put positions from ``first`` on into the lanes; those beyond the last one repeat it and do not count."""
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            for i in range(LANES):
                place = first + b * LANES + i
                load_lane(B, i, T, place if place < T.shape[1] else T.shape[1] - 1, R)
                low, high = counter(place, 0)
                B[count_row + i] = low
                B[count_row + LANES + i] = high
                B[live + i] = 1 if place < T.shape[1] else 0

    @compiled(int64(loops.blocks, NUMBERS, NUMBERS, TABLE, NUMBERS, int64, int64, NUMBERS, NUMBERS, NUMBERS, TABLE, choose, choose, choose, choose))
    def rollout(
        S: Any, R: Any, run: Any, T: Any, groups: Any, trick: int, place: int, data: Any, bounds: Any, error: Any, sums: Any, f0: Any, f1: Any,
        f2: Any, f3: Any,
    ) -> int:  # fmt: skip
        """Play positions to their end and add up scores; return 0, or 1 after an illegal card. See :mod:`trickbench.rollouts`."""
        lanes = S.size // size * LANES
        for first in range(0, T.shape[1], lanes):
            load(S, R, T, first)
            if play_out(S, R, run, trick, place, data, bounds, error, f0, f1, f2, f3) > 0:
                return 1
            add_up(S, groups, first, sums)
        return 0

    return rollout
