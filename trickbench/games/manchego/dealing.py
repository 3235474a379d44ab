"""Dealing Manchego over the lanes of blocks, and the row work that dealing and play share."""

from __future__ import annotations

from typing import Any

from numba import int64, types, void

from trickbench.games.manchego import layout as at
from trickbench.games.manchego.options import RuleValues
from trickbench.games.manchego.rules import suit_of
from trickbench.games.rows import LANES
from trickbench.games.tricks import hand_out
from trickbench.jit import compiled, kernel
from trickbench.narrow import entry
from trickbench.streams import DEALING, words_at

BLOCKS = types.uint64[::1]
NUMBERS = types.int64[::1]


@kernel
def unpack(R: Any) -> RuleValues:
    """Return the array of rule values under their names."""
    return RuleValues(R[0], R[1], R[2])


@kernel
def turned(a: int, b: int, c: int, by: int) -> tuple[int, int, int]:
    """Return three values rotated so that number ``by`` (0..2) comes first."""
    one = by == 1
    two = by == 2
    first = c if two else (b if one else a)
    second = a if two else (c if one else b)
    return first, second, (b if two else (a if one else c))


@kernel
def modulo(seat: int) -> int:
    """Return a seat 0..5 modulo 3."""
    return seat - 3 if seat >= 3 else seat


@kernel
def turn_rows(B: Any, i: int, source: int, target: int, by: int) -> None:
    """Copy three rows, rotated so that number ``by`` comes first."""
    a, b, c = turned(entry(B[source + i]), entry(B[source + LANES + i]), entry(B[source + 2 * LANES + i]), by)
    B[target + i] = a
    B[target + LANES + i] = b
    B[target + 2 * LANES + i] = c


@kernel
def clear_trick(B: Any, i: int) -> None:
    """Clear the table of lane ``i``."""
    B[at.LED + i] = 0
    B[at.BEST + i] = 0
    B[at.WINNER + i] = 0
    B[at.ON_TABLE + i] = 0
    B[at.ON_TABLE + LANES + i] = 0
    B[at.ON_TABLE + 2 * LANES + i] = 0


@kernel
def set_three(B: Any, i: int, row: int, value: int) -> None:
    """Set three rows of lane ``i``."""
    B[row + i] = value
    B[row + LANES + i] = value
    B[row + 2 * LANES + i] = value


@compiled(void(BLOCKS, int64))
def deal(S: Any, seed: int) -> None:
    """Deal the pack by the counter of each lane: each card to a seat, or to be turned, with probability proportional to the places left."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            set_three(B, i, at.DEALT, 0)
            B[at.DEALT + 3 * LANES + i] = 0
            B[at.PLACES + i] = 0x01111111
        for block in range(13):
            for i in range(LANES):
                w0, w1, w2, w3 = words_at(seed, int64(B[at.COUNTER + i]), int64(B[at.COUNTER + LANES + i]), DEALING, block)
                p, k = entry(B[at.PLACES + i]), 4 * block
                p = hand_out(B, i, at.DEALT, p, w0, k, at.PACK - k)
                p = hand_out(B, i, at.DEALT, p, w1, k + 1, at.PACK - k - 1)
                p = hand_out(B, i, at.DEALT, p, w2, k + 2, at.PACK - k - 2)
                B[at.PLACES + i] = hand_out(B, i, at.DEALT, p, w3, k + 3, at.PACK - k - 3)


@compiled(void(BLOCKS))
def start(S: Any) -> None:
    """Put dealt lanes at the beginning of a deal: the seat left of the dealer is place 0."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            B[at.LEADER + i] = modulo(entry(B[at.DEALER_SEAT + i]) + 1)
            B[at.PLAYED + i] = 0
            turn = entry(B[at.DEALT + 3 * LANES + i])
            B[at.TURNED + i] = turn
            B[at.TRUMP + i] = suit_of(turn)
            clear_trick(B, i)
        for i in range(LANES):
            set_three(B, i, at.EXCLUDED, 0)
            set_three(B, i, at.TRICKS_WON, 0)
            set_three(B, i, at.BIDS, at.NO_BID)
            turn_rows(B, i, at.DEALT, at.HANDS, entry(B[at.LEADER + i]))
            turn_rows(B, i, at.TOTALS, at.SCORES, entry(B[at.LEADER + i]))
