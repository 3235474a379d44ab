"""What a study of doubles found, as a person reads it in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from trickbench.reading import grid, percent, with_interval
from trickbench.studies.telling import short

if TYPE_CHECKING:
    from trickbench.studies.doubles_result import DoublesResult


def doubles_text(result: DoublesResult) -> str:
    """Return what a study of doubles found."""
    study = result.study
    head = [
        f"{study.game.described()}, seed {study.seed}: {study.players_name} calls and plays",
        f"{study.deals:,} deals, each with nobody speaking and with every doubler against every redoubler",
    ]
    parts = [
        "\n".join(head), _gains(result), _answers(result), _differences(result),
        *([_calibration(result), _thresholds(result)] if study.forecasters() else []),
        f"(95 % intervals; deals are the unit of evidence)\ndigest: {result.digest}",
    ]  # fmt: skip
    return "\n\n".join(parts)


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _gains(result: DoublesResult) -> str:
    rows = [
        [
            short(row["doubler"]), short(row["redoubler"]), with_interval(row["gain"], row["low"], row["high"]), percent(row["doubled"]),
            percent(row["redoubled"]), percent(row["below"]), percent(row["below_passed"]),
        ]
        for row in _records(result.gains)
    ]  # fmt: skip
    names = ["doubler", "redoubler", "points a deal", "doubled", "of these redoubled", "below 30 if doubled", "if not"]
    return f"what doubling wins\n{grid(names, rows, 2)}\n(below 30: deals in which the dealer's side has fewer than 30 points)"


def _answers(result: DoublesResult) -> str:
    rows = [
        [
            short(row["redoubler"]), short(row["doubler"]), with_interval(row["gain"], row["low"], row["high"]), percent(row["redoubled"]),
            percent(row["above"]),
        ]
        for row in _records(result.answers)
    ]  # fmt: skip
    return "what redoubling wins\n" + grid(["redoubler", "doubler", "points a deal", "redoubles of doubles", "above 30 if redoubled"], rows, 2)


def _differences(result: DoublesResult) -> str:
    rows = [
        [short(row["first"]), short(row["second"]), short(row["redoubler"]), with_interval(row["difference"], row["low"], row["high"])]
        for row in _records(result.differences)
    ]
    return f"doublers compared, deal by deal\n{grid(['doubler', 'wins more than', 'redoubler', 'points a deal'], rows, 3)}" if rows else ""


def _calibration(result: DoublesResult) -> str:
    rows = [
        [
            short(row["doubler"]), row["decision"], row["call"], f"{row['decided']:,}",
            with_interval(row["brier"], row["brier_low"], row["brier_high"]),
            *(f"{row[name]:.4f}" for name in ("reliability", "resolution", "uncertainty")), f"{100 * row['skill']:.1f} %",
            percent(row["tie_said"]), percent(row["tie_seen"]),
        ]
        for row in _records(result.calibration)
    ]  # fmt: skip
    names = ["forecaster", "asked", "call", "decided", "Brier", "reliability", "resolution", "uncertainty", "skill", "ties said", "ties seen"]
    what = f"forecasts that the dealer's side has fewer than 30 points, ties left out ({result.study.forecasts:,} other deals)"
    return f"{what}\n{grid(names, rows, 3)}"


def _thresholds(result: DoublesResult) -> str:
    rows = [
        [short(row["doubler"]), row["decision"], row["call"], f"{row['n']:,}", with_interval(row["threshold"], row["low"], row["high"])]
        for row in _records(result.thresholds)
    ]
    what = "P(below 30) at which speaking wins and loses the same: a double pays above it, a redouble below"
    return f"{what}\n{grid(['forecaster', 'asked', 'call', 'cases near it', 'threshold'], rows, 3)}"
