"""What a decision function reads is found in its code; view rows that nobody reads are not filled, and nobody notices."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trickbench
from trickbench import engine
from trickbench.bits import pick
from trickbench.fields import fields_read
from trickbench.games.manille.layout import View
from trickbench.games.rows import READS_FEW, READS_REST, READS_WORD
from trickbench.table import Table
from trickbench.worker import Worker

ALL = frozenset(View._fields)
GAMES = {name: trickbench.game(name, game_deals=2) for name in ("manillen", "manchego")}
FIELDS = [(name, field) for name, game in GAMES.items() for field in game.face().view._fields]
COPIED = [(name, field) for name, field in FIELDS if field in GAMES[name].face().at.GROUPS]
GAMES_PLAYED = 8


def read(function: Callable[..., Any]) -> frozenset[str]:
    return fields_read(function, View._fields)


@trickbench.kernel
def two(view: View) -> int:
    return view.hand & view.legal


@trickbench.kernel
def second(x: int, view: View) -> int:
    return x + view.caller


@trickbench.kernel
def again(view: View, depth: int) -> int:
    return view.carry if depth == 0 else again(view, depth - 1)


@trickbench.kernel
def many(*views: View) -> int:
    return views[0].hand


def unmarked(view: View) -> int:
    return view.hand


held = two
table = {"two": two}


@trickbench.kernel
def renamed(view: View) -> int:
    v = view
    w = v if v.led == 0 else view
    return w.trump


@trickbench.kernel
def shadowed(view: View) -> int:
    view = view.hand
    return view.legal


@trickbench.kernel
def handing_on(view: View) -> int:
    return held(view) + second(view.best, view=view) + second(1 if view.asked else 2, view)


@trickbench.kernel
def recursive(view: View) -> int:
    return again(view, 3)


@trickbench.kernel
def by_module(view: View) -> int:
    return engine.is_one_of(view.word, view.legal)


def closed_over(helper: Callable[..., int]) -> Callable[..., int]:
    @trickbench.kernel
    def play(view: View) -> int:
        return helper(view) + view.call

    return play


@pytest.mark.parametrize(
    ("function", "fields"),
    [
        (two, "hand legal"),
        (renamed, "led trump"),
        (shadowed, "hand"),
        (handing_on, "hand legal best asked caller"),
        (recursive, "carry"),
        (by_module, "word legal"),
        (closed_over(two), "hand legal call"),
    ],
)
def test_the_fields_that_a_kernel_reads_are_known_also_through_other_kernels(function: Callable[..., Any], fields: str) -> None:
    assert read(function) == set(fields.split())


@trickbench.kernel
def asked_for(view: View) -> int:
    return getattr(view, "hand")  # noqa: B009


@trickbench.kernel
def in_a_tuple(view: View) -> int:
    for one in (view, view):
        return one.hand
    return 0


@trickbench.kernel
def by_number(view: View) -> int:
    return view[0]


@trickbench.kernel
def unpacked(view: View) -> int:
    return two(*(view,))


@trickbench.kernel
def swallowed(view: View) -> int:
    return many(view)


@trickbench.kernel
def to_an_unmarked_one(view: View) -> int:
    return unmarked(view)


@trickbench.kernel
def looked_up(view: View) -> int:
    return table["two"](view)


@trickbench.kernel
def either(view: View) -> int:
    return (two if view.led else recursive)(view)


@trickbench.kernel
def nested(view: View) -> int:
    def inner() -> int:
        return view.hand

    return inner()


@trickbench.kernel
def comprehension(view: View) -> int:
    return sum([view.hand >> k for k in range(3)])


@trickbench.kernel
def returned(view: View) -> Any:
    return view


@trickbench.kernel
def not_a_field(view: View) -> int:
    return view._replace(hand=0).legal


@trickbench.kernel
def compared(view: View) -> bool:
    return view == view


@trickbench.kernel
def unreadable(view: View) -> Any:
    async def inner() -> int:
        return await view

    return inner


class Holder:
    hand = 1

    @trickbench.kernel
    def play(self, view: View) -> int:
        return view.legal + self.hand


@trickbench.lanes
def rows(view: Any, params: Any, tables: Any, scratch: Any) -> None:
    view[0] = 0


@trickbench.batch
def batched(view: View) -> Any:
    return view.legal


@pytest.mark.parametrize(
    "function",
    [
        asked_for, in_a_tuple, by_number, unpacked, swallowed, to_an_unmarked_one, looked_up, either, nested, comprehension, returned, not_a_field,
        compared, unreadable, Holder().play, rows, batched, unmarked, math.gcd, closed_over(unmarked),
    ],
)  # fmt: skip
def test_any_other_use_of_the_view_counts_as_reading_all_of_it(function: Callable[..., Any]) -> None:
    assert read(function) == ALL


@cache
def policy(field: str) -> Callable[..., int]:
    """Return a kernel whose choice depends on a field, on which all choices of a seat depend."""
    mixed = "((x & 0xFFFFF) * 2654435761 + (x >> 20) * 668265263) & 0xFFFFFFFF"
    source = f"def play_{field}(view):\n    x = view.{field}\n    return pick(view.legal, {mixed})\n"
    names: dict[str, Any] = {"pick": pick, "__name__": __name__}
    exec(source, names)
    return trickbench.kernel(names[f"play_{field}"])


@cache
def played(name: str, field: str, unread: int | None = None) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Play some games with the kernel called as a Python function, by the loops that a compiled table runs; return what was unread, and results."""
    worker = Worker(Table(GAMES[name], policy(field)), 5, False, threading.Event(), True)
    found = int(worker.run[engine.UNREAD])
    worker.run[engine.UNREAD] = found if unread is None else unread
    worker.lanes = worker.lanes_of(worker.table.superblock(1, threading.Event(), True), kernels_as_plain=True)
    chunk = worker.play(0, GAMES_PLAYED)
    return found, chunk.counts, np.concatenate(chunk.games)


