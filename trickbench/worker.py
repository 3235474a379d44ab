"""One thread's work: lanes, memory and functions; and what to say when an agent fails."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.calling import Stopped, Superblock
from trickbench.engine import ERROR_CHOICE, ERROR_DECISION, ERROR_LEGAL, ERROR_SEAT, ERROR_SET, ERROR_SIZE, aligned
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
        first = chunk.first + done
        codes, plays = chunk.codes[done : done + size], chunk.plays[done : done + size]
        drive = self.face.drive_compiled if self.superblock is None else self.face.drive
        if self.superblock is not None:
            self.superblock.first = first
        played = 0
        try:
            played = drive(
                self.lanes, self.rules, self.run, first, size, self.data, self.bounds, chunk.counts, codes, plays, self.error, *self.functions
            )
        except Stopped:
            raise
        except Exception as error:
            self._find_failure(first, size)
            # It did not fail again: the agent does not repeat itself.
            raise error if isinstance(error, TrickbenchError) else AgentError(f"an agent raised {type(error).__name__}: {error}") from error
        if self.error[ERROR_SET]:
            self._find_failure(first + played, size - played)
            raise self._illegal(first + played)

    def _find_failure(self, first: int, size: int) -> None:
        """Play deals one by one, and raise what goes wrong in the first that fails.

        Lanes fail in the order of the steps and not of the deals; this makes the report independent of blocks and chunks.
        """
        block = self.table.superblock(1, self.stop)
        functions = self.table.python_functions(block, self.data, self.bounds)
        counts = np.zeros(self.face.cells, np.int64)
        none, no_plays = np.zeros(0, self.face.dtype), np.zeros((0, self.face.plays_width), self.face.dtype)
        self.error[:] = 0
        for index in range(first, first + size):
            block.first = index
            try:
                self.face.drive(block.flat, self.rules, self.run, index, 1, self.data, self.bounds, counts, none, no_plays, self.error, *functions)
            except AgentError as error:
                raise AgentError(f"{error}{self._again(index)}") from error.__cause__
            if self.error[ERROR_SET]:
                raise self._illegal(index)

    def _illegal(self, index: int) -> AgentError:
        """Return the error for the illegal choice that the engine wrote down."""
        game, error = self.table.game, self.error
        decision, seat, choice = int(error[ERROR_DECISION]), int(error[ERROR_SEAT]), int(error[ERROR_CHOICE])
        agent = self.table.seats[seat].decisions[game.kind_of(decision)].text
        shown = game.choice_text(decision, choice) or hex(choice)
        legal = game.choice_text(decision, int(error[ERROR_LEGAL]))
        where = f"agent '{agent}' ({game.who(decision)}), deal {index}, seat {seat}, legal: {legal}"
        return AgentError(f"{where}: it chose {shown}, which is not one legal choice{self._again(index)}")

    def _again(self, index: int) -> str:
        """Return the command that plays a deal again."""
        options = "".join(f", {key}={value!r}" for key, value in self.table.game.changes().items())
        names = [sitting.text for sitting in self.table.named]
        call = f"simulate(game({self.table.game.name!r}{options}), {names!r}, 1, seed={self.seed}, first={index})"
        return f'; again: python -c "from trickbench import *; {call}"'
