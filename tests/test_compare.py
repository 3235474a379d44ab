"""Comparing two runs: what differs in how they were played, and differences with their intervals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickbench
from trickbench.cli import main
from trickbench.comparing import compare, compare_text
from trickbench.configuration import changes, settings
from trickbench.experiment import parse_experiment
from trickbench.results import play_experiment
from trickbench.stats.comparison import Mean, compare_runs, independent_gap
from trickbench.stats.intervals import mean_interval, normal_quantile, rate_interval, sums_interval

DEALS = 3000


def run_into(out: Path, record: Any = False, seed: int = 3, deals: int = DEALS, **changed: Any) -> Path:
    """Play a small experiment of both games into a folder; ``changed`` are keys of its first match."""
    matches = [
        {"name": "strict", "game": "manillen", "agents": ["greedy", "random"], "deals": deals, "record": record, **changed},
        {"name": "three", "game": "manchego", "agents": ["greedy", "random", "greedy"], "deals": deals, "record": record},
    ]
    play_experiment(parse_experiment({"name": out.name, "seed": seed, "match": matches}, "x"), out, figures=False)
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with some runs."""
    folder = tmp_path_factory.mktemp("compare")
    run_into(folder / "base", "deals")
    run_into(folder / "better", "deals", deals=2000, agents=["heuristic", "random"])
    run_into(folder / "seed", "deals", seed=4)
    run_into(folder / "unrecorded", agents=["heuristic", "random"])
    run_into(folder / "renamed", name="other", game="manille")
    return folder


def estimate(found: Any) -> Mean:
    return Mean(found.mean, found.low, found.high)


def test_a_difference_of_rates_has_newcombes_interval() -> None:
    # Newcombe (1998), table II, method 10: 56/70 less 48/80.
    gap = independent_gap(estimate(rate_interval(48, 80)), estimate(rate_interval(56, 70)))
    assert [round(value, 4) for value in gap] == [0.2, 0.0524, 0.3339]
    assert independent_gap(estimate(rate_interval(0, 50)), estimate(rate_interval(50, 50))).high == 1


def test_a_difference_of_means_has_the_root_of_the_summed_squares() -> None:
    one = mean_interval(np.array([0, 10]), np.array([60, 40]))
    two = mean_interval(np.array([-5, 3, 20]), np.array([100, 50, 70]))
    gap = independent_gap(estimate(one), estimate(two))
    reach = normal_quantile(0.95) * math.hypot(one.sd / math.sqrt(one.n), two.sd / math.sqrt(two.n))
    assert gap == pytest.approx((two.mean - one.mean, two.mean - one.mean - reach, two.mean - one.mean + reach))


def test_sums_give_the_same_as_values() -> None:
    values = np.array([-3, 0, 7, 11])
    counts = np.array([4, 9, 2, 5])
    assert sums_interval(20, int((values * counts).sum()), int((values**2 * counts).sum())) == mean_interval(values, counts)


def test_recorded_runs_of_one_seed_are_compared_deal_by_deal(folder: Path) -> None:
    a, b = trickbench.load(folder / "base"), trickbench.load(folder / "better")
    table = compare_runs(a["strict"], b["strict"]).set_index(["who", "quantity"])
    before, now = a["strict"].deals.iloc[:2000], b["strict"].deals
    for who, quantity, column, sign in (("0+2", "net", "net_0", 1), ("1+3", "net", "net_0", -1), ("1+3", "tricks", "tricks_1", 1)):
        gap = sign * (now[column].astype(int) - before[column].astype(int))
        row = table.loc[(who, quantity)]
        reach = normal_quantile(0.95) * gap.std() / math.sqrt(2000)
        assert row["method"] == "paired"
        assert row["n"] == 2000
        assert (row["difference"], row["low"], row["high"]) == pytest.approx((gap.mean(), gap.mean() - reach, gap.mean() + reach))
    assert table.loc[("0+2", "win"), "method"] == "independent"
    assert bool(table.loc[("0+2", "net"), "differs"])
    alone = compare_runs(a["strict"], trickbench.load(folder / "unrecorded")["strict"]).set_index(["who", "quantity"])
    assert (alone["method"] == "independent").all()
    paired, independent = table.loc[("0+2", "points")], alone.loc[("0+2", "points")]
    assert (paired["high"] - paired["low"]) * math.sqrt(2000 / DEALS) < independent["high"] - independent["low"]


def test_pieces_of_any_length_give_the_same_differences(folder: Path) -> None:
    a, b = trickbench.load(folder / "base"), trickbench.load(folder / "better")
    for match in ("strict", "three"):
        whole = compare_runs(a[match], b[match])
        short = trickbench.simulate(a[match].game, a[match].agents, DEALS, seed=3, record="deals")
        short.match, short.shard = match, 700
        assert compare_runs(short, b[match]).equals(whole)


