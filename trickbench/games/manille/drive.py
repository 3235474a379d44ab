"""The order of a Manille deal: deal, auction, eight tricks, count. Written once, used compiled and as plain Python."""

from __future__ import annotations

from typing import Any

from numba import int64, types

from trickbench.engine import DEAL_SEED, HISTORY, NUMBERS, SEED, UNREAD, make_loops, make_steps
from trickbench.games.manille import layout as at
from trickbench.games.manille.auction_lanes import (
    ask_back,
    ask_blind,
    ask_dealer,
    ask_left,
    ask_partner,
    ask_partner_back,
    ask_right,
    face_0,
    face_1,
    face_2,
    face_3,
    hear_back,
    hear_blind,
    hear_dealer,
    hear_left,
    hear_partner,
    hear_partner_back,
    hear_right,
)  # fmt: skip
from trickbench.games.manille.dealing import deal, start
from trickbench.games.manille.ending import finish, tally, write_plays
from trickbench.games.manille.lanes import (
    draw,
    end_trick,
    few_0,
    few_1,
    few_2,
    few_3,
    least_0,
    least_1,
    least_2,
    least_3,
    reveal_0,
    reveal_1,
    reveal_2,
    reveal_3,
    show_0,
    show_1,
    show_2,
    show_3,
    take_0,
    take_1,
    take_2,
    take_3,
)
from trickbench.games.rows import READS_WORD
from trickbench.jit import compiled, kernel
from trickbench.turnover import OPEN, ROUNDS, make_turnover

KINDS = ("play", "call", "double", "redouble")
CALL, DOUBLE, REDOUBLE = 1, 2, 3

loops = make_loops(at, types.uint32)
decide, play_card = make_steps(loops, at.PLAYERS)
keep_leader = loops.keep_leader
seat, move_on = make_turnover(at, types.uint32, at.PLAYERS, 2)



@kernel
def speak(
    S: Any, R: Any, run: Any, decision: int, ask: Any, face: Any, reveal: Any, hear: Any, kind: int, data: Any, bounds: Any, f0: Any,
    f1: Any, f2: Any, f3: Any, error: Any,
) -> int:  # fmt: skip
    """Ask one decision of the auction; return 0, or 1 after an illegal answer."""
    if ask(S, R) == 0:
        return 0
    draw(S, run[SEED], decision)
    face(S, decision)
    if decide(S, run, reveal, 0, kind, data, bounds, f0, f1, f2, f3, error) > 0:
        return 1
    hear(S, R)
    return 0


@kernel
def choose_for_partner(S: Any, R: Any, run: Any, data: Any, bounds: Any, c0: Any, c1: Any, c2: Any, c3: Any, error: Any) -> int:
    """Ask the dealer's partner for the call where the dealer said en face; return 0, or more after an illegal answer."""
    return speak(S, R, run, at.CALL_PARTNER, ask_partner, face_1, reveal_1, hear_partner, CALL, data, bounds, c0, c1, c2, c3, error)


@kernel
def ask_to_double(
    S: Any, R: Any, run: Any, data: Any, bounds: Any, d0: Any, d1: Any, d2: Any, d3: Any, r0: Any, r1: Any, r2: Any, r3: Any, error: Any
) -> int:
    """Ask who may double, then who may redouble; return 0, or more after an illegal answer."""
    bad = speak(S, R, run, at.DOUBLE_LEFT, ask_left, face_0, reveal_0, hear_left, DOUBLE, data, bounds, d0, d1, d2, d3, error)
    if bad == 0:
        bad = speak(S, R, run, at.DOUBLE_RIGHT, ask_right, face_2, reveal_2, hear_right, DOUBLE, data, bounds, d0, d1, d2, d3, error)
    if bad == 0:
        bad = speak(S, R, run, at.REDOUBLE_DEALER, ask_back, face_3, reveal_3, hear_back, REDOUBLE, data, bounds, r0, r1, r2, r3, error)
    if bad == 0:
        bad = speak(
            S, R, run, at.REDOUBLE_PARTNER, ask_partner_back, face_1, reveal_1, hear_partner_back, REDOUBLE, data, bounds, r0, r1, r2, r3,
            error,
        )  # fmt: skip
    return bad


