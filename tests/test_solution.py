"""Nash averaging and alpha-rank: published games, scipy's answers, clones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from trickbench.errors import UsageError
from trickbench.stats.solution import alpha_rank, alpha_rank_three, log_fixation, nash_average, stationary

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0.0]])


def antisymmetric(upper: np.ndarray) -> np.ndarray:
    return np.asarray(np.triu(upper, 1) - np.triu(upper, 1).T, float)


def with_clone(table: np.ndarray, agent: int) -> np.ndarray:
    order = [*range(len(table)), agent]
    return np.asarray(table[np.ix_(order, order)])


def test_rock_paper_scissors() -> None:
    found = nash_average(ROCK_PAPER_SCISSORS)
    assert found.weights == pytest.approx([1 / 3] * 3, abs=1e-9)
    assert found.rating == pytest.approx([0] * 3, abs=1e-9)
    # Weights are those of the opposite sides: a win of 3 in place of 1 against the others.
    uneven = nash_average(antisymmetric(np.array([[0, -1, 3], [0, 0, -2], [0, 0, 0]])))
    assert uneven.weights == pytest.approx([2 / 6, 3 / 6, 1 / 6], abs=1e-9)


def test_the_example_of_its_authors() -> None:
    # Balduzzi et al. (2018), section 4: a cycle of three, and with a copy of the third.
    table = 4.6 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0.0]])
    assert nash_average(table).weights == pytest.approx([1 / 3] * 3, abs=1e-9)
    found = nash_average(with_clone(table, 2))
    assert found.weights == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-7)
    assert found.rating == pytest.approx([0] * 4, abs=1e-9)


def test_a_transitive_table_has_one_winner() -> None:
    strength = np.array([0.3, 2.0, -1.0, 1.9])
    found = nash_average(strength[:, None] - strength[None, :])
    assert found.weights == pytest.approx([0, 1, 0, 0], abs=1e-7)
    assert found.rating == pytest.approx(strength - 2.0, abs=1e-6)


def test_who_is_dominated_has_no_weight() -> None:
    table = np.zeros((5, 5))
    table[:3, :3] = ROCK_PAPER_SCISSORS
    table[:3, 3], table[:3, 4], table[3, 4] = 0.5, [0.2, 1, 1], 2
    found = nash_average(table - np.tril(table.T, -1) * (np.arange(5)[:, None] >= 3))
    assert found.weights == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0], abs=1e-7)
    assert found.rating == pytest.approx([0, 0, 0, -0.5, -2.2 / 3], abs=1e-6)


def test_nothing_to_choose_between_is_uniform() -> None:
    assert nash_average(np.zeros((4, 4))).weights.tolist() == [0.25] * 4
    assert nash_average([[0.0]]).weights.tolist() == [1]
    pair = np.zeros((4, 4))
    pair[:2, 2:], pair[2:, :2] = 1, -1
    assert nash_average(pair).weights == pytest.approx([0.5, 0.5, 0, 0], abs=1e-7)


def assert_highest_entropy(table: np.ndarray, p: np.ndarray) -> None:
    """Assert by scipy that no equilibrium has weight where ``p`` has none, and that ``p`` meets the conditions of the highest entropy."""
    n, support, losses = len(table), p > 0, table @ p
    for agent in np.flatnonzero(~support):
        most = optimize.linprog(-np.eye(n)[agent], A_ub=table, b_ub=np.zeros(n), A_eq=np.ones((1, n)), b_eq=[1])
        assert -most.fun < 1e-9
    # Along every way that equations and active bounds leave, entropy falls: ln p + 1 is a combination of normals (Karush, Kuhn, Tucker).
    equal = np.vstack([table[support][:, support], np.ones(support.sum())])
    active = table[~support & (losses > -1e-5)][:, support]
    normals = np.vstack([equal, -equal, active]).T
    assert optimize.nnls(normals, -np.log(p[support]) - 1)[1] < 1e-5


@pytest.mark.parametrize("seed", range(40))
def test_random_tables_full_of_equal_payoffs(seed: int) -> None:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(2, 9))
    table = antisymmetric(draw.integers(-1, 2, (n, n)))
    if seed % 3 == 0:
        table = with_clone(table, int(draw.integers(n)))
    found = nash_average(table)
    assert found.weights.sum() == pytest.approx(1, abs=1e-9)
    assert found.weights.min() >= 0
    assert found.rating.max() <= 1e-9
    assert_highest_entropy(table, found.weights)


def test_real_valued_tables_have_scipys_only_equilibrium() -> None:
    for seed, n in ((1, 5), (2, 12), (3, 30), (4, 30)):
        table = antisymmetric(np.random.default_rng(seed).normal(0, 7, (n, n)))
        found = nash_average(table)
        rules = {"A_ub": table, "b_ub": np.zeros(n), "A_eq": np.ones((1, n)), "b_eq": [1]}
        assert found.weights == pytest.approx(optimize.linprog(np.zeros(n), **rules).x, abs=1e-6)
        assert found.rating.max() <= 1e-8


@pytest.mark.parametrize("seed", range(6))
def test_a_clone_shares_its_weight_and_changes_no_rating(seed: int) -> None:
    table = antisymmetric(np.random.default_rng(seed).normal(size=(7, 7)))
    before = nash_average(table)
    for agent in range(7):
        after = nash_average(with_clone(table, agent))
        assert after.rating[:7] == pytest.approx(before.rating, abs=1e-6)
        assert after.weights[agent] == pytest.approx(after.weights[7], abs=1e-6)


def test_where_equilibria_are_many_a_clone_weighs() -> None:
    # Of two that are worth the same in equilibrium one is copied: its kind has 2/3 of the entropy's share, not 1/2, and who it beats rates lower.
    table = antisymmetric(np.array([[0, 0, 1, 3], [0, 0, 3, 1], [0, 0, 0, 0], [0, 0, 0, 0]]))
    assert nash_average(table).rating == pytest.approx([0, 0, -2, -2], abs=1e-7)
    after = nash_average(with_clone(table, 0))
    assert after.weights == pytest.approx([1 / 3, 1 / 3, 0, 0, 1 / 3], abs=1e-7)
    assert after.rating == pytest.approx([0, 0, -5 / 3, -7 / 3, 0], abs=1e-6)


def test_fixation_is_the_formula() -> None:
    for u in (-0.3, 1e-4, 0.7):
        assert math.exp(float(log_fixation(u, 20))) == pytest.approx((1 - math.exp(-u)) / (1 - math.exp(-20 * u)))
    assert math.exp(float(log_fixation(0.0, 20))) == pytest.approx(1 / 20)
    assert float(log_fixation(-1000.0, 50)) == pytest.approx(-49_000)


def test_the_stationary_distribution_is_the_eigenvector() -> None:
    rates = np.random.default_rng(3).exponential(size=(8, 8)) ** 6
    found = stationary(np.log(rates))
    flow = rates * (1 - np.eye(8))
    assert found @ flow == pytest.approx(found * flow.sum(axis=1), rel=1e-10)


def test_alpha_rank_of_games_of_its_authors() -> None:
    # Omidshafiei et al. (2019): rock-paper-scissors, uniform at any selection; the biased one, a third each where selection is sharp.
    assert alpha_rank(ROCK_PAPER_SCISSORS).masses == pytest.approx(1 / 3)
    biased = alpha_rank(antisymmetric(np.array([[0, -0.5, 1], [0, 0, -0.1], [0, 0, 0]])))
    assert biased.mass == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert np.abs(biased.masses[5] - 1 / 3).max() > 0.01
    assert biased.masses[0] == pytest.approx([1 / 3] * 3, abs=0.2)


def test_alpha_rank_of_a_transitive_table_is_its_winner() -> None:
    strength = np.array([0.3, 2.0, -1.0, 1.9])
    found = alpha_rank(strength[:, None] - strength[None, :], population=20)
    assert found.mass == pytest.approx([0, 1, 0, 0], abs=1e-6)
    weak = found.masses[0]
    assert weak.argsort().tolist() == strength.argsort().tolist()


def test_a_clone_reverses_no_order_of_alpha_rank_in_a_transitive_table_but_weighs_in_a_cycle() -> None:
    strength = np.array([0.0, 1.0, 3.0])
    table = strength[:, None] - strength[None, :]
    for alpha in (0.01, 0.1):
        before, after = (alpha_rank(some, [alpha]).mass for some in (table, with_clone(table, 1)))
        assert after[:3].argsort().tolist() == before.argsort().tolist()
    # Rock twice: paper, which beats both, holds twice what scissors holds.
    assert alpha_rank(with_clone(ROCK_PAPER_SCISSORS, 0)).mass == pytest.approx([0.2, 0.4, 0.2, 0.2], abs=1e-6)


def test_three_seats_of_a_strength_go_to_the_strongest() -> None:
    strength = np.array([0.0, 2.0, 1.0, 0.5])
    cube = strength[:, None, None] - (strength[None, :, None] + strength[None, None, :]) / 2
    assert alpha_rank_three(cube).mass == pytest.approx([0, 1, 0, 0], abs=1e-6)
    weak = alpha_rank_three(cube, [0.001]).mass
    assert weak.argsort().tolist() == strength.argsort().tolist()
    assert weak == pytest.approx([0.25] * 4, abs=0.03)
    # Three different agents at every table: the best three of four share the seats.
    for a in range(4):
        cube[a, a, :] = cube[a, :, a] = np.nan
        cube[:, a, a] = np.nan
    assert alpha_rank_three(cube).mass == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=1e-6)


def test_three_seats_are_the_chain_written_out() -> None:
    draw = np.random.default_rng(5)
    cube = draw.normal(size=(3, 3, 3))
    cube = cube + cube.transpose(0, 2, 1)
    alpha, m = 0.05, 10
    profiles = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
    flow = np.zeros((27, 27))
    for i, state in enumerate(profiles):
        for seat in range(3):
            for mutant in set(range(3)) - {state[seat]}:
                to = (*state[:seat], mutant, *state[seat + 1 :])
                others = [state[other] for other in range(3) if other != seat]
                gain = alpha * (cube[mutant, others[0], others[1]] - cube[state[seat], others[0], others[1]])
                flow[i, profiles.index(to)] = (1 - math.exp(-gain)) / (1 - math.exp(-m * gain))
    balance = np.vstack([(flow - np.diag(flow.sum(axis=1))).T, np.ones(27)])
    mass = np.linalg.lstsq(balance, np.append(np.zeros(27), 1), rcond=None)[0]
    share = [sum(p * state.count(agent) / 3 for p, state in zip(mass, profiles, strict=True)) for agent in range(3)]
    assert alpha_rank_three(cube, [alpha], population=m).mass == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: nash_average([[0, 1], [1, 0]]), "antisymmetric"),
        (lambda: nash_average([[0, 1, 2]]), "square"),
        (lambda: nash_average([[0, math.nan], [math.nan, 0]]), "square"),
        (lambda: alpha_rank([[0, 1, 2]]), "square"),
        (lambda: alpha_rank([[0, 1], [-1, 0]], [2, 1]), "alphas"),
        (lambda: alpha_rank_three([[0, 1], [-1, 0]]), "cube"),
        (lambda: alpha_rank_three(np.arange(8).reshape(2, 2, 2)), "order"),
        (lambda: alpha_rank_three(np.full((2, 2, 2), np.nan)), "no three"),
    ],
)
def test_a_mistake_says_what_would_be_right(call: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()  # type: ignore[operator]
