"""Going on with a run that was stopped: only what is missing is played, and the end is the same to the byte."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import trickbench
from trickbench import results as results_module
from trickbench.cli import main
from trickbench.errors import AgentError, RunError, UsageError
from trickbench.experiment import Experiment, parse_experiment
from trickbench.provenance import PYTHON_SOURCES
from trickbench.results import play_experiment

SHARD = 1024
DEALS = 5000
PACKAGE = Path(trickbench.__file__).parent


def experiment(record: Any = False, **changes: Any) -> Experiment:
    """Return a small experiment of both games, five shards each; ``changes`` are keys of its first match."""
    matches = [
        {"name": "strict", "game": "manillen", "agents": ["greedy", "random"], "deals": DEALS, "record": record, **changes},
        {"name": "three", "game": "manchego", "agents": ["greedy", "random", "greedy"], "deals": DEALS, "record": record},
    ]
    return parse_experiment({"name": "small", "seed": 11, "match": matches}, "small")


@pytest.fixture(autouse=True)
def short_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results_module, "SHARD", SHARD)


def stop_after(monkeypatch: pytest.MonkeyPatch, shards: int, error: BaseException) -> None:
    """Make the next run end with an error when some shards are written."""
    real, left = results_module.write_shard, [shards]

    def write(*arguments: Any) -> None:
        if left[0] == 0:
            raise error
        left[0] -= 1
        real(*arguments)

    monkeypatch.setattr(results_module, "write_shard", write)


def stopped(monkeypatch: pytest.MonkeyPatch, out: Path, shards: int, record: Any = False) -> None:
    """Leave a run in a folder that was stopped after some shards."""
    with monkeypatch.context() as patch:
        stop_after(patch, shards, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            play_experiment(experiment(record), out, figures=False)


def contents(out: Path) -> dict[str, bytes]:
    """Return all files of a run but those that hold times or pictures."""
    paths = [path for path in out.rglob("*") if path.is_file() and path.name != "manifest.json" and path.suffix != ".png"]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


def times(out: Path) -> dict[str, int]:
    """Return when each file was written."""
    return {path.relative_to(out).as_posix(): path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}


def changed(out: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a manifest."""
    manifest = json.loads((out / "manifest.json").read_text())
    change(manifest)
    (out / "manifest.json").write_text(json.dumps(manifest))


