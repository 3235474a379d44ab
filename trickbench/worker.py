"""One thread's work: lanes, memory and functions; and what to say when an agent fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.calling import Stopped, Superblock, place_text
from trickbench.engine import ERROR_INDEX, ERROR_NUMBER, ERROR_SET, ERROR_SIZE, aligned
from trickbench.errors import AgentError, RunError, TrickbenchError
from trickbench.games.rows import LANES
from trickbench.streams import MOST_IN_GAME
from trickbench.table import Table
from trickbench.turnover import ENDLESS, NEXT, OPEN, ROUNDS, SCORES, STATE_SIZE, USED

SLICE_SECONDS = 0.2
"""A call of the engine should take about this long: Ctrl-C is seen between calls."""
PLAIN_BLOCKS, BATCH_BLOCKS = 4, 64
"""Blocks in a superblock: a batch agent wants many deals at once, a plain one wants to see Ctrl-C."""
GAME_ROWS = 1 << 14
"""Finished games that one call of the engine may write down."""


@dataclass
class Chunk:
    """The results of a range of indices: independent deals, or games."""

    first: int
    count: int
    counts: NDArray[np.int64]
    codes: NDArray[Any]
    """one number a deal, or empty"""
    plays: NDArray[Any]
    """hands and cards of each deal, or empty"""
    games: list[NDArray[np.int64]] = field(default_factory=list)
    """finished games, in the columns of :mod:`trickbench.turnover`"""


@dataclass
class Lanes:
    """The lanes that a worker plays in, the order of a deal for them, and the functions that answer."""

    flat: NDArray[Any]
    drive: Callable[..., int]
    functions: list[Any]
    width: int
    """deals that advance in lockstep"""


class Worker:
    """Lanes, memory and functions of one thread."""

    def __init__(
        self, table: Table, seed: int, record: Any, stop: threading.Event, in_games: bool = False, words: int | None = None
    ) -> None:
        self.table, self.seed, self.record, self.stop, self.in_games = table, seed, record, stop, in_games
        self.face = table.game.face()
        self.rules = table.game.rule_values()
        self.run = table.run_numbers(seed, record == "plays", in_games, words)
        self.data, self.bounds = table.memory()
        self.error = np.zeros(ERROR_SIZE, np.int64)
        self.lanes = self._compiled_lanes() if table.compiled else self._python_lanes()
        self.games = np.zeros((max(GAME_ROWS, self.lanes.width) if in_games else 0, SCORES + table.game.sides), np.int64)
        self.pace = self.lanes.width
        self.rounds = 1
        self.finished = 0

    def _compiled_lanes(self) -> Lanes:
        return Lanes(aligned(self.face.at.SIZE, self.face.dtype), self.face.drive_compiled, self.table.functions(), LANES)

    def _python_lanes(self) -> Lanes:
        return self.lanes_of(self.table.superblock(BATCH_BLOCKS if self.table.has_tier("batch") else PLAIN_BLOCKS, self.stop, self.in_games))

    def lanes_of(self, block: Superblock, kernels_as_plain: bool = False) -> Lanes:
        """Return lanes for the engine as plain Python."""
        functions = self.table.python_functions(block, self.data, self.bounds, kernels_as_plain)
        return Lanes(block.flat, self.face.drive, functions, len(block.rows) * LANES)

    def play(self, first: int, count: int) -> Chunk:
        """Play a chunk, in calls of the engine short enough to be stopped between.

        Raises
        ------
        AgentError
            For the first deal of the chunk in which an agent fails.
        RunError
            If a game does not end.
        Stopped
            If the run was asked to stop.
        """
        codes = np.zeros(count if self.record else 0, self.face.dtype)
        plays = np.zeros((count if self.record == "plays" else 0, self.face.plays_width), self.face.dtype)
        chunk = Chunk(first, count, np.zeros(self.face.cells, np.int64), codes, plays)
        done = 0
        while done < count:
            # Games go all at once, so that lanes wait for each other only at the end, and stop between rounds.
            size = count if self.in_games else min(self.pace, count - done)
            started = time.perf_counter()
            self._slice(chunk, done, size)
            done += size
            self._adapt(size, time.perf_counter() - started)
        return chunk

    def record_game(self, index: int, deals: int) -> Chunk:
        """Play one game (or match), which is known to last so many deals, and record them; the row is the deal's number in it.

        Raises
        ------
        AgentError
            If an agent fails.
        """
        codes, plays = np.zeros(deals, self.face.dtype), np.zeros((deals, self.face.plays_width), self.face.dtype)
        chunk = Chunk(index, 1, np.zeros(self.face.cells, np.int64), codes, plays)
        self.work(self.lanes, chunk, 0, 1)
        return chunk

    def _adapt(self, size: int, seconds: float) -> None:
        # A table with Python agents goes a superblock at a time: it looks at the stop flag itself.
        if self.table.compiled and size == self.pace:
            wanted = size * SLICE_SECONDS / max(seconds, 1e-6)
            self.pace = max(self.lanes.width, int(min(wanted, 4 * self.pace)) // LANES * LANES)

    def _slice(self, chunk: Chunk, done: int, size: int) -> None:
        before = chunk.counts.copy()
        failure = self._attempt(self.lanes, chunk, done, size)
        if failure is not None:
            # Lanes fail in the order of the steps and not of the deals. Smaller and smaller pieces find the first deal that
            # fails, so the report does not depend on blocks and chunks.
            chunk.counts[:] = before
            failed_again = False
            for start in range(done, done + size, LANES):
                failed_again |= self._careful(chunk, start, min(LANES, done + size - start), failure)
            if not failed_again:
                # It did not fail again: the agent does not repeat itself.
                raise _as_agent_error(failure)

    def _attempt(self, lanes: Lanes, chunk: Chunk, done: int, size: int) -> Exception | None:
        """Play some indices of a chunk; return what went wrong, if an agent did."""
        try:
            self.work(lanes, chunk, done, size)
        except AgentError as error:
            return error
        except TrickbenchError:
            raise
        except Exception as error:
            return error
        return None

    def work(self, lanes: Lanes, chunk: Chunk, done: int, size: int) -> None:
        """Play some indices of a chunk."""
        first = chunk.first + done
        # A record of games is one game's, a row a deal.
        place = slice(None) if self.in_games else slice(done, done + size)
        state, ended, seen = np.zeros(STATE_SIZE, np.int64), [], 0
        self.error[:] = 0
        while seen < size:
            if self.stop.is_set():
                raise Stopped("stopped")
            rounds = self.rounds if self.in_games else -(-size // lanes.width)
            state[ROUNDS], state[USED] = rounds, 0
            started = time.perf_counter()
            lanes.drive(
                lanes.flat, self.rules, self.run, first, size, state, self.data, self.bounds, chunk.counts, chunk.codes[place], chunk.plays[place],
                self.games, self.error, *lanes.functions,
            )  # fmt: skip
            if self.error[ERROR_SET]:
                raise self._illegal()
            if state[ENDLESS]:
                raise self._endless(int(state[ENDLESS]) - 1)
            ended.append(self.games[: state[USED]].copy())
            self.finished += int(state[NEXT] - state[OPEN]) - seen
            seen = int(state[NEXT] - state[OPEN])
            self._adapt_rounds(lanes, time.perf_counter() - started)
        chunk.games += ended

    def _adapt_rounds(self, lanes: Lanes, seconds: float) -> None:
        if self.in_games:
            wanted = int(min(self.rounds * SLICE_SECONDS / max(seconds, 1e-6), 4 * self.rounds))
            self.rounds = max(1, min(wanted, len(self.games) // lanes.width))

    def _careful(self, chunk: Chunk, done: int, size: int, failure: Exception) -> bool:
        """Play some indices again, and one by one if they fail again; return whether they did."""
        before = chunk.counts.copy()
        if self._attempt(self.lanes, chunk, done, size) is None:
            return False
        chunk.counts[:] = before
        single = self.lanes_of(self.table.superblock(1, self.stop, self.in_games), kernels_as_plain=True)
        for place in range(done, done + size):
            try:
                self.work(single, chunk, place, 1)
            except AgentError as error:
                raise AgentError(f"{error}{self._again(chunk.first + place)}") from error.__cause__
        # Nothing failed one by one. A kernel may raise in lanes that are not its own; anything else does not repeat itself.
        if not self.table.compiled or isinstance(failure, AgentError):
            raise _as_agent_error(failure)
        return True

    def _illegal(self) -> AgentError:
        """Return the error for the illegal choice that the engine wrote down."""
        game, error = self.table.game, self.error
        decision, seat, legal, choice = error[ERROR_NUMBER + 1 :].tolist()
        agent = self.table.seats[seat].decisions[game.kind_of(decision)].text
        where = place_text(game, agent, decision, (int(error[ERROR_INDEX]), int(error[ERROR_NUMBER])), self.in_games, seat, legal)
        return AgentError(f"{where}: it chose {game.choice_text(decision, choice) or hex(choice)}, which is not one legal choice")

    def _endless(self, index: int) -> RunError:
        ends = self.table.game.ends()
        return RunError(
            f"game {index} of {self.table.game.described()} has not ended after {MOST_IN_GAME + 1:,} deals; "
            f"a target below {ends.target}, or rule option game_deals, would be right"
        )

    def _again(self, index: int) -> str:
        """Return the command that plays a deal again."""
        if not all(sitting.typed for sitting in self.table.named):
            return f"; again: the same call with {'games' if self.in_games else 'deals'}=1, first={index}"
        options = "".join(f", {key}={value!r}" for key, value in self.table.game.changes().items())
        play = "play_games" if self.in_games else "simulate"
        call = f"{play}(game({self.table.game.name!r}{options}), {self.table.names!r}, 1, seed={self.seed}, first={index})"
        return f'; again: python -c "from trickbench import *; {call}"'


def _as_agent_error(error: Exception) -> TrickbenchError:
    """Return an error of an agent's own as one of ours."""
    return error if isinstance(error, TrickbenchError) else AgentError(f"an agent raised {type(error).__name__}: {error}")
