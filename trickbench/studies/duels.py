"""A duel: two agents on the same deals, with the same random words, in all seatings; until enough deals, or until it is decided."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from trickbench.chunks import play_tables
from trickbench.counts import deal_count, seed_number, worker_count
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.match import collect_games, table_for_games
from trickbench.studies.control import play_control
from trickbench.studies.deciding import Rule, first_stop, is_over, read_rule
from trickbench.studies.duel_result import DuelResult
from trickbench.studies.playing import Store, play_study
from trickbench.studies.seatings import DUEL, duel_tables, head, play_seatings, see_duel, table_of
from trickbench.studies.study import Part, Piece, Study, add_up, count_rows
from trickbench.table import Table

DEALS, GAMES, CONTROL = "deals", "games", "control"


@dataclass(frozen=True)
class Duel(Study):
    """Two agents against each other.

    Attributes
    ----------
    agents : (A, B)
        As :func:`trickbench.simulate` takes them.
    deals : int
        Each is played in all seatings; with ``rule`` at most so many.
    games : int
        Also so many whole games (or matches) in all seatings; 0 for none.
    control : int
        Deals of which a control variate is taken, by rollouts; 0 for none.
    rollouts : int
        For each of these.
    rule : Rule, optional
        Stop as soon as it is decided.
    on_illegal : str
    """

    kind: ClassVar[str] = "duel"

    agents: tuple[Any, Any]
    deals: int
    games: int = 0
    control: int = 0
    rollouts: int = 64
    rule: Rule | None = None
    on_illegal: str = "raise"

    def __post_init__(self) -> None:
        if self.games:
            table_for_games(self.game, self.agents[0], self.on_illegal)
        if self.rule is not None and self.rule.pentanomial and self.game.family != "manille":
            raise UsageError(f"a pentanomial test takes pairs of deals, which {self.game.name} does not have; 'margin' would be right")

    def parts(self) -> list[Part]:
        """Return the deals, then what was asked for besides."""
        seatings = len(DUEL[self.game.family])
        parts = [Part(DEALS, 0, self.deals, seatings, sequential=self.rule is not None)]
        if self.games:
            parts.append(Part(GAMES, 0, self.games, seatings, in_games=True))
        if self.control:
            parts.append(Part(CONTROL, 0, self.control, seatings))
        return parts

    def tables(self) -> list[Table]:
        """Return who sits where, a table a seating."""
        return duel_tables(self.game, *self.agents, self.on_illegal)

    def seatings(self) -> dict[str, Table]:
        """Return every table that plays, by name."""
        return {f"{self.name} {number}": table for number, table in enumerate(self.tables())}

    @property
    def names(self) -> tuple[str, str]:
        """The agents as typed."""
        first, second = (table.names[0] for table in (self.tables()[0], self.tables()[-1 if self.game.family == "manille" else 3]))
        return first, second

    def settings(self) -> dict[str, Any]:
        """Return what decides the answer, besides game, rules and seed."""
        tables = self.tables()
        rule = None if self.rule is None else self.rule.as_dict()
        return {
            "agents": list(self.names),
            "seats": [{"strategy": sitting.resolved(), "oracle": sitting.oracle} for sitting in tables[0].seats],
            "deals": self.deals,
            "games": self.games,
            "control": self.control,
            "rollouts": self.rollouts if self.control else None,
            "until_decided": rule,
            "on_illegal": self.on_illegal,
        }

    def play(self, part: Part, first: int, count: int, before: pd.DataFrame | None, threads: int, bar: Any) -> Generator[Piece, None, None]:
        """Play some deals, or games, of a part."""
        if part.key == GAMES:
            return self._play_games(first, count, threads, bar)
        if part.key == CONTROL:
            return play_control(self.game, self.tables(), self.seed, first, count, self.rollouts, threads, bar)
        return self._play_deals(first, count, before, threads, bar)

    def _play_deals(self, first: int, count: int, before: pd.DataFrame | None, threads: int, bar: Any) -> Generator[Piece, None, None]:
        with closing(play_seatings(self.tables(), self.seed, first, count, threads, bar)) as parts:
            for start, chunks in parts:
                seen = see_duel(self.game, chunks)
                stop = None if self.rule is None else first_stop(self.rule, self.game, before, seen)
                seen = seen if stop is None else head(seen, stop)
                table = table_of(seen)
                yield Piece(start, len(seen.x), table)
                if stop is not None:
                    return
                if self.rule is not None:
                    before = table if before is None else add_up([before, table])

    def _play_games(self, first: int, count: int, threads: int, bar: Any) -> Generator[Piece, None, None]:
        tables, seatings = self.tables(), DUEL[self.game.family]
        chunk = max(1, -(-count // (8 * threads)))
        with closing(play_tables(tables, self.seed, first, count, threads, False, chunk, bar, in_games=True)) as parts:
            for chunks in parts:
                start, size = chunks[0].first, chunks[0].count
                won = np.zeros((size, len(tables)), np.int64)
                for number, (table, seats, played) in enumerate(zip(tables, seatings, chunks, strict=True)):
                    winners = collect_games(table, self.seed, start, size, [played]).matches["winner"].to_numpy()
                    sides = np.array([*(1 if who == 0 else -1 for who in seats), 0])
                    won[:, number] = sides[winners]
                yield Piece(start, size, count_rows({"x": won.sum(axis=1), "wins": (won > 0).sum(axis=1), "ties": (won == 0).sum(axis=1)}))

    def over(self, part: Part, total: pd.DataFrame | None) -> bool:
        """Return True if the test has decided."""
        return self.rule is not None and part.key == DEALS and total is not None and is_over(self.rule, self.game, total)

    def result(self, totals: dict[str, pd.DataFrame]) -> DuelResult:
        """Return what totals by part say."""
        return DuelResult(self, totals)


def duel(
    game: Game,
    first: Any,
    second: Any,
    deals: Any = "100k",
    seed: Any = 0,
    workers: int | None = None,
    *,
    games: Any = 0,
    control: Any = 0,
    rollouts: int = 64,
    until_decided: Rule | bool = False,
    on_illegal: str = "raise",
    progress: bool = False,
) -> DuelResult:
    """Let two agents play the same deals in all seatings, and say who is better and how sure that is.

    Parameters
    ----------
    game : Game
    first, second : str, Agent or function
        A and B. In Manille A plays side 0, then side 1; in Manchego A sits in two seats and B in one, then the other way round, three
        seatings each.
    deals : int or str
        Each is played in all seatings, with the same hands, dealer and random words.
    seed : int
        The same seed gives the same bytes.
    workers : int, optional
        Threads; one for each processor by default.
    games : int or str
        Also so many whole games, in all seatings.
    control : int or str
        Deals for which a control variate is taken: the mean of rollouts of the same deal.
    rollouts : int
        For each of these deals.
    until_decided : bool or Rule
        Stop as soon as a sequential test decides, after ``deals`` at the latest. True: H0 edge 0 against H1 edge 0.5 points, 5 % errors.
    on_illegal : str
        "raise" or, for cards in Manille, "forfeit".
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    DuelResult
        ``.edge``, ``.summary``, ``.text()``, ``.figures()``, ``.digest``.

    Raises
    ------
    UsageError
        For arguments that cannot be.
    AgentError
        If an agent fails.

    Examples
    --------
    >>> duel(game("manillen"), "heuristic", "greedy", "100k", seed=7).edge  # doctest: +SKIP
    """
    options = {"deals": deals, "games": games, "control": control, "rollouts": rollouts, "until_decided": until_decided, "on_illegal": on_illegal}
    study = from_table("duel", game, [first, second], seed_number(seed), options)
    return study.result(play_study(study, Store(None), worker_count(workers), progress))


KEYS = ("deals", "games", "control", "rollouts", "until_decided", "on_illegal")
"""What a duel's table in an experiment may say, besides name, game, rules and agents."""


def from_table(name: str, game: Game, agents: list[Any], seed: int, rest: dict[str, Any]) -> Duel:
    """Return the duel that a table of an experiment describes.

    Raises
    ------
    UsageError
        For numbers or agents that cannot be.
    """
    if len(agents) != 2:
        raise UsageError(f"a duel is between 2 agents, not {len(agents)}")
    until = rest.get("until_decided", False)
    rule = read_rule(until) if until else None
    study = Duel(
        name, game, seed, (agents[0], agents[1]), deal_count(rest.get("deals", "100k")), _count(rest.get("games", 0), "games"),
        _count(rest.get("control", 0), "control"), deal_count(rest.get("rollouts", 64), "rollouts"), rule, rest.get("on_illegal", "raise"),
    )  # fmt: skip
    study.tables()
    return study


def _count(value: Any, name: str) -> int:
    return 0 if value in (0, "0", None) else deal_count(value, name)
