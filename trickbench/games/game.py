"""What every game offers: its rules, cards as text, and the parts the engine needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.cards import Pack
from trickbench.counts import deal_number, seed_number, whole_in
from trickbench.errors import UsageError
from trickbench.games.options import Options
from trickbench.games.rows import LANES
from trickbench.streams import MOST_IN_GAME, counter, first_dealer


class Face(NamedTuple):
    """A game as the engine and the agents' wrappers see it."""

    at: Any
    """the layout: rows of a block, sizes, decision numbers"""
    view: type[Any]
    """the view's named tuple"""
    view_of: Callable[..., Any]
    header_of: Callable[..., Any]
    rules_of: Callable[..., Any]
    rule_count: int
    blocks: Any
    """numba type of a block"""
    choose: Any
    """numba type of a choose function"""
    dtype: Any
    """numpy type of a block"""
    drive: Callable[..., int]
    """the order of a deal as plain Python"""
    drive_compiled: Callable[..., int]
    cells: int
    """length of the counts of outcomes"""
    plays_width: int
    """columns of a record of plays"""

    @property
    def choice(self) -> int:
        """Row of the choices."""
        return int(self.at.CHOICE)


class Ends(NamedTuple):
    """What ends a game and a match."""

    target: int
    """points that end a game after a complete deal; 0 for none"""
    game_deals: int
    """deals that end a game; 0 for none"""
    best_of: int
    """games in a match: it is won with more than half of them"""


@dataclass(frozen=True)
class Deal:
    """The cards of one deal.

    Attributes
    ----------
    hands : tuple of str
        By absolute seat, spades first, high to low.
    dealer : int
        Absolute seat.
    turned : str or None
        The turned card (Manchego), whose suit is trump.
    text : str
        All of it, a line a seat.
    """

    hands: tuple[str, ...]
    dealer: int
    turned: str | None
    text: str


def deal_text(hands: Sequence[str], dealer: int, turned: str | None) -> str:
    """Return a deal as text, a line a seat."""
    lines = [f"seat {seat}{' (dealer)' if seat == dealer else '':9}  {hand}" for seat, hand in enumerate(hands)]
    return "\n".join(lines + ([f"turned           {turned}"] if turned else []))


