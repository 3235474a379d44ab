"""Many comparisons: Holm, Benjamini-Hochberg, simultaneous intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from trickbench.errors import UsageError
from trickbench.stats.intervals import Estimate
from trickbench.stats.multiple import benjamini_hochberg, family, holm, p_value, simultaneous_intervals
from trickbench.stats.paired import paired_interval

# Benjamini and Hochberg (1995), section 4: fifteen tests of a trial.
TRIAL = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]


def test_the_example_of_benjamini_and_hochberg() -> None:
    assert np.count_nonzero(benjamini_hochberg(TRIAL) <= 0.05) == 4
    assert np.count_nonzero(holm(TRIAL) <= 0.05) == 3
    assert benjamini_hochberg(TRIAL) == pytest.approx(stats.false_discovery_control(TRIAL))


def test_holm_is_the_steps_written_out() -> None:
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]).tolist() == [1, 1]
    assert holm([]).tolist() == benjamini_hochberg([]).tolist() == []
    for seed in range(20):
        p = np.random.default_rng(seed).random(9) ** 3
        left, rejected = set(range(9)), set()
        for step in range(9):
            smallest = min(left, key=lambda k: p[k])
            if p[smallest] > 0.05 / (9 - step):
                break
            rejected.add(smallest)
            left.remove(smallest)
        assert set(np.flatnonzero(holm(p) <= 0.05).tolist()) == rejected


def test_the_order_given_does_not_matter() -> None:
    order = np.random.default_rng(2).permutation(len(TRIAL))
    mixed = np.array(TRIAL)[order]
    for method in (holm, benjamini_hochberg):
        assert method(mixed) == pytest.approx(method(TRIAL)[order])


def test_p_values_are_students() -> None:
    x = np.array([3, -1, 4, 1, 5, 9, 2, 6])
    estimate = paired_interval(*(part.astype(np.int64) for part in np.unique(x, return_counts=True)))
    assert p_value(estimate) == pytest.approx(stats.ttest_1samp(x, 0).pvalue)
    assert p_value(estimate, against=2.5) == pytest.approx(stats.ttest_1samp(x, 2.5).pvalue)
    assert math.isnan(p_value(Estimate(1, 3.0, math.nan, math.nan, math.nan)))
    assert [p_value(Estimate(9, mean, 0.0, mean, mean)) for mean in (0.0, 1.0)] == [1, 0]


def test_a_family_errs_as_rarely_as_stated() -> None:
    # Six comparisons with the same baseline, so that they go together; a family level of 95 %.
    draw, hits, rejected = np.random.default_rng(4), 0, 0
    for _ in range(2000):
        x = draw.normal(size=(60, 6)) + draw.normal(size=(60, 1))
        estimates = [Estimate(60, float(one.mean()), float(one.std(ddof=1)), 0.0, 0.0) for one in x.T]
        hits += all(one.low <= 0 <= one.high for one in simultaneous_intervals(estimates, 0.95))
        rejected += bool((holm([p_value(one) for one in estimates]) <= 0.05).any())
    assert 0.94 <= hits / 2000 <= 0.98
    assert rejected == 2000 - hits


def test_false_finds_are_as_few_as_stated() -> None:
    draw, shares = np.random.default_rng(5), []
    for _ in range(1000):
        p = 2 * stats.norm.sf(np.abs(draw.normal(np.repeat([0.0, 3.0], [30, 10]))))
        found = benjamini_hochberg(p) <= 0.1
        shares.append(found[:30].sum() / max(found.sum(), 1))
    assert np.mean(shares) == pytest.approx(0.1 * 30 / 40, abs=0.01)


def test_a_family_is_a_table() -> None:
    estimates = [Estimate(400, 1.0, 4.0, 0.6, 1.4), Estimate(1, 2.0, math.nan, math.nan, math.nan), Estimate(400, 0.3, 4.0, -0.1, 0.7)]
    table = family(["a", "b", "c"], estimates, level=0.99).set_index("name")
    assert table["real"].tolist() == [True, False, False]
    assert math.isnan(table.loc["b", "holm"])
    assert table.loc["a", "holm"] == pytest.approx(2 * table.loc["a", "p"])
    assert 0 < table.loc["a", "low"] < 0.6


@pytest.mark.parametrize("p", [[0.1, 1.2], [math.nan], [[0.1]]])
def test_a_mistake_says_what_would_be_right(p: list[float]) -> None:
    with pytest.raises(UsageError, match="p-values"):
        holm(p)
