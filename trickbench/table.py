"""Who sits where: strategies for all seats, turned into the functions and numbers that the engine takes."""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench import engine as of
from trickbench.agent import NoParameters, numbers_of, tier_of
from trickbench.calling import Superblock, batch_chooser, compiled_chooser, plain_chooser
from trickbench.engine import AGENTS, PARTS, SEAT_MAPS, aligned
from trickbench.errors import AgentError, TrickbenchError, UsageError
from trickbench.fields import fields_read
from trickbench.games.game import Game
from trickbench.jit import digest_files
from trickbench.policies import address, packed
from trickbench.registry import Bound, Strategy, strategy
from trickbench.streams import first_dealer
from trickbench.wrapping import make_choose, make_lanes

ON_ILLEGAL = ("raise", "forfeit")
MOST_DEPTH = 3
"""Rollouts within rollouts; each multiplies the time, and an agent may have named itself."""


class Table:
    """The strategies of all seats of a game, resolved and validated.

    Parameters
    ----------
    game : Game
    agents : sequence of str, Agent or function
        One for all seats; two sides or four seats (Manille); three seats (Manchego).
    on_illegal : str
        "raise" or, for cards in Manille, "forfeit".
    depth : int
        In whose rollouts these agents play: 0 at a real table, 1 in those of an agent there, 2 in those of such a one.

    Raises
    ------
    UsageError
        For names, numbers of agents or parameters that cannot be.
    """

    def __init__(self, game: Game, agents: Sequence[Any] | Any, on_illegal: str = "raise", depth: int = 0) -> None:
        named = [agents] if isinstance(agents, str) or not isinstance(agents, Sequence) else list(agents)
        if len(named) not in game.tables:
            counts = " or ".join(map(str, game.tables))
            raise UsageError(f"{game.name} takes {counts} agents, not {len(named)}")
        if on_illegal not in ON_ILLEGAL or (on_illegal == "forfeit" and game.family != "manille"):
            allowed = "'raise' or 'forfeit'" if game.family == "manille" else "'raise'"
            raise UsageError(f"on_illegal cannot be '{on_illegal}' in {game.name}; {allowed} would be right")
        self.game = game
        self.on_illegal = on_illegal
        self.named = [strategy(spec, game) for spec in named]
        self.seats: list[Strategy] = [self.named[place] for place in game.tables[len(named)]]
        self.bounds_of_kind = [self._distinct(kind) for kind in game.kinds]
        self.depth = depth
        self.policies = [self._policies(number) for number in range(len(game.kinds))]

    def _distinct(self, kind: str) -> tuple[list[Bound], int]:
        """Return the distinct functions for a kind of decision, and the seat map."""
        found: list[Bound] = []
        seat_map = 0
        for seat, sitting in enumerate(self.seats):
            bound = sitting.decisions[kind]
            same = [k for k, other in enumerate(found) if (other.function, other.params, other.agent) == (bound.function, bound.params, bound.agent)]
            if not same:
                found.append(bound)
            seat_map |= (same[0] if same else len(found) - 1) << (2 * seat)
        return found, seat_map

    def hand_over(self, kind: str, bound: Bound) -> None:
        """Let one function answer a kind of decision in all seats."""
        self.seats = [replace(sitting, decisions={**sitting.decisions, kind: bound}) for sitting in self.seats]
        number = self.game.kinds.index(kind)
        self.bounds_of_kind[number] = self._distinct(kind)
        self.policies[number] = self._policies(number)

    def _policies(self, number: int) -> list[list[Table]]:
        """Return for each function of a kind of decision the tables of the strategies that it plays rollouts with."""
        return [_policies(self.game, bound, self.depth) for bound in self.bounds_of_kind[number][0]]

    @property
    def names(self) -> list[str]:
        """The strategies as typed: for all seats, for the sides or for each seat."""
        return [sitting.text for sitting in self.named]

    @property
    def resolved(self) -> list[str]:
        """For each seat, who answers every kind of decision."""
        return [sitting.resolved() for sitting in self.seats]

    @property
    def compiled(self) -> bool:
        """True if every function at the table is compiled."""
        return not (self.has_tier("plain") or self.has_tier("batch"))

    def has_tier(self, tier: str) -> bool:
        """Return True if a function at the table is of a tier."""
        return any(bound.tier == tier for bounds, _ in self.bounds_of_kind for bound in bounds)

    @property
    def needs_history(self) -> bool:
        """True if an agent at the table reads the history rows."""
        return any(bound.agent.reads_history for bounds, _ in self.bounds_of_kind for bound in bounds)

    def all_bounds(self) -> Iterator[Bound]:
        """Yield the decision functions of all seats, then those that their rollouts are played with."""
        for sitting in self.seats:
            yield from sitting.decisions.values()
        for policies in self.policies:
            for table in (table for of_function in policies for table in of_function):
                yield from table.all_bounds()

    def run_numbers(self, seed: int, history: bool, in_games: bool = False, words: int | None = None) -> NDArray[np.int64]:
        """Return the numbers of a run that the engine reads.

        ``in_games``: deals belong to whole games; ``words``: seed of the agents' random words, if it is another than that of the deals.
        """
        run = np.zeros(of.RUN_SIZE, np.int64)
        run[of.SEED], run[of.DEAL_SEED] = np.array([seed if words is None else words, seed], np.uint64).astype(np.int64)
        run[of.DEALER] = first_dealer(seed, self.game.players)
        run[of.HISTORY] = int(history or self.needs_history)
        run[of.FORFEIT] = int(self.on_illegal == "forfeit")
        run[of.ORACLE] = int(any(sitting.oracle for sitting in self.seats))
        run[of.IN_GAMES] = int(in_games)
        run[of.TARGET], run[of.GAME_DEALS], run[of.BEST_OF] = self.game.ends()
        run[of.UNREAD] = self._unread()
        for kind, (bounds, seat_map) in enumerate(self.bounds_of_kind):
            run[SEAT_MAPS + 2 * kind] = len(bounds)
            run[SEAT_MAPS + 2 * kind + 1] = seat_map
        return run

    def _unread(self) -> int:
        """Return the groups of view rows that nobody reads when it plays cards, as bits."""
        bounds, _ = self.bounds_of_kind[of.PLAY]
        face = self.game.face()
        groups, fields = face.at.GROUPS, face.view._fields
        read = {group for bound in bounds for group in map(groups.get, fields_read(bound.function, fields)) if group}
        return sum(set(groups.values()) - read)

    def memory(self, addresses: bool = True) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return parameters, tables and scratch of all functions in one array, and where each function's are.

        Without ``addresses`` zeros stand in the place of those of policies' functions: the same numbers in every process, and nothing is compiled.
        """
        rules = self.game.rule_values()
        parts: list[NDArray[np.int64]] = []
        numbers = np.zeros(PARTS * AGENTS * len(self.game.kinds), np.int64)
        at, used = self.game.face().at, 0
        for kind, (bounds, _) in enumerate(self.bounds_of_kind):
            for slot, bound in enumerate(bounds):
                k = PARTS * (AGENTS * kind + slot)
                numbers[k] = at.ORACLE_SIZE if bound.agent.oracle else at.VIEW_SIZE
                numbers[k + 1] = used
                own = np.concatenate([rules, np.array(numbers_of(bound.params), np.int64).reshape(-1)])
                policies = [table.as_policy(addresses) for table in self.policies[kind][slot]]
                tables = packed(policies, _tables(bound)) if policies else _tables(bound)
                for place, part in enumerate((own, tables, np.zeros(bound.agent.scratch, np.int64))):
                    used += len(part)
                    numbers[k + 2 + place] = used
                    parts.append(part)
        return np.concatenate(parts), numbers

    def as_policy(self, addresses: bool = True) -> tuple[NDArray[np.int64], ...]:
        """Return run, data, bounds and addresses of the functions, as :mod:`trickbench.policies` hands them to an agent."""
        data, bounds = self.memory(addresses)
        found = np.zeros(AGENTS * len(self.game.kinds), np.int64)
        if addresses:
            choose = self.game.face().choose
            found[:] = [address(function, choose) for function in self.functions()]
        return self.run_numbers(0, False), data, bounds, found

    def functions(self, kinds: Sequence[str] | None = None) -> list[Any]:
        """Return the compiled choose functions in the engine's order, unused places filled; or those of some ``kinds`` alone, "play" among them."""
        found: list[Any] = []
        for kind, (bounds, _) in zip(self.game.kinds, self.bounds_of_kind, strict=True):
            own = [self.compiled_function(bound) for bound in bounds] if kinds is None or kind in kinds else [found[0]]
            found += own + [own[0]] * (AGENTS - len(own))
        return found

    def python_functions(
        self, superblock: Superblock, data: NDArray[np.int64], numbers: NDArray[np.int64], kernels_as_plain: bool = False
    ) -> list[Any]:
        """Return choose functions for the engine as plain Python, over a superblock.

        With ``kernels_as_plain`` kernels are called as the Python functions they are, once for each lane that is theirs.
        """
        found: list[Any] = []
        for kind, (bounds, _) in enumerate(self.bounds_of_kind):
            own = []
            for slot, bound in enumerate(bounds):
                k = PARTS * (AGENTS * kind + slot)
                size, a, b, c, d = (int(number) for number in numbers[k : k + PARTS])
                own.append(self._python_function(superblock, bound, (data[a:b], data[b:c], data[c:d]), size, kernels_as_plain))
            found += own + [own[0]] * (AGENTS - len(own))
        return found

    def compiled_function(self, bound: Bound, one_by_one: bool = False) -> Any:
        """Return the choose function of a kernel or lanes agent; ``one_by_one`` does a kernel's lanes one after the other.

        Raises
        ------
        AgentError
            If it does not compile.
        """
        parameters: Any = type(bound.params)
        try:
            return compiled_choose(self.game.__class__, bound.function, bound.arity, parameters, one_by_one)
        except AgentError as error:
            raise AgentError(f"agent '{bound.text}' {error}") from None

    def _python_function(self, superblock: Superblock, bound: Bound, parts: tuple[Any, Any, Any], size: int, plain: bool) -> Callable[..., None]:
        if bound.tier == "lanes" or (bound.tier == "kernel" and not plain):
            return compiled_chooser(superblock, bound, self.compiled_function(bound), parts, size)
        extra = (numbers_of(bound.params), self.game.rules.values(), parts[1])[: bound.arity - 1]
        return (batch_chooser if bound.tier == "batch" else plain_chooser)(superblock, bound, extra)

    def superblock(self, blocks: int, stop: threading.Event, in_games: bool = False) -> Superblock:
        """Return the lanes for the engine as plain Python."""
        face = self.game.face()
        return Superblock(self.game, aligned(face.at.SIZE * blocks, face.dtype), stop, in_games)


