"""Calling agents from Python: choose functions for the batch and plain tiers, over many blocks at once.

The engine's drive function runs as plain Python then, over a superblock; what it hands to a choose function is ignored, because
these work on the whole superblock and on their own lanes only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.errors import AgentError, TrickbenchError
from trickbench.games.game import Game
from trickbench.games.rows import LANES
from trickbench.registry import Bound
from trickbench.streams import index_of, number_of

Choose = Callable[[Any, Any, Any, Any], None]


class Stopped(TrickbenchError):
    """The run was asked to stop."""


class Superblock:
    """Many blocks in one array, and what an adapter needs to know to find its lanes and to report an error."""

    def __init__(self, game: Game, blocks: NDArray[Any], stop: threading.Event, in_games: bool = False) -> None:
        self.game = game
        self.in_games = in_games
        self.face = game.face()
        self.flat = blocks
        self.rows = blocks.reshape(-1, self.face.at.SIZE)
        self.stop = stop

    def mine(self) -> NDArray[np.int64]:
        """Return the flat offsets of the lanes asked."""
        start = self.face.at.MINE
        block, lane = np.nonzero(self.rows[:, start : start + LANES])
        offsets: NDArray[np.int64] = block * self.face.at.SIZE + lane
        return offsets

    def decision(self) -> int:
        """Return the number of the decision at hand."""
        return int(self.flat[self.face.at.HEADER])

    def where(self, offset: int, bound: Bound) -> str:
        """Return agent, decision, deal, seat and legal set, for a message."""
        decision = self.decision()
        at = self.face.at
        low, high = int(self.flat[at.COUNTER + offset]), int(self.flat[at.COUNTER + LANES + offset])
        seat, legal = int(self.flat[at.SEAT + offset]), int(self.flat[at.LEGAL + offset])
        return place_text(self.game, bound.text, decision, (index_of(low, high), number_of(high)), self.in_games, seat, legal)


def place_text(game: Game, agent: str, decision: int, deal: tuple[int, int], in_games: bool, seat: int, legal: int) -> str:
    """Return agent, decision, deal (its index, and its number within a game), seat and legal set, for a message."""
    where = f"game {deal[0]}, deal {deal[1]}" if in_games else f"deal {deal[0]}"
    return f"agent '{agent}' ({game.who(decision)}), {where}, seat {seat}, legal: {game.choice_text(decision, legal)}"


def compiled_chooser(superblock: Superblock, bound: Bound, function: Any, data: tuple[Any, Any, Any], size: int) -> Choose:
    """Return an adapter that calls a compiled choose function block by block."""

    def choose(_view: Any, _params: Any, _tables: Any, _scratch: Any) -> None:
        for number, block in enumerate(superblock.rows):
            try:
                function(block[:size], *data)
            except Exception as error:
                where = superblock.where(number * superblock.face.at.SIZE, bound)
                raise AgentError(f"{where}: it raised {type(error).__name__}: {error}") from error

    return choose


def plain_chooser(superblock: Superblock, bound: Bound, extra: tuple[Any, ...]) -> Choose:
    """Return an adapter that calls a Python function once for every lane asked."""
    face = superblock.face
    function = bound.function

    def choose(_view: Any, _params: Any, _tables: Any, _scratch: Any) -> None:
        offsets = superblock.mine()
        if len(offsets) == 0:
            return
        for offset, view in zip(offsets.tolist(), _views(superblock, offsets), strict=True):
            if superblock.stop.is_set():
                raise Stopped("stopped")
            try:
                answer = function(view, *extra)
            except Exception as error:
                where = superblock.where(offset, bound)
                raise AgentError(f"{where}: it raised {type(error).__name__}: {error}") from error
            superblock.flat[face.choice + offset] = _one(answer, superblock, offset, bound)

    return choose


def _views(superblock: Superblock, offsets: NDArray[np.int64]) -> list[Any]:
    """Return one view of Python integers for each lane."""
    view = _batch_view(superblock, offsets)
    return [superblock.face.view(*fields) for fields in zip(*(column.tolist() for column in view), strict=True)]


def _batch_view(superblock: Superblock, offsets: NDArray[np.int64]) -> Any:
    """Return the view of arrays, by the same function that builds it in compiled code."""
    face = superblock.face
    rules = superblock.game.rules.values()
    view = face.view_of(superblock.flat, offsets, face.header_of(superblock.flat, rules))
    return face.view(*(np.broadcast_to(np.asarray(column, np.int64), offsets.shape) for column in view))


def _one(answer: Any, superblock: Superblock, offset: int, bound: Bound) -> int:
    """Return a plain agent's answer if it is a whole number that fits a set of choices; 0 is reported as illegal later."""
    if isinstance(answer, (bool, np.bool_)) or not isinstance(answer, (int, np.integer)):
        where = superblock.where(offset, bound)
        raise AgentError(f"{where}: it returned {answer!r} ({type(answer).__name__}); one bit of view.legal, a whole number, would be right")
    return int(answer) if 0 <= answer < 1 << 32 or (superblock.flat.itemsize == 8 and 0 <= answer < 1 << 62) else 0


def batch_chooser(superblock: Superblock, bound: Bound, extra: tuple[Any, ...]) -> Choose:
    """Return an adapter that calls a Python function once for all lanes asked."""
    face = superblock.face
    function = bound.function

    def choose(_view: Any, _params: Any, _tables: Any, _scratch: Any) -> None:
        offsets = superblock.mine()
        if len(offsets) == 0:
            return
        if superblock.stop.is_set():
            raise Stopped("stopped")
        try:
            answers = np.asarray(function(_batch_view(superblock, offsets), *extra))
        except Exception as error:
            where = superblock.where(int(offsets[0]), bound)
            raise AgentError(f"{where} (the first of {len(offsets)} in the batch): it raised {type(error).__name__}: {error}") from error
        if answers.shape != offsets.shape or answers.dtype.kind not in "iu":
            raise AgentError(
                f"agent '{bound.text}' ({superblock.game.who(superblock.decision())}): it returned an array of {answers.dtype}, shape "
                f"{answers.shape}; whole numbers of shape {offsets.shape}, one bit of view.legal each, would be right"
            )
        fits = (answers >= 0) & (answers < 1 << (32 if superblock.flat.itemsize == 4 else 62))
        superblock.flat[face.choice + offsets] = np.where(fits, answers, 0).astype(superblock.flat.dtype)

    return choose
