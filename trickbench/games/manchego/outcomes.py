"""From counted cells and codes to tables: what happened to each seat in how many deals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numba import types, void
from numpy.typing import NDArray

from trickbench.cards import FRENCH, SUITS
from trickbench.games.manchego.dealing import NUMBERS, unpack
from trickbench.games.manchego.ending import BID_SUMS, LOWEST_SCORE, SEAT_CELLS, SHAPE
from trickbench.games.manchego.layout import PLAYERS
from trickbench.games.manchego.scoring import score
from trickbench.jit import compiled


@compiled(void(types.int64[:, ::1], NUMBERS, types.int64[:, ::1]))
def score_distances(distances: Any, R: Any, scores: Any) -> None:
    """Fill the scores of three seats for rows of their distances."""
    rules = unpack(R)
    for k in range(distances.shape[0]):
        for seat in range(3):
            scores[k, seat] = score(distances[k, seat], distances[k, (seat + 1) % 3], distances[k, (seat + 2) % 3], rules)


def counted(counts: NDArray[np.int64]) -> pd.DataFrame:
    """Return the outcomes of seats that occurred, with their ``count``; each deal counts once for each seat."""
    cells = np.flatnonzero(counts[: PLAYERS * SEAT_CELLS])
    seat, place, bid, won, score = np.unravel_index(cells, SHAPE)
    return pd.DataFrame(
        {
            "seat": seat.astype(np.int8),
            "place": place.astype(np.int8),
            "bid": bid.astype(np.int8),
            "tricks": won.astype(np.int8),
            "distance": np.abs(bid - won).astype(np.int8),
            "score": (score + LOWEST_SCORE).astype(np.int8),
            "count": counts[cells],
        }
    )


def bid_sums(counts: NDArray[np.int64]) -> pd.DataFrame:
    """Return how many deals had each sum of the three bids, 0 to 51."""
    return pd.DataFrame({"bid_sum": np.arange(BID_SUMS), "count": counts[PLAYERS * SEAT_CELLS :]})


def bids_and_tricks(codes: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return the bids and the tricks won of each deal, [deals, 3] each, by seat."""
    shifts = np.arange(0, 15, 5, dtype=np.uint64)
    bids, won = ((codes[:, None] >> (np.uint64(first) + shifts)) & np.uint64(31) for first in (8, 23))
    return bids.astype(np.int8), won.astype(np.int8)


def deal_scores(codes: NDArray[np.uint64], rules: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """Return the dealer of each deal, and the scores [deals, 3] of the seats: what :func:`deal_table` has, without the rest."""
    bids, won = bids_and_tricks(codes)
    scores = np.zeros(bids.shape, np.int64)
    score_distances(np.ascontiguousarray(np.abs(bids - won), np.int64), rules, scores)
    return (codes & np.uint64(3)).astype(np.int8), scores.astype(np.int16)


def deal_table(codes: NDArray[np.uint64], first: int, rules: NDArray[np.int64]) -> pd.DataFrame:
    """Return one row a deal, in deal order."""
    bids, won = bids_and_tricks(codes)
    turned = ((codes >> np.uint64(2)) & np.uint64(63)).astype(np.int8)
    dealers, scores = deal_scores(codes, rules)
    table = {
        "deal": np.arange(first, first + len(codes), dtype=np.int64),
        "dealer": dealers,
        "trump": pd.Categorical.from_codes(turned // 13, pd.Index(list(SUITS))),
        "turned": pd.Categorical.from_codes(turned, pd.Index([FRENCH.card_text(card) for card in range(52)])),
        **{f"bid_{seat}": bids[:, seat] for seat in range(3)},
        **{f"tricks_{seat}": won[:, seat] for seat in range(3)},
        **{f"distance_{seat}": np.abs(bids[:, seat] - won[:, seat]) for seat in range(3)},
        **{f"score_{seat}": scores[:, seat].astype(np.int8) for seat in range(3)},
    }
    return pd.DataFrame(table)
