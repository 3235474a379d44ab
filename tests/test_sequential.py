"""Sequential tests: reference values, bounds, error rates, the cut of the sequence, and estimates after stopping."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.linalg import solve_banded

from trickbench.errors import UsageError
from trickbench.stats.pentanomial import NELO, PAIRS, likelihood_ratio, normalised_elo, pair_likelihood_ratio, pair_t
from trickbench.stats.sequential import LOWER, MOST, UPPER, MarginState, MarginTest, PairState, PairTest, sprt_bounds
from trickbench.stats.stopping import _by_images, _by_waves, edge_after, nelo_after, passes_above

SIZES = np.array([0, 2, 4, 8, 15, 30, 60])
SIZE_WEIGHTS = np.array([17, 20, 20, 20, 13, 5, 2]) / 97
"""How far paired deals are apart: many zeros, a kurtosis of 11. A sign by chance gives the edge, and the skewness with it."""


def margins(draw: np.random.Generator, edge: float, n: int) -> np.ndarray:
    """Return so many margins with this mean."""
    sign = np.where(draw.random(n) < 0.5 + edge / (SIZES @ SIZE_WEIGHTS) / 2, 1, -1)
    return sign * SIZES[np.searchsorted(SIZE_WEIGHTS.cumsum(), draw.random(n) * (1 - 1e-12))]


def pair_shares(nelo: float) -> np.ndarray:
    """Return shares of the five categories with this normalised Elo."""

    def tilted(by: float) -> np.ndarray:
        shares = np.array([0.08, 0.17, 0.38, 0.24, 0.13]) * np.exp(by * PAIRS)
        return np.asarray(shares / shares.sum())

    def gap(by: float) -> float:
        mean = tilted(by) @ PAIRS
        return float((mean - 0.5) / math.sqrt(tilted(by) @ (PAIRS - mean) ** 2) - pair_t(nelo))

    return tilted(optimize.brentq(gap, -5, 5))


def run_margins(test: MarginTest, edge: float, seed: int, tests: int) -> list[MarginState]:
    draw, ended = np.random.default_rng(seed), []
    for _ in range(tests):
        state = MarginState()
        while not state.verdict:
            state = test.feed(state, margins(draw, edge, 400))
        ended.append(state)
    return ended


def run_pairs(test: PairTest, nelo: float, seed: int, tests: int) -> list[PairState]:
    draw, ended, shares = np.random.default_rng(seed), [], pair_shares(nelo)
    for _ in range(tests):
        state = PairState()
        while not state.verdict:
            state = test.feed(state, draw.choice(5, 256, p=shares))
        ended.append(state)
    return ended


def limit(rate: float, tests: int) -> float:
    """Return a rate and three standard errors of it."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / tests)


def test_the_pair_test_meets_the_values_of_fastchess() -> None:
    # app/tests/sprt_test.cpp: pairs, then single games as three categories; its own tolerance is 1 %.
    for counts, low, high, llr in (
        ([365, 16618, 36229, 16974, 390], 0, 2, 2.25),
        ([127, 4883, 10712, 5150, 104], -1.75, 0.25, 3.01),
        ([0, 0, 0, 0, 5550], 0, 5, 111.82),
    ):
        assert pair_likelihood_ratio(counts, low, high) == pytest.approx(llr, rel=0.01)
    for counts, low, high, llr in (([36027, 68692, 36433], 0, 2, 0.92), ([10650, 20431, 10871], -1.75, 0.25, 2.30), ([0, 0, 4250], 0, 10, 120.56)):
        assert likelihood_ratio(counts, np.array([0, 0.5, 1]), low / NELO, high / NELO) == pytest.approx(llr, rel=0.01)


def test_the_likelihood_is_the_highest_under_its_hypothesis() -> None:
    counts = np.array([14, 41, 97, 60, 28])

    def best(t: float) -> float:
        def gap(p: np.ndarray) -> float:
            mean = p @ PAIRS
            return float(mean - 0.5 - t * math.sqrt(p @ (PAIRS - mean) ** 2))

        rules = [{"type": "eq", "fun": gap}, {"type": "eq", "fun": lambda p: p.sum() - 1}]
        found = optimize.minimize(
            lambda p: -(counts @ np.log(p)), counts / 240, bounds=[(1e-6, 1)] * 5, constraints=rules, method="SLSQP", options={"ftol": 1e-14}
        )
        return -float(found.fun)

    for low, high in ((0, 30), (-40, 10), (20, 120)):
        assert pair_likelihood_ratio(counts, low, high) == pytest.approx(best(pair_t(high)) - best(pair_t(low)), abs=1e-6)


def test_the_ratio_is_antisymmetric_and_counts_may_be_many() -> None:
    rows = np.random.default_rng(1).multinomial(300, pair_shares(20), size=(3, 4))
    found = pair_likelihood_ratio(rows, -10, 35)
    assert found.shape == (3, 4)
    assert found == pytest.approx(-pair_likelihood_ratio(rows, 35, -10))
    assert found == pytest.approx(-pair_likelihood_ratio(rows[..., ::-1], -35, 10), abs=1e-9)


