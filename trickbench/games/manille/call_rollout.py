"""Rollouts of trump calls: dealers' hands, many worlds for each, every call played out in the same worlds.

The dealer is seat 0 and holds a canonical hand (:mod:`trickbench.games.manille.hands`). A world names the hand's suits anew, at random, and deals
the other 24 cards to the other seats; it depends on seed, the hand's number and the world's number alone. No game stands behind the deal: no
carried ties, no scores.

Where the rules have en face it is one more call: the dealer's partner is asked for the trump, by the step of the auction that asks it in a deal. With
``doubling`` the steps that ask for double and redouble follow every call; without, nobody doubles.

The new names matter: players break ties by the order of suits, and lead clubs first, say. With the weakest suit always called clubs, no-trump
was worth 1.2 points less to the dealer than with it called spades, with ``heuristic``.
"""

from __future__ import annotations

from typing import Any

from numba import int64, types, void

from trickbench.bits import bounded
from trickbench.engine import NUMBERS, SEED
from trickbench.games.manille import layout as at
from trickbench.games.manille.call_sums import (
    CALL_COUNT,
    CAPOTS,
    DOUBLED,
    EN_FACE,
    NET,
    OWN_CALLS,
    PAIRS,
    PRODUCTS,
    REDOUBLED,
    SQUARES,
    SUM_COUNT,
    TIES,
    WINS,
)  # fmt: skip
from trickbench.games.manille.dealing import BLOCKS, start, unpack
from trickbench.games.manille.drive import ask_to_double, choose_for_partner, loops, play_out
from trickbench.games.manille.rules import PACK, trump_suit
from trickbench.games.manille.scoring import factor, is_capot
from trickbench.games.rows import LANES
from trickbench.games.tricks import give, new_names
from trickbench.jit import compiled
from trickbench.narrow import entry
from trickbench.streams import WORLDS, counter, words_at

WORLD_BITS = 24
"""A hand has at most 2^24 worlds: the index of a counter is the hand's number, then the world's."""
OTHERS = 24
"""Cards that are dealt to the other seats."""
PLACES = 0x08080800
"""Free places by seat: the dealer, seat 0, has its hand."""

# Rows of the notes that are kept beside the lanes, one for each call
NET_NOTE, CAPOT_NOTE, NAME_NOTE, TWIN_NOTE, DOUBLES_NOTE = (CALL_COUNT * LANES * kind for kind in range(5))
"""Net score; 1 for a capot; the call as this world names it; 1 if it is worth the same as the call before it, having the same cards; 1 doubled, 2
redoubled."""
NOTES = 5 * CALL_COUNT * LANES


