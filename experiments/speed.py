"""Measure this machine: python experiments/speed.py [--deals N] [--rounds R] [--out FILE] [--no-cold]

Everything that is compared runs in one process, in turns, so that other load on the machine hits all alike; minimum and
median of the rounds are shown. Start-up and quickstart times come from processes of their own, with a new cache folder
for the cold ones.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scalar import play_scalar

import trickbench
from trickbench.provenance import provenance
from trickbench.streams import first_dealer

SEED = 7
RANDOM = "play=random,call=random"
TABLES = {
    "manille, random": ("manillen", [RANDOM]),
    "manille, greedy against random": ("manillen", ["greedy", RANDOM]),
    "manille, heuristic against random": ("manillen", ["heuristic", RANDOM]),
    "manille, recorded deals": ("manillen", [RANDOM]),
    "manchego, random": ("manchego", ["random"]),
    "manchego, greedy, expected-tricks": ("manchego", ["greedy"]),
}


def seconds(work: Callable[[], Any]) -> float:
    """Return how long a call took."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def scalar_work(deals: int) -> Callable[[], Any]:
    """Return the yardstick's work, after checking that it counts what the lanes count."""
    game = trickbench.game("manillen")
    rules, dealer = game.rule_values(), first_dealer(SEED, 4)
    counts = np.zeros(game.face().cells, np.int64)
    play_scalar(SEED, dealer, 0, 10_000, rules, counts)
    lanes = trickbench.simulate(game, RANDOM, 10_000, seed=SEED).counts
    assert (counts == lanes).all(), "yardstick and lanes count different outcomes"
    return lambda: play_scalar(SEED, dealer, 0, deals, rules, counts)


def lane_work(name: str, deals: int, workers: int) -> Callable[[], Any]:
    """Return the work of a table."""
    game, agents = TABLES[name]
    record = "deals" if "recorded" in name else False
    return lambda: trickbench.simulate(trickbench.game(game), agents, deals, seed=SEED, workers=workers, record=record)


def measure(deals: int, rounds: int) -> dict[str, dict[str, float]]:
    """Return deals a second of the yardstick and all tables, minimum and median of the rounds."""
    # Each measurement takes about as long as the others: half a second at the default.
    size = {"scalar yardstick": deals}
    work = {"scalar yardstick": scalar_work(deals)}
    for name in TABLES:
        for threads in (1, 2):
            label = f"{name}, {threads} thread{'s' * (threads > 1)}"
            size[label] = 2 * threads * deals
            work[label] = lane_work(name, size[label], threads)
    taken: dict[str, list[float]] = {name: [] for name in work}
    for call in work.values():
        call()
    for _ in range(rounds):
        for name, call in work.items():
            taken[name].append(seconds(call))
    return {
        name: {"deals_per_second": size[name] / min(times), "median": size[name] / statistics.median(times), "rounds": rounds}
        for name, times in taken.items()
    }


def process(arguments: list[str], folder: Path, cache: Path) -> float:
    """Return how long a command takes in a process of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "trickbench", *arguments]
    return seconds(lambda: subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True))


def processes(cold: bool) -> dict[str, float]:
    """Return the time of ``--help`` and of quickstart, cold and warm."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cache = folder / "cache"
        found = {"help": min(process(["--help"], folder, cache) for _ in range(5))}
        if cold:
            found["quickstart cold"] = process(["run", "quickstart", "--out", "cold"], folder, cache)
            files = sum(path.is_file() for path in cache.rglob("*"))
            warm = [process(["run", "quickstart", "--out", f"warm-{k}"], folder, cache) for k in range(3)]
            found["quickstart warm"] = min(warm)
            found["quickstart warm, median"] = statistics.median(warm)
            found["cache files added by the warm runs"] = sum(path.is_file() for path in cache.rglob("*")) - files
        return found


def ratios(speeds: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return the comparisons that matter, of medians."""
    yardstick = speeds["scalar yardstick"]["median"]
    found = {f"{name} : scalar yardstick": speeds[f"{name}, 1 thread"]["median"] / yardstick for name in TABLES if name.startswith("manille")}
    found |= {f"{name}, 2 threads : 1": speeds[f"{name}, 2 threads"]["median"] / speeds[f"{name}, 1 thread"]["median"] for name in TABLES}
    return found


def main() -> None:
    """Measure, print, and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=1_000_000, help="deals in a measurement of the yardstick; the lanes play 2 to 4 times as many")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path, default=Path("results/speed.json"))
    parser.add_argument("--no-cold", action="store_true", help="leave the quickstart runs out (the cold one compiles for a minute)")
    arguments = parser.parse_args()
    speeds = measure(arguments.deals, arguments.rounds)
    report = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"), "deals": arguments.deals, "speeds": speeds, "ratios": ratios(speeds),
        "seconds": processes(not arguments.no_cold), **provenance(),
    }  # fmt: skip
    for name, speed in speeds.items():
        print(f"{name:45} {speed['deals_per_second'] / 1e6:7.2f} M deals/s at best, {speed['median'] / 1e6:7.2f} median")
    for name, value in report["ratios"].items():
        print(f"{name:55} {value:5.2f}")
    for name, value in report["seconds"].items():
        print(f"{name:45} {value:7.2f}")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(report, indent=2) + "\n")
    print(f"written to {arguments.out}")


if __name__ == "__main__":
    main()
