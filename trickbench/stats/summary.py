"""Summaries of a run: one row a side or seat and quantity, with its denominator and a 95 % interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from trickbench.cards import CALLS
from trickbench.stats.intervals import Estimate, mean_interval, rate_interval

SIDES = ("0+2", "1+3")
COLUMNS = ["match", "who", "agent", "quantity", "n", "mean", "sd", "low", "high"]


def summarise(run: Any) -> pd.DataFrame:
    """Return the summary of a run of any game."""
    rows = manille_rows(run) if run.game.family == "manille" else manchego_rows(run)
    return pd.DataFrame(rows, columns=COLUMNS)


def side_agents(run: Any) -> list[str]:
    """Return a name for each side or seat: what was typed, or both partners' where they differ."""
    seats = [run.agents[place] for place in run.game.tables[len(run.agents)]]
    if run.game.family != "manille":
        return seats
    return [first if first == second else f"{first} + {second}" for first, second in ((seats[0], seats[2]), (seats[1], seats[3]))]


def mean_of(table: pd.DataFrame, column: str) -> Estimate:
    """Return the mean of a column over counted rows, missing values left out."""
    known = table[table[column].notna()]
    return mean_interval(known[column].to_numpy(np.int64), known["count"].to_numpy(np.int64))


def rate_of(table: pd.DataFrame, hit: Any) -> Estimate:
    """Return the rate of the rows that ``hit`` marks."""
    return rate_interval(int(table.loc[hit, "count"].sum()), int(table["count"].sum()))


def manille_rows(run: Any) -> list[list[Any]]:
    """Return the rows for the two sides of Manille.

    Win, tie and loss are of the deals that were played to the end, by card points; a forfeited deal counts in scores only.
    """
    every = run.outcomes
    played = every[every["forfeit"] < 0]
    rows = []
    for side, agent in enumerate(side_agents(run)):
        quantities: dict[str, Estimate] = {
            "net": mean_of(every.assign(net=every["net_0"] * (1 - 2 * side)), "net"),
            "score": mean_of(every, f"score_{side}"),
            "points": mean_of(played, f"points_{side}"),
            "tricks": mean_of(played, f"tricks_{side}"),
            "win": rate_of(played, played["winner"] == side),
            "tie": rate_of(played, played["winner"] == -1),
            "loss": rate_of(played, played["winner"] == 1 - side),
            "capot": rate_of(played, played["capot"] & (played["winner"] == side)),
        }
        if len(played) < len(every):
            quantities["forfeit"] = rate_of(every, every["forfeit"].isin((side, side + 2)))
        rows += [[run.match, SIDES[side], agent, name, *estimate] for name, estimate in quantities.items()]
    return rows


def manchego_rows(run: Any) -> list[list[Any]]:
    """Return the rows for the three seats of Manchego."""
    rows = []
    for seat, agent in enumerate(side_agents(run)):
        own = run.outcomes[run.outcomes["seat"] == seat]
        quantities = {
            "score": mean_of(own, "score"),
            "bid": mean_of(own, "bid"),
            "tricks": mean_of(own, "tricks"),
            "distance": mean_of(own, "distance"),
            "exact": rate_of(own, own["distance"] == 0),
        }
        rows += [[run.match, str(seat), agent, name, *estimate] for name, estimate in quantities.items()]
    return rows


def by_call(run: Any) -> pd.DataFrame:
    """Return win rate and mean net score of the dealer's side for every trump call, for each side as dealer.

    Columns: match, who (the dealer's side), agent, call, n (deals), share (of that side's calls), win, win_low, win_high, tie, net, net_low,
    net_high. Net is the dealer's side's score minus the other's. Forfeited deals are left out.
    """
    played = run.outcomes[run.outcomes["forfeit"] < 0]
    rows = []
    for side, agent in enumerate(side_agents(run)):
        own = played[played["dealer"] % 2 == side]
        total = int(own["count"].sum())
        for call in CALLS:
            some = own[own["call"] == call]
            n = int(some["count"].sum())
            win, tie = rate_of(some, some["winner"] == side), rate_of(some, some["winner"] == -1)
            net = mean_of(some.assign(net=some["net_0"] * (1 - 2 * side)), "net")
            share = n / total if total else np.nan
            rows.append([run.match, SIDES[side], agent, call, n, share, win.mean, win.low, win.high, tie.mean, net.mean, net.low, net.high])
    columns = ["match", "who", "agent", "call", "n", "share", "win", "win_low", "win_high", "tie", "net", "net_low", "net_high"]
    return pd.DataFrame(rows, columns=columns)


def by_bid(run: Any) -> pd.DataFrame:
    """Return hit rate, tricks and score for every bid of every seat.

    Columns: match, who (seat), agent, bid, n (deals), share, exact, exact_low, exact_high, tricks, score, score_low, score_high.
    """
    rows = []
    for seat, agent in enumerate(side_agents(run)):
        own = run.outcomes[run.outcomes["seat"] == seat]
        total = int(own["count"].sum())
        for bid in sorted(own["bid"].unique()):
            some = own[own["bid"] == bid]
            exact, score = rate_of(some, some["distance"] == 0), mean_of(some, "score")
            n = exact.n
            row = [run.match, str(seat), agent, int(bid), n, n / total, exact.mean, exact.low, exact.high, mean_of(some, "tricks").mean]
            rows.append([*row, score.mean, score.low, score.high])
    columns = ["match", "who", "agent", "bid", "n", "share", "exact", "exact_low", "exact_high", "tricks", "score", "score_low", "score_high"]
    return pd.DataFrame(rows, columns=columns)


def histogram(table: pd.DataFrame, value: Callable[[pd.DataFrame], Any] | str) -> pd.Series:
    """Return how many deals had each value of a column, ascending; missing values left out."""
    column = table[value] if isinstance(value, str) else value(table)
    return table["count"].groupby(column.rename("value")).sum()
