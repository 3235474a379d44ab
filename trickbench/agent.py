"""What an agent is: named decision functions, one a kind of decision, in one of four tiers.

=======  ============================  ==================================================================
tier     how it is marked              what is called
=======  ============================  ==================================================================
kernel   ``@trickbench.kernel``        compiled, for every lane of a block: ``play(view)``
lanes    ``@trickbench.lanes``         compiled, once a block: ``play(view, params, tables, scratch)`` on rows
batch    ``@trickbench.batch``         from Python, on a view of arrays: one element a deal
plain    not at all                    from Python, on a view of integers: once a decision
=======  ============================  ==================================================================

The same policy gives the same results in every tier. An agent has no memory from deal to deal.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from trickbench.errors import UsageError, unknown

KINDS = ("play", "call", "double", "redouble", "bid")
FORECAST = ("bid", "double", "redouble")
"""Decisions for which an agent may say what it expects."""
FAMILIES = ("manille", "manchego")
ARGUMENTS = ("view", "params", "rules", "tables")
"""What a decision function may take: the first one, two, three or all of these, by these names."""
LANE_ARGUMENTS = ("view", "params", "tables", "scratch")

F = TypeVar("F", bound=Callable[..., Any])


class NoParameters(NamedTuple):
    """The parameters of an agent that has none."""


def batch(function: F) -> F:
    """Mark a decision function that takes a view of arrays, one element a deal, and returns an array of choices."""
    function.trickbench_tier = "batch"  # type: ignore[attr-defined]
    return function


def lanes(function: F) -> F:
    """Mark a compiled decision function that loops over the lanes of a block itself (a search agent's).

    It takes ``view`` (the rows of the block that a seat may see, see the game's layout), ``params`` (rule values, then the
    agent's parameters), ``tables`` and ``scratch``, and fills the choice row. It may skip the lanes that the ``MINE`` row
    says are not its own.
    """
    function.trickbench_tier = "lanes"  # type: ignore[attr-defined]
    return function


def tier_of(function: Callable[..., Any]) -> str:
    """Return "kernel", "lanes", "batch" or "plain"."""
    return str(getattr(function, "trickbench_tier", "plain"))


def no_tables(params: Any) -> NDArray[np.int64]:
    """Return the tables of an agent that has none."""
    return np.zeros(0, np.int64)


def no_policies(params: Any) -> Mapping[str, Any]:
    """Return the policies of an agent that plays no rollouts."""
    return {}


@dataclass(frozen=True)
class Agent:
    """An agent: for each game the functions that answer its decisions.

    Parameters
    ----------
    name : str
        What people type.
    summary : str
        One line for ``trickbench agents``.
    manille, manchego : mapping
        Decision ("play", "call", "double", "redouble"; "play", "bid") to function.
    parameters : type
        A named tuple with defaults, whole numbers or texts; read as ``params.name``. Texts (a file, say) are for ``tables`` alone: decision functions
        compute with whole numbers, in every tier, and find 0 in their place.
    limits : mapping
        Parameter that is a whole number to its least and greatest value.
    tables : callable
        Takes the parameters, texts included, returns the agent's data as an int64 array.
    policies : callable
        Takes the parameters, texts included, returns the strategies that the agent lets play in its rollouts, by name: each a text, an Agent
        or a function, or a sequence of them, as :func:`trickbench.simulate` takes agents. Compiled ones only. A ``lanes`` function finds them
        in ``tables`` (:mod:`trickbench.policies`).
    scratch : int
        How many int64 of own memory a ``lanes`` function wants.
    forecast : mapping
        Decision ("bid", "double", "redouble") to a function that tells what the agent expects: it takes ``(view, params, rules, tables)`` with a view
        of arrays, one element a decision, and returns an array of whole numbers or floats, a row a decision: weights, of any sum. Of a bid they are
        of the tricks 0..17 that it expects with the bid that it makes there; of a double or redouble of three outcomes: the dealer's side has fewer
        than 30 points, 30, or more.
    uses_word : bool
        False declares that the agent does not read its random word.
    reads_history : bool
        The agent reads the history rows.

    Raises
    ------
    UsageError
        With what to change, if a function or a name is not of the right form.
    """

    name: str
    summary: str = ""
    manille: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    manchego: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    parameters: type[Any] = NoParameters
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    tables: Callable[[Any], NDArray[np.int64]] = no_tables
    policies: Callable[[Any], Mapping[str, Any]] = no_policies
    scratch: int = 0
    forecast: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    uses_word: bool = True
    reads_history: bool = False

    def __post_init__(self) -> None:
        if not self.manille and not self.manchego:
            raise UsageError(f"agent '{self.name}' answers no decision; give it manille={{'play': function}} or manchego={{...}}")
        for family in FAMILIES:
            for kind, function in self.decisions(family).items():
                known = KINDS[:4] if family == "manille" else ("play", "bid")
                if kind not in known:
                    raise unknown("decision", kind, known, f"agent '{self.name}', {family}")
                arity(function, f"agent '{self.name}', {family}, {kind}")
        for kind, function in self.forecast.items():
            self._check_forecast(kind, function)
        for name, default in self.parameters._field_defaults.items():
            if isinstance(default, bool) or not isinstance(default, (int, str)):
                raise UsageError(f"agent '{self.name}': the default of parameter '{name}' is {default!r}; it must be a whole number or a text")
            if isinstance(default, str) and name in self.limits:
                raise UsageError(f"agent '{self.name}': parameter '{name}' is a text and cannot have limits")
        if len(self.parameters._field_defaults) != len(self.parameters._fields):
            raise UsageError(f"agent '{self.name}': every parameter needs a default")

    def _check_forecast(self, kind: str, function: Callable[..., Any]) -> None:
        where = f"agent '{self.name}', forecast, {kind}"
        if kind not in FORECAST:
            raise unknown("decision", kind, FORECAST, f"agent '{self.name}', forecast")
        if kind not in self.manille and kind not in self.manchego:
            raise UsageError(f"{where}: the agent does not answer '{kind}'; only what it decides itself can be forecast")
        names = _argument_names(function, where)
        if names != ARGUMENTS:
            raise UsageError(f"{where}: the function takes ({', '.join(names)}); it must take ({', '.join(ARGUMENTS)})")

    def decisions(self, family: str) -> Mapping[str, Callable[..., Any]]:
        """Return the functions for a family of games."""
        return self.manille if family == "manille" else self.manchego

    @property
    def oracle(self) -> bool:
        """True if the agent sees all hands; its name says so."""
        return "oracle" in self.name

    def with_parameters(self, values: Mapping[str, str]) -> Any:
        """Return the named tuple of parameters with some of them set from text.

        Raises
        ------
        UsageError
            For a parameter that does not exist or a value outside its limits.
        """
        chosen: dict[str, int | str] = {}
        for key, text in values.items():
            if key not in self.parameters._fields:
                if not self.parameters._fields:
                    raise UsageError(f"agent '{self.name}' has no parameter '{key}'; it takes none")
                raise unknown("parameter", key, self.parameters._fields, f"agent '{self.name}'")
            is_text = isinstance(self.parameters._field_defaults[key], str)
            chosen[key] = self._text(key, text) if is_text else self._number(key, text)
        return self.parameters(**chosen)

    def _text(self, key: str, text: str) -> str:
        if not text:
            raise UsageError(f"agent '{self.name}': parameter '{key}' is empty; a text would be right, or to leave it out")
        return text

    def _number(self, key: str, text: str) -> int:
        least, most = self.limits.get(key, (-(2**62), 2**62))
        try:
            number = int(text)
        except ValueError:
            number = most + 1
        if not least <= number <= most:
            span = f" from {least} to {most}" if key in self.limits else ""
            raise UsageError(f"agent '{self.name}': parameter '{key}' cannot be '{text}'; a whole number{span} would be right")
        return number


def numbers_of(params: Any) -> Any:
    """Return parameters as decision functions get them: a named tuple of whole numbers, 0 in the place of each text."""
    texts = {name: 0 for name, value in zip(params._fields, params, strict=True) if isinstance(value, str)}
    return params._replace(**texts)


def arity(function: Callable[..., Any], where: str) -> int:
    """Return how many of the permitted arguments a decision function takes.

    Raises
    ------
    UsageError
        If it is not callable or its arguments are others.
    """
    names = _argument_names(function, where)
    allowed = LANE_ARGUMENTS if tier_of(function) == "lanes" else ARGUMENTS
    least = len(allowed) if tier_of(function) == "lanes" else 1
    if names != allowed[: len(names)] or len(names) < least:
        forms = ", ".join(f"({', '.join(allowed[:count])})" for count in range(least, len(allowed) + 1))
        raise UsageError(f"{where}: the function takes ({', '.join(names)}); it must take {forms.replace('), (', ') or (')}")
    return len(names)


def _argument_names(function: Any, where: str) -> tuple[str, ...]:
    if not callable(function):
        raise UsageError(f"{where}: {function!r} is not a function")
    if type(function).__module__.startswith("numba"):
        raise UsageError(f"{where}: a function compiled by numba cannot be used; decorate the plain function with @trickbench.kernel instead")
    try:
        return tuple(inspect.signature(function).parameters)
    except ValueError:
        raise UsageError(f"{where}: {function!r} does not tell its arguments; a function written in Python would be right") from None


def from_object(found: Any, name: str, kind: str | None) -> Agent:
    """Return an agent from what a door leads to: an :class:`Agent`, a function, or an object with decision functions.

    Parameters
    ----------
    found : object
        A function answers ``kind`` ("play" if None) in every game that has such a decision.
    name : str
        The door as typed, for messages.
    kind : str or None
        The decision that the door was given for.
    """
    if isinstance(found, Agent):
        return found
    if isinstance(found, type):
        try:
            found = found()
        except Exception as error:
            reason = f"{found.__name__}() failed: {type(error).__name__}: {error}"
            raise UsageError(f"agent '{name}': {reason}; a class is called without arguments") from None
    functions = {kind: getattr(found, kind) for kind in KINDS if callable(getattr(found, kind, None))}
    if not functions and callable(found):
        functions = {kind or "play": found}
    if not functions:
        right = f"a trickbench.Agent, a function, or an object with {', '.join(KINDS)} would be right"
        raise UsageError(f"agent '{name}' is a {type(found).__name__}; {right}")
    manille = {key: function for key, function in functions.items() if key != "bid"}
    manchego = {key: function for key, function in functions.items() if key in ("play", "bid")}
    return Agent(name=name, manille=manille, manchego=manchego)
