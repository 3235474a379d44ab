"""What to bid with a hand of Manchego: every bid tried in many worlds, in threads.

Worlds are worked on in pieces that are decisions of their own, so the sums are the same for any number of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from trickbench.bits import members
from trickbench.counts import seed_number, whole_in, worker_count
from trickbench.crew import in_order
from trickbench.engine import AGENTS, ERROR_SIZE, aligned
from trickbench.errors import AgentError, UsageError
from trickbench.games.game import Game
from trickbench.games.manchego import bid_layout as rows
from trickbench.games.manchego import layout as at
from trickbench.games.manchego import rules as play
from trickbench.table import Table

PIECE = 1024
"""Worlds in a piece."""
MOST_WORLDS = 1 << 24
BIDDERS = "either"
"""Who the others are reckoned to bid like: that of the agents ``mode``, ``utility`` and ``aware``."""


class BidRoller:
    """Lanes, memory and functions of one thread.

    Parameters
    ----------
    game : Game
        Manchego with any rules.
    players, bidders : str, Agent, function, or a sequence of three
        Who plays the cards and who bids, by place in the bidding; compiled ones.
    seed : int

    Raises
    ------
    UsageError
        For another game, or agents that are called from Python.
    """

    def __init__(self, game: Game, players: Any = "heuristic", bidders: Any = BIDDERS, seed: int = 0) -> None:
        if game.family != "manchego":
            raise UsageError(f"{game.name} has no bids of tricks; manchego would be right")
        from trickbench.games.manchego import bid_rollout

        self.rollout = bid_rollout.bid_rollout
        self.game = game
        self.players, self.bidders = Table(game, players), Table(game, bidders)
        for table, kind, what in ((self.players, 0, "players"), (self.bidders, 1, "bidders")):
            if any(bound.tier not in ("kernel", "lanes") for bound in table.bounds_of_kind[kind][0]):
                raise UsageError(f"{what} of rollouts have to be compiled; mark their functions with @trickbench.kernel")
        self.lanes, self.error = aligned(at.SIZE, np.uint64), np.zeros(ERROR_SIZE, np.int64)
        self.play = (self.players.run_numbers(seed, False), *self.players.memory())
        self.bid = (self.bidders.run_numbers(seed, False), *self.bidders.memory())
        self.functions = [self.players.compiled_function(bound) for bound in _four(self.players, 0)]
        self.functions += [self.bidders.compiled_function(bound) for bound in _four(self.bidders, 1)]

    def roll(self, decisions: NDArray[np.int64], position: int, worlds: int, known: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Try all bids of many decisions.

        Parameters
        ----------
        decisions : int64[COLUMNS, n]
            In the rows of :mod:`trickbench.games.manchego.bid_layout`; each has a key of its own.
        position : int
            0 is the first to bid, 2 the dealer.
        worlds : int
            A decision.
        known : bool
            The bids made before stand, and are evidence of the hands; else the earlier seats bid in each world as they would there.

        Returns
        -------
        sums : int64[n, 18, SUM_COUNT]
            Score, its square, and how often 0 to 17 tricks were won, by bid.
        found : int64[n, 2]
            Where bids are evidence: the sum of the weights of the worlds dealt, and of their squares.

        Raises
        ------
        AgentError
            If a policy makes an illegal choice.
        """
        n = decisions.shape[1]
        bids = np.tile(np.arange(rows.BID_COUNT), (n, 1))
        sums, found = np.zeros((n, rows.BID_COUNT, rows.SUM_COUNT), np.int64), np.zeros((n, 2), np.int64)
        notes = np.zeros(rows.notes_size(worlds, 1), np.int64)
        bad = self.rollout(
            self.lanes, self.game.rule_values(), notes, np.ascontiguousarray(decisions, np.int64), bids, position, worlds, 1, int(known),
            rows.UTILITY, *self.play, *self.bid, self.error, sums, found, *self.functions,
        )  # fmt: skip
        if bad:
            raise AgentError(f"agents {self.players.names} and bidders {self.bidders.names}: an illegal choice in a rollout of bids")
        return sums, found


def _four(table: Table, kind: int) -> list[Any]:
    bounds = table.bounds_of_kind[kind][0]
    return bounds + [bounds[0]] * (AGENTS - len(bounds))


