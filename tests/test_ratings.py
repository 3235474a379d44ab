"""Ratings: what choix and scipy find, known orders, ties, separated results, clones, intervals."""

from __future__ import annotations

import math

import choix
import numpy as np
import pytest
from scipy import optimize

from trickbench.errors import UsageError
from trickbench.stats.ratings import (
    ORDERS,
    bradley_terry,
    plackett_luce,
    rated_pairs,
    rated_triples,
    rating_table,
    shared_orders,
    to_elo,
)

TRUE = np.array([0.0, 0.4, -0.7, 1.3, 0.9])


def some_wins(seed: int = 0, n: int = 5, games: int = 60) -> np.ndarray:
    draw = np.random.default_rng(seed)
    upper = np.triu(draw.binomial(games, 1 / (1 + np.exp(TRUE[None, :n] - TRUE[:n, None]))), 1)
    return np.asarray(upper + np.tril(games - upper.T, -1), float)


def expected(ratings: np.ndarray, nu: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of wins and of ties."""
    p = np.exp(ratings)
    either = p[:, None] + p[None, :] + nu * np.sqrt(np.outer(p, p))
    off = 1 - np.eye(len(p))
    return p[:, None] / either * off, nu * np.sqrt(np.outer(p, p)) / either * off


def expected_orders(ratings: np.ndarray, triples: np.ndarray) -> np.ndarray:
    p = np.exp(ratings[triples])
    return np.stack([p[:, a] / p.sum(axis=1) * p[:, b] / (p[:, b] + p[:, c]) for a, b, c in ORDERS], axis=1)


TRIPLES = np.array([(a, b, c) for a in range(5) for b in range(a + 1, 5) for c in range(b + 1, 5)])


def test_bradley_terry_is_choix() -> None:
    wins = some_wins()
    games = [(i, j) for i in range(5) for j in range(5) for _ in range(int(wins[i, j]))]
    other = choix.opt_pairwise(5, games, alpha=0, tol=1e-12)
    found = bradley_terry(wins, anchor=2)
    assert found.rating == pytest.approx(other - other[2], abs=1e-5)
    assert found.tie == 0


def test_plackett_luce_is_choix() -> None:
    weights = np.random.default_rng(3).multinomial(40, [0.3, 0.2, 0.2, 0.1, 0.15, 0.05], size=len(TRIPLES))
    games = [tuple(int(row[k]) for k in order) for row, some in zip(TRIPLES, weights, strict=True)
             for order, n in zip(ORDERS, some, strict=True) for _ in range(n)]  # fmt: skip
    other = choix.opt_rankings(5, games, alpha=0, tol=1e-12)
    assert plackett_luce(TRIPLES, weights).rating == pytest.approx(other - other[0], abs=1e-5)


def test_davidsons_ties_are_at_the_top_of_their_likelihood() -> None:
    draw = np.random.default_rng(4)
    ties = np.triu(draw.integers(3, 30, (5, 5)), 1).astype(float)
    ties, wins = ties + ties.T, some_wins()

    def lost(x: np.ndarray) -> float:
        win, tie = expected(np.append(0, x[:4]), math.exp(x[4]))
        off = ~np.eye(5, dtype=bool)
        return -float((wins[off] * np.log(win[off])).sum() + (ties[off] * np.log(tie[off])).sum() / 2)

    best = optimize.minimize(lost, np.zeros(5), method="BFGS", options={"gtol": 1e-7})
    found = bradley_terry(wins, ties)
    assert found.rating == pytest.approx(np.append(0, best.x[:4]), abs=1e-4)
    assert found.tie == pytest.approx(math.exp(best.x[4]), abs=1e-4)


@pytest.mark.parametrize("nu", [0.0, 0.3, 2.0])
def test_true_ratings_come_back_from_expected_results(nu: float) -> None:
    found = bradley_terry(*(100 * table for table in expected(TRUE, nu)))
    assert found.rating == pytest.approx(TRUE, abs=1e-7)
    assert found.tie == pytest.approx(nu, abs=1e-7)
    assert plackett_luce(TRIPLES, expected_orders(TRUE, TRIPLES)).rating == pytest.approx(TRUE, abs=1e-7)


def test_a_known_order_comes_back_from_played_games() -> None:
    true = np.linspace(-1.5, 1.5, 7)
    win, tie = expected(true, 0.4)
    draw = np.random.default_rng(1)
    wins, ties = np.zeros((2, 7, 7))
    for i in range(7):
        for j in range(i):
            wins[i, j], tied, wins[j, i] = draw.multinomial(600, [win[i, j], tie[i, j], win[j, i]])
            ties[i, j] = ties[j, i] = tied
    found = bradley_terry(wins, ties)
    assert found.rating.argsort().tolist() == list(range(7))
    assert found.rating - found.rating.mean() == pytest.approx(true, abs=0.15)


def test_numbers_and_order_do_not_matter() -> None:
    wins, order = some_wins(), np.array([3, 0, 4, 1, 2])
    whole, moved = bradley_terry(wins), bradley_terry(wins[np.ix_(order, order)], anchor=1)
    assert moved.rating == pytest.approx(whole.rating[order])
    weights = np.random.default_rng(5).integers(1, 9, (len(TRIPLES), 6))
    turned = TRIPLES[::-1, ::-1]
    # The seats read backwards: order (a, b, c) becomes (2 - a, 2 - b, 2 - c), which are the orders from last to first.
    assert plackett_luce(turned, weights[::-1, ::-1]).rating == pytest.approx(plackett_luce(TRIPLES, weights).rating)


def test_a_clone_changes_no_ranking() -> None:
    # Exactly where the results are such as ratings describe; here they are sampled, and the order is what stays.
    wins = some_wins(seed=6, games=400)
    cloned = np.zeros((6, 6))
    cloned[:5, :5], cloned[5, :5], cloned[:5, 5] = wins, wins[3], wins[:, 3]
    cloned[5, 3] = cloned[3, 5] = 200
    before, after = bradley_terry(wins).rating, bradley_terry(cloned).rating
    assert after[5] == pytest.approx(after[3])
    assert after[:5].argsort().tolist() == before.argsort().tolist()
    exact = np.append(TRUE, TRUE[3])
    assert bradley_terry(expected(exact)[0]).rating == pytest.approx(exact, abs=1e-7)


def test_tied_places_are_shared() -> None:
    found = shared_orders([[1, 2, 3], [2, 1, 1], [1, 1, 2], [5, 5, 5], [3, 2, 1]])
    assert found.tolist() == [
        [1, 0, 0, 0, 0, 0],
        [0, 0, 0, 0.5, 0, 0.5],
        [0.5, 0, 0.5, 0, 0, 0],
        [1 / 6] * 6,
        [0, 0, 0, 0, 0, 1],
    ]


def test_who_won_everything_has_no_finite_rating() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0] = 6, 3
    wins[2, :2] = 9
    found = bradley_terry(wins)
    assert found.rating[:3].tolist() == [0, pytest.approx(-math.log(2)), math.inf]
    assert math.isnan(found.rating[3])
    assert bradley_terry(wins, anchor=2).rating[:3].tolist() == [-math.inf, -math.inf, 0]
    # A stated prior of one game a pairing, half of it won by either.
    told = bradley_terry(wins[:3, :3], prior=1.0).rating
    assert told[2] == pytest.approx(bradley_terry(wins[:3, :3] + 0.5 * (1 - np.eye(3))).rating[2])
    assert 2 < told[2] < 4


def test_separated_rankings_keep_what_they_say() -> None:
    triples = np.array([[0, 1, 2]])
    always_first = np.array([[5.0, 3.0, 0, 0, 0, 0]])
    found = plackett_luce(triples, always_first, anchor=1)
    assert found.rating.tolist() == [math.inf, 0, pytest.approx(math.log(3 / 5))]
    always_last = np.array([[5.0, 0, 3.0, 0, 0, 0]])
    assert plackett_luce(triples, always_last).rating.tolist() == [0, pytest.approx(math.log(3 / 5)), -math.inf]
    assert np.isfinite(plackett_luce(triples, always_last, prior=0.5).rating).all()


def test_ties_without_enough_wins_rate_nobody() -> None:
    one = np.array([[0, 5.0], [0, 0]])
    tied = np.array([[0, 3.0], [3.0, 0]])
    for wins, ties in ((one, tied), (0 * one, tied)):
        found = bradley_terry(wins, ties)
        assert found.rating[0] == 0
        assert math.isnan(found.rating[1])
    assert np.isfinite(bradley_terry(one, tied, prior=1).rating).all()


KINDS = np.array([[2, 0, 0], [1, 1, 0], [1, 0, 1], [0, 2, 0], [0, 1, 1], [0, 0, 2.0]])


def played(seed: int, deals: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pairings, and counts of kinds, of agents whose two games of a deal are independent."""
    win, tie = expected(TRUE, 0.5)
    pairs = np.array([(i, j) for i in range(5) for j in range(i + 1, 5)])
    rows = []
    for i, j in pairs:
        w, t, x = win[i, j], tie[i, j], win[j, i]
        rows.append([w * w, 2 * w * t, 2 * w * x, t * t, 2 * t * x, x * x])
    draw = np.random.default_rng(seed)
    return pairs, np.array([draw.multinomial(deals, row) for row in rows])


def test_bootstrap_intervals_of_ratings_cover() -> None:
    hits = []
    for seed in range(150):
        pairs, counts = played(seed, 80)
        found = rated_pairs(pairs, counts, KINDS, 5, draws=200, seed=seed)
        hits.append((found.low <= TRUE) & (found.high >= TRUE))
        assert (found.low <= found.rating).all()
    # 600 intervals of four agents, which go together.
    assert 0.92 <= np.mean(np.array(hits)[:, 1:]) <= 0.98


def test_bootstrap_intervals_of_rankings_cover() -> None:
    chances, hits = expected_orders(TRUE, TRIPLES), []
    for seed in range(100):
        draw = np.random.default_rng(seed)
        counts = np.array([draw.multinomial(60, row) for row in chances])
        found = rated_triples(TRIPLES, counts, np.eye(6), 5, draws=200, seed=seed)
        hits.append((found.low <= TRUE) & (found.high >= TRUE))
    assert 0.91 <= np.mean(np.array(hits)[:, 1:]) <= 0.985


def test_intervals_depend_on_the_seed_alone_and_make_a_table() -> None:
    pairs, counts = played(1, 100)
    first, again, other = (rated_pairs(pairs, counts, KINDS, 5, draws=100, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.low, again.low)
    assert not np.array_equal(first.low, other.low)
    table = rating_table(list("abcde"), first)
    assert table["agent"].tolist()[0] == "d"
    assert table["elo"].tolist() == pytest.approx(sorted(400 / math.log(10) * first.rating, reverse=True))
    assert to_elo(math.log(10)) == pytest.approx(400)


def test_infinite_ratings_have_no_interval_and_rare_losses_an_open_one() -> None:
    kinds = np.array([[1, 0, 0], [0, 0, 1.0]])
    found = rated_pairs([[0, 1], [0, 2]], [[30, 30], [0, 60]], kinds, 3, draws=100)
    assert found.rating[2] == math.inf
    assert np.isnan([found.low[2], found.high[2]]).all()
    rare = rated_pairs([[0, 1]], [[1, 59]], kinds, 2, draws=400)
    assert np.isfinite([rare.rating[1], rare.low[1]]).all()
    assert rare.high[1] == math.inf


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: bradley_terry([[0, 1], [1, 0]], anchor=2), "anchor"),
        (lambda: bradley_terry([[0, 1], [1, 0]], prior=-1), "prior"),
        (lambda: bradley_terry([[0, 1, 2]]), "square"),
        (lambda: bradley_terry([[1, 1], [1, 0]]), "meet itself"),
        (lambda: bradley_terry([[0, 1], [1, 0]], [[0, 1], [2, 0]]), "both places"),
        (lambda: plackett_luce([[0, 1, 1]], [[1] * 6]), "different"),
        (lambda: plackett_luce([[0, 1, 2]], [[1] * 5]), "six"),
        (lambda: plackett_luce([[0, 1]], [[1] * 6]), "triples"),
        (lambda: rated_pairs([[0, 1]], [[1, 2]], KINDS, 2), "kind"),
        (lambda: rated_pairs([[0, 0]], [[1] * 6], KINDS, 2), "different"),
        (lambda: rated_triples([[0, 1, 2]], [[1, 2]], KINDS, 3), "kind"),
    ],
)
def test_a_mistake_says_what_would_be_right(call: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()  # type: ignore[operator]
