"""Bidders of Manchego under card players: which bidding strategy is best, against which, and how well does it know its hand.

Under each card player, which all seats play with, every bidder sits once in every seat against two of every bidder, on the same deals. The
dealer moves with the deal, so every bidder bids first, second and last equally often.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.chunks import play_tables
from trickbench.counts import deal_count, seed_number, worker_count
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.games.rows import LANES
from trickbench.registry import Strategy, strategy
from trickbench.studies import forecasting
from trickbench.studies.bids_result import BidsResult
from trickbench.studies.bids_seen import see_bids, table_of
from trickbench.studies.crossing import Answering, all_answering, crossed
from trickbench.studies.playing import Store, play_study
from trickbench.studies.study import Part, Piece, Study, add_up
from trickbench.table import Table

BIDDERS = ("random", "fixed:n=6", "sure-tricks", "expected-tricks", "heuristic")
PLAYERS = ("heuristic",)
REFERENCE = "heuristic"
PLAYER, CROSS, FORECASTS = "player", "cross", "forecasts"
"""Parts: bidders against bidders under a card player; everybody against the reference; forecasts under a card player."""
CHUNK = 1 << 13
"""Deals in a chunk: a hundred tables of them, and what is seen in them, are some ten megabytes."""


@dataclass(frozen=True)
class Bids(Study):
    """Bidders against each other under card players.

    Attributes
    ----------
    agents : tuple
        Bidders; of each only its bids count.
    players : tuple
        Card players; of each only its cards count.
    deals : int
        The same under each card player, each with every bidder in every seat.
    forecasts : int
        Deals, of the same, on which forecasts are taken; 0 for none.
    reference : str, Agent or function
        Who every bidder with every card player meets, as a whole strategy.
    """

    kind: ClassVar[str] = "bids"

    agents: tuple[Any, ...]
    players: tuple[Any, ...]
    deals: int
    forecasts: int = 5000
    reference: Any = REFERENCE

    def __post_init__(self) -> None:
        if self.game.family != "manchego":
            raise UsageError(f"nobody bids in {self.game.name}; the study of bids takes manchego")
        self.seatings()

    @cached_property
    def bidders(self) -> list[Answering]:
        """Who bids."""
        return all_answering(self.agents, "bid", self.game, "bidder")

    @cached_property
    def card_players(self) -> list[Answering]:
        """Who plays cards."""
        return all_answering(self.players, "play", self.game, "card player")

    @cached_property
    def opponent(self) -> Strategy:
        """The reference."""
        return strategy(self.reference, self.game)

    @property
    def names(self) -> list[str]:
        """The bidders as typed."""
        return [bidder.name for bidder in self.bidders]

    @property
    def player_names(self) -> list[str]:
        """The card players as typed."""
        return [player.name for player in self.card_players]

    @property
    def forecasters(self) -> list[int]:
        """Numbers of the bidders that forecast their tricks."""
        return [number for number, bidder in enumerate(self.bidders) if bidder.bound.agent.forecast is not None]

    @property
    def groups(self) -> list[tuple[int, int]]:
        """Every bidder, and the one that the others at its table are: group ``one * bidders + other``."""
        return list(product(range(len(self.bidders)), range(len(self.bidders))))

    def strategy_of(self, player: int, bidder: int) -> Strategy:
        """Return who plays cards as one and bids as another does."""
        return crossed(self.card_players[player], self.bidders[bidder])

    def tables_of(self, player: int) -> tuple[list[Table], NDArray[np.int64]]:
        """Return the tables under a card player, and the numbers of those in which a group's bidder sits in seat 0, 1, 2."""
        sitting = [self.strategy_of(player, bidder) for bidder in range(len(self.bidders))]
        return seated(self.game, [(sitting[one], sitting[other], one == other) for one, other in self.groups])

    def cross_tables(self) -> tuple[list[Table], NDArray[np.int64]]:
        """Return the tables of every bidder with every card player against the reference: groups by card player, then bidder."""
        who = product(range(len(self.card_players)), range(len(self.bidders)))
        return seated(self.game, [(self.strategy_of(player, bidder), self.opponent, False) for player, bidder in who])

    def parts(self) -> list[Part]:
        """Return a part a card player, one for the reference, and one a card player for forecasts, if anybody makes any."""
        players = range(len(self.card_players))
        parts = [Part(f"{PLAYER}-{player}", 0, self.deals, len(self.tables_of(player)[0])) for player in players]
        parts.append(Part(CROSS, 0, self.deals, len(self.cross_tables()[0])))
        if self.forecasts and self.forecasters:
            parts += [Part(f"{FORECASTS}-{player}", 0, min(self.forecasts, self.deals), len(self.forecasters)) for player in players]
        return parts

    def seatings(self) -> dict[str, Table]:
        """Return a table for every strategy that plays, by name; all tables are made of these."""
        found = {}
        for player, bidder in product(range(len(self.card_players)), range(len(self.bidders))):
            found[f"{self.name} {player} {bidder}"] = Table(self.game, self.strategy_of(player, bidder))
        return {**found, f"{self.name} reference": Table(self.game, self.opponent)}

    def settings(self) -> dict[str, Any]:
        """Return what decides the answer, besides game, rules and seed."""
        sitting = [table.seats[0] for table in self.seatings().values()]
        return {
            "agents": self.names,
            "players": self.player_names,
            "seats": [{"strategy": one.resolved(), "oracle": one.oracle} for one in sitting],
            "deals": self.deals,
            "forecasts": self.forecasts,
            "reference": self.opponent.text,
        }

    def play(self, part: Part, first: int, count: int, before: pd.DataFrame | None, threads: int, bar: Any) -> Generator[Piece, None, None]:
        """Play some deals of a part."""
        kind, _, number = part.key.partition("-")
        if kind == FORECASTS:
            return self._forecast(int(number), first, count, threads, bar)
        return self._bid(*(self.cross_tables() if kind == CROSS else self.tables_of(int(number))), kind == PLAYER, first, count, threads, bar)

    def _bid(
        self, tables: list[Table], seats: NDArray[np.int64], counted: bool, first: int, count: int, threads: int, bar: Any
    ) -> Generator[Piece, None, None]:  # fmt: skip
        chunk = chunk_of(count, threads)
        with closing(play_tables(tables, self.seed, first, count, threads, "deals", chunk, bar, counted=False)) as parts:
            for chunks in parts:
                yield Piece(chunks[0].first, chunks[0].count, table_of(see_bids(self.game, chunks, seats), counted=counted))

    def _forecast(self, player: int, first: int, count: int, threads: int, bar: Any) -> Generator[Piece, None, None]:
        tables = [Table(self.game, self.strategy_of(player, bidder)) for bidder in self.forecasters]
        chunk = chunk_of(count, threads)
        with closing(play_tables(tables, self.seed, first, count, threads, "plays", chunk, bar, counted=False)) as parts:
            for chunks in parts:
                own = zip(self.forecasters, tables, chunks, strict=True)
                found = [forecasting.table_of(self.game, self.seed, bidder, table, played) for bidder, table, played in own]
                yield Piece(chunks[0].first, chunks[0].count, add_up(found))

    def result(self, totals: dict[str, pd.DataFrame]) -> BidsResult:
        """Return what totals by part say."""
        return BidsResult(self, totals)


