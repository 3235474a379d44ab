"""Tune the heuristic's weights in Manchego: python experiments/tune_heuristic.py [play|bid] [--deals N] [--minutes M] [--step S]

One weight at a time goes a step up or down, and stays there if the edge rises, in duplicate deals of seed 5. A step that helps grows, one that
does not shrinks. For ``play`` the opponents are ``greedy`` and the heuristic as it stands, and all bid by ``expected-tricks``; for ``bid`` the
opponent bids by ``expected-tricks``, and all play by the heuristic. In each duel the lesser edge counts: of one against two, or of two against one.
Prints the weights, to be copied to ``agents/trickbench_agents/heuristic_weights.py``. The tables of docs/heuristic.md are of another seed.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from heuristic import duel

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
    "play": [("play={},bid=expected-tricks", f"play={player},bid=expected-tricks") for player in ("greedy", "heuristic")],
    "bid": [("play=heuristic,bid={}", "play=heuristic,bid=expected-tricks")],
}
STARTS = {"play": Weights(), "bid": BidWeights()}


def edge(decision: str, weights: dict[str, int], deals: int) -> float:
    """Return the mean edge of some weights in the duels of a decision; in each the lesser one of one against two and of two against one."""
    door = f"{__file__}:{decision}:" + ",".join(f"{name}={value}" for name, value in weights.items())
    found = [duel("manchego", a.format(door), b, deals, SEED) for a, b in DUELS[decision]]
    return float(np.mean([min(edges["one A"].mean(), edges["two A"].mean()) for edges in found]))


def climb(decision: str, first: int, deals: int, minutes: float) -> dict[str, int]:
    """Return the weights when no step helps or time is up."""
    weights = dict(STARTS[decision]._asdict())
    names, steps = list(weights), dict.fromkeys(weights, first)
    best, end, order = edge(decision, weights, deals), time.monotonic() + 60 * minutes, np.random.default_rng(SEED)
    helped = True
    while helped or max(steps.values()) > 1:
        helped = False
        for name, way in [(name, way) for name in order.permutation(names) for way in (1, -1)]:
            if time.monotonic() > end:
                return weights
            other = weights | {name: weights[name] + way * steps[name]}
            found = edge(decision, other, deals)
            if found > best + LEAST_GAIN:
                best, weights, helped, steps[name] = found, other, True, min(LARGEST * first, steps[name] * 3 // 2 + 1)
                print(f"{name} = {weights[name]}: edge {best:.4f}", flush=True)
            elif way == -1:
                steps[name] = max(1, steps[name] // 2)
    return weights


def main() -> None:
    """Climb and print the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decision", nargs="?", choices=list(DUELS), default="play")
    parser.add_argument("--deals", type=int, default=30_000)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--step", type=int, help="the first one; 8 for play, 100 for bid")
    arguments = parser.parse_args()
    first = arguments.step or {"play": 8, "bid": 100}[arguments.decision]
    weights = climb(arguments.decision, first, arguments.deals, arguments.minutes)
    print("\n".join(f"    {name}: int = {value}" for name, value in weights.items()))


if __name__ == "__main__":
    main()
