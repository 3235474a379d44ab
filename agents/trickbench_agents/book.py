"""book: calls what was worth most with its hand in hundreds of rollouts (docs/calls.md).

The best call of every hand of the dealer is looked up in a call book. With ``path=FILE`` it is a book that ``make_book`` wrote; without, the
best calls of a book of Manillen with 1024 worlds a hand, cards played by ``heuristic``, which stand in ``book.xz`` beside this file
(``python experiments/call_book.py`` makes it).

A book is about the dealer's own hand. Asked after en face, the dealer's partner calls what would be best if it had dealt: that the dealer passed
tells something of the dealer's hand, which is left out. As dealer it never says en face, whose value a book does not hold. Asked for a blind call it
looks first.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import trickbench
from trickbench.games.manille.layout import View
from trickbench.games.manille.options import RuleValues
from trickbench.games.manille.packed_calls import pack_calls, packed_call
from trickbench.studies.book_calls import best_calls, read_calls

BUILT_IN = "built-in"
CALLS = Path(__file__).with_name("book.xz")


class Parameters(NamedTuple):
    """path: file of a call book."""

    path: str = BUILT_IN


@trickbench.kernel
def call(view: View, params: Parameters, rules: RuleValues, tables: Any) -> int:
    """Call what the book has for the hand; look first."""
    answer = packed_call(view.hand, tables)
    return trickbench.LOOK if view.legal & trickbench.LOOK else answer


def read_table(params: Parameters) -> NDArray[np.int64]:
    """Return the best calls of the book, packed."""
    path = CALLS if params.path == BUILT_IN else Path(params.path)
    about = path.stat() if path.is_file() else None
    return _packed(path, params.path == BUILT_IN, (about.st_mtime_ns, about.st_size) if about else None)


# Every thread of a run, and its manifest, asks for the table. The file's time and size: it may be another book the next time.
@lru_cache(maxsize=4)
def _packed(path: Path, built_in: bool, _version: tuple[int, int] | None) -> NDArray[np.int64]:
    return pack_calls(read_calls(path)[0] if built_in else best_calls(path))


agent = trickbench.Agent(
    name="book",
    summary="calls what was worth most with its hand in a call book: by default one that it brings, with path=FILE another",
    manille={"call": call},
    parameters=Parameters,
    tables=read_table,
    uses_word=False,
)
