"""The order of a Manchego deal: deal, three bids, 17 tricks, count. Written once, used compiled and as plain Python."""

from __future__ import annotations

from typing import Any

from numba import int64, types

from trickbench.engine import DEAL_SEED, HISTORY, NUMBERS, SEED, UNREAD, make_loops, make_steps
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.dealing import deal, start
from trickbench.games.manchego.ending import finish, tally, write_plays
from trickbench.games.manchego.lanes import (
    ask_0,
    ask_1,
    ask_2,
    draw,
    end_trick,
    few_0,
    few_1,
    few_2,
    hear_0,
    hear_1,
    hear_2,
    least_0,
    least_1,
    least_2,
    reveal_0,
    reveal_1,
    reveal_2,
    show_0,
    show_1,
    show_2,
    take_0,
    take_1,
    take_2,
)  # fmt: skip
from trickbench.games.rows import READS_WORD
from trickbench.jit import compiled, kernel
from trickbench.turnover import OPEN, ROUNDS, make_turnover

KINDS = ("play", "bid")
BIDDING = 1

loops = make_loops(at, types.uint64)
decide, play_card = make_steps(loops, at.PLAYERS)
keep_leader = loops.keep_leader
seat, move_on = make_turnover(at, types.uint64, at.PLAYERS, at.PLAYERS)


@kernel
def speak(
    S: Any, R: Any, run: Any, ask: Any, reveal: Any, hear: Any, data: Any, bounds: Any, f0: Any, f1: Any, f2: Any, f3: Any, error: Any,
) -> int:  # fmt: skip
    """Let one seat bid; return 0, or 1 after an illegal bid."""
    ask(S, R)
    if decide(S, run, reveal, 0, BIDDING, data, bounds, f0, f1, f2, f3, error) > 0:
        return 1
    hear(S)
    return 0


@kernel
def hold_bidding(S: Any, R: Any, run: Any, data: Any, bounds: Any, b0: Any, b1: Any, b2: Any, b3: Any, error: Any) -> int:
    """Let all seats bid; return 0, or 1 after an illegal bid."""
    draw(S, run[SEED], at.BID)
    bad = speak(S, R, run, ask_0, reveal_0, hear_0, data, bounds, b0, b1, b2, b3, error)
    if bad == 0:
        bad = speak(S, R, run, ask_1, reveal_1, hear_1, data, bounds, b0, b1, b2, b3, error)
    if bad == 0:
        bad = speak(S, R, run, ask_2, reveal_2, hear_2, data, bounds, b0, b1, b2, b3, error)
    return bad


@kernel
def play_trick(S: Any, R: Any, run: Any, trick: int, place: int, data: Any, bounds: Any, f0: Any, f1: Any, f2: Any, f3: Any, error: Any) -> int:
    """Play a trick from a place on in every lane; return 0, or 1 after an illegal card."""
    bad = 0
    if run[UNREAD] & READS_WORD == 0:
        draw(S, run[SEED], at.PLAY + trick)
    if run[HISTORY] != 0:
        keep_leader(S, trick)
    if place <= 0:
        bad = play_card(S, R, run, trick, 0, show_0, few_0, least_0, reveal_0, take_0, data, bounds, f0, f1, f2, f3, error)
    if (place <= 1) & (bad == 0):
        bad = play_card(S, R, run, trick, 1, show_1, few_1, least_1, reveal_1, take_1, data, bounds, f0, f1, f2, f3, error)
    if bad == 0:
        bad = play_card(S, R, run, trick, 2, show_2, few_2, least_2, reveal_2, take_2, data, bounds, f0, f1, f2, f3, error)
    if bad == 0:
        end_trick(S, trick)
    return bad


@kernel
def play_out(S: Any, R: Any, run: Any, trick: int, place: int, data: Any, bounds: Any, error: Any, f0: Any, f1: Any, f2: Any, f3: Any) -> int:
    """Play deals that stand in the lanes to their end, from a place in a trick on, and score them; return 0, or 1 after an illegal card."""
    bad = 0
    for later in range(trick, at.TRICKS):
        if bad == 0:
            bad = play_trick(S, R, run, later, place if later == trick else 0, data, bounds, f0, f1, f2, f3, error)
    if bad == 0:
        finish(S, R)
    return bad


def drive(
    S: Any, R: Any, run: Any, first: int, count: int, state: Any, data: Any, bounds: Any, counts: Any, codes: Any, plays: Any, games: Any,
    error: Any, f0: Any, f1: Any, f2: Any, f3: Any, b0: Any, b1: Any, b2: Any, b3: Any,
) -> int:  # fmt: skip
    """Play deals, or whole games, ``first`` .. ``first + count - 1``; return 0, or 1 after an illegal choice.

    The arguments are those of Manille's :func:`trickbench.games.manille.drive.drive`, with ``codes`` and ``plays`` (54
    columns) of uint64, and choose functions for play (f) and bid (b).
    """
    if state[OPEN] == 0:
        seat(S, run, first, count, state)
    while state[OPEN] > 0 and state[ROUNDS] > 0:
        deal(S, run[DEAL_SEED])
        start(S)
        if hold_bidding(S, R, run, data, bounds, b0, b1, b2, b3, error) > 0:
            return 1
        for trick in range(at.TRICKS):
            if play_trick(S, R, run, trick, 0, data, bounds, f0, f1, f2, f3, error) > 0:
                return 1
        finish(S, R)
        tally(S, counts, codes, first)
        if plays.shape[0] > 0:
            write_plays(S, plays, first)
        move_on(S, run, first, count, state, games)
    return 0


drive_compiled = compiled(
    int64(
        loops.blocks, NUMBERS, NUMBERS, int64, int64, NUMBERS, NUMBERS, NUMBERS, NUMBERS, types.uint64[::1], types.uint64[:, ::1],
        types.int64[:, ::1], NUMBERS,
        *(8 * (loops.choose,)),
    )
)(drive)  # fmt: skip
