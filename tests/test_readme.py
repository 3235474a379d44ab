"""The README says what the code does: its commands, its Python, its figures."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

import trickbench
from trickbench.cli import main
from trickbench.experiment import find_experiment, read_experiment
from trickbench.studies.playing import Store, play_study

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_commands_answer_what_stands_beside_them(capsys: pytest.CaptureFixture[str]) -> None:
    answered = re.findall(r"^trickbench (legal|score) (.*?)\s+# (.*)$", README, re.MULTILINE)
    assert len(answered) == 3
    for command, words, answer in answered:
        assert main([command, *shlex.split(words)]) == 0
        assert capsys.readouterr().out.strip() == answer


def test_the_quickstart_prints_what_the_readme_shows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shown = re.search(r"```text\n(manillen: .*?)```", README, re.DOTALL)
    assert shown is not None
    assert main(["run", str(ROOT / "experiments" / "quickstart.toml"), "--out", str(tmp_path / "r"), "--no-figures"]) == 0
    printed = capsys.readouterr().out.splitlines()
    for line in shown[1].splitlines():
        assert line in printed, line
    for name in ("summary.csv", "calls.csv", "bids.csv"):
        assert (tmp_path / "r" / name).read_bytes() == (ROOT / "results" / "reference" / "quickstart" / name).read_bytes()


def test_show_prints_what_the_readme_shows(capsys: pytest.CaptureFixture[str]) -> None:
    words = re.search(r"^trickbench show (.*?)\s+#", README, re.MULTILINE)
    shown = re.search(r"```text\n(deal .*?)```", README, re.DOTALL)
    assert words is not None
    assert shown is not None
    assert main(["show", *shlex.split(words[1])]) == 0
    assert capsys.readouterr().out == shown[1]


def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "quickstart", "--deals", "1000", "--no-figures"]) == 0
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        if "def play" in block:
            Path("my.py").write_text(block)
        else:
            exec(compile(block, "README.md", "exec"), {})
    assert Path("calls.png").stat().st_size > 10_000
    run = trickbench.simulate(trickbench.game("manillen"), ["my.py:play", "random"], 1000)
    assert run.count == 1000


def test_every_link_leads_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "agents" / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_ladder_is_that_of_the_reference_run() -> None:
    steps = pd.read_csv(ROOT / "results" / "reference" / "ladder.csv")
    shown = [f"{row.edge:+.3f} ± {(row.high - row.low) / 2:.3f} | {row.n:,} |" for row in steps.itertuples()]
    for page in (README, (ROOT / "docs" / "duels.md").read_text(encoding="utf-8")):
        assert re.findall(r"^\| Man.*\| ([+-].*)$", page, re.MULTILINE) == shown


def test_a_step_of_the_ladder_comes_out_as_the_reference_says() -> None:
    steps = pd.read_csv(ROOT / "results" / "reference" / "ladder.csv").set_index("study")
    experiment = read_experiment(find_experiment("ladder"))
    assert [study.name for study in experiment.studies] == list(steps.index)
    for name in ("bid-heuristic", "play-greedy"):
        study = next(study for study in experiment.studies if study.name == name)
        edge = study.result(play_study(study, Store(None), 2, False)).edge
        assert edge.mean == pytest.approx(steps.loc[name, "edge"], rel=1e-12)
