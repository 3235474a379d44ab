"""The comparison with other toolkits: its table, its ratios, and what it says of those that are missing. None of them is needed."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the script as a module; it finds the file beside it as it does when run."""
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    return importlib.import_module("peers")


@pytest.fixture
def clock(peers: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], Callable[[], Callable[[int], None]]]:
    """Return what makes a builder of play at so many deals a second, on a clock that only play moves; half of the time is the processor's."""
    now = [0.0]
    monkeypatch.setattr(peers.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(peers.time, "process_time", lambda: now[0] / 2)

    def at(speed: float) -> Callable[[], Callable[[int], None]]:
        def play(deals: int) -> None:
            now[0] += deals / speed

        return lambda: play

    return at


def contender(peers: ModuleType, toolkit: str, game: str, build: Any, nearest: str = "manillen") -> Any:
    return peers.Contender(toolkit, game, "a loop", 32, nearest, build)


def no_such_package() -> None:
    raise ModuleNotFoundError("No module named 'colver'")


@pytest.fixture
def table(peers: ModuleType, clock: Callable[[float], Any]) -> pd.DataFrame:
    """Return the table of two stubs of trickbench's, two peers', and one that is missing, twice."""
    found = [
        contender(peers, "trickbench", "manillen", clock(6_000_000)),
        contender(peers, "trickbench", "manchego", clock(3_000_000), "manchego"),
        contender(peers, "jass-kit", "Jass", clock(1_500)),
        contender(peers, "open-spiel", "Oh Hell", clock(100_000), "manchego"),
        contender(peers, "colver", "Belote", no_such_package),
        contender(peers, "colver", "Belote", no_such_package, "manchego"),
    ]
    return peers.peers(found, 3, 0.5)


def test_help_needs_no_peer() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "experiments" / "peers.py"), "--help"], capture_output=True, text=True, check=True)
    assert "--rounds" in done.stdout


def test_ratios_are_to_the_nearest_game(table: pd.DataFrame) -> None:
    assert table["ratio"][:4].tolist() == pytest.approx([1, 1, 4000, 30])
    assert table["deals_per_second"][:4].tolist() == pytest.approx([6e6, 3e6, 1500, 1e5])
    assert table["core_share"][:4].tolist() == pytest.approx([0.5] * 4)


def test_a_measurement_takes_about_as_long_as_asked(table: pd.DataFrame) -> None:
    seconds = table["deals"][:4].astype(float) / table["deals_per_second"][:4].astype(float)
    assert seconds.tolist() == pytest.approx([0.5] * 4, abs=0.01)


def test_median_and_quickest_round(peers: ModuleType) -> None:
    found = peers.speed(100, [peers.Timing(wall, wall) for wall in (4.0, 1.0, 2.0)])
    assert found == {"deals": 100, "rounds": 3, "deals_per_second": 50, "best": 100, "core_share": 1}


def test_a_missing_peer_is_told_and_the_others_measured(peers: ModuleType, table: pd.DataFrame) -> None:
    assert table["note"].tolist() == [""] * 4 + ["not available: ModuleNotFoundError: No module named 'colver'"] * 2
    text = peers.markdown(table)
    assert text.splitlines()[-1] == "colver, a loop; a loop: not available: ModuleNotFoundError: No module named 'colver'"
    assert "| Jass | a loop | 32 | 1,500 | 1,500 | manillen | 4,000 |" in text


def test_deals_that_are_not_whole_are_not_measured(peers: ModuleType) -> None:
    games = importlib.import_module("peer_games")

    def play(deals: int) -> None:
        games.expect(31, 32, "cards")

    ready, missing = peers.available([contender(peers, "jass-kit", "Jass", lambda: play)], 0.1)
    assert not ready
    assert next(iter(missing.values())) == "not available: RunError: not whole deals: 31 cards, expected 32"


def test_what_is_written(peers: ModuleType, table: pd.DataFrame, tmp_path: Path) -> None:
    out = tmp_path / "new" / "peers.csv"
    peers.write(table, out, {"seed": 7})
    lines = out.read_text().splitlines()
    assert lines[0] == "toolkit,version,game,how,cards,nearest,deals,rounds,deals_per_second,best,core_share,ratio,note"
    assert lines[3].endswith("Jass,a loop,32,manillen,750,3,1500,1500,0.5,4000.0,")
    assert lines[5].endswith("Belote,a loop,32,manillen,,,,,,,not available: ModuleNotFoundError: No module named 'colver'")
    report = json.loads(out.with_suffix(".json").read_text())
    assert report["seed"] == 7
    assert report["rows"][4]["ratio"] is None


def test_trickbench_plays_what_it_is_asked(peers: ModuleType) -> None:
    for found in peers.CONTENDERS[:2]:
        found.build()(100)
