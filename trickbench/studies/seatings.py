"""The seatings of a duel or a tournament, and what a deal says of two agents that played it in all of them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.chunks import play_tables
from trickbench.games.game import Game
from trickbench.games.rows import LANES
from trickbench.studies.study import add_up, count_rows
from trickbench.table import Table
from trickbench.worker import Chunk

DEAL, SEATING = 0, 1
"""What a row of a duel's table counts: deals in all seatings, or deals in one of them."""
DUEL = {"manille": ((0, 1), (1, 0)), "manchego": ((0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1))}
"""For each game the seatings of A (0) and B (1): who plays which side, or seat."""
ROWS = ["what", "seating", "dealer", "x", "wins", "ties"]


class Scale(NamedTuple):
    """What the integers of a duel's table are divided by to be points."""

    deal: int
    seating: int


def scale_of(game: Game) -> Scale:
    """Return the divisors.

    Manille: half the sum of A's net scores in the two seatings; one net score. Manchego: A and B sit nine times each in six seatings, and
    the difference is that of the mean scores; in one seating one of them sits twice, so half points occur.
    """
    return Scale(2, 1) if game.family == "manille" else Scale(9, 2)


def duel_tables(game: Game, first: Any, second: Any, on_illegal: str = "raise") -> list[Table]:
    """Return who sits where in every seating of two agents."""
    return [Table(game, [(first, second)[who] for who in seats], on_illegal) for seats in DUEL[game.family]]


def play_seatings(
    tables: Sequence[Table], seed: int, first: int, count: int, threads: int, bar: Any
) -> Generator[tuple[int, list[Chunk]], None, None]:
    """Yield (number of the first deal, one chunk a seating), deal after deal in order."""
    chunk = max(LANES, -(-count // (8 * threads)))
    with closing(play_tables(tables, seed, first, count, threads, "deals", chunk, bar, counted=False)) as parts:
        for chunks in parts:
            yield chunks[0].first, list(chunks)


class Seen(NamedTuple):
    """What each deal of some showed, in every seating; A's view."""

    dealers: NDArray[np.int8]
    x: NDArray[np.int64]
    """what A scored more than B, in units of the scale"""
    singles: NDArray[np.int64]
    """[deals, seatings]: the same of each seating, in units of its scale"""

    @property
    def wins(self) -> NDArray[np.int64]:
        """In how many seatings A scored more."""
        found: NDArray[np.int64] = (self.singles > 0).sum(axis=1)
        return found

    @property
    def ties(self) -> NDArray[np.int64]:
        """In how many seatings both scored the same."""
        found: NDArray[np.int64] = (self.singles == 0).sum(axis=1)
        return found


def see_duel(game: Game, chunks: Sequence[Chunk]) -> Seen:
    """Return what chunks of the same deals, one a seating of :data:`DUEL`, show of A against B."""
    found = [game.deal_scores(chunk.codes) for chunk in chunks]
    dealers, scores = found[0][0], [scores.astype(np.int64) for _, scores in found]
    seatings = DUEL[game.family]
    if game.family == "manille":
        nets = [side[:, 0] - side[:, 1] if seats[0] == 0 else side[:, 1] - side[:, 0] for seats, side in zip(seatings, scores, strict=True)]
        return Seen(dealers, nets[0] + nets[1], np.stack(nets, axis=1))
    singles, total = [], np.zeros(len(dealers), np.int64)
    for seats, seat_scores in zip(seatings, scores, strict=True):
        own = np.array(seats) == 0
        ours, theirs = seat_scores[:, own].sum(axis=1), seat_scores[:, ~own].sum(axis=1)
        total += ours - theirs
        singles.append(ours - 2 * theirs if own.sum() == 2 else 2 * ours - theirs)
    return Seen(dealers, total, np.stack(singles, axis=1))


def table_of(seen: Seen) -> pd.DataFrame:
    """Return how often each deal, and each deal of a seating, was seen; columns :data:`ROWS` and ``count``."""
    deals = count_rows({"dealer": seen.dealers, "x": seen.x, "wins": seen.wins, "ties": seen.ties}).assign(what=DEAL, seating=0)
    parts = [deals]
    for seating in range(seen.singles.shape[1]):
        counted = count_rows({"dealer": seen.dealers, "x": seen.singles[:, seating]})
        parts.append(counted.assign(what=SEATING, seating=seating, wins=0, ties=0))
    return add_up([part[[*ROWS, "count"]] for part in parts])


def head(seen: Seen, count: int) -> Seen:
    """Return the first deals of some."""
    return Seen(seen.dealers[:count], seen.x[:count], seen.singles[:count])
