"""Fit the weights of the bidder expected-tricks: python experiments/fit_expected_tricks.py [--deals N] [--out FILE]

Everybody plays to win: leads sure winners, then masters, then the highest card, and takes with the highest card that the next player cannot beat.
The tricks of each seat are regressed on the features of its hand. The same deals and the same numpy give the same weights.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numba import types, void

import trickbench
from trickbench.cards import FRENCH
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.sets import highest_rank, lowest_rank, shadow, winners
from trickbench.jit import compiled
from trickbench_agents.expected_tricks import FEATURES, UNIT, WEIGHTS, features

SEED = 3
PACK = FRENCH.all


@trickbench.kernel
def to_win(view: View) -> int:
    """Play a card to win as many tricks as possible."""
    unseen = PACK & ~(view.hand | view.played | view.turned)
    left = unseen & ~view.cannot_left
    others = left | (unseen & ~view.cannot_right)
    masters = view.hand & ~shadow(others)
    sure = masters if others & view.trump == 0 else masters & view.trump
    likely = masters if masters != 0 else view.legal
    lead = highest_rank(sure if sure != 0 else likely)
    win = winners(view.legal, view.best, view.led, view.trump)
    left_ruffs = (left & view.led == 0) & (left & view.trump != 0)
    unbeaten = win & ~shadow(left) & (view.trump if left_ruffs else PACK)
    unbeaten = win if view.position == 2 else unbeaten
    follow = highest_rank(unbeaten if unbeaten != 0 else win) if win != 0 else lowest_rank(view.legal)
    return lead if view.led == 0 else follow


@compiled(void(types.int64[::1], types.int64[::1], types.int64[::1], types.int64[:, ::1]), "fit")
def evaluate(hands, turned, trumps, table):
    """Fill the features of many hands."""
    for k in range(len(hands)):
        x = features(hands[k], turned[k], trumps[k])
        for j in range(len(x)):
            table[k, j] = x[j]


def main() -> None:
    """Play, fit, print, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=300_000)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    player = f"play={__file__}:to_win,bid=fixed:n=17"
    deals = trickbench.simulate(trickbench.game("manchego"), player, arguments.deals, seed=SEED, record="plays").deals
    index = deals["turned"].cat.codes.to_numpy(np.int64)
    turned, trumps = np.left_shift(1, index), np.array([FRENCH.suit(int(card) // 13) for card in range(52)])[index]
    hands = np.concatenate([deals[f"hand_{seat}"].to_numpy(np.int64) for seat in range(3)])
    tricks = np.concatenate([deals[f"tricks_{seat}"].to_numpy(float) for seat in range(3)])
    table = np.zeros((len(hands), len(FEATURES)), np.int64)
    evaluate(hands, np.tile(turned, 3), np.tile(trumps, 3), table)
    weights, *_ = np.linalg.lstsq(table.astype(float), tricks, rcond=None)
    residual = tricks - table @ weights
    print(f"{len(hands):,} hands: tricks have sd {tricks.std():.3f}, what is left {residual.std():.3f}")
    lines = [f"{name},{round(weight * UNIT)}" for name, weight in zip(FEATURES, weights, strict=True)]
    print("\n".join(lines))
    arguments.out.write_text("\n".join(["feature,weight in 1/1024 trick", *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
