"""The end of a Manchego deal over the lanes of blocks: scores, and the cells that the deal is counted in.

A seat's outcome is one number, its cell: seat, place in the bidding, bid, tricks, score. A run's statistics are the counts of
the cells, and of the sums of the bids: integers that add up exactly, in memory that does not grow with the run.
"""

from __future__ import annotations

from typing import Any

from numba import int64, types, void

from trickbench.games.manchego import layout as at
from trickbench.games.manchego.dealing import BLOCKS, NUMBERS, modulo, turned, unpack
from trickbench.games.manchego.scoring import distance, score
from trickbench.games.rows import LANES
from trickbench.jit import compiled, kernel
from trickbench.narrow import entry
from trickbench.streams import record_place

LOWEST_SCORE = -34
SHAPE = (at.PLAYERS, at.PLAYERS, at.TRICKS + 1, at.TRICKS + 1, 69)
"""Seat, place in the bidding (2 is the dealer), bid, tricks, score - LOWEST_SCORE."""
SEAT_CELLS = 3 * 18 * 18 * 69
BID_SUMS = 3 * at.TRICKS + 1
CELLS = at.PLAYERS * SEAT_CELLS + BID_SUMS
"""The cells of the seats, then one for each sum of the bids."""


@kernel
def cell(seat: int, place: int, bid: int, won: int, points: int) -> int:
    """Return the number of a seat's outcome in ``SHAPE``."""
    return (((seat * 3 + place) * 18 + bid) * 18 + won) * 69 + points - LOWEST_SCORE


@kernel
def code(dealer: int, turned_card: int, b0: int, b1: int, b2: int, w0: int, w1: int, w2: int) -> int:
    """Return a deal's result as one number: dealer, index of the turned card, bids and tricks by seat."""
    return dealer | turned_card << 2 | b0 << 8 | b1 << 13 | b2 << 18 | w0 << 23 | w1 << 28 | w2 << 33


@kernel
def card_index(card: int) -> int:
    """Return the index of a one-card set."""
    from_16 = 16 if card >= 1 << 16 else 0
    from_16 = 32 if card >= 1 << 32 else from_16
    from_16 = 48 if card >= 1 << 48 else from_16
    rest = card >> from_16
    eight = 8 if rest >= 1 << 8 else 0
    rest = rest >> eight
    four = 4 if rest >= 1 << 4 else 0
    rest = rest >> four
    return from_16 + eight + four + (2 if rest >= 4 else 0) + (1 if (rest == 2) | (rest == 8) else 0)


@kernel
def finish_lane(B: Any, i: int, rules: Any) -> None:
    """Score lane ``i`` and number its outcome."""
    leader = entry(B[at.LEADER + i])
    # From trick order to absolute seats: place 0 is seat ``leader``, so seat 0 is place -leader.
    back = modulo(3 - leader)
    b0, b1, b2 = turned(entry(B[at.BIDS + i]), entry(B[at.BIDS + LANES + i]), entry(B[at.BIDS + 2 * LANES + i]), back)
    w0, w1, w2 = turned(entry(B[at.TRICKS_WON + i]), entry(B[at.TRICKS_WON + LANES + i]), entry(B[at.TRICKS_WON + 2 * LANES + i]), back)
    d0, d1, d2 = distance(b0, w0), distance(b1, w1), distance(b2, w2)
    dealer = entry(B[at.DEALER_SEAT + i])
    s0, s1, s2 = score(d0, d1, d2, rules), score(d1, d2, d0, rules), score(d2, d0, d1, rules)
    B[at.DEAL_SCORES + i] = s0
    B[at.DEAL_SCORES + LANES + i] = s1
    B[at.DEAL_SCORES + 2 * LANES + i] = s2
    B[at.CELLS + i] = cell(0, modulo(2 - dealer), b0, w0, s0)
    B[at.CELLS + LANES + i] = cell(1, modulo(3 - dealer), b1, w1, s1)
    B[at.CELLS + 2 * LANES + i] = cell(2, modulo(4 - dealer), b2, w2, s2)
    B[at.BID_SUM + i] = at.PLAYERS * SEAT_CELLS + b0 + b1 + b2
    B[at.CODE + i] = code(dealer, card_index(entry(B[at.TURNED + i])), b0, b1, b2, w0, w1, w2)


@compiled(void(BLOCKS, NUMBERS))
def finish(S: Any, R: Any) -> None:
    """Score all lanes."""
    rules = unpack(R)
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            finish_lane(B, i, rules)


@compiled(void(BLOCKS, NUMBERS, types.uint64[::1], int64))
def tally(S: Any, counts: Any, codes: Any, first: int) -> None:
    """Count the outcome of every live lane; where codes are wanted, write each deal's code at its place."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            if B[at.LIVE + i] != 0:
                counts[entry(B[at.CELLS + i])] += 1
                counts[entry(B[at.CELLS + LANES + i])] += 1
                counts[entry(B[at.CELLS + 2 * LANES + i])] += 1
                counts[entry(B[at.BID_SUM + i])] += 1
                if codes.size > 0:
                    codes[record_place(int64(B[at.COUNTER + i]), int64(B[at.COUNTER + LANES + i]), first)] = B[at.CODE + i]


@compiled(void(BLOCKS, types.uint64[:, ::1], int64))
def write_plays(S: Any, plays: Any, first: int) -> None:
    """Write hands and cards in order of play, a row a deal: 3 hands by seat, 51 cards."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            if B[at.LIVE + i] != 0:
                place = record_place(int64(B[at.COUNTER + i]), int64(B[at.COUNTER + LANES + i]), first)
                for seat in range(at.PLAYERS):
                    plays[place, seat] = B[at.DEALT + seat * LANES + i]
                for number in range(at.CARDS):
                    plays[place, at.PLAYERS + number] = B[at.HISTORY + number * LANES + i]