class Game(ABC):
    """A game with its rules; made by :func:`trickbench.game`.

    Attributes
    ----------
    name : str
        The name it was asked for by: "manillen", "manille", "manchego".
    rules : Options
        The rule options.
    """

    family: ClassVar[str]
    """Names the folder and the functions of an agent: "manille" or "manchego"."""
    players: ClassVar[int]
    sides: ClassVar[int]
    """How many score apart: seat s is on side s mod sides."""
    hand_size: ClassVar[int]
    pack: ClassVar[Pack]
    kinds: ClassVar[tuple[str, ...]]
    """Kinds of decision, in the order in which the engine takes their functions."""
    defaults: ClassVar[dict[str, str]]
    """Who answers a kind of decision that an agent does not."""
    tables: ClassVar[dict[int, tuple[int, ...]]]
    """For each number of agents that may be named, whose seat is whose."""
    rules_version: ClassVar[int]
    """Rises when results can change, never for speed."""

    def __init__(self, name: str, rules: Any) -> None:
        self.name = name
        self.rules: Any = rules

    def __repr__(self) -> str:
        return f"trickbench.game({self.name!r}, {', '.join(f'{key}={value!r}' for key, value in self.changes().items())})"

    def changes(self) -> dict[str, Any]:
        """Return the options that differ from the profile's."""
        profile = self.profile(self.name).as_dict()
        return {key: value for key, value in self.rules.as_dict().items() if value != profile[key]}

    def described(self) -> str:
        """Return name and changed options, as titles and tables show them."""
        changes = ", ".join(f"{key}={'none' if value is None else value}" for key, value in self.changes().items())
        return f"{self.name} ({changes})" if changes else self.name

    @classmethod
    @abstractmethod
    def profile(cls, name: str) -> Options:
        """Return the rules that a name stands for."""

    @classmethod
    @abstractmethod
    def face(cls) -> Face:
        """Return the engine's parts (compiles or loads them)."""

    def cards_in_play(self, hand: str | Iterable[str], trick: str | Iterable[str]) -> tuple[int, list[int]]:
        """Return a hand as a set, and the cards in a trick, from text.

        Raises
        ------
        UsageError
            For cards that do not exist, a card in two places, or too many cards.
        """
        held, played = self.pack.set(hand), self.pack.cards(trick)
        cards = held.bit_count()
        if not 1 <= cards <= self.hand_size:
            raise UsageError(f"a hand of {self.name} has 1 to {self.hand_size} cards, this one has {cards}")
        if len(played) >= self.players:
            raise UsageError(f"a trick that somebody still has to play to has at most {self.players - 1} cards, this one has {len(played)}")
        for card in played:
            if held >> card & 1:
                raise UsageError(f"card '{self.pack.card_text(card)}' is in the hand and in the trick")
        return held, played

    @staticmethod
    def deal_key(seed: int, index: int) -> tuple[int, int]:
        """Return seed (as a signed number of 64 bits) and index as the engine takes them.

        Raises
        ------
        UsageError
            If they are out of range.
        """
        key = seed_number(seed)
        return key - (1 << 64) if key >= 1 << 63 else key, deal_number("index", index)

    def dealt_sets(self, deal: Callable[..., None], seed: int, index: int, number: int) -> tuple[list[int], int]:
        """Return what a game's ``deal`` loop deals to each of four rows, as sets, and the dealer.

        Raises
        ------
        UsageError
            If seed, index or number are out of range.
        """
        from trickbench.engine import aligned

        key, place = self.deal_key(seed, index)
        number = whole_in("number", number, 0, MOST_IN_GAME + 1, f"a whole number from 0 to {MOST_IN_GAME} would be right")
        face = self.face()
        block = aligned(face.at.SIZE, face.dtype)
        block[face.at.COUNTER], block[face.at.COUNTER + LANES] = counter(place, number)
        deal(block, key)
        held = [int(block[face.at.DEALT + row * LANES]) for row in range(4)]
        return held, (first_dealer(seed, self.players) + place + number) % self.players

    @abstractmethod
    def ends(self) -> Ends:
        """Return what ends a game and a match."""

    @abstractmethod
    def rule_values(self) -> NDArray[np.int64]:
        """Return the options as the array that kernels read."""

    @abstractmethod
    def deal(self, seed: int, index: int, number: int = 0) -> Deal:
        """Return the deal that a run with ``seed`` plays at ``index``; in whole games, as deal ``number`` of the game at ``index``."""

    @abstractmethod
    def outcomes(self, counts: NDArray[np.int64]) -> pd.DataFrame:
        """Return counted outcomes as a table: what happened, its scores, and ``count`` deals."""

    @abstractmethod
    def deals(self, codes: NDArray[Any], first: int) -> pd.DataFrame:
        """Return the table of deals from their codes."""

    @abstractmethod
    def deal_scores(self, codes: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Return the dealer of each deal, and the scores [deals, sides], from the deals' codes."""

    @abstractmethod
    def deals_of_game(self, codes: NDArray[Any], ends: Sequence[int]) -> pd.DataFrame:
        """Return the table of the deals of a game or match, in order; ``ends`` are the numbers of the deals that end a game."""

    @abstractmethod
    def kind_of(self, decision: int) -> str:
        """Return the kind of a decision number."""

    @abstractmethod
    def who(self, decision: int) -> str:
        """Return the name of a decision number, for messages."""

    @abstractmethod
    def choice_text(self, decision: int, choices: int) -> str:
        """Return a set of choices of a decision as text."""
