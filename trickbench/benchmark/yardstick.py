"""The scalar yardsticks: one deal after the other in a plain numba loop, everything inlined.

They deal and play the same deals with the same random words as the lane engine does for agents that choose at random, and count the same
outcomes, so the counts of both can be compared. What a loop like this does a second is what the lanes are measured against. It
keeps no view and knows one agent; the branches are those a careful author of scalar code would write.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, types, void

from trickbench.bits import bounded, popcount
from trickbench.games.manchego import ending as french_ending
from trickbench.games.manchego import rules as french
from trickbench.games.manchego.dealing import unpack as unpack_manchego
from trickbench.games.manchego.scoring import distance, score
from trickbench.games.manille.dealing import unpack
from trickbench.games.manille.ending import cell
from trickbench.games.manille.rules import legal, points, suit_of, trump_suit
from trickbench.games.tricks import beats
from trickbench.jit import compiled, kernel
from trickbench.streams import DEALING, words


@kernel
def nth_scalar(cards: int, n: int) -> int:
    """Return the n-th card of a set, by clearing the lower ones."""
    while n > 0:
        cards &= cards - 1
        n -= 1
    return cards & -cards


@kernel
def deal_one(hands: Any, seed: int, index: int, cards: int, free: int) -> None:
    """Deal one pack by the rule of the engine: a seat in proportion to its free places, ``free`` with 8 bits a seat."""
    # The seat as a sum of comparisons: with if and elif the processor guesses wrong two times in three (280 ns a deal of Manille).
    hands[0] = hands[1] = hands[2] = hands[3] = 0
    left = cards
    for block in range(cards // 4):
        for word in words(seed, index, 0, DEALING, block):
            r = bounded(word, left)
            a = free & 0xFF
            b = a + ((free >> 8) & 0xFF)
            c = b + ((free >> 16) & 0xFF)
            seat = int(r >= a) + int(r >= b) + int(r >= c)
            hands[seat] |= 1 << (cards - left)
            free -= 1 << (8 * seat)
            left -= 1


WORK = void(int64, int64, int64, int64, types.int64[::1], types.int64[::1])


@compiled(WORK, allocates=True)
def play_manille(seed: int, dealer_0: int, first: int, count: int, R: Any, counts: Any) -> None:
    """Play deals of Manille at random, random call, no doubles, and count their outcomes."""
    rules = unpack(R)
    hands = np.zeros(4, np.int64)
    for index in range(first, first + count):
        deal_one(hands, seed, index, 32, 0x08080808)
        dealer = (dealer_0 + index) & 3
        call = bounded(words(seed, index, 0, 0, 0)[dealer], 5)
        trump = trump_suit(call)
        leader = (dealer + 1) & 3
        points_0 = tricks_0 = 0
        for trick in range(8):
            w = words(seed, index, 0, 16 + trick, 0)
            led = best = total = 0
            winner = leader
            for k in range(4):
                seat = (leader + k) & 3
                hand = hands[seat]
                allowed = hand
                if k > 0:
                    allowed = legal(hand, led, trump, best, 1 if (winner ^ seat) & 1 == 0 else 0, rules)
                card = nth_scalar(allowed, bounded(w[seat], popcount(allowed)))
                hands[seat] ^= card
                total |= card
                if k == 0:
                    led = suit_of(card)
                    best = card
                elif beats(card, best, led, trump):
                    best = card
                    winner = seat
            leader = winner
            if winner & 1 == 0:
                points_0 += points(total)
                tricks_0 += 1
        counts[cell(points_0, tricks_0, dealer, 0, 0, call, 0)] += 1


@compiled(WORK, allocates=True)
def play_manchego(seed: int, dealer_0: int, first: int, count: int, R: Any, counts: Any) -> None:
    """Play deals of Manchego at random, with random bids, and count their outcomes."""
    rules = unpack_manchego(R)
    hands, bids, won = np.zeros(4, np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
    for index in range(first, first + count):
        deal_one(hands, seed, index, 52, 0x01111111)
        trump = french.suit_of(hands[3])
        dealer = (dealer_0 + index) % 3
        w = words(seed, index, 0, 8, 0)
        others = 0
        for k in range(3):
            seat = (dealer + 1 + k) % 3
            allowed = french.legal_bids(others, 1 if k == 2 else 0, rules)
            bids[seat] = popcount(nth_scalar(allowed, bounded(w[seat], popcount(allowed))) - 1)
            others += bids[seat]
            won[seat] = 0
        leader = (dealer + 1) % 3
        for trick in range(17):
            w = words(seed, index, 0, 16 + trick, 0)
            led = best = 0
            winner = leader
            for k in range(3):
                seat = (leader + k) % 3
                allowed = french.legal(hands[seat], led)
                card = nth_scalar(allowed, bounded(w[seat], popcount(allowed)))
                hands[seat] ^= card
                if k == 0:
                    led = french.suit_of(card)
                    best = card
                elif beats(card, best, led, trump):
                    best = card
                    winner = seat
            leader = winner
            won[winner] += 1
        for seat in range(3):
            d = distance(bids[seat], won[seat])
            left, right = (seat + 1) % 3, (seat + 2) % 3
            s = score(d, distance(bids[left], won[left]), distance(bids[right], won[right]), rules)
            counts[french_ending.cell(seat, (seat + 2 - dealer) % 3, bids[seat], won[seat], s)] += 1
        counts[3 * french_ending.SEAT_CELLS + bids[0] + bids[1] + bids[2]] += 1
