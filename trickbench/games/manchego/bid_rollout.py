"""Rollouts of bids: what each bid is worth with a hand, everybody else bidding and all playing by policies.

Every bid of a decision is tried in the same worlds (:mod:`trickbench.games.manchego.bid_worlds`): in each the earlier seats bid, or have bid what
they did, the later ones answer the bid that is tried, and the cards are played. In each the suits have new names, at random: players break ties by
the order of suits, and a hand is worth the same by any name.

In three rounds half of the bids go out each time: all bids that
are tried in a quarter of the worlds, the better half of them in another quarter, the better half of those in the rest (sequential halving: Karnin,
Koren and Somekh, 2013).
"""

from __future__ import annotations

from typing import Any

from numba import int64, types, void

from trickbench.bits import bounded
from trickbench.engine import NUMBERS, SEED
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.bid_layout import BID_COUNT, LEGAL, SCORE, SQUARES, TRICKS, UTILITY, dealt_worlds, group_of, whole_blocks
from trickbench.games.manchego.bid_worlds import (
    FOUR,
    MADE,
    NAMES,
    ask,
    begin,
    bids_made,
    deal_hidden,
    make_words,
    resample,
    set_bids,
    take_slots,
    weigh,
)
from trickbench.games.manchego.dealing import BLOCKS, start
from trickbench.games.manchego.drive import play_out
from trickbench.games.rolling import TABLE
from trickbench.games.rows import LANES
from trickbench.games.tricks import new_names
from trickbench.jit import compiled, kernel

SUMS = types.int64[:, :, ::1]

@kernel
def worth(sums: Any, bid: int, rule: int) -> int:
    """Return how good a bid is; among bids made equally often the one with the better score is."""
    return sums[bid, SCORE] if rule == UTILITY else (sums[bid, TRICKS + bid] << 32) + sums[bid, SCORE]  # type: ignore[no-any-return]


@kernel
def put_best_first(bids: Any, count: int, sums: Any, legal: int, rule: int) -> None:
    """Sort the first ``count`` bids, the best first, those that are not legal last; equals keep their order."""
    for k in range(1, count):
        bid = bids[k]
        value = worth(sums, bid, rule) if (legal >> bid) & 1 != 0 else -(1 << 62)
        j = k
        while j > 0:
            other = worth(sums, bids[j - 1], rule) if (legal >> bids[j - 1]) & 1 != 0 else -(1 << 62)
            if other >= value:
                break
            bids[j] = bids[j - 1]
            j -= 1
        bids[j] = bid


@compiled(void(BLOCKS, int64, int64, int64, int64, TABLE, int64, SUMS))
def add_lanes(S: Any, place: int, per: int, first: int, end: int, bids: Any, number: int, sums: Any) -> None:
    """Add what the lanes came to to the sums of their decisions, for the bid ``number`` of each."""
    for i in range(LANES):
        if first + i < end:
            decision = (first + i) // per
            own = sums[decision, bids[decision, number]]
            score = int64(S[at.DEAL_SCORES + place * LANES + i])
            won = (int64(S[at.CODE + i]) >> (23 + 5 * place)) & 31
            own[SCORE] += score
            own[SQUARES] += score * score
            own[TRICKS + won] += 1


@compiled(
    int64(BLOCKS, NUMBERS, NUMBERS, NUMBERS, TABLE, int64, int64, int64, int64, int64, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, TABLE, *FOUR)
)  # fmt: skip
def deal_worlds(
    S: Any, R: Any, E: Any, H: Any, Q: Any, begun: int, ended: int, place: int, worlds: int, evidence: int, dealt: Any, run: Any, data: Any,
    bounds: Any, error: Any, found: Any, b0: Any, b1: Any, b2: Any, b3: Any,
) -> int:  # fmt: skip
    """Deal the worlds of decisions ``begun`` to ``ended - 1`` and note the hidden hands in ``H``; return 0, or 1 after an illegal bid."""
    if evidence != 0 and place > 0:
        count, half = dealt_worlds(worlds), dealt.size // 2
        for k in range(begun, ended):
            if weigh(S, R, Q, k, place, count, E, dealt[:half], dealt[half:], run, data, bounds, error, b0, b1, b2, b3) > 0:
                return 1
            resample(H[(k - begun) * worlds : (k - begun + 1) * worlds], dealt[:half], dealt[half:], count, found[k])
        return 0
    for first in range(begun * worlds, ended * worlds, LANES):
        take_slots(S, Q, worlds, 0, first, ended * worlds)
        deal_hidden(S, run[SEED], H[first - begun * worlds : first - begun * worlds + LANES])
    return 0


