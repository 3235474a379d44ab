"""What each trump call is worth, and how good each rule for calling is: dealers' hands as they are dealt, every call played out in the same worlds.

The unit is the deal. Its dealer's hand is rolled out in many worlds: the other cards dealt anew at random, all calls played in each of them
(:mod:`trickbench.games.manille.call_rollout`). The mean over the worlds of a deal estimates what the call is worth with this hand, and the mean
over deals what it is worth to a dealer; intervals are over deals, never over plays.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from trickbench.counts import deal_count, seed_number, worker_count
from trickbench.crew import in_order
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.games.manille.call_sums import CALL_NAMES, EN_FACE
from trickbench.registry import strategy
from trickbench.studies.call_asking import Asker, caller, caller_name
from trickbench.studies.calls_counting import MEMBERS, Hands, Ints, count_deals, read_hands, read_values
from trickbench.studies.calls_result import CallsResult
from trickbench.studies.playing import Store, play_study
from trickbench.studies.rolling_calls import Roller, RollTable, roll_table, rollout_count
from trickbench.studies.study import Part, Piece, Study
from trickbench.table import Table

CALLERS = ("longest", "points", "heuristic", "no-trump", "book", "random")
YARDSTICKS = ("random",)
DEALS, WORLDS = "20k", 512
CHUNK = 1 << 11
"""Deals in a piece of work, at most: a million worlds by default."""
MOST_DEALS = 1 << 24
"""The number of a deal is that of its worlds, which have 24 bits for it."""
MOST_POINTS = 480
"""A deal scores at most 30 points over 30, times 2 each for no-trump and capot, times 4 for a redouble."""


@dataclass(frozen=True)
class Valuer:
    """Who plays the cards in the worlds by which calls are valued.

    Anything that has a name, a table for the manifest, and gives sums of hands as :class:`trickbench.studies.rolling_calls.Roller` does could stand
    in its place.

    Attributes
    ----------
    game : Game
    players : tuple
        One strategy for all, or the dealer's side and the other.
    partner : str, Agent or function
        Whose call is that of the dealer's partner after en face.
    doublers : bool
        The players are asked for double and redouble.
    """

    game: Game
    players: tuple[Any, ...]
    partner: Any
    doublers: bool

    def table(self) -> RollTable:
        """Return who sits where, and who is asked in the auction."""
        return roll_table(self.game, list(self.players), self.partner, self.doublers)

    @property
    def name(self) -> str:
        """Who plays the cards, as tables show it."""
        names = list(dict.fromkeys(self.table().names))
        return " against ".join(names)

    def roller(self, seed: int, stop: threading.Event) -> Roller:
        """Return what rolls hands out in one thread."""
        return Roller(self.table(), seed, stop)


@dataclass(frozen=True)
class Calls(Study):
    """Trump calls and rules for calling on the same deals.

    Attributes
    ----------
    agents : tuple
        The callers.
    deals : int
    worlds : int
        In which each deal's hand is rolled out; even, the two halves are kept apart.
    players, against : str, Agent or function
        Who plays the cards of the dealer's side and of the other.
    yardsticks : tuple
        Other players by whose cards the same deals are valued too.
    partner : str, Agent or function, optional
        Whose call is that of the dealer's partner after en face; by default that of ``players``.
    doublers : bool
        All are asked for double and redouble; else nobody is.
    """

    kind: ClassVar[str] = "calls"

    agents: tuple[Any, ...]
    deals: int
    worlds: int
    players: Any = "heuristic"
    against: Any = None
    yardsticks: tuple[Any, ...] = YARDSTICKS
    partner: Any = None
    doublers: bool = False

    def __post_init__(self) -> None:
        # Also of a study with another number of deals than its table says.
        if self.deals > MOST_DEALS or self.deals * (MEMBERS * MOST_POINTS * self.worlds) ** 2 >= 1 << 63:
            limits = "1,000,000 of 1,024 would be right"
            raise UsageError(f"{self.deals:,} deals of {self.worlds:,} worlds are too many for sums of 64 bits; {limits}")

    def parts(self) -> list[Part]:
        """Return the deals."""
        return [Part("deals", 0, self.deals, 1)]

    @cached_property
    def valuers(self) -> list[Valuer]:
        """Who plays the cards: those that were chosen first, then the yardsticks."""
        sides = (self.players,) if self.against is None else (self.players, self.against)
        # The same partner for all: what a call is worth by other players of the cards is asked, and not by other callers.
        found: dict[str, Valuer] = {}
        for own in (sides, *((one,) for one in self.yardsticks)):
            valuer = Valuer(self.game, own, self._partner, self.doublers)
            found.setdefault(valuer.name, valuer)
        return list(found.values())

    @property
    def _partner(self) -> Any:
        return self.players if self.partner is None else self.partner

    @cached_property
    def callers(self) -> list[Table]:
        """The callers, at tables of their own."""
        return [caller(self.game, agent) for agent in self.agents]

    @property
    def names(self) -> list[str]:
        """The callers as tables show them."""
        return [caller_name(table) for table in self.callers]

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """The calls that the dealer has."""
        return CALL_NAMES if self.game.rules.en_face == "on" else CALL_NAMES[:EN_FACE]

    @property
    def auction_text(self) -> str:
        """What is said in the worlds after the call."""
        doubling = "they double" if self.doublers else "nobody doubles"
        partner = strategy(self._partner, self.game).decisions["call"].text
        return f"{doubling}, after en face the partner calls as {partner}" if len(self.calls) > EN_FACE else doubling

    def seatings(self) -> dict[str, Table]:
        """Return every table that plays or calls, by name."""
        tables = {f"{self.name} cards {number}": valuer.table() for number, valuer in enumerate(self.valuers)}
        return tables | {f"{self.name} call {number}": table for number, table in enumerate(self.callers)}

    def settings(self) -> dict[str, Any]:
        """Return what decides the answer, besides game, rules and seed."""
        sides = self.valuers[0].table().names
        seats = [self.valuers[0].table().seats[0], *(table.seats[0] for table in self.callers)]
        return {
            "agents": self.names,
            "seats": [{"strategy": sitting.resolved(), "oracle": sitting.oracle} for sitting in seats],
            "deals": self.deals,
            "worlds": self.worlds,
            "players": sides[0],
            "against": sides[1] if len(sides) > 1 else None,
            "yardsticks": [valuer.name for valuer in self.valuers[1:]],
            "partner": self.partner if self.partner is None else strategy(self.partner, self.game).text,
            "doublers": self.doublers,
        }

    def play(self, part: Part, first: int, count: int, before: pd.DataFrame | None, threads: int, bar: Any) -> Generator[Piece, None, None]:
        """Play some deals."""
        stop, size = threading.Event(), max(1, min(CHUNK, -(-count // (4 * threads))))
        asker = Asker(self.game, self.callers, self.seed, size)
        crew = [[valuer.roller(self.seed, stop) for valuer in self.valuers] for _ in range(min(threads, -(-count // size)))]
        began, each = int(bar.n), self.worlds * len(self.valuers)

        def asked() -> Iterator[tuple[int, Ints, Ints]]:
            # Callers may be Python functions, so they are asked here, in the order of the deals, and not in the crew's threads.
            for start in range(first, first + count, size):
                yield start, asker.deal(start, min(size, first + count - start)), asker.ask()

        def work(rollers: list[Roller], task: tuple[int, Ints, Ints]) -> Piece:
            start, hands, calls = task
            return Piece(start, len(hands), self.count(rollers, read_hands(hands), start, calls))

        def finished() -> int:
            return began + sum(roller.finished for rollers in crew for roller in rollers) // each

        with closing(in_order(crew, asked(), work, len(crew) + 1, stop, bar, finished)) as pieces:
            yield from pieces

    def count(self, rollers: Sequence[Roller], hands: Hands, first: int, calls: Ints) -> pd.DataFrame:
        """Return the table of some deals, of which the first has a number, and what the callers call in them."""
        numbers = np.arange(first, first + len(hands.forms))
        rolled = [roller.roll_hands(hands.forms, numbers, self.worlds) for roller in rollers]
        return count_deals(hands, [read_values(sums, len(self.calls)) for sums in rolled], calls)

    def result(self, totals: dict[str, pd.DataFrame]) -> CallsResult:
        """Return what totals by part say."""
        return CallsResult(self, totals)


def trump_calls(
    game: Game,
    callers: Sequence[Any] = CALLERS,
    players: Any = "heuristic",
    against: Any = None,
    deals: Any = DEALS,
    worlds: int = WORLDS,
    seed: Any = 0,
    workers: int | None = None,
    *,
    yardsticks: Sequence[Any] = YARDSTICKS,
    partner: Any = None,
    doublers: bool = False,
    progress: bool = False,
) -> CallsResult:
    """Say how often each trump call wins, what it is worth, and how good each rule for calling is.

    Parameters
    ----------
    game : Game
        Manille with any rules.
    callers : sequence of str, Agent or function
        Whose calls are judged; a function is a decision to call.
    players, against : str, Agent or function
        Who plays the cards of the dealer's side and of the other, by default the same. Compiled agents only.
    deals : int or str
        Dealers' hands.
    worlds : int
        In which each is rolled out with every call; even.
    seed : int
        The same seed gives the same bytes.
    workers : int, optional
        Threads; one for each processor by default.
    yardsticks : sequence
        Other card players by whom the same deals are valued too.
    partner : str, Agent or function, optional
        Whose call is that of the dealer's partner after en face, in games that have it; by default that of ``players``.
    doublers : bool
        Ask the players for double and redouble; else nobody doubles.
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    CallsResult
        ``.summary``, ``.by_call``, ``.by_feature``, ``.regret``, ``.text()``, ``.figures()``, ``.digest``.

    Raises
    ------
    UsageError
        For arguments that cannot be.
    AgentError
        If an agent fails.

    Examples
    --------
    >>> trump_calls(game("manillen"), ["longest", "book"], deals="20k", seed=7).regret  # doctest: +SKIP
    """
    rest = {"deals": deals, "worlds": worlds, "players": players, "against": against, "yardsticks": list(yardsticks)}
    rest |= {"partner": partner, "doublers": doublers}
    study = from_table("calls", game, list(callers), seed_number(seed), rest)
    return study.result(play_study(study, Store(None), worker_count(workers), progress))


KEYS = ("deals", "worlds", "players", "against", "yardsticks", "partner", "doublers")
"""What the table of a study of calls in an experiment may say, besides name, game, rules and agents, the callers."""
AGENTS = list(CALLERS)
"""Who is judged where the table names nobody."""


def from_table(name: str, game: Game, agents: list[Any], seed: int, rest: dict[str, Any]) -> Calls:
    """Return the study of calls that a table of an experiment describes.

    Raises
    ------
    UsageError
        For numbers or agents that cannot be.
    """
    deals, worlds = deal_count(rest.get("deals", DEALS)), rollout_count(rest.get("worlds", WORLDS), "worlds")
    yardsticks = rest.get("yardsticks", list(YARDSTICKS))
    if not isinstance(yardsticks, list):
        raise UsageError(f"yardsticks cannot be {yardsticks!r}; a list of agents that play cards would be right")
    doublers = rest.get("doublers", False)
    if not isinstance(doublers, bool):
        raise UsageError(f"doublers cannot be {doublers!r}; true or false would be right")
    played = {"players": rest.get("players", "heuristic"), "against": rest.get("against"), "partner": rest.get("partner")}
    study = Calls(name, game, seed, tuple(agents or AGENTS), deals, worlds, yardsticks=tuple(yardsticks), doublers=doublers, **played)
    # Everybody is found, or not, before anything is played.
    study.seatings()
    if doublers and game.rules.doubling == "off":
        raise UsageError("doublers cannot be asked where the rules have doubling=off")
    names = study.names
    if len(set(names)) < len(names):
        raise UsageError(f"caller '{max(names, key=names.count)}' is named twice; each may be named once")
    return study
