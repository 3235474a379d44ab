"""Rows of a block: names become constant offsets into one flat array.

A block of ``LANES`` deals is one flat array of unsigned integers, one row a field, one column (lane) a deal: field
``x`` of lane ``i`` is ``S[X + i]``. One array, because separate ones make LLVM give up on vectorising (too many
run-time alias checks); offsets that are constants when compiled, for the same reason.
"""

from __future__ import annotations

import os

from trickbench.errors import UsageError


def _lanes(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 4096:
        raise UsageError(f"TRICKBENCH_LANES cannot be '{text}'; a whole number from 1 to 4096 would be right")
    return int(text)


LANES = _lanes(os.environ.get("TRICKBENCH_LANES", "128"))
"""Deals in a block. Measured (docs/performance.md): Manille is as fast with 64 to 256, Manchego, whose rows are twice as wide, is fastest with 128.
Results do not depend on it; it is part of the compile cache's name."""

READS_WORD, READS_FEW, READS_REST = 1, 2, 4
"""Groups of view rows that depend on who looks, as bits. ``GROUPS`` of a game's layout says which fields are in which. Rows that no agent at the
table reads are not filled for every card (docs/engine.md)."""


class Rows:
    """Hands out offsets: ``rows.one()`` one row, ``rows.many(4)`` four in sequence."""

    def __init__(self) -> None:
        self.used = 0

    def one(self) -> int:
        """Return the offset of a new row."""
        return self.many(1)

    def many(self, count: int) -> int:
        """Return the offset of the first of ``count`` rows in sequence."""
        offset = self.used * LANES
        self.used += count
        return offset

    @property
    def size(self) -> int:
        """Elements handed out so far."""
        return self.used * LANES
