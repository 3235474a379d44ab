"""Dealing Manille over the lanes of blocks, and the row work that dealing and play share."""

from __future__ import annotations

from typing import Any

from numba import int64, types, void

from trickbench.games.manille import layout as at
from trickbench.games.manille.options import RuleValues
from trickbench.games.rows import LANES
from trickbench.games.tricks import hand_out
from trickbench.jit import compiled, kernel
from trickbench.narrow import entry
from trickbench.streams import DEALING, words_at

BLOCKS = types.uint32[::1]
NUMBERS = types.int64[::1]


@kernel
def unpack(R: Any) -> RuleValues:
    """Return the array of rule values under their names."""
    return RuleValues(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8], R[9], R[10], R[11], R[12], R[13], R[14], R[15], R[16], R[17])


@kernel
def turned(a: int, b: int, c: int, d: int, by: int) -> tuple[int, int, int, int]:
    """Return four values rotated so that number ``by`` (0..3) comes first."""
    odd = by & 1 != 0
    two = by & 2 != 0
    a, b, c, d = (b if odd else a), (c if odd else b), (d if odd else c), (a if odd else d)
    return (c if two else a), (d if two else b), (a if two else c), (b if two else d)


@kernel
def clear_trick(B: Any, i: int) -> None:
    """Clear the table of lane ``i``."""
    # Row by row: one loop over several rows in sequence is ten times slower (140 ns for 8 rows of 64 lanes).
    B[at.LED + i] = 0
    B[at.BEST + i] = 0
    B[at.TRICK_POINTS + i] = 0
    B[at.WINNER + i] = 0
    B[at.ON_TABLE + i] = 0
    B[at.ON_TABLE + LANES + i] = 0
    B[at.ON_TABLE + 2 * LANES + i] = 0
    B[at.ON_TABLE + 3 * LANES + i] = 0


@kernel
def clear_deal(B: Any, i: int) -> None:
    """Set what a deal of lane ``i`` begins with."""
    B[at.TRUMP + i] = 0
    B[at.PLAYED + i] = 0
    B[at.ASKED + i] = 0
    B[at.DOUBLED + i] = 0
    B[at.REDOUBLED + i] = 0
    B[at.BLIND + i] = 0
    B[at.FORFEIT + i] = 0
    B[at.CALL + i] = at.NO_CALL
    B[at.FACTOR + i] = B[at.CARRY + i]


@kernel
def clear_counts(B: Any, i: int) -> None:
    """Set to 0 what the play of lane ``i`` adds up."""
    B[at.EXCLUDED + i] = 0
    B[at.EXCLUDED + LANES + i] = 0
    B[at.EXCLUDED + 2 * LANES + i] = 0
    B[at.EXCLUDED + 3 * LANES + i] = 0
    B[at.POINTS + i] = 0
    B[at.POINTS + LANES + i] = 0
    B[at.TRICKS_WON + i] = 0
    B[at.TRICKS_WON + LANES + i] = 0


@kernel
def turn_rows(B: Any, i: int, source: int, target: int, by: int) -> None:
    """Copy four rows, rotated so that number ``by`` comes first."""
    a, b, c, d = turned(
        entry(B[source + i]), entry(B[source + LANES + i]), entry(B[source + 2 * LANES + i]), entry(B[source + 3 * LANES + i]), by
    )
    B[target + i] = a
    B[target + LANES + i] = b
    B[target + 2 * LANES + i] = c
    B[target + 3 * LANES + i] = d


@compiled(void(BLOCKS, int64))
def deal(S: Any, seed: int) -> None:
    """Deal the pack by the counter of each lane: each card to a seat with probability proportional to the places it has left.

    No gather, no scatter: four cards for each block of four words, hands in rows.
    """
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            B[at.DEALT + i] = 0
            B[at.DEALT + LANES + i] = 0
            B[at.DEALT + 2 * LANES + i] = 0
            B[at.DEALT + 3 * LANES + i] = 0
            B[at.PLACES + i] = 0x08080808
        for block in range(8):
            for i in range(LANES):
                w0, w1, w2, w3 = words_at(seed, int64(B[at.COUNTER + i]), int64(B[at.COUNTER + LANES + i]), DEALING, block)
                p, k = entry(B[at.PLACES + i]), 4 * block
                p = hand_out(B, i, at.DEALT, p, w0, k, at.CARDS - k)
                p = hand_out(B, i, at.DEALT, p, w1, k + 1, at.CARDS - k - 1)
                p = hand_out(B, i, at.DEALT, p, w2, k + 2, at.CARDS - k - 2)
                B[at.PLACES + i] = hand_out(B, i, at.DEALT, p, w3, k + 3, at.CARDS - k - 3)


@compiled(void(BLOCKS))
def start(S: Any) -> None:
    """Put dealt lanes at the beginning of a deal: the seat left of the dealer is place 0."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            leader = (entry(B[at.DEALER_SEAT + i]) + 1) & 3
            B[at.LEADER + i] = leader
            first, second = entry(B[at.TOTALS + i]), entry(B[at.TOTALS + LANES + i])
            odd = leader & 1 != 0
            B[at.SCORES + i] = second if odd else first
            B[at.SCORES + LANES + i] = first if odd else second
        for i in range(LANES):
            clear_trick(B, i)
            clear_deal(B, i)
        for i in range(LANES):
            clear_counts(B, i)
        for i in range(LANES):
            turn_rows(B, i, at.DEALT, at.HANDS, entry(B[at.LEADER + i]))
