"""Playing a study: in memory, or into a folder that keeps every piece and goes on where it was stopped."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from trickbench.chunks import new_bar
from trickbench.errors import RunError
from trickbench.games.rows import LANES
from trickbench.shards import read_shard
from trickbench.storage import write_table
from trickbench.studies.study import Part, Piece, Study, add_up

SPAN_SECONDS = 5.0
"""Deals are played in spans of about this length, and what was seen is written after each."""
MOST = 1 << 21
"""Deals in a span: two seconds of the quickest agents."""


class Store:
    """The pieces of a study's parts: in memory only, or in a folder too.

    Parameters
    ----------
    folder : Path or None
        Holds ``<part>-<first>-<count>.parquet``.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.damaged: list[str] = []

    def pieces(self, part: Part) -> list[Piece]:
        """Return the pieces of a part that the folder has, in order; files that cannot be used are named in ``damaged`` and left out."""
        found = []
        for path in sorted(self.folder.glob(f"{part.key}-*.parquet")) if self.folder else []:
            try:
                table, metadata = read_shard(path)
                found.append(Piece(int(metadata["first"]), int(metadata["deals"]), table))
            except RunError:
                self.damaged.append(str(path))
        found.sort(key=lambda piece: piece.first)
        return _apart(found)

    def keep(self, part: Part, piece: Piece) -> None:
        """Write a piece."""
        if self.folder is not None:
            path = self.folder / f"{part.key}-{piece.first:012d}-{piece.count}.parquet"
            write_table(path, piece.table, {"first": piece.first, "deals": piece.count, "part": part.key})


def _apart(pieces: list[Piece]) -> list[Piece]:
    """Return pieces without those that begin inside an earlier one, which none does unless files were put there by hand."""
    kept: list[Piece] = []
    for piece in pieces:
        if not kept or piece.first >= kept[-1].first + kept[-1].count:
            kept.append(piece)
    return kept


def gaps(part: Part, pieces: list[Piece]) -> list[tuple[int, int]]:
    """Return (first, count) of what pieces in order leave out of a part."""
    found, at = [], part.first
    for piece in pieces:
        if piece.first > at:
            found.append((at, piece.first - at))
        at = piece.first + piece.count
    end = part.first + part.count
    return found + ([(at, end - at)] if at < end else [])


def _in_order(part: Part, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces that a sequential part can build on: those before the first gap."""
    at, kept = part.first, []
    for piece in pieces:
        if piece.first != at:
            break
        kept.append(piece)
        at += piece.count
    return kept


def total_of(pieces: list[Piece]) -> pd.DataFrame | None:
    """Return the total of pieces, None if there are none."""
    return add_up([piece.table for piece in pieces]) if pieces else None


def is_whole(study: Study, part: Part, pieces: list[Piece]) -> bool:
    """Return True if pieces in order are all of a part, or all that a sequential one needed."""
    return not gaps(part, pieces) or (len(_in_order(part, pieces)) == len(pieces) and study.over(part, total_of(pieces)))


def play_study(study: Study, store: Store, threads: int, progress: bool) -> dict[str, pd.DataFrame]:
    """Play what is missing of a study; return the totals by part.

    Raises
    ------
    AgentError
        If an agent fails; what was kept stays.
    RunError
        If a piece cannot be written.
    """
    parts = study.parts()
    bar = new_bar(study.name if progress else None, sum(part.count * part.plays for part in parts))
    try:
        return {part.key: _play_part(study, part, store, threads, bar) for part in parts}
    finally:
        bar.close()


def _play_part(study: Study, part: Part, store: Store, threads: int, bar: Any) -> pd.DataFrame:
    pieces = store.pieces(part)
    pieces = _in_order(part, pieces) if part.sequential else pieces
    total = total_of(pieces)
    bar.update(sum(piece.count for piece in pieces) * part.plays)
    pace = LANES * threads
    for first, count in gaps(part, pieces):
        done = 0
        while done < count and not study.over(part, total):
            size = min(pace, count - done)
            begun = time.monotonic()
            piece = _play_span(study, part, store, first + done, size, total, threads, bar)
            total = piece.table if total is None else add_up([total, piece.table])
            done += piece.count
            pace = max(LANES, min(MOST, int(size * min(8.0, SPAN_SECONDS / max(time.monotonic() - begun, 1e-3)))))
    assert total is not None
    return total


def _play_span(study: Study, part: Part, store: Store, first: int, count: int, before: Any, threads: int, bar: Any) -> Piece:
    """Play and keep some deals; if that is stopped, what was played until then."""
    held: list[Piece] = []
    try:
        with closing(study.play(part, first, count, before, threads, bar)) as pieces:
            for piece in pieces:
                held.append(piece)
    finally:
        if held:
            whole = Piece(first, sum(piece.count for piece in held), add_up([piece.table for piece in held]))
            store.keep(part, whole)
    return whole
