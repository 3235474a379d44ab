"""The report of a benchmark: everything in one dictionary, and as text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from trickbench.benchmark.processes import peak_memory, start_up
from trickbench.benchmark.speeds import speeds
from trickbench.benchmark.steps import steps
from trickbench.provenance import provenance
from trickbench.reading import grid


def benchmark(deals: int, rounds: int, threads: int, processes: bool = True, loops: bool = False, progress: bool = False) -> dict[str, Any]:
    """Measure this machine.

    Parameters
    ----------
    deals : int
        Deals in a measurement of a yardstick; lanes play twice as many for each thread.
    rounds : int
        How often everything is measured, in turns.
    threads : int
        The greater number of threads.
    processes : bool
        Measure compile times, start-up and memory too, which takes two minutes.
    loops : bool
        Measure every loop over the lanes too.
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    dict
        ``speeds`` (a row a case and number of threads), ``seconds`` (compiling, loading, start-up), ``memory`` (MB), ``steps`` (a row a loop), and
        where it was measured.
    """
    report: dict[str, Any] = {"when": datetime.now(UTC).isoformat(timespec="seconds"), "speeds": speeds(deals, rounds, threads, progress)}
    if processes:
        report |= {"seconds": start_up(), "memory": peak_memory(20 * deals)}
    if loops:
        report["steps"] = steps()
    return report | provenance()


def report_text(report: dict[str, Any]) -> str:
    """Return a report as text."""
    parts = [speeds_text(report["speeds"])]
    if "seconds" in report:
        parts.append(seconds_text(report["seconds"]))
    if report.get("memory"):
        parts.append(grid(["peak memory", "MB"], [[name, f"{value:.0f}"] for name, value in report["memory"].items()]))
    if "steps" in report:
        parts.append(steps_text(report["steps"]))
    machine = report["machine"]
    where = f"{machine['processor']}, {machine['processors']} processors, Python {report['python']}, numba {report['packages']['numba']}"
    return "\n\n".join([*parts, where])


def speeds_text(rows: list[dict[str, Any]]) -> str:
    """Return deals a second as a table: a line a case, columns for the numbers of threads."""
    cases: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        cases.setdefault((row["game"], row["case"]), []).append(row)
    most = max(row["threads"] for row in rows)
    lines = []
    for (game, case), own in cases.items():
        one, all_threads = own[0], own[-1]
        lines.append([game, case, _millions(one["median"]), _millions(one["best"]), f"{one['to_yardstick']:.2f}" if "to_yardstick" in one else ""])
        if most > 1:
            several = all_threads["threads"] > 1
            lines[-1] += [_millions(all_threads["median"]), f"{all_threads['to_one_thread']:.2f}"] if several else ["", ""]
    head = ["game", "agents", "M deals/s", "best", "to yardstick"] + [f"{most} threads", "to 1"] * (most > 1)
    between = [row for row in rows if 1 < row["threads"] < most]
    scaling = [f"{row['threads']} threads, {row['game']}, {row['case']}: {row['to_one_thread']:.2f} times one" for row in between]
    note = f"(medians of {rows[0]['rounds']} rounds in turns; one thread unless said)"
    return "\n".join([grid(head, lines, 2), *scaling, note])


def _millions(speed: float) -> str:
    return f"{speed / 1e6:.2f}"


def seconds_text(found: dict[str, Any]) -> str:
    """Return start-up and compile times as text."""
    rows = [[name, f"{value:.2f}" if isinstance(value, float) else str(value)] for name, value in found.items() if not isinstance(value, dict)]
    compiled = [[name, f"{value:.2f}", f"{found['loading'][name]:.2f}"] for name, value in found["compiling"].items()]
    return "\n\n".join([grid(["start", "seconds"], rows), grid(["compiled", "the first time, s", "from the cache, s"], compiled)])


def steps_text(rows: list[dict[str, Any]]) -> str:
    """Return what every loop takes as a table, the dearest of each game first."""
    ordered = sorted(rows, key=lambda row: (row["game"] != rows[0]["game"], -row["a_deal"]))
    lines = [[row["game"], row["loop"], f"{row['nanoseconds']:.2f}", f"{row['calls']:.0f}", f"{row['a_deal']:.1f}"] for row in ordered]
    return grid(["game", "loop", "ns a lane", "a deal", "ns a deal"], lines, 2)
