"""calibrated: doubles and redoubles on the probability that the dealer's side stays below 30 points (docs/doubling.md).

A logistic model of a few features of the hand, fitted to simulated deals in which ``heuristic`` calls and plays
(``python experiments/fit_calibrated.py``), stands in ``calibrated.csv`` beside this file: a column for each decision, with a trump suit and without.
It speaks where the score table makes it worth it: doubled, a deal counts twice whoever wins it, and may be redoubled.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import trickbench
from trickbench.games.manille.layout import View
from trickbench.games.manille.options import RuleValues
from trickbench_agents.calibrated_features import FEATURES, features

WEIGHTS = Path(__file__).with_name("calibrated.csv")
UNIT = 1024
DECISIONS, CALLS = ("left", "right", "dealer", "partner"), ("suit", "no-trump")
MODELS = tuple(f"{decision} {call}" for decision in DECISIONS for call in CALLS)
"""What the columns belong to: who is asked (left and right opponent double, dealer and partner redouble), and the call."""
CURVE = tuple(f"curve {power}" for power in range(4))
"""Weights of powers of the sum of the features: the sum, bent so that it is the logit of P(below 30), ties left out."""
TIES = tuple(f"tie {power}" for power in range(3))
"""Weights of powers of that logit: the logit of P(30 points)."""
THRESHOLD = "threshold"
"""The sum of the features at which a double, or redouble, wins and loses the same."""
ROWS = (*FEATURES, THRESHOLD, *CURVE, *TIES)
WIDTH = len(FEATURES) + 1
"""Numbers that the decisions need of a column: the weights of the features, and the threshold."""


class Parameters(NamedTuple):
    """percent, back: double, and redouble, from this probability in percent on that the other side stays below 30; 0: where it pays."""

    percent: int = 0
    back: int = 0


@trickbench.kernel
def model_of(dealer: int, trump: int) -> int:
    """Return the number of the model for whoever is asked: the place of its column in ``MODELS``."""
    # The dealer is seen on the right (3) by its left opponent, on the left (1) by its right one.
    decision = 0 if dealer == 3 else dealer
    decision = 2 if dealer == 0 else decision
    decision = 3 if dealer == 2 else decision
    return 2 * decision + (1 if trump == 0 else 0)


@trickbench.kernel
def ahead(view: View, rules: RuleValues, tables: Any) -> int:
    """Return by how much the evaluation of the hand is above the threshold, in 1/1024; the greater, the worse for the dealer's side."""
    x = features(view.hand, view.trump, view.asked, rules.en_face)
    k = WIDTH * model_of(view.dealer, view.trump)
    value = tables[k] * x[0] + tables[k + 1] * x[1] + tables[k + 2] * x[2] + tables[k + 3] * x[3] + tables[k + 4] * x[4]
    value += tables[k + 5] * x[5] + tables[k + 6] * x[6] + tables[k + 7] * x[7] + tables[k + 8] * x[8] + tables[k + 9] * x[9]
    value += tables[k + 10] * x[10] + tables[k + 11] * x[11] + tables[k + 12] * x[12] + tables[k + 13] * x[13] + tables[k + 14] * x[14]
    return value + tables[k + 15] * x[15] + tables[k + 16] * x[16] - tables[k + 17]  # type: ignore[no-any-return]


@trickbench.kernel
def double(view: View, params: Parameters, rules: RuleValues, tables: Any) -> int:
    """Double where the dealer's side is likely enough to stay below 30."""
    return trickbench.YES if ahead(view, rules, tables) >= 0 else trickbench.NO


@trickbench.kernel
def redouble(view: View, params: Parameters, rules: RuleValues, tables: Any) -> int:
    """Redouble where the dealer's side is likely enough to have more than 30."""
    return trickbench.YES if ahead(view, rules, tables) <= 0 else trickbench.NO


@cache
def columns() -> NDArray[np.int64]:
    """Return the numbers of the file, int64[models, rows]."""
    lines = WEIGHTS.read_text(encoding="utf-8").splitlines()[1:]
    return np.array([[int(number) for number in line.split(",")[1:]] for line in lines], np.int64).T.copy()


def curve_of(model: int) -> NDArray[np.float64]:
    """Return the weights of the powers of a model's sum."""
    start = ROWS.index(CURVE[0])
    return columns()[model, start : start + len(CURVE)] / UNIT


def bent(sums: Any, curve: Any) -> Any:
    """Return the logits of P(below 30), ties left out, for sums of features."""
    return np.polynomial.polynomial.polyval(sums, curve)


def sum_at(curve: NDArray[np.float64], probability: float) -> float:
    """Return the sum of features at which a model gives a probability, by bisection: its curve rises."""
    low, high, logit = -8.0, 8.0, float(np.log(probability / (1 - probability)))
    while high - low > 1 / (2 * UNIT):
        middle = (low + high) / 2
        low, high = (middle, high) if bent(middle, curve) < logit else (low, middle)
    return high


def read_weights(params: Parameters) -> NDArray[np.int64]:
    """Return weights and threshold of every model, in units of 1/1024."""
    table = columns()[:, :WIDTH].copy()
    for model, name in enumerate(MODELS):
        doubles = name.split()[0] in DECISIONS[:2]
        percent = params.percent if doubles else params.back
        if percent:
            table[model, -1] = round(UNIT * sum_at(curve_of(model), (percent if doubles else 100 - percent) / 100))
    return table.reshape(-1)


def forecast(view: Any, params: Parameters, rules: RuleValues, tables: Any) -> NDArray[np.float64]:
    """Return the probabilities that the dealer's side has fewer than 30 points, 30, and more, [n, 3]."""
    from trickbench_agents.calibrated_forecast import features_of

    # What the deciding function takes for one seat, for all of them.
    decision = np.array([2, 1, 3, 0])[view.dealer]
    model = 2 * decision + (np.asarray(view.trump) == 0)
    column = columns()[model] / UNIT
    may_pass = np.full(len(view.hand), rules.en_face)
    sums = (features_of(view.hand, view.trump, view.asked, may_pass) * column[:, : len(FEATURES)]).sum(axis=1)
    curve, ties = (column[:, ROWS.index(names[0]) : ROWS.index(names[0]) + len(names)] for names in (CURVE, TIES))
    logits = (curve * sums[:, None] ** np.arange(len(CURVE))).sum(axis=1)
    below, tie = 1 / (1 + np.exp(-logits)), 1 / (1 + np.exp(-(ties * logits[:, None] ** np.arange(len(TIES))).sum(axis=1)))
    return np.stack([(1 - tie) * below, tie, (1 - tie) * (1 - below)], axis=1)


agent = trickbench.Agent(
    name="calibrated",
    summary="doubles and redoubles on a fitted probability that the dealer's side stays below 30 points",
    manille={"double": double, "redouble": redouble},
    parameters=Parameters,
    limits={"percent": (0, 99), "back": (0, 99)},
    tables=read_weights,
    forecast={"double": forecast, "redouble": forecast},
    uses_word=False,
)
