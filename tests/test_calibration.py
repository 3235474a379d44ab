"""Scores of forecasts against closed forms, plain second statements, and forecasters whose calibration is known."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from trickbench.errors import UsageError
from trickbench.plotting.reliability import TWO_PANELS, Curve, draw_reliability
from trickbench.plotting.sheet import Kind, Sheet
from trickbench.plotting.studies import Told, figure_of
from trickbench.stats.calibration import (
    bin_of,
    brier_score,
    crps,
    cumulative,
    log_score,
    pit_shares,
    probability_of,
    reliability_bins,
)
from trickbench.stats.intervals import rate_interval
from trickbench.stats.paired import paired_interval
from trickbench.stats.ratios import Grouped, contrast, ratio_interval

RAIN = ([0.1] * 10 + [0.5] * 4 + [0.9] * 6, [1] + [0] * 9 + [1, 1, 0, 0] + [1] * 5 + [0])


def drawn(seed: int, n: int = 4000, values: int = 18) -> tuple[np.ndarray, np.ndarray]:
    """Return weights of forecasts and numbers drawn from them: a perfectly calibrated forecaster."""
    draw = np.random.default_rng(seed)
    weights = draw.integers(1, 60, (n, values)) ** 2
    f = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    return weights, (f < draw.random(n)[:, None]).sum(axis=1)


def test_the_brier_score_of_a_table_worked_by_hand() -> None:
    found = brier_score(*RAIN)
    # Ten at 0.1 with one hit, four at 0.5 with two, six at 0.9 with five; in all eight of twenty.
    losses = (1 * 0.81 + 9 * 0.01) + 4 * 0.25 + (5 * 0.01 + 1 * 0.81)
    assert found.score.mean == pytest.approx(losses / 20, abs=1e-6)
    assert found.reliability == pytest.approx(6 * (0.9 - 5 / 6) ** 2 / 20)
    assert found.resolution == pytest.approx((10 * 0.3**2 + 4 * 0.1**2 + 6 * (5 / 6 - 0.4) ** 2) / 20)
    assert found.uncertainty == pytest.approx(0.24)
    assert found.score.mean == pytest.approx(found.reliability - found.resolution + found.uncertainty, abs=1e-6)
    assert found.skill == pytest.approx(1 - losses / 20 / 0.24, abs=1e-5)
    assert found.within == 0


def test_counted_cases_are_cases_one_by_one() -> None:
    one, counted = brier_score(*RAIN), brier_score([0.1, 0.5, 0.9], [1, 2, 5], [10, 4, 6])
    assert one.score == pytest.approx(counted.score)
    assert one[1:] == pytest.approx(counted[1:])
    pd.testing.assert_frame_equal(reliability_bins(*RAIN), reliability_bins([0.1, 0.5, 0.9], [1, 2, 5], [10, 4, 6]))


def test_the_parts_of_the_score_add_up_with_and_without_bins() -> None:
    draw = np.random.default_rng(3)
    p, outcomes = draw.random(5000), draw.random(5000) < 0.4
    for edges in (None, np.linspace(0, 1, 11), np.array([0, 0.25, 1])):
        found = brier_score(p, outcomes, edges=edges)
        assert found.score.mean == pytest.approx(found.reliability - found.resolution + found.uncertainty + found.within, abs=1e-6)
        assert found.score.mean == pytest.approx(((p - outcomes) ** 2).mean(), abs=1e-6)
        low, high = stats.t.interval(0.95, 4999, ((p - outcomes) ** 2).mean(), stats.sem((p - outcomes) ** 2))
        assert (found.score.low, found.score.high) == pytest.approx((low, high), abs=2e-6)


def test_who_says_the_overall_rate_has_no_resolution() -> None:
    found = brier_score([0.4] * 20, RAIN[1])
    assert (found.reliability, found.resolution) == pytest.approx((0, 0))
    assert found.score.mean == pytest.approx(0.24, abs=1e-6)
    assert found.skill == pytest.approx(0, abs=1e-5)
    assert math.isnan(brier_score([0.5], [1]).skill)
    assert math.isnan(brier_score([], []).reliability)


def test_bins_hold_their_lower_edge_and_the_last_one_both() -> None:
    assert bin_of(np.array([0, 0.0999, 0.5, 0.95, 1.0])).tolist() == [0, 0, 5, 9, 9]
    found = reliability_bins([0.05, 0.15, 0.17, 1.0], [0, 1, 0, 1])
    assert found["n"].tolist() == [1, 2, 1]
    assert found["predicted"].tolist() == pytest.approx([0.05, 0.16, 1])
    assert found["observed"].tolist() == [0, 0.5, 1]
    assert found.loc[1, ["low", "high"]].tolist() == pytest.approx(list(rate_interval(1, 2)[3:]))


def test_what_a_calibrated_forecaster_says_happens_so_often() -> None:
    draw = np.random.default_rng(11)
    p = draw.beta(2, 3, 200_000)
    found = reliability_bins(p, draw.random(len(p)) < p, level=0.999)
    assert ((found["low"] < found["predicted"]) & (found["predicted"] < found["high"])).all()
    assert brier_score(p, draw.random(len(p)) < p, edges=np.linspace(0, 1, 11)).reliability < 1e-4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0.5, 1.2], [0, 1]), "numbers from 0 to 1"), (([math.nan], [0]), "numbers from 0 to 1"), (([0.5], [2]), "hits"), (([0.5], [-1]), "hits"),
        (([0.5, 0.5], [1]), "one length"), (([0.5], [1], [1, 2]), "one length"),
    ],
)  # fmt: skip
def test_what_is_no_probability_is_refused(arguments: tuple[list[float], ...], words: str) -> None:
    for score in (brier_score, reliability_bins):
        with pytest.raises(UsageError, match=words):
            score(*arguments)


def test_scores_of_numbers_are_their_definitions() -> None:
    weights, outcomes = drawn(1, 200)
    f = cumulative(weights)
    p = weights / weights.sum(axis=1, keepdims=True)
    plain = [sum((p[i, : k + 1].sum() - (outcomes[i] <= k)) ** 2 for k in range(18)) for i in range(200)]
    assert crps(f, outcomes) == pytest.approx(plain)
    assert log_score(f, outcomes) == pytest.approx([-math.log(p[i, outcomes[i]]) for i in range(200)])
    assert probability_of(f, outcomes) == pytest.approx(p[np.arange(200), outcomes])
    # Gneiting and Raftery (2007): E|X - y| - E|X - X'| / 2.
    k = np.arange(18)
    spread = np.abs(k[:, None] - k)
    assert crps(f, outcomes) == pytest.approx((p * np.abs(k - outcomes[:, None])).sum(axis=1) - np.einsum("ia,ab,ib->i", p, spread, p) / 2)


def test_a_forecast_of_one_value_scores_its_distance() -> None:
    bids, outcomes = np.repeat(np.arange(18), 18), np.tile(np.arange(18), 18)
    f = cumulative(np.eye(18)[bids])
    assert crps(f, outcomes).tolist() == np.abs(bids - outcomes).tolist()
    assert (np.isinf(log_score(f, outcomes)) == (bids != outcomes)).all()


def test_the_pit_of_a_calibrated_forecaster_is_even() -> None:
    weights, outcomes = drawn(2, 60_000)
    shares = pit_shares(cumulative(weights), outcomes)
    assert shares.sum(axis=1) == pytest.approx(1)
    errors = shares.std(axis=0, ddof=1) / math.sqrt(len(shares))
    assert (np.abs(shares.mean(axis=0) - 0.1) < 4.5 * errors).all()
    low = pit_shares(cumulative(weights), np.maximum(outcomes - 3, 0)).mean(axis=0)
    assert low[0] > 0.2 > 0.05 > low[-1]


def test_the_pit_of_a_case_is_spread_over_its_interval() -> None:
    f = np.array([[0.25, 0.55, 1.0]])
    assert pit_shares(f, np.array([1]), 10)[0] == pytest.approx([0, 0, 1 / 6, 1 / 3, 1 / 3, 1 / 6, 0, 0, 0, 0])
    impossible = np.array([[0.5, 0.5, 1.0]])
    assert pit_shares(impossible, np.array([1]), 4)[0].sum() == pytest.approx(1)
    assert pit_shares(np.array([[1.0, 1.0]]), np.array([1]), 4)[0] == pytest.approx([0, 0, 0, 1])


@pytest.mark.parametrize("weights", [[[0, 0]], [[1, -1]], [[math.nan, 1]], [1, 2]])
def test_what_is_no_distribution_is_refused(weights: list[object]) -> None:
    with pytest.raises(UsageError, match="weights"):
        cumulative(weights)


def test_a_ratio_over_groups_is_the_mean_where_groups_are_single_cases() -> None:
    values = np.random.default_rng(4).integers(0, 18, 300)
    found = ratio_interval(Grouped(300, 300, int(values.sum()), 300, int(values.sum()), int((values**2).sum())))
    assert found == pytest.approx(paired_interval(values, np.ones(300, np.int64)))


def test_a_ratio_over_groups_covers_what_an_interval_over_cases_does_not() -> None:
    draw, covered, naive = np.random.default_rng(5), 0, 0
    for _ in range(400):
        sizes = draw.integers(0, 4, 200)
        common = draw.random(200) < 0.5
        hits = np.where(common, sizes, 0)
        found = ratio_interval(Grouped(200, sizes.sum(), hits.sum(), (sizes**2).sum(), (sizes * hits).sum(), (hits**2).sum()))
        covered += found.low < 0.5 < found.high
        single = rate_interval(int(hits.sum()), int(sizes.sum()))
        naive += single.low < 0.5 < single.high
    assert 0.92 < covered / 400 < 0.98
    assert naive / 400 < 0.85


def test_a_contrast_is_the_paired_difference() -> None:
    x = np.random.default_rng(6).integers(-30, 30, (500, 4))
    found = contrast(500, x.sum(axis=0), x.T @ x, np.array([1, 0, -1, 0.5]))
    d = x[:, 0] - x[:, 2] + x[:, 3] / 2
    assert found.mean == pytest.approx(d.mean())
    assert found.sd == pytest.approx(d.std(ddof=1))
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.95, 499, d.mean(), stats.sem(d)))
    assert contrast(500, x.sum(axis=0), x.T @ x, np.array([1, 0, 0, 0]) - np.array([1, 0, 0, 0])).mean == 0


def test_nothing_is_made_up_from_one_group_or_none() -> None:
    assert math.isnan(ratio_interval(Grouped(5, 0, 0, 0, 0, 0)).mean)
    assert math.isnan(ratio_interval(Grouped(1, 2, 3, 4, 6, 9)).low)
    assert math.isnan(contrast(1, np.array([3]), np.array([[9]]), np.array([1])).sd)


def test_a_reliability_curve_draws_what_its_bins_say() -> None:
    bins = reliability_bins(*RAIN)
    empty = pd.DataFrame(columns=bins.columns)

    def draw(curves: list[Curve], sheet: Sheet) -> None:
        sheet.legend(*draw_reliability(*sheet.panels, curves, "rain", "days"))

    figure = figure_of(Kind("Rain", draw, 2, 1, TWO_PANELS), [Curve("a", bins), Curve("none", empty)], Told("weather", "20 days"))
    upper, lower = figure.subfigs[0].subfigs[0].axes
    line = upper.containers[0].lines[0]
    assert line.get_xdata() == pytest.approx(100 * bins["predicted"])
    assert line.get_ydata() == pytest.approx(100 * bins["observed"])
    assert lower.lines[0].get_ydata().tolist() == bins["n"].tolist()
