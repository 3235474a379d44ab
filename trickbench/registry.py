"""Agents by name: entry points, ``module:attribute`` and ``path/to/file.py:attribute``; crossing decisions of agents."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from trickbench.agent import KINDS, Agent, arity, from_object, tier_of
from trickbench.errors import AgentError, UsageError, unknown
from trickbench.games.game import Game

GROUP = "trickbench.agents"


@dataclass(frozen=True)
class Bound:
    """One decision function of an agent with its parameters."""

    agent: Agent
    params: Any
    kind: str
    function: Callable[..., Any]
    text: str
    """as typed: name and parameters"""

    @property
    def tier(self) -> str:
        """The function's tier."""
        return tier_of(self.function)

    @property
    def arity(self) -> int:
        """How many arguments it takes."""
        return arity(self.function, self.text)


@dataclass(frozen=True)
class Strategy:
    """Who answers each kind of decision at one seat."""

    text: str
    """as typed"""
    typed: bool
    """False for an agent that was passed in as an object"""
    decisions: Mapping[str, Bound]
    own: tuple[str, ...]
    """kinds of decision that are not answered by default"""

    def resolved(self) -> str:
        """Return the whole strategy, what was filled in by default included."""
        return ",".join(f"{kind}={bound.text}" for kind, bound in self.decisions.items())

    @property
    def oracle(self) -> bool:
        """True if any decision is made with sight of all hands."""
        return any(bound.agent.oracle for bound in self.decisions.values())


@cache
def registered() -> dict[str, EntryPoint]:
    """Return the agents that installed packages declare."""
    return {point.name: point for point in entry_points(group=GROUP)}


def find(name: str, kind: str | None = None) -> Agent:
    """Return an agent by name or door, without parameters.

    Raises
    ------
    UsageError
        If there is no such agent, with the nearest name; or no such module, file or attribute.
    AgentError
        If the agent's own code fails when imported.
    """
    if ":" not in name and not any(mark in name for mark in "./\\"):
        return _registered_agent(name)
    place, _, attribute = name.rpartition(":")
    if place in registered():
        raise UsageError(f"agent '{name}': '{attribute}' is not a parameter; key=value would be right, as in 'fixed:n=5'")
    if not place:
        raise UsageError(f"agent '{name}': a module or file needs the name in it, as in '{name}:play'")
    module = _from_file(place, name) if place.endswith(".py") else _imported(place, name)
    return from_object(_attribute(module, attribute, name), name, kind)


@cache
def _registered_agent(name: str) -> Agent:
    if name not in registered():
        raise unknown("agent", name, registered())
    point = registered()[name]
    return from_object(_attribute(_imported(point.module, name), point.attr, name), name, None)


def _attribute(module: ModuleType, attribute: str, name: str) -> Any:
    if not hasattr(module, attribute):
        public = [key for key in vars(module) if not key.startswith("_")]
        raise unknown("attribute", attribute, public, f"agent '{name}'")
    return getattr(module, attribute)