@compiled(void(BLOCKS, NUMBERS, int64, NUMBERS, NUMBERS, int64, int64, int64))
def take_worlds(S: Any, notes: Any, seed: int, hands: Any, ranks: Any, world: int, end: int, rollouts: int) -> None:
    """Take worlds ``world`` on into the lanes, the dealer's suits named anew; lanes beyond ``end`` repeat the last one and do not count."""
    hand, number = world // rollouts, world % rollouts
    for i in range(LANES):
        low, high = counter((ranks[hand] << WORLD_BITS) | number, 0)
        S[at.COUNTER + i] = low
        S[at.COUNTER + LANES + i] = high
        S[at.LIVE + i] = 1 if world + i < end else 0
        S[at.DEALT + i] = hands[hand]
        step = 1 if world + i + 1 < end else 0
        number += step
        hand += 1 if number == rollouts else 0
        number = 0 if number == rollouts else number
    for i in range(LANES):
        word, _, _, _ = words_at(seed, int64(S[at.COUNTER + i]), int64(S[at.COUNTER + LANES + i]), WORLDS, OTHERS // 4)
        notes[NAME_NOTE + i] = bounded(word, 24)
    # Apart from the loop that makes the words: in one, LLVM 22 turns "the word is 2^31 or more" into wrong vector code on AVX-512.
    for i in range(LANES):
        a, b, c, d = new_names(notes[NAME_NOTE + i])
        own = int64(S[at.DEALT + i])
        first, second, third, fourth = own & 0xFF, (own >> 8) & 0xFF, (own >> 16) & 0xFF, own >> 24
        S[at.DEALT + i] = (first << (8 * a)) | (second << (8 * b)) | (third << (8 * c)) | (fourth << (8 * d))
        notes[NAME_NOTE + i] = a
        notes[NAME_NOTE + LANES + i] = b
        notes[NAME_NOTE + 2 * LANES + i] = c
        notes[NAME_NOTE + 3 * LANES + i] = d
        notes[NAME_NOTE + 4 * LANES + i] = at.NT_CALL
        notes[NAME_NOTE + EN_FACE * LANES + i] = at.NO_CALL
        notes[TWIN_NOTE + i] = 0
        notes[TWIN_NOTE + LANES + i] = 1 if first == second else 0
        notes[TWIN_NOTE + 2 * LANES + i] = 1 if second == third else 0
        notes[TWIN_NOTE + 3 * LANES + i] = 1 if third == fourth else 0
        notes[TWIN_NOTE + 4 * LANES + i] = 0
        notes[TWIN_NOTE + EN_FACE * LANES + i] = 0


@compiled(void(BLOCKS, int64))
def deal_others(S: Any, seed: int) -> None:
    """Deal the cards that the dealer does not hold to the other seats."""
    for i in range(LANES):
        S[at.DEALT + LANES + i] = 0
        S[at.DEALT + 2 * LANES + i] = 0
        S[at.DEALT + 3 * LANES + i] = 0
        S[at.PLACES + i] = PLACES
        # What is still to be dealt stands in a row that is cleared before play.
        S[at.PLAYED + i] = entry(S[at.DEALT + i]) ^ PACK
    for i in range(LANES):
        S[at.DEALER_SEAT + i] = 0
        S[at.CARRY + i] = 1
        S[at.TOTALS + i] = 0
        S[at.TOTALS + LANES + i] = 0
    for block in range(OTHERS // 4):
        for i in range(LANES):
            w0, w1, w2, w3 = words_at(seed, int64(S[at.COUNTER + i]), int64(S[at.COUNTER + LANES + i]), WORLDS, block)
            p, rest, left = entry(S[at.PLACES + i]), entry(S[at.PLAYED + i]), OTHERS - 4 * block
            a = rest & -rest
            rest = rest ^ a
            b = rest & -rest
            rest = rest ^ b
            c = rest & -rest
            rest = rest ^ c
            d = rest & -rest
            p = give(S, i, at.DEALT, p, w0, a, left)
            p = give(S, i, at.DEALT, p, w1, b, left - 1)
            p = give(S, i, at.DEALT, p, w2, c, left - 2)
            S[at.PLACES + i] = give(S, i, at.DEALT, p, w3, d, left - 3)
            S[at.PLAYED + i] = rest ^ d


@compiled(int64(BLOCKS, NUMBERS, NUMBERS, int64))
def make_call(S: Any, R: Any, notes: Any, call: int) -> int:
    """Begin the deals that lie in the lanes with a call, or with no call yet after en face; return how many are not twins of the call before."""
    start(S)
    rules = unpack(R)
    own = 0
    faced = 1 if call == EN_FACE else 0
    for i in range(LANES):
        name = notes[NAME_NOTE + call * LANES + i]
        S[at.CALL + i] = name
        S[at.TRUMP + i] = trump_suit(name)
        S[at.ASKED + i] = faced
        S[at.FACTOR + i] = factor(1 if call == at.NT_CALL else 0, 0, 0, 0, 1, rules)
        own += entry(S[at.LIVE + i]) & (1 - notes[TWIN_NOTE + call * LANES + i])
    return own


@compiled(void(BLOCKS, NUMBERS, NUMBERS, int64))
def note(S: Any, R: Any, notes: Any, call: int) -> None:
    """Note what came of a call in every lane, for the dealer's side; a twin has what the call before it has."""
    rules = unpack(R)
    k = call * LANES
    before = k - LANES if call > 0 else k
    for i in range(LANES):
        twin = notes[TWIN_NOTE + k + i]
        odd = entry(S[at.LEADER + i]) & 1 != 0
        points = entry(S[at.POINTS + LANES + i]) if odd else entry(S[at.POINTS + i])
        tricks = entry(S[at.TRICKS_WON + LANES + i]) if odd else entry(S[at.TRICKS_WON + i])
        score = int64(S[at.DEAL_SCORES + i]) - int64(S[at.DEAL_SCORES + LANES + i])
        same_net, same_capot = notes[NET_NOTE + before + i], notes[CAPOT_NOTE + before + i]
        notes[NET_NOTE + k + i] = same_net if twin != 0 else score
        notes[CAPOT_NOTE + k + i] = same_capot if twin != 0 else is_capot(points, tricks, rules)


@compiled(void(BLOCKS, NUMBERS, int64))
def note_doubles(S: Any, notes: Any, call: int) -> None:
    """Note in every lane how often a call was doubled; a twin has what the call before it has."""
    k = call * LANES
    before = k - LANES if call > 0 else k
    for i in range(LANES):
        doubles = int64(S[at.DOUBLED + i]) + int64(S[at.REDOUBLED + i])
        notes[DOUBLES_NOTE + k + i] = notes[DOUBLES_NOTE + before + i] if notes[TWIN_NOTE + k + i] != 0 else doubles


@compiled(void(NUMBERS, int64, int64, int64, NUMBERS))
def add_doubles(notes: Any, calls: int, begin: int, end: int, sums: Any) -> None:
    """Add how often calls were doubled in lanes ``begin`` to ``end - 1`` to the sums of a hand's half."""
    for call in range(calls):
        k = DOUBLES_NOTE + call * LANES
        for i in range(begin, end):
            sums[DOUBLED + call] += 1 if notes[k + i] > 0 else 0
            sums[REDOUBLED + call] += 1 if notes[k + i] > 1 else 0


@compiled(void(NUMBERS, int64, int64, int64, NUMBERS))
def add_lanes(notes: Any, calls: int, begin: int, end: int, sums: Any) -> None:
    """Add what was noted of the first ``calls`` calls in lanes ``begin`` to ``end - 1``, all of one half of one hand's worlds, to its sums."""
    for call in range(calls):
        k = call * LANES
        total = squares = wins = ties = capots = 0
        for i in range(begin, end):
            x = notes[NET_NOTE + k + i]
            total += x
            squares += x * x
            wins += 1 if x > 0 else 0
            ties += 1 if x == 0 else 0
            capots += notes[CAPOT_NOTE + k + i]
        sums[NET + call] += total
        sums[SQUARES + call] += squares
        sums[WINS + call] += wins
        sums[TIES + call] += ties
        sums[CAPOTS + call] += capots
    place = PRODUCTS
    for a in range(CALL_COUNT):
        for b in range(a + 1, CALL_COUNT):
            product = 0
            for i in range(begin, end if b < calls else begin):
                product += notes[NET_NOTE + a * LANES + i] * notes[NET_NOTE + b * LANES + i]
            sums[place] += product
            place += 1


@compiled(
    int64(BLOCKS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, int64, int64, int64, int64, int64, NUMBERS, NUMBERS, NUMBERS,
          types.int64[:, :, ::1], *(16 * (loops.choose,)))
)  # fmt: skip
def call_rollout(
    S: Any, R: Any, run: Any, notes: Any, hands: Any, ranks: Any, first: int, end: int, rollouts: int, faced: int, doubling: int, data: Any,
    bounds: Any, error: Any, sums: Any, f0: Any, f1: Any, f2: Any, f3: Any, c0: Any, c1: Any, c2: Any, c3: Any, d0: Any, d1: Any, d2: Any, d3: Any,
    r0: Any, r1: Any, r2: Any, r3: Any,
) -> int:  # fmt: skip
    """Play all calls of worlds ``first`` to ``end - 1``; return 0, or 1 after an illegal choice.

    Parameters
    ----------
    S : uint32[SIZE]
        One block of lanes.
    R, run, data, bounds, error, f0 .. r3
        As :mod:`trickbench.games.manille.drive` has them.
    notes : int64[NOTES]
        Scratch.
    hands, ranks : int64[n]
        Canonical hands and their numbers.
    first, end : int
        Worlds, counted over the hands: those of hand ``k`` are ``k * rollouts`` on.
    rollouts : int
        Worlds a hand, an even number; the first half of them are one half of the sums.
    faced : int
        1: en face is a call too, which rules without it do not allow.
    doubling : int
        1: double and redouble are asked after every call.
    sums : int64[n, 2, SUM_COUNT]
        Added to; see :mod:`trickbench.games.manille.call_sums`.
    """
    half = rollouts // 2
    calls = OWN_CALLS + faced
    world = first
    while world < end:
        take_worlds(S, notes, run[SEED], hands, ranks, world, end, rollouts)
        deal_others(S, run[SEED])
        for call in range(calls):
            if make_call(S, R, notes, call) > 0:
                bad = 0
                if call == EN_FACE:
                    bad = choose_for_partner(S, R, run, data, bounds, c0, c1, c2, c3, error)
                if (doubling != 0) & (bad == 0):
                    bad = ask_to_double(S, R, run, data, bounds, d0, d1, d2, d3, r0, r1, r2, r3, error)
                if bad == 0:
                    bad = play_out(S, R, run, 0, 0, data, bounds, error, f0, f1, f2, f3)
                if bad > 0:
                    return 1
            note(S, R, notes, call)
            if doubling != 0:
                note_doubles(S, notes, call)
        last = min(end, world + LANES)
        lane = world
        while lane < last:
            hand, part = lane // rollouts, (lane % rollouts) // half
            stop = min(last, hand * rollouts + (part + 1) * half)
            add_lanes(notes, calls, lane - world, stop - world, sums[hand, part])
            if doubling != 0:
                add_doubles(notes, calls, lane - world, stop - world, sums[hand, part])
            lane = stop
        world = last
    return 0


__all__ = [
    "CALL_COUNT", "CAPOTS", "DOUBLED", "EN_FACE", "NAME_NOTE", "NET", "NOTES", "PAIRS", "PRODUCTS", "REDOUBLED", "SQUARES", "SUM_COUNT", "TIES",
    "WINS", "call_rollout", "deal_others", "new_names", "take_worlds",
]  # fmt: skip
