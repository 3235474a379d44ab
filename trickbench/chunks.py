"""Chunks of deals over threads: the unit of work is (first deal, count) -> integers that add up exactly.

Chunks come back in deal order, so what is made of them depends neither on the number of workers nor on who was quicker.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any

from tqdm import tqdm

from trickbench.games.rows import LANES
from trickbench.table import Table
from trickbench.worker import Chunk, Worker

CHUNK = 1 << 18
"""Deals in a chunk: about 30 ms of compiled agents, and 1 MB of records. Each brings a megabyte of counts: with 2^17 deals 9.3 M deals
a second on one thread, with 2^18 9.5, with more the same."""
GAME_CHUNK, PYTHON_GAME_CHUNK = 1 << 14, 1 << 10
"""Games in a chunk: at its end lanes wait for the last ones, and fewer of a table with Python agents are played again to find one that fails."""
RECORDS = (False, "deals", "plays")


def play_chunks(
    table: Table,
    seed: int,
    first: int,
    count: int,
    workers: int,
    record: Any = False,
    chunk: int | None = None,
    progress: str | None = None,
    in_games: bool = False,
) -> Generator[Chunk, None, None]:
    """Yield the chunks of a range of deals, or of games, in order.

    Parameters
    ----------
    table : Table
    seed : int
    first, count : int
        Deals (or games) ``first`` .. ``first + count - 1``.
    workers : int
        Threads. A table with a Python agent uses one: such agents hold the interpreter's lock, and need not be safe in threads.
    record : False, "deals" or "plays"
    chunk : int, optional
        Deals or games in a chunk; results do not depend on it. By default a power of two, small enough that all workers have some.
    progress : str, optional
        Title of a bar on the terminal; none is shown in a pipe.
    in_games : bool
        Play whole games (and matches), not independent deals.

    Raises
    ------
    AgentError
        For the first failure in deal order, after the chunks before it.
    """
    stop = threading.Event()
    threads = workers if table.compiled else 1
    most = CHUNK if not in_games else GAME_CHUNK if table.compiled else PYTHON_GAME_CHUNK
    chunk = chunk or min(most, max(16 * LANES, 1 << (count // (4 * threads)).bit_length()))
    crew = [Worker(table, seed, record, stop, in_games) for _ in range(min(threads, -(-count // chunk)))]
    free = deque(crew)
    waiting: deque[Future[Chunk]] = deque()
    starts = iter(range(first, first + count, chunk))
    bar = tqdm(total=count, desc=progress, unit=" games" if in_games else " deals", unit_scale=True, disable=None if progress else True, leave=False)
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
