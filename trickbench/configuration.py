"""What decides the results of a run, as its manifest holds it, and how that of two runs differs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from trickbench.experiment import Experiment
from trickbench.provenance import provenance, sources
from trickbench.storage import plain

if TYPE_CHECKING:
    from trickbench.table import Table

SHOWN = 3
"""Differences that a message names; the others are counted."""
OF_AGENT, OF_TABLES = "digest of the folder of agent", "digest of rules, parameters and tables"
OF_MATCH = ("game", "rules_version", "agents", "deals", "record", "on_illegal")


class Change(NamedTuple):
    """One thing that differs between two runs."""

    what: str
    before: Any
    now: Any

    def texts(self) -> tuple[str, str]:
        """Return what it was and what it is, as people read it."""
        return _text(self.before), _text(self.now)

    def __str__(self) -> str:
        return "{}: {}, now {}".format(self.what, *self.texts())


def _text(value: Any) -> str:
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def configuration(experiment: Experiment) -> dict[str, Any]:
    """Return what a manifest holds before anything is played: the whole configuration, and where it is played."""
    made = {
        "name": experiment.name,
        "seed": experiment.seed,
        "matches": [match.as_dict() for match in experiment.matches],
        **({"studies": [study.as_dict() for study in experiment.studies]} if experiment.studies else {}),
        "sources": sources(tables_of(experiment)),
        **provenance(),
    }
    # As it reads in a file, so that the two can be compared.
    read: dict[str, Any] = json.loads(json.dumps(made, default=plain))
    return read


def tables_of(experiment: Experiment) -> dict[str, Table]:
    """Return who sits where in every match and every seating of a study, by name."""
    tables = {match.name: match.table() for match in experiment.matches}
    for study in experiment.studies:
        tables |= study.seatings()
    return tables


def settings(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything in a manifest that can change results, each under a name that people read."""
    matches = manifest["matches"]
    found = {"name": manifest["name"], "seed": manifest["seed"], "matches": [match["name"] for match in matches]}
    for match in matches:
        found |= {f"{match['name']}: {key}": match.get(key) for key in OF_MATCH}
        found |= {f"{match['name']}: rule {key}": value for key, value in match["rules"].items()}
        found |= {f"{match['name']}: seat {seat}": sitting["strategy"] for seat, sitting in enumerate(match["seats"])}
    for study in manifest.get("studies", ()):
        found |= {f"{study['name']}: {key}": value for key, value in study.items() if key != "rules"}
        found |= {f"{study['name']}: rule {key}": value for key, value in study["rules"].items()}
    found["version of trickbench"] = manifest["packages"].get("trickbench")
    code = manifest.get("sources", {})
    found["digest of trickbench's sources"] = code.get("trickbench")
    found |= {f"{OF_AGENT} '{agent}'": digest for agent, digest in code.get("agents", {}).items()}
    found |= {f"{match}: {OF_TABLES}": digest for match, digest in code.get("tables", {}).items()}
    return found


def surroundings(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a manifest says of the place of a run, which does not change results."""
    packages = {f"version of {name}": number for name, number in manifest["packages"].items() if name != "trickbench"}
    machine = {f"machine: {key}": value for key, value in manifest.get("machine", {}).items()}
    return {"commit": manifest.get("commit"), "version of python": manifest.get("python"), **packages, **machine}


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Change]:
    """Return what differs between two results of :func:`settings` or :func:`surroundings`.

    What follows from another difference is left out: all of a match, and digests of agents, that only one of the two has; the numbers that
    rules and agents bring.
    """
    matches = {*before.get("matches", ()), *now.get("matches", ())}
    alone = set(before.get("matches", ())) ^ set(now.get("matches", ()))
    found = [Change(key, before.get(key), now.get(key)) for key in {**before, **now} if before.get(key) != now.get(key)]
    told = {change.what for change in found}
    follows = {f"{match}: {OF_TABLES}" for match in matches if any(what.startswith((f"{match}: rule ", f"{match}: seat ")) for what in told)}
    return [
        change
        for change in found
        if change.what not in follows
        and not change.what.startswith(tuple(f"{match}: " for match in alone))
        and not (change.what.startswith(OF_AGENT) and not (change.what in before and change.what in now))
    ]


def told(differences: list[Change]) -> str:
    """Return differences in one line."""
    more = len(differences) - SHOWN
    return "; ".join([*map(str, differences[:SHOWN]), *([f"and {more} more"] if more > 0 else [])])
