"""What decides the results of a run, as its manifest holds it, and how that of two runs differs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from trickbench.experiment import Experiment
from trickbench.provenance import provenance, sources
from trickbench.storage import plain

SHOWN = 3
"""Differences that a message names; the others are counted."""
OF_MATCH = ("game", "rules_version", "agents", "deals", "record", "on_illegal")


class Change(NamedTuple):
    """One thing that differs between two runs."""

    what: str
    before: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.what}: {_text(self.before)}, now {_text(self.now)}"


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
        "sources": sources({match.name: match.table() for match in experiment.matches}),
        **provenance(),
    }
    # As it reads in a file, so that the two can be compared.
    read: dict[str, Any] = json.loads(json.dumps(made, default=plain))
    return read


def settings(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything in a manifest that can change results, each under a name that people read."""
    matches = manifest["matches"]
    found = {"name": manifest["name"], "seed": manifest["seed"], "matches": [match["name"] for match in matches]}
    for match in matches:
        found |= {f"{match['name']}: {key}": match.get(key) for key in OF_MATCH}
        found |= {f"{match['name']}: rule {key}": value for key, value in match["rules"].items()}
        found |= {f"{match['name']}: seat {seat}": sitting["strategy"] for seat, sitting in enumerate(match["seats"])}
    found["version of trickbench"] = manifest["packages"].get("trickbench")
    code = manifest.get("sources", {})
    found["digest of trickbench's sources"] = code.get("trickbench")
    found |= {f"digest of the folder of agent '{agent}'": digest for agent, digest in code.get("agents", {}).items()}
    found |= {f"{match}: digest of rules, parameters and tables": digest for match, digest in code.get("tables", {}).items()}
    return found


def surroundings(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a manifest says of the place of a run, which does not change results."""
    packages = {f"version of {name}": number for name, number in manifest["packages"].items() if name != "trickbench"}
    machine = {f"machine: {key}": value for key, value in manifest.get("machine", {}).items()}
    return {"commit": manifest.get("commit"), "version of python": manifest.get("python"), **packages, **machine}


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Change]:
    """Return what differs between two results of :func:`settings` or :func:`surroundings`.

    What belongs to a match that only one of them has is left out: the list of matches says that already.
    """
    shared = set(before.get("matches", ())) & set(now.get("matches", ()))
    alone = {*before.get("matches", ()), *now.get("matches", ())} - shared
    keys = [key for key in {**before, **now} if not any(key.startswith(f"{match}: ") for match in alone)]
    return [Change(key, before.get(key), now.get(key)) for key in keys if before.get(key) != now.get(key)]


def told(differences: list[Change]) -> str:
    """Return differences in one line."""
    more = len(differences) - SHOWN
    return "; ".join([*map(str, differences[:SHOWN]), *([f"and {more} more"] if more > 0 else [])])
