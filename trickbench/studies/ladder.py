"""Several duels as one family: the edge of each step, with intervals that hold for all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from trickbench.reading import grid, with_interval
from trickbench.stats.multiple import family
from trickbench.studies.duel_result import DuelResult
from trickbench.studies.telling import short

FAMILY = 0.99
"""Chance that all intervals of a ladder hold at once."""


def ladder(results: Mapping[str, Any], level: float = FAMILY) -> pd.DataFrame | None:
    """Return one row a duel, with simultaneous intervals; None for fewer than two duels.

    Parameters
    ----------
    results : mapping of str to Result
        Studies by name; what is no duel is left out.
    level : float
        Chance that all intervals hold.

    Returns
    -------
    DataFrame
        study, game, A, B, n (deals), edge (points a deal), low, high (Bonferroni), p_holm.
    """
    duels = {name: result for name, result in results.items() if isinstance(result, DuelResult)}
    if len(duels) < 2:
        return None
    found = family(list(duels), [result.edge for result in duels.values()], level)
    studies = [result.study for result in duels.values()]
    found["game"] = [study.game.described() for study in studies]
    found["A"], found["B"] = ([study.names[who] for study in studies] for who in (0, 1))
    named = found.rename(columns={"name": "study", "mean": "edge", "holm": "p_holm"})
    return named[["study", "game", "A", "B", "n", "edge", "low", "high", "p_holm"]]


def ladder_text(steps: pd.DataFrame, level: float = FAMILY) -> str:
    """Return a ladder as a person reads it."""
    rows = []
    for row in steps.to_dict("records"):
        numbers = [f"{row['n']:,}", with_interval(row["edge"], row["low"], row["high"]), f"{row['p_holm']:.1e}"]
        rows.append([row["study"], row["game"], short(row["A"]), short(row["B"]), *numbers])
    table = grid(["duel", "game", "A", "B", "deals", "A's edge", "p (Holm)"], rows, 4)
    return f"all duels together\n{table}\n(points a deal; all intervals hold together with {100 * level:g} %)"
