"""Rollouts of Manille: positions into lanes, played to the end by a policy, scores summed."""

from __future__ import annotations

from typing import Any

from numba import int64

from trickbench.games.manille import layout as at
from trickbench.games.manille.dealing import clear_trick, turned, unpack
from trickbench.games.manille.drive import loops, play_out
from trickbench.games.manille.rules import PACK, beats, points, suit_of, trump_suit
from trickbench.games.manille.scoring import factor
from trickbench.games.rolling import make_rollout
from trickbench.games.rows import LANES
from trickbench.jit import kernel

# The columns of a position. What is of a seat or side stands by absolute seat or side, sets as bits.
HAND, TABLE, EXCLUDED = 0, 4, 8
"""Four hands as they are now; the cards in the trick in order of play, 0 for none; what plays exclude for each seat."""
LEADER, CALL, DEALER, FACED, BLIND, DOUBLES, CARRY = 12, 13, 14, 15, 16, 17, 18
"""Who led the trick; the call's number; who dealt; en face; blind; 0, 1 doubled, 2 redoubled; the factor that ties carried."""
POINTS, TRICKS, TOTALS = 19, 21, 23
"""Card points and tricks won so far, and scores of the game, by side."""
COLUMNS = 25


@kernel
def put_sides(B: Any, i: int, row: int, first: int, second: int, leader: int) -> None:
    """Store what is of two sides with the leader's side first."""
    odd = leader & 1 != 0
    B[row + i] = second if odd else first
    B[row + LANES + i] = first if odd else second


@kernel
def load_cards(B: Any, i: int, T: Any, k: int) -> None:
    """Put hands, exclusions and the trick of position ``k`` into lane ``i``."""
    leader = T[LEADER, k]
    a, b, c, d = turned(T[HAND, k], T[HAND + 1, k], T[HAND + 2, k], T[HAND + 3, k], leader)
    B[at.HANDS + i] = a
    B[at.HANDS + LANES + i] = b
    B[at.HANDS + 2 * LANES + i] = c
    B[at.HANDS + 3 * LANES + i] = d
    B[at.PLAYED + i] = PACK & ~(a | b | c | d)
    a, b, c, d = turned(T[EXCLUDED, k], T[EXCLUDED + 1, k], T[EXCLUDED + 2, k], T[EXCLUDED + 3, k], leader)
    B[at.EXCLUDED + i] = a
    B[at.EXCLUDED + LANES + i] = b
    B[at.EXCLUDED + 2 * LANES + i] = c
    B[at.EXCLUDED + 3 * LANES + i] = d


@kernel
def load_trick(B: Any, i: int, T: Any, k: int) -> None:
    """Put the trick of position ``k`` on the table of lane ``i``."""
    clear_trick(B, i)
    first, second, third = T[TABLE, k], T[TABLE + 1, k], T[TABLE + 2, k]
    led, trump = suit_of(first), trump_suit(T[CALL, k])
    best, winner = first, 0
    wins = (second != 0) & (beats(second, best, led, trump) != 0)
    best, winner = (second if wins else best), (1 if wins else winner)
    wins = (third != 0) & (beats(third, best, led, trump) != 0)
    best, winner = (third if wins else best), (2 if wins else winner)
    B[at.ON_TABLE + i] = first
    B[at.ON_TABLE + LANES + i] = second
    B[at.ON_TABLE + 2 * LANES + i] = third
    B[at.LED + i] = led
    B[at.BEST + i] = best
    B[at.WINNER + i] = winner
    B[at.TRICK_POINTS + i] = points(first | second | third)
    B[at.TRUMP + i] = trump


@kernel
def load_contract(B: Any, i: int, T: Any, k: int, rules: Any) -> None:
    """Put call, doubles, points and scores of position ``k`` into lane ``i``."""
    leader, call, doubles = T[LEADER, k], T[CALL, k], T[DOUBLES, k]
    B[at.LEADER + i] = leader
    B[at.CALL + i] = call
    B[at.ASKED + i] = T[FACED, k]
    B[at.BLIND + i] = T[BLIND, k]
    B[at.DOUBLED + i] = 1 if doubles > 0 else 0
    B[at.REDOUBLED + i] = 1 if doubles > 1 else 0
    B[at.CARRY + i] = T[CARRY, k]
    B[at.FACTOR + i] = factor(1 if call == at.NT_CALL else 0, T[BLIND, k], doubles, 0, T[CARRY, k], rules)
    B[at.DEALER_SEAT + i] = T[DEALER, k]
    B[at.FORFEIT + i] = 0
    put_sides(B, i, at.POINTS, T[POINTS, k], T[POINTS + 1, k], leader)
    put_sides(B, i, at.TRICKS_WON, T[TRICKS, k], T[TRICKS + 1, k], leader)
    put_sides(B, i, at.SCORES, T[TOTALS, k], T[TOTALS + 1, k], leader)


@kernel
def load_lane(B: Any, i: int, T: Any, k: int, R: Any) -> None:
    """Put position ``k`` into lane ``i``."""
    load_cards(B, i, T, k)
    load_trick(B, i, T, k)
    load_contract(B, i, T, k, unpack(R))


@kernel
def add_up(S: Any, groups: Any, first: int, sums: Any) -> None:
    """Add the scores of the live lanes to the sums of their groups: count, score of side 0, of side 1, points and tricks of side 0."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            if B[at.LIVE + i] != 0:
                g = groups[first + b * LANES + i]
                odd = int64(B[at.LEADER + i]) & 1
                sums[g, 0] += 1
                sums[g, 1] += int64(B[at.DEAL_SCORES + i])
                sums[g, 2] += int64(B[at.DEAL_SCORES + LANES + i])
                sums[g, 3] += int64(B[at.POINTS + odd * LANES + i])
                sums[g, 4] += int64(B[at.TRICKS_WON + odd * LANES + i])


SUMS = ("count", "score_0", "score_1", "points_0", "tricks_0")
"""The columns of the sums."""


rollout = make_rollout(at, loops, load_lane, play_out, add_up)
