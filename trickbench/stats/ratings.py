"""Ratings: Bradley-Terry with Davidson's ties for two sides, Plackett-Luce for three seats, by maximum likelihood.

Ratings are natural logarithms: e^(a - b) is how many times as often a wins as b does. They depend on the sums of results only, never on an order.
Agents that were always ahead of all that lead to the anchor have no finite rating; they get an infinite one, without an interval, unless a
``prior`` is stated: then every pairing or triple that met gets so much weight of results in which nobody is better.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.errors import UsageError
from trickbench.stats.choices import Choices, most_likely, reached, relative
from trickbench.stats.distributions import check_level

ELO = 400 / math.log(10)
"""Elo points in one natural unit: 173.7."""
ORDERS = tuple(permutations(range(3)))
"""The six orders of three seats, the winner first: (0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)."""


class Ratings(NamedTuple):
    """Ratings by agent number, the anchor's 0."""

    rating: NDArray[np.float64]
    tie: float
    """Davidson's nu: equal agents tie nu / (2 + nu) of their games; NaN for rankings"""


class Rated(NamedTuple):
    """Ratings with intervals, by agent number."""

    rating: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def to_elo(rating: Any) -> NDArray[np.float64]:
    """Return ratings on the scale of Elo: 400 points are odds of ten to one."""
    return np.asarray(rating, np.float64) * ELO


def bradley_terry(wins: Any, ties: Any = None, anchor: int = 0, prior: float = 0.0) -> Ratings:
    """Return Bradley-Terry ratings with ties as in Davidson (1970).

    i beats j, loses, ties with probabilities as p_i : p_j : nu sqrt(p_i p_j), p = e^rating.

    Parameters
    ----------
    wins : float[n, n]
        Weight of games in which i beat j.
    ties : float[n, n], optional
        Weight of tied games of i and j, in both places.
    anchor : int
        Agent rated 0.
    prior : float
        Weight of games added to each pairing that met, half won by either.

    Returns
    -------
    Ratings
        Infinite or NaN where results do not tie an agent to the anchor both ways; all NaN but the anchor where ties are so many against the
        wins that nu has no finite maximum (such as only ties, or wins of one side and ties).
    """
    won = np.asarray(wins, np.float64)
    tied = np.zeros_like(won) if ties is None else np.asarray(ties, np.float64)
    if won.ndim != 2 or won.shape[0] != won.shape[1] or tied.shape != won.shape or len(won) < 2:
        raise UsageError("ratings: wins and ties are square tables of one size, two agents at least")
    if not (np.isfinite(won + tied).all() and (won >= 0).all() and (tied >= 0).all()) or won.trace() + tied.trace() > 0:
        raise UsageError("ratings: wins and ties are weights, 0 or more, with zeros where an agent would meet itself")
    if not np.array_equal(tied, tied.T):
        raise UsageError("ratings: ties of i with j stand in both places of the table, [i, j] and [j, i]")
    _check(len(won), anchor, prior)
    rating, nu = _fit_pairs(won[None], tied[None], anchor, prior)
    return Ratings(rating[0], float(nu[0]))


def _check(agents: int, anchor: int, prior: float) -> None:
    """Raise UsageError for an anchor that is not there, or a negative prior."""
    if not 0 <= anchor < agents:
        raise UsageError(f"anchor: {anchor} is no agent of these; give 0 to {agents - 1}")
    if not (prior >= 0 and math.isfinite(prior)):
        raise UsageError(f"prior: {prior} is no weight; give 0 or more")


