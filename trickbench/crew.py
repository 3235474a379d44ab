"""Work for a crew of threads, handed back in the order in which it was given out."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeVar

Member = TypeVar("Member")
Task = TypeVar("Task")
Done = TypeVar("Done")


def in_order(
    crew: Sequence[Member],
    tasks: Iterable[Task],
    work: Callable[[Member, Task], Done],
    ahead: int,
    stop: threading.Event,
    bar: Any,
    finished: Callable[[], int],
) -> Generator[Done, None, None]:
    """Yield what each task came to, in order; each is done by one member of the crew, which does one at a time.

    Parameters
    ----------
    crew : sequence
        As many threads work.
    tasks : iterable
    work : callable
        Takes a member and a task.
    ahead : int
        Tasks that may be given out before the first of them is taken: it keeps every thread busy, and bounds the memory of finished ones.
    stop : threading.Event
        Set when the generator is closed or fails, before the threads are waited for.
    bar : tqdm
        Follows ``finished()``, also while a task takes long.
    """
    free, waiting, guard = deque(crew), deque[Future[Done]](), threading.Lock()

    def run(task: Task) -> Done:
        with guard:
            member = free.popleft()
        try:
            return work(member, task)
        finally:
            with guard:
                free.append(member)

    pool = ThreadPoolExecutor(len(crew))
    try:
        for task in tasks:
            waiting.append(pool.submit(run, task))
            if len(waiting) >= ahead:
                yield _wait(waiting.popleft(), bar, finished)
        while waiting:
            yield _wait(waiting.popleft(), bar, finished)
    finally:
        stop.set()
        for future in waiting:
            future.cancel()
        pool.shutdown(wait=True)


def _wait(future: Future[Done], bar: Any, finished: Callable[[], int]) -> Done:
    """Return what a task came to, keeping the bar alive and Ctrl-C within reach."""
    while True:
        try:
            return future.result(timeout=0.1)
        except NotYet:
            if future.done():
                raise
        finally:
            bar.update(finished() - bar.n)
