"""What only a process of its own shows: compile times, cold and warm start, peak memory."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from trickbench.errors import RunError

REPEATS = 3

COMPILE = """
import json, time
import trickbench
from trickbench.table import Table
found = {}
for name, agents in (("manillen", ["random", "heuristic"]), ("manchego", ["random", "heuristic"])):
    begun = time.perf_counter()
    trickbench.game(name).face()
    found[f"engine, {name}"] = time.perf_counter() - begun
    for agent in agents:
        begun = time.perf_counter()
        Table(trickbench.game(name), agent).functions()
        found[f"{agent}, {name}"] = time.perf_counter() - begun
print(json.dumps(found))
"""
FIRST = "import trickbench; trickbench.simulate(trickbench.game('manillen'), 'greedy', 1000)"
MEMORY = """
import resource, sys
from pathlib import Path
import trickbench
trickbench.simulate(trickbench.game("manillen"), "greedy", {deals}, record={record!r})
status = Path("/proc/self/status")
if status.exists():
    print(next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM")))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10))
"""
"""Prints MB. What getrusage tells on Linux is not less than what the parent process had, so it is asked only elsewhere; on macOS it counts bytes."""


def run(arguments: list[str], cache: Path | None = None) -> tuple[float, str]:
    """Return how long Python took with these arguments, and a compile cache of its own if one is given; and what it printed.

    Raises
    ------
    RunError
        If it failed.
    """
    environment = os.environ | ({"NUMBA_CACHE_DIR": str(cache)} if cache else {})
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"a measuring process failed: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}")
    return time.perf_counter() - begun, done.stdout


def start_up() -> dict[str, Any]:
    """Return compile times with an empty cache, then start-up times, in seconds, and how many files the later processes added."""
    with tempfile.TemporaryDirectory() as name:
        cache = Path(name)
        help_time = statistics.median(run(["-m", "trickbench", "--help"], cache)[0] for _ in range(REPEATS))
        cold, _ = run(["-c", FIRST], cache)
        compiling = json.loads(run(["-c", COMPILE], Path(name) / "compile")[1])
        before = sum(path.is_file() for path in cache.rglob("*"))
        warm = statistics.median(run(["-c", FIRST], cache)[0] for _ in range(REPEATS))
        added = sum(path.is_file() for path in cache.rglob("*")) - before
        loading = json.loads(run(["-c", COMPILE], Path(name) / "compile")[1])
    return {
        "help": help_time, "first thousand deals, cold": cold, "first thousand deals, warm": warm, "files added when warm": added,
        "compiling": compiling, "loading": loading,
    }  # fmt: skip


def peak_memory(deals: int) -> dict[str, float] | None:
    """Return peak memory in MB of runs of a thousand and of so many deals, without and with a record of each; None where it cannot be told."""
    if sys.platform == "win32":
        return None
    cases = {"1,000 deals": (1000, False), f"{deals:,} deals": (deals, False), f"{deals:,} deals, each recorded": (deals, "deals")}
    return {name: float(run(["-c", MEMORY.format(deals=count, record=record)])[1]) for name, (count, record) in cases.items()}
