"""Tournaments: against plain statements from single runs, for any cut; ratings that do not depend on the order of agents."""

from __future__ import annotations

import json
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

import trickbench
from trickbench.cli import main
from trickbench.errors import UsageError
from trickbench.experiment import parse_experiment
from trickbench.stats.ratings import bradley_terry
from trickbench.studies import playing
from trickbench.studies.folder import load_studies, play_studies
from trickbench.studies.threes import PLACES, kinds_of_orders, order_of, table_of_three, weights_of_orders
from trickbench.studies.tournaments import tournament

MANILLE = ["random", "greedy", "heuristic", "play=heuristic,call=longest"]
MANCHEGO = ["random", "greedy", "heuristic", "play=heuristic,bid=sure-tricks"]
DEALS = 600


def test_payoffs_of_pairs_are_those_of_single_runs_on_deals_of_their_own() -> None:
    game = trickbench.game("manillen")
    found = tournament(game, MANILLE, DEALS, seed=3)
    wins, ties = np.zeros((4, 4)), np.zeros((4, 4))
    for number, (one, other) in enumerate(combinations(range(4), 2)):
        runs = [
            trickbench.simulate(game, [MANILLE[a], MANILLE[b]], DEALS, seed=3, record="deals", first=number * DEALS).deals
            for a, b in ((one, other), (other, one))
        ]
        edges = (runs[0]["net_0"].to_numpy(float) - runs[1]["net_0"].to_numpy(float)) / 2
        assert found.payoff(one, other).mean == pytest.approx(edges.mean())
        assert found.payoff(one, other).sd == pytest.approx(edges.std(ddof=1))
        assert found.payoff(other, one).high == pytest.approx(-found.payoff(one, other).low)
        for run, side in zip(runs, (0, 1), strict=True):
            wins[one, other] += (run["winner"] == side).sum()
            wins[other, one] += (run["winner"] == 1 - side).sum()
            ties[one, other] = ties[other, one] = ties[one, other] + (run["winner"] == -1).sum()
    assert found.rated.rating == pytest.approx(bradley_terry(wins, ties).rating)
    assert found.edge(2).mean == pytest.approx(np.mean([found.payoff(2, other).mean for other in (0, 1, 3)]))


def test_payoffs_of_threes_are_those_of_single_runs_in_six_seatings() -> None:
    game = trickbench.game("manchego")
    found = tournament(game, MANCHEGO, 300, seed=3)
    gaps, leads = [], []
    for number, three in enumerate(combinations(range(4), 3)):
        total = {agent: np.zeros(300) for agent in three}
        for seats in permutations(three):
            run = trickbench.simulate(game, [MANCHEGO[agent] for agent in seats], 300, seed=3, record="deals", first=number * 300).deals
            for seat, agent in enumerate(seats):
                total[agent] += run[f"score_{seat}"].to_numpy() / 6
        if 1 in three and 2 in three:
            gaps.append((total[1] - total[2]).mean())
        if 2 in three:
            leads.append((total[2] - sum(total[other] for other in three if other != 2) / 2).mean())
    assert found.payoff(1, 2).mean == pytest.approx(np.mean(gaps))
    assert found.edge(2).mean == pytest.approx(np.mean(leads))
    best = found.ratings["agent"].iloc[0]
    assert best == "heuristic"
    assert found.ratings["alpha_rank"].sum() == pytest.approx(1)


def test_orders_of_three_scores() -> None:
    scores = np.random.default_rng(2).integers(-2, 3, (500, 3))
    for three, row in zip(scores.tolist(), order_of(scores).tolist(), strict=True):
        ranks = sorted(set(three), reverse=True)
        assert PLACES[row].tolist() == [ranks.index(one) for one in three]


