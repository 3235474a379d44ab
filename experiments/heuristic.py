"""What the heuristic and each of its rules are worth: python experiments/heuristic.py [--deals N] [--out FILE]

Duplicate deals: in Manille every deal is played twice, A sitting as side 0 and as side 1, with the same cards, dealer and random words; in
Manchego in the six seatings of A B B and A A B. One deal gives one number, the edge of A over B in points a deal (Manille: net, Manchego:
mean of A's seats less mean of B's). Intervals are 99 %.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import trickbench
from trickbench.stats.intervals import normal_quantile
from trickbench_agents.heuristic import RULES

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
    ("manchego", "play=heuristic,bid=expected-tricks", "play=heuristic,bid=sure-tricks"),
    ("manchego", "play=greedy,bid=expected-tricks", "play=greedy,bid=sure-tricks"),
]


def edges(game: str, a: str, b: str, deals: int, seed: int = SEED) -> np.ndarray[Any, Any]:
    """Return the edge of A over B in every deal."""
    played = trickbench.game(game)

    def table(agents: list[str]) -> pd.DataFrame:
        return trickbench.simulate(played, agents, deals, seed=seed, workers=1, record="deals").deals

    if played.family == "manille":
        return (table([a, b])["net_0"].to_numpy(float) - table([b, a])["net_0"].to_numpy(float)) / 2
    total = np.zeros(deals)
    for seating in SEATINGS:
        scores = table([a if sitting == "A" else b for sitting in seating])[["score_0", "score_1", "score_2"]].to_numpy(float)
        mine = np.array([sitting == "A" for sitting in seating])
        total += scores[:, mine].mean(axis=1) - scores[:, ~mine].mean(axis=1)
    return total / len(SEATINGS)


def row(game: str, a: str, b: str, deals: int) -> dict[str, Any]:
    """Return a duel as a row of the table."""
    found = edges(game, a, b, deals)
    reach = normal_quantile(0.99) * found.std(ddof=1) / math.sqrt(deals)
    return {"game": game, "A": a, "B": b, "deals": deals, "edge": found.mean(), "low": found.mean() - reach, "high": found.mean() + reach}


def main() -> None:
    """Measure, print, and write CSV."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=500_000)
    parser.add_argument("--out", type=Path, default=Path("results/heuristic.csv"))
    arguments = parser.parse_args()
    rows = [row(game, a, b, arguments.deals) for game, a, b in DUELS]
    for name, bit in RULES.items():
        rows.append(row("manillen", "play=heuristic", f"play=heuristic:without={bit}", arguments.deals) | {"rule left out by B": name})
    table = pd.DataFrame(rows)
    print(table.round(3).fillna("").to_string(index=False))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    table.round(4).to_csv(arguments.out, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
