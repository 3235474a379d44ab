"""How speed grows: python experiments/growth.py [--most 1e8] [--rounds R] [--out FILE]

Deals a second of random play against the number of deals, the number of threads, and the width of a block; whole calls of ``simulate``, statistics
included, with everything compiled. Writes CSV, and a picture beside it. Each width needs a process of its own, and compiles once.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import trickbench
from trickbench.counts import deal_count, worker_count
from trickbench.provenance import provenance

SEED = 7
CASES = {"manillen": ["play=random,call=random"], "manchego": ["random"]}
LOOKS = {"manillen": ("#0072B2", "o", "-"), "manchego": ("#D55E00", "s", "--")}
WIDTHS = (16, 32, 64, 128, 256)
STEADY = 1_000_000
"""Deals of a measurement in which their number does not matter any more."""


def speed(name: str, deals: int, workers: int, rounds: int) -> float:
    """Return deals a second, the median of so many calls."""
    played = trickbench.game(name)
    trickbench.simulate(played, CASES[name], 1000, seed=SEED, workers=workers)
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        trickbench.simulate(played, CASES[name], deals, seed=SEED, workers=workers)
        taken.append(time.perf_counter() - begun)
    return deals / statistics.median(taken)


def by_width(name: str, width: int, rounds: int) -> float:
    """Return deals a second on one thread with another width of a block."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import growth; print(growth.speed({name!r}, {STEADY}, 1, {rounds}))"
    environment = os.environ | {"TRICKBENCH_LANES": str(width)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def measure(most: int, rounds: int, workers: int) -> pd.DataFrame:
    """Return a row a measurement: what varies, its value, the game, deals a second."""
    rows: list[dict[str, Any]] = []
    for name in CASES:
        deals = 1000
        while deals <= most:
            # The longest ones are not repeated: they take seconds, and vary little.
            value = speed(name, deals, workers, rounds if deals <= STEADY else 1)
            rows.append({"varies": "deals", "value": deals, "threads": workers, "game": name, "deals_per_second": value})
            deals *= 10
        for threads in sorted({1, workers, *(1 << k for k in range(workers.bit_length()))}):
            value = speed(name, threads * STEADY, threads, rounds)
            rows.append({"varies": "threads", "value": threads, "threads": threads, "game": name, "deals_per_second": value})
        for width in WIDTHS:
            rows.append({"varies": "width", "value": width, "threads": 1, "game": name, "deals_per_second": by_width(name, width, rounds)})
    return pd.DataFrame(rows)


def panel(axes: Axes, table: pd.DataFrame, varies: str, label: str, log: int | None) -> None:
    """Draw one of the three pictures."""
    for name, (colour, marker, line) in LOOKS.items():
        own = table[(table["varies"] == varies) & (table["game"] == name)]
        axes.plot(own["value"], own["deals_per_second"] / 1e6, color=colour, marker=marker, linestyle=line, label=name)
    if log:
        axes.set_xscale("log", base=log)
    axes.set_xticks(sorted(table.loc[table["varies"] == varies, "value"].unique()))
    if varies != "deals":
        axes.xaxis.set_major_formatter("{x:.0f}")
    axes.minorticks_off()
    axes.set(xlabel=label, ylim=(0, None))
    axes.grid(axis="y", color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)


def draw(table: pd.DataFrame, workers: int) -> Figure:
    """Return the picture."""
    figure = Figure(figsize=(9, 3.6), dpi=110, layout="constrained")
    axes = figure.subplots(1, 3)
    panel(axes[0], table, "deals", f"deals in the run ({workers} threads)", 10)
    panel(axes[1], table, "threads", "threads", None)
    panel(axes[2], table, "width", "deals in a block (1 thread)", 2)
    axes[0].set_ylabel("million deals a second")
    axes[0].legend(frameon=False, loc="upper left")
    machine = provenance()["machine"]
    title = f"Random play with statistics, medians; {machine['processor']}, {machine['processors']} processors"
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def main() -> None:
    """Measure, print, write and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", default="1e8", help="deals in the longest run")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("results/growth.csv"))
    arguments = parser.parse_args()
    workers = worker_count(None)
    table = measure(deal_count(arguments.most), arguments.rounds, workers)
    print(table.assign(deals_per_second=(table["deals_per_second"] / 1e6).round(2)).to_string(index=False))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    table.round(0).to_csv(arguments.out, index=False, lineterminator="\n")
    draw(table, workers).savefig(arguments.out.with_suffix(".png"))


if __name__ == "__main__":
    main()
