"""Duels: against a plain second statement of what an edge is, for any cut, stopped and resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trickbench
from trickbench.cli import main
from trickbench.errors import RunError, UsageError
from trickbench.experiment import parse_experiment
from trickbench.studies import control, playing
from trickbench.studies.duels import duel
from trickbench.studies.folder import load_studies, play_studies
from trickbench.studies.study import add_up, count_rows

DEALS = 2_000
AGENTS = ("heuristic", "greedy")


def plain_edges(game: Any, a: str, b: str, deals: int, seed: int) -> list[float]:
    """What A has more than B in each deal, as CONTRACTS defines it, from tables of single runs."""
    if game.family == "manille":
        first = trickbench.simulate(game, [a, b], deals, seed=seed, record="deals").deals["net_0"]
        second = trickbench.simulate(game, [b, a], deals, seed=seed, record="deals").deals["net_0"]
        return [(one - other) / 2 for one, other in zip(first.tolist(), second.tolist(), strict=True)]
    ours, theirs = np.zeros(deals), np.zeros(deals)
    for seats in ("AAB", "ABA", "BAA", "BBA", "BAB", "ABB"):
        table = trickbench.simulate(game, [a if who == "A" else b for who in seats], deals, seed=seed, record="deals").deals
        for seat, who in enumerate(seats):
            (ours if who == "A" else theirs)[:] += table[f"score_{seat}"].to_numpy()
    return list(ours / 9 - theirs / 9)


@pytest.mark.parametrize("name", ["manillen", "manille", "manchego"])
def test_the_edge_is_the_mean_over_deals_in_all_seatings(name: str) -> None:
    game = trickbench.game(name)
    found, plain = duel(game, *AGENTS, DEALS, seed=5), plain_edges(game, *AGENTS, DEALS, 5)
    assert found.edge.n == DEALS
    assert found.edge.mean == pytest.approx(np.mean(plain))
    assert found.edge.sd == pytest.approx(np.std(plain, ddof=1))
    assert found.bootstrap.low == pytest.approx(found.edge.low, abs=0.1)


def test_rates_pairs_and_effects_are_those_of_the_single_runs() -> None:
    game = trickbench.game("manillen")
    found = duel(game, *AGENTS, DEALS, seed=5)
    first = trickbench.simulate(game, list(AGENTS), DEALS, seed=5, record="deals").deals
    second = trickbench.simulate(game, list(reversed(AGENTS)), DEALS, seed=5, record="deals").deals
    won = (first["winner"] == 0).astype(int) + (second["winner"] == 1)
    tied = (first["winner"] == -1).astype(int) + (second["winner"] == -1)
    assert found.rates["win"].mean == pytest.approx(won.mean() / 2)
    assert found.rates["tie"].mean == pytest.approx(tied.mean() / 2)
    assert sum(rate.mean for rate in found.rates.values()) == pytest.approx(1)
    assert found.pairs.tolist() == [int((2 * won + tied == k).sum()) for k in range(5)]
    assert found.effects["A in seats 0+2"].mean == pytest.approx(first["net_0"].mean())
    nets = np.where(first["dealer"] % 2 == 0, first["net_0"], -second["net_0"])
    assert found.effects["A's side deals"].mean == pytest.approx(nets.mean())
    assert found.effects["A's side deals"].n == DEALS
    assert found.single.sd == pytest.approx(np.std(np.concatenate([first["net_0"], -second["net_0"]]), ddof=1))


def test_in_manchego_every_group_of_seats_has_every_deal_once() -> None:
    found = duel(trickbench.game("manchego"), *AGENTS, 900, seed=2)
    assert {effect.n for effect in found.effects.values()} == {900}
    alone = np.mean([found.effects[f"A alone, bids {place}"].mean for place in ("first", "second", "last")])
    table = [trickbench.simulate(trickbench.game("manchego"), seats, 900, seed=2, record="deals").deals for seats in (
        ["greedy", "greedy", "heuristic"], ["greedy", "heuristic", "greedy"], ["heuristic", "greedy", "greedy"])]  # fmt: skip
    plain = np.mean([
        run[f"score_{seat}"].mean() - sum(run[f"score_{other}"].mean() for other in range(3) if other != seat) / 2
        for run, seat in zip(table, (2, 1, 0), strict=True)
    ])  # fmt: skip
    assert alone == pytest.approx(plain)


@pytest.mark.parametrize("name", ["manillen", "manchego"])
def test_an_agent_against_itself_is_even_to_the_point(name: str) -> None:
    found = duel(trickbench.game(name), "heuristic", "heuristic", 500, seed=1)
    assert found.edge.mean == 0
    assert found.edge.sd == 0


def test_the_digest_depends_neither_on_threads_nor_on_the_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    game, asked = trickbench.game("manillen"), {"games": 60, "control": 300, "rollouts": 4}
    digests = [duel(game, *AGENTS, 1500, seed=3, workers=workers, **asked).digest for workers in (1, 2, 3)]
    monkeypatch.setattr(playing, "MOST", 128)
    digests.append(duel(game, *AGENTS, 1500, seed=3, workers=1, **asked).digest)
    assert len(set(digests)) == 1


def test_python_agents_duel_like_compiled_ones() -> None:
    game = trickbench.game("manille")

    def play(view: Any) -> int:
        return int(view.legal & -view.legal)

    @trickbench.kernel
    def play_compiled(view: Any) -> int:
        return view.legal & -view.legal

    assert duel(game, play, "random", 200).digest == duel(game, play_compiled, "random", 200).digest


def test_a_duel_in_games_counts_games_won(monkeypatch: pytest.MonkeyPatch) -> None:
    game = trickbench.game("manillen", best_of=1)
    found = duel(game, *AGENTS, 128, seed=4, games=200)
    first = trickbench.play_games(game, list(AGENTS), 200, seed=4).games["winner"]
    second = trickbench.play_games(game, list(reversed(AGENTS)), 200, seed=4).games["winner"]
    won = (first == 0).astype(int) - (first == 1) + (second == 1) - (second == 0)
    assert found.games is not None
    assert found.games.mean == pytest.approx(won.mean() / 2)
    assert found.games.n == 200


def test_the_control_variate_is_a_regression_on_rollouts() -> None:
    game, rollouts, deals, seed = trickbench.game("manillen"), 3, 400, 6
    found = duel(game, *AGENTS, 128, seed=seed, control=deals, rollouts=rollouts).control
    assert found is not None
    tables = [control.Table(game, list(AGENTS)), *[control.Table(game, policy) for policy in control.POLICIES for _ in range(rollouts)]]
    words = [None, *control.word_seeds(seed, rollouts) * 2]
    chunks = next(control.play_tables(tables, seed, 0, deals, 1, "deals", deals, words=words))
    nets = np.array([scores[:, 0].astype(float) - scores[:, 1] for _, scores in (game.deal_scores(chunk.codes) for chunk in chunks)])
    x, ys = nets[0], nets[1:].reshape(2, rollouts, deals).sum(axis=1)
    halves, means, left = np.arange(deals) // 4 % 2, [], []
    for half in (0, 1):
        fitted = np.column_stack([np.ones((halves != half).sum()), *ys[:, halves != half]])
        slopes = np.linalg.lstsq(fitted, x[halves != half], rcond=None)[0][1:]
        rest = x[halves == half] - slopes @ ys[:, halves == half]
        means.append(rest.mean())
        left.append(rest.var(ddof=1))
    assert found.plain.mean == pytest.approx(x.mean())
    assert found.controlled.mean == pytest.approx(np.mean(means))
    assert found.controlled.sd == pytest.approx(np.sqrt(np.mean(left)))
    assert found.factor > 1.2


@pytest.mark.parametrize("name", ["manillen", "manchego"])
def test_rollouts_are_even_among_equals(name: str) -> None:
    # The mean of the control variates has to be 0, or they would move the estimate.
    game = trickbench.game(name)
    total = duel(game, *AGENTS, 128, seed=8, control=12_000, rollouts=1).totals["control"]
    for variable in ("y0", "y1"):
        sums, squares = total[f"sum_one_{variable}"], total[f"sum_{variable}_{variable}"]
        assert (sums.abs() < 4 * np.sqrt(squares)).all(), (variable, sums)


def experiment(deals: int = 3_000, **more: Any) -> Any:
    duels = [{"name": "one", "game": "manillen", "agents": list(AGENTS), "deals": deals, "games": 40, **more}]
    duels.append({"name": "two", "game": "manchego", "agents": list(AGENTS), "deals": deals // 2})
    return parse_experiment({"name": "duels", "seed": 9, "duel": duels}, "duels")


def test_a_folder_of_duels_reads_back_and_resumes_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play_studies(experiment(), tmp_path / "whole", figures=False)
    assert load_studies(tmp_path / "whole").digest == whole.digest
    assert trickbench.load(tmp_path / "whole").digest == whole.digest
    monkeypatch.setattr(playing, "MOST", 256)
    kept = playing.Store.keep
    written = []

    def stop_after_five(store: Any, part: Any, piece: Any) -> None:
        kept(store, part, piece)
        written.append(piece)
        if len(written) == 5:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(playing.Store, "keep", stop_after_five)
        with pytest.raises(KeyboardInterrupt):
            play_studies(experiment(), tmp_path / "cut", figures=False)
    assert json.loads((tmp_path / "cut" / "manifest.json").read_text())["status"] == "stopped: KeyboardInterrupt"
    with pytest.raises(RunError, match="--resume"):
        load_studies(tmp_path / "cut")
    with pytest.raises(UsageError, match="not finished: --resume"):
        play_studies(experiment(), tmp_path / "cut", figures=False)
    with pytest.raises(UsageError, match="holds another run"):
        play_studies(experiment(4_000), tmp_path / "cut", figures=False, resume=True)
    again = play_studies(experiment(), tmp_path / "cut", workers=1, figures=False, resume=True)
    assert again.resumed is not None
    assert again.resumed.deals == 5 * 256
    assert again.digest == whole.digest
    for name in ("summary.csv", "one/differences.csv", "two/precision.csv"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    done = play_studies(experiment(), tmp_path / "cut", figures=False, resume=True)
    assert done.resumed is not None
    assert done.resumed.complete


def test_a_damaged_piece_is_played_again(tmp_path: Path) -> None:
    whole = play_studies(experiment(), tmp_path / "run", figures=False)
    piece = sorted((tmp_path / "run" / "one").glob("deals-*.parquet"))[0]
    piece.write_bytes(piece.read_bytes()[:-20])
    with pytest.raises(RunError, match=piece.name):
        load_studies(tmp_path / "run")
    again = play_studies(experiment(), tmp_path / "run", figures=False, resume=True)
    assert again.resumed is not None
    assert again.resumed.damaged == [str(piece)]
    assert again.digest == whole.digest


def test_a_piece_that_went_missing_is_played_again(tmp_path: Path) -> None:
    whole = play_studies(experiment(), tmp_path / "run", figures=False)
    sorted((tmp_path / "run" / "two").glob("deals-*.parquet"))[-1].unlink()
    with pytest.raises(RunError, match="deals of part 'deals' are missing"):
        load_studies(tmp_path / "run")
    again = play_studies(experiment(), tmp_path / "run", figures=False, resume=True)
    assert again.resumed is not None
    assert not again.resumed.complete
    assert again.digest == whole.digest


def test_tables_of_counts_add_up_in_any_cut() -> None:
    draw = np.random.default_rng(1)
    columns = {"a": draw.integers(-3, 4, 500), "b": draw.integers(0, 2, 500)}
    whole = count_rows(columns)
    parts = [count_rows({name: column[k : k + 77] for name, column in columns.items()}) for k in range(0, 500, 77)]
    pd.testing.assert_frame_equal(add_up(parts), whole)
    plain = pd.DataFrame(columns).value_counts(sort=False).sort_index()
    assert whole["count"].tolist() == plain.tolist()
    wide = {"a": draw.integers(-(10**9), 10**9, 500), "b": columns["b"]}
    assert count_rows(wide)["count"].sum() == 500


@pytest.mark.parametrize(
    ("words", "right"),
    [
        (["duel", "heuristic", "greedy", "--game", "manillen", "--deals", "0"], "a whole number from 1"),
        (["duel", "heuristic", "greedyy", "--game", "manillen"], "greedy"),
        (["duel", "heuristic", "greedy", "--game", "manillen", "--resume"], "--out is missing"),
        (["duel", "heuristic", "greedy", "--game", "manillen", "--edges", "0,1"], "--until-decided"),
        (["duel", "heuristic", "greedy", "--game", "manillen", "--until-decided", "--edges", "1"], "two numbers"),
        (["power", "--edge", "0.5", "--deals", "100"], "one of --edge and --deals"),
        (["power", "--edge", "0"], "edge"),
        (["power", "--edge", "1", "--agents", "random", "greedy"], "--game"),
    ],
)
def test_wrong_use_gets_one_line(words: list[str], right: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert right in said
    assert said.count("\n") == 1


def test_the_command_tells_and_answers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["duel", *AGENTS, "--game", "manillen", "--deals", "500", "--seed", "5"]) == 0
    said = capsys.readouterr().out
    assert "A's edge" in said
    assert "500 deals, each in 2 seatings" in said
    assert main(["duel", *AGENTS, "--game", "manillen", "--deals", "500", "--seed", "5", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["digest"] in said
    assert facts["deals_played"] == 500


def test_power_counts_deals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power", "--edge", "0.5"]) == 0
    assert "1,131 deals" in capsys.readouterr().out
    assert main(["power", "--edge", "0.5", "--agents", *AGENTS, "--game", "manillen"]) == 0
    assert "independent deals would take" in capsys.readouterr().out
