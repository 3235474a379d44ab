"""trickbench: simulate trick-taking card games by the million, and see which strategy wins.

The names below are the public surface; each is imported when it is first used, so that ``trickbench --help`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

NT = 1 << 4
"""The call "no-trump" as a choice; 1 << 0..3 are clubs, diamonds, hearts, spades."""
EN_FACE = 1 << 5
"""The call "en face" as a choice."""
LOOK = 1 << 6
"""The answer "look first" to the question for a blind call."""
NO, YES = 1, 2
"""Answers to double and redouble."""

_HOMES = {
    "game": "trickbench.games.registry",
    "Game": "trickbench.games.game",
    "Deal": "trickbench.games.game",
    "simulate": "trickbench.simulation",
    "Run": "trickbench.simulation",
    "play_games": "trickbench.match",
    "GameRun": "trickbench.match",
    "show_game": "trickbench.game_story",
    "GameStory": "trickbench.game_story",
    "show": "trickbench.story",
    "Story": "trickbench.story",
    "duel": "trickbench.studies.duels",
    "DuelResult": "trickbench.studies.duel_result",
    "tournament": "trickbench.studies.tournaments",
    "TournamentResult": "trickbench.studies.tournament_result",
    "bids": "trickbench.studies.bids",
    "BidsResult": "trickbench.studies.bids_result",
    "trump_calls": "trickbench.studies.calls",
    "CallsResult": "trickbench.studies.calls_result",
    "doubles": "trickbench.studies.doubles",
    "DoublesResult": "trickbench.studies.doubles_result",
    "load": "trickbench.results",
    "Agent": "trickbench.agent",
    "batch": "trickbench.agent",
    "lanes": "trickbench.agent",
    "kernel": "trickbench.jit",
    "TrickbenchError": "trickbench.errors",
    "UsageError": "trickbench.errors",
    "RunError": "trickbench.errors",
    "AgentError": "trickbench.errors",
}

__all__ = [
    "EN_FACE", "LOOK", "NO", "NT", "YES", "Agent", "AgentError", "BidsResult", "CallsResult", "Deal", "DoublesResult", "DuelResult", "Game",
    "GameRun", "GameStory", "Run", "RunError", "Story", "TournamentResult", "TrickbenchError", "UsageError", "batch", "bids", "doubles", "duel",
    "game", "kernel", "lanes", "load", "play_games", "show", "show_game", "simulate", "tournament", "trump_calls",
]  # fmt: skip

if TYPE_CHECKING:
    from trickbench.agent import Agent, batch, lanes
    from trickbench.errors import AgentError, RunError, TrickbenchError, UsageError
    from trickbench.game_story import GameStory, show_game
    from trickbench.games.game import Deal, Game
    from trickbench.games.registry import game
    from trickbench.jit import kernel
    from trickbench.match import GameRun, play_games
    from trickbench.results import load
    from trickbench.simulation import Run, simulate
    from trickbench.story import Story, show
    from trickbench.studies.bids import bids
    from trickbench.studies.bids_result import BidsResult
    from trickbench.studies.calls import trump_calls
    from trickbench.studies.calls_result import CallsResult
    from trickbench.studies.doubles import doubles
    from trickbench.studies.doubles_result import DoublesResult
    from trickbench.studies.duel_result import DuelResult
    from trickbench.studies.duels import duel
    from trickbench.studies.tournament_result import TournamentResult
    from trickbench.studies.tournaments import tournament


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'trickbench' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
