"""Manille as people use it: cards as text in, answers out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.bits import members
from trickbench.cards import CALLS, MANILLE, suit_number
from trickbench.counts import whole_in
from trickbench.errors import UsageError
from trickbench.games.game import Deal, Ends, Face, Game, deal_text
from trickbench.games.manille import layout as at
from trickbench.games.manille import rules as play
from trickbench.games.manille import scoring
from trickbench.games.manille.options import HAND_SIZE, RULE_COUNT, ManilleRules, as_array

ANSWERS = (*CALLS, "EN_FACE", "LOOK")
DECISIONS = {
    at.CALL_BLIND: "call before looking", at.CALL_DEALER: "call", at.CALL_PARTNER: "call after en face", at.DOUBLE_LEFT: "double",
    at.DOUBLE_RIGHT: "double", at.REDOUBLE_DEALER: "redouble", at.REDOUBLE_PARTNER: "redouble",
}  # fmt: skip


class Manille(Game):
    """Manille with the rules of a profile, perhaps changed."""

    family = "manille"
    players = 4
    sides = 2
    hand_size = HAND_SIZE
    pack = MANILLE
    kinds = ("play", "call", "double", "redouble")
    defaults: ClassVar = {"play": "random", "call": "longest", "double": "never", "redouble": "never"}
    tables: ClassVar = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 4: (0, 1, 2, 3)}
    rules_version = 1
    rules: ManilleRules

    @classmethod
    def profile(cls, name: str) -> ManilleRules:
        """Return the rules "manillen" or "manille" stands for."""
        return ManilleRules.manille() if name == "manille" else ManilleRules.manillen()

    def ends(self) -> Ends:
        """Return what ends a game and a match."""
        return Ends(self.rules.target or 0, self.rules.game_deals or 0, self.rules.best_of)

    def rule_values(self) -> NDArray[np.int64]:
        """Return the options as the array that kernels read."""
        return as_array(self.rules.values())

    @classmethod
    def face(cls) -> Face:
        """Return the engine's parts (compiles or loads them)."""
        return _face()

    def legal(self, hand: str | Iterable[str], trick: str | Iterable[str] = "", trump: str = "NT") -> list[str]:
        """Return the legal cards of a hand.

        Parameters
        ----------
        hand : str
            The cards held, as in "SK S9 D7 C8".
        trick : str
            The cards that lie in the trick, in order of play; the seat to play is the one after the last card.
        trump : str
            C, D, H, S or NT.

        Returns
        -------
        list of str
            Spades first, high to low.

        Raises
        ------
        UsageError
            For cards or a trump that do not exist, a card in two places, or too many cards.
        """
        held, played = self.cards_in_play(hand, trick)
        suit = play.trump_suit(suit_number(trump))
        led, best, winner = self._standing(played, suit)
        partner_winning = int(bool(played) and winner == len(played) - 2)
        return self.pack.listed(play.legal(held, led, suit, best, partner_winning, self.rules.values()))

    @staticmethod
    def _standing(played: list[int], trump: int) -> tuple[int, int, int]:
        """Return suit led, winning card and its place for cards in order of play."""
        led = best = winner = 0
        for place, card in enumerate(played):
            bit = 1 << card
            led = led or play.suit_of(bit)
            if place == 0 or play.beats(bit, best, led, trump):
                best, winner = bit, place
        return led, best, winner

    def score(
        self,
        points: int,
        tricks: int | None = None,
        no_trump: bool = False,
        blind: bool = False,
        doubled: bool = False,
        redoubled: bool = False,
        carry: int = 1,
    ) -> int:
        """Return the deal score of the side that took ``points`` card points in ``tricks`` tricks.

        Parameters
        ----------
        points : int
            0 to 60; 30 or fewer score 0.
        tricks : int, optional
            0 to 8; needed where it decides whether 60 points are a capot.
        no_trump, blind, doubled, redoubled : bool
            What was called; ``blind`` means no-trump, ``redoubled`` means doubled too.
        carry : int
            Factor carried by ties: 1, 2, 4, ...

        Raises
        ------
        UsageError
            For numbers that cannot be.
        """
        _in_range("points", points, scoring.PACK_POINTS)
        values = self.rules.values()
        if tricks is None:
            if points in (0, scoring.PACK_POINTS) and not values.capot_points and values.capot_factor > 1 and points:
                raise UsageError("60 points: the number of tricks decides whether this is a capot; give tricks")
            tricks = min(points, 7)
        _in_range("tricks", tricks, scoring.TRICKS)
        if (tricks == 0 and points > 0) or (tricks == scoring.TRICKS and points < scoring.PACK_POINTS):
            raise UsageError(f"{points} points cannot be taken in {tricks} tricks; 0 tricks are 0 points and 8 tricks are 60")
        if carry < 1 or carry & (carry - 1):
            raise UsageError(f"carry cannot be {carry}; it is a factor 1, 2, 4, ...")
        return int(scoring.score(points, tricks, int(no_trump or blind), int(blind), 2 if redoubled else int(doubled), carry, values))

    def deal(self, seed: int, index: int, number: int = 0) -> Deal:
        """Return the deal that a run with ``seed`` plays at ``index``; in whole games, as deal ``number`` of the game at ``index``."""
        from trickbench.games.manille.dealing import deal

        held, dealer = self.dealt_sets(deal, seed, index, number)
        hands = tuple(self.pack.text(cards) for cards in held)
        return Deal(hands, dealer, None, deal_text(hands, dealer, None))

    def deal_pack(self, cards: str | Iterable[str], dealer: int = 0) -> Deal:
        """Return the deal of a pack in a given order, dealt in the packets of the rules from dealer's left.

        Raises
        ------
        UsageError
            If the cards are not the 32 of the pack.
        """
        order = self.pack.cards(cards)
        if len(order) != self.pack.size:
            raise UsageError(f"a pack of Manille has {self.pack.size} cards, this one has {len(order)}")
        _in_range("dealer", dealer, self.players - 1)
        held = [0] * self.players
        for packet in self.rules.deal_packets:
            for turn in range(1, self.players + 1):
                seat = (dealer + turn) % self.players
                held[seat] |= sum(1 << card for card in order[:packet])
                order = order[packet:]
        hands = tuple(self.pack.text(cards) for cards in held)
        return Deal(hands, dealer, None, deal_text(hands, dealer, None))

    def outcomes(self, counts: NDArray[np.int64]) -> pd.DataFrame:
        """Return counted outcomes as a table."""
        from trickbench.games.manille.outcomes import counted

        return counted(counts, self.rule_values(), self.rules.renege_penalty)

    def deals(self, codes: NDArray[Any], first: int) -> pd.DataFrame:
        """Return the table of deals from their codes."""
        from trickbench.games.manille.outcomes import deal_table

        return deal_table(codes, first, self.rule_values(), self.rules.renege_penalty)

    def deal_scores(self, codes: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Return dealers and scores of deals from their codes."""
        from trickbench.games.manille.outcomes import deal_scores

        return deal_scores(codes, self.rule_values(), self.rules.renege_penalty)

    def deals_of_game(self, codes: NDArray[Any], ends: Sequence[int]) -> pd.DataFrame:
        """Return the table of the deals of a game or match, with the factors that ties carried."""
        from trickbench.games.manille.outcomes import game_table

        return game_table(codes, ends, self.rules)

    def kind_of(self, decision: int) -> str:
        """Return the kind of a decision number."""
        if decision >= at.PLAY:
            return "play"
        return "call" if decision <= at.CALL_BLIND else "double" if decision <= at.DOUBLE_RIGHT else "redouble"

    def who(self, decision: int) -> str:
        """Return the name of a decision number."""
        return DECISIONS.get(decision, f"card to trick {decision - at.PLAY}")

    def choice_text(self, decision: int, choices: int) -> str:
        """Return a set of choices of a decision as text."""
        if decision >= at.PLAY:
            return self.pack.text(choices)
        names = ANSWERS if decision <= at.CALL_BLIND else ("no", "yes")
        return " ".join(names[number] for number in members(choices) if number < len(names))


def _in_range(name: str, value: int, most: int) -> None:
    whole_in(name, value, 0, most + 1, f"a whole number from 0 to {most} would be right")


@cache
def _face() -> Face:
    from trickbench.games.manille import dealing, drive, ending, face

    return Face(
        at, at.View, face.view_of, face.header_of, dealing.unpack, RULE_COUNT, drive.loops.blocks, drive.loops.choose, np.uint32, drive.drive,
        drive.drive_compiled, ending.CELLS, at.PLAYERS + at.CARDS,
    )  # fmt: skip