def chunk_of(count: int, threads: int) -> int:
    """Return how many deals are a chunk."""
    return min(CHUNK, max(LANES, -(-count // (8 * threads))))


def seated(game: Game, groups: Sequence[tuple[Strategy, Strategy, bool]]) -> tuple[list[Table], NDArray[np.int64]]:
    """Return the tables of one strategy in every seat against two of another, for each group, and where they are.

    Parameters
    ----------
    game : Game
    groups : sequence of (one, other, same)
        With ``same`` one table has one of them in every seat.

    Returns
    -------
    tables : list of Table
    seats : int64[groups, 3]
        Number of the table in which the first sits in seat 0, 1, 2.
    """
    tables: list[Table] = []
    seats = []
    for one, other, same in groups:
        begin = len(tables)
        tables += [Table(game, one)] if same else [Table(game, [one if seat == own else other for seat in range(3)]) for own in range(3)]
        seats.append([begin] * 3 if same else [begin, begin + 1, begin + 2])
    return tables, np.array(seats)


KEYS = ("players", "deals", "forecasts", "reference")
"""What a study's table in an experiment may say, besides name, game, rules and agents (the bidders)."""


def from_table(name: str, game: Game, agents: list[Any], seed: int, rest: dict[str, Any]) -> Bids:
    """Return the study that a table of an experiment describes.

    Raises
    ------
    UsageError
        For numbers or agents that cannot be.
    """
    players = rest.get("players", PLAYERS)
    several = list(players) if isinstance(players, (list, tuple)) else [players]
    forecasts = rest.get("forecasts", 5000)
    number = 0 if forecasts in (0, "0") else deal_count(forecasts, "forecasts")
    return Bids(name, game, seed, tuple(agents), tuple(several), deal_count(rest.get("deals", "20k")), number, rest.get("reference") or REFERENCE)


def bids(
    game: Game,
    bidders: Sequence[Any] = BIDDERS,
    players: Any = PLAYERS,
    deals: Any = "20k",
    seed: Any = 0,
    workers: int | None = None,
    *,
    forecasts: Any = 5000,
    reference: Any = REFERENCE,
    progress: bool = False,
) -> BidsResult:
    """Let bidders of Manchego play the same deals in all seats under each card player, and say which is best and how well it knows its hand.

    Parameters
    ----------
    game : Game
    bidders : sequence of str, Agent or function
        Of each only its bids count.
    players : str, Agent, function, or a sequence of these
        Card players; all seats play with one at a time.
    deals : int or str
        The same for all; each with every bidder in every seat against two of every bidder.
    seed : int
        The same seed gives the same bytes.
    workers : int, optional
        Threads; one for each processor by default.
    forecasts : int or str
        Deals on which the forecasts of bidders that make them are taken; 0 for none.
    reference : str, Agent or function
        Who every bidder with every card player meets, to tell bidding from play.
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    BidsResult
        ``.summary``, ``.payoffs``, ``.best_responses``, ``.calibration``, ``.text()``, ``.figures()``, ``.digest``.

    Raises
    ------
    UsageError
        For arguments that cannot be.
    AgentError
        If an agent fails.

    Examples
    --------
    >>> bids(game("manchego"), ["sure-tricks", "heuristic"], deals="5k").best_responses  # doctest: +SKIP
    """
    options = {"players": players, "deals": deals, "forecasts": forecasts, "reference": reference}
    study = from_table("bids", game, list(bidders), seed_number(seed), options)
    return study.result(play_study(study, Store(None), worker_count(workers), progress))
