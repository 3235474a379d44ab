"""What a lane does between two deals: it takes the next index, or goes on with its game and match.

An index is one independent deal, or one whole game or match. Lanes take indices in order; which lane plays which depends on
who was ready first, so everything that is kept is kept by index, and results do not depend on the width of a block.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from numba import int64, types, void

from trickbench.engine import BEST_OF, DEALER, GAME_DEALS, IN_GAMES, NUMBERS, TARGET
from trickbench.games.rows import LANES
from trickbench.jit import compiled, kernel
from trickbench.streams import MASK32, MOST_IN_GAME, counter, index_of, number_of

# Where a piece of work stands, so that it can be done in several calls
OPEN, NEXT, ROUNDS, USED, ENDLESS, STATE_SIZE = 0, 1, 2, 3, 4, 5
"""Lanes that still play; the next place to be given out; rounds left in this call; rows of games written; 1 + an index that does not end."""

# The columns of a finished game; the scores of its sides or seats follow
MATCH, GAME, FIRST_DEALER, DEALS, WINNERS, SCORES = 0, 1, 2, 3, 4, 5
"""Index; number of the game in its match; who dealt first; how many deals; the sides or seats with the highest score, as a set."""


class Turnover(NamedTuple):
    """The loops between deals, for the rows of one game."""

    seat: Callable[..., None]
    move_on: Callable[..., None]


def make_turnover(at: ModuleType, element: Any, players: int, sides: int) -> Turnover:
    """Return the loops between deals for a game's rows, its unsigned integer type, and how many score apart."""
    blocks = element[::1]
    size, live, dealer, count_row = at.SIZE, at.LIVE, at.DEALER_SEAT, at.COUNTER
    totals, won, scores = at.TOTALS, at.WON, at.DEAL_SCORES
    first_dealer, deals_played, games_played = at.FIRST_DEALER, at.DEALS_PLAYED, at.GAMES_PLAYED
    carry, next_carry = getattr(at, "CARRY", None), getattr(at, "NEXT_CARRY", None)

    @kernel
    def new_game(B: Any, i: int) -> None:
        """Set what a game of lane ``i`` begins with; its dealer is known."""
        B[first_dealer + i] = B[dealer + i]
        B[deals_played + i] = 0
        for side in range(sides):
            B[totals + side * LANES + i] = 0
        if carry is not None:
            B[carry + i] = 1

    @kernel
    def sit(B: Any, i: int, run: Any, index: int, is_live: int) -> None:
        """Give lane ``i`` an index."""
        low, high = counter(index, 0)
        B[count_row + i] = low
        B[count_row + LANES + i] = high
        B[live + i] = is_live
        B[dealer + i] = (run[DEALER] + index) % players
        B[games_played + i] = 0
        for side in range(sides):
            B[won + side * LANES + i] = 0
        new_game(B, i)

    @compiled(void(blocks, NUMBERS, int64, int64, NUMBERS))
    def seat(S: Any, run: Any, first: int, count: int, state: Any) -> None:
        """Give all lanes their first index, from ``first`` on; the lanes beyond ``count`` do not count."""
        lanes = S.size // size * LANES
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            for i in range(LANES):
                place = b * LANES + i
                sit(B, i, run, first + place, 1 if place < count else 0)
        state[NEXT] = min(lanes, count)
        state[OPEN] = state[NEXT]

    @kernel
    def skip(S: Any, count: int, state: Any) -> None:
        """Independent deals: give all lanes the index that comes next."""
        lanes = S.size // size * LANES
        done = state[NEXT]
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            for i in range(LANES):
                low = int64(B[count_row + i]) + lanes
                B[count_row + i] = low & MASK32
                B[count_row + LANES + i] = int64(B[count_row + LANES + i]) + (low >> 32)
                next_dealer = int64(B[dealer + i]) + lanes % players
                B[dealer + i] = next_dealer - players if next_dealer >= players else next_dealer
                B[live + i] = 1 if done + b * LANES + i < count else 0
        state[OPEN] = min(lanes, count - done)
        state[NEXT] = done + state[OPEN]

    @kernel
    def add_scores(B: Any, i: int) -> int:
        """Add the deal's scores to the game's; return the highest."""
        best = -MASK32
        for side in range(sides):
            total = int64(B[totals + side * LANES + i]) + int64(B[scores + side * LANES + i])
            B[totals + side * LANES + i] = total
            best = total if total > best else best
        return best

    @kernel
    def close_game(B: Any, i: int, best: int, state: Any, games: Any) -> int:
        """Write the finished game of lane ``i`` down and credit it; return the most games that a side has won."""
        row, high = state[USED], int64(B[count_row + LANES + i])
        winners = 0
        for side in range(sides):
            total = int64(B[totals + side * LANES + i])
            games[row, SCORES + side] = total
            winners |= (1 if total == best else 0) << side
        games[row, MATCH] = index_of(int64(B[count_row + i]), high)
        games[row, GAME] = int64(B[games_played + i])
        games[row, FIRST_DEALER] = int64(B[first_dealer + i])
        games[row, DEALS] = int64(B[deals_played + i])
        games[row, WINNERS] = winners
        state[USED] = row + 1
        most = 0
        for side in range(sides):
            # A game that nobody won alone counts for nobody.
            credited = int64(B[won + side * LANES + i]) + (1 if winners == 1 << side else 0)
            B[won + side * LANES + i] = credited
            most = credited if credited > most else most
        B[games_played + i] = int64(B[games_played + i]) + 1
        return most

    @kernel
    def next_deal(B: Any, i: int, state: Any) -> None:
        """Go on to the next deal of the same game or match; the dealer is the next seat."""
        high = int64(B[count_row + LANES + i])
        if number_of(high) == MOST_IN_GAME:
            state[ENDLESS] = 1 + index_of(int64(B[count_row + i]), high)
            state[ROUNDS] = 0
        B[count_row + LANES + i] = (high + (1 << 16)) & MASK32
        following = int64(B[dealer + i]) + 1
        B[dealer + i] = following if following < players else 0

    @kernel
    def play_on(B: Any, i: int, run: Any, first: int, count: int, state: Any, games: Any) -> None:
        """Go from one deal of a game to what comes after it in lane ``i``."""
        best = add_scores(B, i)
        deals = int64(B[deals_played + i]) + 1
        B[deals_played + i] = deals
        if carry is not None:
            B[carry + i] = B[next_carry + i]  # type: ignore[operator]
        over = (run[TARGET] > 0 and best >= run[TARGET]) or deals == run[GAME_DEALS]
        decided = False
        if over:
            most = close_game(B, i, best, state, games)
            decided = run[BEST_OF] == 1 or 2 * most > run[BEST_OF]
        if not decided:
            next_deal(B, i, state)
            if over:
                new_game(B, i)
        elif state[NEXT] < count:
            sit(B, i, run, first + state[NEXT], 1)
            state[NEXT] += 1
        else:
            B[live + i] = 0
            state[OPEN] -= 1

    @compiled(void(blocks, NUMBERS, int64, int64, NUMBERS, types.int64[:, ::1]))
    def move_on(S: Any, run: Any, first: int, count: int, state: Any, games: Any) -> None:
        """Go on to the next deal in every lane, writing finished games to ``games``."""
        state[ROUNDS] -= 1
        if run[IN_GAMES] == 0:
            skip(S, count, state)
            return
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            for i in range(LANES):
                if B[live + i] != 0:
                    play_on(B, i, run, first, count, state, games)

    return Turnover(seat, move_on)