def roll_bids(
    game: Game,
    hand: str,
    turned: str,
    position: int,
    bids: Sequence[int] = (),
    players: Any = "heuristic",
    bidders: Any = BIDDERS,
    worlds: Any = 1024,
    seed: Any = 0,
    workers: int | None = None,
) -> pd.DataFrame:
    """Return what every legal bid is worth with a hand.

    Parameters
    ----------
    game : Game
        Manchego with any rules.
    hand, turned : str
        17 cards, and the card that is turned, as in "SA SK ..." and "H9".
    position : int
        0 is the first to bid, 1 the second, 2 the dealer.
    bids : sequence of int
        The bids made before, in order; without them the others bid in each world as ``bidders`` would.
    players, bidders : str, Agent, function, or a sequence of three
        Who plays the cards and who bids, by place in the bidding; only compiled ones.
    worlds : int
        How often the hidden hands are dealt; every bid is tried in each.
    seed, workers
        As :func:`trickbench.simulate` takes them.

    Returns
    -------
    DataFrame
        A row a bid: ``bid``, ``count`` (worlds), ``exact`` (how often it was hit), ``sum_distance``, ``sum_score``, ``sum_squares`` (of the score),
        and ``tricks_0`` to ``tricks_17``, how often so many were won. Where bids are evidence, ``attrs["effective"]`` is how many equally likely
        worlds those that were drawn from are worth.

    Raises
    ------
    UsageError
        For cards, bids or numbers that cannot be.
    AgentError
        If a policy makes an illegal choice.
    """
    decision = decision_of(game, hand, turned, position, bids)
    number = whole_in("worlds", worlds, 1, MOST_WORLDS + 1, f"a whole number from 1 to {MOST_WORLDS:,} would be right")
    sizes = [min(PIECE, number - first) for first in range(0, number, PIECE)]
    crew = [BidRoller(game, players, bidders, seed_number(seed)) for _ in range(min(worker_count(workers), len(sizes)))]

    def work(roller: BidRoller, piece: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        own = decision.copy()
        own[rows.KEY] = piece
        return roller.roll(own[:, None], position, sizes[piece], bool(bids))

    with closing(in_order(crew, range(len(sizes)), work, len(crew) + 1, threading.Event(), tqdm(disable=True), lambda: 0)) as parts:
        pieces = list(parts)
    table = _tabled(sum(sums[0] for sums, _ in pieces), int(decision[rows.LEGAL]))
    if bids:
        table.attrs["effective"] = sum(float(weight) ** 2 / float(squares) for _, found in pieces for weight, squares in found if squares)
    return table


def decision_of(game: Game, hand: str, turned: str, position: int, bids: Sequence[int] = ()) -> NDArray[np.int64]:
    """Return a decision to bid as :meth:`BidRoller.roll` takes it, with key 0.

    Raises
    ------
    UsageError
        For cards, a position or bids that cannot be.
    """
    place = whole_in("position", position, 0, at.PLAYERS, "0 (first to bid), 1 or 2 (the dealer) would be right")
    held, card = game.pack.set(hand), game.pack.set(turned)
    if held.bit_count() != at.TRICKS:
        raise UsageError(f"a hand has {at.TRICKS} cards, this one has {held.bit_count()}")
    if card.bit_count() != 1 or card & held:
        raise UsageError(f"the turned card cannot be '{turned}'; one card that is not in the hand would be right")
    made = [whole_in("bid", bid, 0, rows.BID_COUNT, f"a whole number from 0 to {at.TRICKS} would be right") for bid in bids]
    if len(made) not in (0, place):
        raise UsageError(f"{len(made)} bids were made before position {place}; {place or 'none'} would be right")
    legal = play.legal_bids(sum(made), int(place == 2), game.rules.values()) if len(made) == place else play.ALL_BIDS
    padded = made + [at.NO_BID] * (2 - len(made))
    return np.array([held, card, 0, legal, *padded, 0, 0, 0], np.int64)


def _tabled(sums: NDArray[np.int64], legal: int) -> pd.DataFrame:
    """Return the sums of the legal bids of a decision as a table."""
    bids = np.array(members(legal))
    tricks = sums[bids, rows.TRICKS :]
    table = {
        "bid": bids,
        "count": tricks.sum(axis=1),
        "exact": tricks[np.arange(len(bids)), bids],
        "sum_distance": (tricks * np.abs(np.arange(rows.BID_COUNT) - bids[:, None])).sum(axis=1),
        "sum_score": sums[bids, rows.SCORE],
        "sum_squares": sums[bids, rows.SQUARES],
        **{f"tricks_{won}": tricks[:, won] for won in range(rows.BID_COUNT)},
    }
    return pd.DataFrame(table)
