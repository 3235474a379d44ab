"""The golden playthroughs are what the package plays today, and there is one for every game."""

from __future__ import annotations

import pytest

from tests import golden
from tests.twins import manchego, manille
from trickbench.games.registry import GAMES

each_case = pytest.mark.parametrize("name", golden.CASES)


@each_case
def test_file_is_what_is_played_today(name: str) -> None:
    path = golden.FOLDER / f"{name}.txt"
    assert path.exists(), "python -m tests.golden writes it"
    assert golden.text(golden.CASES[name]) == path.read_text(encoding="utf-8"), "python -m tests.golden writes it anew; read the difference first"


@each_case
def test_digest_in_the_file_is_that_of_the_run(name: str) -> None:
    lines = (golden.FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("digest")]
    assert line.split()[1] == golden.CASES[name].run(golden.COUNTED).digest
    assert len(line.split()[1]) == 16


def test_every_game_has_a_file_and_every_file_a_case() -> None:
    assert {case.game for case in golden.CASES.values() if not case.options} == set(GAMES)
    assert set(GAMES) <= set(golden.CASES)
    assert {path.stem for path in golden.FOLDER.iterdir()} == set(golden.CASES)


def test_digests_differ_from_case_to_case() -> None:
    digests = {name: golden.CASES[name].run(golden.COUNTED).digest for name in golden.CASES}
    assert len(set(digests.values())) == len(digests)


@each_case
def test_tricks_as_told_are_those_of_the_second_statement_of_the_rules(name: str) -> None:
    for index in golden.CASES[name].deals:
        run = golden.CASES[name].run(1, index)
        data = run.show(index).data
        twin, trump = (manille, data["call"]) if run.game.family == "manille" else (manchego, data["trump"])
        leader = (data["dealer"] + 1) % run.game.players
        for trick in data["tricks"]:
            assert trick["leader"] == leader
            leader = (leader + twin.winner(trick["cards"], trump)) % run.game.players
            assert trick["winner"] == leader
            assert "points" not in trick or trick["points"] == manille.points(trick["cards"])


@each_case
def test_tricks_as_told_add_up_to_the_result(name: str) -> None:
    for index in golden.CASES[name].deals:
        run = golden.CASES[name].run(1, index)
        data = run.show(index).data
        parties = len(data["scores"])
        tricks, points = [0] * parties, [0] * parties
        for trick in data["tricks"]:
            tricks[trick["winner"] % parties] += 1
            points[trick["winner"] % parties] += trick.get("points", 0)
        row = run.deals.iloc[0]
        assert tricks == data["tricks_won"] == [row[f"tricks_{party}"] for party in range(parties)]
        assert data.get("points", points) == points


@each_case
def test_deals_shown_are_those_of_the_longer_run(name: str) -> None:
    case = golden.CASES[name]
    whole = case.run(max(case.deals) + 1).deals
    for index in case.deals:
        assert case.run(1, index).deals.iloc[0].equals(whole.iloc[index])
