"""``trickbench check``, and the example of docs/fast-agents.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import trickbench
from trickbench.checking import VECTORISED, speed
from trickbench.cli import main
from trickbench.errors import TrickbenchError
from trickbench.hints import REASONS, causes

ROOT = Path(__file__).parent.parent
FLYING = ROOT / "experiments" / "flying.py"
SOURCE = '''
from trickbench import kernel

calls = 0


def moody(view):
    """Plays otherwise every now and then: it remembers."""
    global calls
    calls += 1
    return view.legal & -view.legal if calls % 97 else 1 << (view.legal.bit_length() - 1)


@kernel
def crooked(view):
    """Plays a card it does not hold, in the last trick."""
    return view.legal & -view.legal if view.trick < 7 else 1 << 40


@kernel
def slow(view, params, rules, tables):
    if view.trick > 3:
        return view.legal & -view.legal
    k = view.word % 3
    rest = view.legal
    while k > 0 and rest & (rest - 1):
        rest &= rest - 1
        k -= 1
    found = rest & -rest
    if view.played:
        k = 1
    for _ in range(view.position):
        k += view.word // 2
    for _ in range(4):
        k += 1
    return found
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


def test_the_three_forms_of_the_example_play_the_same_cards() -> None:
    game = trickbench.game("manillen")
    digests = {trickbench.simulate(game, f"{FLYING}:{form}", 1000, seed=3, record="plays").digest for form in ("plain", "branches", "selects")}
    assert len(digests) == 1


def test_what_vectorises_is_told_from_what_does_not() -> None:
    """Two timings of one process, one above the other: how far apart depends on the machine."""
    found = {form: speed(f"{FLYING}:{form}", ["manillen"])[0] for form in ("plain", "branches", "selects")}
    assert found["selects"].one_by_one is not None
    assert found["selects"].one_by_one > VECTORISED
    assert "vectorises" in found["selects"].verdict
    assert found["selects"].causes == []
    assert found["branches"].verdict == "runs, not vectorised"
    assert len(found["branches"].causes) >= 3
    assert found["plain"].one_by_one is None
    assert "called from Python (plain)" in found["plain"].verdict
    assert found["plain"].nanoseconds > found["branches"].nanoseconds > found["selects"].nanoseconds > 0


def test_the_command_reports_legality_and_speed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "greedy", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["legal"]) == 6
    assert {(row["game"], row["decision"]) for row in answer["speed"]} == {("manillen", "play"), ("manchego", "play")}
    assert main(["check", "play=greedy,call=points", "--game", "manille"]) == 0
    text = capsys.readouterr().out
    assert "manille: 20,000 deals legal" in text
    assert "call      points" in text


def test_an_agent_of_one_game_is_left_out_of_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{FLYING}:selects"]) == 0
    assert "manchego: left out: agent" in capsys.readouterr().out


def test_what_is_wrong_is_one_line(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    assert main(["check", f"{file}:moody", "--game", "manillen"]) == 1
    assert "it does not do the same again; deal" in capsys.readouterr().err
    assert main(["check", f"{file}:crooked", "--game", "manillen"]) == 1
    assert "which is not one legal choice" in capsys.readouterr().err
    assert main(["check", "gredy"]) == 2
    assert "did you mean 'greedy'?" in capsys.readouterr().err
    assert main(["check", "greedy", "--game", "manila"]) == 2
    assert "unknown game 'manila'" in capsys.readouterr().err
    with pytest.raises(TrickbenchError, match="does not play manchego"):
        main_or_raise("longest", "manchego")


def main_or_raise(agent: str, game: str) -> Any:
    from trickbench.checking import legal_and_repeatable

    return legal_and_repeatable(agent, [game])


def test_the_source_is_read_for_usual_causes(file: Path) -> None:
    from trickbench.registry import find

    told = causes(find(f"{file}:slow").manille["play"])
    lines = [line.split(", line ")[1] for line in told]
    numbers = [int(line.split(":")[0]) for line in lines]
    assert numbers == sorted(numbers)
    for reason in ("return", "loop", "divide", "branch"):
        assert any(REASONS[reason] in line for line in told), reason
    assert sum(REASONS["loop"] in line for line in told) == 2, "a loop of constant length is none of them"
    assert causes(lambda view: view.legal) == []
