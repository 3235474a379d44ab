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


def deal_table(codes: NDArray[np.uint64], first: int, rules: NDArray[np.int64]) -> pd.DataFrame:
    """Return one row a deal, in deal order."""
    fields = {f"bid_{seat}": (8 + 5 * seat, 31) for seat in range(3)} | {f"tricks_{seat}": (23 + 5 * seat, 31) for seat in range(3)}
    values = {name: ((codes >> np.uint64(shift)) & np.uint64(mask)).astype(np.int8) for name, (shift, mask) in fields.items()}
    turned = ((codes >> np.uint64(2)) & np.uint64(63)).astype(np.int8)
    distances = np.stack([np.abs(values[f"bid_{seat}"] - values[f"tricks_{seat}"]) for seat in range(3)], axis=1).astype(np.int64)
    scores = np.zeros_like(distances)
    score_distances(distances, rules, scores)
    table = {
        "deal": np.arange(first, first + len(codes), dtype=np.int64),
        "dealer": (codes & np.uint64(3)).astype(np.int8),
        "trump": pd.Categorical.from_codes(turned // 13, pd.Index(list(SUITS))),
        "turned": pd.Categorical.from_codes(turned, pd.Index([FRENCH.card_text(card) for card in range(52)])),
        **values,
        **{f"distance_{seat}": distances[:, seat].astype(np.int8) for seat in range(3)},
        **{f"score_{seat}": scores[:, seat].astype(np.int8) for seat in range(3)},
    }
    return pd.DataFrame(table)
