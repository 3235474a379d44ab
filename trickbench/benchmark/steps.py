"""Where the time goes: what every loop over the lanes takes, measured on blocks as they come up in play.

The order of a deal is driven as plain Python over several blocks, with a clock around every loop. What a call from Python costs is
measured on no blocks at all, and taken off. A loop that is not vectorised shows at once: ten times its neighbours.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from types import ModuleType
from typing import Any

import numpy as np

from trickbench.benchmark.speeds import RANDOM, SEED
from trickbench.checking import Timer
from trickbench.engine import make_steps
from trickbench.games.game import Game
from trickbench.games.registry import game
from trickbench.games.rows import LANES
from trickbench.table import Table
from trickbench.worker import Chunk, Worker

BLOCKS = 8
"""As many as the second cache of a processor holds."""
SHARED = ("claim", "collect", "check")
AGENTS = {"manille": ["heuristic", RANDOM], "manchego": ["heuristic", "random", "random"]}
"""Two functions for each decision, so that choices are collected from both."""
REPEATS = 30
"""Deals in every lane."""


class Clock:
    """Nanoseconds of every loop, call by call."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.taken: dict[str, list[int]] = defaultdict(list)
        self.empty: dict[str, list[int]] = defaultdict(list)

    def around(self, name: str, loop: Callable[..., Any]) -> Callable[..., Any]:
        """Return a loop that is timed, and timed once more on no blocks."""

        def timed(lanes: Any, *rest: Any) -> Any:
            begun = time.perf_counter_ns()
            result = loop(lanes, *rest)
            self.taken[name].append(time.perf_counter_ns() - begun)
            if name not in CHANGING:
                none = lanes[:0]
                begun = time.perf_counter_ns()
                loop(none, *rest)
                self.empty[name].append(time.perf_counter_ns() - begun)
            return result

        return timed

    def nanoseconds(self, name: str, common: float) -> float:
        """Return what a loop takes a lane: the median, less what the call takes."""
        call = median(self.empty[name]) if self.empty[name] else common
        return max(median(self.taken[name]) - call, 0) / self.size


CHANGING = ("seat", "move_on")
"""Loops that keep a state of their own: they are not called once more, and the call of another is taken off."""


@contextmanager
def clocked(module: ModuleType, clock: Clock, players: int) -> Iterator[None]:
    """Put a clock around every loop that a game's ``drive`` calls, for a while."""
    before = dict(vars(module))
    loops = module.loops._replace(**{name: clock.around(name, getattr(module.loops, name)) for name in SHARED})
    compiled = {name: value for name, value in before.items() if hasattr(value, "signatures") and name != "drive_compiled"}
    try:
        for name, loop in compiled.items():
            setattr(module, name, clock.around(name, loop))
        module.decide, module.play_card = make_steps(loops, players)  # type: ignore[attr-defined]
        yield
    finally:
        vars(module).update(before)


def loop_times(played: Game) -> tuple[dict[str, float], dict[str, float]]:
    """Return nanoseconds a lane of every loop, and how often it runs in a deal."""
    clock = Clock(BLOCKS * LANES)
    table = Table(played, AGENTS[played.family])
    worker = Worker(table, SEED, False, threading.Event())
    worker.lanes = worker.lanes_of(table.superblock(BLOCKS, threading.Event()))
    face = played.face()
    empty = np.zeros(0, face.dtype)
    with clocked(sys.modules[face.drive.__module__], clock, played.players):
        for _ in range(REPEATS):
            worker.work(worker.lanes, Chunk(0, clock.size, np.zeros(face.cells, np.int64), empty, empty.reshape(0, 1)), 0, clock.size)
    common = median(duration for durations in clock.empty.values() for duration in durations)
    return {name: clock.nanoseconds(name, common) for name in clock.taken}, {name: len(times) / REPEATS for name, times in clock.taken.items()}


def steps() -> list[dict[str, Any]]:
    """Return a row a loop and game: nanoseconds a lane, calls a deal, nanoseconds a deal; functions of agents too, which run in every lane."""
    rows = []
    for name in ("manillen", "manchego"):
        played = game(name)
        times, calls = loop_times(played)
        decisions = played.players * played.hand_size
        for loop, taken in times.items():
            rows.append({"game": name, "loop": loop, "nanoseconds": taken, "calls": calls[loop], "a_deal": taken * calls[loop]})
        for agent in ("random", "heuristic"):
            taken = Timer(played, agent).time("play")
            rows.append({"game": name, "loop": f"choose: play={agent}", "nanoseconds": taken, "calls": decisions, "a_deal": taken * decisions})
    return rows
