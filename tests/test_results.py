"""Results folders: what is written, reading it back, totals from shards, and nothing half-written."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trickbench
from trickbench import results as results_module
from trickbench.errors import RunError, UsageError
from trickbench.experiment import Experiment, parse_experiment
from trickbench.results import play_experiment
from trickbench.storage import write_once

RANDOM = "play=random,call=random,double=threshold,redouble=threshold"


def experiment(deals: int = 3000, record: Any = False) -> Experiment:
    """Return a small experiment of both games."""
    matches = [
        {"name": "strict", "game": "manillen", "agents": ["greedy", RANDOM], "deals": deals, "record": record},
        {"name": "three", "game": "manchego", "scoring": "gain", "agents": ["greedy", "random", "greedy"], "deals": deals, "record": record},
    ]
    return parse_experiment({"name": "small", "seed": 11, "match": matches}, "small")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run with plays recorded."""
    out = tmp_path_factory.mktemp("results") / "small"
    play_experiment(experiment(record="plays"), out, workers=2)
    return out


def test_the_folder_holds_manifest_shards_summary_tables_and_figures(played: Path) -> None:
    names = {str(path.relative_to(played)) for path in played.rglob("*") if path.is_file()}
    expected = {"manifest.json", "summary.csv", "summary.parquet", "calls.csv", "bids.csv"}
    expected |= {f"{match}/{kind}-000000.parquet" for match in ("strict", "three") for kind in ("counts", "deals")}
    assert expected <= names
    assert not [name for name in names if name.endswith(".part")]
    figures = {name for name in names - expected if name.startswith("figures/") and name.endswith(".png")}
    assert names == expected | figures
    assert {name.split("/")[1].split("-")[0] for name in figures} == {"strict", "three"}


def test_the_manifest_tells_everything_that_was_filled_in(played: Path) -> None:
    manifest = json.loads((played / "manifest.json").read_text())
    assert manifest["status"] == "complete"
    assert manifest["seed"] == 11
    assert manifest["matches"][0]["seats"][0] == {"strategy": "play=greedy,call=longest,double=never,redouble=never", "oracle": False}
    assert manifest["matches"][1]["rules"]["scoring"] == "gain"
    assert manifest["matches"][0]["rules"]["deal_packets"] == "3-2-3"
    for key in ("schema", "started", "ended", "packages", "python", "machine", "commit", "digest", "workers", "seconds"):
        assert key in manifest
    assert manifest["packages"]["numba"]


def test_load_reads_back_what_simulate_gives(played: Path) -> None:
    loaded = trickbench.load(played)
    assert [run.match for run in loaded] == ["strict", "three"]
    for run, match in zip(loaded, experiment().matches, strict=True):
        again = trickbench.simulate(match.game, list(match.agents), 3000, seed=11, record="plays")
        assert run.digest == again.digest == loaded.manifest["digest"][run.match]
        pd.testing.assert_frame_equal(run.deals, again.deals)
        pd.testing.assert_frame_equal(run.summary.drop(columns="match"), again.summary.drop(columns="match"))
    assert loaded["three"].count == 3000
    with pytest.raises(KeyError, match="strict, three"):
        loaded["four"]


def test_the_summary_file_is_the_summary_of_the_shards(played: Path) -> None:
    loaded = trickbench.load(played)
    pd.testing.assert_frame_equal(pd.read_parquet(played / "summary.parquet"), loaded.summary)
    assert list(loaded.summary.columns) == ["match", "who", "agent", "quantity", "n", "mean", "sd", "low", "high"]
    assert (loaded.summary["n"] == 3000).all()


def test_recorded_shards_can_be_read_without_this_package(played: Path) -> None:
    deals = pd.read_parquet(played / "strict" / "deals-000000.parquet")
    assert deals["deal"].tolist() == list(range(3000))
    assert (deals["points_0"] + deals["points_1"] == 60).all()
    assert deals.filter(like="card_").shape == (3000, 32)
    assert (np.sort(deals.filter(like="card_").to_numpy(), axis=1) == np.arange(32)).all()


