"""Positions for rollouts, from recorded deals: how a deal stood before a certain card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.cards import CALLS
from trickbench.counts import whole_in
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.games.telling import cards_of, winning_place


def positions_of(run: Any, trick: int, place: int) -> NDArray[np.int64]:
    """Return the positions of a run's deals before the card at a place of a trick.

    Parameters
    ----------
    run : Run
        With ``record="plays"``.
    trick, place : int
        From 0: before the first card of a trick ``place`` is 0.

    Returns
    -------
    int64[columns, deals]
        As :meth:`trickbench.rollouts.Rollouts.finish` takes them.

    Raises
    ------
    UsageError
        If the run kept no cards, or for numbers out of range.
    """
    if run.record != "plays":
        raise UsageError("this run kept no cards; run it again with record='plays'")
    game: Game = run.game
    trick = whole_in("trick", trick, 0, game.hand_size, f"a whole number from 0 to {game.hand_size - 1} would be right")
    place = whole_in("place", place, 0, game.players, f"a whole number from 0 to {game.players - 1} would be right")
    column = _manille if game.family == "manille" else _manchego
    rows = run.deals.to_dict("records")
    return np.array([column(game, row, trick, place) for row in rows], np.int64).T.copy()


class Standing:
    """A deal, card by card."""

    def __init__(self, game: Game, row: Mapping[str, Any]) -> None:
        self.hands = [int(row[f"hand_{seat}"]) for seat in range(game.players)]
        self.leader = int(row["leader"])
        self.table: list[int] = []
        self.excluded = [0] * game.players
        self.won = [0] * game.sides
        self.points = [0] * game.sides
        self.game = game

    def play(self, card: int, trump: int, rules: Any) -> None:
        """Put a card on the table; a whole trick goes to its winner."""
        seats = self.game.players
        seat = (self.leader + len(self.table)) % seats
        if self.table:
            best = winning_place(self.table, trump, rules.suit_of)
            self.excluded[seat] |= self._excludes(card, trump, best, rules)
        self.hands[seat] ^= card
        self.table.append(card)
        if len(self.table) == seats:
            self.leader = (self.leader + winning_place(self.table, trump, rules.suit_of)) % seats
            self.won[self.leader % self.game.sides] += 1
            self.points[self.leader % self.game.sides] += rules.points(sum(self.table)) if hasattr(rules, "points") else 0
            self.table = []

    def _excludes(self, card: int, trump: int, best: int, rules: Any) -> int:
        led = rules.suit_of(self.table[0])
        if self.game.family == "manchego":
            return int(rules.excluded(card, led))
        partner = int(len(self.table) >= 2 and best == len(self.table) - 2)
        return int(rules.excluded(card, led, trump, self.table[best], partner, self.game.rules.values()))

    def padded_table(self) -> list[int]:
        """Return the cards of the trick, zeros for those not played; the last to play has none there."""
        return self.table + [0] * (self.game.players - 1 - len(self.table))


def _manille(game: Game, row: Mapping[str, Any], trick: int, place: int) -> list[int]:
    from trickbench.games.manille import rules

    standing, call = Standing(game, row), CALLS.index(row["call"])
    for card in cards_of(row)[: 4 * trick + place]:
        standing.play(card, rules.trump_suit(call), rules)
    doubles = int(row["doubled"]) + int(row["redoubled"])
    told = [standing.leader, call, int(row["dealer"]), int(row["en_face"]), int(row["blind"]), doubles, 1]
    # The fourth place of the trick is there for the sake of one shape; a trick of four cards is over.
    return [*standing.hands, *standing.padded_table(), 0, *standing.excluded, *told, *standing.points, *standing.won, 0, 0]


def _manchego(game: Game, row: Mapping[str, Any], trick: int, place: int) -> list[int]:
    from trickbench.games.manchego import rules

    standing, turned = Standing(game, row), game.pack.set(str(row["turned"]))
    for card in cards_of(row)[: 3 * trick + place]:
        standing.play(card, rules.suit_of(turned), rules)
    bids = [int(row[f"bid_{seat}"]) for seat in range(3)]
    dealt = [standing.leader, int(row["dealer"]), turned]
    return [*standing.hands, *standing.padded_table(), 0, *standing.excluded, *dealt, *bids, *standing.won, 0, 0, 0]
