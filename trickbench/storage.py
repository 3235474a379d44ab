"""Files that are written once and whole: under a temporary name, flushed to disk, then renamed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from trickbench.errors import RunError, UsageError


def new_folder(path: Path) -> None:
    """Make a results folder.

    Raises
    ------
    UsageError
        If it exists: results are never overwritten.
    RunError
        If it cannot be made.
    """
    try:
        path.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"'{path}' exists, and results are never overwritten; remove it, or choose another folder with --out") from None
    except OSError as error:
        raise RunError(f"cannot make folder '{path}': {error.strerror}; choose another with --out") from None


def write_once(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file whole or not at all.

    Parameters
    ----------
    path : Path
        Its folder is made if need be.
    write : callable
        Writes the content to the path it is given.

    Raises
    ------
    RunError
        If it cannot be written; nothing is left of it then, and other files stay as they are.
    """
    temporary = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise RunError(f"cannot write '{path}': {error.strerror or error}; what was written before is complete") from None
    finally:
        # Also after Ctrl-C. The folder itself may be what cannot be had.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove the temporary files that a killed process left in a folder."""
    for path in folder.rglob(".*.part"):
        with suppress(OSError):
            path.unlink()


def write_table(path: Path, table: pd.DataFrame, metadata: dict[str, Any] | None = None) -> None:
    """Write a table as Parquet, with metadata in its schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = pa.Table.from_pandas(table, preserve_index=False)
    if metadata:
        arrow = arrow.replace_schema_metadata({**(arrow.schema.metadata or {}), b"trickbench": json.dumps(metadata).encode()})
    write_once(path, lambda place: pq.write_table(arrow, place, compression="zstd", write_page_checksum=True))


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table as CSV, the same bytes on every system."""
    write_once(path, lambda place: table.to_csv(place, index=False, lineterminator="\n"))


def write_json(path: Path, content: Any) -> None:
    """Write JSON with an indent, numpy numbers included."""
    text = json.dumps(content, indent=2, default=plain) + "\n"
    write_once(path, lambda place: _write_text(place, text))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def plain(value: Any) -> Any:
    """Return what JSON can hold for a numpy number."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
