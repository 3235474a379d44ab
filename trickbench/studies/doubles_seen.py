"""What deals of Manille say of doubling, as tables of integers that add up.

The same deals are played with nobody speaking, and with every doubler against every redoubler. Cards fall the same way unless a player looks at
the doubles, so what speaking is worth is seen deal by deal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.games.game import Game
from trickbench.games.manille.layout import NT_CALL
from trickbench.games.manille.scoring import HALF
from trickbench.studies.study import SUMS, count_rows
from trickbench.worker import Chunk

DOUBLED, DIFFERENCE, ANSWERED = 0, 1, 2
"""What rows count: deals with a doubler against a redoubler, and what doubling won; with two doublers against a redoubler, and what the first won
more; with a redoubler, and what redoubling won more than silence."""
BELOW, TIED, ABOVE = 0, 1, 2
"""The dealer's side has fewer than 30 points, 30, or more."""
ROWS = ["what", "one", "other", "no_trump", "doubled", "redoubled", "outcome"]
GAIN, SQUARES = f"{SUMS}gain", f"{SUMS}squares"


class Side(NamedTuple):
    """Deals as the dealer's side sees them."""

    net: NDArray[np.int64]
    no_trump: NDArray[np.int64]
    doubled: NDArray[np.int64]
    redoubled: NDArray[np.int64]
    outcome: NDArray[np.int64]
    """``BELOW``, ``TIED``, ``ABOVE``"""


def side_of(table: pd.DataFrame) -> Side:
    """Return a table of deals as the dealer's side sees them."""
    sign = np.where(table["dealer"].to_numpy(np.int64) % 2 == 0, 1, -1)
    margin = sign * (table["points_0"].to_numpy(np.int64, na_value=HALF) - HALF)
    return Side(
        sign * table["net_0"].to_numpy(np.int64), (table["call"].cat.codes.to_numpy() == NT_CALL).astype(np.int64),
        table["doubled"].to_numpy(np.int64), table["redoubled"].to_numpy(np.int64), np.sign(margin) + 1,
    )  # fmt: skip


def rows_of(keys: Mapping[str, Any], gain: NDArray[np.int64], columns: Sequence[str] = ROWS) -> pd.DataFrame:
    """Return counts, and sums of gains and of their squares, for every combination of keys that occurs."""
    return count_rows({name: np.broadcast_to(keys.get(name, 0), gain.shape) for name in columns}, {GAIN: gain, SQUARES: gain * gain})


def see_doubles(game: Game, chunks: Sequence[Chunk], doublers: int) -> list[pd.DataFrame]:
    """Return the tables of chunks of the same deals.

    Parameters
    ----------
    game : Game
    chunks : sequence of Chunk
        As played with nobody speaking, then by doubler 0 against redoubler 0 .. ``doublers``, then by doubler 1, and so on. Redoubler 0 is
        silent; redoubler k is doubler k - 1.
    doublers : int
    """
    base, *others = (side_of(game.deals(chunk.codes, chunk.first)) for chunk in chunks)
    played = [others[number * (doublers + 1) : (number + 1) * (doublers + 1)] for number in range(doublers)]
    parts = []
    for one, row in enumerate(played):
        for back, side in enumerate(row):
            said = {"no_trump": side.no_trump, "doubled": side.doubled, "redoubled": side.redoubled, "outcome": base.outcome}
            parts.append(rows_of({"what": DOUBLED, "one": one, "other": back, **said}, base.net - side.net))
            if back:
                parts.append(rows_of({"what": ANSWERED, "one": one, "other": back, **said}, side.net - row[0].net))
    for first, second in combinations(range(doublers), 2):
        for back in range(doublers + 1):
            names = {"what": DIFFERENCE, "one": first, "other": second, "redoubled": back}
            parts.append(rows_of(names, played[second][back].net - played[first][back].net))
    return parts
