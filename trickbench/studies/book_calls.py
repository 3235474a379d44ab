"""The best call of every hand, out of a call book: read from its file, or from the small file that the agent ``book`` comes with."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.cards import CALLS
from trickbench.errors import RunError
from trickbench.games.manille.hands import COUNT
from trickbench.storage import write_once
from trickbench.studies.book import Book
from trickbench.studies.book_file import check_book, read

FILTERS: list[dict[str, Any]] = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
"""Bytes are what they are by the bytes before them, and not by their place: 1 % smaller than by default."""


def best_calls(path: Path | str) -> NDArray[np.int64]:
    """Return the best call of every canonical hand from a book's file: 0..3 its suits from the least mask up, 4 no-trump; of equals the first.

    Raises
    ------
    UsageError
        If there is no such file, or it is no call book.
    RunError
        If it is damaged.
    """
    columns = [f"net_{call}_{half}" for half in (0, 1) for call in CALLS]
    table, metadata = read(Path(path), columns)
    check_book(Path(path), table, metadata)
    sums = table[columns].to_numpy(np.int64).reshape(-1, 2, len(CALLS)).sum(axis=1)
    found: NDArray[np.int64] = sums.argmax(axis=1)
    return found


def write_calls(path: Path | str, book: Book) -> None:
    """Write the best calls of a book as a small file: a line of JSON with what the book was made of, then a byte a hand; compressed with xz."""
    about = json.dumps({"digest": book.digest, "configuration": book.configuration}).encode()
    content = lzma.compress(about + b"\n" + book.best.astype(np.uint8).tobytes(), format=lzma.FORMAT_XZ, filters=FILTERS)
    write_once(Path(path), lambda place: place.write_bytes(content))


def read_calls(path: Path | str) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Return what :func:`write_calls` wrote: best calls, and ``digest`` and ``configuration`` of the book.

    Raises
    ------
    RunError
        If the file is not there or not whole.
    """
    try:
        about, _, calls = lzma.decompress(Path(path).read_bytes()).partition(b"\n")
        metadata: dict[str, Any] = json.loads(about)
        if len(calls) != COUNT:
            raise ValueError(f"it has {len(calls):,} hands")
    except (OSError, lzma.LZMAError, ValueError) as error:
        raise RunError(f"'{path}' cannot be read as calls of a book: {error}") from None
    return np.frombuffer(calls, np.uint8).astype(np.int64), metadata
