"""Fit the doubler calibrated: python experiments/fit_calibrated.py [--deals N] [--out FILE]

``heuristic`` calls and plays: Manillen and Manille, each with en face on and off. The four who may speak are fitted in the order in which they are
asked, each on the deals that get to it: the right opponent where the left one passed, the dealer where somebody doubled, the partner where the dealer
passed. Whether a double pays depends on who redoubles, so all is done again with the redoubles of the time before. The same deals and the same numpy
give the same weights.

Tried and left: models of their own for Manillen and Manille. With 2 million deals each their weights differed by about one in a hundred.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import trickbench
from trickbench_agents.calibrated import CALLS, CURVE, DECISIONS, MODELS, ROWS, THRESHOLD, TIES, UNIT, WEIGHTS, bent, sum_at
from trickbench_agents.calibrated_features import FEATURES
from trickbench_agents.calibrated_forecast import features_of

SEED = 9
ROUNDS = 3
PLACES = {"left": 1, "right": 3, "dealer": 0, "partner": 2}
TRUMPS = np.array([0xFF, 0xFF00, 0xFF0000, 0xFF000000, 0])
GAMES = tuple((name, en_face) for name in ("manillen", "manille") for en_face in ("off", "on"))
NEAR = 0.2
"""Gains are fitted where the probability is within so much of even."""


def logistic(table, happened):
    """Return the most likely weights of a logistic model, by Newton's method; a little is added to what no data decide."""
    weights = np.zeros(table.shape[1])
    for _ in range(25):
        chance = 1 / (1 + np.exp(-table @ weights))
        information = (table * (chance * (1 - chance))[:, None]).T @ table + 1e-3 * np.eye(len(weights))
        step = np.linalg.solve(information, table.T @ (happened - chance))
        weights = weights + step
        if abs(step).max() < 1e-6:
            break
    return weights


def powers(values, count):
    """Return the powers 0 .. count - 1 of values."""
    return np.stack([values**power for power in range(count)], axis=1)


class Deals:
    """Deals of all games, seen from the dealer's side."""

    def __init__(self, count):
        games = [trickbench.game(name, en_face=en_face) for name, en_face in GAMES]
        player, each = "heuristic,double=never,redouble=never", count // len(games)
        runs = [trickbench.simulate(game, player, each, seed=SEED + number, record="plays") for number, game in enumerate(games)]
        columns = ["dealer", "call", "en_face", "points_0", "net_0", *(f"hand_{seat}" for seat in range(4))]
        tables = [run.deals[columns] for run in runs]
        of = {name: np.concatenate([table[name].cat.codes if name == "call" else table[name].to_numpy() for table in tables]) for name in columns}
        dealer = of["dealer"].astype(np.int64)
        even = dealer % 2 == 0
        hands = np.stack([of[f"hand_{seat}"].astype(np.int64) for seat in range(4)], axis=1)
        points = of["points_0"].astype(np.int64)
        self.net = np.where(even, of["net_0"], -of["net_0"].astype(np.int64)).astype(float)
        self.points = np.where(even, points, 60 - points)
        self.no_trump = of["call"] == 4
        seen = (TRUMPS[of["call"].astype(np.int64)], of["en_face"], np.repeat([game.rules.values().en_face for game in games], each))
        rows = np.arange(len(dealer))
        self.features = {who: features_of(hands[rows, (dealer + place) % 4], *seen).astype(float) for who, place in PLACES.items()}


def fit(deals, who, some, gain, sign):
    """Return a model's column, and the sums of all deals minus its threshold.

    ``gain`` is what speaking would win; ``sign`` 1 for doubles, which pay when the dealer's side is likely to lose, -1 for redoubles.
    """
    below, decided = deals.points < 30, deals.points != 30
    table = deals.features[who]
    weights = np.round(UNIT * logistic(table[some & decided], below[some & decided])) / UNIT
    sums = table @ weights
    curve = rising(sums[some & decided], below[some & decided])
    logits = bent(sums, curve)
    ties = logistic(powers(logits[some], len(TIES)), deals.points[some] == 30)
    chance = 1 / (1 + np.exp(-logits))
    near = some & (abs(chance - 0.5) < NEAR)
    line = np.polynomial.polynomial.polyfit(chance[near], gain[near], 1)
    even = -line[0] / line[1]
    assert sign * line[1] > 0, (who, line)
    threshold = round(UNIT * sum_at(curve, even)) / UNIT
    speaks = some & (sign * (sums - threshold) >= 0)
    share, won = speaks.sum() / some.sum(), gain[speaks].mean()
    print(f"  {who:8s} {some.sum():9,} deals, speaks on {share:6.1%} of them from P(below 30) {even:.3f}, wins {won:+.2f} a time")
    return [*weights, threshold, *curve, *ties], speaks


def rising(sums, below):
    """Return the weights of the powers of sums that give the logit of P(below 30): up to the third, or the first if that does not rise throughout."""
    grid = np.linspace(sums.min(), sums.max(), 200)
    for count in (len(CURVE), 2):
        curve = np.pad(logistic(powers(sums, count), below), (0, len(CURVE) - count))
        if (np.diff(bent(grid, curve)) > 0).all():
            return curve
    raise SystemExit("a logit falls where the sum of features rises")


def fit_all(deals):
    """Return every model's column by its name."""
    found = {}
    for call, where in zip(CALLS, (~deals.no_trump, deals.no_trump), strict=True):
        redoubled = np.zeros(len(where), bool)
        for turn in range(ROUNDS):
            print(f"{call}, round {turn + 1}")
            gain = -deals.net * np.where(redoubled, 3, 1)
            left, by_left = fit(deals, "left", where, gain, 1)
            right, by_right = fit(deals, "right", where & ~by_left, gain, 1)
            doubled = by_left | by_right
            dealer, by_dealer = fit(deals, "dealer", doubled, 2 * deals.net, -1)
            partner, _ = fit(deals, "partner", doubled & ~by_dealer, 2 * deals.net, -1)
            redoubled = would_redouble(deals, where, dealer, partner)
        found |= {f"{who} {call}": column for who, column in zip(DECISIONS, (left, right, dealer, partner), strict=True)}
    return found


def would_redouble(deals, where, dealer, partner):
    """Return the deals in which one of the dealer's side would redouble, if somebody doubled."""
    count = len(FEATURES)
    own = (("dealer", dealer), ("partner", partner))
    return where & np.any([deals.features[who] @ np.array(column[:count]) <= column[count] for who, column in own], axis=0)


def main() -> None:
    """Play, fit, print, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=2_000_000)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    found = fit_all(Deals(arguments.deals))
    assert (*FEATURES, THRESHOLD, *CURVE, *TIES) == ROWS
    lines = [",".join([f"weight in 1/{UNIT}", *MODELS])]
    lines += [",".join([row, *(str(round(UNIT * found[model][place])) for model in MODELS)]) for place, row in enumerate(ROWS)]
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
