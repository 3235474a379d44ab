"""Bidding and card play of Manchego over the lanes of blocks; the steps are those of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import int64, void

from trickbench.bits import popcount
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.dealing import BLOCKS, NUMBERS, clear_trick, modulo, turn_rows, turned, unpack
from trickbench.games.manchego.rules import beats, excluded, legal, legal_bids, suit_of
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
            w0, w1, w2, _ = words_at(seed, int64(B[at.COUNTER + i]), int64(B[at.COUNTER + LANES + i]), decision, 0)
            x, y, z = turned(w0, w1, w2, entry(B[at.LEADER + i]))
            B[at.WORDS + i] = x
            B[at.WORDS + LANES + i] = y
            B[at.WORDS + 2 * LANES + i] = z


@kernel
def show_three(B: Any, i: int, source: int, target: int, me: int, left: int, right: int) -> None:
    """Copy three rows as the seat at hand sees them: its own, left's, right's."""
    B[target + i] = B[source + me + i]
    B[target + LANES + i] = B[source + left + i]
    B[target + 2 * LANES + i] = B[source + right + i]


@kernel
def show_word(B: Any, i: int, place: int) -> None:
    """Fill the seat's number and that it is asked, which the engine reads, and its random word."""
    B[at.SEAT + i] = modulo(entry(B[at.LEADER + i]) + place)
    B[at.WORD + i] = B[at.WORDS + LANES * place + i]
    B[at.NEEDED + i] = 1


@kernel
def show_few(B: Any, i: int, place: int) -> None:
    """Fill these and the fields of ``READS_FEW``."""
    me, left, right = LANES * place, LANES * ((place + 1) % 3), LANES * ((place + 2) % 3)
    show_word(B, i, place)
    show_three(B, i, at.BIDS, at.BIDS_SEEN, me, left, right)
    show_three(B, i, at.TRICKS_WON, at.TRICKS_SEEN, me, left, right)


@kernel
def show_seat(B: Any, i: int, place: int) -> None:
    """Fill all view rows of lane ``i`` that depend on who looks (the others are kept where they are shown)."""
    me, left, right = LANES * place, LANES * ((place + 1) % 3), LANES * ((place + 2) % 3)
    show_few(B, i, place)
    B[at.DEALER + i] = modulo(entry(B[at.DEALER_SEAT + i]) - modulo(entry(B[at.LEADER + i]) + place) + 3)
    B[at.HAND + i] = B[at.HANDS + me + i]
    B[at.CANNOT + i] = B[at.EXCLUDED + left + i]
    B[at.CANNOT + LANES + i] = B[at.EXCLUDED + right + i]
    B[at.TABLE + i] = B[at.ON_TABLE + left + i]
    B[at.TABLE + LANES + i] = B[at.ON_TABLE + right + i]
    show_three(B, i, at.SCORES, at.SCORES_SEEN, me, left, right)


@kernel
def set_header(B: Any, decision: int, trick: int, place: int) -> None:
    """Write what is the same for all lanes."""
    B[at.HEADER + at.DECISION] = decision
    B[at.HEADER + at.TRICK] = trick
    B[at.HEADER + at.POSITION] = place


def make_ask(place: int) -> Callable[..., None]:
    """Return the loop that shows the bidding to the seat at a place, with its legal bids."""

    @compiled(void(BLOCKS, NUMBERS))
    def ask(S: Any, R: Any) -> None:
        rules = unpack(R)
        is_dealer = 1 if place == 2 else 0
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            set_header(B, at.BID, 0, 0)
            for i in range(LANES):
                show_seat(B, i, place)
            for i in range(LANES):
                others = entry(B[at.BIDS + i]) + entry(B[at.BIDS + LANES + i]) if place == 2 else 0
                B[at.LEGAL + i] = legal_bids(others, is_dealer, rules)

    return ask  # type: ignore[no-any-return]


def make_hear(place: int) -> Callable[..., None]:
    """Return the loop that notes the bid of the seat at a place."""

    @compiled(void(BLOCKS))
    def hear(S: Any) -> None:
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            for i in range(LANES):
                B[at.BIDS + place * LANES + i] = popcount(entry(B[at.TAKEN + i]) - 1)

    return hear  # type: ignore[no-any-return]


def make_show(place: int, show_rows: Callable[..., None]) -> Callable[..., None]:
    """Return the loop that shows card play to the seat at a place: its legal cards, and by ``show_rows`` the rows that depend on who looks."""

    @compiled(void(BLOCKS, NUMBERS, int64))
    def show(S: Any, R: Any, trick: int) -> None:
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            set_header(B, at.PLAY + trick, trick, place)
            for i in range(LANES):
                show_rows(B, i, place)
                B[at.LEGAL + i] = legal(entry(B[at.HANDS + place * LANES + i]), entry(B[at.LED + i]))

    return show  # type: ignore[no-any-return]


def make_take(place: int) -> Callable[..., None]:
    """Return the loop that puts the card of the seat at a place on the table."""

    @compiled(void(BLOCKS, NUMBERS))
    def take(S: Any, R: Any) -> None:
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            for i in range(LANES):
                card = entry(B[at.TAKEN + i])
                led = entry(B[at.LED + i])
                best = entry(B[at.BEST + i])
                B[at.HANDS + place * LANES + i] ^= card
                B[at.PLAYED + i] |= card
                B[at.ON_TABLE + place * LANES + i] = card
                if place == 0:
                    B[at.LED + i] = suit_of(card)
                    B[at.BEST + i] = card
                    B[at.WINNER + i] = 0
                else:
                    B[at.EXCLUDED + place * LANES + i] |= excluded(card, led)
                    wins = beats(card, best, led, entry(B[at.TRUMP + i])) != 0
                    B[at.BEST + i] = card if wins else best
                    B[at.WINNER + i] = place if wins else entry(B[at.WINNER + i])

    return take  # type: ignore[no-any-return]


def make_reveal(place: int) -> Callable[..., None]:
    """Return the loop that shows the other hands to the seat at a place: for oracles only."""
    left, right = LANES * ((place + 1) % 3), LANES * ((place + 2) % 3)

    @compiled(void(BLOCKS))
    def reveal(S: Any) -> None:
        for b in range(S.size // at.SIZE):
            B = S[b * at.SIZE : (b + 1) * at.SIZE]
            for i in range(LANES):
                B[at.OTHER_HANDS + i] = B[at.HANDS + left + i]
                B[at.OTHER_HANDS + LANES + i] = B[at.HANDS + right + i]

    return reveal  # type: ignore[no-any-return]


ask_0, ask_1, ask_2 = (make_ask(place) for place in range(3))
hear_0, hear_1, hear_2 = (make_hear(place) for place in range(3))
show_0, show_1, show_2 = (make_show(place, show_seat) for place in range(3))
few_0, few_1, few_2 = (make_show(place, show_few) for place in range(3))
least_0, least_1, least_2 = (make_show(place, show_word) for place in range(3))
take_0, take_1, take_2 = (make_take(place) for place in range(3))
reveal_0, reveal_1, reveal_2 = (make_reveal(place) for place in range(3))


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
            turn_rows(B, i, at.BIDS, at.BIDS, winner)
            turn_rows(B, i, at.TRICKS_WON, at.TRICKS_WON, winner)
            turn_rows(B, i, at.SCORES, at.SCORES, winner)
        for i in range(LANES):
            B[at.TRICKS_WON + i] += 1
            B[at.LEADER + i] = modulo(entry(B[at.LEADER + i]) + entry(B[at.WINNER + i]))
            clear_trick(B, i)
