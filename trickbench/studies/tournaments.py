"""A tournament: every pair of agents (Manille), or every three (Manchego), in all seatings.

Every pairing has deals of its own, so pairings are independent of each other: ratings and averages over pairings get honest intervals.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from trickbench.counts import deal_count
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.studies.seatings import duel_tables, play_seatings, see_duel, table_of
from trickbench.studies.study import Part, Piece, Study
from trickbench.studies.threes import THREES, table_of_three
from trickbench.studies.tournament_result import TournamentResult
from trickbench.table import Table


@dataclass(frozen=True)
class Tournament(Study):
    """Many agents against each other.

    Attributes
    ----------
    agents : tuple
        As :func:`trickbench.simulate` takes them.
    deals : int
        For every pairing, each in all seatings.
    anchor : str or None
        The agent whose rating is 0.
    on_illegal : str
    """

    kind: ClassVar[str] = "tournament"

    agents: tuple[Any, ...]
    deals: int
    anchor: str | None = None
    on_illegal: str = "raise"

    @property
    def size(self) -> int:
        """Agents at a table: two or three."""
        return self.game.sides

    @property
    def names(self) -> list[str]:
        """The agents as typed."""
        return [Table(self.game, [agent], self.on_illegal).names[0] for agent in self.agents]

    @property
    def anchored(self) -> int:
        """Number of the agent whose rating is 0."""
        names = self.names
        return names.index(self.anchor) if self.anchor else names.index("random") if "random" in names else 0

    def pairings(self) -> list[tuple[int, ...]]:
        """Return the numbers of the agents that meet."""
        return list(combinations(range(len(self.agents)), self.size))

    def parts(self) -> list[Part]:
        """Return one part a pairing, each with deals of its own."""
        seatings = 2 if self.size == 2 else len(THREES)
        return [Part(key_of(pairing), number * self.deals, self.deals, seatings) for number, pairing in enumerate(self.pairings())]

    def tables_of(self, pairing: tuple[int, ...]) -> list[Table]:
        """Return who sits where in every seating of some agents."""
        if self.size == 2:
            return duel_tables(self.game, self.agents[pairing[0]], self.agents[pairing[1]], self.on_illegal)
        return [Table(self.game, [self.agents[pairing[who]] for who in seats], self.on_illegal) for seats in THREES]

    def seatings(self) -> dict[str, Table]:
        """Return every table that plays, by name."""
        return {f"{key_of(pairing)} {number}": table for pairing in self.pairings() for number, table in enumerate(self.tables_of(pairing))}

    def settings(self) -> dict[str, Any]:
        """Return what decides the answer, besides game, rules and seed."""
        sitting = [Table(self.game, [agent], self.on_illegal).seats[0] for agent in self.agents]
        return {
            "agents": self.names,
            "seats": [{"strategy": one.resolved(), "oracle": one.oracle} for one in sitting],
            "deals": self.deals,
            "anchor": self.anchor,
            "on_illegal": self.on_illegal,
        }

    def play(self, part: Part, first: int, count: int, before: pd.DataFrame | None, threads: int, bar: Any) -> Generator[Piece, None, None]:
        """Play some deals of a pairing."""
        pairing = tuple(map(int, part.key.split("-")[1:]))
        with closing(play_seatings(self.tables_of(pairing), self.seed, first, count, threads, bar)) as parts:
            for start, chunks in parts:
                if self.size == 2:
                    yield Piece(start, chunks[0].count, table_of(see_duel(self.game, chunks)))
                else:
                    scores = np.stack([self.game.deal_scores(chunk.codes)[1].astype(np.int64) for chunk in chunks])
                    yield Piece(start, chunks[0].count, table_of_three(scores))

    def result(self, totals: dict[str, pd.DataFrame]) -> TournamentResult:
        """Return what totals by part say."""
        return TournamentResult(self, totals)


def key_of(pairing: tuple[int, ...]) -> str:
    """Return the name of a pairing's files."""
    return "-".join(["agents", *map(str, pairing)])


KEYS = ("deals", "anchor", "on_illegal")
"""What a tournament's table in an experiment may say, besides name, game, rules and agents."""


def from_table(name: str, game: Game, agents: list[Any], seed: int, rest: dict[str, Any]) -> Tournament:
    """Return the tournament that a table of an experiment describes.

    Raises
    ------
    UsageError
        For numbers or agents that cannot be.
    """
    if len(agents) < game.sides:
        raise UsageError(f"a tournament of {game.name} takes {game.sides} agents or more, not {len(agents)}")
    study = Tournament(name, game, seed, tuple(agents), deal_count(rest.get("deals", "20k")), rest.get("anchor"), rest.get("on_illegal", "raise"))
    names = study.names
    if len(set(names)) < len(names):
        raise UsageError(f"agent '{max(names, key=names.count)}' is named twice; each may be named once")
    if study.anchor is not None and study.anchor not in names:
        raise UsageError(f"the anchor '{study.anchor}' does not play; one of {', '.join(names)} would be right")
    study.seatings()
    return study


def tournament(
    game: Game, agents: Any, deals: Any = "20k", seed: Any = 0, workers: int | None = None, *, anchor: str | None = None,
    on_illegal: str = "raise", progress: bool = False,
) -> TournamentResult:  # fmt: skip
    """Let many agents play each other, every pair (Manille) or every three (Manchego), and rate them.

    Parameters
    ----------
    game : Game
    agents : sequence of str, Agent or function
        Two or more; three or more in Manchego. Each plays for a whole side.
    deals : int or str
        For every pairing, each in all seatings: two in Manille, six in Manchego.
    seed : int
        The same seed gives the same bytes.
    workers : int, optional
        Threads; one for each processor by default.
    anchor : str, optional
        The agent whose rating is 0; random by default, if it plays.
    on_illegal : str
        "raise" or, for cards in Manille, "forfeit".
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    TournamentResult
        ``.payoffs``, ``.ratings``, ``.text()``, ``.figures()``, ``.digest``.

    Raises
    ------
    UsageError
        For arguments that cannot be.
    AgentError
        If an agent fails.

    Examples
    --------
    >>> tournament(game("manillen"), ["random", "greedy", "heuristic"], "20k").ratings  # doctest: +SKIP
    """
    from trickbench.counts import seed_number, worker_count
    from trickbench.studies.playing import Store, play_study

    study = from_table("tournament", game, list(agents), seed_number(seed), {"deals": deals, "anchor": anchor, "on_illegal": on_illegal})
    return study.result(play_study(study, Store(None), worker_count(workers), progress))
