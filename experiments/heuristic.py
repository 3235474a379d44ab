"""What the heuristic and each of its rules are worth: python experiments/heuristic.py [--deals N] [--out FILE]

Duplicate deals: in Manille every deal is played twice, A sitting as side 0 and as side 1, with the same cards, dealer and random words; in
Manchego in the six seatings of A B B and A A B. One deal gives one number, the edge of A over B in points a deal (Manille: net, Manchego:
mean of A's seats less mean of B's). Intervals are 99 %.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import trickbench
from trickbench.stats.intervals import normal_quantile
from trickbench_agents.heuristic import RULES
from trickbench_agents.heuristic_manchego import RULES as MANCHEGO_RULES

SEED = 11
"""Not the seed on which thresholds and rules were chosen, which was 5."""
SEATINGS = ("ABB", "BAB", "BBA", "AAB", "ABA", "BAA")
FULL = "play=heuristic,call=heuristic"
DUELS = [
    ("manillen", "play=heuristic", "greedy"),
    ("manille", "play=heuristic", "greedy"),
    ("manillen", FULL, "play=heuristic,call=longest"),
    ("manille", FULL, "play=heuristic,call=longest"),
    ("manillen", f"{FULL},double=heuristic", FULL),
    ("manille", f"{FULL},double=heuristic", FULL),
    ("manillen", f"{FULL},double=heuristic,redouble=heuristic", f"{FULL},double=heuristic"),
    ("manchego", "play=heuristic,bid=sure-tricks", "play=greedy,bid=sure-tricks"),
    ("manchego", "play=heuristic,bid=expected-tricks", "play=greedy,bid=expected-tricks"),
    ("manchego", "play=heuristic,bid=heuristic", "play=greedy,bid=heuristic"),
    ("manchego", "play=heuristic,bid=heuristic", "play=heuristic,bid=expected-tricks"),
    ("manchego", "play=greedy,bid=heuristic", "play=greedy,bid=expected-tricks"),
    ("manchego", "play=heuristic,bid=heuristic", "play=greedy,bid=expected-tricks"),
    ("manchego", "play=heuristic,bid=expected-tricks", "play=heuristic,bid=sure-tricks"),
    ("manchego", "play=greedy,bid=expected-tricks", "play=greedy,bid=sure-tricks"),
]


def simulated(game: str, agents: list[str], deals: int, seed: int) -> pd.DataFrame:
    """Return the deals of a run."""
    return trickbench.simulate(trickbench.game(game), agents, deals, seed=seed, record="deals").deals


def manille(game: str, a: str, b: str, deals: int, seed: int) -> pd.DataFrame:
    """Return the edge of A over B in every deal of Manille."""
    first, second = (simulated(game, agents, deals, seed)["net_0"].to_numpy(float) for agents in ([a, b], [b, a]))
    return pd.DataFrame({"edge": (first - second) / 2})


def manchego(game: str, a: str, b: str, deals: int, seed: int) -> pd.DataFrame:
    """Return for every deal of Manchego the edge of A over B, also of one A and of two, and by how many tricks each missed its bid."""
    found = np.zeros((5, deals))
    for seating in SEATINGS:
        table = simulated(game, [a if sitting == "A" else b for sitting in seating], deals, seed)
        scores, missed = (table[[f"{name}_{seat}" for seat in range(3)]].to_numpy(float) for name in ("score", "distance"))
        mine = np.array([sitting == "A" for sitting in seating])
        edge = scores[:, mine].mean(axis=1) - scores[:, ~mine].mean(axis=1)
        found += [edge, 2 * edge * (mine.sum() == 1), 2 * edge * (mine.sum() == 2), missed[:, mine].mean(axis=1), missed[:, ~mine].mean(axis=1)]
    return pd.DataFrame(dict(zip(("edge", "one A", "two A", "A misses by", "B misses by"), found / len(SEATINGS), strict=True)))


def duel(game: str, a: str, b: str, deals: int, seed: int = SEED) -> pd.DataFrame:
    """Return what a duel gives in every deal."""
    return manchego(game, a, b, deals, seed) if trickbench.game(game).family == "manchego" else manille(game, a, b, deals, seed)


def row(game: str, a: str, b: str, deals: int, rule: str = "") -> dict[str, Any]:
    """Return a duel as a row of the table."""
    found = duel(game, a, b, deals)
    edge, reach = found["edge"].mean(), normal_quantile(0.99) * found["edge"].std() / math.sqrt(deals)
    means = {name: found[name].mean() for name in found if name != "edge"}
    duellists = {"game": game, "A": a, "B": b, "deals": deals}
    return duellists | {"edge": edge, "low": edge - reach, "high": edge + reach} | means | {"rule left out by B": rule}


def rules() -> Iterator[tuple[str, str, str, str]]:
    """Yield game, A, B and name of the rule for every rule that B leaves out."""
    for name, bit in RULES.items():
        yield "manillen", "play=heuristic", f"play=heuristic:without={bit}", name
    for bidder in ("expected-tricks", "heuristic"):
        for name, bit in MANCHEGO_RULES.items():
            yield "manchego", f"play=heuristic,bid={bidder}", f"play=heuristic:without={bit},bid={bidder}", name


def main() -> None:
    """Measure, print, and write CSV."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=500_000)
    parser.add_argument("--out", type=Path, default=Path("results/heuristic.csv"))
    arguments = parser.parse_args()
    rows = [row(game, a, b, arguments.deals) for game, a, b in DUELS]
    rows += [row(game, a, b, arguments.deals, name) for game, a, b, name in rules()]
    table = pd.DataFrame(rows)
    print(table.round(3).to_string(index=False, na_rep=""))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    table.round(4).to_csv(arguments.out, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