@pytest.fixture(scope="module", params=[False, "deals", "plays"])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Return what was recorded, and the folder of a run that was never stopped."""
    out = tmp_path_factory.mktemp("whole") / "r"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results_module, "SHARD", SHARD)
        play_experiment(experiment(request.param), out, figures=False)
    return request.param, out


@pytest.mark.parametrize("shards", [0, 1, 3, 5, 7, 9])
def test_a_stopped_run_goes_on_to_the_same_bytes(whole: tuple[Any, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int) -> None:
    record, reference = whole
    out = tmp_path / "r"
    stopped(monkeypatch, out, shards, record)
    assert len(list(out.rglob("counts-*"))) == shards
    written = {name: moment for name, moment in times(out).items() if name.endswith(".parquet")}
    results = play_experiment(experiment(record), out, figures=False, resume=True)
    assert contents(out) == contents(reference)
    assert written.items() <= times(out).items()
    assert results.digest == trickbench.load(reference).digest == trickbench.load(out).digest
    assert results.resumed is not None
    assert results.resumed.deals == shards // 5 * DEALS + shards % 5 * SHARD
    assert results.resumed.of == 2 * DEALS
    assert not results.resumed.complete
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["status"] == "complete"
    assert [session["deals"] for session in manifest["resumed"]] == [results.resumed.deals]
    assert not (out / ".lock").exists()


def test_holes_and_half_shards_are_filled(whole: tuple[Any, Path], tmp_path: Path) -> None:
    record, reference = whole
    out = tmp_path / "r"
    play_experiment(experiment(record), out, figures=False)
    (out / "strict" / "counts-000001.parquet").unlink()
    (out / "strict" / "counts-000002.parquet").unlink()
    (out / "three" / "counts-000004.parquet").unlink()
    if record:
        (out / "three" / "deals-000000.parquet").unlink()
    (out / "strict" / ".counts-000001.parquet.part").write_bytes(b"half")
    results = play_experiment(experiment(record), out, workers=1, figures=False, resume=True)
    assert results.resumed is not None
    assert results.resumed.damaged == []
    assert contents(out) == contents(reference)


def test_damaged_shards_are_played_again_and_named(whole: tuple[Any, Path], tmp_path: Path) -> None:
    record, reference = whole
    out = tmp_path / "r"
    play_experiment(experiment(record), out, figures=False)
    cut, other = out / "strict" / "counts-000001.parquet", out / "three" / f"{'deals' if record else 'counts'}-000003.parquet"
    cut.write_bytes(cut.read_bytes()[:50])
    other.write_bytes((out / "three" / other.name.replace("3", "2")).read_bytes())
    with pytest.raises(RunError, match=r"counts-000001.*--resume plays it again"):
        trickbench.load(out)
    results = play_experiment(experiment(record), out, figures=False, resume=True)
    assert results.resumed is not None
    assert results.resumed.damaged == [str(cut), str(other)]
    assert contents(out) == contents(reference)


def test_a_changed_byte_inside_a_shard_is_seen(tmp_path: Path) -> None:
    out = tmp_path / "r"
    play_experiment(experiment("deals"), out, figures=False)
    path = out / "strict" / "deals-000002.parquet"
    good = path.read_bytes()
    path.write_bytes(good[:100] + bytes([good[100] ^ 1]) + good[101:])
    results = play_experiment(experiment("deals"), out, figures=False, resume=True)
    assert results.resumed is not None
    assert results.resumed.damaged == [str(path)]
    assert path.read_bytes() == good


def test_shards_played_again_that_give_another_digest_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "r"
    play_experiment(experiment(), out, figures=False)
    (out / "strict" / "counts-000001.parquet").unlink()
    changed(out, lambda manifest: manifest["digest"].update(strict="0123"))
    with pytest.raises(RunError, match="strict had digest 0123, with its shards played again"):
        play_experiment(experiment(), out, figures=False, resume=True)


def test_the_length_of_shards_is_that_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "r"
    stopped(monkeypatch, out, 2)
    monkeypatch.setattr(results_module, "SHARD", 4096)
    play_experiment(experiment(), out, figures=False, resume=True)
    assert len(list((out / "three").glob("counts-*"))) == 5
    assert trickbench.load(out)[0].count == DEALS


def test_a_complete_run_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "quickstart", "--deals", "2000", "--out", str(tmp_path / "r"), "--no-figures"]
    assert main(words) == 0
    before, printed = times(tmp_path / "r"), capsys.readouterr().out
    stop_after(monkeypatch, 0, AssertionError("it played"))
    assert main([*words, "--resume"]) == 0
    head, _, rest = capsys.readouterr().out.partition("\n\n")
    assert head == f"the run in {tmp_path / 'r'} is complete: 8,000 deals, none were left to play"
    assert rest == printed
    assert times(tmp_path / "r") == before
    assert main([*words, "--resume", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["resumed"] == {"deals": 8000, "of": 8000, "damaged": [], "complete": True}


def test_reports_that_were_not_written_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "r"
    with monkeypatch.context() as patch:
        patch.setattr(results_module, "write_reports", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            play_experiment(experiment(), out)
    assert not (out / "summary.csv").exists()
    stop_after(monkeypatch, 0, AssertionError("it played"))
    results = play_experiment(experiment(), out, resume=True)
    assert results.resumed is not None
    assert results.resumed.deals == results.resumed.of
    assert (out / "summary.csv").exists()
    assert list((out / "figures").glob("*.png"))


def test_where_there_is_nothing_to_resume_the_run_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "quickstart", "--deals", "1000", "--no-figures", "--resume", "--out"]
    assert main([*words, str(tmp_path / "r")]) == 0
    assert capsys.readouterr().out.startswith(f"there was no run in {tmp_path / 'r'}: started with the first deal\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / ".lock").write_text("process 1\n")
    assert main([*words, str(tmp_path / "empty")]) == 0
    assert "started with the first deal" in capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> str:
    """Return the one line of a run that is refused."""
    assert main(["run", "quickstart", "--no-figures", *words]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_an_unfinished_run_is_refused_without_resume_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped(monkeypatch, tmp_path / "r", 3)
    line = refused(capsys, 2, "--out", str(tmp_path / "r"))
    assert "not finished" in line
    assert "--resume goes on with it" in line
    play_experiment(experiment(), tmp_path / "r", figures=False, resume=True)
    line = refused(capsys, 2, "--out", str(tmp_path / "r"))
    assert "--resume" not in line
    assert "never overwritten" in line


def test_a_folder_of_something_else_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert "is not a results folder" in refused(capsys, 2, "--resume", "--out", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    (tmp_path / "manifest.json").write_text("{")
    assert "no manifest.json that can be read" in refused(capsys, 2, "--resume", "--out", str(tmp_path))


def test_another_run_is_refused_with_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--deals", "1000", "--out", str(tmp_path / "r")]
    assert main(["run", "quickstart", "--no-figures", *words]) == 0
    capsys.readouterr()
    line = refused(capsys, 2, "--resume", "--deals", "2k", "--out", str(tmp_path / "r"))
    assert "manillen: deals: 1000, now 2000" in line
    assert "manillen-random: deals: 1000, now 2000" in line
    assert "seed: 7, now 8" in refused(capsys, 2, "--resume", *words, "--seed", "8")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"record": "deals"}, "strict: record: False, now deals"),
        ({"undertrump": "allowed"}, "strict: rule undertrump: forbidden, now allowed"),
        ({"agents": ["greedy", "greedy"]}, "strict: agents: greedy, random, now greedy, greedy"),
        ({"agents": ["greedy", "random,call=longest"]}, "strict: seat 1: play=random,call=random,"),
        ({"game": "manille"}, "strict: game: manillen, now manille"),
        ({"on_illegal": "forfeit"}, "strict: on_illegal: raise, now forfeit"),
        ({"name": "free"}, "matches: strict, three, now free, three"),
    ],
)  # fmt: skip
def test_every_key_of_a_match_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], told: str) -> None:
    stopped(monkeypatch, tmp_path / "r", 1)
    before = contents(tmp_path / "r")
    with pytest.raises(UsageError, match="cannot be resumed") as caught:
        play_experiment(experiment(**{"record": False, **change}), tmp_path / "r", resume=True)
    assert told in str(caught.value)
    assert contents(tmp_path / "r") == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda manifest: manifest["matches"][0].update(rules_version=0), "strict: rules_version: 0, now"),
        (lambda manifest: manifest["packages"].update(trickbench="0.0.1"), "version of trickbench: 0.0.1, now"),
        (lambda manifest: manifest["sources"].update(trickbench="0123"), "digest of trickbench's sources: 0123, now"),
        (lambda manifest: manifest["sources"]["agents"].update(greedy="0123"), "digest of the folder of agent 'greedy': 0123, now"),
        (lambda manifest: manifest["sources"]["tables"].update(three="0123"), "three: digest of rules, parameters and tables: 0123, now"),
        (lambda manifest: manifest.pop("sources"), "digest of trickbench's sources: none, now"),
    ],
)  # fmt: skip
def test_another_version_of_the_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any, told: str) -> None:
    stopped(monkeypatch, tmp_path / "r", 1)
    changed(tmp_path / "r", change)
    with pytest.raises(UsageError, match="cannot be resumed") as caught:
        play_experiment(experiment(), tmp_path / "r", resume=True)
    assert told in str(caught.value)


def test_other_packages_and_another_machine_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(monkeypatch, tmp_path / "r", 1)
    changed(tmp_path / "r", lambda manifest: manifest["packages"].update(numpy="1.0"))
    changed(tmp_path / "r", lambda manifest: manifest.update(commit="0123", machine={"system": "another"}, python="3.11.0"))
    play_experiment(experiment(), tmp_path / "r", figures=False, resume=True)
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert manifest["machine"] == {"system": "another"}
    assert manifest["resumed"][0]["machine"]["processors"] == os.cpu_count()


def test_an_agent_whose_file_or_a_file_beside_it_changed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    agent, helper = tmp_path / "mine" / "agent.py", tmp_path / "mine" / "helper.py"
    agent.write_text("def play(view):\n    return view.legal & -view.legal\n")
    helper.write_text("")
    made = experiment(agents=[f"{agent}:play", "greedy"], deals=200)
    play_experiment(made, tmp_path / "r", figures=False)
    assert play_experiment(made, tmp_path / "r", figures=False, resume=True).resumed
    for path in (agent, helper):
        before = path.read_text()
        path.write_text(f"{before}# changed\n")
        with pytest.raises(UsageError, match=r"digest of the folder of agent '.*agent\.py:play'"):
            play_experiment(made, tmp_path / "r", figures=False, resume=True)
        path.write_text(before)


def test_a_run_that_an_agent_stopped_keeps_its_shards(tmp_path: Path) -> None:
    fails = tmp_path / "fails.py"
    fails.write_text("def play(view):\n    raise ValueError('no')\n")
    made = parse_experiment(
        {
            "name": "x",
            "match": [
                {"game": "manillen", "agents": "random", "deals": 2000},
                {"game": "manillen", "agents": [f"{fails}:play", "random"], "deals": 2000},
            ],
        },
        "x",
    )
    for resume in (False, True):
        with pytest.raises(AgentError, match="deal 0"):
            play_experiment(made, tmp_path / "r", resume=resume)
    assert len(list((tmp_path / "r" / "manillen-1").glob("counts-*"))) == 2


def test_every_file_that_results_may_depend_on_exists() -> None:
    assert all((PACKAGE / name).exists() for name in PYTHON_SOURCES)


def test_a_dry_run_says_how_far_a_run_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "quickstart", "--deals", "5k", "--dry-run", "--resume", "--out", str(tmp_path / "r")]
    assert main(words) == 0
    assert "to resume: 0 of 20,000 deals are there" in capsys.readouterr().out
    assert not (tmp_path / "r").exists()
    with monkeypatch.context() as patch:
        stop_after(patch, 2, KeyboardInterrupt())
        assert main([word for word in words if not word.endswith("e") and word != "--dry-run"]) == 130
    capsys.readouterr()
    before = times(tmp_path / "r")
    assert main(words) == 0
    assert "to resume: 2,048 of 20,000 deals are there" in capsys.readouterr().out
    assert times(tmp_path / "r") == before