def _policies(game: Game, bound: Bound, depth: int) -> list[Table]:
    """Return the strategies that an agent's function plays rollouts with, each as a table."""
    try:
        named = dict(bound.agent.policies(bound.params))
    except TrickbenchError:
        raise
    except Exception as error:
        raise AgentError(f"agent '{bound.text}': its policies could not be named: {type(error).__name__}: {error}") from error
    if named and depth == MOST_DEPTH:
        raise UsageError(f"rollouts within rollouts within rollouts end with '{bound.text}'; a policy without rollouts would be right")
    return [_policy(game, f"agent '{bound.text}', policy '{name}'", spec, depth) for name, spec in named.items()]


def _policy(game: Game, where: str, spec: Any, depth: int) -> Table:
    try:
        table = Table(game, spec, depth=depth + 1)
        slow = sorted({bound.text for bound in table.all_bounds() if bound.tier in ("plain", "batch")})
        if slow:
            raise UsageError(f"'{', '.join(slow)}' is called from Python; an agent whose functions are marked with @trickbench.kernel would be right")
    except UsageError as error:
        raise UsageError(str(error) if depth else f"{where}: {error}") from None
    return table


def _tables(bound: Bound) -> NDArray[np.int64]:
    try:
        tables = np.asarray(bound.agent.tables(bound.params))
    except TrickbenchError:
        raise
    except Exception as error:
        raise AgentError(f"agent '{bound.text}': its tables could not be made: {type(error).__name__}: {error}") from error
    if tables.dtype.kind not in "iub":
        raise AgentError(f"agent '{bound.text}': its tables are of {tables.dtype}; whole numbers would be right")
    return np.ascontiguousarray(tables, np.int64).reshape(-1)