def test_normalised_elo_meets_fastchess() -> None:
    # app/tests/elo_test.cpp: 57.94 +- 28.28, with 1 / n for the variance of t
    found = normalised_elo([34, 54, 63, 64, 75])
    assert found.mean == pytest.approx(57.94, abs=0.005)
    assert (found.high - found.low) / 2 == pytest.approx(28.28, rel=0.05)
    assert normalised_elo([75, 64, 63, 54, 34]).mean == pytest.approx(-found.mean)
    assert normalised_elo([0, 0, 9, 0, 0]).mean == 0
    assert normalised_elo([0, 0, 0, 0, 9]).mean == math.inf
    assert math.isnan(normalised_elo([0] * 5).mean)


def test_normalised_elos_interval_covers() -> None:
    for nelo in (0, 300):
        found = [normalised_elo(row) for row in np.random.default_rng(2).multinomial(300, pair_shares(nelo), size=3000)]
        assert 0.94 <= np.mean([one.low <= nelo <= one.high for one in found]) <= 0.96


def test_bounds() -> None:
    assert sprt_bounds(0.05, 0.05) == pytest.approx((-2.944439, 2.944439))
    assert sprt_bounds(0.01, 0.1) == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_the_margin_ratio_is_that_of_normal_likelihoods() -> None:
    x = np.array([3, -2, 0, 0, 8, 5, -1])

    def best(mean: float) -> float:
        return -len(x) / 2 * math.log(((x - mean) ** 2).mean())

    test = MarginTest(-1.0, 2.5)
    llr = float(test.llr(len(x), x.sum(), (x * x).sum()))
    assert llr == pytest.approx(best(2.5) - best(-1))
    mean, sd = x.mean(), x.std()
    t, t0, t1 = mean / sd, -1 / sd, 2.5 / sd
    assert llr == pytest.approx(len(x) / 2 * math.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2)))
    halves = MarginTest(-0.5, 1.25, unit=0.5)
    assert float(halves.llr(len(x), x.sum(), (x * x).sum())) == pytest.approx(llr)


def test_zeros_alone_decide_nothing_before_the_least_number() -> None:
    test = MarginTest(0, 1, least=30)
    assert test.feed(MarginState(), np.zeros(29, int)).verdict == ""
    assert test.feed(MarginState(), np.zeros(40, int))[::4] == (30, LOWER)
    assert PairTest(0, 50, least=20).feed(PairState(), np.full(30, 4))[::3] == (20, UPPER)