def test_runs_of_other_seeds_are_independent(folder: Path) -> None:
    a, b = trickbench.load(folder / "base"), trickbench.load(folder / "seed")
    table = compare_runs(a["three"], b["three"])
    assert (table["method"] == "independent").all()
    assert table["differs"].mean() < 0.3
    assert list(table["quantity"].unique()) == ["score", "bid", "tricks", "distance", "exact"]


def test_a_run_and_itself_differ_in_nothing(folder: Path) -> None:
    results = trickbench.load(folder / "base")
    found = compare(results, results)
    assert found.configuration == found.place == []
    assert found.digests == {"strict": True, "three": True}
    for table in found.tables.values():
        assert (table["difference"] == 0).all()
        assert not table["differs"].any()
    text = compare_text(found)
    assert "configuration: the same, with the same code" in text
    assert "digests: strict equal, three equal" in text
    assert "0.000 ± 0.000" in text


def test_forfeited_deals_leave_points_and_tricks_independent(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def play(view):\n    return 0 if view.word % 50 == 0 else view.legal & -view.legal\n")
    game = trickbench.game("manillen")
    a, b = (trickbench.simulate(game, [f"{bad}:play", other], 300, seed=3, record="deals", on_illegal="forfeit") for other in ("random", "greedy"))
    table = compare_runs(a, b).set_index(["who", "quantity"])
    assert table.loc[("0+2", "score"), "method"] == "paired"
    assert table.loc[("0+2", "points"), "method"] == "independent"
    assert ("0+2", "forfeit") in table.index


def test_the_command_names_what_differs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(folder / "base"), str(folder / "better")]) == 0
    text = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "strict: agents greedy, random heuristic, random" in lines
    assert "strict: deals 3000 2000" in lines
    assert "digests: strict different, three different" in lines
    assert any(line.startswith("0+2 net ") and line.endswith("* paired, 2,000 deals") for line in lines)
    assert any(line.startswith("0+2 win ") and " % " in line and line.endswith("independent") for line in lines)
    assert "digest of" not in text


def test_the_command_says_how_deals_could_be_paired(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(folder / "base"), str(folder / "unrecorded")]) == 0
    assert 'with record = "deals" in both' in capsys.readouterr().out


def test_matches_that_only_one_has_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(folder / "base"), str(folder / "renamed")]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "matches strict, three other, three" in lines
    assert "digests: three different" in lines
    assert "three: record deals False" in lines
    assert not [line for line in lines if line.startswith(("strict:", "other:"))]


def test_another_game_under_the_same_name_is_told(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    match = {"name": "strict", "game": "manchego", "agents": "greedy", "deals": 100}
    play_experiment(parse_experiment({"name": "x", "match": [match]}, "x"), tmp_path / "r", figures=False)
    assert main(["compare", str(folder / "base"), str(tmp_path / "r")]) == 0
    assert "strict: manillen in the first, manchego in the second: nothing to compare" in capsys.readouterr().out


def test_the_command_answers_in_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(folder / "base"), str(folder / "better"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"what": "strict: deals", "first": 3000, "second": 2000} in found["configuration"]
    assert found["digests_equal"] == {"strict": False, "three": False}
    row = found["matches"]["strict"][0]
    assert (row["who"], row["quantity"], row["method"], row["n"], row["differs"]) == ("0+2", "net", "paired", 2000, True)
    assert row["low"] < row["difference"] < row["high"]


def test_what_cannot_change_results_is_told_apart(folder: Path) -> None:
    first, second = trickbench.load(folder / "base"), trickbench.load(folder / "base")
    second.manifest["commit"] = "0123"
    second.manifest["packages"] = {**second.manifest["packages"], "numpy": "1.0"}
    found = compare(first, second)
    assert found.configuration == []
    assert [change.what for change in found.place] == ["commit", "version of numpy"]
    assert "elsewhere" in compare_text(found)


def test_what_follows_from_another_difference_is_left_out(folder: Path) -> None:
    base, better = (settings(trickbench.load(folder / name).manifest) for name in ("base", "better"))
    told = [change.what for change in changes(base, better)]
    assert told == ["name", "strict: agents", "strict: deals", "strict: seat 0", "strict: seat 2", "three: deals"]


def test_what_is_no_finished_run_is_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(folder / "base"), str(tmp_path)]) == 2
    assert "is not a results folder" in capsys.readouterr().err
    out = run_into(tmp_path / "r")
    (out / "three" / "counts-000000.parquet").unlink()
    assert main(["compare", str(folder / "base"), str(out)]) == 1
    assert "the run did not finish" in capsys.readouterr().err
