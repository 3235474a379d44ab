"""Golden playthroughs: a few deals of every game and profile, written out card by card for a person to read.

``python -m tests.golden`` writes the files in ``tests/golden`` anew. Read the difference before committing it: a change
means that deals, agents, rules or scores have changed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trickbench
from trickbench.story import seated

FOLDER = Path(__file__).parent / "golden"
SEED = 7
COUNTED = 2000
"""Deals in the run whose digest stands in the file."""

SENSIBLE = "play=greedy,call=longest,double=threshold:points=20,redouble=threshold:points=18"
WILD = "play=random,call=random,double=threshold:points=16,redouble=threshold:points=16"


@dataclass(frozen=True)
class Case:
    """What a file shows."""

    game: str
    agents: tuple[str, ...]
    deals: tuple[int, ...]
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, count: int, first: int = 0) -> Any:
        """Return recorded deals of the case."""
        game = trickbench.game(self.game, **self.options)
        return trickbench.simulate(game, list(self.agents), count, seed=SEED, record="plays", first=first)


# The deals are chosen for what happens in them: ties, capots, doubles, cards that the option alone makes legal or illegal.
CASES = {
    "manillen": Case("manillen", (SENSIBLE, WILD), (0, 36, 75)),
    "manille": Case("manille", (SENSIBLE, WILD), (0, 13, 137)),
    "manchego": Case("manchego", ("greedy", "random", "play=greedy,bid=fixed:n=5"), (0, 1)),
    "manillen-undertrump-forced": Case("manillen", (WILD,), (35, 79), {"undertrump": "forced", "undertrump_under_partner": "allowed"}),
    "manillen-partner-must-be-beaten": Case("manillen", (WILD,), (37, 505), {"must_beat": "always", "trump_lead_over_partner": "must_beat"}),
    "manillen-ruff-free": Case("manillen", (SENSIBLE,), (25, 58), {"ruff": "free", "overruff": "free"}),
    "manillen-blind-no-trump": Case("manillen", (WILD,), (1, 7), {"blind_no_trump": "on", "stacking": "cap4"}),
    "manille-added-factors": Case("manille", (WILD,), (7, 17), {"stacking": "add", "capot_factor": 2}),
    "manchego-hook-and-gain": Case("manchego", ("random",), (0, 1), {"hook": "on", "scoring": "gain"}),
}
"""Name of the file -> what it shows."""


def header(case: Case) -> Iterator[str]:
    """Yield what was played, and the digest of a longer run of it."""
    run = case.run(COUNTED)
    yield f"game     {run.game.described()}, rules version {run.game.rules_version}"
    for seats, agent in seated(run.resolved).items():
        yield f"{seats:8} {agent}"
    yield f"seed     {SEED}"
    yield f"digest   {run.digest} of the first {COUNTED} deals"


def text(case: Case) -> str:
    """Return the contents of a case's file."""
    parts = ["\n".join(header(case))]
    for index in case.deals:
        parts.append(f"deal {index}\n\n{case.run(1, index).show(index).body}")
    return "\n\n\n".join(parts) + "\n"


def main() -> None:
    """Write all files anew, and remove those of cases that are no more."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        if old.stem not in CASES:
            old.unlink()
    for name, case in CASES.items():
        path, new = FOLDER / f"{name}.txt", text(case)
        changed = not path.exists() or path.read_text(encoding="utf-8") != new
        path.write_text(new, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{path.name}: {'changed' if changed else 'as it was'}\n")


if __name__ == "__main__":
    main()
