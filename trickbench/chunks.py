"""Chunks of deals over threads: the unit of work is (first deal, count) -> integers that add up exactly.

Chunks come back in deal order, so what is made of them depends neither on the number of workers nor on who was quicker.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from tqdm import tqdm

from trickbench.crew import in_order
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
    """Yield the chunks of a range of deals, or of games, in order: :func:`play_tables` with one table."""
    with closing(play_tables([table], seed, first, count, workers, record, chunk, progress, in_games)) as parts:
        for (part,) in parts:
            yield part


def play_tables(
    tables: Sequence[Table],
    seed: int,
    first: int,
    count: int,
    workers: int,
    record: Any = False,
    chunk: int | None = None,
    progress: str | Any = None,
    in_games: bool = False,
    words: Sequence[int | None] | None = None,
    counted: bool = True,
) -> Generator[tuple[Chunk, ...], None, None]:
    """Yield the chunks of a range of deals, or of games, in order; each as every table played it.

    Parameters
    ----------
    tables : sequence of Table
        Who sits where: several seatings of the same agents, say, which play the same deals.
    seed : int
    first, count : int
        Deals (or games) ``first`` .. ``first + count - 1``.
    workers : int
        Threads. Tables with a Python agent use one: such agents hold the interpreter's lock, and need not be safe in threads.
    record : False, "deals" or "plays"
    chunk : int, optional
        Deals or games in a chunk; results do not depend on it. By default a power of two, small enough that all workers have some.
    progress : str or tqdm, optional
        Title of a bar on the terminal (none is shown in a pipe), or a bar that goes on and stays open.
    in_games : bool
        Play whole games (and matches), not independent deals.
    words : sequence of int or None, optional
        For each table the seed of the agents' random words, if it is another than that of the deals.
    counted : bool
        False drops the counts of outcomes, a megabyte a chunk and table, where deals are recorded and nobody wants them.

    Raises
    ------
    AgentError
        For the first failure in deal order, after the chunks before it.
    """
    stop = threading.Event()
    compiled = all(table.compiled for table in tables)
    threads = workers if compiled else 1
    most = CHUNK if not in_games else GAME_CHUNK if compiled else PYTHON_GAME_CHUNK
    chunk = chunk or min(most, max(16 * LANES, 1 << (count // (4 * threads)).bit_length()))
    seeds = list(words or [None] * len(tables))
    crew = [
        [Worker(table, seed, record, stop, in_games, own) for table, own in zip(tables, seeds, strict=True)]
        for _ in range(min(threads, -(-count // chunk)))
    ]
    bar = new_bar(progress, count * len(tables), in_games) if progress is None or isinstance(progress, str) else progress
    before = int(bar.n)

    def play(seated: list[Worker], begin: int) -> tuple[Chunk, ...]:
        played = (worker.play(begin, min(chunk, first + count - begin)) for worker in seated)
        return tuple(part if counted else replace(part, counts=part.counts[:0].copy()) for part in played)

    def finished() -> int:
        return before + sum(worker.finished for seated in crew for worker in seated)

    try:
        with closing(in_order(crew, range(first, first + count, chunk), play, 2 * len(crew) + 1, stop, bar, finished)) as parts:
            yield from parts
    finally:
        if bar is not progress:
            bar.close()


def new_bar(title: str | None, total: int, in_games: bool = False) -> Any:
    """Return a bar of progress for deals, or games: on a terminal, and not in a pipe or without a title."""
    unit = " games" if in_games else " deals"
    return tqdm(total=total, desc=title, unit=unit, unit_scale=True, disable=None if title else True, leave=False)
