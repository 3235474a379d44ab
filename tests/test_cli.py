"""The command line: answers, and one clear line with the right exit code for everything that is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from trickbench.cli import main

MATCH = '[[match]]\ngame = "manillen"\nagents = ["greedy", "random"]\ndeals = 1000\n'


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what a command prints when it succeeds."""
    code = main(words)
    captured = capsys.readouterr()
    assert code == 0, captured.err
    assert captured.err == ""
    return captured.out.rstrip("\n")


def refused(capsys: pytest.CaptureFixture[str], *words: str, code: int = 2) -> str:
    """Return the one line of a command that fails."""
    assert main(words) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    line = captured.err.rstrip("\n")
    assert line.startswith("trickbench: ")
    assert "\n" not in line
    assert "Traceback" not in line
    return line


def test_legal_answers_the_worked_case(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("legal", "--game", "manillen", "--trump", "S", "--trick", "HK SJ", "--hand", "SK S9 D7 C8")
    assert told(capsys, *words) == "SK"
    assert json.loads(told(capsys, *words, "--json")) == {"legal": ["SK"]}
    assert told(capsys, *words, "--rule", "overruff=free", "--rule", "undertrump=allowed") == "SK S9"


def test_legal_reads_symbols_and_ten(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "legal", "--game", "manillen", "--trump", "♠", "--trick", "♥K", "--hand", "H10.HA.C7") == "HT HA"


def test_legal_in_manchego(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "legal", "--game", "manchego", "--trick", "H2", "--hand", "HA H3 S5") == "HA H3"


def test_score_answers_the_worked_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "score", "--game", "manillen", "--points", "36", "--tricks", "5", "--no-trump", "--redoubled") == "48"
    assert told(capsys, "score", "--game", "manillen", "--points", "36", "--tricks", "5", "--no-trump", "--redoubled", "--stacking", "add") == "24"
    assert told(capsys, "score", "--game", "manchego", "--bids", "7,5,9", "--won", "9,5,3", "--scoring", "gain") == "4 8 0"
    assert told(capsys, "score", "--game", "manchego", "--bids", "7,5,9", "--won", "9,5,3", "--json") == '{"score": [2, 8, -10]}'


def test_rules_lists_every_option_of_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "rules")
    for word in ("manillen", "manille", "manchego", "undertrump_under_partner", "stacking", "hook", "seconds_per_deal"):
        assert word in text
    found = json.loads(told(capsys, "rules", "manille", "--json"))
    assert {option["option"]: option["value"] for option in found["manille"]}["en_face"] == "on"


def test_agents_lists_every_agent(capsys: pytest.CaptureFixture[str]) -> None:
    names = {agent["agent"] for agent in json.loads(told(capsys, "agents", "--json"))}
    calling = {"longest", "points", "no-trump", "never", "threshold", "book", "calibrated"}
    assert names == {"random", "greedy", "heuristic", "fixed", "sure-tricks", "expected-tricks", "mode", "utility", "either", "aware"} | calling
    assert all(name in told(capsys, "agents") for name in names)


def test_no_command_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert "commands:" in told(capsys)


def test_help_imports_neither_numba_nor_pandas() -> None:
    modules = "('numba', 'pandas', 'numpy', 'matplotlib')"
    code = f"import sys; from trickbench.cli import main\ntry: main(['--help'])\nexcept SystemExit: print([m for m in {modules} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_dry_run_plays_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = told(capsys, "run", "quickstart", "--dry-run", "--out", str(tmp_path / "r"))
    assert "1,000,000 deals of manillen" in text
    assert "seat 3: play=random,call=random,double=never,redouble=never" in text
    assert not (tmp_path / "r").exists()


def test_run_prints_tables_and_writes_the_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = told(capsys, "run", "quickstart", "--deals", "3k", "--out", str(tmp_path / "r"), "--workers", "2")
    for word in ("net score a deal", "trump calls", "bids made", "digest:", "3,000 deals of manchego"):
        assert word in text
    assert len(list((tmp_path / "r" / "figures").glob("*.png"))) == 12


def test_run_answers_in_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = json.loads(told(capsys, "run", "quickstart", "--deals", "1000", "--out", str(tmp_path / "r"), "--no-figures", "--json"))
    assert {row["match"] for row in answer["summary"]} == {"manillen", "manillen-random", "manillen-itself", "manchego"}
    assert not (tmp_path / "r" / "figures").exists()


