"""Rollouts: many partly played positions, finished by a policy, their scores summed by group.

A Monte Carlo player deals the hidden cards many times, tries each of its cards in each of these worlds, and lets a quick policy play on:
all positions of a decision are at the same card of the same trick, so they advance in lockstep, in the lanes of the same engine. The
compiled ``rollout`` of a game (``games/<game>/rollout.py``) can be called from compiled code; :class:`Rollouts` calls it from Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.counts import seed_number, whole_in
from trickbench.engine import AGENTS, ERROR_SET, ERROR_SIZE, aligned
from trickbench.errors import AgentError, UsageError
from trickbench.games.game import Game
from trickbench.table import Table


class Rollouts:
    """A policy that finishes positions.

    Parameters
    ----------
    game : Game
    policy : str, Agent, function, or a sequence of these
        Who plays on, as :func:`trickbench.simulate` takes agents; only their card play counts. Compiled agents only.
    seed : int
        Random words of the policy; the word of a position depends on this, its place in the batch, the trick and the seat.

    Raises
    ------
    UsageError
        For a policy that cannot be, or that is called from Python.
    """

    def __init__(self, game: Game, policy: Sequence[Any] | Any, seed: int = 0) -> None:
        self.game, self.table = game, Table(game, policy)
        if not self.table.compiled:
            raise UsageError("a policy for rollouts has to be compiled; mark its functions with @trickbench.kernel")
        self.of_game = import_module(f"trickbench.games.{game.family}.rollout")
        face = game.face()
        self.lanes = aligned(face.at.SIZE, face.dtype)
        self.run = self.table.run_numbers(seed_number(seed), False)
        self.data, self.bounds = self.table.memory()
        self.functions = self.table.functions()[:AGENTS]

    @property
    def columns(self) -> int:
        """Numbers in a position."""
        return int(self.of_game.COLUMNS)

    def finish(self, positions: NDArray[np.int64], trick: int, place: int, groups: Any = None) -> pd.DataFrame:
        """Play positions to the end of the deal and return sums, a row a group.

        Parameters
        ----------
        positions : int64[columns, n]
            A position a column, in the rows that the game's ``rollout`` module names.
        trick, place : int
            Where all of them stand: the trick, from 0, and how many cards lie in it.
        groups : int64[n], optional
            The group of each position, from 0: the card that is tried, say. By default all are one group.

        Returns
        -------
        DataFrame
            Manille: ``count, score_0, score_1, points_0, tricks_0``; Manchego: ``count``, and by seat ``score, tricks, made`` (bids). Sums of
            integers, the same for any order of the positions if the policy uses no random words.

        Raises
        ------
        UsageError
            For positions of another shape, or numbers out of range.
        AgentError
            If the policy chooses an illegal card.
        """
        tricks, seats = self.game.hand_size, self.game.players
        trick = whole_in("trick", trick, 0, tricks, f"a whole number from 0 to {tricks - 1} would be right")
        place = whole_in("place", place, 0, seats, f"a whole number from 0 to {seats - 1} would be right")
        table = np.ascontiguousarray(positions, np.int64)
        if table.ndim != 2 or len(table) != self.columns:
            raise UsageError(f"positions cannot be of shape {table.shape}; ({self.columns}, n) would be right")
        numbers = np.zeros(table.shape[1], np.int64) if groups is None else np.ascontiguousarray(groups, np.int64)
        if numbers.shape != (table.shape[1],) or (len(numbers) and numbers.min() < 0):
            raise UsageError(f"groups cannot be these; {table.shape[1]} whole numbers from 0 on would be right")
        sums = np.zeros((int(numbers.max(initial=0)) + 1, len(self.of_game.SUMS)), np.int64)
        error = np.zeros(ERROR_SIZE, np.int64)
        rules = self.game.rule_values()
        self.of_game.rollout(
            self.lanes, rules, self.run, table, numbers, trick, place, self.data, self.bounds, error, sums, *self.functions
        )  # fmt: skip
        if error[ERROR_SET]:
            raise AgentError(f"the policy '{self.table.named[0].text}' chose an illegal card in a rollout from trick {trick}")
        return pd.DataFrame(sums, columns=list(self.of_game.SUMS))