def _imported(module: str, name: str) -> ModuleType:
    """Import a module by its dotted name, also from the current folder."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            hint = "a module on the path, or a file as in 'path/to/file.py:play', would be right"
            raise UsageError(f"agent '{name}': no module '{module}'; {hint}") from None
        raise AgentError(f"agent '{name}' could not be imported: {error}") from error
    except Exception as error:
        raise AgentError(f"agent '{name}' could not be imported: {type(error).__name__}: {error}") from error


def _from_file(place: str, name: str) -> ModuleType:
    """Import a file under a stable module name, so that the compile cache finds it again."""
    path = Path(place).resolve()
    if not path.is_file():
        raise UsageError(f"agent '{name}': no file '{place}'")
    stable = f"trickbench_file_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    loaded = sys.modules.get(stable)
    if loaded is not None and getattr(loaded, "trickbench_content", None) == content:
        return loaded
    spec = importlib.util.spec_from_file_location(stable, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"agent '{name}': '{place}' cannot be imported")
    module = importlib.util.module_from_spec(spec)
    module.trickbench_content = content  # type: ignore[attr-defined]
    sys.modules[stable] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[stable]
        raise AgentError(f"agent '{name}' could not be imported: {type(error).__name__}: {error}") from error
    return module


def split(text: str) -> dict[str | None, str]:
    """Return a strategy's text by decision; None stands for "whatever the agent answers".

    After a comma, ``play= call= double= redouble= bid=`` begins a decision; anything else goes on with the parameters
    before it.
    """
    parts: dict[str | None, str] = {}
    current: str | None = None
    for piece in text.split(","):
        key, equals, rest = piece.partition("=")
        if equals and key.strip() in KINDS:
            current = key.strip()
            if current in parts:
                raise UsageError(f"agent '{text}': decision '{current}' stands twice")
            parts[current] = rest.strip()
        elif current in parts:
            parts[current] += f",{piece.strip()}"
        elif not parts:
            parts[None] = piece.strip()
    return parts


def parameters(text: str) -> tuple[str, dict[str, str]]:
    """Return name and parameters of one agent's text, ``name:key=value,key=value``; a value may hold colons, as paths of Windows do."""
    begin = re.search(r":(?=[^:,/\\]*=)", text)
    if begin is None:
        return text, {}
    name, rest = text[: begin.start()], text[begin.end() :]
    values: dict[str, str] = {}
    for item in rest.split(","):
        key, equals, value = item.partition("=")
        if not equals or not key:
            raise UsageError(f"agent '{text}': '{item}' is not a parameter; key=value would be right, as in 'fixed:n=5'")
        values[key.strip()] = value.strip()
    return name, values


def strategy(spec: str | Agent | Callable[..., Any] | Any, game: Game) -> Strategy:
    """Return who answers each kind of decision, from what was typed or passed in.

    Parameters
    ----------
    spec : str, Agent, function, object or Strategy
        Text as described in :func:`split`, or what :func:`trickbench.agent.from_object` takes; a strategy is itself.
    game : Game
        Its defaults answer what the agent does not.

    Raises
    ------
    UsageError
        For a name, parameter or decision that does not exist.
    """
    if isinstance(spec, Strategy):
        return spec
    if not isinstance(spec, str):
        agent = from_object(spec, getattr(spec, "__name__", type(spec).__name__), None)
        return _complete(agent.name, False, {None: (agent, agent.parameters(), agent.name)}, game)
    if not spec.strip():
        raise UsageError("an agent's name is empty; 'trickbench agents' lists the names")
    named = {}
    for kind, text in split(spec).items():
        name, values = parameters(text)
        agent = find(name, kind)
        named[kind] = (agent, agent.with_parameters(values), text)
    return _complete(spec, True, named, game)


def _complete(text: str, typed: bool, named: Mapping[str | None, tuple[Agent, Any, str]], game: Game) -> Strategy:
    for kind, (agent, _, _) in named.items():
        answers = agent.decisions(game.family)
        if not answers:
            raise UsageError(f"agent '{agent.name}' does not play {game.name}")
        if kind is not None and kind not in game.kinds:
            raise unknown("decision", kind, game.kinds, f"agent '{text}', game {game.name}")
        if kind is not None and kind not in answers:
            raise UsageError(f"agent '{agent.name}' has no decision '{kind}' in {game.name}; it answers {', '.join(answers)}")
    decisions, own = {}, []
    for kind in game.kinds:
        found = named.get(kind) or named.get(None)
        if found is None or kind not in found[0].decisions(game.family):
            default = find(game.defaults[kind])
            found = (default, default.parameters(), default.name)
        else:
            own.append(kind)
        agent, params, words = found
        decisions[kind] = Bound(agent, params, kind, agent.decisions(game.family)[kind], words)
    return Strategy(text, typed, decisions, tuple(own))


def described() -> list[dict[str, Any]]:
    """Return what ``trickbench agents`` lists: name, what it answers in which game, parameters, summary."""
    rows = []
    for name in sorted(registered()):
        agent = find(name)
        rows.append(
            {
                "agent": name,
                "manille": list(agent.manille),
                "manchego": list(agent.manchego),
                "parameters": agent.parameters._field_defaults,
                "limits": {key: list(value) for key, value in agent.limits.items()},
                "oracle": agent.oracle,
                "summary": agent.summary,
            }
        )
    return rows
