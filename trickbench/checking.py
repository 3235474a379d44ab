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

from trickbench.engine import AGENTS, NUMBERS, PARTS
from trickbench.errors import AgentError, TrickbenchError
from trickbench.games.game import Game
from trickbench.games.registry import GAMES, game
from trickbench.games.rows import LANES
from trickbench.hints import causes
from trickbench.jit import compiled
from trickbench.registry import Bound, strategy
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
SAMPLES, ROUNDS = 256, 5
"""Blocks of a decision that are timed in turns, and how often; the least counts. One block again and again will not do: a processor then guesses
every branch of its lanes right, and code that is not vectorised looks five times as fast as it is."""
LONG_ENOUGH = 200_000
"""Nanoseconds that a timing should take at least, in calls."""


class Finding(NamedTuple):
    """What a check found of the speed of one decision function."""

    game: str
    decision: str
    agent: str
    tier: str
    nanoseconds: float
    """a decision, in a block of them"""
    against_random: float
    """in times of what ``random`` takes for a card of the same game"""
    one_by_one: float | None
    """in times of ``nanoseconds``, what it takes when the lanes are done one by one; only for kernels"""
    causes: list[str]
    """what in its source may keep it from vectorising; empty if it does"""

    @property
    def verdict(self) -> str:
        """What is to be said of it."""
        if self.tier in ("plain", "batch"):
            return f"called from Python ({self.tier}); marked with @trickbench.kernel it would run in lanes"
        if self.one_by_one is None:
            return "loops over the lanes itself"
        return f"vectorises ({self.one_by_one:.1f} times one by one)" if self.one_by_one >= VECTORISED else "runs, not vectorised"


def plays(spec: Any) -> tuple[list[str], dict[str, str]]:
    """Return the games in which an agent plays a deal, one a profile, and why it does not in others.

    Raises
    ------
    TrickbenchError
        If it plays none: why not in the first.
    """
    found: list[str] = []
    failures: dict[str, TrickbenchError] = {}
    for name in GAMES:
        try:
            simulate(game(name), spec, 1, seed=SEED, workers=1)
            found.append(name)
        except TrickbenchError as error:
            failures[name] = error
    if not found:
        raise next(iter(failures.values()))
    return found, {name: str(error) for name, error in failures.items()}


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
                raise AgentError(f"{where}: it does not do the same again; {_first_difference(once, again)}")
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
        yardstick, timer = Timer(played, "random").time("play"), Timer(played, spec)
        own = [kind for kind in strategy(spec, played).own if timer.samples[kind]]
        ratios: dict[Any, float] = {}
        for kind in own:
            # One function may answer several decisions; what it can do shows where branches are hardest to guess.
            function = timer.bound(kind).function
            ratios[function] = max(timer.one_by_one(kind), ratios.get(function, 0))
        found += [timed(timer, kind, yardstick, ratios[timer.bound(kind).function]) for kind in own]
    return found


def timed(timer: Timer, kind: str, yardstick: float, ratio: float) -> Finding:
    """Return what the speed of a decision function is, and what may be in its way; ``ratio`` is 0 where lanes cannot be done one by one."""
    bound, taken = timer.bound(kind), timer.time(kind)
    reasons = causes(bound.function) if 0 < ratio < VECTORISED else []
    return Finding(timer.game.name, kind, bound.text, bound.tier, taken, taken / yardstick, ratio or None, reasons)


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
        worker.play(0, LANES * (SAMPLES // 2 if self.table.compiled and not self.table.has_tier("lanes") else 1))

    def _sampling(self, place: int, function: Callable[..., None], flat: NDArray[Any]) -> Callable[..., None]:
        kept = self.samples[self.game.kinds[place // AGENTS]]

        def choose(*parts: Any) -> None:
            if len(kept) < SAMPLES and flat[self.face.at.MINE : self.face.at.MINE + LANES].any():
                kept.append(flat.copy())
            function(*parts)

        return choose

    def bound(self, kind: str) -> Bound:
        """Return the function that answers a kind of decision."""
        return self.table.bounds_of_kind[self.game.kinds.index(kind)][0][0]

    def one_by_one(self, kind: str) -> float:
        """Return how many times as long a kernel takes when lanes are done one by one; 0 for other tiers."""
        return self.time(kind, one_by_one=True) / self.time(kind) if self.bound(kind).tier == "kernel" else 0

    def time(self, kind: str, one_by_one: bool = False) -> float:
        """Return nanoseconds a lane that a decision function takes: the best of several rounds over blocks of play."""
        place = self.game.kinds.index(kind)
        bound = self.bound(kind)
        blocks = self.samples[kind]
        if bound.tier in ("plain", "batch"):
            return self._python_time(place, blocks)
        function = self.table.compiled_function(bound, one_by_one)
        k = PARTS * AGENTS * place
        size, *ends = (int(number) for number in self.bounds[k : k + PARTS])
        parts = [self.data[start:end] for start, end in pairwise(ends)]
        views = np.concatenate([block[:size] for block in blocks])
        return _nanoseconds(repeater(self.game.__class__), function, views, len(blocks), parts) / LANES

    def _python_time(self, place: int, blocks: list[NDArray[Any]]) -> float:
        block = self.table.superblock(1, threading.Event())
        function = self.table.python_functions(block, self.data, self.bounds)[AGENTS * place]
        total = asked = 0
        for sample in blocks:
            block.flat[:] = sample
            begun = time.perf_counter_ns()
            function(None, None, None, None)
            total += time.perf_counter_ns() - begun
            asked += len(block.mine())
        return total / max(asked, 1)


def _nanoseconds(repeat: Any, function: Any, views: Any, blocks: int, parts: list[Any]) -> float:
    """Return nanoseconds a block, less what calling from Python takes."""

    def least(count: int) -> int:
        taken = []
        for _ in range(ROUNDS):
            begun = time.perf_counter_ns()
            repeat(count, function, views, blocks, *parts)
            taken.append(time.perf_counter_ns() - begun)
        return min(taken)

    empty, one = least(0), least(1)
    count = 1 + LONG_ENOUGH // max(one - empty, 40)
    return max(least(count) - empty, 1) / count / blocks


_REPEATERS: dict[type[Game], Any] = {}


def repeater(kind: type[Game]) -> Any:
    """Return a loop that calls a choose function of a game on blocks in turns, so that calling it from Python does not count."""
    if kind not in _REPEATERS:
        face = kind.face()

        @compiled(void(int64, face.choose, face.blocks, int64, NUMBERS, NUMBERS, NUMBERS))
        def repeat(count: int, choose: Any, views: Any, blocks: int, params: Any, tables: Any, scratch: Any) -> None:
            size = views.size // blocks
            for _ in range(count):
                for b in range(blocks):
                    choose(views[b * size : (b + 1) * size], params, tables, scratch)

        _REPEATERS[kind] = repeat
    return _REPEATERS[kind]
