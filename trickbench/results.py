"""Results folders: an experiment is played into one, and read back from it.

``results/<name>/`` holds ``manifest.json``; for each match a folder of Parquet shards, each of a fixed range of deals
(counts of outcomes, and the deals where they are recorded); ``summary.parquet`` and ``.csv``; tables by call and by
bid; ``figures/``. Shards are written as the run goes; all totals are computed from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.chunks import play_chunks
from trickbench.counts import worker_count
from trickbench.errors import RunError, UsageError
from trickbench.experiment import Experiment, Match
from trickbench.games.game import Game
from trickbench.games.registry import game
from trickbench.provenance import provenance
from trickbench.simulation import Run, deal_table
from trickbench.stats.summary import by_bid, by_call
from trickbench.storage import new_folder, write_csv, write_json, write_once, write_table
from trickbench.worker import Chunk

SCHEMA = 1
SHARD = 1 << 20
"""Deals in a shard, whatever the chunk."""
MANIFEST = "manifest.json"


@dataclass
class Results:
    """A results folder: its manifest and its matches.

    Attributes
    ----------
    path : Path
    manifest : dict
    runs : list of Run
        One a match, in order; also by name: ``results["manillen"]``.
    """

    path: Path
    manifest: dict[str, Any]
    runs: list[Run]

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


def play_experiment(experiment: Experiment, out: Path, workers: int | None = None, figures: bool = True, progress: bool = False) -> Results:
    """Play an experiment into a new folder.

    Parameters
    ----------
    experiment : Experiment
    out : Path
        Must not exist.
    workers : int, optional
        Threads.
    figures : bool
        Draw the figures.
    progress : bool
        Show a bar on a terminal.

    Raises
    ------
    UsageError
        If the folder exists.
    RunError
        If a file cannot be written, or an agent fails; shards written before stay.
    """
    threads = worker_count(workers)
    tables = [match.table() for match in experiment.matches]
    new_folder(out)
    started = datetime.now(UTC)
    manifest = {
        "schema": SCHEMA,
        "name": experiment.name,
        "status": "running",
        "seed": experiment.seed,
        "matches": [match.as_dict() for match in experiment.matches],
        "started": started.isoformat(timespec="seconds"),
        **provenance(),
    }
    write_json(out / MANIFEST, manifest)
    seconds = []
    try:
        for match, table in zip(experiment.matches, tables, strict=True):
            begun = datetime.now(UTC)
            title = match.name if progress else None
            chunks = play_chunks(table, experiment.seed, 0, match.deals, threads, match.record, progress=title)
            for shard in shards(chunks):
                write_shard(out / match.name, match, shard)
            seconds.append((datetime.now(UTC) - begun).total_seconds())
    except BaseException as error:
        manifest["status"] = f"stopped: {type(error).__name__}"
        write_json(out / MANIFEST, manifest)
        raise
    manifest |= {"status": "complete", "ended": datetime.now(UTC).isoformat(timespec="seconds"), "workers": threads}
    manifest["seconds"] = dict(zip((match.name for match in experiment.matches), seconds, strict=True))
    results = Results(out, manifest, [read_match(out, match, experiment.seed) for match in manifest["matches"]])
    manifest["digest"] = {run.match: run.digest for run in results}
    write_reports(results, figures)
    write_json(out / MANIFEST, manifest)
    return results


def shards(chunks: Iterator[Chunk]) -> Iterator[list[Chunk]]:
    """Group chunks, which come in deal order, into shards of a fixed range of deals."""
    held: list[Chunk] = []
    for chunk in chunks:
        if held and chunk.first // SHARD != held[0].first // SHARD:
            yield held
            held = []
        held.append(chunk)
    if held:
        yield held


def write_shard(folder: Path, match: Match, chunks: list[Chunk]) -> None:
    """Write the counts of a range of deals, and the deals if they are recorded."""
    first, count = chunks[0].first, sum(chunk.count for chunk in chunks)
    name = f"{first // SHARD:06d}.parquet"
    metadata = {"match": match.name, "first": first, "deals": count}
    if match.record:
        codes = np.concatenate([chunk.codes for chunk in chunks])
        table = deal_table(match.game, codes, np.concatenate([chunk.plays for chunk in chunks]), first)
        table["code"] = codes
        write_table(folder / f"deals-{name}", table, metadata)
    counts = np.sum([chunk.counts for chunk in chunks], axis=0)
    cells = np.flatnonzero(counts)
    write_table(folder / f"counts-{name}", pd.DataFrame({"cell": cells, "count": counts[cells]}), metadata)


def read_match(folder: Path, match: dict[str, Any], seed: int) -> Run:
    """Return a match from its shards.

    Raises
    ------
    RunError
        If shards are missing or cannot be read.
    """
    played = game(match["game"], **match["rules"])
    face = played.face()
    counts = np.zeros(face.cells, np.int64)
    deals = 0
    for path in sorted((folder / match["name"]).glob("counts-*.parquet")):
        table, metadata = read_shard(path)
        np.add.at(counts, table["cell"].to_numpy(), table["count"].to_numpy())
        deals += metadata["deals"]
    if deals != match["deals"]:
        raise RunError(f"'{folder / match['name']}' holds {deals} of {match['deals']} deals; the run did not finish")
    seats = [seat["strategy"] for seat in match["seats"]]
    return Run(
        played, match["agents"], seats, seed, 0, deals, counts, match["record"],
        lambda: read_records(folder / match["name"], played, match["record"]), match["name"],
    )  # fmt: skip


def read_shard(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a shard's table and metadata.

    Raises
    ------
    RunError
        If the file cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        metadata: dict[str, Any] = json.loads((table.schema.metadata or {})[b"trickbench"])
        return table.to_pandas(), metadata
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise RunError(f"'{path}' cannot be read as a shard: {' '.join(str(error).split())}") from None


def read_records(folder: Path, played: Game, record: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return codes and plays from the shards of recorded deals."""
    face = played.face()
    codes = [np.zeros(0, face.dtype)]
    plays = [np.zeros((0, face.plays_width), face.dtype)]
    for path in sorted(folder.glob("deals-*.parquet")) if record else []:
        table, _ = read_shard(path)
        codes.append(table["code"].to_numpy(face.dtype))
        if record == "plays":
            hands = table[[f"hand_{seat}" for seat in range(played.players)]].to_numpy(face.dtype)
            cards = table[[name for name in table.columns if name.startswith("card_")]].to_numpy(face.dtype)
            plays.append(np.concatenate([hands, np.left_shift(face.dtype(1), cards)], axis=1))
    return np.concatenate(codes), np.concatenate(plays)


