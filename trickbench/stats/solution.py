"""Solution concepts of payoff tables: Nash averaging and alpha-rank.

Both ask what a table of payoffs says where agents beat one another in circles, which no single number a player can show. They rest on mean payoffs;
publish the table and its intervals beside them.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.errors import UsageError

POPULATION = 50
"""Individuals of alpha-rank's populations (the figure of its authors)."""


class NashAverage(NamedTuple):
    """The maximum-entropy equilibrium of a symmetric zero-sum game, and the ratings it gives."""

    weights: NDArray[np.float64]
    """probability of each agent in the equilibrium"""
    rating: NDArray[np.float64]
    """mean payoff of each agent against the equilibrium: 0 in its support, below outside"""


def nash_average(payoff: Any) -> NashAverage:
    """Return the Nash average of a table of payoffs (Balduzzi et al. 2018).

    Among all equilibria the one of highest entropy, which is unique. If there is but one equilibrium, as with measured payoffs, copies of an agent
    share its weight and change no rating. If there are several (exactly equal payoffs), a copied agent weighs more among those of equal worth,
    and ratings below 0 may change.

    Parameters
    ----------
    payoff : float[n, n]
        Mean payoff of i against j; antisymmetric.

    Notes
    -----
    First the central path p_i s_i = v / n, s = v - payoff p, followed to v = 1e-13. It ends in the inside of the set of equilibria, where
    exactly one of p_i and s_i is positive (Goldman and Tucker 1956), which gives the support. Then the entropy is maximised over the
    equilibria by Newton's method in the null space of the equations of the support, with a barrier for those outside it.
    """
    table = _antisymmetric(payoff)
    scale = float(np.abs(table).max())
    if scale == 0:
        return NashAverage(np.full(len(table), 1 / len(table)), np.zeros(len(table)))
    inside, slack = _central_path(table / scale)
    support = inside > slack
    weights = np.zeros(len(table))
    weights[support] = _highest_entropy((table / scale)[:, support], support, inside[support])
    return NashAverage(weights, table @ weights)


