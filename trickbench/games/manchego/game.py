"""Manchego as people use it: cards as text in, answers out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.bits import members
from trickbench.cards import FRENCH
from trickbench.errors import UsageError
from trickbench.games.game import Deal, Ends, Face, Game, deal_text
from trickbench.games.manchego import layout as at
from trickbench.games.manchego import rules as play
from trickbench.games.manchego import scoring
from trickbench.games.manchego.options import RULE_COUNT, ManchegoRules, as_array


class Manchego(Game):
    """Manchego with its rules, perhaps changed."""

    family = "manchego"
    players = 3
    sides = 3
    hand_size = at.TRICKS
    pack = FRENCH
    kinds = ("play", "bid")
    defaults: ClassVar = {"play": "random", "bid": "expected-tricks"}
    tables: ClassVar = {1: (0, 0, 0), 3: (0, 1, 2)}
    rules_version = 1
    rules: ManchegoRules

    @classmethod
    def profile(cls, name: str) -> ManchegoRules:
        """Return the rules of the game."""
        return ManchegoRules.manchego()

    def ends(self) -> Ends:
        """Return what ends a game: so many deals, so many as the time allows, or a target; whichever comes first."""
        return Ends(self.rules.target or 0, self.rules.deals_in_game() or 0, 1)

    def rule_values(self) -> NDArray[np.int64]:
        """Return the options as the array that kernels read."""
        return as_array(self.rules.values())

    @classmethod
    def face(cls) -> Face:
        """Return the engine's parts (compiles or loads them)."""
        return _face()

    def legal(self, hand: str | Iterable[str], trick: str | Iterable[str] = "", trump: str | None = None) -> list[str]:
        """Return the legal cards of a hand; trump does not matter for what may be played.

        Parameters
        ----------
        hand : str
            The cards held, as in "SK S9 D7 C8".
        trick : str
            The cards that lie in the trick, in order of play.
        trump : str, optional
            Accepted for the sake of one form for all games: C, D, H or S.

        Raises
        ------
        UsageError
            For cards or a trump that do not exist, a card in two places, or too many cards.
        """
        held, played = self.cards_in_play(hand, trick)
        if trump is not None and trump.upper() not in ("C", "D", "H", "S", "♣", "♦", "♥", "♠"):
            raise UsageError(f"unknown trump '{trump}'; in Manchego one of C D H S would be right")
        return self.pack.listed(play.legal(held, play.suit_of(1 << played[0]) if played else 0))

    def score(self, bids: str | Sequence[int], won: str | Sequence[int]) -> list[int]:
        """Return the scores of the three players from their bids and the tricks they won.

        Parameters
        ----------
        bids, won : sequence of three int, or text like "7,5,9"
            Bids from 0 to 17; tricks that sum to 17.

        Raises
        ------
        UsageError
            For numbers that cannot be.
        """
        called, taken = _three("bids", bids), _three("won", won)
        if sum(taken) != at.TRICKS:
            raise UsageError(f"won {taken[0]},{taken[1]},{taken[2]} sums to {sum(taken)}; the tricks of a deal sum to {at.TRICKS}")
        d = [scoring.distance(bid, tricks) for bid, tricks in zip(called, taken, strict=True)]
        values = self.rules.values()
        return [int(scoring.score(d[seat], d[(seat + 1) % 3], d[(seat + 2) % 3], values)) for seat in range(3)]

    def deal(self, seed: int, index: int, number: int = 0) -> Deal:
        """Return the deal that a run with ``seed`` plays at ``index``; in whole games, as deal ``number`` of the game at ``index``."""
        from trickbench.games.manchego.dealing import deal

        held, dealer = self.dealt_sets(deal, seed, index, number)
        *hands, turned = (self.pack.text(cards) for cards in held)
        return Deal(tuple(hands), dealer, turned, deal_text(hands, dealer, turned))

    def outcomes(self, counts: NDArray[np.int64]) -> pd.DataFrame:
        """Return counted outcomes of seats as a table."""
        from trickbench.games.manchego.outcomes import counted

        return counted(counts)

    def deals(self, codes: NDArray[Any], first: int) -> pd.DataFrame:
        """Return the table of deals from their codes."""
        from trickbench.games.manchego.outcomes import deal_table

        return deal_table(codes, first, self.rule_values())

    def deal_scores(self, codes: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Return dealers and scores of deals from their codes."""
        from trickbench.games.manchego.outcomes import deal_scores

        return deal_scores(codes, self.rule_values())

    def deals_of_game(self, codes: NDArray[Any], ends: Sequence[int]) -> pd.DataFrame:
        """Return the table of the deals of a game; nothing passes from deal to deal but the scores."""
        return self.deals(codes, 0)

    def kind_of(self, decision: int) -> str:
        """Return the kind of a decision number."""
        return "bid" if decision == at.BID else "play"

    def who(self, decision: int) -> str:
        """Return the name of a decision number."""
        return "bid" if decision == at.BID else f"card to trick {decision - at.PLAY}"

    def choice_text(self, decision: int, choices: int) -> str:
        """Return a set of choices of a decision as text."""
        return " ".join(map(str, members(choices))) if decision == at.BID else self.pack.text(choices)


def _three(name: str, values: str | Sequence[int]) -> list[int]:
    parts = values.replace(",", " ").split() if isinstance(values, str) else list(values)
    try:
        numbers = [int(str(part)) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) != 3 or min(numbers) < 0 or max(numbers) > at.TRICKS:
        raise UsageError(f"{name} cannot be '{values}'; three whole numbers from 0 to {at.TRICKS} would be right, as in 7,5,9")
    return numbers


@cache
def _face() -> Face:
    from trickbench.games.manchego import dealing, drive, ending, face

    return Face(
        at, at.View, face.view_of, face.header_of, dealing.unpack, RULE_COUNT, drive.loops.blocks, drive.loops.choose, np.uint64, drive.drive,
        drive.drive_compiled, ending.CELLS, at.PLAYERS + at.CARDS,
    )  # fmt: skip
