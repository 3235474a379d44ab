"""Who doubles and redoubles in a study: any two of these at one table, with the same callers and card players."""

from __future__ import annotations

from typing import Any, NamedTuple

from trickbench.games.game import Game
from trickbench.registry import Strategy, strategy
from trickbench.studies.crossing import Answering, answering, crossed

SILENT = "never"
ALWAYS = "threshold:points=0"


class Voice(NamedTuple):
    """What one strategy answers when it may double, and when it may redouble."""

    double: Answering
    redouble: Answering

    @property
    def name(self) -> str:
        """As typed."""
        return self.double.name


def voice(spec: Any, game: Game) -> Voice:
    """Return a doubler; if it does not redouble, it is silent there.

    Raises
    ------
    UsageError
        If there is no such agent, or it does not double.
    """
    doubles = answering(spec, "double", game)
    redoubles = "redouble" in doubles.bound.agent.decisions(game.family)
    return Voice(doubles, answering(spec if redoubles else SILENT, "redouble", game))


def sitting(game: Game, player: Any, doubles: Voice, redoubles: Voice) -> Strategy:
    """Return the strategy that calls and plays as one does, doubles as another, and redoubles as a third."""
    found = strategy(player, game)
    cards = [Answering(found.decisions[kind], found.typed) for kind in ("play", "call")]
    return crossed(*cards, doubles.double, redoubles.redouble)
