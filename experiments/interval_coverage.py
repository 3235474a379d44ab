"""How often intervals cover and tests err: python experiments/interval_coverage.py [--tests N] [--out FILE]

Simulates deals whose truth is known and counts. Margins are of the shape that paired Manille deals have: many zeros, values up to 60 points, a
kurtosis of 11 ("even", whose sign is chance and gives the edge) or a long tail to one side ("skewed"). Writes CSV: what was measured, of which
method, in which case, over how many tests, the rate stated and the rate found.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.stats.intervals import Estimate, mean_interval
from trickbench.stats.paired import bootstrap_interval, paired_interval
from trickbench.stats.pentanomial import PAIRS, pair_t
from trickbench.stats.sequential import UPPER, MarginState, MarginTest, PairState, PairTest
from trickbench.stats.stopping import edge_after, nelo_after

SEED = 7
SIZES, SIZE_WEIGHTS = np.array([0, 2, 4, 8, 15, 30, 60]), np.array([17, 20, 20, 20, 13, 5, 2]) / 97
SKEWED = np.array([-4, -2, 0, 2, 10, 30]), np.array([20, 30, 25, 12, 10, 3]) / 100
DEALS = (50, 200, 1000, 5000)
METHODS: dict[str, Callable[..., Estimate]] = {
    "normal": lambda values, counts, seed: mean_interval(values, counts),
    "Student": lambda values, counts, seed: paired_interval(values, counts),
    "bootstrap percentile": lambda values, counts, seed: bootstrap_interval(values, counts, seed=seed, method="percentile"),
    "bootstrap BCa": lambda values, counts, seed: bootstrap_interval(values, counts, seed=seed, method="bca"),
}
HEADER = ["measured", "method", "case", "tests", "stated", "found"]


def even(edge: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return values and probabilities of margins with this mean."""
    up = 0.5 + edge / float(SIZES @ SIZE_WEIGHTS) / 2
    values = np.concatenate([-SIZES[:0:-1], SIZES])
    return values, np.concatenate([SIZE_WEIGHTS[:0:-1] * (1 - up), SIZE_WEIGHTS[:1], SIZE_WEIGHTS[1:] * up])


def pair_shares(nelo: float) -> NDArray[np.float64]:
    """Return shares of the five categories of pairs with this normalised Elo."""
    low, high = -9.0, 9.0
    for _ in range(60):
        by = (low + high) / 2
        shares = np.array([0.08, 0.17, 0.38, 0.24, 0.13]) * np.exp(by * PAIRS)
        shares /= shares.sum()
        mean = float(shares @ PAIRS)
        above = (mean - 0.5) / math.sqrt(float(shares @ (PAIRS - mean) ** 2)) > pair_t(nelo)
        low, high = (low, by) if above else (by, high)
    return shares


def intervals(tests: int) -> list[list[Any]]:
    """Return how often 95 % intervals of a mean cover. Bootstraps have a fifth of the tests."""
    rows = []
    for shape, (values, shares) in (("even, edge 1", even(1.0)), ("skewed", SKEWED)):
        truth = float(values @ shares)
        for deals in DEALS:
            counts = np.random.default_rng(SEED).multinomial(deals, shares, size=tests)
            for name, method in METHODS.items():
                some = counts[: tests // 5] if name.startswith("bootstrap") else counts
                found = [method(values, row, seed) for seed, row in enumerate(some)]
                covers = float(np.mean([one.low <= truth <= one.high for one in found]))
                rows.append(["coverage", name, f"{shape}, {deals} deals", len(some), 0.95, covers])
    return rows


def stops(test: MarginTest | PairTest, truth: float, tests: int) -> list[Any]:
    """Return the states in which so many tests ended."""
    draw = np.random.default_rng(SEED)
    margins = isinstance(test, MarginTest)
    values, shares = even(truth) if margins else (np.arange(5), pair_shares(truth))
    bounds, ended = shares.cumsum()[:-1], []
    for _ in range(tests):
        state: Any = MarginState() if margins else PairState()
        while not state.verdict:
            state = test.feed(state, values[np.searchsorted(bounds, draw.random(256), side="right")])
        ended.append(state)
    return ended


def sequential(tests: int) -> list[list[Any]]:
    """Return error rates of tests, and what estimates after them are worth (over a fifth of the tests)."""
    rows = []
    for test in (MarginTest(0, 2), MarginTest(0, 1), MarginTest(0, 1, most=500), PairTest(0, 30)):
        name = "margins" if isinstance(test, MarginTest) else "pairs"
        after: Any = edge_after if isinstance(test, MarginTest) else nelo_after
        for truth in (test.lower, (test.lower + test.upper) / 2, test.upper):
            ended = stops(test, truth, tests)
            case = f"{test.lower:g} against {test.upper:g}, true {truth:g}" + (f", at most {test.most}" if test.most else "")
            stated = {test.lower: test.alpha, test.upper: 1 - test.beta}.get(truth, math.nan)
            if not test.most:
                rows.append(["ends at the upper", name, case, tests, stated, float(np.mean([state.verdict == UPPER for state in ended]))])
            rows.append(["mean number", name, case, tests, math.nan, float(np.mean([state.n for state in ended]))])
            found = np.array([after(test, state) for state in ended[: tests // 5]])
            covers = float(np.mean((found[:, 3] <= truth) & (truth <= found[:, 4])))
            rows.append(["coverage after the stop", name, case, len(found), 0.95, covers])
            rows.append(["median estimate below the truth", name, case, len(found), 0.5, float(np.mean(found[:, 2] < truth))])
            rows.append(["bias of the plain estimate", name, case, len(found), 0.0, float(found[:, 1].mean() - truth)])
    return rows


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=Path("results/coverage.csv"))
    arguments = parser.parse_args()
    table = pd.DataFrame([*intervals(arguments.tests), *sequential(arguments.tests)], columns=HEADER)
    print(table.round(4).to_string(index=False))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    table.round(4).to_csv(arguments.out, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
