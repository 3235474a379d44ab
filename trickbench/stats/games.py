"""Summaries of whole games and matches: one row a side or seat and quantity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from trickbench.stats.intervals import Estimate, mean_interval, rate_interval
from trickbench.stats.summary import COLUMNS, SIDES, side_agents

ALL = "all"
"""Who a quantity belongs to that is the same for all: lengths."""


def mean_of_values(values: Any) -> Estimate:
    """Return the mean of integers with its interval."""
    found, counts = np.unique(np.asarray(values, np.int64), return_counts=True)
    return mean_interval(found, counts.astype(np.int64))


def rate_of_values(hits: Any) -> Estimate:
    """Return the rate of true values with its interval."""
    return rate_interval(int(np.sum(hits)), len(hits))


def summarise_games(run: Any) -> pd.DataFrame:
    """Return the summary of whole games.

    For each side or seat: ``match`` (rate of matches won, where a match has several games), ``game`` (rate of games won alone), ``shared`` (rate of
    games in which it has the highest score together with others: a draw in Manille), ``score`` (at the end of a game), in Manille ``net``
    (score less the other side's). For all: deals a game, and games and deals a match.

    Notes
    -----
    A match ends when it is won, so the number of its games depends on who wins. The rate of games won is the number won over the number
    played, which tends to the true rate (Wald's equation); its interval takes games as independent: agents have no memory, and only
    the first dealer passes from one game to the next.
    """
    rows: list[list[Any]] = []
    in_matches = run.game.ends().best_of > 1
    for side, agent in enumerate(side_agents(run)):
        quantities = side_quantities(run, side)
        if in_matches:
            quantities = {"match": rate_of_values(run.matches["winner"] == side), **quantities}
        who = SIDES[side] if run.game.sides == 2 else str(side)
        rows += [[run.match, who, agent, name, *estimate] for name, estimate in quantities.items()]
    lengths = {"deals a game": mean_of_values(run.games["deals"])}
    if in_matches:
        lengths |= {"games a match": mean_of_values(run.matches["games"]), "deals a match": mean_of_values(run.matches["deals"])}
    rows += [[run.match, ALL, "", name, *estimate] for name, estimate in lengths.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def side_quantities(run: Any, side: int) -> dict[str, Estimate]:
    """Return what is measured of a side or seat in single games."""
    games = run.games
    scores = games[[f"score_{other}" for other in range(run.game.sides)]].to_numpy(np.int64)
    highest = scores[:, side] == scores.max(axis=1)
    quantities = {
        "game": rate_of_values(games["winner"] == side),
        "shared": rate_of_values(highest & (games["winner"] < 0)),
        "score": mean_of_values(scores[:, side]),
    }
    if run.game.sides == 2:
        quantities["net"] = mean_of_values(scores[:, side] - scores[:, 1 - side])
    return quantities
