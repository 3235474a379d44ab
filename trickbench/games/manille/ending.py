"""The end of a Manille deal over the lanes of blocks: points, score, and the cell that the deal is counted in.

A deal's outcome is one number, its cell: points, tricks, dealer, who called what, doubles, or who forfeited. A run's
statistics are the counts of the cells: integers that add up exactly, in memory that does not grow with the run, and
everything that is reported is computed from them.
"""

from __future__ import annotations

from typing import Any

from numba import int64, types, void

from trickbench.games.manille import layout as at
from trickbench.games.manille.dealing import BLOCKS, NUMBERS, unpack
from trickbench.games.manille.scoring import HALF, PACK_POINTS, next_carry, score
from trickbench.games.rows import LANES
from trickbench.jit import compiled, kernel
from trickbench.narrow import entry
from trickbench.streams import record_place

SHAPE = (PACK_POINTS + 2, at.TRICKS + 1, at.PLAYERS, 2, 2, 5, 3)
"""Points of side 0 (61: a forfeit), its tricks (at a forfeit: the seat), dealer, en face, blind, call, doubles."""
CELLS = 62 * 9 * 4 * 2 * 2 * 5 * 3
FORFEITED = PACK_POINTS + 1


@kernel
def cell(points: int, tricks: int, dealer: int, faced: int, blind: int, call: int, doubles: int) -> int:
    """Return the number of an outcome in ``SHAPE``."""
    return (((((points * 9 + tricks) * 4 + dealer) * 2 + faced) * 2 + blind) * 5 + call) * 3 + doubles


@kernel
def finish_lane(B: Any, i: int, rules: Any) -> None:
    """Score lane ``i``."""
    odd = entry(B[at.LEADER + i]) & 1 != 0
    points = entry(B[at.POINTS + LANES + i]) if odd else entry(B[at.POINTS + i])
    tricks = entry(B[at.TRICKS_WON + LANES + i]) if odd else entry(B[at.TRICKS_WON + i])
    call, blind = entry(B[at.CALL + i]), entry(B[at.BLIND + i])
    no_trump = 1 if call == at.NT_CALL else 0
    doubles = entry(B[at.DOUBLED + i]) + entry(B[at.REDOUBLED + i])
    carry = entry(B[at.CARRY + i])
    forfeit = entry(B[at.FORFEIT + i])
    side = (forfeit - 1) & 1
    score_0 = score(points, tricks, no_trump, blind, doubles, carry, rules)
    score_1 = score(PACK_POINTS - points, at.TRICKS - tricks, no_trump, blind, doubles, carry, rules)
    B[at.DEAL_SCORES + i] = (side * rules.penalty) if forfeit != 0 else score_0
    B[at.DEAL_SCORES + LANES + i] = ((1 - side) * rules.penalty) if forfeit != 0 else score_1
    B[at.NEXT_CARRY + i] = carry if forfeit != 0 else next_carry(points, carry, rules)
    points = FORFEITED if forfeit != 0 else points
    tricks = forfeit - 1 if forfeit != 0 else tricks
    B[at.CELL + i] = cell(points, tricks, entry(B[at.DEALER_SEAT + i]), entry(B[at.ASKED + i]), blind, call, doubles)


@compiled(void(BLOCKS, NUMBERS))
def finish(S: Any, R: Any) -> None:
    """Score all lanes."""
    rules = unpack(R)
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            finish_lane(B, i, rules)


@compiled(void(BLOCKS, NUMBERS, types.uint32[::1], int64))
def tally(S: Any, counts: Any, codes: Any, first: int) -> None:
    """Count the outcome of every live lane; where codes are wanted, write each deal's cell at its place."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            if B[at.LIVE + i] != 0:
                counts[entry(B[at.CELL + i])] += 1
                if codes.size > 0:
                    codes[record_place(int64(B[at.COUNTER + i]), int64(B[at.COUNTER + LANES + i]), first)] = B[at.CELL + i]


@compiled(void(BLOCKS, types.uint32[:, ::1], int64))
def write_plays(S: Any, plays: Any, first: int) -> None:
    """Write hands and cards in order of play, a row a deal: 4 hands by seat, 32 cards."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            if B[at.LIVE + i] != 0:
                place = record_place(int64(B[at.COUNTER + i]), int64(B[at.COUNTER + LANES + i]), first)
                for seat in range(at.PLAYERS):
                    plays[place, seat] = B[at.DEALT + seat * LANES + i]
                for number in range(at.CARDS):
                    plays[place, at.PLAYERS + number] = B[at.HISTORY + number * LANES + i]


__all__ = ["CELLS", "FORFEITED", "HALF", "SHAPE", "cell", "finish", "tally", "write_plays"]
