"""The auction of Manille over the lanes of blocks: one pair of loops a decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import int64, void

from trickbench.bits import popcount
from trickbench.games.manille import auction
from trickbench.games.manille import layout as at
from trickbench.games.manille.dealing import BLOCKS, NUMBERS, unpack
from trickbench.games.manille.lanes import show_seat
from trickbench.games.manille.rules import trump_suit
from trickbench.games.manille.scoring import factor
from trickbench.games.rows import LANES
from trickbench.jit import compiled
from trickbench.narrow import entry


def make_ask(decision: int) -> Callable[..., int]:
    """Return the loop that finds the lanes in which a decision is asked, and counts them."""

    @compiled(int64(BLOCKS, NUMBERS))
    def ask(S: Any, R: Any) -> int:
        rules = unpack(R)
        answers = auction.legal_answers(decision, rules)
        asked = 0
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            B[at.HEADER + at.DECISION] = decision
            B[at.HEADER + at.TRICK] = 0
            B[at.HEADER + at.POSITION] = 0
            for i in range(LANES):
                needed = auction.is_asked(
                    decision, entry(B[at.CALL + i]), entry(B[at.ASKED + i]), entry(B[at.DOUBLED + i]), entry(B[at.REDOUBLED + i]), rules
                )
                needed &= entry(B[at.LIVE + i])
                B[at.NEEDED + i] = needed
                B[at.LEGAL + i] = answers
                B[at.PARTNER_WINNING + i] = 0
                asked += needed
        return asked

    return ask  # type: ignore[no-any-return]


def make_face(place: int) -> Callable[..., None]:
    """Return the loop that shows an auction to the seat at a place, with its hand or without."""

    @compiled(void(BLOCKS, int64))
    def face(S: Any, decision: int) -> None:
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            for i in range(LANES):
                show_seat(B, i, place)
            if decision == at.CALL_BLIND:
                for i in range(LANES):
                    B[at.HAND + i] = 0

    return face  # type: ignore[no-any-return]


def make_hear(decision: int) -> Callable[..., None]:
    """Return the loop that takes the answers to a decision where it was asked."""

    @compiled(void(BLOCKS, NUMBERS))
    def hear(S: Any, R: Any) -> None:
        rules = unpack(R)
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            for i in range(LANES):
                needed = entry(B[at.NEEDED + i]) != 0
                answer = entry(B[at.TAKEN + i])
                number = popcount(answer - 1)
                yes = 1 if needed & (answer == 2) else 0
                if decision == at.CALL_BLIND:
                    called = needed & (number == at.NT_CALL)
                    B[at.BLIND + i] = 1 if called else 0
                    B[at.CALL + i] = at.NT_CALL if called else at.NO_CALL
                elif decision <= at.CALL_PARTNER:
                    B[at.CALL + i] = number if needed & (number <= at.NT_CALL) else entry(B[at.CALL + i])
                    B[at.ASKED + i] = 1 if needed & (number == at.EN_FACE) else entry(B[at.ASKED + i])
                elif decision <= at.DOUBLE_RIGHT:
                    B[at.DOUBLED + i] |= yes
                else:
                    B[at.REDOUBLED + i] |= yes
            for i in range(LANES):
                call = entry(B[at.CALL + i])
                no_trump = 1 if call == at.NT_CALL else 0
                doubles = entry(B[at.DOUBLED + i]) + entry(B[at.REDOUBLED + i])
                B[at.TRUMP + i] = trump_suit(call)
                B[at.FACTOR + i] = factor(no_trump, entry(B[at.BLIND + i]), doubles, 0, entry(B[at.CARRY + i]), rules)

    return hear  # type: ignore[no-any-return]


ask_blind, ask_dealer, ask_partner, ask_left, ask_right, ask_back, ask_partner_back = (make_ask(decision) for decision in auction.ORDER)
hear_blind, hear_dealer, hear_partner, hear_left, hear_right, hear_back, hear_partner_back = (make_hear(decision) for decision in auction.ORDER)
face_0, face_1, face_2, face_3 = (make_face(place) for place in range(4))
