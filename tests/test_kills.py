"""A run that is killed again and again, at any moment, ends with the same bytes as one that nobody touched."""

from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import trickbench
from trickbench.cli import main

SHARDS, SHARD = 32, 1024
KILLS = 20
RUN = f"import sys, trickbench.results as r; r.SHARD = {SHARD}; from trickbench.cli import main; sys.exit(main(sys.argv[1:]))"
PLAIN = "def play(view):\n    return view.legal & -view.legal\n"
EXPERIMENT = """
name = "killed"
seed = 5
[[match]]
game = "manillen"
agents = ["{agent}:play", "random"]
deals = {deals}
record = "plays"
[[match]]
game = "manchego"
agents = ["random", "{agent}:play", "random"]
deals = {deals}
record = "deals"
"""


class Ground(NamedTuple):
    """Where runs are killed."""

    folder: Path
    """an experiment of a slow agent, and in ``whole`` its run that was never stopped"""
    seconds: float
    """what a run takes that has nothing left to do"""


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """Play the run that nobody stops."""
    folder = tmp_path_factory.mktemp("kills")
    agent = folder / "slow" / "agent.py"
    agent.parent.mkdir()
    agent.write_text(PLAIN)
    (folder / "killed.toml").write_text(EXPERIMENT.format(agent=agent.as_posix(), deals=SHARDS * SHARD - 100))
    # Twice: the first may compile.
    for _ in range(2):
        begun = time.monotonic()
        process = started(folder, "whole")
        _, err = process.communicate(timeout=480)
        assert process.returncode == 0, err
    return Ground(folder, time.monotonic() - begun)


def started(folder: Path, name: str) -> subprocess.Popen[str]:
    """Start the run into a folder, or go on with it."""
    words = ["run", str(folder / "killed.toml"), "--resume", "--out", str(folder / name)]
    return subprocess.Popen([sys.executable, "-c", RUN, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def shards(out: Path) -> int:
    """Return how many shards are there."""
    return len(list(out.glob("*/counts-*.parquet")))


def manifest(out: Path) -> bytes:
    """Return the manifest as it stands; a run writes it when it begins and when it goes on."""
    return (out / "manifest.json").read_bytes() if (out / "manifest.json").exists() else b""


def wait(process: subprocess.Popen[str], reached: Callable[[], bool]) -> None:
    """Wait until something is so, or the process has ended."""
    deadline = time.monotonic() + 120
    while process.poll() is None and not reached() and time.monotonic() < deadline:
        time.sleep(0.003)


def contents(out: Path) -> dict[str, bytes | None]:
    """Return all files of a run; pictures and the manifest by name only."""
    paths = [path for path in out.rglob("*") if path.is_file()]
    return {
        path.relative_to(out).as_posix(): None if path.suffix == ".png" or path.name == "manifest.json" else path.read_bytes() for path in paths
    }


def test_twenty_kills_at_random_moments(ground: Ground) -> None:
    folder, out = ground.folder, ground.folder / "killed"
    chance = random.Random(2026)
    half_done = 0
    for kill in range(KILLS):
        before = manifest(out)
        process = started(folder, "killed")
        if kill < 4:
            # Anywhere: while it starts, while it looks at what is there, while it plays.
            moment = time.monotonic() + chance.uniform(0, 1.5 * ground.seconds)
            wait(process, lambda moment=moment, kill=kill: time.monotonic() > moment or shards(out) > 4 * kill + 2)  # type: ignore[misc]
        elif kill < KILLS - 3:
            # A few shards further: in the middle of a piece of work, or of writing a file.
            goal = shards(out) + chance.randrange(4)
            wait(process, lambda goal=goal: shards(out) > goal)  # type: ignore[misc]
            time.sleep(chance.uniform(0, 0.1))
        else:
            # While it writes reports and figures.
            wait(process, lambda before=before: shards(out) == 2 * SHARDS and manifest(out) != before)  # type: ignore[misc]
            time.sleep(chance.uniform(0, ground.seconds))
        process.kill()
        process.communicate()
        half_done += process.returncode == -signal.SIGKILL and 0 < shards(out) < 2 * SHARDS
    assert half_done >= 10
    process = started(folder, "killed")
    _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    assert contents(out) == contents(folder / "whole")
    killed, whole = trickbench.load(out), trickbench.load(folder / "whole")
    assert killed.digest == whole.digest
    assert killed.manifest["digest"] == whole.manifest["digest"]
    assert killed.manifest["status"] == "complete"


def test_ctrl_c_names_the_command_that_goes_on(ground: Ground) -> None:
    folder, out = ground.folder, ground.folder / "stopped"
    process = started(folder, "stopped")
    wait(process, lambda: shards(out) > 3)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert not (out / ".lock").exists()
    assert 0 < shards(out) < 2 * SHARDS
    command = shlex.split(err.partition("; to go on: ")[2])
    assert command[0] == "trickbench"
    assert main(command[1:]) == 0
    assert contents(out) == contents(folder / "whole")
