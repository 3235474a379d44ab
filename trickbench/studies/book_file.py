"""The file of a call book: one Parquet table, a row a canonical hand, with what it was made of in its metadata; and its parts while it is made.

A book of a game with en face has the columns of a sixth call, ``EN_FACE``; other books, and those of schema 1, which had no value for it, do not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.configuration import changes, told
from trickbench.errors import RunError, UsageError
from trickbench.games.manille.call_sums import CALL_NAMES, DOUBLED, OWN_CALLS, PAIRS, PRODUCTS, QUANTITIES
from trickbench.games.manille.hands import COUNT, hands_of, orbit_sizes
from trickbench.storage import write_table

SCHEMA = 2
DEALERS = CALL_NAMES[:OWN_CALLS]
"""The calls that every book has."""


def sum_places(calls: Sequence[str] = DEALERS) -> dict[str, int]:
    """Return the sums of some calls by name, and where each stands in those of a half: ``net_C``; ``product_C_D`` is net of C times net of D."""
    places = {f"{quantity}_{call}": first + CALL_NAMES.index(call) for quantity, first in QUANTITIES.items() for call in calls}
    products = {(CALL_NAMES[a], CALL_NAMES[b]): PRODUCTS + place for place, (a, b) in enumerate(PAIRS)}
    return places | {f"product_{a}_{b}": place for (a, b), place in products.items() if a in calls and b in calls}


def sum_columns(calls: Sequence[str] = DEALERS) -> list[str]:
    """Return the columns of sums: ``net_C_0`` is of the call C, in the first half of the worlds."""
    return [f"{name}_{half}" for half in (0, 1) for name in sum_places(calls)]


def calls_of(table: pd.DataFrame) -> tuple[str, ...]:
    """Return the calls that a table has: C D H S NT, and EN_FACE."""
    return tuple(call for call in CALL_NAMES if f"net_{call}_0" in table)


MOST_IN_32 = (1 << 31) // 120**2 * 2
"""Rollouts from which on a sum of squares may need more than 32 bits: a deal that nobody doubled scores at most 120."""


def sums_table(ranks: NDArray[np.int64], sums: NDArray[np.int64], rollouts: int, calls: Sequence[str] = DEALERS) -> pd.DataFrame:
    """Return the sums of some calls, out of int64[hands, 2, SUM_COUNT], as the table that files hold."""
    hands = hands_of(ranks)
    numbers = sums[:, :, list(sum_places(calls).values())].reshape(len(sums), -1)
    table = pd.DataFrame(numbers.astype(np.int32 if rollouts < MOST_IN_32 else np.int64), columns=sum_columns(calls))
    table.insert(0, "hand", hands)
    table.insert(1, "weight", orbit_sizes(hands).astype(np.uint8))
    return table


def sums_of(table: pd.DataFrame) -> NDArray[Any]:
    """Return a table's sums again, int32 or int64[hands, 2, DOUBLED]: what is beyond that is 0, and so is en face where the table has none."""
    places = list(sum_places(calls_of(table)).values())
    found = np.zeros((len(table), 2, DOUBLED), np.result_type(*table.dtypes[2:]))
    found[:, :, places] = table[sum_columns(calls_of(table))].to_numpy().reshape(len(table), 2, -1)
    return found


def nets_of(table: pd.DataFrame) -> NDArray[np.int64]:
    """Return a table's net scores over all worlds, int64[hands, 5], or with en face [hands, 6]."""
    first, second = (table[[f"net_{call}_{half}" for call in calls_of(table)]].to_numpy(np.int64) for half in (0, 1))
    found: NDArray[np.int64] = first + second
    return found


def digest_of(table: pd.DataFrame) -> str:
    """Return a digest of all numbers in a table."""
    digest = hashlib.sha256()
    for name in table:
        digest.update(table[name].to_numpy().astype("<i8").tobytes())
    return digest.hexdigest()[:16]


def part_path(folder: Path, part: int, kind: str = "part") -> Path:
    """Return the file of a part of the book, or of another kind."""
    return folder / f"{kind}-{part:04d}.parquet"


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


def read(path: Path, prefix: str = "") -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return table (the columns whose names begin so) and metadata of a file, its pages checked.

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
        columns = [name for name in pq.read_schema(path).names if name.startswith(prefix)]
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