def test_an_existing_folder_is_refused_and_left_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "mine.txt").write_text("mine")
    line = refused(capsys, "run", "quickstart", "--deals", "1000", "--out", str(tmp_path / "r"))
    assert "never overwritten" in line
    assert "--out" in line
    assert [path.name for path in (tmp_path / "r").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["runn"], ["command 'runn'", "'run'"]),
        (["run"], ["EXPERIMENT"]),
        (["run", "quickstrat"], ["experiment 'quickstrat'", "'quickstart'"]),
        (["run", "no/such.toml"], ["no/such.toml"]),
        (["run", "quickstart", "--dealz", "5"], ["--dealz", "--deals"]),
        (["run", "quickstart", "--deals", "0"], ["deals cannot be '0'", "from 1 to"]),
        (["run", "quickstart", "--deals", "-1"], ["deals cannot be '-1'"]),
        (["run", "quickstart", "--deals", "1e30"], ["deals cannot be '1e30'"]),
        (["run", "quickstart", "--deals", "many"], ["deals cannot be 'many'", "2M"]),
        (["run", "quickstart", "--deals", "2.5"], ["deals cannot be '2.5'"]),
        (["run", "quickstart", "--workers", "0", "--out", "/nowhere/x"], ["workers cannot be '0'"]),
        (["run", "quickstart", "--seed", "x"], ["seed cannot be 'x'"]),
        (["compare", "results/none"], ["required: DIR"]),
        (["compare", "results/none", "results/none"], ["'results/none' is not a results folder"]),
        (["run", "quickstart", "--resum"], ["--resum", "--resume"]),
        (["legal", "--game", "whist", "--hand", "SK"], ["game 'whist'", "manillen"]),
        (["legal", "--game", "manilen", "--hand", "SK"], ["'manillen'"]),
        (["legal", "--game", "manillen", "--hand", "SX"], ["card 'SX'", "TAKQJ987"]),
        (["legal", "--game", "manillen", "--hand", "S2"], ["card 'S2'"]),
        (["legal", "--game", "manillen", "--hand", "SK SK"], ["'SK' stands twice"]),
        (["legal", "--game", "manillen", "--hand", ""], ["1 to 8 cards"]),
        (["legal", "--game", "manillen", "--hand", "SK", "--trick", "SK"], ["in the hand and in the trick"]),
        (["legal", "--game", "manillen", "--hand", "SK", "--trick", "S7 S8 S9 SJ"], ["at most 3"]),
        (["legal", "--game", "manillen", "--hand", "SK", "--trump", "X"], ["trump 'X'", "NT"]),
        (["legal", "--game", "manchego", "--hand", "SK", "--trump", "NT"], ["trump 'NT'", "C D H S"]),
        (["legal", "--game", "manillen", "--hand", "SK", "--rule", "undertrump"], ["OPTION=VALUE"]),
        (["legal", "--game", "manillen", "--hand", "SK", "--rule", "undertrum=allowed"], ["'undertrum'", "'undertrump'"]),
        (["legal", "--game", "manillen", "--hand", "SK", "--rule", "undertrump=maybe"], ["'maybe'", "forbidden, allowed, forced"]),
        (["score", "--game", "manillen"], ["--points is missing"]),
        (["score", "--game", "manillen", "--points", "61"], ["points cannot be 61", "0 to 60"]),
        (["score", "--game", "manillen", "--points", "x"], ["--points", "'x'"]),
        (["score", "--game", "manillen", "--points", "60"], ["number of tricks"]),
        (["score", "--game", "manillen", "--points", "36", "--tricks", "8"], ["36 points cannot be taken in 8 tricks"]),
        (["score", "--game", "manillen", "--points", "36", "--carry", "3"], ["carry cannot be 3"]),
        (["score", "--game", "manillen", "--points", "36", "--bids", "1,2,3"], ["--bids does not belong to manillen"]),
        (["score", "--game", "manchego", "--bids", "1,2,3"], ["--won is missing"]),
        (["score", "--game", "manchego", "--bids", "1,2", "--won", "9,5,3"], ["bids cannot be '1,2'"]),
        (["score", "--game", "manchego", "--bids", "1,2,18", "--won", "9,5,3"], ["bids cannot be '1,2,18'"]),
        (["score", "--game", "manchego", "--bids", "1,2,3", "--won", "9,5,4"], ["sums to 18"]),
        (["rules", "whist"], ["game 'whist'"]),
        (["agents", "--jsno"], ["--jsno", "--json"]),
        (["--nonsense"], ["--nonsense"]),
    ],
)  # fmt: skip
def test_wrong_words_get_one_line(capsys: pytest.CaptureFixture[str], words: list[str], parts: list[str]) -> None:
    line = refused(capsys, *words)
    for part in parts:
        assert part in line, line


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("name = 3\n" + MATCH, ["name cannot be 3"]),
        ("nmae = 'x'\n" + MATCH, ["key 'nmae'", "'name'"]),
        ("seed = -1\n" + MATCH, ["seed cannot be '-1'"]),
        ("seed = 1.5\n" + MATCH, ["seed cannot be '1.5'"]),
        ("name = 'a/b'\n" + MATCH, ["name cannot be 'a/b'"]),
        ("name = 'x'\n", ["no [[match]]"]),
        ("match = 3\n", ["[[match]] would be right"]),
        ("x = [\n", ["not a TOML file"]),
        (MATCH.replace("manillen", "manilen"), ["match 1", "'manilen'", "'manillen'"]),
        (MATCH.replace("game", "gmae"), ["match 1", "'game' is missing"]),
        (MATCH.replace("deals = 1000", "deals = 0"), ["match 1", "deals cannot be '0'"]),
        (MATCH.replace("deals = 1000", "deals = true"), ["deals cannot be 'True'"]),
        (MATCH.replace("deals = 1000", ""), ["'deals' is missing"]),
        (MATCH.replace("1000", "1000\nundertrumps = 'allowed'"), ["'undertrumps'", "'undertrump'"]),
        (MATCH.replace("1000", "1000\nundertrump = 'perhaps'"), ["'undertrump' cannot be 'perhaps'"]),
        (MATCH.replace("1000", "1000\nundertrump = 3"), ["'undertrump' cannot be '3'"]),
        (MATCH.replace("1000", "1000\ntarget = 1.5"), ["'target' cannot be '1.5'"]),
        (MATCH.replace("1000", "1000\nrecord = 'all'"), ["record cannot be 'all'"]),
        (MATCH.replace("1000", "1000\non_illegal = 'ignore'"), ["on_illegal cannot be 'ignore'"]),
        (MATCH.replace('"greedy"', '"greddy"'), ["agent 'greddy'", "'greedy'"]),
        (MATCH.replace('"greedy"', "3"), ["agents cannot be 3"]),
        (MATCH.replace('"greedy"', '"fixed:n=5"'), ["'fixed'", "does not play manillen"]),
        (MATCH.replace('"greedy"', '"call=no-trump:blind=7"'), ["'blind' cannot be '7'", "0 to 1"]),
        (MATCH.replace('"greedy"', '"call=no-trump:blnd=1"'), ["parameter 'blnd'", "'blind'"]),
        (MATCH.replace('"greedy", ', '"greedy", "greedy", '), ["takes 1 or 2 or 4 agents, not 3"]),
        (MATCH + MATCH.replace("[[match]]", "[[match]]\nname = 'manillen-1'"), ["two matches are named 'manillen-1'"]),
    ],
)  # fmt: skip
def test_a_wrong_experiment_gets_one_line_with_its_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, parts: list[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    line = refused(capsys, "run", str(path), "--out", str(tmp_path / "r"))
    assert str(path) in line
    for part in parts:
        assert part in line, line
    assert not (tmp_path / "r").exists()


def test_a_file_that_is_not_text_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe\x00")
    assert "not a TOML file" in refused(capsys, "run", str(path))


def test_a_failing_agent_ends_the_run_with_code_1_and_keeps_what_was_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def play(view):\n    raise ValueError('lost my cards')\n")
    text = f'{MATCH.replace("1000", "2000")}\n{MATCH.replace(chr(34) + "greedy" + chr(34), chr(34) + str(tmp_path / "bad.py") + ":play" + chr(34))}'
    path = tmp_path / "mine.toml"
    path.write_text(text)
    line = refused(capsys, "run", str(path), "--out", str(tmp_path / "r"), code=1)
    for part in ("bad.py:play", "deal 0", "seat", "legal", "ValueError: lost my cards", "again: "):
        assert part in line, line
    assert (tmp_path / "r" / "manillen-1" / "counts-000000.parquet").is_file()
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert manifest["status"] == "stopped: AgentError"


def test_a_folder_that_cannot_be_made_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    line = refused(capsys, "run", "quickstart", "--deals", "1000", "--out", str(tmp_path / "file" / "r"), code=1)
    assert "cannot make folder" in line


def test_a_pipe_that_closes_early_is_no_error() -> None:
    done = subprocess.run(f"{sys.executable} -m trickbench rules | head -1", shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("option")
    assert done.stderr == ""


def test_the_module_runs_as_the_command_does() -> None:
    command = [sys.executable, "-m", "trickbench", "legal", "--game", "whist", "--hand", "SK"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
