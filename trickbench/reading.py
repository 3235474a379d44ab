"""Results as text a person reads in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from trickbench.results import Results
from trickbench.stats.summary import by_bid, by_call


def grid(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a table as text: the first ``left`` columns to the left, the others to the right."""
    widths = [max(len(row[k]) for row in [list(head), *rows]) for k in range(len(head))]
    lines = []
    for row in [list(head), *rows]:
        cells = [cell.ljust(width) if k < left else cell.rjust(width) for k, (cell, width) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def percent(rate: Any) -> str:
    """Return a rate as a percentage, or a dash where there is none."""
    return "-" if pd.isna(rate) else f"{100 * rate:.2f} %"


def with_interval(mean: Any, low: Any, high: Any) -> str:
    """Return a mean with half the width of its interval."""
    if pd.isna(mean):
        return "-"
    return f"{mean:.3f}" if pd.isna(low) else f"{mean:.3f} ± {(high - low) / 2:.3f}"


def shorten(text: str, most: int = 36) -> str:
    """Return a long name cut in the middle."""
    return text if len(text) <= most else f"{text[: most - 16]}...{text[-13:]}"


def read_out(results: Results) -> str:
    """Return everything a run found, as text."""
    parts = []
    for run in results:
        title = f"{run.match}: {run.count:,} deals of {run.game.described()}, seed {run.seed}"
        parts.append("\n".join([title, *(_manille(run) if run.game.family == "manille" else _manchego(run))]))
    return "\n\n".join(parts)


def _quantities(run: Any, who: str) -> dict[str, Any]:
    own = run.summary[run.summary["who"] == who]
    return {str(row.quantity): row for row in own.itertuples()}


def _manille(run: Any) -> list[str]:
    """Return the lines for the two sides, then for the calls."""
    rows = []
    for who, agent in dict(zip(run.summary["who"], run.summary["agent"], strict=True)).items():
        q = _quantities(run, who)
        net = with_interval(q["net"].mean, q["net"].low, q["net"].high)
        rates = [percent(q[name].mean) for name in ("win", "tie", "capot")]
        rows.append([who, shorten(agent), net, f"{q['net'].sd:.2f}", *rates, f"{q['points'].mean:.2f}", f"{q['tricks'].mean:.2f}"])
    sides = grid(["seats", "agent", "net score a deal", "sd", "win", "tie", "capot", "points", "tricks"], rows, 2)
    calls = [
        [
            str(row.who), shorten(str(row.agent)), str(row.call), f"{row.n:,}", percent(row.share), percent(row.win), percent(row.tie),
            with_interval(row.net, row.net_low, row.net_high),
        ]
        for row in by_call(run).itertuples()
    ]  # fmt: skip
    table = grid(["dealer's", "agent", "call", "deals", "share", "win", "tie", "net score a deal"], calls, 3)
    return [sides, "", "trump calls, seen from the dealer's side", table, "(means with 95 % intervals; win: more than 30 card points)"]


def _manchego(run: Any) -> list[str]:
    """Return the lines for the three seats, then for the bids."""
    rows = []
    for who, agent in dict(zip(run.summary["who"], run.summary["agent"], strict=True)).items():
        q = _quantities(run, who)
        score = with_interval(q["score"].mean, q["score"].low, q["score"].high)
        means = [f"{q[name].mean:.2f}" for name in ("bid", "tricks", "distance")]
        rows.append([who, shorten(agent), score, f"{q['score'].sd:.2f}", percent(q["exact"].mean), *means])
    seats = grid(["seat", "agent", "score a deal", "sd", "exact", "bid", "tricks", "distance"], rows, 2)
    bids = by_bid(run)
    common = bids[bids["share"] >= 0.01]
    lines = [
        [
            str(row.who), shorten(str(row.agent)), str(row.bid), f"{row.n:,}", percent(row.exact), f"{row.tricks:.2f}",
            with_interval(row.score, row.score_low, row.score_high),
        ]
        for row in common.itertuples()
    ]  # fmt: skip
    table = grid(["seat", "agent", "bid", "deals", "exact", "tricks", "score a deal"], lines, 2)
    return [seats, "", "bids made in at least 1 % of the deals", table, "(means with 95 % intervals; exact: as many tricks as bid)"]


def read_games(run: Any) -> str:
    """Return what whole games found, as text."""
    best_of = run.game.ends().best_of
    title = f"{run.count:,} {run.unit} of {run.game.described()}{f', best of {best_of}' * (best_of > 1)}, seed {run.seed}"
    title += f": {len(run.rows):,} games" * (best_of > 1) + f", {run.deals:,} deals"
    names = [*["match"] * (best_of > 1), "game", "shared", "score", *["net"] * (run.game.sides == 2)]
    rows = []
    for who, agent in dict(zip(run.summary["who"], run.summary["agent"], strict=True)).items():
        q = _quantities(run, who)
        if "game" in q:
            rows.append([who, shorten(agent), *(_game_cell(name, q[name]) for name in names)])
    heads = {"match": "matches won", "game": "games won", "shared": "drawn" if run.game.sides == 2 else "shared", "score": "score at the end"}
    table = grid(["seats" if run.game.sides == 2 else "seat", "agent", *(heads.get(name, name) for name in names)], rows, 2)
    lengths = [f"{q.quantity}: {with_interval(q.mean, q.low, q.high)} (sd {q.sd:.2f})" for q in run.summary.itertuples() if q.who == "all"]
    return "\n".join([title, table, "", *lengths, "(95 % intervals)", f"digest: {run.digest}"])


def _game_cell(name: str, estimate: Any) -> str:
    if name in ("score", "net"):
        return with_interval(estimate.mean, estimate.low, estimate.high)
    return f"{percent(estimate.mean)} ({percent(estimate.low)} .. {percent(estimate.high)})"
