"""Card play of Manille over the lanes of blocks.

A step is: *show* (what the seat may see, its legal cards), the agents' choice, *check* (in the engine), *take* (the
card leaves the hand, who is winning, what the play excludes). The functions of a place are made by factories, because
rows must be constants when compiled: with the place as an argument LLVM does not vectorise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import int64, void

from trickbench.games.manille import layout as at
from trickbench.games.manille.dealing import BLOCKS, NUMBERS, clear_trick, turn_rows, turned, unpack
from trickbench.games.manille.rules import beats, excluded, legal, points, suit_of
from trickbench.games.rows import LANES
from trickbench.jit import compiled, kernel
from trickbench.narrow import entry
from trickbench.streams import words_at


@compiled(void(BLOCKS, int64, int64))
def draw(S: Any, seed: int, decision: int) -> None:
    """Fill the words of a decision, in trick order: word i of the block belongs to absolute seat i."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            w0, w1, w2, w3 = words_at(seed, int64(B[at.COUNTER + i]), int64(B[at.COUNTER + LANES + i]), decision, 0)
            a, c, d, e = turned(w0, w1, w2, w3, entry(B[at.LEADER + i]))
            B[at.WORDS + i] = a
            B[at.WORDS + LANES + i] = c
            B[at.WORDS + 2 * LANES + i] = d
            B[at.WORDS + 3 * LANES + i] = e


@kernel
def show_word(B: Any, i: int, place: int) -> None:
    """Fill the seat's number, which the engine reads too, and its random word."""
    B[at.SEAT + i] = (entry(B[at.LEADER + i]) + place) & 3
    B[at.WORD + i] = B[at.WORDS + place * LANES + i]


@kernel
def show_few(B: Any, i: int, place: int) -> None:
    """Fill these and the fields of ``READS_FEW``."""
    show_word(B, i, place)
    dealer = (entry(B[at.DEALER_SEAT + i]) - entry(B[at.LEADER + i]) - place) & 3
    left, partner, right = LANES * ((place + 1) & 3), LANES * ((place + 2) & 3), LANES * ((place + 3) & 3)
    B[at.DEALER + i] = dealer
    B[at.CALLER + i] = (dealer + 2 * entry(B[at.ASKED + i])) & 3
    B[at.HAND + i] = B[at.HANDS + place * LANES + i]
    B[at.CANNOT + i] = B[at.EXCLUDED + left + i]
    B[at.CANNOT + LANES + i] = B[at.EXCLUDED + partner + i]
    B[at.CANNOT + 2 * LANES + i] = B[at.EXCLUDED + right + i]


@kernel
def show_seat(B: Any, i: int, place: int) -> None:
    """Fill all view rows of lane ``i`` that depend on who looks (the others are kept where they are shown)."""
    show_few(B, i, place)
    us, them = LANES * (place & 1), LANES * (1 - (place & 1))
    left, partner, right = LANES * ((place + 1) & 3), LANES * ((place + 2) & 3), LANES * ((place + 3) & 3)
    B[at.TABLE + i] = B[at.ON_TABLE + left + i]
    B[at.TABLE + LANES + i] = B[at.ON_TABLE + partner + i]
    B[at.TABLE + 2 * LANES + i] = B[at.ON_TABLE + right + i]
    B[at.POINTS_US + i] = B[at.POINTS + us + i]
    B[at.POINTS_THEM + i] = B[at.POINTS + them + i]
    B[at.TRICKS_US + i] = B[at.TRICKS_WON + us + i]
    B[at.TRICKS_THEM + i] = B[at.TRICKS_WON + them + i]
    B[at.SCORE_US + i] = B[at.SCORES + us + i]
    B[at.SCORE_THEM + i] = B[at.SCORES + them + i]


@kernel
def show_legal(B: Any, i: int, place: int, rules: Any) -> None:
    """Fill what is asked of lane ``i``: the legal cards."""
    hand = entry(B[at.HANDS + place * LANES + i])
    # A seat's partner is two places before it; places 0 and 1 have none in the trick.
    partner_winning = 1 if (place >= 2) & (entry(B[at.WINNER + i]) == place - 2) else 0
    B[at.PARTNER_WINNING + i] = partner_winning
    B[at.LEGAL + i] = (
        hand if place == 0 else legal(hand, entry(B[at.LED + i]), entry(B[at.TRUMP + i]), entry(B[at.BEST + i]), partner_winning, rules)
    )
    B[at.NEEDED + i] = 1


