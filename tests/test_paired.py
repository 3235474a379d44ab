"""The paired design: Student's and bootstrap intervals, what pairing saves, deals for an edge, and how often intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from trickbench.errors import UsageError
from trickbench.stats.distributions import incomplete_beta, normal_p, student_p, student_quantile
from trickbench.stats.paired import bootstrap_interval, deals_for, edge_for, paired_interval, saved_by_pairing

VALUES = np.array([-9, -2, 0, 1, 30])
COUNTS = np.array([4, 9, 22, 11, 5])


@pytest.mark.parametrize("df", [0.5, 1, 2, 3, 7.5, 29, 100, 999, 1000, 1001, 5e3, 1e6, 1e9])
def test_students_quantile_is_scipys(df: float) -> None:
    for level in (0.05, 0.5, 0.8, 0.95, 0.99, 0.9999):
        assert student_quantile(level, df) == pytest.approx(stats.t.ppf(0.5 + level / 2, df), rel=1e-8, abs=1e-10)


def test_p_values_and_the_beta_function_are_scipys() -> None:
    for t in (0.0, 0.3, -2.0, 5.0, 12.0):
        for df in (1, 2, 10, 300, 1e5):
            assert student_p(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-8, abs=1e-300)
        assert normal_p(t) == student_p(t, math.inf) == pytest.approx(2 * stats.norm.sf(abs(t)), rel=1e-12)
    for x, a, b in ((0.0, 2, 3), (1.0, 2, 3), (0.2, 0.5, 0.5), (0.9, 50, 4), (0.01, 3, 200)):
        assert incomplete_beta(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), rel=1e-10, abs=1e-300)


def test_the_paired_interval_is_students() -> None:
    found = paired_interval(VALUES, COUNTS)
    every = np.repeat(VALUES, COUNTS)
    low, high = stats.t.interval(0.95, len(every) - 1, every.mean(), stats.sem(every))
    assert found == pytest.approx((len(every), every.mean(), every.std(ddof=1), low, high))
    halves = paired_interval(VALUES, COUNTS, unit=0.5)
    assert halves[1:] == pytest.approx([value / 2 for value in found[1:]])


def test_few_observations_have_no_interval() -> None:
    nothing = paired_interval(np.array([3]), np.array([0]))
    assert nothing.n == 0
    assert math.isnan(nothing.mean)
    one = bootstrap_interval(np.array([3, 4]), np.array([1, 0]))
    assert one[:2] == (1, 3.0)
    assert math.isnan(one.low)
    same = bootstrap_interval(np.array([3]), np.array([20]))
    assert (same.low, same.mean, same.high) == (3, 3, 3)


@pytest.mark.parametrize(("method", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
def test_the_bootstrap_is_scipys_up_to_its_draws(method: str, theirs: str) -> None:
    found = bootstrap_interval(VALUES, COUNTS, draws=40_000, method=method)
    every = np.repeat(VALUES, COUNTS)
    other = stats.bootstrap((every,), np.mean, n_resamples=20_000, method=theirs, rng=np.random.default_rng(3)).confidence_interval
    assert [found.low, found.high] == pytest.approx([other.low, other.high], abs=0.1)


def test_the_bootstrap_depends_on_its_seed_alone() -> None:
    first = bootstrap_interval(VALUES, COUNTS, seed=4)
    order = np.array([4, 2, 0, 1, 3])
    assert first == bootstrap_interval(VALUES, COUNTS, seed=4)
    assert first != bootstrap_interval(VALUES, COUNTS, seed=5)
    assert bootstrap_interval(VALUES[order], COUNTS[order], seed=4) == pytest.approx(first, abs=0.5)
    wider = bootstrap_interval(np.append(VALUES, 99), np.append(COUNTS, 0), seed=4)
    assert wider == first


def test_what_pairing_saves() -> None:
    assert saved_by_pairing(10, 10 / math.sqrt(2)) == pytest.approx(1)
    assert saved_by_pairing(12, 3, seatings=2) == 8
    assert saved_by_pairing(12, 6, seatings=6) == pytest.approx(2 / 3)
    assert saved_by_pairing(1, 0) == math.inf


def test_saved_plays_are_those_of_the_same_interval() -> None:
    draw = np.random.default_rng(1)
    luck, own = draw.normal(0, 5, 200_000), draw.normal(0, 1, (2, 200_000))
    first, second = 1 + luck + own[0], 1 - luck + own[1]
    factor = saved_by_pairing(first.std(), ((first + second) / 2).std())
    assert factor == pytest.approx(26, rel=0.02)


def test_deals_for_an_edge() -> None:
    # (1.959964 + 0.841621)^2 36 / edge^2 = 70.64, 282.56, 1130.24, 4520.95
    assert [deals_for(edge, 6) for edge in (2, 1, 0.5, -0.25)] == [71, 283, 1131, 4521]
    for edge in (0.1, 0.7, 3.0):
        deals = deals_for(edge, 6)
        assert edge_for(deals, 6) <= edge < edge_for(deals - 1, 6)
    assert edge_for(1000, 6, power=0.5, level=0.99) == pytest.approx(stats.norm.ppf(0.995) * 6 / math.sqrt(1000))


def test_the_planned_power_is_reached() -> None:
    deals = deals_for(1, 6)
    draw = np.random.default_rng(5)
    x = np.rint(draw.normal(1, 6, (4000, deals))).astype(int)
    seen = abs(x.mean(axis=1)) > student_quantile(0.95, deals - 1) * x.std(axis=1, ddof=1) / math.sqrt(deals)
    assert seen.mean() == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: student_quantile(1.0, 3), "level"),
        (lambda: student_quantile(0.9, 0), "df"),
        (lambda: student_p(1.0, 0), "df"),
        (lambda: deals_for(0, 6), "edge"),
        (lambda: deals_for(1, 0), "sigma"),
        (lambda: deals_for(1, 6, power=0.3), "power"),
        (lambda: edge_for(1, 6), "deals"),
        (lambda: bootstrap_interval(VALUES, COUNTS, method="t"), "method"),
    ],
)
def test_a_mistake_says_what_would_be_right(call: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()  # type: ignore[operator]


DISTRIBUTIONS = {
    # x_d in half points, as pairs of Manille deals give them: most deals near nothing, some at a doubled or whole score; and a skewed one.
    "discrete": (np.array([-60, -20, -8, -2, 0, 2, 8, 20, 60]), np.array([1, 6, 10, 12, 38, 14, 11, 7, 1])),
    "skewed": (np.array([-4, -2, 0, 2, 10, 30]), np.array([20, 30, 25, 12, 10, 3])),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_intervals_cover_as_often_as_they_say(name: str) -> None:
    values, weights = DISTRIBUTIONS[name]
    truth, tests = float(values @ weights) / weights.sum() / 2, 2000
    rows = np.random.default_rng(8).multinomial(5000, weights / weights.sum(), size=tests)
    student = [paired_interval(values, row, unit=0.5) for row in rows]
    bootstrap = [bootstrap_interval(values, row, draws=1000, seed=seed, unit=0.5) for seed, row in enumerate(rows)]
    for found in (student, bootstrap):
        assert 0.94 <= np.mean([one.low <= truth <= one.high for one in found]) <= 0.96
