"""A control variate for duels: what a deal is worth, by rollouts of the same deal between equals.

Let y be the mean result of rollouts in which one policy plays all seats of the deal, seen from A's seats. Seats are alike and the first
dealer is drawn, so the mean of y is 0 whatever the policy, and x - b y has the mean of x. With the best b its variance is 1 - R^2 times
that of x. Two policies give two such variables. The coefficients come from the other half of the deals, so they are independent of those they
are used on (Lavenberg and Welch 1981).

In duplicates the seatings of a deal are added, and with them y and -y: a variable whose mean is 0 because sides are alike is 0 there. What is
left is what depends on the deal and not on the seating. Tried is v, the result of the dealer's side in the same rollouts; its mean is not
known beforehand, so what it could save is reported as a bound and used for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.chunks import play_tables
from trickbench.games.game import Game
from trickbench.games.rows import LANES
from trickbench.stats.intervals import Estimate, normal_quantile
from trickbench.streams import philox
from trickbench.studies.seatings import DUEL, Scale, see_duel
from trickbench.studies.study import SUMS, Piece
from trickbench.table import Table

POLICIES = ("heuristic", "greedy")
"""Each plays all seats in its rollouts. Against R^2 of one seating (heuristic against greedy, 20,000 deals of Manillen): heuristic alone 0.38,
greedy alone 0.50, both 0.57; random cards after the longest suit 0.51; with a slope for each side that deals 0.58."""
CHUNK = 1 << 12
VARIABLES = ("one", "x", "y0", "y1", "d", "v0", "v1")
"""1; A's edge in the first seating, and in rollouts of each policy; its edge over all seatings, and the dealer's side's in the rollouts."""
SINGLE, DUPLICATE = slice(1, 4), slice(4, 7)


class Controlled(NamedTuple):
    """What a control variate brings."""

    plain: Estimate
    """without it"""
    controlled: Estimate
    """with it"""
    r_squared: float
    """share of the variance that it explains"""
    factor: float
    """plays without it that give the interval of one with it, rollouts not counted"""


def word_seeds(seed: int, rollouts: int) -> list[int]:
    """Return the seeds of the random words of rollouts, made from a run's seed."""
    found = [philox(number, 0, 0, 0, seed & 0xFFFFFFFF, seed >> 32) for number in range(rollouts)]
    return [low | high << 32 for low, high, _, _ in found]


