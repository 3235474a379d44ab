"""From counted cells to tables: what happened in how many deals, and its scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numba import types, void
from numpy.typing import NDArray

from trickbench.cards import CALLS
from trickbench.games.manille.dealing import NUMBERS, unpack
from trickbench.games.manille.ending import CELLS, FORFEITED, SHAPE
from trickbench.games.manille.options import ManilleRules, as_array
from trickbench.games.manille.scoring import HALF, PACK_POINTS, TRICKS, factor, is_capot, next_carry, score
from trickbench.jit import compiled


@compiled(void(types.int64[:, ::1], NUMBERS, NUMBERS, types.int64[:, ::1]))
def score_outcomes(outcomes: Any, R: Any, carries: Any, scores: Any) -> None:
    """Fill score_0, score_1, capot and factor for rows of points, tricks, no-trump, blind, doubles of side 0, and the factors carried to them."""
    rules = unpack(R)
    for k in range(outcomes.shape[0]):
        carry = carries[k]
        points, tricks, no_trump, blind, doubles = outcomes[k, 0], outcomes[k, 1], outcomes[k, 2], outcomes[k, 3], outcomes[k, 4]
        scores[k, 0] = score(points, tricks, no_trump, blind, doubles, carry, rules)
        scores[k, 1] = score(PACK_POINTS - points, TRICKS - tricks, no_trump, blind, doubles, carry, rules)
        capot = is_capot(points, tricks, rules) if points > HALF else is_capot(PACK_POINTS - points, TRICKS - tricks, rules)
        scores[k, 2] = capot
        scores[k, 3] = factor(no_trump, blind, doubles, capot, carry, rules)


def outcome_table(cells: NDArray[np.int64], rules: NDArray[np.int64], penalty: int, carries: NDArray[np.int64] | None = None) -> pd.DataFrame:
    """Return one row a cell: who dealt and called what, points, tricks and scores of both sides.

    Points and tricks are missing for a deal that was forfeited. ``carries`` holds the factors that ties carried to the deals; by default none.
    """
    points, tricks, dealer, faced, blind, call, doubles = np.unravel_index(cells, SHAPE)
    forfeited = points == FORFEITED
    played = np.where(forfeited, 0, points)
    won = np.where(forfeited, 0, tricks)
    known = np.ascontiguousarray(np.stack([played, won, call == 4, blind, doubles], axis=1).astype(np.int64))
    scores = np.zeros((len(cells), 4), np.int64)
    score_outcomes(known, rules, np.ones(len(cells), np.int64) if carries is None else carries, scores)
    side = tricks % 2
    score_0 = np.where(forfeited, side * penalty, scores[:, 0])
    score_1 = np.where(forfeited, (1 - side) * penalty, scores[:, 1])
    return pd.DataFrame(
        {
            "dealer": dealer.astype(np.int8),
            "caller": ((dealer + 2 * faced) % 4).astype(np.int8),
            "en_face": faced.astype(bool),
            "blind": blind.astype(bool),
            "call": pd.Categorical.from_codes(call, pd.Index(CALLS)),
            "doubled": doubles > 0,
            "redoubled": doubles > 1,
            "factor": np.where(forfeited, 1, scores[:, 3]).astype(np.int16),
            "points_0": _missing(played, forfeited),
            "tricks_0": _missing(won, forfeited),
            "score_0": score_0.astype(np.int16),
            "points_1": _missing(PACK_POINTS - played, forfeited),
            "tricks_1": _missing(TRICKS - won, forfeited),
            "score_1": score_1.astype(np.int16),
            "net_0": (score_0 - score_1).astype(np.int16),
            "winner": np.select([score_0 > score_1, score_1 > score_0], [0, 1], -1).astype(np.int8),
            "capot": ~forfeited & (scores[:, 2] == 1),
            "forfeit": np.where(forfeited, tricks, -1).astype(np.int8),
        }
    )


def _missing(values: NDArray[Any], where: NDArray[np.bool_]) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(values.astype(np.int8), where.copy())


def counted(counts: NDArray[np.int64], rules: NDArray[np.int64], penalty: int) -> pd.DataFrame:
    """Return the outcomes that occurred, with their ``count``."""
    cells = np.flatnonzero(counts)
    table = outcome_table(cells, rules, penalty)
    table["count"] = counts[cells]
    return table


def deal_table(codes: NDArray[np.uint32], first: int, rules: NDArray[np.int64], penalty: int) -> pd.DataFrame:
    """Return one row a deal, in deal order."""
    cells = np.flatnonzero(np.bincount(codes, minlength=CELLS))
    place = np.zeros(CELLS, np.int64)
    place[cells] = np.arange(len(cells))
    table = outcome_table(cells, rules, penalty).take(place[codes]).reset_index(drop=True)
    table.insert(0, "deal", np.arange(first, first + len(codes), dtype=np.int64))
    return table


def deal_scores(codes: NDArray[np.uint32], rules: NDArray[np.int64], penalty: int) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """Return the dealer of each deal, and the scores [deals, 2] of the sides: what :func:`deal_table` has, without the rest."""
    dealers, scores = _every_cell(tuple(rules.tolist()), penalty)
    return dealers[codes], scores[codes]


@lru_cache(16)
def _every_cell(rules: tuple[int, ...], penalty: int) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """Return dealer and scores of every cell."""
    # Made once for a game: a table of the cells that occur took 5 ms a chunk, more than playing a small one.
    outcomes = outcome_table(np.arange(CELLS), np.array(rules, np.int64), penalty)
    return outcomes["dealer"].to_numpy(np.int8), outcomes[["score_0", "score_1"]].to_numpy(np.int16)


def game_table(codes: NDArray[np.uint32], ends: Sequence[int], rules: ManilleRules) -> pd.DataFrame:
    """Return one row a deal of a match, with the factor ``carry`` that ties carried to it; a tie carries nothing past the end of a game.

    Parameters
    ----------
    codes : uint32[deals]
        The cells of the deals in order.
    ends : sequence of int
        Numbers of the deals that end a game.
    rules : ManilleRules
    """
    points = np.unravel_index(codes.astype(np.int64), SHAPE)[0]
    carries, carry = np.ones(len(codes), np.int64), 1
    for number, count in enumerate(points.tolist()):
        carries[number] = carry
        carry = carry if count == FORFEITED else next_carry(count, carry, rules.values())
        carry = 1 if number in ends else carry
    table = outcome_table(codes.astype(np.int64), as_array(rules.values()), rules.renege_penalty, carries)
    table.insert(0, "deal", np.arange(len(codes), dtype=np.int64))
    return table.assign(carry=carries)