@pytest.mark.parametrize("record", [False, "deals"])
def test_the_same_files_for_any_workers_and_the_same_summary_for_any_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: Any) -> None:
    play_experiment(experiment(5000, record), tmp_path / "a", workers=1, figures=False)
    play_experiment(experiment(5000, record), tmp_path / "b", workers=5, figures=False)
    for path in (tmp_path / "a").rglob("*"):
        if path.is_file() and path.name != "manifest.json":
            assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes(), path
    monkeypatch.setattr(results_module, "SHARD", 1024)
    play_experiment(experiment(5000, record), tmp_path / "c", workers=3, figures=False)
    assert len(list((tmp_path / "c" / "strict").glob("counts-*"))) == 5
    assert (tmp_path / "c" / "summary.csv").read_bytes() == (tmp_path / "a" / "summary.csv").read_bytes()
    assert trickbench.load(tmp_path / "c").digest == trickbench.load(tmp_path / "a").digest


def test_load_refuses_what_is_no_finished_run(played: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a results folder"):
        trickbench.load(tmp_path)
    play_experiment(experiment(), tmp_path / "r", figures=False)
    shard = tmp_path / "r" / "strict" / "counts-000000.parquet"
    content = shard.read_bytes()
    shard.write_bytes(content[:100])
    with pytest.raises(RunError, match=r"counts-000000\.parquet"):
        trickbench.load(tmp_path / "r")
    shard.unlink()
    with pytest.raises(RunError, match="0 of 3000 deals"):
        trickbench.load(tmp_path / "r")
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text()) | {"schema": 99}
    (tmp_path / "r" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UsageError, match="newer version"):
        trickbench.load(tmp_path / "r")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    def full(path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    (tmp_path / "kept.txt").write_text("kept")
    with pytest.raises(RunError, match="No space left on device") as caught:
        write_once(tmp_path / "new.txt", full)
    assert "\n" not in str(caught.value)
    with pytest.raises(RunError):
        write_once(tmp_path / "kept.txt", full)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"kept.txt": "kept"}


def test_a_full_disk_ends_the_run_in_one_line_and_keeps_finished_shards(tmp_path: Path) -> None:
    code = (
        "import sys, resource; from trickbench.cli import main; import trickbench.results as r; r.SHARD = 8192\n"
        "import trickbench.storage as s; real = s.write_once; n = [0]\n"
        "def limited(path, write):\n"
        "    n[0] += 1\n"
        "    if n[0] == 5: resource.setrlimit(resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))\n"
        "    real(path, write)\n"
        "s.write_once = limited\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", code, "run", "quickstart", "--deals", "50k", "--out", str(tmp_path / "r"), "--no-figures"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("trickbench: cannot write")
    shards = sorted((tmp_path / "r" / "manillen").glob("*"))
    assert [path.name for path in shards] == ["counts-000000.parquet", "counts-000001.parquet", "counts-000002.parquet"]
    assert all(len(pd.read_parquet(path)) > 0 for path in shards)


def test_ctrl_c_stops_a_run_within_a_second_and_keeps_what_was_written(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "trickbench", "run", "quickstart", "--deals", "1G", "--out", str(tmp_path / "r")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 240
    while not list((tmp_path / "r").glob("manillen/counts-*.parquet")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    begun = time.monotonic()
    out, err = process.communicate(timeout=30)
    took = time.monotonic() - begun
    assert process.returncode == 130
    assert out == ""
    again = shlex.join(["trickbench", *command[3:], "--resume"])
    assert err == f"trickbench: stopped; what was written is kept; to go on: {again}\n"
    # One second is the promise; the test allows for a machine that does other work.
    assert took < 3
    assert json.loads((tmp_path / "r" / "manifest.json").read_text())["status"] == "stopped: KeyboardInterrupt"
    for path in (tmp_path / "r" / "manillen").iterdir():
        assert path.suffix == ".parquet"
        assert len(pd.read_parquet(path)) > 0


def test_no_bar_is_shown_in_a_pipe(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "trickbench", "run", "quickstart", "--deals", "1000", "--out", str(tmp_path / "r"), "--no-figures"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
