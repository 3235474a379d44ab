"""Worlds for rollouts of bids: the hidden hands dealt at random, or as the bids made before make them likely.

A decision is a hand at a place in the bidding (0 left of the dealer, 1, 2 the dealer), with the bids made before it. In a world the 34 cards that the
hand does not see are dealt to the other two. A world depends on the seed, the decision's key and the world's number alone.

Bids made are evidence of the hands. Four times as many worlds are then dealt as are wanted, and those are drawn from them in proportion to how
near the bids that the policy would have made there are to those made: sampling and importance resampling (Rubin, 1988), at equal steps of the
running sum.
"""

from __future__ import annotations

from typing import Any

from numba import int64, void

from trickbench.engine import NUMBERS, SEED
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.bid_layout import BIDS, HAND, KEY, SCORES, TURNED
from trickbench.games.manchego.dealing import BLOCKS, start
from trickbench.games.manchego.drive import loops, speak
from trickbench.games.manchego.lanes import ask_0, ask_1, ask_2, draw, hear_0, hear_1, hear_2, reveal_0, reveal_1, reveal_2
from trickbench.games.rolling import TABLE
from trickbench.games.rows import LANES
from trickbench.jit import compiled, kernel
from trickbench.narrow import entry
from trickbench.streams import BID_WORLDS, counter, words_at

ALL = (1 << at.PACK) - 1
OTHERS = 34
"""Cards that are dealt to the other two seats."""
WORLD_BITS = 16
"""The index of a counter is the decision's key, then the world's number; with key 0 there is room for 2^48 worlds."""
NAMES = OTHERS // 4 + 1
"""The block of words that names suits anew, after those that deal."""
MADE = at.WORDS
"""The first of four rows for words: those of the seats, then one of what plays exclude."""
FOUR = 4 * (loops.choose,)

@kernel
def load_place(S: Any, i: int, place: int, own: int, first: int, turned: int) -> None:
    """Deal lane ``i``: the hand at its place, ``first`` to the lower of the other places, the rest to the other."""
    second = ALL ^ own ^ first ^ turned
    S[at.DEALT + i] = own if place == 0 else first
    S[at.DEALT + LANES + i] = own if place == 1 else (first if place == 0 else second)
    S[at.DEALT + 2 * LANES + i] = own if place == 2 else second
    S[at.DEALT + 3 * LANES + i] = turned


@compiled(void(BLOCKS, TABLE, int64, int64, int64, int64))
def take_slots(S: Any, Q: Any, per: int, world: int, first: int, end: int) -> None:
    """Take slots into the lanes: slot s is world ``world + s % per`` of decision ``s // per``. Lanes beyond ``end`` repeat it and do not count."""
    decision, number = first // per, first % per
    for i in range(LANES):
        low, high = counter((Q[KEY, decision] << WORLD_BITS) + world + number, 0)
        S[at.COUNTER + i] = low
        S[at.COUNTER + LANES + i] = high
        S[at.LIVE + i] = 1 if first + i < end else 0
        S[at.DEALT + i] = Q[HAND, decision]
        S[at.TURNED + i] = Q[TURNED, decision]
        S[at.DEALER_SEAT + i] = 2
        S[at.TOTALS + i] = Q[SCORES, decision]
        S[at.TOTALS + LANES + i] = Q[SCORES + 1, decision]
        S[at.TOTALS + 2 * LANES + i] = Q[SCORES + 2, decision]
        number += 1 if first + i + 1 < end else 0
        decision += 1 if number == per else 0
        number = 0 if number == per else number


@kernel
def give_one(S: Any, i: int, rest: int, word: int, left: int) -> int:
    """Give the lowest card of ``rest``, of ``left`` cards, to the first of the others in proportion to its free places; return what remains."""
    card, places = rest & -rest, entry(S[at.PLACES + i])
    own = (word * left) >> 32 < places
    S[at.HANDS + i] |= card if own else 0
    S[at.PLACES + i] = places - 1 if own else places
    return rest ^ card


@compiled(void(BLOCKS, int64, int64))
def make_words(S: Any, seed: int, block: int) -> None:
    """Make four words for each lane, in rows that are cleared before play."""
    # A function of its own: where words are made and used in one loop, LLVM 22 makes wrong vector code of some comparisons on AVX-512.
    for i in range(LANES):
        w0, w1, w2, w3 = words_at(seed, int64(S[at.COUNTER + i]), int64(S[at.COUNTER + LANES + i]), BID_WORLDS, block)
        S[MADE + i] = w0
        S[MADE + LANES + i] = w1
        S[MADE + 2 * LANES + i] = w2
        S[MADE + 3 * LANES + i] = w3


