"""Whether the run in a folder can go on, and what is missing of it.

A run may go on if everything that can change results is what it was; else its shards would be of two runs.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from trickbench.configuration import changes, configuration, settings, told
from trickbench.errors import UsageError
from trickbench.experiment import Experiment
from trickbench.shards import Survey, survey
from trickbench.storage import new_folder

SCHEMA = 1
MANIFEST, SUMMARY = "manifest.json", "summary.csv"
COMPLETE = "complete"


class Resumed(NamedTuple):
    """What a run that is resumed finds in its folder."""

    deals: int
    """deals that are there"""
    of: int
    """deals of the whole run; 0 if there was no run"""
    damaged: list[str]
    """files that cannot be used; their shards are played again"""
    complete: bool
    """nothing is left to do"""


NOTHING = Resumed(0, 0, [], False)
"""There was no run."""


def open_folder(out: Path, resume: bool) -> None:
    """Make a results folder; with ``resume`` it may be there.

    Raises
    ------
    UsageError
        If it is there and must not be, or holds other things than a run.
    RunError
        If it cannot be made.
    """
    if not out.is_dir():
        new_folder(out)
    elif not resume and _status(out) not in (None, COMPLETE):
        raise UsageError(f"'{out}' holds a run that is not finished: --resume goes on with it; or remove it, or choose another folder with --out")
    elif not resume:
        new_folder(out)
    elif not (out / MANIFEST).exists() and any(not path.name.startswith(".") for path in out.iterdir()):
        raise UsageError(f"'{out}' is not a results folder: it has no {MANIFEST}; choose another with --out")


def _status(out: Path) -> str | None:
    """Return the status in a folder's manifest, None if it has no manifest."""
    try:
        return str(read_manifest(out).get("status"))
    except UsageError:
        return None


def begin(
    out: Path, experiment: Experiment, wanted: dict[str, Any], length: int, resume: bool
) -> tuple[dict[str, Any], dict[str, Survey], Resumed | None]:
    """Return the manifest of a run that begins or goes on, what its folder holds of each match, and what there is to say of that.

    Parameters
    ----------
    out : Path
    experiment : Experiment
    wanted : dict
        Its configuration.
    length : int
        Deals in a shard of a run that begins; one that goes on keeps its own.
    resume : bool

    Raises
    ------
    UsageError
        If the folder holds another run.
    """
    if not (out / MANIFEST).exists():
        manifest = {"schema": SCHEMA, "status": "running", "started": now(), "shard": length, **wanted}
        gaps = {match.name: Survey(0, [(0, match.deals)], []) for match in experiment.matches}
        return manifest, gaps, NOTHING if resume else None
    manifest, surveys, found = _found(out, experiment, wanted)
    if not found.complete:
        here = {key: wanted[key] for key in ("python", "packages", "commit", "machine")}
        manifest["status"] = "running"
        manifest["resumed"] = [*manifest.get("resumed", []), {"started": now(), "deals": found.deals, **here}]
    return manifest, surveys, found


def _found(out: Path, experiment: Experiment, wanted: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Survey], Resumed]:
    """Return manifest and holdings of a folder.

    Raises
    ------
    UsageError
        If it is of another run.
    """
    manifest = same_run(out, wanted)
    surveys = {match.name: survey(out / match.name, match, manifest["shard"]) for match in experiment.matches}
    damaged = [str(path) for found in surveys.values() for path in found.damaged]
    deals = sum(found.deals for found in surveys.values())
    complete = manifest.get("status") == COMPLETE and not any(found.gaps for found in surveys.values()) and (out / SUMMARY).exists()
    return manifest, surveys, Resumed(deals, sum(match.deals for match in experiment.matches), damaged, complete)


def same_run(out: Path, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest of a folder whose run may go on.

    Raises
    ------
    UsageError
        If it is of another run.
    """
    manifest = read_manifest(out)
    others = changes(settings(manifest), settings(wanted))
    if others:
        raise UsageError(f"'{out}' holds another run, which cannot be resumed by this one: {told(others)}")
    return manifest


def begun(out: Path) -> bool:
    """Return True if a folder holds a run, False if there is none to go on with.

    Raises
    ------
    UsageError
        If it holds something else.
    """
    if not (out / MANIFEST).exists() and out.is_dir():
        open_folder(out, True)
    return (out / MANIFEST).exists()


def standing(experiment: Experiment, out: Path) -> Resumed:
    """Return how far the run in a folder is, without changing anything.

    Raises
    ------
    UsageError
        If the folder holds another run, or something else.
    """
    return _found(out, experiment, configuration(experiment))[2] if begun(out) else NOTHING


def now() -> str:
    """Return the time, as manifests hold it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a results folder.

    Raises
    ------
    UsageError
        If it has none that can be read, or that of a newer version.
    """
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        schema, _, _ = manifest["schema"], manifest["matches"], manifest["seed"]
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"'{folder}' is not a results folder: it has no {MANIFEST} that can be read") from None
    if schema > SCHEMA:
        raise UsageError(f"'{folder}' was written by a newer version (schema {schema}); this one reads up to {SCHEMA}")
    return manifest