def play_control(
    game: Game, tables: Sequence[Table], seed: int, first: int, count: int, rollouts: int, threads: int, bar: Any
) -> Generator[Piece, None, None]:
    """Play deals in all seatings, and the rollouts of each by every policy; yield sums of products by half: every other round of dealers."""
    every = [*tables, *(table for name in POLICIES for table in [Table(game, name)] * rollouts)]
    words = [*[None] * len(tables), *word_seeds(seed, rollouts) * len(POLICIES)]
    shared = _Shared(bar, len(tables), len(every))
    chunk = min(CHUNK, max(LANES, -(-count // (8 * threads))))
    with closing(play_tables(every, seed, first, count, threads, "deals", chunk, shared, words=words, counted=False)) as parts:
        for chunks in parts:
            seen = see_duel(game, chunks[: len(tables)])
            scores = [game.deal_scores(part.codes)[1].astype(np.int64) for part in chunks[len(tables) :]]
            rolled = [np.sum(scores[k * rollouts : (k + 1) * rollouts], axis=0) for k in range(len(POLICIES))]
            ours, dealers = [contrast(game, sums) for sums in rolled], [dealers_lead(game, seen.dealers, sums) for sums in rolled]
            variables = np.stack([np.ones_like(seen.x), seen.singles[:, 0], *ours, seen.x, *dealers])
            # Whole rounds of dealers: with even and odd deals each half would have one side's deals only, and the mean of y would not be 0 in it.
            halves = np.arange(chunks[0].first, chunks[0].first + chunks[0].count) // game.players % 2
            yield Piece(chunks[0].first, chunks[0].count, sums_by_half(halves, variables))


class _Shared:
    """A bar that counts the duel's plays; those of the rollouts come with them."""

    def __init__(self, bar: Any, counted: int, played: int) -> None:
        self.bar, self.before, self.counted, self.played, self.n = bar, bar.n, counted, played, 0

    def update(self, amount: int) -> None:
        """Add plays."""
        self.n += amount
        self.bar.update(self.before + self.n * self.counted // self.played - self.bar.n)


def contrast(game: Game, scores: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what A's seats have more than B's in the first seating, in its scale: the mean over all seats' deals is 0 among equals."""
    if game.family == "manille":
        lead: NDArray[np.int64] = scores[:, 0] - scores[:, 1]
        return lead
    own = np.array(DUEL[game.family][0]) == 0
    lead = scores[:, own].sum(axis=1) - 2 * scores[:, ~own].sum(axis=1)
    return lead


def dealers_lead(game: Game, dealers: NDArray[np.int8], scores: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what the dealer (the dealer's side) has more than the others."""
    own = scores[np.arange(len(scores)), dealers % game.sides]
    lead: NDArray[np.int64] = 2 * own - scores.sum(axis=1)
    return lead


def sums_by_half(halves: NDArray[np.int64], variables: NDArray[np.int64]) -> pd.DataFrame:
    """Return sums of products of :data:`VARIABLES` [variables, deals] for the deals of each half: integers, a row a half."""
    rows = []
    for half in (0, 1):
        some = variables[:, halves == half]
        products = some @ some.T
        rows.append({"half": half, **{name: int(products[pair]) for name, pair in _PAIRS.items()}, "count": some.shape[1]})
    return pd.DataFrame(rows)


_PAIRS = {f"{SUMS}{VARIABLES[a]}_{VARIABLES[b]}": (a, b) for a, b in combinations_with_replacement(range(len(VARIABLES)), 2)}


class _Half(NamedTuple):
    """Means and covariances of the variables over the deals of a half."""

    n: int
    means: NDArray[np.float64]
    covariances: NDArray[np.float64]

    def slopes(self, some: slice) -> NDArray[np.float64]:
        """Return the coefficients of the regression of the first of some variables on the others."""
        own = self.covariances[some, some]
        return np.asarray(np.linalg.lstsq(own[1:, 1:], own[0, 1:], rcond=None)[0], np.float64)

    def left(self, some: slice, slopes: NDArray[np.float64]) -> tuple[float, float]:
        """Return mean and variance of the first of some variables less the others by their slopes."""
        weights = np.array([1.0, *-slopes])
        return float(weights @ self.means[some]), float(weights @ self.covariances[some, some] @ weights)

    def r_squared(self, some: slice) -> float:
        """Return the share of the first variable's variance that the others explain."""
        variance = float(self.covariances[some, some][0, 0])
        return 1 - self.left(some, self.slopes(some))[1] / variance if variance else 0.0


def _half(row: Mapping[Any, Any]) -> _Half:
    n = int(row["count"])
    products = np.zeros((len(VARIABLES), len(VARIABLES)), object)
    for name, (a, b) in _PAIRS.items():
        products[a, b] = products[b, a] = int(row[name])
    sums = products[0]
    # Whole numbers until the last division: a mean near 0 loses nothing.
    exact = n * products - np.outer(sums, sums)
    return _Half(n, np.array(sums / max(n, 1), np.float64), np.array(exact / max(n * (n - 1), 1), np.float64))


def controlled(total: pd.DataFrame, scale: Scale, level: float = 0.95) -> Controlled:
    """Return the edge from one seating a deal, without and with the control variate."""
    halves = [_half(row) for row in total.to_dict("records")]
    slopes = [half.slopes(SINGLE) for half in halves][::-1]
    none = np.zeros(len(POLICIES))
    plain = _estimate(halves, [none] * len(halves), scale.seating, level)
    with_it = _estimate(halves, slopes if len(halves) == 2 else [none], scale.seating, level)
    factor = (plain.sd / with_it.sd) ** 2 if with_it.sd else math.inf
    return Controlled(plain, with_it, _mean_r_squared(halves, SINGLE), factor)


def left_in_duplicates(total: pd.DataFrame) -> float:
    """Return the share of a deal's duplicate result's variance that the rollouts' results of the dealer's side explain."""
    return _mean_r_squared([_half(row) for row in total.to_dict("records")], DUPLICATE)


def _mean_r_squared(halves: Sequence[_Half], some: slice) -> float:
    return sum(half.n * half.r_squared(some) for half in halves) / sum(half.n for half in halves)


def _estimate(halves: Sequence[_Half], slopes: Sequence[NDArray[np.float64]], unit: int, level: float) -> Estimate:
    """Return the mean over halves, each weighted by its deals, of the first seating's edge less the control variates by their slopes."""
    n = sum(half.n for half in halves)
    found = [half.left(SINGLE, own) for half, own in zip(halves, slopes, strict=True)]
    mean = sum(half.n * value for half, (value, _) in zip(halves, found, strict=True)) / n / unit
    sd = math.sqrt(sum(half.n * value for half, (_, value) in zip(halves, found, strict=True)) / n) / unit
    reach = normal_quantile(level) * sd / math.sqrt(n)
    return Estimate(n, mean, sd, mean - reach, mean + reach)
