"""The golden playthroughs are what the package plays today, and there is one for every game."""

from __future__ import annotations

from typing import Any

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


def won(row: Any, family: str) -> tuple[list[int], list[int]]:
    """Return tricks and points of the seats, added up from the tricks as they are written out."""
    twin, seats, trump = (manille, 4, str(row["call"])) if family == "manille" else (manchego, 3, str(row["trump"]))
    tricks, points = [0] * seats, [0] * seats
    for trick in golden.tricks_of(row, twin, seats, trump):
        tricks[trick.winner] += 1
        points[trick.winner] += manille.points(trick.cards) if family == "manille" else 0
    return tricks, points


@each_case
def test_tricks_as_written_add_up_to_the_result(name: str) -> None:
    for index in golden.CASES[name].deals:
        run = golden.CASES[name].run(1, index)
        row = run.deals.iloc[0]
        tricks, points = won(row, run.game.family)
        if run.game.family == "manchego":
            assert tricks == [row[f"tricks_{seat}"] for seat in range(3)]
        else:
            assert [row["tricks_0"], row["points_0"]] == [tricks[0] + tricks[2], points[0] + points[2]]
            assert [row["tricks_1"], row["points_1"]] == [tricks[1] + tricks[3], points[1] + points[3]]


@each_case
def test_deals_shown_are_those_of_the_longer_run(name: str) -> None:
    case = golden.CASES[name]
    whole = case.run(max(case.deals) + 1).deals
    for index in case.deals:
        assert case.run(1, index).deals.iloc[0].equals(whole.iloc[index])
