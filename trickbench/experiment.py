"""Experiments: a TOML file, read and checked whole before anything is played."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trickbench.counts import deal_count, seed_number
from trickbench.errors import TrickbenchError, UsageError, unknown
from trickbench.games.game import Game
from trickbench.games.registry import game, game_class
from trickbench.simulation import recorded
from trickbench.table import Table

if TYPE_CHECKING:
    from trickbench.studies.study import Study

MATCH_KEYS = ("name", "agents", "deals", "record", "on_illegal")
STUDIES = {
    "duel": "trickbench.studies.duels", "tournament": "trickbench.studies.tournaments", "calls": "trickbench.studies.calls",
    "doubles": "trickbench.studies.doubles", "bids": "trickbench.studies.bids",
}  # fmt: skip
"""Where the ``from_table`` of each kind of study is."""
KEYS = ("name", "seed", "match", *STUDIES)


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
    """A named list of matches, or of studies, with one seed."""

    name: str
    seed: int
    matches: tuple[Match, ...]
    studies: tuple[Study, ...] = ()

    def changed(self, deals: Any = None, seed: Any = None) -> Experiment:
        """Return the experiment with another number of deals in every match and study, or another seed."""
        key = self.seed if seed is None else seed_number(seed)
        number = None if deals is None else deal_count(deals)
        matches = self.matches if number is None else tuple(replace(match, deals=number) for match in self.matches)
        return replace(self, matches=matches, studies=tuple(study.changed(number, key) for study in self.studies), seed=key)


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
    name = text_of(data.get("name", default_name), "name")
    if not name or name in (".", "..") or any(mark in name for mark in '/\\:*?"<>|'):
        raise UsageError(f"name cannot be '{name}'; it names a folder")
    seed = seed_number(data.get("seed", 0))
    matches = tuple(_match(match, f"match {number + 1}") for number, match in enumerate(_tables(data, "match")))
    studies = tuple(_study(kind, table, number, seed) for kind in STUDIES for number, table in enumerate(_tables(data, kind)))
    if bool(matches) == bool(studies):
        kinds = ", ".join(f"[[{kind}]]" for kind in STUDIES)
        said = "both [[match]] and studies; each wants a file of its own" if matches else "no [[match]]"
        raise UsageError(f"{said}; an experiment has [[match]], with game, agents and deals, or studies: {kinds}")
    names = [match.name for match in matches] + [study.name for study in studies]
    for own in names:
        if names.count(own) > 1:
            raise UsageError(f"two {'matches' if matches else 'studies'} are named '{own}'; give each a name of its own")
    return Experiment(name, seed, matches, studies)


def _tables(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = data.get(key, [])
    if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
        raise UsageError(f"{key} is not a list of tables; [[{key}]] would be right")
    return found


def _study(kind: str, data: dict[str, Any], number: int, seed: int) -> Study:
    """Return one study; errors name it by its number."""
    module = import_module(STUDIES[kind])
    try:
        played, rest = game_and_rest(data, (*module.KEYS, "name", "agents"))
        agents = rest.pop("agents", getattr(module, "AGENTS", None))
        if not isinstance(agents, list):
            raise UsageError("key 'agents' is missing; a list of agents would be right")
        name = text_of(rest.pop("name", f"{kind}-{number + 1}"), "name")
        study: Study = module.from_table(name, played, [text_of(agent, "agents") for agent in agents], seed, rest)
        return study
    except TrickbenchError as error:
        raise type(error)(f"{kind} {number + 1}: {error}") from error.__cause__


def game_and_rest(data: dict[str, Any], keys: tuple[str, ...]) -> tuple[Game, dict[str, Any]]:
    """Return the game, with its rule options, of a match or a study, and what else its table says.

    Raises
    ------
    UsageError
        For a key that is neither a rule option nor in ``keys``.
    """
    if "game" not in data:
        raise UsageError("key 'game' is missing; one of manillen, manille, manchego would be right")
    name = text_of(data["game"], "game")
    options = game_class(name).profile(name).names()
    for key in data:
        if key not in keys and key != "game" and key not in options:
            raise unknown("key", key, ("game", *keys, *options))
    played = game(name, **{key: value for key, value in data.items() if key in options})
    return played, {key: value for key, value in data.items() if key in keys}


def text_of(value: Any, key: str) -> str:
    """Return a text of an experiment.

    Raises
    ------
    UsageError
        If it is not text.
    """
    if not isinstance(value, str):
        raise UsageError(f"{key} cannot be {value!r} ({type(value).__name__}); text in quotes would be right")
    return value


def _match(data: dict[str, Any], where: str) -> Match:
    """Return one match; errors name it by its number."""
    try:
        played, data = game_and_rest(data, MATCH_KEYS)
        for key in ("agents", "deals"):
            if key not in data:
                raise UsageError(f"key '{key}' is missing")
        agents = data["agents"] if isinstance(data["agents"], list) else [data["agents"]]
        match = Match(
            name=text_of(data.get("name", f"{played.name}-{where.split()[-1]}"), "name"),
            game=played,
            agents=tuple(text_of(agent, "agents") for agent in agents),
            deals=deal_count(data["deals"]),
            record=recorded(data.get("record", False)),
            on_illegal=text_of(data.get("on_illegal", "raise"), "on_illegal"),
        )
        match.table()
        return match
    except TrickbenchError as error:
        raise type(error)(f"{where}: {error}") from error.__cause__