def _antisymmetric(payoff: Any) -> NDArray[np.float64]:
    """Return a square antisymmetric table; raise UsageError if it is not one."""
    table = np.asarray(payoff, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not len(table) or not np.isfinite(table).all():
        raise UsageError("payoff: give a square table of numbers, one row and one column an agent")
    if np.abs(table + table.T).max() > 1e-9 * max(1.0, float(np.abs(table).max())):
        raise UsageError("payoff: what i gains from j is what j loses to i: the table must be antisymmetric")
    return np.asarray((table - table.T) / 2)


def _central_path(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (p, s) near the end of the central path of a table whose largest entry is 1."""
    n, value = len(table), 10.0
    p, s = np.full(n, 1 / n), np.full(n, value)
    while True:
        for _ in range(50):
            gap = value - table @ p - s
            wrong = value / n - p * s
            if max(np.abs(gap).max(), np.abs(wrong).max() * n) < 1e-3 * value:
                break
            # s + ds = value - table (p + dp), and p ds + s dp = wrong: a diagonal less an antisymmetric matrix, regular always.
            dp = np.linalg.solve(np.diag(s / p) - table, wrong / p - gap)
            ds = gap - table @ dp
            falls = [float((-x[dx < 0] / dx[dx < 0]).min(initial=math.inf)) for x, dx in ((p, dp), (s, ds))]
            step = min(1.0, 0.95 * min(falls))
            p, s = p + step * dp, s + step * ds
        if value < 1e-13:
            return np.asarray(p / p.sum()), np.asarray(s)
        value *= 0.3


def _highest_entropy(columns: NDArray[np.float64], support: NDArray[np.bool_], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distribution of highest entropy among equilibria with this support."""
    equations = np.vstack([columns[support], np.ones(len(start))])
    aims = np.append(np.zeros(len(start)), 1.0)
    _, sizes, rows = np.linalg.svd(equations)
    free = rows[int((sizes > 1e-9 * sizes[0]).sum()) :].T
    p = np.asarray(start - np.linalg.pinv(equations, rcond=1e-9) @ (equations @ start - aims))
    if not free.shape[1]:
        return p
    losing = -columns[~support]
    for barrier in 10.0 ** np.arange(-1, -15, -1):
        p = _newton(p, free, losing, barrier)
    return p


def _newton(p: NDArray[np.float64], free: NDArray[np.float64], losing: NDArray[np.float64], barrier: float) -> NDArray[np.float64]:
    """Return the minimum of sum p ln p - barrier sum ln(losing p) along the columns of ``free``."""

    def height(x: NDArray[np.float64]) -> float:
        slack = losing @ x
        if x.min() <= 0 or slack.min(initial=1.0) <= 0:
            return math.inf
        return float(x @ np.log(x) - barrier * np.log(slack).sum())

    for _ in range(100):
        pull = losing / (losing @ p)[:, None]
        slope = free.T @ (np.log(p) + 1 - barrier * pull.sum(axis=0))
        curve = free.T @ (np.diag(1 / p) + barrier * pull.T @ pull) @ free
        step = -np.linalg.solve(curve, slope)
        decrement = float(-slope @ step)
        if decrement < 1e-24:
            break
        size, before = 1.0, height(p)
        while height(p + size * (free @ step)) > before - 0.25 * size * decrement + 1e-15 and size > 1e-12:
            size /= 2
        p = p + size * (free @ step)
    return p


def log_fixation(gain: Any, population: int = POPULATION) -> NDArray[np.float64]:
    """Return ln of the probability that one mutant takes a population over.

    (1 - e^-u) / (1 - e^-mu) for a gain u = alpha (payoff of the mutant - payoff of the resident) and m individuals; 1 / m at u = 0.

    Parameters
    ----------
    gain : float[...]
    population : int
    """
    u = np.asarray(gain, np.float64)
    size = np.maximum(np.abs(u), 1e-12)
    ratio = np.log(-np.expm1(-size)) - np.log(-np.expm1(-population * size))
    return np.asarray(np.where(u >= 0, ratio, ratio - (population - 1) * size))


def stationary(log_rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the stationary distribution of a Markov chain with these logarithms of rates between different states.

    By elimination of one state after another without a subtraction (Grassmann, Taksar, Heyman 1985), in logarithms: rates may lie hundreds of
    orders of magnitude apart, as alpha-rank's do.

    Parameters
    ----------
    log_rates : float64[n, n]
        ln of the rate from i to j; -inf for none; the diagonal is not looked at.
    """
    rates = log_rates.copy()
    n = len(rates)
    for k in range(n - 1, 0, -1):
        leaving = np.logaddexp.reduce(rates[k, :k])
        if leaving == -np.inf:
            raise UsageError("payoff: no chain of single changes leads from some agents to others; more pairings or triples must be played")
        rates[:k, k] -= leaving
        rates[:k, :k] = np.logaddexp(rates[:k, :k], rates[:k, k, None] + rates[k, :k])
    mass = np.zeros(n)
    for k in range(1, n):
        mass[k] = np.logaddexp.reduce(mass[:k] + rates[:k, k])
    mass = np.exp(mass - mass.max())
    return np.asarray(mass / mass.sum())


class AlphaRank(NamedTuple):
    """Masses of alpha-rank at ever sharper selection."""

    alphas: NDArray[np.float64]
    """intensities of selection, per unit of payoff"""
    masses: NDArray[np.float64]
    """[alphas, agents]: share of time (of seats, with three) that each agent holds"""

    @property
    def mass(self) -> NDArray[np.float64]:
        """The masses at the sharpest selection, the ones to rank by."""
        return np.asarray(self.masses[-1])


def alpha_rank(payoff: Any, alphas: Any = None, population: int = POPULATION) -> AlphaRank:
    """Return alpha-rank of a symmetric two-player game in one population (Omidshafiei et al. 2019).

    The population holds one agent; a mutant j comes up with probability 1 / (n - 1) and takes it over with the probability of ``log_fixation``,
    u = alpha (payoff[j, i] - payoff[i, j]).

    Parameters
    ----------
    payoff : float[n, n]
        Payoff of i against j.
    alphas : float[k], optional
        Intensities, ascending. By default from weak selection up to one at which the smallest difference of payoffs, too, decides.
    population : int
    """
    table = np.asarray(payoff, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not len(table) or not np.isfinite(table).all():
        raise UsageError("payoff: give a square table of numbers, one row and one column an agent")
    gains = table.T - table
    steps = _intensities(gains, alphas)
    return AlphaRank(steps, np.array([stationary(log_fixation(alpha * gains, population)) for alpha in steps]))


def _intensities(gains: NDArray[np.float64], alphas: Any) -> NDArray[np.float64]:
    """Return the given intensities, or twenty from weak to sharp selection."""
    if alphas is not None:
        given = np.asarray(alphas, np.float64)
        if given.ndim != 1 or not len(given) or not (given > 0).all() or (np.diff(given) <= 0).any():
            raise UsageError("alphas: give intensities of selection above 0, ascending")
        return given
    sizes = np.abs(gains[np.isfinite(gains)])
    sizes = sizes[sizes > 1e-9 * sizes.max(initial=0)]
    if not len(sizes):
        return np.array([1.0])
    # Sharp: e^-40 for the smallest difference.
    return np.geomspace(0.01 / sizes.max(), 40 / sizes.min(), 20)


def alpha_rank_three(payoff: Any, alphas: Any = None, population: int = POPULATION) -> AlphaRank:
    """Return alpha-rank of a game of three like seats, one population a seat.

    A state is which agents sit together; one of the three seats, by chance, meets a mutant of another agent, whose gain is its payoff in its new
    company less that of the agent it would replace. Seats are alike, so states are triples without an order.

    Parameters
    ----------
    payoff : float[n, n, n]
        Payoff of a seat of agent a in the company of b and c, at [a, b, c] and [a, c, b]. NaN where three did not sit together, as where agents never
        met copies of themselves; such triples are no states.
    alphas, population
        As for ``alpha_rank``.
    """
    table = np.asarray(payoff, np.float64)
    if table.ndim != 3 or len(set(table.shape)) != 1 or np.isinf(table).any():
        raise UsageError("payoff: give a cube of numbers, n x n x n, NaN for three that did not sit together")
    if not np.array_equal(table, table.transpose(0, 2, 1), equal_nan=True):
        raise UsageError("payoff: the company has no order: [a, b, c] and [a, c, b] must be the same")
    states = [triple for triple in combinations_with_replacement(range(len(table)), 3) if not any(np.isnan(_own(table, triple)))]
    if not states:
        raise UsageError("payoff: no three agents have payoffs for all of them")
    gains, ways = _moves(table, states)
    steps = _intensities(gains, alphas)
    seats = np.array([np.bincount(state, minlength=len(table)) / 3 for state in states])
    return AlphaRank(steps, np.array([stationary(ways + log_fixation(np.nan_to_num(alpha * gains), population)) @ seats for alpha in steps]))


def _own(table: NDArray[np.float64], triple: tuple[int, int, int]) -> tuple[float, float, float]:
    """Return what each of three earns in the company of the other two."""
    a, b, c = triple
    return float(table[a, b, c]), float(table[b, a, c]), float(table[c, a, b])


def _moves(table: NDArray[np.float64], states: list[tuple[int, int, int]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gain of the mutant from state to state (NaN: no move), and ln of in how many seats it can come up."""
    number = {state: place for place, state in enumerate(states)}
    gains, ways = np.full((len(states), len(states)), np.nan), np.zeros((len(states), len(states)))
    for state, place in number.items():
        for seat, resident in enumerate(state):
            first, second = state[:seat] + state[seat + 1 :]
            for mutant in range(len(table)):
                a, b, c = sorted((mutant, first, second))
                to = number.get((a, b, c))
                if mutant != resident and to is not None:
                    gains[place, to] = table[mutant, first, second] - table[resident, first, second]
                    ways[place, to] += 1
    with np.errstate(divide="ignore"):
        return gains, np.log(ways)
