"""book: calls what was worth most with its hand in hundreds of rollouts (docs/calls.md).

The best call of every hand of the dealer is looked up in a call book. With ``path=FILE`` it is a book that ``make_book`` wrote; without, the
best calls of books with 1024 worlds a hand, cards played by ``heuristic``, which stand beside this file: ``book.xz`` of Manillen, and
``book-manille.xz`` of Manille, which is looked up where the rules have en face (``python experiments/call_book.py`` makes them).

A dealer who may says en face where the book values it above all its own calls. Asked after en face, the dealer's partner calls what would be best if
it had dealt: so did the partners in the rollouts of the book. Asked for a blind call it looks first.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import trickbench
from trickbench.games.manille import layout as at
from trickbench.games.manille.layout import View
from trickbench.games.manille.options import RuleValues
from trickbench.games.manille.packed_calls import pack_calls, packed_call
from trickbench.studies.book_calls import best_calls, read_calls

BUILT_IN = "built-in"
CALLS = (Path(__file__).with_name("book.xz"), Path(__file__).with_name("book-manille.xz"))
"""For rules without en face, and with it."""


class Parameters(NamedTuple):
    """path: file of a call book."""

    path: str = BUILT_IN


@trickbench.kernel
def call(view: View, params: Parameters, rules: RuleValues, tables: Any) -> int:
    """Call what the book has for the hand, or leave it to partner; look first."""
    answer = packed_call(view.hand, tables, (view.legal >> at.EN_FACE) & 1, rules.en_face)
    return trickbench.LOOK if view.legal & trickbench.LOOK else answer


def read_table(params: Parameters) -> NDArray[np.int64]:
    """Return the best calls for rules without en face and with it, packed; a book of one's own is used for both."""
    paths = CALLS if params.path == BUILT_IN else (Path(params.path),) * 2
    return _packed(paths, params.path == BUILT_IN, tuple(map(_version, paths)))


def _version(path: Path) -> tuple[int, int] | None:
    about = path.stat() if path.is_file() else None
    return (about.st_mtime_ns, about.st_size) if about else None


# Every thread of a run, and its manifest, asks for the table. The files' times and sizes: there may be another book the next time.
@lru_cache(maxsize=4)
def _packed(paths: tuple[Path, ...], built_in: bool, _versions: tuple[Any, ...]) -> NDArray[np.int64]:
    read = {path: read_calls(path)[0] if built_in else best_calls(path) for path in dict.fromkeys(paths)}
    return pack_calls(*(read[path] for path in paths))


agent = trickbench.Agent(
    name="book",
    summary="calls what was worth most with its hand in a call book: by default one that it brings, with path=FILE another",
    manille={"call": call},
    parameters=Parameters,
    tables=read_table,
    uses_word=False,
)
