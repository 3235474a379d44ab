"""Golden playthroughs: a few deals of every game and profile, written out card by card for a person to read.

``python -m tests.golden`` writes the files in ``tests/golden`` anew. Read the difference before committing it: a change
means that deals, agents, rules or scores have changed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import trickbench
from tests.twins import manchego, manille

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


class Trick(NamedTuple):
    """A trick of a recorded deal."""

    leader: int
    cards: list[str]
    winner: int


def text_of(card: int, twin: Any) -> str:
    """Return a card by its index."""
    return twin.SUITS[card // len(twin.RANKS)] + twin.RANKS[card % len(twin.RANKS)]


def tricks_of(row: Any, twin: Any, seats: int, trump: str) -> Iterator[Trick]:
    """Yield the tricks of a recorded deal; who wins them is found by the second statement of the rules."""
    leader, number = int(row["leader"]), 0
    while f"card_{number:02d}" in row:
        cards = [text_of(int(row[f"card_{number + place:02d}"]), twin) for place in range(seats)]
        winner = (leader + twin.winner(cards, trump)) % seats
        yield Trick(leader, cards, winner)
        leader, number = winner, number + seats


def hand_text(bits: int, twin: Any) -> str:
    """Return a hand by suit, high to low."""
    cards = [text_of(card, twin) for card in range(52) if bits >> card & 1]
    parts = []
    for suit in reversed(twin.SUITS):
        ranks = [card[1] for card in reversed(cards) if card[0] == suit]
        parts.append(f"{suit} {' '.join(ranks) or '-'}")
    width = 17 if twin is manille else 21
    return "  ".join(f"{part:{width}}" for part in parts).rstrip()


def hands_text(row: Any, twin: Any, seats: int) -> Iterator[str]:
    """Yield the hands, a line a seat."""
    for seat in range(seats):
        dealer = "dealer" if seat == row["dealer"] else ""
        yield f"  seat {seat} {dealer:6}  {hand_text(int(row[f'hand_{seat}']), twin)}"


def auction_text(row: Any) -> str:
    """Return what was said before the cards were played."""
    dealer, call = row["dealer"], row["call"]
    said = f"seat {dealer} calls {call}"
    if row["blind"]:
        said = f"seat {dealer} calls {call} before looking"
    if row["en_face"]:
        said = f"seat {dealer} says en face, seat {row['caller']} calls {call}"
    return said + ", doubled" * bool(row["doubled"]) + ", redoubled" * bool(row["redoubled"])


def manille_text(row: Any) -> Iterator[str]:
    """Yield a recorded deal of Manille, line by line."""
    yield f"deal {row['deal']}"
    yield from hands_text(row, manille, 4)
    yield f"  auction: {auction_text(row)}"
    won = [0, 0]
    for number, trick in enumerate(tricks_of(row, manille, 4, str(row["call"])), 1):
        points = manille.points(trick.cards)
        won[trick.winner % 2] += points
        yield f"  trick {number}  seat {trick.leader} leads  {'  '.join(trick.cards)}  seat {trick.winner} wins {points:2}  {won[0]:2}-{won[1]}"
    for side in (0, 1):
        yield f"  seats {side}+{side + 2}: {row[f'points_{side}']} points, {row[f'tricks_{side}']} tricks, score {row[f'score_{side}']}"
    winner = {0: "seats 0+2 win", 1: "seats 1+3 win", -1: "a tie"}[row["winner"]]
    yield f"  {winner}{' by a capot' if row['capot'] else ''}, factor {row['factor']}"


def manchego_text(row: Any) -> Iterator[str]:
    """Yield a recorded deal of Manchego, line by line."""
    yield f"deal {row['deal']}"
    yield from hands_text(row, manchego, 3)
    yield f"  turned: {row['turned']}, trump {row['trump']}"
    bids = {seat: row[f"bid_{seat}"] for seat in ((row["leader"] + place) % 3 for place in range(3))}
    yield f"  bids: {', '.join(f'seat {seat} {bid}' for seat, bid in bids.items())}"
    won = [0, 0, 0]
    for number, trick in enumerate(tricks_of(row, manchego, 3, str(row["trump"])), 1):
        won[trick.winner] += 1
        yield f"  trick {number:2}  seat {trick.leader} leads  {'  '.join(trick.cards)}  seat {trick.winner} wins  {'-'.join(map(str, won))}"
    for seat in range(3):
        bid, tricks, missed, score = (row[f"{name}_{seat}"] for name in ("bid", "tricks", "distance", "score"))
        yield f"  seat {seat}: bid {bid}, won {tricks}, {missed} away, score {score}"


def header(case: Case) -> Iterator[str]:
    """Yield what was played, and the digest of a longer run of it."""
    run = case.run(COUNTED)
    yield f"game     {run.game.described()}, rules version {run.game.rules_version}"
    for seats, agent in seated(run).items():
        yield f"{seats:8} {agent}"
    yield f"seed     {SEED}"
    yield f"digest   {run.digest} of the first {COUNTED} deals"


def seated(run: Any) -> dict[str, str]:
    """Return who sits where: seats as text -> the agent in full."""
    found: dict[str, list[int]] = {}
    for seat, agent in enumerate(run.resolved):
        found.setdefault(agent, []).append(seat)
    return {f"seat{'s' * (len(seats) > 1)} {'+'.join(map(str, seats))}": agent for agent, seats in found.items()}


def text(case: Case) -> str:
    """Return the contents of a case's file."""
    write = manchego_text if case.game == "manchego" else manille_text
    lines = list(header(case))
    for index in case.deals:
        lines += ["", *write(case.run(1, index).deals.iloc[0])]
    return "\n".join(lines) + "\n"


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
