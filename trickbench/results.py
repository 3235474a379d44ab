"""Results folders: an experiment is played into one, and read back from it.

``results/<name>/`` holds ``manifest.json``; for each match a folder of Parquet shards, each of a fixed range of deals
(counts of outcomes, and the deals where they are recorded); ``summary.parquet`` and ``.csv``; tables by call and by
bid; ``figures/``. Shards are written as the run goes; all totals are computed from them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from trickbench.chunks import CHUNK, play_chunks
from trickbench.configuration import configuration
from trickbench.counts import worker_count
from trickbench.errors import RunError, UsageError
from trickbench.experiment import Experiment, Match
from trickbench.games.registry import game
from trickbench.lock import locked
from trickbench.resume import COMPLETE, MANIFEST, SUMMARY, Resumed, begin, now, open_folder, read_manifest
from trickbench.shards import by_shard, read_counts, read_records, write_shard
from trickbench.simulation import Run
from trickbench.stats.summary import by_bid, by_call
from trickbench.storage import remove_unfinished, write_csv, write_json, write_table

if TYPE_CHECKING:
    from trickbench.studies.folder import StudyResults

SHARD = 1 << 20
"""Deals in a shard, whatever the chunk."""


@dataclass
class Results:
    """A results folder: its manifest and its matches.

    Attributes
    ----------
    path : Path
    manifest : dict
    runs : list of Run
        One a match, in order; also by name: ``results["manillen"]``.
    resumed : Resumed, optional
        What a run that was resumed found in the folder.
    """

    path: Path
    manifest: dict[str, Any]
    runs: list[Run]
    resumed: Resumed | None = None

    def __getitem__(self, key: int | str) -> Run:
        if isinstance(key, int):
            return self.runs[key]
        found = [run for run in self.runs if run.match == key]
        if not found:
            raise KeyError(f"no match '{key}' in {self.path}; there is {', '.join(run.match for run in self.runs)}")
        return found[0]

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def summary(self) -> pd.DataFrame:
        """One row a match, side or seat, and quantity."""
        return pd.concat([run.summary for run in self.runs], ignore_index=True)

    @property
    def digest(self) -> str:
        """The digests of all matches."""
        return "-".join(run.digest for run in self.runs)


def play_experiment(
    experiment: Experiment, out: Path, workers: int | None = None, figures: bool = True, progress: bool = False, resume: bool = False
) -> Results:
    """Play an experiment into a new folder, or go on with the run in a folder.

    Parameters
    ----------
    experiment : Experiment
    out : Path
        Must not exist, unless ``resume``.
    workers : int, optional
        Threads.
    figures : bool
        Draw the figures.
    progress : bool
        Show a bar on a terminal.
    resume : bool
        Play what is missing in the folder, which may be all of it: files and digest are those of a run that was never stopped.

    Returns
    -------
    Results
        ``.resumed`` says what was found in the folder.

    Raises
    ------
    UsageError
        If the folder exists; with ``resume``, if it does not hold a run of this experiment by this version of the code.
    RunError
        If another process writes the folder, a file cannot be written, or an agent fails; shards written before stay.
    """
    threads = worker_count(workers)
    wanted = configuration(experiment)
    open_folder(out, resume)
    with locked(out):
        manifest, surveys, found = begin(out, experiment, wanted, SHARD, resume)
        if found is not None and found.complete:
            return Results(out, manifest, _read_matches(out, manifest), found)
        remove_unfinished(out)
        write_json(out / MANIFEST, manifest)
        try:
            seconds = {
                match.name: _fill(out, match, experiment.seed, surveys[match.name].gaps, manifest["shard"], threads, progress)
                for match in experiment.matches
            }
            results = Results(out, manifest, _read_matches(out, manifest), found)
            _same_digest(results)
            write_reports(results, figures)
        except BaseException as error:
            manifest["status"] = f"stopped: {type(error).__name__}"
            write_json(out / MANIFEST, manifest)
            raise
        manifest |= {"status": COMPLETE, "ended": now(), "workers": threads, "seconds": seconds}
        manifest["digest"] = {run.match: run.digest for run in results}
        write_json(out / MANIFEST, manifest)
    return results


def _fill(out: Path, match: Match, seed: int, gaps: list[tuple[int, int]], length: int, threads: int, progress: bool) -> float:
    """Play the deals of a match that are missing, and write their shards; return the seconds it took."""
    begun = time.monotonic()
    # Chunks may not reach over the end of a shard. Those of the usual length never do.
    chunk = None if length % CHUNK == 0 else length
    table = match.table()
    for first, count in gaps:
        # Closed here if a shard cannot be written: left to the garbage collector, threads would be joined in any thread at any moment.
        with closing(play_chunks(table, seed, first, count, threads, match.record, chunk, match.name if progress else None)) as chunks:
            for shard in by_shard(chunks, length):
                write_shard(out / match.name, match, shard, length)
    return time.monotonic() - begun


def _same_digest(results: Results) -> None:
    """Compare the digests with those that the run had when it was complete."""
    before = results.manifest.get("digest", {})
    for run in results:
        if before.get(run.match, run.digest) != run.digest:
            raise RunError(f"'{results.path}': {run.match} had digest {before[run.match]}, with its shards played again {run.digest}")


def _read_matches(folder: Path, manifest: dict[str, Any]) -> list[Run]:
    return [read_match(folder, match, manifest["seed"], manifest.get("shard", SHARD)) for match in manifest["matches"]]


def read_match(folder: Path, match: dict[str, Any], seed: int, length: int) -> Run:
    """Return a match, of which the manifest says ``match``, from its shards of ``length`` deals.

    Raises
    ------
    RunError
        If shards are missing or cannot be read.
    """
    played, own = game(match["game"], **match["rules"]), folder / match["name"]
    counts, deals = read_counts(own, played.face().cells)
    if deals != match["deals"]:
        raise RunError(f"'{own}' holds {deals} of {match['deals']} deals; the run did not finish, 'trickbench run' with --resume goes on with it")
    seats = [seat["strategy"] for seat in match["seats"]]
    read = partial(read_records, own, played, match["record"], length)
    return Run(played, match["agents"], seats, seed, 0, deals, counts, match["record"], read, match["name"], length)


def write_reports(results: Results, figures: bool) -> None:
    """Write summary, tables by call and by bid, and figures."""
    write_table(results.path / "summary.parquet", results.summary)
    write_csv(results.path / SUMMARY, results.summary)
    manille = [run for run in results if run.game.family == "manille"]
    manchego = [run for run in results if run.game.family == "manchego"]
    if manille:
        write_csv(results.path / "calls.csv", pd.concat([by_call(run) for run in manille]))
    if manchego:
        write_csv(results.path / "bids.csv", pd.concat([by_bid(run) for run in manchego]))
    if figures:
        write_figures(results)


def write_figures(results: Results) -> None:
    """Draw all figures of all matches."""
    from trickbench.plots import save_figures

    for run in results:
        save_figures(run, results.path / "figures", f"{run.match}-")


def load(path: str | Path) -> Results | StudyResults:
    """Read a results folder back.

    Parameters
    ----------
    path : str or Path
        The folder, as in ``"results/quickstart"``.

    Returns
    -------
    Results or StudyResults
        ``.summary``, ``.manifest``, ``.digest``; each match is a :class:`trickbench.Run`, each study a duel's or tournament's result.

    Raises
    ------
    UsageError
        If it is not a results folder.
    RunError
        If the run did not finish or a file is damaged.
    """
    if read_manifest(Path(path)).get("studies"):
        from trickbench.studies.folder import load_studies

        return load_studies(path)
    return load_matches(path)


def load_matches(path: str | Path) -> Results:
    """Read a results folder of matches back.

    Raises
    ------
    UsageError
        If it is not one.
    RunError
        If the run did not finish or a file is damaged.
    """
    manifest = read_manifest(Path(path))
    if manifest.get("studies"):
        kinds = " and ".join(sorted({f"{'' if study['kind'].endswith('s') else 'a '}{study['kind']}" for study in manifest["studies"]}))
        raise UsageError(f"'{path}' holds {kinds}, not deals between the same agents; the folder of a run of matches would be right")
    return Results(Path(path), manifest, _read_matches(Path(path), manifest))