@cache
def compiled_choose(game: type[Game], function: Callable[..., Any], arity: int, parameters: Any, one_by_one: bool = False) -> Any:
    """Return a compiled choose function, compiled once a process and cached on disk.

    Raises
    ------
    AgentError
        If the function does not compile, or returns something other than a whole number; the agent's name is to be put before it.
    """
    from numba.core.errors import NumbaError

    try:
        return _compile(game, function, arity, parameters, False, one_by_one)
    except NumbaError:
        pass
    try:
        return _compile(game, function, arity, parameters, True, one_by_one)
    except NumbaError as error:
        raise AgentError(f"does not compile: {compile_reason(str(error))}; without @trickbench.kernel it would run as plain Python") from None


def _compile(game: type[Game], function: Callable[..., Any], arity: int, parameters: Any, allocates: bool, one_by_one: bool) -> Any:
    face, digest = game.face(), source_digest(function)
    if tier_of(function) == "lanes":
        return make_lanes(function, face, digest, allocates)
    return make_choose(function, arity, parameters or NoParameters, face, digest, allocates, one_by_one)


TELLING = re.compile(r"it returns|Unknown attribute|Untyped global|NameError|Cannot unify|Unsupported|unsupported|No match|Invalid use|not defined")
"""What the line of numba's long messages that says what is wrong looks like."""


def compile_reason(message: str) -> str:
    """Return the line of a message of numba that says what is wrong, shortened."""
    lines = [line.strip(" -") for line in message.splitlines() if line.strip(" ->")]
    telling = [line for line in lines if TELLING.search(line)]
    reason = (telling or [line for line in lines if not line.startswith(("Failed in", "During", "There are"))] or lines)[0]
    reason = re.sub(r"^\w+(Error|Returned): ", "", reason)
    reason = re.sub(r"View\(.*", "view", reason)
    return reason if len(reason) < 160 else f"{reason[:157]}..."


@cache
def source_digest(function: Callable[..., Any]) -> str | None:
    """Return a digest of a function's file and the Python files beside it, or None if it has no file to cache by."""
    module = inspect.getmodule(function)
    path = Path(inspect.getsourcefile(function) or "") if module is not None else Path("")
    if module is None or module.__name__ == "__main__" or not path.is_file():
        return None
    return digest_files(sorted(path.parent.glob("*.py")))
