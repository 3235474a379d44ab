"""Rollouts of Manchego: positions into lanes, played to the end by a policy, scores and made bids summed."""

from __future__ import annotations

from typing import Any

from numba import int64

from trickbench.games.manchego import layout as at
from trickbench.games.manchego.dealing import clear_trick, modulo, turned
from trickbench.games.manchego.drive import loops, play_out
from trickbench.games.manchego.rules import beats, suit_of
from trickbench.games.rolling import make_rollout
from trickbench.games.rows import LANES
from trickbench.jit import kernel

# The columns of a position. What is of a seat stands by absolute seat, sets as bits.
HAND, TABLE, EXCLUDED = 0, 3, 6
"""Three hands as they are now; the cards in the trick in order of play, 0 for none; what plays exclude for each seat."""
LEADER, DEALER, TURNED = 9, 10, 11
"""Who led the trick; who dealt; the turned card."""
BIDS, TRICKS, TOTALS = 12, 15, 18
"""Bids, tricks won so far, and scores of the game, by seat."""
COLUMNS = 21
ALL = (1 << at.PACK) - 1


@kernel
def put_three(B: Any, i: int, row: int, T: Any, column: int, k: int, leader: int) -> None:
    """Store what is of three seats in trick order."""
    a, b, c = turned(T[column, k], T[column + 1, k], T[column + 2, k], leader)
    B[row + i] = a
    B[row + LANES + i] = b
    B[row + 2 * LANES + i] = c


@kernel
def load_lane(B: Any, i: int, T: Any, k: int, R: Any) -> None:
    """Put position ``k`` into lane ``i``."""
    leader, turn = T[LEADER, k], T[TURNED, k]
    put_three(B, i, at.HANDS, T, HAND, k, leader)
    put_three(B, i, at.EXCLUDED, T, EXCLUDED, k, leader)
    put_three(B, i, at.BIDS, T, BIDS, k, leader)
    put_three(B, i, at.TRICKS_WON, T, TRICKS, k, leader)
    put_three(B, i, at.SCORES, T, TOTALS, k, leader)
    B[at.PLAYED + i] = ALL & ~(T[HAND, k] | T[HAND + 1, k] | T[HAND + 2, k] | turn)
    clear_trick(B, i)
    first, second = T[TABLE, k], T[TABLE + 1, k]
    led, trump = suit_of(first), suit_of(turn)
    wins = (second != 0) & (beats(second, first, led, trump) != 0)
    B[at.ON_TABLE + i] = first
    B[at.ON_TABLE + LANES + i] = second
    B[at.LED + i] = led
    B[at.BEST + i] = second if wins else first
    B[at.WINNER + i] = 1 if wins else 0
    B[at.TURNED + i] = turn
    B[at.TRUMP + i] = trump
    B[at.LEADER + i] = leader
    B[at.DEALER_SEAT + i] = T[DEALER, k]


@kernel
def add_up(S: Any, groups: Any, first: int, sums: Any) -> None:
    """Add what the live lanes came to to the sums of their groups: count, then scores, tricks and made bids by seat."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            if B[at.LIVE + i] != 0:
                g, leader = groups[first + b * LANES + i], int64(B[at.LEADER + i])
                sums[g, 0] += 1
                for place in range(at.PLAYERS):
                    seat = modulo(leader + place)
                    won, bid = int64(B[at.TRICKS_WON + place * LANES + i]), int64(B[at.BIDS + place * LANES + i])
                    sums[g, 4 + seat] += won
                    sums[g, 7 + seat] += 1 if won == bid else 0
                    sums[g, 1 + place] += int64(B[at.DEAL_SCORES + place * LANES + i])


SUMS = ("count", *(f"{name}_{seat}" for name in ("score", "tricks", "made") for seat in range(3)))
"""The columns of the sums."""


rollout = make_rollout(at, loops, load_lane, play_out, add_up)