@kernel
def hold_auction(
    S: Any, R: Any, run: Any, data: Any, bounds: Any, c0: Any, c1: Any, c2: Any, c3: Any, d0: Any, d1: Any, d2: Any, d3: Any, r0: Any,
    r1: Any, r2: Any, r3: Any, error: Any,
) -> int:  # fmt: skip
    """Hold the auction; return 0, or more after an illegal answer."""
    bad = speak(S, R, run, at.CALL_BLIND, ask_blind, face_3, reveal_3, hear_blind, CALL, data, bounds, c0, c1, c2, c3, error)
    if bad == 0:
        bad = speak(S, R, run, at.CALL_DEALER, ask_dealer, face_3, reveal_3, hear_dealer, CALL, data, bounds, c0, c1, c2, c3, error)
    if bad == 0:
        bad = choose_for_partner(S, R, run, data, bounds, c0, c1, c2, c3, error)
    if bad == 0:
        bad = ask_to_double(S, R, run, data, bounds, d0, d1, d2, d3, r0, r1, r2, r3, error)
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
    if (place <= 2) & (bad == 0):
        bad = play_card(S, R, run, trick, 2, show_2, few_2, least_2, reveal_2, take_2, data, bounds, f0, f1, f2, f3, error)
    if bad == 0:
        bad = play_card(S, R, run, trick, 3, show_3, few_3, least_3, reveal_3, take_3, data, bounds, f0, f1, f2, f3, error)
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
    error: Any, f0: Any, f1: Any, f2: Any, f3: Any, c0: Any, c1: Any, c2: Any, c3: Any, d0: Any, d1: Any, d2: Any, d3: Any, r0: Any, r1: Any,
    r2: Any, r3: Any,
) -> int:  # fmt: skip
    """Play deals, or whole games, ``first`` .. ``first + count - 1``; return 0, or 1 after an illegal choice.

    Parameters
    ----------
    S : uint32[blocks * SIZE]
        The lanes; at the beginning their contents do not matter, then they are what the last call left.
    R : int64[RULE_COUNT]
        Rule values.
    run : int64[RUN_SIZE]
        Seed, first dealer, flags, and who answers what.
    first, count : int
        Indices: of deals, or of games.
    state : int64[STATE_SIZE]
        Where the work stands: zeros at the beginning, but for the rounds (deals of each lane) to be played by this call. The work is done when
        no lane is open.
    data, bounds : int64
        Parameters, tables and scratch memory of all functions, and where each function's are.
    counts : int64[CELLS]
        Outcomes are counted here.
    codes : uint32[count] or empty
        The cell of each deal.
    plays : uint32[count, 36] or empty
        Hands and cards of each deal.
    games : int64[rows, SCORES + 2]
        Finished games, in the order in which they end; a row for each lane and round is enough, none for independent deals.
    error : int64[ERROR_SIZE]
        The first illegal choice, which ends the work.
    f0 .. r3
        Choose functions for play, call, double, redouble.
    """
    if state[OPEN] == 0:
        seat(S, run, first, count, state)
    while state[OPEN] > 0 and state[ROUNDS] > 0:
        deal(S, run[DEAL_SEED])
        start(S)
        if hold_auction(S, R, run, data, bounds, c0, c1, c2, c3, d0, d1, d2, d3, r0, r1, r2, r3, error) > 0:
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


_choose = loops.choose
drive_compiled = compiled(
    int64(
        loops.blocks, NUMBERS, NUMBERS, int64, int64, NUMBERS, NUMBERS, NUMBERS, NUMBERS, types.uint32[::1], types.uint32[:, ::1],
        types.int64[:, ::1], NUMBERS, *(16 * (_choose,))
    )
)(drive)
