"""Experiments: a TOML file, read and checked whole before anything is played."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trickbench.counts import deal_count, seed_number
from trickbench.errors import TrickbenchError, UsageError, unknown
from trickbench.games.game import Game
from trickbench.games.registry import game, game_class
from trickbench.simulation import recorded
from trickbench.table import Table

MATCH_KEYS = ("name", "game", "agents", "deals", "record", "on_illegal")
KEYS = ("name", "seed", "match")


@dataclass(frozen=True)
class Match:
    """One match of an experiment."""

    name: str
    game: Game
    agents: tuple[str, ...]
    deals: int
    record: Any
    on_illegal: str

    def table(self) -> Table:
        """Return who sits where."""
        return Table(self.game, list(self.agents), self.on_illegal)

    def as_dict(self) -> dict[str, Any]:
        """Return the match as manifests hold it."""
        table = self.table()
        return {
            "name": self.name,
            "game": self.game.name,
            "rules": self.game.rules.as_dict(),
            "rules_version": self.game.rules_version,
            "agents": list(self.agents),
            "seats": [{"strategy": sitting.resolved(), "oracle": sitting.oracle} for sitting in table.seats],
            "deals": self.deals,
            "record": self.record,
            "on_illegal": self.on_illegal,
        }


@dataclass(frozen=True)
class Experiment:
    """A named list of matches with one seed."""

    name: str
    seed: int
    matches: tuple[Match, ...]

    def changed(self, deals: Any = None, seed: Any = None) -> Experiment:
        """Return the experiment with another number of deals in every match, or another seed."""
        matches = self.matches if deals is None else tuple(replace(match, deals=deal_count(deals)) for match in self.matches)
        return replace(self, matches=matches, seed=self.seed if seed is None else seed_number(seed))


def find_experiment(name: str) -> Path:
    """Return the file of an experiment: a path, or the name of one that comes with the package.

    Raises
    ------
    UsageError
        If there is neither.
    """
    path = Path(name)
    if path.is_file():
        return path
    package = Path(__file__).parent
    # Installed from a wheel the files are inside the package; in a checkout they are beside it.
    shipped = {file.stem: file for folder in (package.parent / "experiments", package / "experiments") for file in folder.glob("*.toml")}
    if name in shipped:
        return shipped[name]
    if path.suffix == ".toml" or "/" in name:
        raise UsageError(f"no experiment file '{name}'; a TOML file, or one of {', '.join(sorted(shipped))}, would be right")
    raise unknown("experiment", name, shipped)


def read_experiment(path: Path) -> Experiment:
    """Return the experiment in a file.

    Raises
    ------
    UsageError
        With file and key, for anything that is not as it must be.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file: {error}") from None
    try:
        return parse_experiment(data, path.stem)
    except TrickbenchError as error:
        raise type(error)(f"{path}: {error}") from error.__cause__


def parse_experiment(data: dict[str, Any], default_name: str) -> Experiment:
    """Return the experiment that parsed TOML describes.

    Raises
    ------
    UsageError
        With the key, for anything that is not as it must be.
    """
    for key in data:
        if key not in KEYS:
            raise unknown("key", key, KEYS)
    name = _text(data.get("name", default_name), "name")
    if not name or name in (".", "..") or any(mark in name for mark in '/\\:*?"<>|'):
        raise UsageError(f"name cannot be '{name}'; it names a folder")
    matches = data.get("match")
    if not isinstance(matches, list) or not matches or not all(isinstance(match, dict) for match in matches):
        raise UsageError("no [[match]]; an experiment has at least one, with game, agents and deals")
    parsed = tuple(_match(match, number) for number, match in enumerate(matches))
    names = [match.name for match in parsed]
    for match_name in names:
        if names.count(match_name) > 1:
            raise UsageError(f"two matches are named '{match_name}'; give each a name of its own")
    return Experiment(name, seed_number(data.get("seed", 0)), parsed)


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{key} cannot be {value!r} ({type(value).__name__}); text in quotes would be right")
    return value


def _match(data: dict[str, Any], number: int) -> Match:
    """Return one match; errors name it by its number."""
    where = f"match {number + 1}"
    try:
        if "game" not in data:
            raise UsageError("key 'game' is missing; one of manillen, manille, manchego would be right")
        name = _text(data["game"], "game")
        options = game_class(name).profile(name).names()
        for key in data:
            if key not in MATCH_KEYS and key not in options:
                raise unknown("key", key, (*MATCH_KEYS, *options))
        for key in ("agents", "deals"):
            if key not in data:
                raise UsageError(f"key '{key}' is missing")
        played = game(name, **{key: value for key, value in data.items() if key in options})
        agents = data["agents"] if isinstance(data["agents"], list) else [data["agents"]]
        match = Match(
            name=_text(data.get("name", f"{name}-{number + 1}"), "name"),
            game=played,
            agents=tuple(_text(agent, "agents") for agent in agents),
            deals=deal_count(data["deals"]),
            record=recorded(data.get("record", False)),
            on_illegal=_text(data.get("on_illegal", "raise"), "on_illegal"),
        )
        match.table()
        return match
    except TrickbenchError as error:
        raise type(error)(f"{where}: {error}") from error.__cause__
