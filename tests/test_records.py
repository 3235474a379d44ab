"""Recorded deals in parts: a range or a shard at a time, and no other shard is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import trickbench
from trickbench import results as results_module
from trickbench.errors import RunError, UsageError
from trickbench.experiment import parse_experiment
from trickbench.results import play_experiment

SHARD, DEALS = 1024, 3000


@pytest.fixture(scope="module", params=["deals", "plays"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a recorded run of three shards, of both games."""
    matches = [
        {"name": "strict", "game": "manillen", "agents": ["greedy", "random"], "deals": DEALS, "record": request.param},
        {"name": "three", "game": "manchego", "agents": "greedy", "deals": DEALS, "record": request.param},
    ]
    out = tmp_path_factory.mktemp("records") / "r"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results_module, "SHARD", SHARD)
        play_experiment(parse_experiment({"seed": 3, "match": matches}, "records"), out, figures=False)
    return out


def ranges() -> list[tuple[int, int]]:
    return [(0, 1), (1023, 1), (1024, 1), (1000, 100), (0, DEALS), (1024, 1024), (900, 2000), (DEALS - 1, 1)]


@pytest.mark.parametrize(("first", "count"), ranges())
def test_rows_of_a_range_are_those_of_the_whole(folder: Path, first: int, count: int) -> None:
    for run in trickbench.load(folder):
        part = run.deal_rows(first, count)
        pd.testing.assert_frame_equal(part, run.deals.iloc[first : first + count].reset_index(drop=True))


def test_pieces_are_the_shards_in_deal_order(folder: Path) -> None:
    for run in trickbench.load(folder):
        pieces = list(run.iter_deals())
        assert [len(piece) for piece in pieces] == [1024, 1024, 952]
        pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), run.deals)


def test_other_shards_are_not_opened(folder: Path) -> None:
    damaged = [folder / match / f"deals-00000{shard}.parquet" for match in ("strict", "three") for shard in (0, 2)]
    before = [path.read_bytes() for path in damaged]
    whole = [run.deals for run in trickbench.load(folder)]
    try:
        for path in damaged:
            path.write_bytes(b"damaged")
        for run, deals in zip(trickbench.load(folder), whole, strict=True):
            pd.testing.assert_frame_equal(run.deal_rows(1100, 900), deals.iloc[1100:2000].reset_index(drop=True))
            assert run.show(1500).data["deal"] == 1500
            with pytest.raises(RunError, match="deals-000002"):
                run.show(2500)
            pieces = run.iter_deals()
            with pytest.raises(RunError, match="deals-000000"):
                next(pieces)
    finally:
        for path, content in zip(damaged, before, strict=True):
            path.write_bytes(content)


def test_a_shard_that_is_too_short_is_told(folder: Path) -> None:
    path = folder / "strict" / "deals-000000.parquet"
    before = path.read_bytes()
    try:
        path.write_bytes((folder / "strict" / "deals-000002.parquet").read_bytes())
        with pytest.raises(RunError, match=r"deals-000000\.parquet' cannot be read as a shard: it does not hold deals 990 to 1009"):
            trickbench.load(folder)["strict"].deal_rows(990, 20)
    finally:
        path.write_bytes(before)


@pytest.mark.parametrize("shard", [700, 1 << 20])
def test_a_run_in_memory_has_the_same_parts(shard: int) -> None:
    run = trickbench.simulate(trickbench.game("manillen"), "greedy", 2000, seed=3, record="plays", first=500)
    run.shard = shard
    pd.testing.assert_frame_equal(run.deal_rows(700, 30), run.deals.iloc[200:230].reset_index(drop=True))
    pieces = list(run.iter_deals())
    assert [len(piece) for piece in pieces] == ([200, 700, 700, 400] if shard == 700 else [2000])
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), run.deals)


@pytest.mark.parametrize(("first", "count"), [(-1, 1), (499, 2), (2499, 2), (2500, 1), (600, 0), (600, -1)])
def test_deals_that_a_run_does_not_have_are_refused(first: int, count: int) -> None:
    run = trickbench.simulate(trickbench.game("manillen"), "greedy", 2000, seed=3, record="deals", first=500)
    with pytest.raises(UsageError, match="it has deals 500 to 2499"):
        run.deal_rows(first, count)


@pytest.mark.parametrize("part", [lambda run: run.deal_rows(0), lambda run: run.iter_deals()])
def test_a_run_without_deals_says_how_to_keep_them(part: Any) -> None:
    with pytest.raises(UsageError, match="record='deals'"):
        part(trickbench.simulate(trickbench.game("manillen"), "greedy", 100))
