"""Strategies made of one agent's answers to one kind of decision and another's to another kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from trickbench.agent import from_object
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.registry import Bound, Strategy, split, strategy


class Answering(NamedTuple):
    """Who answers one kind of decision."""

    bound: Bound
    typed: bool
    """False for an agent that was passed in as an object"""

    @property
    def name(self) -> str:
        """As typed: name and parameters."""
        return self.bound.text


def answering(spec: Any, kind: str, game: Game) -> Answering:
    """Return who answers a kind of decision; what the agent answers besides does not count.

    Parameters
    ----------
    spec : str, Agent, function or object
        "greedy" and "play=random,bid=greedy" both bid as greedy does; a function is one for this decision.
    kind : str
        "play", "bid", ...
    game : Game

    Raises
    ------
    UsageError
        If there is no such agent, or it leaves this decision to others.
    """
    if not isinstance(spec, str):
        named: Any = from_object(spec, getattr(spec, "__name__", type(spec).__name__), kind)
    else:
        named = spec if None not in split(spec) or not spec.strip() else f"{kind}={spec.strip()}"
    resolved = strategy(named, game)
    if kind not in resolved.own:
        raise UsageError(f"agent '{resolved.text}' says nothing of the decision '{kind}'; one that answers it in {game.name} would be right")
    return Answering(resolved.decisions[kind], resolved.typed)


def all_answering(specs: Sequence[Any], kind: str, game: Game, what: str) -> list[Answering]:
    """Return several that answer a kind of decision; ``what`` they are called.

    Raises
    ------
    UsageError
        Also if there is none, or one is named twice.
    """
    found = [answering(spec, kind, game) for spec in specs]
    names = [one.name for one in found]
    if not names:
        raise UsageError(f"there is no {what}; one agent or more would be right")
    if len(set(names)) < len(names):
        raise UsageError(f"{what} '{max(names, key=names.count)}' is named twice; each may be named once")
    return found


def crossed(*answers: Answering) -> Strategy:
    """Return the strategy that answers each kind of decision as one of these does."""
    decisions = {one.bound.kind: one.bound for one in answers}
    text = ",".join(f"{kind}={bound.text}" for kind, bound in decisions.items())
    return Strategy(text, all(one.typed for one in answers), decisions, tuple(decisions))
