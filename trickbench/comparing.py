"""Two results folders side by side: what differs in how they were played, and in what came out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pandas as pd

from trickbench.configuration import Change, changes, settings, surroundings
from trickbench.reading import grid, shorten, with_interval
from trickbench.results import Results
from trickbench.stats.comparison import PAIRED, compare_runs, shared_deals

RATES = ("win", "tie", "loss", "capot", "forfeit", "exact")
"""Quantities that are shown in percent."""
NOTES = (
    "(difference: the second less the first; all with 95 % intervals; * the interval excludes 0, which by chance one in twenty does)",
    "(paired: deal by deal over the deals that both runs recorded; else the two runs are taken as independent)",
)


@dataclass(frozen=True)
class Comparison:
    """Two finished runs, and how they differ.

    Attributes
    ----------
    first, second : Results
    configuration : list of Change
        What differs and can change results.
    place : list of Change
        What differs and cannot: commit, machine, versions of other packages.
    tables : dict
        Match that both have, of the same family of games, to a table of :func:`trickbench.stats.comparison.compare_runs`.
    """

    first: Results
    second: Results
    configuration: list[Change]
    place: list[Change]
    tables: dict[str, pd.DataFrame]

    @property
    def digests(self) -> dict[str, bool]:
        """Match that both have to whether its digests are equal."""
        return {run.match: run.digest == self.second[run.match].digest for run in self.first if run.match in names(self.second)}


def names(results: Results) -> list[str]:
    """Return the names of the matches of a run."""
    return [run.match for run in results]


def compare(first: Results, second: Results) -> Comparison:
    """Return how two runs differ; matches are compared by name."""
    both = [(run, second[run.match]) for run in first if run.match in names(second)]
    return Comparison(
        first,
        second,
        changes(settings(first.manifest), settings(second.manifest)),
        changes(surroundings(first.manifest), surroundings(second.manifest)),
        {a.match: compare_runs(a, b) for a, b in both if a.game.family == b.game.family},
    )


def compare_json(found: Comparison) -> str:
    """Return a comparison as JSON."""
    runs = {key: {"out": str(run.path), "digest": run.digest} for key, run in (("first", found.first), ("second", found.second))}
    differ = {
        key: [{"what": change.what, "first": change.before, "second": change.now} for change in listed]
        for key, listed in (("configuration", found.configuration), ("place", found.place))
    }
    rows = {match: json.loads(table.to_json(orient="records", double_precision=15)) for match, table in found.tables.items()}
    return json.dumps({**runs, **differ, "digests_equal": found.digests, "matches": rows}, indent=2)


def compare_text(found: Comparison) -> str:
    """Return a comparison as text."""
    parts = [f"first:   {found.first.path}\nsecond:  {found.second.path}", _differences(found)]
    digests = [f"{match} {'equal' if equal else 'different'}" for match, equal in found.digests.items()]
    parts.append(f"digests: {', '.join(digests) or 'no match is in both'}")
    parts += [_match_text(found, match) for match in found.digests]
    return "\n\n".join([*parts, *(["\n".join(NOTES)] if found.tables else [])])


def _differences(found: Comparison) -> str:
    """Return what differs in how the two were played, that which can change results first."""
    rows = [[change.what, *(shorten(text, 60) for text in change.texts())] for change in (*found.configuration, *found.place)]
    if not found.configuration:
        same = "configuration: the same, with the same code"
        return f"{same}\n{grid(['elsewhere', 'first', 'second'], rows, 3)}" if rows else same
    return grid(["what differs", "first", "second"], rows, 3)


def _match_text(found: Comparison, match: str) -> str:
    a, b = found.first[match], found.second[match]
    if match not in found.tables:
        return f"{match}: {a.game.name} in the first, {b.game.name} in the second: nothing to compare"
    head = [f"{match}: {a.count:,} deals of {a.game.described()}, and {b.count:,} of {b.game.described()}"]
    if a.seed == b.seed and not shared_deals(a, b)[1]:
        head.append('(the same deals, of one seed: with record = "deals" in both, means would be compared deal by deal)')
    rows = [_row(row) for row in found.tables[match].itertuples()]
    return "\n".join([*head, grid(["seats", "quantity", "first", "second", "difference", "", "taken"], rows, 2)])


def _row(row: Any) -> list[str]:
    taken = f"paired, {row.n:,} deals" if row.method == PAIRED else row.method
    means = [_shown(row.quantity, *mean) for mean in ((row.mean_a, row.low_a, row.high_a), (row.mean_b, row.low_b, row.high_b))]
    return [row.who, row.quantity, *means, _shown(row.quantity, row.difference, row.low, row.high), "*" if row.differs else "", taken]


def _shown(quantity: str, mean: float, low: float, high: float) -> str:
    if quantity not in RATES or pd.isna(mean):
        return with_interval(mean, low, high)
    return f"{100 * mean:.2f} ± {50 * (high - low):.2f} %"
