"""What a study of calls found, and what to call with a hand, as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from trickbench.reading import grid
from trickbench.studies.telling import short

if TYPE_CHECKING:
    from trickbench.studies.calls_result import CallsResult


HEADS = {"win": "wins", "tie": "ties", "capot": "capots", "doubled": "doubled", "redoubled": "redoubled"}
"""Rates at the head of a column."""


def points(row: Any, name: str = "net") -> str:
    """Return a mean of points with half the width of its interval."""
    mean, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    return f"{mean:+.2f}" if pd.isna(low) else f"{mean:+.2f} ± {(high - low) / 2:.2f}"


def rate(row: Any, name: str, reach: bool = False) -> str:
    """Return a rate in per cent, with half the width of its interval if that is asked for."""
    text = f"{100 * row[name]:.1f}"
    return f"{text} %" if not reach or pd.isna(row[f"{name}_low"]) else f"{text} ± {50 * (row[f'{name}_high'] - row[f'{name}_low']):.1f} %"


def calls_text(result: CallsResult) -> str:
    """Return what a study of calls found."""
    study, players = result.study, result.players[0]
    lines = [
        f"{study.game.described()}, seed {study.seed}: the dealer's hands of {result.deals:,} deals, each in {study.worlds:,} worlds",
        f"cards played by {players}; {study.auction_text}; net scores are those of the dealer's side",
        "",
        _callers(result, players),
        *_worth_lines(result),
        "",
        _calls(result, players),
        "",
        _best(result, players),
        "",
        *_features(result, players),
    ]
    if len(result.players) > 1:
        lines += ["", _yardsticks(result)]
    return "\n".join([*lines, "(means with 95 % intervals over deals)", f"digest: {result.digest}"])


def _of(table: pd.DataFrame, players: str) -> list[dict[Any, Any]]:
    return table[table["players"] == players].to_dict("records")


def _callers(result: CallsResult, players: str) -> str:
    """Return every caller with what its calls are worth and its regret."""
    rows = [
        [
            short(row["caller"]), points(row), rate(row, "win", True), rate(row, "tie"), rate(row, "capot"), points(row, "lost"),
            points(row, "most"), rate(row, "best"),
        ]
        for row in _of(result.regret, players)
    ]  # fmt: skip
    heads = ["caller", "net a deal", "wins", "ties", "capots", "regret, at least", "at most", "calls the best"]
    return grid(heads, rows)


def _worth_lines(result: CallsResult) -> list[str]:
    """Return what the best call is worth by the worlds, and how far their halves agree on it."""
    least, most = result.worth()
    half = result.worlds // 2
    return [
        f"(regret is at least what a caller is behind the best call of {half:,} worlds, valued in the other {half:,}: {least.mean:+.2f};",
        f"below 0 it knows better than these; at most what it is behind the best of all worlds: {most.mean:+.2f}, too much by selection)",
        f"both halves of the worlds have the same best call on {100 * result.agreement[0]:.1f} % of deals",
    ]


def _calls(result: CallsResult, players: str) -> str:
    rows = [
        [row["call"], points(row), rate(row, "win", True), *(rate(row, name) for name in result.rates[1:]), rate(row, "best", True)]
        for row in _of(result.by_call, players)
    ]
    return grid(["call, with every hand", "net a deal", *(HEADS[name] for name in result.rates), "best call"], rows)


def _best(result: CallsResult, players: str) -> str:
    rows = [
        [kind_text(row["kind"], row["length"]), rate(row, "share", True), points(row)]
        for row in _of(result.best, players) if row["share"] >= 0.0005
    ]  # fmt: skip
    return grid(["the best call", "of deals", "net a deal"], rows)


def kind_text(kind: str, length: int) -> str:
    """Return a kind of call with the length of its suit: "longest suit of 4"."""
    return f"{kind} of {length}" if length else kind


def _features(result: CallsResult, players: str) -> list[str]:
    """Return how suits by length and ten, no-trump by tens, and en face by the longest suit come out."""
    found = _of(result.by_feature, players)
    suits = [
        [f"{row['first']} cards {'with' if row['second'] else 'without'} the ten", f"{row['suits']:,}", *_outcome(row)]
        for row in found
        if row["feature"] == "length, ten" and row["first"] > 1
    ]
    shown = (("tens", "no-trump"), ("longest suit", "en face"))
    others = [[_hand_text(row), f"{row['n']:,}", *_outcome(row)] for row in found if (row["feature"], row["call"]) in shown]
    heads = ["wins", "net a deal", "best call"]
    return [grid(["calling a suit of", "suits", *heads], suits), "", grid(["calling", "deals", *heads], others)]


def _outcome(row: Any) -> list[str]:
    return [rate(row, "win", True), points(row), rate(row, "best")]


def _hand_text(row: Any) -> str:
    """Return a call without a suit, and what the hand is like."""
    one = "" if row["first"] == 1 else "s"
    return f"no-trump, {row['first']} ten{one}" if row["feature"] == "tens" else f"en face, longest suit {row['first']} card{one}"


def _yardsticks(result: CallsResult) -> str:
    """Return how the values by different players of the cards agree."""
    table = result.yardsticks
    own = [str(name) for name in table.columns if str(name).startswith("correlation_")]
    worth = {players: result.worth(number)[0].mean for number, players in enumerate(result.players)}
    rows = [
        [short(row["players"]), f"{worth[row['players']]:+.2f}", short(row["others"]), rate(row, "same"), points(row, "lost"),
         f"{min(row[name] for name in own):.2f} .. {max(row[name] for name in own):.2f}"]
        for row in table.to_dict("records")
    ]  # fmt: skip
    heads = ["cards played by", "best call", "chosen by", "same best", "then loses", "correlation of a call's values"]
    notes = [f"{100 * share:.1f} % with {short(players)}" for players, share in zip(result.players, result.agreement, strict=True)]
    return f"{grid(heads, rows, 1)}\n(the same best call by the two halves of the worlds: {', '.join(notes)})"


def hand_text(facts: dict[str, Any]) -> str:
    """Return what to call with a hand."""
    shown = [name for name in HEADS if name in facts["calls"][0]]
    rows = [
        [
            f"{row['call']} *" if row["best"] else row["call"], f"{row['net']:+.2f} ± {(row['net_high'] - row['net_low']) / 2:.2f}",
            *(rate(row, name) for name in shown),
            "" if row["best"] else f"{row['behind']:.2f} ± {(row['behind_high'] - row['behind_low']) / 2:.2f}", _chance(row["chance"]),
        ]
        for row in facts["calls"]
    ]  # fmt: skip
    heads = ["call", "net a deal", *(HEADS[name] for name in shown), "behind the best", "chance to be best"]
    lines = [
        facts["hand"],
        f"{facts['described']}, seed {facts['seed']}: {facts['worlds']:,} worlds, cards played by {facts['players']}; {facts['auction']}",
        grid(heads, rows),
        _verdict(facts),
        "",
        grid(["caller", "calls", "regret"], [[short(row["caller"]), row["call"], _regret(row)] for row in facts["callers"]], 2),
    ]
    if facts["yardsticks"]:
        lines += ["", *(f"with cards played by {row['players']}: {_listed(row['calls'])}" for row in facts["yardsticks"])]
    return "\n".join([*lines, "(95 % intervals; differences are taken world by world)"])


def _verdict(facts: dict[str, Any]) -> str:
    best = [row for row in facts["calls"] if row["best"]]
    names = " or ".join(row["call"] for row in best)
    same = " (the same cards)" if len(best) > 1 else ""
    return f"call {names}{same}: the best with probability {_chance(best[0]['chance'])}"


def _chance(chance: float) -> str:
    text = f"{100 * chance:.1f} %"
    return "> 99.9 %" if 0.9995 <= chance < 1 else "< 0.1 %" if 0 < chance < 0.0005 else text


def _regret(row: dict[str, Any]) -> str:
    return "0" if row["regret"] == 0 else f"{row['regret']:.2f} ± {(row['regret_high'] - row['regret_low']) / 2:.2f}"


def _listed(calls: Sequence[dict[str, Any]]) -> str:
    return ", ".join(f"{row['call']} {row['net']:+.2f}" for row in sorted(calls, key=lambda row: -row["net"]))
