"""What the games' engines share: who answers, collecting choices, checking them, the types that cross into kernels.

A step of the engine shows a decision (the game), lets every distinct agent at the table choose for all lanes, takes from
each the lanes that are its own (here), checks that each choice is one legal bit (here), and applies it (the game).
Agents come in as first-class functions, so the engine is compiled once, an agent once, and a match-up never.

A game's ``drive`` function is written once and used twice: compiled, over one block, when all agents are compiled; and as
plain Python over many blocks when an agent is a Python callable.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numba import int64, types, void
from numpy.typing import NDArray

from trickbench.games.rows import LANES, READS_FEW, READS_REST
from trickbench.jit import compiled, kernel
from trickbench.narrow import entry
from trickbench.streams import index_of, number_of

NUMBERS = types.int64[::1]
PLAY = 0
"""The kind of decision "which card"; the other kinds are numbered by the game."""
AGENTS = 4
"""Distinct functions for one kind of decision at a table."""
PARTS = 5
"""Numbers that say where a function's data are: end of its view, then params, tables, scratch, and their end."""

# The numbers of a run that are the same for all its deals
SEED, DEALER, HISTORY, FORFEIT, ORACLE = 0, 1, 2, 3, 4
IN_GAMES, TARGET, GAME_DEALS, BEST_OF = 5, 6, 7, 8
"""Whether deals belong to games, and what ends a game (0: does not) and a match."""
DEAL_SEED = 9
"""Seed of the cards and of the first dealer; that of the agents' random words may be another: the same deal again, with other luck."""
UNREAD = 10
"""Groups of view rows (``GROUPS`` of a layout) that no function reads when it plays cards; 0: all are filled."""
SEAT_MAPS = 11
RUN_SIZE = SEAT_MAPS + 2 * 5
"""For each kind of decision: how many functions, and a map of 2 bits a seat that says which is whose."""

# What the first illegal choice was; worker.py reads the last four in this order
ERROR_SET, ERROR_INDEX, ERROR_NUMBER, ERROR_DECISION, ERROR_SEAT, ERROR_LEGAL, ERROR_CHOICE, ERROR_SIZE = 0, 1, 2, 3, 4, 5, 6, 7


@kernel
def is_one_of(choice: int, legal: int) -> bool:
    """Return True if a choice is one bit of the legal ones."""
    return (choice != 0) & (choice & (choice - 1) == 0) & (choice & ~legal == 0)


class Loops(NamedTuple):
    """The loops over lanes that are the same in every game, for the rows of one of them."""

    claim: Callable[..., None]
    collect: Callable[..., None]
    check: Callable[..., int]
    report: Callable[..., None]
    keep: Callable[..., None]
    keep_leader: Callable[..., None]
    blocks: Any
    choose: Any


