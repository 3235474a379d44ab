"""The best call of every hand, out of a call book: read from its file, or from the small file that the agent ``book`` comes with.

A hand's number is the best call that the dealer makes for itself, 0..3 the canonical hand's suits from the least mask up, 4 no-trump; and 8 more
where en face is better.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.agent import Agent, NoParameters
from trickbench.errors import RunError
from trickbench.games.manille.call_sums import EN_FACE, OWN_CALLS
from trickbench.games.manille.hands import COUNT
from trickbench.games.manille.layout import View
from trickbench.games.manille.options import RuleValues
from trickbench.games.manille.packed_calls import PASS, pack_calls, packed_call
from trickbench.jit import kernel
from trickbench.storage import write_once
from trickbench.studies.book import Book
from trickbench.studies.book_file import check_book, nets_of, read

FILTERS: list[dict[str, Any]] = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
"""Bytes are what they are by the bytes before them, and not by their place: 1 % smaller than by default."""


def best_of(nets: NDArray[Any]) -> NDArray[np.int64]:
    """Return the best calls by net scores, [hands, 5] or with en face [hands, 6]; of equals the first."""
    found: NDArray[np.int64] = nets[:, :OWN_CALLS].argmax(axis=1) + PASS * (nets.argmax(axis=1) == EN_FACE)
    return found


def best_calls(path: Path | str) -> NDArray[np.int64]:
    """Return the best calls of every canonical hand from a book's file.

    Raises
    ------
    UsageError
        If there is no such file, or it is no call book.
    RunError
        If it is damaged.
    """
    table, metadata = read(Path(path), "net_")
    check_book(Path(path), table, metadata)
    return best_of(nets_of(table))


@kernel
def call_own(view: View, params: NoParameters, rules: RuleValues, tables: Any) -> int:
    """Call what the dealer would call for itself."""
    return packed_call(view.hand, tables)


def own_caller(calls: NDArray[np.int64]) -> Agent:
    """Return the agent that calls what the dealer would call for itself."""
    table = pack_calls(calls)
    return Agent("the book's own calls", manille={"call": call_own}, tables=lambda _: table, uses_word=False)


def write_calls(path: Path | str, book: Book) -> None:
    """Write the best calls of a book as a small file: a line of JSON with what the book was made of, then a byte a hand; compressed with xz."""
    about = json.dumps({"digest": book.digest, "configuration": book.configuration}).encode()
    content = lzma.compress(about + b"\n" + best_of(book.sum_of("net")).astype(np.uint8).tobytes(), format=lzma.FORMAT_XZ, filters=FILTERS)
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
