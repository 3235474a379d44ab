"""The games by name: a third game is a folder and a line here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from trickbench.errors import unknown
from trickbench.games.game import Game

GAMES = {
    "manillen": "trickbench.games.manille.game:Manille",
    "manille": "trickbench.games.manille.game:Manille",
    "manchego": "trickbench.games.manchego.game:Manchego",
}
"""Name that people type -> where the game is."""


def game_class(name: str) -> type[Game]:
    """Return the class of a game.

    Raises
    ------
    UsageError
        If no game has this name.
    """
    if name not in GAMES:
        raise unknown("game", name, GAMES)
    module, attribute = GAMES[name].split(":")
    found: type[Game] = getattr(import_module(module), attribute)
    return found


def game(name: str, **options: Any) -> Game:
    """Return a game with its rules.

    Parameters
    ----------
    name : str
        "manillen", "manille" or "manchego".
    **options
        Rule options that differ from the profile's; ``trickbench rules`` lists them.

    Raises
    ------
    UsageError
        For a game, an option or a value that does not exist.

    Examples
    --------
    >>> game("manillen").legal(hand="SK S9 D7 C8", trick="HK SJ", trump="S")
    ['SK']
    """
    found = game_class(name)
    return found(name, found.profile(name).changed(**options))