def make_loops(at: ModuleType, element: Any) -> Loops:
    """Return the shared loops for a game's rows (``at``) and its unsigned integer type."""
    blocks = element[::1]
    size, live, needed, mine, choice, taken, seat = at.SIZE, at.LIVE, at.NEEDED, at.MINE, at.CHOICE, at.TAKEN, at.SEAT
    legal, history, leaders, header, leader = at.LEGAL, at.HISTORY, at.LEADERS, at.HEADER, at.LEADER
    forfeit, counter = getattr(at, "FORFEIT", None), at.COUNTER

    @compiled(void(blocks, int64, int64))
    def claim(S: Any, seat_map: int, slot: int) -> None:
        """Mark the lanes in which function ``slot`` answers, and clear the choices: the last ones were made with other hands in sight."""
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            for i in range(LANES):
                whose = (seat_map >> (2 * entry(B[seat + i]))) & 3
                B[choice + i] = 0
                B[mine + i] = entry(B[needed + i]) & entry(B[live + i]) & (1 if whose == slot else 0)

    @kernel
    def faults(B: Any) -> int:
        """Return 0 if every choice of a block is one legal bit; whether it is asked does not matter."""
        # One sum of bits and no selects: 2 ns a deal of Manille; asking each lane whether it is right took 29.
        more = 0
        none = 0
        for i in range(LANES):
            card = entry(B[taken + i])
            more |= (card & ~entry(B[legal + i])) | (card & (card - 1))
            none |= 1 if card == 0 else 0
        return more | none

    @compiled(void(blocks, int64))
    def collect(S: Any, slot: int) -> None:
        """Take the choices of the lanes marked; the first function's everywhere, as a beginning."""
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            if slot == 0:
                for i in range(LANES):
                    B[taken + i] = B[choice + i]
            else:
                for i in range(LANES):
                    B[taken + i] = entry(B[choice + i]) if entry(B[mine + i]) != 0 else entry(B[taken + i])

    @compiled(int64(blocks, int64))
    def check(S: Any, may_forfeit: int) -> int:
        """Return 1 if a choice is illegal, else 0; put a legal one in the place of each that is, so that every lane stays a deal."""
        found = 0
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            if faults(B) == 0:
                continue
            wrong = 0
            for i in range(LANES):
                good = is_one_of(entry(B[taken + i]), entry(B[legal + i]))
                wrong |= 0 if good else entry(B[needed + i]) & entry(B[live + i])
            if wrong != 0 and may_forfeit == 0:
                return 1
            if forfeit is not None and wrong != 0:
                for i in range(LANES):
                    good = is_one_of(entry(B[taken + i]), entry(B[legal + i]))
                    first = entry(B[forfeit + i]) == 0
                    B[forfeit + i] = 1 + entry(B[seat + i]) if first & (not good) else entry(B[forfeit + i])
            for i in range(LANES):
                card, allowed = entry(B[taken + i]), entry(B[legal + i])
                B[taken + i] = card if is_one_of(card, allowed) else allowed & -allowed
            found |= wrong
        return found

    @compiled(void(blocks, NUMBERS))
    def report(S: Any, error: Any) -> None:
        """Write down the illegal choice of the first lane that has one."""
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            for i in range(LANES):
                card, allowed = entry(B[taken + i]), entry(B[legal + i])
                if not is_one_of(card, allowed) and B[needed + i] != 0 and B[live + i] != 0 and error[ERROR_SET] == 0:
                    error[ERROR_SET] = 1
                    high = int64(B[counter + LANES + i])
                    error[ERROR_INDEX] = index_of(int64(B[counter + i]), high)
                    error[ERROR_NUMBER] = number_of(high)
                    error[ERROR_DECISION] = entry(B[header])
                    error[ERROR_SEAT] = entry(B[seat + i])
                    error[ERROR_LEGAL] = allowed
                    error[ERROR_CHOICE] = card

    @compiled(void(blocks, int64))
    def keep(S: Any, number: int) -> None:
        """Write the card down as the deal's play ``number``."""
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            H = B[history + number * LANES : history + (number + 1) * LANES]
            for i in range(LANES):
                H[i] = B[taken + i]

    @compiled(void(blocks, int64))
    def keep_leader(S: Any, trick: int) -> None:
        """Write down who leads a trick."""
        for b in range(S.size // size):
            B = S[b * size : (b + 1) * size]
            H = B[leaders + trick * LANES : leaders + (trick + 1) * LANES]
            for i in range(LANES):
                H[i] = B[leader + i]

    choose = types.FunctionType(void(blocks, NUMBERS, NUMBERS, NUMBERS))
    return Loops(claim, collect, check, report, keep, keep_leader, blocks, choose)


class Steps(NamedTuple):
    """The steps of a drive function that are the same in every game."""

    decide: Callable[..., int]
    play_card: Callable[..., int]


def make_steps(loops: Loops, players: int) -> Steps:
    """Return the steps for a game's loops and number of players."""
    claim, collect, check, report, keep = loops.claim, loops.collect, loops.check, loops.report, loops.keep

    @kernel
    def answer(S: Any, run: Any, kind: int, data: Any, bounds: Any, f0: Any, f1: Any, f2: Any, f3: Any) -> None:
        """Ask every distinct function for its choices."""
        count, seats = run[SEAT_MAPS + 2 * kind], run[SEAT_MAPS + 2 * kind + 1]
        k = PARTS * AGENTS * kind
        claim(S, seats, 0)
        f0(S[: bounds[k]], data[bounds[k + 1] : bounds[k + 2]], data[bounds[k + 2] : bounds[k + 3]], data[bounds[k + 3] : bounds[k + 4]])
        collect(S, 0)
        if count > 1:
            k += PARTS
            claim(S, seats, 1)
            f1(S[: bounds[k]], data[bounds[k + 1] : bounds[k + 2]], data[bounds[k + 2] : bounds[k + 3]], data[bounds[k + 3] : bounds[k + 4]])
            collect(S, 1)
        if count > 2:
            k += PARTS
            claim(S, seats, 2)
            f2(S[: bounds[k]], data[bounds[k + 1] : bounds[k + 2]], data[bounds[k + 2] : bounds[k + 3]], data[bounds[k + 3] : bounds[k + 4]])
            collect(S, 2)
        if count > 3:
            k += PARTS
            claim(S, seats, 3)
            f3(S[: bounds[k]], data[bounds[k + 1] : bounds[k + 2]], data[bounds[k + 2] : bounds[k + 3]], data[bounds[k + 3] : bounds[k + 4]])
            collect(S, 3)

    @kernel
    def decide(
        S: Any, run: Any, reveal: Any, may_forfeit: int, kind: int, data: Any, bounds: Any, f0: Any, f1: Any, f2: Any, f3: Any,
        error: Any,
    ) -> int:  # fmt: skip
        """Let whoever is asked choose; return 0, or 1 after an illegal choice that stops the run."""
        if run[ORACLE] != 0:
            reveal(S)
        answer(S, run, kind, data, bounds, f0, f1, f2, f3)
        if check(S, may_forfeit) > 0 and may_forfeit == 0:
            report(S, error)
            return 1
        return 0

    @kernel
    def play_card(
        S: Any, R: Any, run: Any, trick: int, place: int, show: Any, show_few: Any, show_least: Any, reveal: Any, take: Any, data: Any,
        bounds: Any, f0: Any, f1: Any, f2: Any, f3: Any, error: Any,
    ) -> int:  # fmt: skip
        """Play one card in every lane; return what :func:`decide` returns."""
        # Three functions: flags within one cost tables that read all rows 1 to 13 % of a deal of Manille, up to 30 % of one of Manchego.
        if run[UNREAD] & READS_REST == 0:
            show(S, R, trick)
        elif run[UNREAD] & READS_FEW == 0:
            show_few(S, R, trick)
        else:
            show_least(S, R, trick)
        if decide(S, run, reveal, run[FORFEIT], PLAY, data, bounds, f0, f1, f2, f3, error) > 0:
            return 1
        take(S, R)
        if run[HISTORY] != 0:
            keep(S, trick * players + place)
        return 0

    return Steps(decide, play_card)


def aligned(size: int, dtype: Any) -> NDArray[Any]:
    """Return a zeroed array that begins at a multiple of 64 bytes, as wide vector stores want it."""
    width = np.dtype(dtype).itemsize
    raw = np.zeros(size + 64 // width, dtype)
    skip = (-raw.ctypes.data % 64) // width
    return raw[skip : skip + size]
