"""Results folders of studies: played into one, resumed, and read back.

``results/<name>/`` holds ``manifest.json``; for each study a folder of pieces (Parquet), its tables (CSV), its summary and
``figures/``. What is reported is computed from the pieces, whatever their cut.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from trickbench.configuration import configuration
from trickbench.counts import worker_count
from trickbench.errors import RunError
from trickbench.experiment import STUDIES, Experiment
from trickbench.games.registry import game
from trickbench.lock import locked
from trickbench.resume import COMPLETE, MANIFEST, NOTHING, SCHEMA, SUMMARY, Resumed, begun, now, open_folder, read_manifest, same_run
from trickbench.storage import plain, remove_unfinished, write_csv, write_json, write_once, write_table
from trickbench.studies.ladder import ladder
from trickbench.studies.playing import Store, is_whole, play_study
from trickbench.studies.study import Result, Study, add_up, folder_of


@dataclass
class StudyResults:
    """A results folder of studies.

    Attributes
    ----------
    path : Path
    manifest : dict
    results : dict of str to Result
        By the name of the study.
    resumed : Resumed, optional
        What a run that was resumed found in the folder.
    """

    path: Path
    manifest: dict[str, Any]
    results: dict[str, Any]
    resumed: Resumed | None = None

    def __getitem__(self, name: str) -> Any:
        if name not in self.results:
            raise KeyError(f"no study '{name}' in {self.path}; there is {', '.join(self.results)}")
        return self.results[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results.values())

    def __len__(self) -> int:
        return len(self.results)

    @property
    def summary(self) -> pd.DataFrame:
        """The summaries of all studies, with the name of each."""
        tables: list[pd.DataFrame] = [result.summary.assign(study=name) for name, result in self.results.items()]
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def steps(self) -> pd.DataFrame | None:
        """Several duels as one family, with intervals that hold together; None for fewer than two."""
        steps: pd.DataFrame | None = ladder(self.results)
        return steps

    @property
    def digest(self) -> str:
        """The digests of all studies."""
        return "-".join(result.digest for result in self.results.values())


def play_studies(
    experiment: Experiment, out: Path, workers: int | None = None, figures: bool = True, progress: bool = False, resume: bool = False
) -> StudyResults:
    """Play the studies of an experiment into a new folder, or go on with those in a folder.

    Parameters and errors are those of :func:`trickbench.results.play_experiment`.
    """
    threads = worker_count(workers)
    wanted = configuration(experiment)
    open_folder(out, resume)
    with locked(out):
        manifest, found = _begin(out, experiment, wanted, resume)
        if found is not None and found.complete:
            return StudyResults(out, manifest, _read(out, experiment), found)
        remove_unfinished(out)
        write_json(out / MANIFEST, manifest)
        try:
            begun = time.monotonic()
            results = {study.name: study.result(play_study(study, Store(folder_of(out, study)), threads, progress)) for study in experiment.studies}
            seconds = time.monotonic() - begun
            _write_reports(StudyResults(out, manifest, results), figures)
        except BaseException as error:
            manifest["status"] = f"stopped: {type(error).__name__}"
            write_json(out / MANIFEST, manifest)
            raise
        manifest |= {"status": COMPLETE, "ended": now(), "workers": threads, "seconds": {"all": seconds}}
        manifest["digest"] = {name: result.digest for name, result in results.items()}
        write_json(out / MANIFEST, manifest)
    return StudyResults(out, manifest, results, found)


def _begin(out: Path, experiment: Experiment, wanted: dict[str, Any], resume: bool) -> tuple[dict[str, Any], Resumed | None]:
    """Return the manifest of a run that begins or goes on, and what there is to say of what was found.

    Raises
    ------
    UsageError
        If the folder holds another run.
    """
    if not (out / MANIFEST).exists():
        manifest = {"schema": SCHEMA, "status": "running", "started": now(), **wanted}
        return manifest, NOTHING if resume else None
    manifest = same_run(out, wanted)
    found = standing(experiment, out, manifest)
    if not found.complete:
        manifest["status"] = "running"
        manifest["resumed"] = [*manifest.get("resumed", []), {"started": now(), "deals": found.deals}]
    return manifest, found


def standing(experiment: Experiment, out: Path, manifest: dict[str, Any] | None = None) -> Resumed:
    """Return how far the studies in a folder are; deals are counted once for all their seatings.

    Raises
    ------
    UsageError
        If the folder holds another run, or something else.
    """
    if not begun(out):
        return NOTHING
    manifest = same_run(out, configuration(experiment)) if manifest is None else manifest
    there, wanted, damaged, whole = 0, 0, [], True
    for study in experiment.studies:
        store = Store(folder_of(out, study))
        for part in study.parts():
            pieces = store.pieces(part)
            there += sum(piece.count for piece in pieces)
            wanted += part.count
            whole &= is_whole(study, part, pieces)
        damaged += store.damaged
    complete = manifest.get("status") == COMPLETE and whole and (out / SUMMARY).exists()
    return Resumed(there, wanted, damaged, complete)


def _read(out: Path, experiment: Experiment) -> dict[str, Result]:
    """Return the results of complete studies from their pieces.

    Raises
    ------
    RunError
        If pieces are missing or damaged.
    """
    return {study.name: study.result(_totals(out, study)) for study in experiment.studies}


def _totals(out: Path, study: Study) -> dict[str, pd.DataFrame]:
    store = Store(folder_of(out, study))
    pieces = {part: store.pieces(part) for part in study.parts()}
    missing = [part.key for part, found in pieces.items() if not is_whole(study, part, found)]
    if missing or store.damaged:
        what = store.damaged[0] if store.damaged else f"'{folder_of(out, study)}': deals of part '{missing[0]}' are missing"
        raise RunError(f"{what}; 'trickbench run' with --resume goes on with it")
    return {part.key: add_up([piece.table for piece in found]) for part, found in pieces.items()}


def _write_reports(results: StudyResults, figures: bool) -> None:
    """Write summaries, tables, what was found as JSON, and figures."""
    for name, result in results.results.items():
        write_result(results.path / name, result, figures)
    if results.steps is not None:
        write_csv(results.path / "ladder.csv", results.steps)
        if figures:
            from trickbench.plotting.tournaments import ladder_figure

            write_once(results.path / "figures" / "ladder.png", partial(ladder_figure(results.steps).savefig, format="png"))
    write_table(results.path / "summary.parquet", results.summary)
    write_csv(results.path / SUMMARY, results.summary)


def write_result(folder: Path, result: Result, figures: bool = True) -> list[Path]:
    """Write the tables of a result as CSV, what was found as JSON, and the figures; return their files."""
    paths = [folder / f"{name}.csv" for name in result.tables()]
    for path, table in zip(paths, result.tables().values(), strict=True):
        write_csv(path, table)
    write_json(folder / "result.json", json.loads(json.dumps(result.facts(), default=plain)))
    drawn = write_figures(folder / "figures", result) if figures else []
    return [*paths, *drawn, folder / "result.json"]


def write_figures(folder: Path, result: Result) -> list[Path]:
    """Draw the figures of a result into a folder, as PNG; return their files."""
    paths = []
    for name, figure in result.figures().items():
        paths.append(folder / f"{name}.png")
        write_once(paths[-1], partial(figure.savefig, format="png"))
    return paths


def load_studies(path: str | Path) -> StudyResults:
    """Read a results folder of studies back.

    Raises
    ------
    UsageError
        If it is not one, or an agent it names is not to be had.
    RunError
        If the run did not finish or a file is damaged.
    """
    folder = Path(path)
    manifest = read_manifest(folder)
    experiment = Experiment(manifest["name"], manifest["seed"], (), tuple(_study(data) for data in manifest.get("studies", ())))
    return StudyResults(folder, manifest, _read(folder, experiment))


def _study(data: dict[str, Any]) -> Study:
    """Return the study that a manifest describes: its settings are those of an experiment's table."""
    module = import_module(STUDIES[data["kind"]])
    rest = {key: data[key] for key in module.KEYS if data.get(key) is not None}
    study: Study = module.from_table(data["name"], game(data["game"], **data["rules"]), data["agents"], data["seed"], rest)
    return study
