"""Measuring this machine, and the compile cache by command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from trickbench import RunError, game, simulate
from trickbench.benchmark import speeds
from trickbench.benchmark.processes import peak_memory, start_up
from trickbench.cli import main


@pytest.mark.parametrize("family", speeds.YARDSTICKS)
def test_the_yardstick_counts_what_the_lanes_count(family: str) -> None:
    assert speeds.yardstick_work(family, 500)() == 500


def test_a_yardstick_that_counts_something_else_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speeds, "simulate", lambda *_, **__: simulate(game("manillen"), "greedy", 10_000, seed=1))
    with pytest.raises(RunError, match="count different outcomes in manillen"):
        speeds.yardstick_work("manille", 500)


def test_the_report_has_every_case_and_its_ratios(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    assert main(["bench", "--deals", "1000", "--rounds", "2", "--workers", "3", "--speed-only", "--steps", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "scalar yardstick" in text
    assert "heuristic, auction too, matches to 101" in text
    assert "2 threads, manillen, random" in text
    report = json.loads(out.read_text())
    rows = report["speeds"]
    assert {(row["game"], row["case"]) for row in rows} >= {(case.game, case.name) for case in speeds.CASES}
    assert all(row["best"] >= row["median"] > 0 for row in rows)
    one = next(row for row in rows if row["case"] == "greedy against random" and row["threads"] == 1)
    yardstick = next(row for row in rows if row["game"] == "manillen" and "yardstick" in row["case"])
    assert one["to_yardstick"] == pytest.approx(one["median"] / yardstick["median"])
    assert [row["threads"] for row in rows if (row["game"], row["case"]) == ("manillen", "random")] == [1, 2, 3]
    assert {row["game"] for row in rows if row["case"] == speeds.ROLLOUT} == {"manillen", "manchego"}
    loops = {(row["game"], row["loop"]): row for row in report["steps"]}
    assert loops["manillen", "few_2"]["calls"] == 8
    assert loops["manchego", "take_0"]["calls"] == 17
    assert loops["manchego", "deal"]["a_deal"] > 0
    assert np.isclose(next(row for row in rows if row["threads"] == 3)["deals"], 6000)


def test_wrong_numbers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--rounds", "0"]) == 2
    assert "rounds cannot be '0'" in capsys.readouterr().err


def test_peak_memory_is_told() -> None:
    found = peak_memory(2000)
    assert found is not None
    assert list(found) == ["1,000 deals", "2,000 deals", "2,000 deals, each recorded"]
    assert all(20 < value < 2000 for value in found.values())


@pytest.mark.slow
def test_start_up_times_are_told() -> None:
    found = start_up()
    assert found["first thousand deals, cold"] > found["first thousand deals, warm"] > found["help"] > 0
    assert found["files added when warm"] == 0
    assert all(found["compiling"][name] > found["loading"][name] for name in found["loading"])


def test_clearing_the_cache_says_what_was_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = tmp_path / "trickbench" / "0.1.0-old" / "engine"
    folder.mkdir(parents=True)
    (folder / "a.nbc").write_bytes(b"x" * 1_500_000)
    (tmp_path / "not-ours").write_text("kept")
    assert main(["cache", "clear"]) == 0
    assert "removed 1 files, 1.5 MB" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["not-ours"]
    assert main(["cache", "clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == 0


def test_warming_the_cache_compiles_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "warm", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert done["files"] > 100
    assert main(["cache", "cool"]) == 2
    assert "invalid choice: 'cool'" in capsys.readouterr().err
