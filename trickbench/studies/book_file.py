"""The file of a call book: one Parquet table, a row a canonical hand, with what it was made of in its metadata; and its parts while it is made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.cards import CALLS
from trickbench.configuration import changes, told
from trickbench.errors import RunError, UsageError
from trickbench.games.manille.hands import COUNT, hands_of, orbit_sizes
from trickbench.storage import write_table

SCHEMA = 1
QUANTITIES = ("net", "squares", "wins", "ties", "capots")
"""What is summed for each call: net score of the dealer's side, its square, deals won (over 30 points), tied, and won with everything."""
PAIRS = tuple((a, b) for place, a in enumerate(CALLS) for b in CALLS[place + 1 :])
SUM_COLUMNS = [
    f"{name}_{half}"
    for half in (0, 1)
    for name in (*(f"{quantity}_{call}" for quantity in QUANTITIES for call in CALLS), *(f"product_{a}_{b}" for a, b in PAIRS))
]
"""``net_C_0``: of the call C, in the first half of the worlds; ``product_C_D_0``: net of C times net of D, world by world."""
MOST_IN_32 = (1 << 31) // 120**2 * 2
"""Rollouts from which on a sum of squares may need more than 32 bits: a deal that nobody doubled scores at most 120."""


def sums_table(ranks: NDArray[np.int64], sums: NDArray[np.int64], rollouts: int) -> pd.DataFrame:
    """Return sums, int64[hands, 2, SUM_COUNT], as the table that files hold."""
    hands = hands_of(ranks)
    numbers = sums.reshape(len(sums), -1).astype(np.int32 if rollouts < MOST_IN_32 else np.int64)
    table = pd.DataFrame(numbers, columns=SUM_COLUMNS)
    table.insert(0, "hand", hands)
    table.insert(1, "weight", orbit_sizes(hands).astype(np.uint8))
    return table


def sums_of(table: pd.DataFrame) -> NDArray[np.int64]:
    """Return a table's sums again, int64[hands, 2, SUM_COUNT]."""
    return table[SUM_COLUMNS].to_numpy(np.int64).reshape(len(table), 2, -1)


def digest_of(table: pd.DataFrame) -> str:
    """Return a digest of all numbers in a table."""
    digest = hashlib.sha256()
    for name in table:
        digest.update(table[name].to_numpy().astype("<i8").tobytes())
    return digest.hexdigest()[:16]


def part_path(folder: Path, part: int) -> Path:
    """Return the file of a part."""
    return folder / f"part-{part:04d}.parquet"


def write_part(path: Path, table: pd.DataFrame) -> None:
    """Write a part; its digest stands in it."""
    write_table(path, table, {"digest": digest_of(table)})


def read_part(path: Path, ranks: NDArray[np.int64]) -> pd.DataFrame | None:
    """Return the part of the hands with these numbers, or None if it is not there, or not whole."""
    if not path.is_file():
        return None
    try:
        table, metadata = read(path)
    except RunError:
        return None
    hands = table["hand"].to_numpy() if "hand" in table else np.zeros(0)
    whole = len(hands) == len(ranks) and bool((hands == hands_of(ranks)).all()) and metadata.get("digest") == digest_of(table)
    return table if whole else None


def read(path: Path, columns: list[str] | None = None) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return table (all columns, or some) and metadata of a file, its pages checked.

    Raises
    ------
    RunError
        If it is there but cannot be read, or is not what this package wrote.
    UsageError
        If it is not there.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise UsageError(f"no file '{path}'; a call book that make_book wrote would be right")
    try:
        table = pq.read_table(path, columns=columns, page_checksum_verification=True)
        metadata: dict[str, Any] = json.loads((table.schema.metadata or {})[b"trickbench"])
        return table.to_pandas(), metadata
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise RunError(f"'{path}' cannot be read as a call book: {error or type(error).__name__}") from None


def check_book(path: Path, table: pd.DataFrame, metadata: dict[str, Any]) -> None:
    """Make sure that a file holds a whole book.

    Raises
    ------
    UsageError
        If it is something else, or of a newer version.
    """
    if "configuration" not in metadata or "schema" not in metadata:
        raise UsageError(f"'{path}' is not a call book; a file that make_book wrote would be right")
    if metadata["schema"] > SCHEMA:
        raise UsageError(f"'{path}' was written by a newer version (schema {metadata['schema']}); this one reads up to {SCHEMA}")
    if len(table) != COUNT:
        raise UsageError(f"'{path}' has {len(table):,} hands; a call book has {COUNT:,}")


def check_same(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Make sure that parts that were found are of the book that is wanted.

    Raises
    ------
    UsageError
        If anything that can change its numbers differs.
    """
    others = changes(found, wanted)
    if others:
        raise UsageError(f"'{path}' holds parts of another book, which cannot be resumed as this one: {told(others)}")