@compiled(void(BLOCKS, int64, NUMBERS))
def deal_hidden(S: Any, seed: int, H: Any) -> None:
    """Deal the 34 cards that a decision does not see, and note the hand of the first of the others in ``H``."""
    for i in range(LANES):
        # What is still to be dealt stands in a row that is cleared before play.
        S[at.PLAYED + i] = ALL ^ entry(S[at.DEALT + i]) ^ entry(S[at.TURNED + i])
        S[at.HANDS + i] = 0
        S[at.PLACES + i] = at.TRICKS
    for block in range(OTHERS // 4):
        make_words(S, seed, block)
        for i in range(LANES):
            left = OTHERS - 4 * block
            rest = give_one(S, i, entry(S[at.PLAYED + i]), entry(S[MADE + i]), left)
            rest = give_one(S, i, rest, entry(S[MADE + LANES + i]), left - 1)
            rest = give_one(S, i, rest, entry(S[MADE + 2 * LANES + i]), left - 2)
            S[at.PLAYED + i] = give_one(S, i, rest, entry(S[MADE + 3 * LANES + i]), left - 3)
    make_words(S, seed, OTHERS // 4)
    for i in range(LANES):
        rest = give_one(S, i, entry(S[at.PLAYED + i]), entry(S[MADE + i]), 2)
        S[at.PLAYED + i] = give_one(S, i, rest, entry(S[MADE + LANES + i]), 1)
    for i in range(LANES):
        H[i] = entry(S[at.HANDS + i])


@compiled(void(BLOCKS, NUMBERS, int64))
def begin(S: Any, H: Any, place: int) -> None:
    """Begin the deals of the lanes, whose first hidden hands stand in ``H``."""
    for i in range(LANES):
        load_place(S, i, place, entry(S[at.DEALT + i]), H[i], entry(S[at.TURNED + i]))
    start(S)


@compiled(int64(BLOCKS, NUMBERS, NUMBERS, int64, NUMBERS, NUMBERS, NUMBERS, *FOUR))
def ask(S: Any, R: Any, run: Any, place: int, data: Any, bounds: Any, error: Any, b0: Any, b1: Any, b2: Any, b3: Any) -> int:
    """Let the seat at a place bid; return 0, or 1 after an illegal bid."""
    draw(S, run[SEED], at.BID)
    if place == 0:
        return speak(S, R, run, ask_0, reveal_0, hear_0, data, bounds, b0, b1, b2, b3, error)
    if place == 1:
        return speak(S, R, run, ask_1, reveal_1, hear_1, data, bounds, b0, b1, b2, b3, error)
    return speak(S, R, run, ask_2, reveal_2, hear_2, data, bounds, b0, b1, b2, b3, error)


@compiled(void(NUMBERS, TABLE, int64, int64, int64))
def bids_made(E: Any, Q: Any, per: int, first: int, end: int) -> None:
    """Fill ``E``, a row for each of the places 0 and 1, with the bids made before in the decisions of the lanes."""
    for i in range(LANES):
        decision = (first + i if first + i < end else end - 1) // per
        E[i] = Q[BIDS, decision]
        E[LANES + i] = Q[BIDS + 1, decision]


@compiled(void(BLOCKS, NUMBERS, int64))
def set_bids(S: Any, E: Any, place: int) -> None:
    """Let the bids before a place be those of ``E``."""
    for i in range(LANES):
        S[at.BIDS + i] = E[i] if place > 0 else at.NO_BID
        S[at.BIDS + LANES + i] = E[LANES + i] if place > 1 else at.NO_BID


@kernel
def agreement(difference: int) -> int:
    """Return the weight of a world in which the policy's bid differs by so much from the bid made."""
    d = difference if difference >= 0 else -difference
    far = 1 if d == 3 else 0
    near = 8 if d == 1 else (3 if d == 2 else far)
    return 12 if d == 0 else near


@compiled(
    int64(BLOCKS, NUMBERS, TABLE, int64, int64, int64, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, *FOUR)
)  # fmt: skip
def weigh(
    S: Any, R: Any, Q: Any, decision: int, place: int, dealt: int, E: Any, hands: Any, weights: Any, run: Any, data: Any, bounds: Any, error: Any,
    b0: Any, b1: Any, b2: Any, b3: Any,
) -> int:  # fmt: skip
    """Deal worlds of a decision, and weigh each by the bids made before; return 0, or 1 after an illegal bid."""
    for first in range(0, dealt, LANES):
        begun, end = decision * dealt + first, (decision + 1) * dealt
        take_slots(S, Q, dealt, 0, begun, end)
        deal_hidden(S, run[SEED], hands[first : first + LANES])
        bids_made(E, Q, dealt, begun, end)
        begin(S, hands[first : first + LANES], place)
        for i in range(LANES):
            weights[first + i] = 1
        for earlier in range(place):
            set_bids(S, E, earlier)
            if ask(S, R, run, earlier, data, bounds, error, b0, b1, b2, b3) > 0:
                return 1
            for i in range(LANES):
                weights[first + i] *= agreement(int64(S[at.BIDS + earlier * LANES + i]) - E[earlier * LANES + i])
    return 0


@compiled(void(NUMBERS, NUMBERS, NUMBERS, int64, NUMBERS))
def resample(H: Any, hands: Any, weights: Any, dealt: int, found: Any) -> None:
    """Draw worlds in proportion to their weights; all are alike if none has a weight."""
    total = 0
    for k in range(dealt):
        total += weights[k]
    for k in range(dealt):
        weights[k] = weights[k] if total > 0 else 1
        found[1] += weights[k] * weights[k]
    total = total if total > 0 else dealt
    found[0] += total
    taken, reached = 0, weights[0]
    for k in range(H.size):
        target = (2 * k + 1) * total // (2 * H.size)
        while reached <= target:
            taken += 1
            reached += weights[taken]
        H[k] = hands[taken]