@pytest.mark.parametrize("most", [None, 110])
def test_the_answer_does_not_depend_on_the_cut(most: int | None) -> None:
    draw = np.random.default_rng(7)
    x, pairs = margins(draw, 0.7, 3000), draw.choice(5, 3000, p=pair_shares(25))
    margin, pair = MarginTest(0, 0.5 if most else 1.5, most=most), PairTest(0, 5 if most else 50, most=most)
    for test, empty, sequence in ((margin, MarginState(), x), (pair, PairState(), pairs)):
        whole = test.feed(empty, sequence)  # type: ignore[arg-type]
        assert whole.verdict in ({MOST} if most else {UPPER, LOWER})
        for width in (1, 7, 250, 1024):
            state = empty
            for start in range(0, len(sequence), width):
                state = test.feed(state, sequence[start : start + width])  # type: ignore[arg-type]
            assert state == whole


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: MarginTest(1, 1), "hypotheses"),
        (lambda: MarginTest(0, 1, alpha=0.7), "alpha"),
        (lambda: PairTest(0, 1, beta=0), "beta"),
        (lambda: PairTest(0, 1, least=1), "least"),
        (lambda: MarginTest(0, 1, most=10), "most"),
        (lambda: PairTest(0, 1).feed(PairState(), [5]), "categories"),
        (lambda: normalised_elo([1, 2, 3]), "five"),
        (lambda: edge_after(MarginTest(0, 1), MarginState()), "fewer"),
        (lambda: nelo_after(PairTest(0, 1), PairState()), "fewer"),
    ],
)
def test_a_mistake_says_what_would_be_right(call: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()  # type: ignore[operator]


def test_error_rates_of_the_margin_test() -> None:
    test, tests = MarginTest(0, 2, alpha=0.05, beta=0.1), 10_000
    uppers = [np.mean([state.verdict == UPPER for state in run_margins(test, edge, 3, tests)]) for edge in (0, 1, 2)]
    assert uppers[0] <= limit(0.05, tests)
    assert 0.3 < uppers[1] < 0.7
    assert 1 - uppers[2] <= limit(0.1, tests)


def test_error_rates_of_the_pair_test() -> None:
    test, tests = PairTest(0, 60, least=50), 1000
    assert np.mean([state.verdict == UPPER for state in run_pairs(test, 0, 4, tests)]) <= limit(0.05, tests)
    assert np.mean([state.verdict == LOWER for state in run_pairs(test, 60, 5, tests)]) <= limit(0.05, tests)


@pytest.mark.slow
def test_error_rates_of_the_pair_test_over_ten_thousand() -> None:
    test, tests = PairTest(0, 30), 10_000
    uppers = [np.mean([state.verdict == UPPER for state in run_pairs(test, nelo, 6, tests)]) for nelo in (0, 15, 30)]
    assert uppers[0] <= limit(0.05, tests)
    assert 0.4 < uppers[1] < 0.6
    assert 1 - uppers[2] <= limit(0.05, tests)


def test_waves_and_images_are_one_function() -> None:
    for eta in (-5.0, -1.0, 0.0, 0.3, 2.0, 8.0):
        for place in (-1.0, 0.4, 1.5):
            for time in (0.3, 0.5):
                values = [np.array([[value]]) for value in (eta, time, place, -1.0, 1.5)]
                assert _by_images(*values) == pytest.approx(_by_waves(*values), abs=1e-8)


def test_passing_above_is_what_the_heat_equation_says() -> None:
    # Crank-Nicolson on 2,000 cells between the barriers; what has left at the upper one is the rest.
    low, high, eta, time, place = -1.2, 2.0, 0.6, 1.7, 0.5
    x = np.linspace(low, high, 2001)
    h, steps = x[1] - x[0], 2000
    k = np.arange(1, 400)
    start = 2 / (high - low) * np.sin(k * math.pi * -low / (high - low)) * np.exp(-((k * math.pi / (high - low)) ** 2) * 0.01 / 2)
    density = np.exp(eta * x - eta**2 * 0.01 / 2) * (start[:, None] * np.sin(k[:, None] * math.pi * (x - low) / (high - low))).sum(axis=0)
    dt = (time - 0.01) / steps
    down, up = 0.5 / h**2 + eta / (2 * h), 0.5 / h**2 - eta / (2 * h)
    inner = density[1:-1].copy()
    bands = np.array([np.full(1999, -dt / 2 * up), np.full(1999, 1 + dt / 2 / h**2), np.full(1999, -dt / 2 * down)])
    left = 0.0
    for _ in range(steps):
        right = inner * (1 - dt / 2 / h**2)
        right[1:] += dt / 2 * down * inner[:-1]
        right[:-1] += dt / 2 * up * inner[1:]
        new = solve_banded((1, 1), bands, right)
        left += dt / 2 * (inner[-1] + new[-1]) / (2 * h)
        inner = new
    waiting = integrate.trapezoid(np.where(x[1:-1] >= place, inner, 0), dx=h)
    assert float(passes_above(eta, time, high, low, high)) == pytest.approx(left, abs=2e-3)
    assert float(passes_above(eta, time, place, low, high)) == pytest.approx(left + waiting, abs=2e-3)


def test_passing_above_has_the_limits_it_must() -> None:
    ever = (1 - math.exp(-2 * 0.4 * 2)) / (1 - math.exp(-2 * 0.4 * 5))
    assert float(passes_above(0.4, 1e4, 3, -2, 3)) == pytest.approx(ever)
    assert float(passes_above(0.0, 1e4, -2, -2, 3)) == pytest.approx(0.4)
    drifts = np.linspace(-9, 9, 400)
    for time in (0.01, 0.3, 4.0, 80.0):
        for place in (-2.0, 0.7, 3.0):
            found = passes_above(drifts, time, place, -2, 3)
            assert (np.diff(found) >= -1e-9).all()
            assert found == pytest.approx(1 - passes_above(-drifts, time, -place, -3, 2), abs=1e-7)


@pytest.mark.parametrize(("edge", "most"), [(0.0, None), (1.0, None), (1.0, 500)])
def test_the_edge_after_stopping_is_unbiased_and_covers(edge: float, most: int | None) -> None:
    test, tests = MarginTest(0, 1, most=most), 1000
    found = np.array([edge_after(test, state) for state in run_margins(test, edge, 11, tests)])
    naive, median, low, high = found[:, 1:].T
    assert 0.46 <= np.mean(median < edge) <= 0.54
    assert 0.94 <= np.mean((low <= edge) & (edge <= high)) <= 0.97
    # The plain mean errs to the side of the decision.
    assert abs(naive.mean() - edge) > 3 * naive.std() / math.sqrt(tests)


def test_the_normalised_elo_after_stopping_is_unbiased_and_covers() -> None:
    test, tests = PairTest(0, 60, least=20), 700
    found = np.array([nelo_after(test, state) for state in run_pairs(test, 60, 12, tests)])
    assert 0.46 <= np.mean(found[:, 2] < 60) <= 0.54
    assert 0.94 <= np.mean((found[:, 3] <= 60) & (found[:, 4] >= 60)) <= 0.97
    assert found[:, 1].mean() > 65


def test_equal_observations_leave_no_interval() -> None:
    state = MarginTest(0, 1).feed(MarginState(), np.ones(200, int))
    found = edge_after(MarginTest(0, 1), state)
    assert found.median == 1
    assert math.isnan(found.low)