def _fit_pairs(
    wins: NDArray[np.float64], ties: NDArray[np.float64], anchor: int, prior: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ratings and nu of many tables of wins and ties, [d, n, n] each."""
    met = np.asarray(wins + wins.transpose(0, 2, 1) + ties > 0)
    wins = wins + prior / 2 * met
    sets, n = len(wins), wins.shape[1]
    reach = reached((wins > 0) | (ties > 0))
    same = reach & reach.transpose(0, 2, 1)
    i, j = np.triu_indices(n, 1)
    # Games between agents that results tie one way only are as likely as can be in the limit, and say no more.
    counts = np.stack([wins[:, i, j], wins[:, j, i], ties[:, i, j]], axis=2) * same[:, i, j, None]
    any_ties = np.asarray(counts[:, :, 2].any(axis=1), bool)
    features = np.zeros((len(i), 3, n + 1))
    rows = np.arange(len(i))
    features[rows, 0, i] = features[rows, 1, j] = 1
    features[rows, 2, i] = features[rows, 2, j] = 0.5
    features[:, 2, n] = 1
    is_open = np.ones(counts.shape, bool)
    is_open[:, :, 2] = any_ties[:, None]
    gauge = np.zeros((sets, n + 1, n + 1))
    gauge[:, :n, :n] = same
    gauge[:, n, n] = ~any_ties
    theta = np.full((sets, n + 1), np.nan)
    sound = ~any_ties | _wins_outweigh_ties(wins * same, ties)
    if sound.any():
        theta[sound] = most_likely([Choices(features, counts[sound], is_open[sound])], gauge[sound])
    rating = relative(theta[:, :n], reach, anchor)
    rating[:, anchor] = 0
    return rating, np.where(any_ties, np.exp(theta[:, n]), np.where(sound, 0.0, np.nan))


def _wins_outweigh_ties(wins: NDArray[np.float64], ties: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether nu has a finite maximum in each table.

    It has none if nu and all gaps could grow together without making any result less likely: winners two steps or more above losers, tied agents
    within two steps. That is a system of difference constraints; it cannot be met exactly if its graph has a negative cycle (Floyd-Warshall).
    """
    distance = np.where(wins > 0, -2.0, np.where(ties > 0, 2.0, np.inf))
    for k in range(wins.shape[1]):
        distance = np.maximum(np.minimum(distance, distance[:, :, k, None] + distance[:, None, k, :]), -1e9)
    return np.asarray((np.diagonal(distance, axis1=1, axis2=2) < 0).any(axis=1))


def shared_orders(places: Any) -> NDArray[np.float64]:
    """Return the weight of each of ``ORDERS`` for results with ties: every order that a tie leaves open gets an equal share.

    Parameters
    ----------
    places : int[..., 3]
        Place of each seat, the best lowest; equal where tied. Scores with the sign turned serve as well.

    Returns
    -------
    float64[..., 6]
    """
    place = np.asarray(places)
    fits = np.stack([(place[..., a] <= place[..., b]) & (place[..., b] <= place[..., c]) for a, b, c in ORDERS], axis=-1)
    return np.asarray(fits / fits.sum(axis=-1, keepdims=True))


def plackett_luce(triples: Any, orders: Any, agents: int | None = None, anchor: int = 0, prior: float = 0.0) -> Ratings:
    """Return Plackett-Luce ratings of three-player results (Luce 1959, Plackett 1975).

    The winner is chosen among three with probability proportional to p = e^rating, then the second among the two that are left.

    Parameters
    ----------
    triples : int[m, 3]
        Three different agents each.
    orders : float[m, 6]
        Weight of each of ``ORDERS`` of them; for ties see ``shared_orders``.
    agents : int, optional
        How many there are; by default as many as the highest number says.
    anchor : int
        Agent rated 0.
    prior : float
        Weight added to each triple, in equal shares of the six orders.
    """
    table, weights = np.asarray(triples, np.int64), np.asarray(orders, np.float64)
    count = _check_triples(table, agents)
    if weights.shape != (len(table), 6) or not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise UsageError("ratings: orders are six weights for each triple, 0 or more")
    _check(count, anchor, prior)
    return Ratings(_fit_triples(table, weights[None], count, anchor, prior)[0], math.nan)


def _check_triples(table: NDArray[np.int64], agents: int | None) -> int:
    """Return the number of agents; raise UsageError unless each row has three different ones."""
    if table.ndim != 2 or table.shape[1] != 3 or not len(table):
        raise UsageError("ratings: triples are rows of three agents' numbers")
    count = int(table.max()) + 1 if agents is None else agents
    ordered = np.sort(table, axis=1)
    if (np.diff(ordered, axis=1) == 0).any() or table.min() < 0 or table.max() >= count:
        raise UsageError(f"ratings: a triple has three different agents, 0 to {count - 1}")
    return count


def _tabled(rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return tables [d, n, n] with weights [d, m] added up in their places."""
    spread = np.zeros((len(rows), n * n))
    spread[np.arange(len(rows)), rows * n + columns] = 1
    return np.asarray((weights @ spread).reshape(-1, n, n))


def _fit_triples(triples: NDArray[np.int64], orders: NDArray[np.float64], n: int, anchor: int, prior: float) -> NDArray[np.float64]:
    """Return ratings of many sets of weights of orders, [d, m, 6]."""
    sets, m = orders.shape[:2]
    orders = orders + prior / 6
    firsts, seconds, ahead = np.zeros((sets, m, 3)), np.zeros((sets, n, n)), np.zeros((sets, n, n))
    for number, (a, b, c) in enumerate(ORDERS):
        weight = orders[:, :, number]
        firsts[:, :, a] += weight
        seconds += _tabled(triples[:, b], triples[:, c], weight, n)
        for better, worse in ((a, b), (a, c), (b, c)):
            ahead += _tabled(triples[:, better], triples[:, worse], weight, n)
    reach = reached(ahead > 0)
    same = reach & reach.transpose(0, 2, 1)
    # In the limit the winner is chosen among those that results tie to it both ways.
    winner = np.take_along_axis(np.broadcast_to(triples, (sets, m, 3)), firsts.argmax(axis=2)[..., None], axis=2)
    is_open = same[np.arange(sets)[:, None, None], winner, triples[None]]
    i, j = np.triu_indices(n, 1)
    pairs = np.zeros((len(i), 2, n))
    pairs[np.arange(len(i)), 0, i] = pairs[np.arange(len(i)), 1, j] = 1
    twos = np.stack([seconds[:, i, j], seconds[:, j, i]], axis=2) * same[:, i, j, None]
    blocks = [Choices(np.eye(n)[triples], firsts, is_open), Choices(pairs, twos, np.ones(twos.shape, bool))]
    return relative(most_likely(blocks, same.astype(float)), reach, anchor)


def rated_pairs(
    pairs: Any,
    counts: Any,
    kinds: Any,
    agents: int,
    anchor: int = 0,
    prior: float = 0.0,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
) -> Rated:
    """Return Bradley-Terry ratings with bootstrap intervals over deals.

    Parameters
    ----------
    pairs : int[m, 2]
        The two agents of each pairing.
    counts : int[m, k]
        Deals of each pairing by kind of result.
    kinds : float[k, 3]
        What one deal of each kind counts: wins of the first, ties, wins of the second. A deal played both ways counts two games.
    agents, anchor, prior
        As for ``bradley_terry``.
    level, draws, seed
        Confidence level, resamples, and their seed. Each pairing is resampled by itself, whole deals with their number kept.

    Returns
    -------
    Rated
        Without an interval where the rating is infinite. An end is infinite where that many resamples are.
    """
    table, seen, weights = np.asarray(pairs, np.int64), np.asarray(counts, np.int64), np.asarray(kinds, np.float64)
    if table.ndim != 2 or table.shape[1] != 2 or seen.shape != (len(table), len(weights)) or weights.shape[1:] != (3,):
        raise UsageError("ratings: pairs are rows of two agents, counts a row a pairing and a column a kind, kinds rows of three weights")
    if (table[:, 0] == table[:, 1]).any() or table.min() < 0 or table.max() >= agents:
        raise UsageError(f"ratings: a pairing has two different agents, 0 to {agents - 1}")
    _check(agents, anchor, prior)

    def fit(results: NDArray[np.float64]) -> NDArray[np.float64]:
        first, second = table.T
        won, tied, lost = results.transpose(2, 0, 1)
        wins = _tabled(first, second, won, agents) + _tabled(second, first, lost, agents)
        ties = _tabled(first, second, tied, agents) + _tabled(second, first, tied, agents)
        return _fit_pairs(wins, ties, anchor, prior)[0]

    return _resampled(seen, weights, fit, level, draws, seed)


def rated_triples(
    triples: Any,
    counts: Any,
    kinds: Any,
    agents: int,
    anchor: int = 0,
    prior: float = 0.0,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
) -> Rated:
    """Return Plackett-Luce ratings with bootstrap intervals over deals.

    Parameters
    ----------
    triples : int[m, 3]
    counts : int[m, k]
        Deals of each triple by kind of result.
    kinds : float[k, 6]
        What one deal of each kind counts: weights of ``ORDERS``, summed over its seatings.
    agents, anchor, prior, level, draws, seed
        As for ``rated_pairs``.
    """
    table, seen, weights = np.asarray(triples, np.int64), np.asarray(counts, np.int64), np.asarray(kinds, np.float64)
    _check_triples(table, agents)
    if seen.shape != (len(table), len(weights)) or weights.shape[1:] != (6,):
        raise UsageError("ratings: counts are a row a triple and a column a kind, kinds rows of six weights")
    _check(agents, anchor, prior)
    return _resampled(seen, weights, lambda orders: _fit_triples(table, orders, agents, anchor, prior), level, draws, seed)


def _resampled(counts: NDArray[np.int64], kinds: NDArray[np.float64], fit: Any, level: float, draws: int, seed: int) -> Rated:
    """Return the fit of counted results, and the percentiles of fits of resampled ones."""
    check_level(level)
    draw = np.random.Generator(np.random.Philox(seed))
    rating = fit((counts @ kinds)[None])[0]
    drawn = fit(np.stack([_draws(draw, row, kinds, draws) for row in counts], axis=1))
    # A resample that says nothing about an agent speaks for neither end.
    below = np.sort(np.where(np.isnan(drawn), -np.inf, drawn), axis=0)
    above = np.sort(np.where(np.isnan(drawn), np.inf, drawn), axis=0)
    tail = (1 - level) / 2
    finite = np.isfinite(rating)
    low = np.where(finite, below[math.floor(tail * (draws - 1))], np.nan)
    high = np.where(finite, above[math.ceil((1 - tail) * (draws - 1))], np.nan)
    return Rated(rating, low, high)


def _draws(draw: np.random.Generator, counts: NDArray[np.int64], kinds: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
    """Return what resamples of one pairing or triple count, [draws, weights]."""
    # Kinds that did not occur are left out: three agents have thousands, and each costs a binomial draw.
    held, n = counts > 0, int(counts.sum())
    if n == 0:
        return np.zeros((draws, kinds.shape[1]))
    return np.asarray(draw.multinomial(n, counts[held] / n, size=draws) @ kinds[held])


def rating_table(names: list[str], rated: Rated) -> pd.DataFrame:
    """Return ratings as a table, the best first: agent, rating, low, high, elo, elo_low, elo_high."""
    columns: dict[str, Any] = {"agent": names, "rating": rated.rating, "low": rated.low, "high": rated.high}
    columns |= {"elo": to_elo(rated.rating), "elo_low": to_elo(rated.low), "elo_high": to_elo(rated.high)}
    return pd.DataFrame(columns).sort_values("rating", ascending=False, kind="stable", ignore_index=True)