def make_show(place: int, show_rows: Callable[..., None]) -> Callable[..., None]:
    """Return the loop that shows card play to the seat at a place: its legal cards, and by ``show_rows`` the rows that depend on who looks."""

    @compiled(void(BLOCKS, NUMBERS, int64))
    def show(S: Any, R: Any, trick: int) -> None:
        rules = unpack(R)
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            B[at.HEADER + at.DECISION] = at.PLAY + trick
            B[at.HEADER + at.TRICK] = trick
            B[at.HEADER + at.POSITION] = place
            for i in range(LANES):
                show_rows(B, i, place)
                show_legal(B, i, place, rules)

    return show  # type: ignore[no-any-return]


def make_take(place: int) -> Callable[..., None]:
    """Return the loop that puts the card of the seat at a place on the table."""

    @compiled(void(BLOCKS, NUMBERS))
    def take(S: Any, R: Any) -> None:
        rules = unpack(R)
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            for i in range(LANES):
                card = entry(B[at.TAKEN + i])
                led = entry(B[at.LED + i])
                best = entry(B[at.BEST + i])
                trump = entry(B[at.TRUMP + i])
                B[at.HANDS + place * LANES + i] ^= card
                B[at.PLAYED + i] |= card
                B[at.ON_TABLE + place * LANES + i] = card
                B[at.TRICK_POINTS + i] += points(card)
                if place == 0:
                    B[at.LED + i] = suit_of(card)
                    B[at.BEST + i] = card
                    B[at.WINNER + i] = 0
                else:
                    B[at.EXCLUDED + place * LANES + i] |= excluded(card, led, trump, best, entry(B[at.PARTNER_WINNING + i]), rules)
                    wins = beats(card, best, led, trump) != 0
                    B[at.BEST + i] = card if wins else best
                    B[at.WINNER + i] = place if wins else entry(B[at.WINNER + i])

    return take  # type: ignore[no-any-return]


def make_reveal(place: int) -> Callable[..., None]:
    """Return the loop that shows the other hands to the seat at a place: for oracles only."""
    left, partner, right = LANES * ((place + 1) & 3), LANES * ((place + 2) & 3), LANES * ((place + 3) & 3)

    @compiled(void(BLOCKS))
    def reveal(S: Any) -> None:
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            for i in range(LANES):
                B[at.OTHER_HANDS + i] = B[at.HANDS + left + i]
                B[at.OTHER_HANDS + LANES + i] = B[at.HANDS + partner + i]
                B[at.OTHER_HANDS + 2 * LANES + i] = B[at.HANDS + right + i]

    return reveal  # type: ignore[no-any-return]


reveal_0, reveal_1, reveal_2, reveal_3 = (make_reveal(place) for place in range(4))
show_0, show_1, show_2, show_3 = (make_show(place, show_seat) for place in range(4))
few_0, few_1, few_2, few_3 = (make_show(place, show_few) for place in range(4))
least_0, least_1, least_2, least_3 = (make_show(place, show_word) for place in range(4))
take_0, take_1, take_2, take_3 = (make_take(place) for place in range(4))


@kernel
def add_and_swap(B: Any, i: int, row: int, amount: int, swap: bool) -> None:
    """Put the winner's side first in a pair of rows and add to it."""
    ours, theirs = entry(B[row + i]), entry(B[row + LANES + i])
    B[row + i] = (theirs if swap else ours) + amount
    B[row + LANES + i] = ours if swap else theirs


@compiled(void(BLOCKS, int64))
def end_trick(S: Any, trick: int) -> None:
    """Give the trick to its winner, who leads to the next: turn all rows that are kept in trick order."""
    for b in range(S.size // at.SIZE):
        B = S[b * at.SIZE : (b + 1) * at.SIZE]
        for i in range(LANES):
            winner = entry(B[at.WINNER + i])
            turn_rows(B, i, at.HANDS, at.HANDS, winner)
            turn_rows(B, i, at.EXCLUDED, at.EXCLUDED, winner)
        for i in range(LANES):
            winner = entry(B[at.WINNER + i])
            B[at.LEADER + i] = (entry(B[at.LEADER + i]) + winner) & 3
            swap = winner & 1 != 0
            add_and_swap(B, i, at.POINTS, entry(B[at.TRICK_POINTS + i]), swap)
            add_and_swap(B, i, at.TRICKS_WON, 1, swap)
            add_and_swap(B, i, at.SCORES, 0, swap)
        for i in range(LANES):
            clear_trick(B, i)
