"""Numbers of deals and other counts, as people type them, and ranges of deals."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from numbers import Integral
from typing import Any

from trickbench.errors import UsageError
from trickbench.streams import INDEX_BITS

MOST_DEALS = 1 << INDEX_BITS
SUFFIXES = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000}


def deal_count(value: Any, name: str = "deals") -> int:
    """Return a number of deals from an integer or text: 200000, 1e6, 200k, 2M.

    Raises
    ------
    UsageError
        If it is not a whole number from 1 to 2**48.
    """
    number = _exact(value)
    if number is None or not number.is_finite() or not 1 <= number <= MOST_DEALS or number != int(number):
        raise UsageError(f"{name} cannot be '{value}'; a whole number from 1 to 2^{INDEX_BITS} would be right, as in 200000, 1e6 or 2M")
    return int(number)


def whole_in(name: str, value: Any, first: int, count: int, right: str) -> int:
    """Return a whole number from ``first`` to ``first + count - 1``.

    Raises
    ------
    UsageError
        If it is not one; ``right`` says what would be.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not first <= int(value) < first + count:
        raise UsageError(f"{name} cannot be {value}; {right}")
    return int(value)


def deal_number(name: str, value: Any) -> int:
    """Return the number of a deal or game: a whole number from 0 to 2^48 - 1.

    Raises
    ------
    UsageError
        If it is not one.
    """
    return whole_in(name, value, 0, MOST_DEALS, f"a whole number from 0 to 2^{INDEX_BITS} - 1 would be right")


def first_number(value: Any, count: int, unit: str) -> int:
    """Return the number of the first of ``count`` deals or games.

    Raises
    ------
    UsageError
        If there are not so many from it on.
    """
    return whole_in("first", value, 0, MOST_DEALS - count + 1, f"a whole number from 0 to 2^{INDEX_BITS} less the number of {unit} would be right")


def _exact(value: Any) -> Decimal | None:
    """Return a number, or text like 8.2M, without rounding; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return Decimal(int(value))
    text = str(value).strip().replace("_", "").replace(",", "") if isinstance(value, (str, float)) else ""
    factor = SUFFIXES.get(text[-1:], 1)
    try:
        return Decimal(text[:-1] if factor > 1 else text) * factor
    except InvalidOperation:
        return None


def seed_number(value: Any) -> int:
    """Return a seed: a whole number from 0 to 2**64 - 1.

    Raises
    ------
    UsageError
        If it is not one.
    """
    try:
        number = -1 if isinstance(value, (bool, float)) else int(value)
    except (TypeError, ValueError):
        number = -1
    if not 0 <= number < 1 << 64:
        raise UsageError(f"seed cannot be '{value}'; a whole number from 0 to 2^64 - 1 would be right")
    return number


def worker_count(value: Any) -> int:
    """Return a number of workers; None means one for each processor this process may use.

    Raises
    ------
    UsageError
        If it is not a whole number from 1 to 1024.
    """
    import os

    if value is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        number = 0 if isinstance(value, (bool, float)) else int(value)
    except (TypeError, ValueError):
        number = 0
    if not 1 <= number <= 1024:
        raise UsageError(f"workers cannot be '{value}'; a whole number from 1 to 1024 would be right")
    return number


def spans(first: int, count: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield (first, count) of the pieces of a range of deals, cut where shards of a length begin."""
    start, end = first, first + count
    while start < end:
        stop = min(end, (start // length + 1) * length)
        yield start, stop - start
        start = stop
