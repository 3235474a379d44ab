"""Fit shift and spread of the forecasts of expected-tricks and heuristic: python experiments/fit_forecasts.py [--deals N]

The bidder bids in all seats, and ``heuristic`` plays the cards; tricks won less the tricks before rounding have the mean and the standard deviation
that are printed, and that stand in the bidders' files.
"""

from __future__ import annotations

import argparse

import numpy as np

import trickbench
from trickbench.cards import FRENCH
from trickbench.games.manchego.layout import View
from trickbench_agents import expected_tricks, heuristic, heuristic_bid

SEED = 4


def rest(bidder: str, deals: int) -> np.ndarray:
    """Return tricks won less expected ones of all seats."""
    game, tables = trickbench.game("manchego"), expected_tricks.read_weights(expected_tricks.NoParameters())
    found = []
    for row in trickbench.simulate(game, f"play=heuristic,bid={bidder}", deals, seed=SEED, record="plays").deals.to_dict("records"):
        turned = game.pack.set(str(row["turned"]))
        trump = FRENCH.suit(FRENCH.cards(str(row["turned"]))[0] // 13)
        for seat in range(3):
            place = (seat - row["dealer"] - 1) % 3
            left, right = (row[f"bid_{(seat + step) % 3}"] if (place + step) % 3 < place else 31 for step in (1, 2))
            known = {"hand": int(row[f"hand_{seat}"]), "turned": turned, "trump": trump, "dealer": 2 - place, "bid_left": left, "bid_right": right}
            view = View(**(dict.fromkeys(View._fields, 0) | known))
            one = expected_tricks.expected(view, tables) if bidder == "expected-tricks" else heuristic_bid.expected(view, heuristic.BID_WEIGHTS)
            found.append(row[f"tricks_{seat}"] - one / expected_tricks.UNIT)
    return np.array(found)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=10_000)
    for bidder in ("expected-tricks", "heuristic"):
        left = rest(bidder, parser.parse_args().deals)
        print(f"{bidder}: SHIFT, SPREAD = {left.mean():.2f}, {left.std():.2f}")


if __name__ == "__main__":
    main()