def test_every_field_that_is_copied_for_whoever_plays_is_in_a_group() -> None:
    assert {READS_WORD, READS_FEW, READS_REST} == {group for game in GAMES.values() for group in game.face().at.GROUPS.values()}
    assert len(COPIED) == 16 + 16


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_no_field_is_stale_for_who_reads_only_that(name: str, field: str) -> None:
    unread, counts, games = played(name, field)
    assert unread == (READS_WORD | READS_FEW | READS_REST) & ~GAMES[name].face().at.GROUPS.get(field, 0)
    _, full_counts, full_games = played(name, field, 0)
    np.testing.assert_array_equal(counts, full_counts)
    np.testing.assert_array_equal(games, full_games)


@pytest.mark.parametrize(("name", "field"), COPIED)
def test_the_policies_notice_a_row_that_is_not_filled(name: str, field: str) -> None:
    counts = played(name, field, 0)[1]
    assert not np.array_equal(counts, played(name, field, READS_WORD | READS_FEW | READS_REST)[1])


@pytest.mark.parametrize(
    ("name", "field"),
    [("manillen", "word"), ("manillen", "caller"), ("manillen", "points_us"), ("manchego", "word"), ("manchego", "bid_left"), ("manchego", "dealer")],
)
def test_compiled_and_plain_play_the_same_where_rows_are_not_filled(name: str, field: str) -> None:
    kernel = policy(field)

    def plain(view: Any) -> int:
        return kernel(view)

    assert Table(GAMES[name], plain).run_numbers(5, False)[engine.UNREAD] == 0
    results = [trickbench.simulate(GAMES[name], agent, 200, seed=5, record="plays").digest for agent in (kernel, plain)]
    assert results[0] == results[1]


def test_one_agent_that_reads_everything_is_enough_for_all_rows() -> None:
    game = GAMES["manillen"]
    assert Table(game, ["greedy", "random"]).run_numbers(5, False)[engine.UNREAD] == READS_FEW | READS_REST
    assert Table(game, ["greedy", unmarked]).run_numbers(5, False)[engine.UNREAD] == 0
    assert Table(game, ["greedy", "greedy,call=random"]).run_numbers(5, False)[engine.UNREAD] == READS_WORD | READS_FEW | READS_REST
