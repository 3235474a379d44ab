"""Narrow numbers in compiled code compute what Python's integers do, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types, void

from trickbench.bits import above, below, highest, lowest, nth, nth_of_hand, over, pick, popcount
from trickbench.jit import compiled
from trickbench.narrow import MOST, entry

WORDS = st.integers(0, MOST)
EDGES = (0, 1, 2, 3, 7, 31, 1 << 31, MOST, MOST - 1, 0x55555555, 0xAAAAAAAA)

# No variable is both narrow and wide: every expression gives one number of 64 bits, which is stored.
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "and not": lambda x, y: x & ~y,
    "not and": lambda x, y: ~x & y,
    "or with a constant": lambda x, y: (x | 0xF0000001) ^ 0xFFFFFFFF ^ 5,
    "xor with a constant that does not fit": lambda x, y: (x ^ 0x1FFFFFFFF) | (y ^ -2),
    "or of a negative": lambda x, y: x | -y,
    "minus": lambda x, y: -x,
    "invert": lambda x, y: ~x,
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x - y,
    "product": lambda x, y: x * (y & 0xFFFF),
    "right shift": lambda x, y: x >> (y & 31),
    "far right shift": lambda x, y: x >> 40,
    "left shift": lambda x, y: x << (y & 15),
    "remainder": lambda x, y: x % (y | 1),
    "quotient": lambda x, y: x // (y | 1),
    "less": lambda x, y: 1 if x < y else 0,
    "at most": lambda x, y: 1 if x <= y else 0,
    "equal": lambda x, y: 1 if x == y else 0,
    "less than a difference": lambda x, y: 1 if x < y - 5 else 0,
    "truth": lambda x, y: 1 if x else 2,
    "not": lambda x, y: 1 if not x else 2,
    "and of truths": lambda x, y: 1 if (x != 0) & (y & 1 == 0) else 0,
    "either": lambda x, y: x if y & 1 else y,
    "either, or nothing": lambda x, y: (x if y & 1 else 0) | y,
    "either, or less": lambda x, y: x if y & 1 else y - 7,
    "either, or a negative": lambda x, y: x if y & 1 else -1,
    "lowest bit": lambda x, y: lowest(x),
    "highest bit": lambda x, y: highest(x),
    "count": lambda x, y: popcount(x) * 3 - popcount(x & y),
    "above": lambda x, y: above(lowest(x), y),
    "over": lambda x, y: over(highest(x), y),
    "below": lambda x, y: below(highest(x), y),
    "the n-th": lambda x, y: nth(x | 1, y % popcount(x | 1)),
    "the n-th of eight": lambda x, y: nth_of_hand(x & 0xFF, y & 7),
    "chosen": lambda x, y: pick(x | 1, y),
    "clearing bits": lambda x, y: x & (x - 1) & (y - 1),
    "minimum": lambda x, y: min(x, y) + min(y, 5),
    "magnitude": lambda x, y: abs(x) - int(y),
    "power": lambda x, y: 2 ** (x & 15),
    "maximum": lambda x, y: max(x, 12),
}


def compiled_form(function: Callable[[Any, Any], Any]) -> Any:
    from trickbench.jit import kernel

    inner = kernel(function)

    @compiled(void(types.uint32[::1], types.uint32[::1], types.int64[::1]), cached=False)
    def loop(a: Any, b: Any, out: Any) -> None:
        for i in range(a.size):
            out[i] = inner(entry(a[i]), entry(b[i]))

    return loop


def in_compiled_code(loop: Any, pairs: list[tuple[int, int]]) -> list[int]:
    a, b = (np.array(column, np.uint32) for column in zip(*pairs, strict=True))
    out = np.zeros(len(pairs), np.int64)
    loop(a, b, out)
    return [int(value) for value in out]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_code_computes_what_python_does(name: str) -> None:
    function, loop = FUNCTIONS[name], compiled_form(FUNCTIONS[name])

    @given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=40))
    def same(pairs: list[tuple[int, int]]) -> None:
        assert in_compiled_code(loop, pairs) == [int(function(x, y)) for x, y in pairs]

    edges = [(x, y) for x in EDGES for y in EDGES]
    assert in_compiled_code(loop, edges) == [int(function(x, y)) for x, y in edges]
    same()


def test_a_narrow_number_is_an_index_and_is_stored_in_rows() -> None:
    @compiled(void(types.uint32[::1], types.uint64[::1], types.int64[::1]), cached=False)
    def loop(rows: Any, wide_rows: Any, table: Any) -> None:
        x = entry(rows[0])
        rows[1] = x & 7
        wide_rows[x & 3] = x
        table[entry(rows[1])] = table[x & 3] + entry(wide_rows[0])

    rows, wide, table = np.array([6, 0], np.uint32), np.zeros(4, np.uint64), np.arange(10, 20)
    loop(rows, wide, table)
    assert rows.tolist() == [6, 6]
    assert wide.tolist() == [0, 0, 6, 0]
    assert table[6] == 12


def test_a_row_of_sixty_four_bits_is_read_as_a_signed_number() -> None:
    @compiled(void(types.uint64[::1], types.int64[::1]), cached=False)
    def loop(rows: Any, out: Any) -> None:
        for i in range(rows.size):
            out[i] = entry(rows[i]) - 1

    out = np.zeros(3, np.int64)
    loop(np.array([5, 0, 2**64 - 9], np.uint64), out)
    assert out.tolist() == [4, -1, -10]
    assert entry(np.array([3, 2**32 - 1], np.uint32)).tolist() == [3, 2**32 - 1]
