"""Duels that stop when they are decided: at the same deal for any cut, as the test says, labelled and corrected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickbench
from trickbench.cli import main
from trickbench.errors import UsageError
from trickbench.experiment import parse_experiment
from trickbench.stats.sequential import MarginState, MarginTest, PairState, PairTest
from trickbench.studies import playing
from trickbench.studies.deciding import Rule, read_rule
from trickbench.studies.duels import duel
from trickbench.studies.folder import load_studies, play_studies

GAME = trickbench.game("manillen")
AGENTS = ("play=heuristic,call=heuristic,double=heuristic,redouble=heuristic", "play=heuristic,call=heuristic")
RULE = Rule("margin", 0, 0.3)
NARROW = Rule("margin", 0.35, 0.45)


def sequence(agents: tuple[str, str], deals: int, seed: int) -> tuple[Any, Any]:
    """A's two net scores in every deal, from two plain runs."""
    first = trickbench.simulate(GAME, list(agents), deals, seed=seed, record="deals").deals["net_0"].to_numpy(np.int64)
    second = -trickbench.simulate(GAME, list(reversed(agents)), deals, seed=seed, record="deals").deals["net_0"].to_numpy(np.int64)
    return first, second


# Doubles change no winner, so pairs say nothing of the first two agents.
@pytest.mark.parametrize(("rule", "agents"), [(RULE, AGENTS), (Rule("pentanomial", 80, 110), ("heuristic", "greedy"))])
def test_a_duel_stops_where_the_test_stops_on_the_whole_sequence(rule: Rule, agents: tuple[str, str]) -> None:
    found = duel(GAME, *agents, 30_000, seed=4, until_decided=rule)
    first, second = sequence(agents, 30_000, 4)
    low, high = rule.edges
    if rule.pentanomial:
        pairs = (np.sign(first) + np.sign(second) + 2).astype(int)
        state: Any = PairTest(low, high).feed(PairState(), pairs)
    else:
        state = MarginTest(low, high, unit=0.5).feed(MarginState(), first + second)
    assert state.verdict in ("lower", "upper")
    assert found.decision is not None
    assert (found.decision.n, found.decision.verdict) == (state.n, state.verdict)
    assert found.edge.n == state.n
    assert found.edge.mean == pytest.approx((first + second)[: state.n].mean() / 2)


def test_neither_threads_nor_the_cut_move_the_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = [duel(GAME, *AGENTS, 20_000, seed=4, workers=workers, until_decided=RULE).digest for workers in (1, 3)]
    monkeypatch.setattr(playing, "MOST", 128)
    digests.append(duel(GAME, *AGENTS, 20_000, seed=4, workers=2, until_decided=RULE).digest)
    assert len(set(digests)) == 1


def test_the_most_deals_end_it_without_a_decision() -> None:
    found = duel(GAME, *AGENTS, 200, seed=4, until_decided=Rule("margin", -0.001, 0.001))
    assert found.decision is not None
    assert (found.decision.verdict, found.decision.n) == ("most", 200)
    assert "nothing" in found.text()


def test_a_stopped_estimate_is_labelled_and_corrected() -> None:
    found = duel(GAME, *AGENTS, 30_000, seed=4, until_decided=RULE)
    assert found.decision is not None
    corrected = found.decision.corrected
    assert corrected.low < corrected.mean < corrected.high
    assert {"edge, biased by stopping", "edge, corrected for stopping"} <= set(found.summary["quantity"])
    assert "corrected for stopping" in found.text()


def experiment() -> Any:
    table = {"name": "sequential", "game": "manillen", "agents": list(AGENTS), "deals": 30_000, "until_decided": NARROW.as_dict()}
    return parse_experiment({"name": "x", "seed": 4, "duel": [table]}, "x")


def test_a_stopped_run_of_it_resumes_to_the_same_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play_studies(experiment(), tmp_path / "whole", figures=False)
    assert whole["sequential"].decision.n > 500
    monkeypatch.setattr(playing, "MOST", 128)
    kept = playing.Store.keep

    def stop(store: Any, part: Any, piece: Any) -> None:
        kept(store, part, piece)
        if piece.first > 0:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(playing.Store, "keep", stop)
        with pytest.raises(KeyboardInterrupt):
            play_studies(experiment(), tmp_path / "cut", figures=False)
    again = play_studies(experiment(), tmp_path / "cut", figures=False, resume=True)
    assert again.digest == whole.digest == load_studies(tmp_path / "cut").digest


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("yes", "true, or a table"),
        ({"tset": 1}, "test"),
        ({"test": "sign"}, "margin"),
        ({"low": "a"}, "a number"),
        ({"low": 1, "high": 0}, "lower first"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(said: Any, right: str) -> None:
    with pytest.raises(UsageError, match=right):
        read_rule(said)


def test_pairs_are_for_manille_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["duel", "greedy", "random", "--game", "manchego", "--until-decided", "--test", "pentanomial"]) == 2
    assert "'margin' would be right" in capsys.readouterr().err


def test_the_command_takes_edges_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["duel", *AGENTS, "--game", "manillen", "--deals", "30k", "--seed", "4", "--json"]
    assert main([*words, "--until-decided", "--edges", "0,0.3", "--errors", "0.05,0.05"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["digest"] == duel(GAME, *AGENTS, 30_000, seed=4, until_decided=RULE).digest
    assert facts["decision"]["deals"] == facts["deals_played"]
