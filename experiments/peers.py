"""trickbench beside other toolkits, at random play: python experiments/peers.py [--rounds R] [--seconds S] [--out FILE]

The others come with `pip install -e '.[peers]'`; one that is missing or does not run is told, and the rest is measured. Each plays the
game it has that is nearest to Manille or Manchego, every card drawn uniformly from the legal ones, in the fastest way that its
documentation or its examples show, and in the usual slow one. Whatever makes a peer faster is granted: contracts are fixed where it lets
one fix them, and compiled rollouts start from cards already dealt. trickbench deals, calls or bids, plays, scores and counts outcomes.

All are measured in turns, in one process on one core, so that other load hits all alike; sizes are chosen so that a measurement takes
about --seconds. Speeds are medians of wall-clock time over the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from peer_games import CONTENDERS, SEED, Contender, Play

from trickbench.provenance import provenance

FIGURES = ("deals", "rounds", "deals_per_second", "best", "core_share")
HEAD = ["toolkit", "version", "game", "what was run", "cards", "deals a second a core", "best round", "nearest game here", "ratio"]


class Timing(NamedTuple):
    """Seconds of one measurement, on the wall clock and of the processor."""

    wall: float
    processor: float


def one_core() -> str:
    """Bind this process to one core, where the system can, and return what was done, as text."""
    if not hasattr(os, "sched_setaffinity"):
        return "not bound to a core, which this system cannot do; one thread was asked for"
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return f"bound to core {core}"


def load() -> list[float] | None:
    """Return the machine's load averages over 1, 5 and 15 minutes, where the system tells them."""
    return [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None


def timed(play: Play, deals: int) -> Timing:
    """Return how long so many deals take."""
    wall, processor = time.perf_counter(), time.process_time()
    play(deals)
    return Timing(time.perf_counter() - wall, time.process_time() - processor)


def size(play: Play, seconds: float) -> int:
    """Return how many deals take about so long, after a first one that compiles and loads."""
    play(1)
    deals = 1
    while (took := timed(play, deals).wall) < seconds / 5:
        deals *= 4
    return max(1, round(deals * seconds / took))


def available(contenders: Sequence[Contender], seconds: float) -> tuple[dict[Contender, tuple[Play, int]], dict[Contender, str]]:
    """Return what can be measured, with its number of deals, and why the others cannot."""
    ready, missing = {}, {}
    for contender in contenders:
        # Whatever a foreign package raises, the others are still measured.
        try:
            play = contender.build()
            ready[contender] = play, size(play, seconds)
        except Exception as error:
            missing[contender] = " ".join(f"not available: {type(error).__name__}: {error}".split())
    return ready, missing


def in_turns(ready: dict[Contender, tuple[Play, int]], rounds: int) -> dict[Contender, list[Timing]]:
    """Return the timings of every contender, measured in turns."""
    found: dict[Contender, list[Timing]] = {contender: [] for contender in ready}
    for _ in range(rounds):
        for contender, (play, deals) in ready.items():
            found[contender].append(timed(play, deals))
    return found


def speed(deals: int, timings: Sequence[Timing]) -> dict[str, Any]:
    """Return deals a second in the median and the quickest round, and the share of the core that the process got."""
    walls = [timing.wall for timing in timings]
    share = sum(timing.processor for timing in timings) / sum(walls)
    return dict(zip(FIGURES, (deals, len(timings), deals / statistics.median(walls), deals / min(walls), share), strict=True))


def peers(contenders: Sequence[Contender], rounds: int, seconds: float) -> pd.DataFrame:
    """Measure.

    Parameters
    ----------
    contenders : sequence of Contender
    rounds : int
    seconds : float
        How long a measurement should take.

    Returns
    -------
    pandas.DataFrame
        A row a contender. ``ratio``: trickbench's speed at the nearest game over this one's, medians. ``note``: why there are no figures.
    """
    ready, missing = available(contenders, seconds)
    found = in_turns(ready, rounds)
    rows = []
    for contender in contenders:
        row = {"toolkit": contender.toolkit, "version": installed(contender.toolkit)}
        row |= {name: getattr(contender, name) for name in ("game", "how", "cards", "nearest")}
        row |= speed(ready[contender][1], found[contender]) if contender in ready else dict.fromkeys(FIGURES)
        rows.append(row | {"ratio": None, "note": missing.get(contender, "")})
    return with_ratios(pd.DataFrame(rows))


def with_ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the ratios filled in."""
    speeds = table["deals_per_second"].astype(float)
    here = table["toolkit"] == "trickbench"
    own = dict(zip(table["game"][here], speeds[here], strict=True))
    return table.assign(ratio=table["nearest"].map(own).astype(float) / speeds)


def installed(package: str) -> str:
    """Return the version of a package, or nothing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def markdown(table: pd.DataFrame) -> str:
    """Return the table as the documentation shows it, and a line for each toolkit and reason why there are no figures."""
    lines = [HEAD, ["---"] * 4 + ["---:"] * 3 + ["---", "---:"]]
    for row in table[table["note"] == ""].itertuples():
        nearest = ["", ""] if row.toolkit == "trickbench" else [row.nearest, three_figures(row.ratio)]
        speeds = [three_figures(row.deals_per_second), three_figures(row.best)]
        lines.append([row.toolkit, row.version, row.game, row.how, str(row.cards), *speeds, *nearest])
    text = ["| " + " | ".join(line) + " |" for line in lines]
    missing = [f"{toolkit}, {'; '.join(rows['how'])}: {note}" for (toolkit, note), rows in table[table["note"] != ""].groupby(["toolkit", "note"])]
    return "\n".join(text + [""] * bool(missing) + missing)


def three_figures(value: float) -> str:
    """Return a number rounded to three figures."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"


def write(table: pd.DataFrame, out: Path, about: dict[str, Any]) -> None:
    """Write the table as CSV and, with where it comes from, as JSON beside it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    table = table.astype(dict.fromkeys(FIGURES, float)).round({"deals_per_second": 0, "best": 0, "core_share": 3, "ratio": 2})
    table = table.astype(dict.fromkeys(FIGURES[:-1], "Int64"))
    table.to_csv(out, index=False, lineterminator="\n")
    rows = json.loads(table.to_json(orient="records"))
    out.with_suffix(".json").write_text(json.dumps(about | {"rows": rows}, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, print, and write CSV and JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="how long a measurement should take")
    parser.add_argument("--out", type=Path, default=Path("results/peers.csv"))
    given = parser.parse_args()
    about = {"when": datetime.now(UTC).isoformat(timespec="seconds"), "seed": SEED, "core": one_core(), "load": load(), **provenance()}
    table = peers(CONTENDERS, given.rounds, given.seconds)
    print(markdown(table))
    share = table["core_share"].astype(float).mean()
    print(f"\nmedians of {given.rounds} rounds in turns; {about['core']}, of which the process got {share:.0%}; load at the start {about['load']}")
    print(f"{about['machine']['processor']}, Python {about['python']}, numba {about['packages']['numba']}")
    write(table, given.out, about)


if __name__ == "__main__":
    main()
