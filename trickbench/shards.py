"""Shards: the Parquet files of a match, each of a fixed range of deals; written, read back, and checked.

A shard is ``counts-NNNNNN.parquet`` and, where deals are recorded, ``deals-NNNNNN.parquet``; NNNNNN is its first deal divided
by the length of a shard. The counts are written last, so a shard whose counts are there is whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.counts import spans
from trickbench.errors import RunError
from trickbench.experiment import Match
from trickbench.games.game import Game
from trickbench.simulation import deal_table
from trickbench.storage import write_table
from trickbench.worker import Chunk


class Survey(NamedTuple):
    """What the folder of a match holds of it."""

    deals: int
    """deals in whole shards"""
    gaps: list[tuple[int, int]]
    """(first, count) of the deals that are not there, neighbouring shards as one"""
    damaged: list[Path]
    """files that are there and cannot be used; their deals are in the gaps"""


def shard_path(folder: Path, kind: str, first: int, length: int) -> Path:
    """Return the file of a shard: ``kind`` is "counts" or "deals"."""
    return folder / f"{kind}-{first // length:06d}.parquet"


def by_shard(chunks: Iterable[Chunk], length: int) -> Iterator[list[Chunk]]:
    """Group chunks, which come in deal order and do not reach over the end of a shard, into shards."""
    held: list[Chunk] = []
    for chunk in chunks:
        if held and chunk.first // length != held[0].first // length:
            yield held
            held = []
        held.append(chunk)
    if held:
        yield held


def write_shard(folder: Path, match: Match, chunks: Sequence[Chunk], length: int) -> None:
    """Write the deals of a shard if they are recorded, then its counts."""
    first, count = chunks[0].first, sum(chunk.count for chunk in chunks)
    metadata = _metadata(match, first, count)
    if match.record:
        codes = np.concatenate([chunk.codes for chunk in chunks])
        table = deal_table(match.game, codes, np.concatenate([chunk.plays for chunk in chunks]), first)
        table["code"] = codes
        write_table(shard_path(folder, "deals", first, length), table, metadata)
    counts = np.sum([chunk.counts for chunk in chunks], axis=0)
    cells = np.flatnonzero(counts)
    write_table(shard_path(folder, "counts", first, length), pd.DataFrame({"cell": cells, "count": counts[cells]}), metadata)


def _metadata(match: Match, first: int, count: int) -> dict[str, Any]:
    return {"match": match.name, "first": first, "deals": count}


def read_shard(path: Path, columns: Sequence[str] | None = None) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a shard's table (all columns, or some) and metadata.

    Raises
    ------
    RunError
        If the file cannot be read, or is not what was written.
    """
    table, metadata = _arrow(path, columns)
    return table.to_pandas(), metadata


def _arrow(path: Path, columns: Sequence[str] | None = None) -> tuple[Any, dict[str, Any]]:
    """Return a shard as Arrow's table, its pages checked."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=None if columns is None else list(columns), page_checksum_verification=True)
        metadata: dict[str, Any] = json.loads((table.schema.metadata or {})[b"trickbench"])
        return table, metadata
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        why = " ".join(str(error).split())
        raise RunError(f"'{path}' cannot be read as a shard: {why}; 'trickbench run' with --resume plays it again") from None


def survey(folder: Path, match: Match, length: int) -> Survey:
    """Return which deals of a match are there, every shard of it read whole."""
    deals = 0
    gaps: list[tuple[int, int]] = []
    damaged: list[Path] = []
    for first, count in spans(0, match.deals, length):
        broken = _damaged(folder, match, first, count, length)
        if broken == []:
            deals += count
            continue
        damaged += broken or []
        if gaps and sum(gaps[-1]) == first:
            gaps[-1] = (gaps[-1][0], gaps[-1][1] + count)
        else:
            gaps.append((first, count))
    return Survey(deals, gaps, damaged)


def _damaged(folder: Path, match: Match, first: int, count: int, length: int) -> list[Path] | None:
    """Return the files of a shard that cannot be used, or None if the shard is not there."""
    paths = [shard_path(folder, kind, first, length) for kind in (("counts", "deals") if match.record else ("counts",))]
    if not all(path.is_file() for path in paths):
        return None
    return [path for path in paths if not _usable(path, _metadata(match, first, count))]


def _usable(path: Path, metadata: dict[str, Any]) -> bool:
    try:
        table, found = _arrow(path)
    except RunError:
        return False
    return found == metadata and (path.name.startswith("counts-") or len(table) == metadata["deals"])


def read_counts(folder: Path, cells: int) -> tuple[NDArray[np.int64], int]:
    """Return the counts of all shards of a match together, and how many deals they are of.

    Raises
    ------
    RunError
        If a shard cannot be read.
    """
    counts = np.zeros(cells, np.int64)
    deals = 0
    for path in sorted(folder.glob("counts-*.parquet")):
        table, metadata = read_shard(path)
        np.add.at(counts, table["cell"].to_numpy(), table["count"].to_numpy())
        deals += metadata["deals"]
    return counts, deals


def read_records(folder: Path, game: Game, record: Any, length: int, first: int, count: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return codes and plays of a range of recorded deals; only the shards that hold it are opened.

    Raises
    ------
    RunError
        If one of these shards is missing or cannot be read.
    """
    face = game.face()
    codes = np.zeros(count if record else 0, face.dtype)
    plays = np.zeros((count if record == "plays" else 0, face.plays_width), face.dtype)
    for start, some in spans(first, count, length) if record else ():
        path = shard_path(folder, "deals", start, length)
        table, _ = read_shard(path, _record_columns(game, record))
        rows = table.iloc[start % length : start % length + some]
        if len(rows) != some:
            raise RunError(f"'{path}' cannot be read as a shard: it does not hold deals {start} to {start + some - 1}")
        place = slice(start - first, start - first + some)
        codes[place] = rows["code"].to_numpy(face.dtype)
        if record == "plays":
            plays[place, : game.players] = rows.filter(like="hand_").to_numpy(face.dtype)
            plays[place, game.players :] = np.left_shift(face.dtype(1), rows.filter(like="card_").to_numpy(face.dtype))
    return codes, plays


def _record_columns(game: Game, record: Any) -> list[str]:
    if record != "plays":
        return ["code"]
    hands = [f"hand_{seat}" for seat in range(game.players)]
    return ["code", *hands, *(f"card_{number:02d}" for number in range(game.face().plays_width - game.players))]
