"""Tune the heuristic's weights in Manchego: python experiments/tune_heuristic.py [play|bid] [--deals N] [--minutes M] [--step S]

One weight at a time goes a step up or down, and stays there if the edge rises, in duplicate deals of seed 5. A step that helps grows, one that
does not shrinks. For ``play`` the edge is the mean of those over ``greedy`` and over the heuristic as it stands, with all bidding by
``expected-tricks`` and with all bidding by ``heuristic``; for ``bid`` it is the one over ``expected-tricks`` with the heuristic's card play.
Prints the weights, to be copied to ``agents/trickbench_agents/heuristic_weights.py``. The tables of docs/heuristic.md are of another seed.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from heuristic import edges

import trickbench
from trickbench.games.manchego.layout import View
from trickbench_agents import heuristic_bid, heuristic_manchego
from trickbench_agents.heuristic_weights import BidWeights, Weights

SEED = 5
LEAST_GAIN = 0.0005
LARGEST = 3
"""A step grows to this many times its first size at most."""


@trickbench.kernel
def tuned_play(view: View, params: Weights) -> int:
    """Play a card with the weights given as parameters."""
    return heuristic_manchego.play(view, 0, params)


@trickbench.kernel
def tuned_bid(view: View, params: BidWeights) -> int:
    """Bid with the weights given as parameters."""
    return heuristic_bid.bid(view, params)


play = trickbench.Agent("tuned-play", "plays with other weights", manchego={"play": tuned_play}, parameters=Weights, uses_word=False)
bid = trickbench.Agent("tuned-bid", "bids with other weights", manchego={"bid": tuned_bid}, parameters=BidWeights, uses_word=False)
DUELS = {
    "play": [(f"play={{}},bid={bidder}", f"play={player},bid={bidder}") for bidder in ("expected-tricks", "heuristic") for player in ("greedy", "heuristic")],
    "bid": [("play=heuristic,bid={}", "play=heuristic,bid=expected-tricks")],
}
STARTS = {"play": Weights(), "bid": BidWeights()}


def edge(decision: str, weights: dict[str, int], deals: int) -> float:
    """Return the mean edge of some weights in the duels of a decision."""
    door = f"{__file__}:{decision}:" + ",".join(f"{name}={value}" for name, value in weights.items())
    return float(np.mean([edges("manchego", a.format(door), b, deals, SEED).mean() for a, b in DUELS[decision]]))


def main() -> None:
    """Climb until no step helps or time is up, and print the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decision", nargs="?", choices=list(DUELS), default="play")
    parser.add_argument("--deals", type=int, default=30_000)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--step", type=int, help="the first one; 8 for play, 100 for bid")
    arguments = parser.parse_args()
    decision, first = arguments.decision, arguments.step or {"play": 8, "bid": 100}[arguments.decision]
    weights = dict(STARTS[decision]._asdict())
    names, steps = list(weights), dict.fromkeys(weights, first)
    best, end, order = edge(decision, weights, arguments.deals), time.monotonic() + 60 * arguments.minutes, np.random.default_rng(SEED)
    print(f"edge {best:.4f}", flush=True)
    helped = True
    while time.monotonic() < end and (helped or max(steps.values()) > 1):
        helped = False
        for name in order.permutation(names):
            for step in (steps[name], -steps[name]) if time.monotonic() < end else ():
                other = weights | {name: weights[name] + step}
                found = edge(decision, other, arguments.deals)
                if found > best + LEAST_GAIN:
                    best, weights, helped = found, other, True
                    steps[name] = min(LARGEST * first, steps[name] * 3 // 2 + 1)
                    print(f"{name} = {weights[name]}: edge {best:.4f}", flush=True)
                    break
            else:
                steps[name] = max(1, steps[name] // 2)
    print("\n".join(f"    {name}: int = {value}" for name, value in weights.items()))


if __name__ == "__main__":
    main()
