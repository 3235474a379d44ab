"""Bidders of Manchego under card players: which bidding strategy is best, against which, and how well does it know its hand.

Under each card player, which all seats play with, every bidder sits once in every seat against two of every bidder, on the same deals. The
dealer moves with the deal, so every bidder bids first, second and last equally often.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.chunks import play_tables
from trickbench.counts import deal_count, seed_number, spans, worker_count
from trickbench.errors import TrickbenchError, UsageError
from trickbench.games.game import Game
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.outcomes import bids_and_tricks
from trickbench.games.rows import LANES
from trickbench.registry import Strategy, strategy
from trickbench.studies import forecasting
from trickbench.studies.asking import bid_table, bidding, bids_of, deal_out
from trickbench.studies.bids_result import BidsResult
from trickbench.studies.bids_seen import see_bids, table_of
from trickbench.studies.crossing import Answering, all_answering, crossed
from trickbench.studies.playing import Store, play_study
from trickbench.studies.study import Part, Piece, Study, add_up
from trickbench.table import Table
from trickbench.worker import Chunk

BIDDERS = ("random", "fixed:n=6", "sure-tricks", "expected-tricks", "heuristic")
PLAYERS = ("heuristic",)
REFERENCE = "heuristic"
DEALS, FORECASTS = "deals", "forecasts"
"""Parts: all tables; those of three of a bidder that forecasts, under each card player."""
SPAN = 1 << 12
"""Deals that bidders are asked for at a time: every table holds the bids of its hands, 100 kB a thread."""


@dataclass
class Seats:
    """Who sits where, by numbers; after the listed players and bidders comes the reference."""

    cards: list[tuple[int, ...]] = field(default_factory=list)
    """for each table the card player in seat 0, 1, 2"""
    bids: list[tuple[int, ...]] = field(default_factory=list)
    """the bidders likewise"""
    groups: list[NDArray[np.int64]] = field(default_factory=list)
    """[groups, 3]: the table in which a group's bidder sits in seat 0, 1, 2; for each card player, and for all of them against the reference"""

    def add(self, one: tuple[int, int], other: tuple[int, int]) -> list[int]:
        """Add the tables of one (card player, bidder) in each seat against two of another; return their numbers."""
        begin, number = len(self.cards), 1 if one == other else at.PLAYERS
        for own in range(number):
            sitting = [one if seat == own else other for seat in range(at.PLAYERS)]
            self.cards.append(tuple(player for player, _ in sitting))
            self.bids.append(tuple(bidder for _, bidder in sitting))
        return [begin + seat % number for seat in range(at.PLAYERS)]


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
        return [number for number, bidder in enumerate(self.bidders) if "bid" in bidder.bound.agent.forecast]

    @property
    def groups(self) -> list[tuple[int, int]]:
        """Every bidder, and the one that the others at its table are: group ``one * bidders + other``."""
        return list(product(range(len(self.bidders)), range(len(self.bidders))))

    def strategy_of(self, player: int, bidder: int) -> Strategy:
        """Return who plays cards as one and bids as another does."""
        return crossed(self.card_players[player], self.bidders[bidder])

    @cached_property
    def seats(self) -> Seats:
        """Who sits where at which table."""
        bidders, players = range(len(self.bidders)), range(len(self.card_players))
        seats, reference = Seats(), (len(players), self._reference_bidder)
        groups = [[seats.add((player, one), (player, other)) for one, other in self.groups] for player in players]
        groups.append([seats.add((player, one), reference) for player, one in product(players, bidders)])
        seats.groups = [np.array(group) for group in groups]
        return seats

    @property
    def _reference_bidder(self) -> int:
        """The number of the reference's bidder: that of a listed one, if it is the same, so that it is asked once."""
        own = self.opponent.decisions["bid"]
        found = [(one.bound.function, one.bound.params, one.bound.agent) for one in self.bidders]
        return [*found, (own.function, own.params, own.agent)].index((own.function, own.params, own.agent))

    @property
    def everybody(self) -> tuple[list[Answering], list[Answering]]:
        """Card players and bidders, the reference's last."""
        play, bid = (Answering(self.opponent.decisions[kind], self.opponent.typed) for kind in ("play", "bid"))
        return [*self.card_players, play], [*self.bidders, bid]

    def tables(self) -> list[Table]:
        """Return all tables."""
        players, bidders = self.everybody
        sitting = zip(self.seats.cards, self.seats.bids, strict=True)
        return [Table(self.game, [crossed(players[p], bidders[b]) for p, b in zip(cards, bids, strict=True)]) for cards, bids in sitting]

    def parts(self) -> list[Part]:
        """Return the deals, and those on which forecasts are taken, if anybody makes any."""
        parts = [Part(DEALS, 0, self.deals, len(self.seats.cards))]
        if self.forecasts and self.forecasters:
            parts.append(Part(FORECASTS, 0, min(self.forecasts, self.deals), len(self.forecasters) * len(self.card_players)))
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
        return (self._forecast if part.key == FORECASTS else self._bid)(first, count, threads, bar)

    def _bid(self, first: int, count: int, threads: int, bar: Any) -> Generator[Piece, None, None]:
        asked = [bid_table(self.game, bidder) for bidder in self.everybody[1]]
        for start, size in spans(first, count, SPAN):
            tables = self._knowing(asked, np.array(self.seats.bids), self.seats.cards, start, size, threads)
            with closing(self._played(tables or self.tables(), start, size, threads, bar)) as parts:
                for chunks in parts:
                    seen = enumerate(see_bids(self.game, chunks, self.seats.groups))
                    found = [table_of(own, counted=player < len(self.players)).assign(player=player) for player, own in seen]
                    yield Piece(chunks[0].first, chunks[0].count, add_up(found))

    def _played(self, tables: list[Table], first: int, count: int, threads: int, bar: Any) -> Generator[tuple[Chunk, ...], None, None]:
        chunk = max(LANES, -(-count // (2 * threads)))
        return play_tables(tables, self.seed, first, count, threads, "deals", chunk, bar, counted=False)

    def _knowing(
        self, asked: list[Table], who: NDArray[np.int64], cards: Sequence[Sequence[int]], first: int, count: int, threads: int
    ) -> list[Table] | None:  # fmt: skip
        """Return tables at which everybody knows its bid; None if a bidder fails: it fails again at its own table, which tells where."""
        dealt, (players, _) = deal_out(self.game, self.seed, first, count), self.everybody
        different, number = np.unique(who, axis=0, return_inverse=True)
        try:
            known = [bidding(dealt, bids) for bids in bids_of(self.game, asked, different, dealt, threads)]
        except TrickbenchError:
            return None
        sitting = zip(number.ravel(), cards, strict=True)
        return [Table(self.game, [crossed(players[p], known[k]) for p in own]) for k, own in sitting]

    def _forecast(self, first: int, count: int, threads: int, bar: Any) -> Generator[Piece, None, None]:
        players, own = range(len(self.card_players)), [bid_table(self.game, self.bidders[bidder]) for bidder in self.forecasters]
        who = np.array([[k] * 3 for k in range(len(own))]).repeat(len(players), axis=0)
        cards = [[player] * 3 for _ in own for player in players]
        for start, size in spans(first, count, SPAN):
            plain = [Table(self.game, self.strategy_of(player, bidder)) for bidder in self.forecasters for player in players]
            tables = self._knowing(own, who, cards, start, size, threads) or plain
            with closing(self._played(tables, start, size, threads, bar)) as parts:
                for chunks in parts:
                    yield Piece(chunks[0].first, chunks[0].count, add_up(list(self._held(own, chunks))))

    def _held(self, asked: list[Table], chunks: Sequence[Chunk]) -> Generator[pd.DataFrame, None, None]:
        """Yield how each bidder's forecasts held under each card player."""
        dealt, players = deal_out(self.game, self.seed, chunks[0].first, chunks[0].count), len(self.card_players)
        for k, (bidder, table) in enumerate(zip(self.forecasters, asked, strict=True)):
            shown = [bids_and_tricks(chunk.codes) for chunk in chunks[k * players : (k + 1) * players]]
            bids = shown[0][0].astype(np.int64)
            f = forecasting.forecasts(self.game, table, dealt, bids)
            for player, (_, tricks) in enumerate(shown):
                places = (forecasting.by_place(dealt, values.astype(np.int64)) for values in (bids, tricks))
                yield forecasting.table_of(f, *places).assign(bidder=bidder, player=player)

    def result(self, totals: dict[str, pd.DataFrame]) -> BidsResult:
        """Return what totals by part say."""
        return BidsResult(self, totals)


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
