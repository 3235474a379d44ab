"""Chunks of deals over threads: the unit of work is (first deal, count) -> integers that add up exactly.

Chunks come back in deal order, so what is made of them depends neither on the number of workers nor on who was quicker.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from trickbench.calling import Stopped
from trickbench.engine import ERROR_CHOICE, ERROR_DECISION, ERROR_INDEX, ERROR_LEGAL, ERROR_SEAT, ERROR_SET, ERROR_SIZE, aligned
from trickbench.errors import AgentError
from trickbench.games.rows import LANES
from trickbench.table import Table

CHUNK = 1 << 17
"""Deals in a chunk: about 25 ms of compiled agents, and 0.5 MB of records."""
SLICE_SECONDS = 0.2
"""A call of the engine should take about this long: Ctrl-C is seen between calls."""
RECORDS = (False, "deals", "plays")
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
        self.superblock = None
        if table.compiled:
            self.lanes = aligned(self.face.at.SIZE, self.face.dtype)
            self.functions = table.functions()
        else:
            blocks = BATCH_BLOCKS if any(bound.tier == "batch" for bounds, _ in table.bounds_of_kind for bound in bounds) else PLAIN_BLOCKS
            self.superblock = table.superblock(blocks, stop)
            self.lanes = self.superblock.flat
            self.functions = table.python_functions(self.superblock, self.data, self.bounds)
        self.least = len(self.lanes) // self.face.at.SIZE * LANES
        self.pace = self.least
        self.finished = 0

    def play(self, first: int, count: int) -> Chunk:
        """Play a chunk, in slices short enough to be stopped between."""
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

    def _slice(self, chunk: Chunk, done: int, size: int) -> None:
        codes, plays = chunk.codes[done : done + size], chunk.plays[done : done + size]
        first = chunk.first + done
        drive = self.face.drive_compiled
        if self.superblock is not None:
            # As plain Python the whole superblock is one step, so its first deal is known here.
            drive = self.face.drive
            size_of_step = self.least
            for start in range(0, size, size_of_step):
                part = min(size_of_step, size - start)
                self.superblock.first = first + start
                self._drive(drive, first + start, part, chunk, codes[start : start + part], plays[start : start + part])
            return
        self._drive(drive, first, size, chunk, codes, plays)

    def _drive(self, drive: Any, first: int, size: int, chunk: Chunk, codes: Any, plays: Any) -> None:
        try:
            drive(self.lanes, self.rules, self.run, first, size, self.data, self.bounds, chunk.counts, codes, plays, self.error, *self.functions)
        except AgentError as error:
            raise AgentError(f"{error}{self._replay(error, first)}") from error.__cause__
        if self.error[ERROR_SET]:
            raise self._illegal()

    def _adapt(self, size: int, seconds: float) -> None:
        if size == self.pace:
            wanted = size * SLICE_SECONDS / max(seconds, 1e-6)
            self.pace = max(self.least, int(min(wanted, 4 * self.pace)) // LANES * LANES)

    def _illegal(self) -> AgentError:
        game, error = self.table.game, self.error
        decision, seat, index = int(error[ERROR_DECISION]), int(error[ERROR_SEAT]), int(error[ERROR_INDEX])
        kind = decision_kind(decision)
        agent = self.table.seats[seat].decisions[kind].text
        choice = int(error[ERROR_CHOICE])
        shown = game.choice_text(decision, choice) or hex(choice)
        legal = game.choice_text(decision, int(error[ERROR_LEGAL]))
        where = f"agent '{agent}' ({game.who(decision)}), deal {index}, seat {seat}, legal: {legal}"
        return AgentError(f"{where}: it chose {shown}, which is not one legal choice{self._replay(None, index)}")

    def _replay(self, _error: Any, index: int) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.table.game.changes().items())
        names = [sitting.text for sitting in self.table.named]
        call = f"simulate(game({self.table.game.name!r}{options}), {names!r}, {self.least}, seed={self.seed}, first={index})"
        return f'; again: python -c "from trickbench import *; {call}"'


def decision_kind(decision: int) -> str:
    """Return the kind of a decision number."""
    if decision >= 16:
        return "play"
    if decision == 8:
        return "bid"
    return "call" if decision <= 2 else "double" if decision <= 4 else "redouble"


def play_chunks(
    table: Table,
    seed: int,
    first: int,
    count: int,
    workers: int,
    record: Any = False,
    chunk: int | None = None,
    progress: str | None = None,
) -> Iterator[Chunk]:
    """Yield the chunks of a range of deals, in deal order.

    Parameters
    ----------
    table : Table
    seed : int
    first, count : int
        Deals ``first`` .. ``first + count - 1``.
    workers : int
        Threads. A table with a Python agent uses one: such agents hold the interpreter's lock, and need not be safe in threads.
    record : False, "deals" or "plays"
    chunk : int, optional
        Deals in a chunk; results do not depend on it. By default a power of two, small enough that all workers have some.
    progress : str, optional
        Title of a bar on the terminal; none is shown in a pipe.

    Raises
    ------
    AgentError
        For the first failure in deal order, after the chunks before it.
    """
    stop = threading.Event()
    threads = workers if table.compiled else 1
    chunk = chunk or min(CHUNK, max(16 * LANES, 1 << (count // (4 * threads)).bit_length()))
    crew = [Worker(table, seed, record, stop) for _ in range(min(threads, -(-count // chunk)))]
    free = deque(crew)
    waiting: deque[Future[Chunk]] = deque()
    starts = iter(range(first, first + count, chunk))
    bar = tqdm(total=count, desc=progress, unit=" deals", unit_scale=True, disable=None if progress else True, leave=False)
    guard = threading.Lock()

    def work(begin: int) -> Chunk:
        with guard:
            worker = free.popleft()
        try:
            return worker.play(begin, min(chunk, first + count - begin))
        finally:
            with guard:
                free.append(worker)

    pool = ThreadPoolExecutor(len(crew))
    try:
        # A few chunks ahead keep every thread busy, and bound the memory that finished ones take.
        for begin in starts:
            waiting.append(pool.submit(work, begin))
            if len(waiting) >= 2 * len(crew) + 1:
                yield _wait(waiting.popleft(), bar, crew)
        while waiting:
            yield _wait(waiting.popleft(), bar, crew)
    finally:
        stop.set()
        for future in waiting:
            future.cancel()
        pool.shutdown(wait=True)
        bar.close()


def _wait(future: Future[Chunk], bar: Any, crew: list[Worker]) -> Chunk:
    """Return a chunk when it is done, keeping the bar alive and Ctrl-C within reach."""
    while True:
        try:
            return future.result(timeout=0.1)
        except NotYet:
            if future.done():
                raise
        finally:
            bar.update(sum(worker.finished for worker in crew) - bar.n)
