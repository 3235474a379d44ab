"""One thread's work: lanes, memory and functions; and what to say when an agent fails."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.calling import Stopped, Superblock
from trickbench.engine import ERROR_CHOICE, ERROR_DECISION, ERROR_INDEX, ERROR_LEGAL, ERROR_SEAT, ERROR_SET, ERROR_SIZE, aligned
from trickbench.errors import AgentError, TrickbenchError
from trickbench.games.rows import LANES
from trickbench.table import Table

SLICE_SECONDS = 0.2
"""A call of the engine should take about this long: Ctrl-C is seen between calls."""
PLAIN_BLOCKS, BATCH_BLOCKS = 4, 64
"""Blocks in a superblock: a batch agent wants many deals at once, a plain one wants to see Ctrl-C."""


@dataclass
class Chunk:
    """The results of a range of deals."""

    first: int
    count: int
    counts: NDArray[np.int64]
    codes: NDArray[Any]
    """one number a deal, or empty"""
    plays: NDArray[Any]
    """hands and cards of each deal, or empty"""


class Worker:
    """Lanes, memory and functions of one thread."""

    def __init__(self, table: Table, seed: int, record: Any, stop: threading.Event) -> None:
        self.table, self.seed, self.record, self.stop = table, seed, record, stop
        self.face = table.game.face()
        self.rules = table.game.rule_values()
        self.run = table.run_numbers(seed, record == "plays")
        self.data, self.bounds = table.memory()
        self.error = np.zeros(ERROR_SIZE, np.int64)
        self.superblock: Superblock | None = None
        if table.compiled:
            self.lanes = aligned(self.face.at.SIZE, self.face.dtype)
            self.functions = table.functions()
        else:
            self.superblock = table.superblock(BATCH_BLOCKS if table.has_tier("batch") else PLAIN_BLOCKS, stop)
            self.lanes = self.superblock.flat
            self.functions = table.python_functions(self.superblock, self.data, self.bounds)
        self.least = len(self.lanes) // self.face.at.SIZE * LANES
        self.pace = self.least
        self.finished = 0

    def play(self, first: int, count: int) -> Chunk:
        """Play a chunk, in slices short enough to be stopped between.

        Raises
        ------
        AgentError
            For the first deal of the chunk in which an agent fails.
        Stopped
            If the run was asked to stop.
        """
        codes = np.zeros(count if self.record else 0, self.face.dtype)
        plays = np.zeros((count if self.record == "plays" else 0, self.face.plays_width), self.face.dtype)
        chunk = Chunk(first, count, np.zeros(self.face.cells, np.int64), codes, plays)
        done = 0
        while done < count:
            if self.stop.is_set():
                raise Stopped("stopped")
            size = min(self.pace, count - done)
            started = time.perf_counter()
            self._slice(chunk, done, size)
            done += size
            self.finished += size
            self._adapt(size, time.perf_counter() - started)
        return chunk

    def _adapt(self, size: int, seconds: float) -> None:
        # A table with Python agents goes a superblock at a time: it looks at the stop flag itself.
        if self.superblock is None and size == self.pace:
            wanted = size * SLICE_SECONDS / max(seconds, 1e-6)
            self.pace = max(self.least, int(min(wanted, 4 * self.pace)) // LANES * LANES)

    def _slice(self, chunk: Chunk, done: int, size: int) -> None:
        before = chunk.counts.copy()
        failure = self._attempt(chunk, done, size)
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

    def _attempt(self, chunk: Chunk, done: int, size: int) -> Exception | None:
        """Play some deals of a chunk; return what went wrong, if anything did."""
        first = chunk.first + done
        codes, plays = chunk.codes[done : done + size], chunk.plays[done : done + size]
        drive = self.face.drive_compiled if self.superblock is None else self.face.drive
        if self.superblock is not None:
            self.superblock.first = first
        self.error[:] = 0
        try:
            drive(self.lanes, self.rules, self.run, first, size, self.data, self.bounds, chunk.counts, codes, plays, self.error, *self.functions)
        except Stopped:
            raise
        except Exception as error:
            return error
        return self._illegal() if self.error[ERROR_SET] else None

    def _careful(self, chunk: Chunk, done: int, size: int, failure: Exception) -> bool:
        """Play some deals again, and one by one if they fail again; return whether they did."""
        before = chunk.counts.copy()
        if self._attempt(chunk, done, size) is None:
            return False
        chunk.counts[:] = before
        block = self.table.superblock(1, self.stop)
        functions = self.table.python_functions(block, self.data, self.bounds, kernels_as_plain=True)
        for place in range(done, done + size):
            block.first = chunk.first + place
            self.error[:] = 0
            codes, plays = chunk.codes[place : place + 1], chunk.plays[place : place + 1]
            try:
                self.face.drive(
                    block.flat, self.rules, self.run, block.first, 1, self.data, self.bounds, chunk.counts, codes, plays, self.error, *functions
                )
            except AgentError as error:
                raise AgentError(f"{error}{self._again(block.first)}") from error.__cause__
            if self.error[ERROR_SET]:
                raise self._illegal()
        # Nothing failed one by one. A kernel may raise in lanes that are not its own; anything else does not repeat itself.
        if not self.table.compiled or isinstance(failure, AgentError):
            raise _as_agent_error(failure)
        return True

    def _illegal(self) -> AgentError:
        """Return the error for the illegal choice that the engine wrote down."""
        game, error = self.table.game, self.error
        decision, seat, choice, index = (int(error[k]) for k in (ERROR_DECISION, ERROR_SEAT, ERROR_CHOICE, ERROR_INDEX))
        agent = self.table.seats[seat].decisions[game.kind_of(decision)].text
        shown = game.choice_text(decision, choice) or hex(choice)
        legal = game.choice_text(decision, int(error[ERROR_LEGAL]))
        where = f"agent '{agent}' ({game.who(decision)}), deal {index}, seat {seat}, legal: {legal}"
        return AgentError(f"{where}: it chose {shown}, which is not one legal choice{self._again(index)}")

    def _again(self, index: int) -> str:
        """Return the command that plays a deal again."""
        if not all(sitting.typed for sitting in self.table.named):
            return f"; again: the same call with deals=1, first={index}"
        options = "".join(f", {key}={value!r}" for key, value in self.table.game.changes().items())
        names = [sitting.text for sitting in self.table.named]
        call = f"simulate(game({self.table.game.name!r}{options}), {names!r}, 1, seed={self.seed}, first={index})"
        return f'; again: python -c "from trickbench import *; {call}"'


def _as_agent_error(error: Exception) -> TrickbenchError:
    """Return an error of an agent's own as one of ours."""
    return error if isinstance(error, TrickbenchError) else AgentError(f"an agent raised {type(error).__name__}: {error}")