def test_orders_of_a_deal_count_one_for_each_seating() -> None:
    scores = np.random.default_rng(3).integers(-2, 3, (6, 200, 3))
    numbers, counts = kinds_of_orders(table_of_three(scores))
    weights = weights_of_orders(numbers)
    assert weights.sum(axis=1) == pytest.approx(np.full(len(numbers), 6))
    plain = np.zeros(6)
    for number, seats in enumerate(permutations(range(3))):
        for own in scores[number]:
            of_agent = {agent: own[seat] for seat, agent in enumerate(seats)}
            fits = [order for order in permutations(range(3)) if of_agent[order[0]] >= of_agent[order[1]] >= of_agent[order[2]]]
            for order in fits:
                plain[list(permutations(range(3))).index(order)] += 1 / len(fits)
    assert counts @ weights == pytest.approx(plain)


@pytest.mark.parametrize(("name", "agents"), [("manillen", MANILLE[:3]), ("manchego", MANCHEGO[:3])])
def test_the_digest_depends_neither_on_threads_nor_on_the_cut(name: str, agents: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    game = trickbench.game(name)
    digests = [tournament(game, agents, 500, workers=workers).digest for workers in (1, 3)]
    monkeypatch.setattr(playing, "MOST", 128)
    digests.append(tournament(game, agents, 500, workers=2).digest)
    assert len(set(digests)) == 1


def test_ratings_do_not_depend_on_the_order_of_agents() -> None:
    game = trickbench.game("manillen")
    found = {tuple(agents): tournament(game, agents, 4_000, seed=1).ratings["agent"].tolist() for agents in (MANILLE, MANILLE[::-1])}
    assert len({tuple(order) for order in found.values()}) == 1


def test_a_folder_of_a_tournament_reads_back_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"game": "manille", "agents": MANILLE[:3], "deals": 700, "anchor": "greedy"}
    experiment = parse_experiment({"name": "x", "seed": 2, "tournament": [table]}, "x")
    whole = play_studies(experiment, tmp_path / "whole", figures=False)
    kept = playing.Store.keep

    def stop(store: playing.Store, part: playing.Part, piece: playing.Piece) -> None:
        kept(store, part, piece)
        if part.key.endswith("0-2"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(playing.Store, "keep", stop)
        with pytest.raises(KeyboardInterrupt):
            play_studies(experiment, tmp_path / "cut", figures=False)
    again = play_studies(experiment, tmp_path / "cut", figures=False, resume=True)
    assert again.digest == whole.digest == load_studies(tmp_path / "cut").digest
    assert (tmp_path / "cut" / "summary.csv").read_bytes() == (tmp_path / "whole" / "summary.csv").read_bytes()
    ratings = whole["tournament-1"].ratings
    assert ratings.loc[ratings["agent"] == "greedy", "rating"].tolist() == [0]


@pytest.mark.parametrize(
    ("words", "right"),
    [
        (["random", "--game", "manillen"], "2 agents or more"),
        (["random", "greedy", "--game", "manchego"], "3 agents or more"),
        (["random", "random", "--game", "manillen"], "named twice"),
        (["random", "greedy", "--game", "manillen", "--anchor", "heuristic"], "does not play"),
    ],
)
def test_wrong_use_gets_one_line(words: list[str], right: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", *words]) == 2
    said = capsys.readouterr().err
    assert right in said
    assert said.count("\n") == 1


def test_agents_are_functions_too() -> None:
    @trickbench.kernel
    def play(view: trickbench.games.manille.layout.View) -> int:
        return view.legal & -view.legal

    found = tournament(trickbench.game("manille"), [play, "random"], 200)
    assert len(found.payoffs) == 2
    with pytest.raises(UsageError, match="2 agents or more"):
        tournament(trickbench.game("manille"), [play], 200)


def test_the_command_tells_and_answers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tournament", "random", "greedy", "heuristic", "--game", "manillen", "--deals", "300"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "3 pairings of 2, 300 deals each in 2 seatings" in said
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["digest"] in said
    assert [row["agent"] for row in facts["ratings"]] == ["heuristic", "greedy", "random"]
