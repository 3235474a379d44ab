"""``trickbench check``: is an agent legal, does it repeat itself, and is it as fast as it could be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import int64, void
from numpy.typing import NDArray

from trickbench.engine import NUMBERS, PARTS
from trickbench.errors import TrickbenchError, UsageError
from trickbench.games.game import Game
from trickbench.games.registry import GAMES, game
from trickbench.games.rows import LANES
from trickbench.jit import compiled
from trickbench.registry import strategy
from trickbench.simulation import simulate
from trickbench.table import Table
from trickbench.worker import Worker

SEED = 1
DEALS = {"compiled": 20_000, "python": 500}
"""Deals that are played for legality and repetition, by the slower of the tiers in use."""
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "manille": [{}, {"en_face": "on", "blind_no_trump": "on", "must_beat": "always"}],
    "manchego": [{}, {"hook": "on"}],
}
"""Options under which legality is checked: those that add decisions or take choices away."""
VECTORISED = 1.5
"""From so many times as fast as lane by lane on, a function is said to vectorise."""
SAMPLES, REPEATS, ROUNDS = 24, 200, 5


class Finding(NamedTuple):
    """What a check found of one decision."""

    game: str
    decision: str
    agent: str
    nanoseconds: float
    """a decision, lane for lane"""
    against_random: float
    """the same, in times of what ``random`` takes"""
    lane_by_lane: float | None
    """how many times as long it takes when lanes are done one by one; None where that cannot be"""


def plays(spec: Any) -> list[str]:
    """Return the games that an agent plays, one a profile.

    Raises
    ------
    UsageError
        If it plays none, or there is no such agent.
    """
    found, failure = [], None
    for name in GAMES:
        try:
            strategy(spec, game(name))
            found.append(name)
        except UsageError as error:
            failure = error
    if not found and failure is not None:
        raise failure
    return found


def legal_and_repeatable(spec: Any, names: Iterable[str]) -> list[str]:
    """Play an agent in all seats, with the options that add decisions; return a line a game.

    Raises
    ------
    AgentError
        If it makes an illegal choice, raises, or does not do the same again.
    """
    lines = []
    for name in names:
        for options in VARIANTS[game(name).family]:
            played = game(name, **options)
            table = Table(played, spec)
            deals = DEALS["compiled" if table.compiled else "python"]
            once = simulate(played, spec, deals, seed=SEED, workers=1, record="plays")
            again = simulate(played, spec, deals, seed=SEED, workers=2, chunk=LANES * 3, record="plays")
            if once.digest != again.digest:
                where = f"agent '{table.named[0].text}' in {played.described()}"
                raise TrickbenchError(f"{where}: it does not do the same again; {_first_difference(once, again)}")
            lines.append(f"{played.described()}: {deals:,} deals legal, and the same again in other pieces")
    return lines


def _first_difference(once: Any, again: Any) -> str:
    differs = np.flatnonzero((once.plays != again.plays).any(axis=1))
    return f"deal {differs[0]} is the first that differs" if len(differs) else "the auction differs"


def speed(spec: Any, names: Iterable[str]) -> list[Finding]:
    """Time every decision function of an agent beside that of ``random``, on blocks as they come up in play.

    One game a family is enough: rule options are values, and change nothing of the code.
    """
    found: list[Finding] = []
    for name in {game(name).family: name for name in reversed(list(names))}.values():
        played = game(name)
        table = Table(played, spec)
        yardstick = Timer(played, "random").time("play")
        timer = Timer(played, spec)
        for kind, (bounds, _) in zip(played.kinds, table.bounds_of_kind, strict=True):
            bound = bounds[0]
            if bound.agent.name != table.named[0].decisions[kind].agent.name or kind not in own_kinds(spec, played):
                continue
            taken = timer.time(kind)
            slow = timer.time(kind, one_by_one=True) if bound.tier == "kernel" else None
            found.append(Finding(name, kind, bound.text, taken, taken / yardstick, None if slow is None else slow / taken))
    return found


def own_kinds(spec: Any, played: Game) -> list[str]:
    """Return the decisions that the agent answers itself, not by default."""
    sitting = strategy(spec, played)
    defaults = set(played.defaults.values())
    return [kind for kind, bound in sitting.decisions.items() if bound.agent.name not in defaults or bound.text in sitting.text]


class Timer:
    """Blocks as they come up in play with an agent in all seats, and how long its functions take on them."""

    def __init__(self, played: Game, spec: Any) -> None:
        self.game, self.table = played, Table(played, spec)
        self.face = played.face()
        self.data, self.bounds = self.table.memory()
        self.samples: dict[str, list[NDArray[Any]]] = {kind: [] for kind in played.kinds}
        worker = Worker(self.table, SEED, False, threading.Event())
        block = self.table.superblock(1, threading.Event())
        worker.lanes = worker.lanes_of(block)
        worker.lanes.functions = [self._sampling(k, function, block.flat) for k, function in enumerate(worker.lanes.functions)]
        worker.play(0, LANES)

    def _sampling(self, place: int, function: Callable[..., None], flat: NDArray[Any]) -> Callable[..., None]:
        kept = self.samples[self.game.kinds[place // 4]]

        def choose(*parts: Any) -> None:
            if flat[self.face.at.MINE : self.face.at.MINE + LANES].any():
                kept.append(flat.copy())
            function(*parts)

        return choose

    def time(self, kind: str, one_by_one: bool = False) -> float:
        """Return nanoseconds a lane that a decision function takes: the best of several rounds over blocks of play."""
        place = self.game.kinds.index(kind)
        bound = self.table.bounds_of_kind[place][0][0]
        blocks = self.samples[kind][:: max(1, len(self.samples[kind]) // SAMPLES)]
        if bound.tier in ("plain", "batch"):
            return self._python_time(place, blocks)
        function = self.table.compiled_function(bound, one_by_one)
        k = PARTS * 4 * place
        size, *ends = (int(number) for number in self.bounds[k : k + PARTS])
        parts = [self.data[start:end] for start, end in pairwise(ends)]
        repeat = repeater(self.game.__class__)
        best = []
        for block in blocks:
            taken = []
            for _ in range(ROUNDS):
                begun = time.perf_counter_ns()
                repeat(REPEATS, function, block[:size], *parts)
                taken.append(time.perf_counter_ns() - begun)
            best.append(min(taken) / REPEATS / LANES)
        return float(np.mean(best))

    def _python_time(self, place: int, blocks: list[NDArray[Any]]) -> float:
        block = self.table.superblock(1, threading.Event())
        function = self.table.python_functions(block, self.data, self.bounds)[4 * place]
        total = asked = 0
        for sample in blocks:
            block.flat[:] = sample
            begun = time.perf_counter_ns()
            function(None, None, None, None)
            total += time.perf_counter_ns() - begun
            asked += len(block.mine())
        return total / max(asked, 1)


_REPEATERS: dict[type[Game], Any] = {}


def repeater(kind: type[Game]) -> Any:
    """Return a loop that calls a choose function of a game over and over, so that calling it from Python does not count."""
    if kind not in _REPEATERS:
        face = kind.face()

        @compiled(void(int64, face.choose, face.blocks, NUMBERS, NUMBERS, NUMBERS))
        def repeat(count: int, choose: Any, view: Any, params: Any, tables: Any, scratch: Any) -> None:
            for _ in range(count):
                choose(view, params, tables, scratch)

        _REPEATERS[kind] = repeat
    return _REPEATERS[kind]