def write_reports(results: Results, figures: bool) -> None:
    """Write summary, tables by call and by bid, and figures."""
    write_table(results.path / "summary.parquet", results.summary)
    write_csv(results.path / "summary.csv", results.summary)
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
    from trickbench.plots import figures

    for run in results:
        for kind, figure in figures(run).items():
            name = f"{run.match}-{kind.replace('_', '-')}.png"
            write_once(results.path / "figures" / name, partial(figure.savefig, format="png"))


def load(path: str | Path) -> Results:
    """Read a results folder back.

    Parameters
    ----------
    path : str or Path
        The folder, as in ``"results/quickstart"``.

    Returns
    -------
    Results
        ``.summary``, ``.manifest``, ``.digest``; each match is a :class:`trickbench.Run`.

    Raises
    ------
    UsageError
        If it is not a results folder.
    RunError
        If the run did not finish or a file is damaged.
    """
    folder = Path(path)
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        matches, seed, schema = manifest["matches"], manifest["seed"], manifest["schema"]
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"'{folder}' is not a results folder: it has no {MANIFEST} that can be read") from None
    if schema > SCHEMA:
        raise UsageError(f"'{folder}' was written by a newer version (schema {schema}); this one reads up to {SCHEMA}")
    return Results(folder, manifest, [read_match(folder, match, seed) for match in matches])