@kernel
def renamed(cards: int, a: int, b: int, c: int, d: int) -> int:
    """Return a set with clubs, diamonds, hearts and spades named anew, as suits 0..3."""
    clubs, diamonds, hearts, spades = cards & 0x1FFF, (cards >> 13) & 0x1FFF, (cards >> 26) & 0x1FFF, cards >> 39
    return (clubs << (13 * a)) | (diamonds << (13 * b)) | (hearts << (13 * c)) | (spades << (13 * d))


@compiled(void(BLOCKS, NUMBERS, TABLE, NUMBERS, int64, int64, int64, int64, int64, int64, int64, int64))
def take_worlds(S: Any, W: Any, Q: Any, H: Any, seed: int, begun: int, place: int, worlds: int, world: int, per: int, first: int, end: int) -> None:
    """Begin the deals of slots in the lanes, suits named anew; ``H`` holds the hidden hands of all worlds of the decisions from ``begun`` on."""
    take_slots(S, Q, per, world, first, end)
    make_words(S, seed, NAMES)
    for i in range(LANES):
        slot = first + i if first + i < end else end - 1
        W[i] = H[(slot // per - begun) * worlds + world + slot % per]
    for i in range(LANES):
        a, b, c, d = new_names(bounded(int64(S[MADE + i]), 24))
        S[at.DEALT + i] = renamed(int64(S[at.DEALT + i]), a, b, c, d)
        S[at.TURNED + i] = renamed(int64(S[at.TURNED + i]), a, b, c, d)
        W[i] = renamed(W[i], a, b, c, d)
    begin(S, W, place)


@compiled(void(BLOCKS, TABLE, int64, int64, int64, int64, int64))
def set_own(S: Any, bids: Any, place: int, per: int, first: int, end: int, number: int) -> None:
    """Let the decisions of the lanes bid the bid ``number`` that is tried."""
    for i in range(LANES):
        slot = first + i if first + i < end else end - 1
        S[at.BIDS + place * LANES + i] = bids[slot // per, number]


@compiled(
    int64(
        BLOCKS, NUMBERS, NUMBERS, TABLE, NUMBERS, TABLE, int64, int64, int64, int64, int64, int64, int64, int64, NUMBERS, NUMBERS, NUMBERS, NUMBERS,
        NUMBERS, NUMBERS, NUMBERS, SUMS, *FOUR, *FOUR,
    )
)  # fmt: skip
def try_bids(
    S: Any, R: Any, E: Any, Q: Any, H: Any, bids: Any, count: int, begun: int, ended: int, place: int, worlds: int, world: int, per: int,
    evidence: int, run: Any, data: Any, bounds: Any, bid_run: Any, bid_data: Any, bid_bounds: Any, error: Any, sums: Any, f0: Any, f1: Any, f2: Any,
    f3: Any, b0: Any, b1: Any, b2: Any, b3: Any,
) -> int:  # fmt: skip
    """Try the first ``count`` bids of decisions in ``per`` worlds from ``world`` on; return 0, or 1 after an illegal choice."""
    end, made = ended * per, E[: 2 * LANES]
    for first in range(begun * per, end, LANES):
        take_worlds(S, E[2 * LANES :], Q, H, bid_run[SEED], begun, place, worlds, world, per, first, end)
        bids_made(made, Q, per, first, end)
        for earlier in range(0 if evidence != 0 else place):
            if ask(S, R, bid_run, earlier, bid_data, bid_bounds, error, b0, b1, b2, b3) > 0:
                return 1
            for i in range(LANES):
                made[earlier * LANES + i] = S[at.BIDS + earlier * LANES + i]
        for number in range(count):
            start(S)
            set_bids(S, made, place)
            set_own(S, bids, place, per, first, end, number)
            for later in range(place + 1, at.PLAYERS):
                if ask(S, R, bid_run, later, bid_data, bid_bounds, error, b0, b1, b2, b3) > 0:
                    return 1
            if play_out(S, R, run, 0, 0, data, bounds, error, f0, f1, f2, f3) > 0:
                return 1
            add_lanes(S, place, per, first, end, bids, number, sums)
    return 0


@compiled(
    int64(BLOCKS, NUMBERS, NUMBERS, TABLE, TABLE, int64, int64, NUMBERS, NUMBERS, NUMBERS, NUMBERS, *FOUR)
)  # fmt: skip
def bids_around(
    S: Any, R: Any, notes: Any, Q: Any, bids: Any, place: int, evidence: int, run: Any, data: Any, bounds: Any, error: Any, b0: Any, b1: Any,
    b2: Any, b3: Any,
) -> int:  # fmt: skip
    """Fill ``bids`` [n, count] with the bids around the policy's own, which it makes in world 0; return 0, or 1 after an illegal bid.

    The arguments are those of :func:`bid_rollout`.
    """
    E, W, n, count = notes[: 2 * LANES], notes[2 * LANES : 3 * LANES], bids.shape[0], bids.shape[1]
    for first in range(0, n, LANES):
        take_slots(S, Q, 1, 0, first, n)
        deal_hidden(S, run[SEED], W)
        begin(S, W, place)
        bids_made(E, Q, 1, first, n)
        for earlier in range(0 if evidence != 0 else place):
            if ask(S, R, run, earlier, data, bounds, error, b0, b1, b2, b3) > 0:
                return 1
        if evidence != 0:
            set_bids(S, E, place)
        if ask(S, R, run, place, data, bounds, error, b0, b1, b2, b3) > 0:
            return 1
        for i in range(min(LANES, n - first)):
            least = int64(S[at.BIDS + place * LANES + i]) - count // 2
            least = least if least > 0 else 0
            least = least if least + count <= BID_COUNT else BID_COUNT - count
            for k in range(count):
                bids[first + i, k] = least + k
    return 0


ROLLOUT = int64(
    BLOCKS, NUMBERS, NUMBERS, TABLE, TABLE, int64, int64, int64, int64, int64, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, SUMS,
    TABLE, *FOUR, *FOUR,
)  # fmt: skip


@compiled(ROLLOUT)
def bid_rollout(
    S: Any, R: Any, notes: Any, Q: Any, bids: Any, place: int, worlds: int, rounds: int, evidence: int, rule: int, run: Any, data: Any, bounds: Any,
    bid_run: Any, bid_data: Any, bid_bounds: Any, error: Any, sums: Any, found: Any, f0: Any, f1: Any, f2: Any, f3: Any, b0: Any, b1: Any, b2: Any,
    b3: Any,
) -> int:  # fmt: skip
    """Try bids of many decisions, all at one place in the bidding; return 0, or 1 after an illegal choice of a policy.

    Parameters
    ----------
    S : uint64[SIZE]
        One block of lanes.
    R : int64
        Rule values.
    notes : int64[notes_size(worlds, rounds)]
        Scratch.
    Q : int64[COLUMNS, n]
        The decisions, in the rows of :mod:`trickbench.games.manchego.bid_worlds`.
    bids : int64[n, count]
        The bids that are tried; afterwards the best first.
    place : int
        0 is left of the dealer, 2 the dealer.
    worlds : int
        In which a bid is tried that never goes out.
    rounds : int
        1: all bids are tried in all worlds. 3: in the first quarter of them, half of the bids in the second, half of those in the rest.
    evidence : int
        1: the bids made before stand, and are evidence of the hands. 0: in each world the earlier seats bid as the policy would.
    rule : int
        ``MODE`` or ``UTILITY``.
    run, data, bounds, f0 .. f3
        Who plays the cards, as the engine takes it.
    bid_run, bid_data, bid_bounds, b0 .. b3
        Who bids; the seed of the worlds is that of ``bid_run``.
    error : int64[ERROR_SIZE]
    sums : int64[n, BID_COUNT, SUM_COUNT]
        Added to.
    found : int64[n, 2]
        With evidence: added to, the sum of the weights of the worlds dealt and of their squares.
    """
    group, kept = group_of(worlds, rounds), 3 * LANES
    H = notes[kept : kept + whole_blocks(group * worlds)]
    dealt = notes[kept + H.size : kept + H.size + 2 * whole_blocks(dealt_worlds(worlds))]
    for begun in range(0, Q.shape[1], group):
        ended, world, count = min(begun + group, Q.shape[1]), 0, bids.shape[1]
        bad = deal_worlds(
            S, R, notes, H, Q, begun, ended, place, worlds, evidence, dealt, bid_run, bid_data, bid_bounds, error, found, b0, b1, b2, b3
        )  # fmt: skip
        if bad > 0:
            return 1
        for number in range(rounds):
            until = worlds >> (rounds - 1 - number)
            if until > world and try_bids(
                S, R, notes, Q, H, bids, count, begun, ended, place, worlds, world, until - world, evidence, run, data, bounds, bid_run, bid_data,
                bid_bounds, error, sums, f0, f1, f2, f3, b0, b1, b2, b3
            ) > 0:  # fmt: skip
                return 1
            for k in range(begun, ended):
                put_best_first(bids[k], count, sums[k], Q[LEGAL, k], rule)
            world, count = until, (count // 2 if count > 1 else 1)
    return 0
