"""What a deal says of three agents that played it in all six seatings: differences of scores, and orders."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.stats.ratings import shared_orders
from trickbench.studies.study import add_up, count_rows

THREES = tuple(permutations(range(3)))
"""The seatings of three agents: who sits in seat 0, 1, 2."""
GAP, ORDERS_SEEN = 0, 1
"""What a row of a table counts: deals by the difference of two agents' scores, or deals by the orders in their seatings."""
PAIRS_OF_THREE = tuple(combinations(range(3), 2))
LEAD, OWN = 3, 6
PLACES = np.array(sorted({tuple(sorted(set(three)).index(one) for one in three) for three in product(range(3), repeat=3)}))
"""[13, 3]: the places of three agents, 0 best, in each of the 13 orders with ties."""
DIGIT = len(THREES) + 1
"""Orders of a deal's seatings are one number, with a digit to this base for each of the 13: in how many seatings it came about."""


def order_of(scores: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order of three scores [..., 3] as a row of :data:`PLACES`."""
    # A sign for each pair says it all, and there are 27 of them.
    signs = [np.sign(scores[..., one] - scores[..., other]) + 1 for one, other in PAIRS_OF_THREE]
    found: NDArray[np.int64] = _ROW[signs[0] * 9 + signs[1] * 3 + signs[2]]
    return found


_ROW = np.full(27, -1)
_ROW[[sum((int(np.sign(three[other] - three[one])) + 1) * weight for (one, other), weight in zip(PAIRS_OF_THREE, (9, 3, 1), strict=True))
      for three in PLACES]] = np.arange(len(PLACES))  # fmt: skip


def table_of_three(scores: NDArray[np.int64]) -> pd.DataFrame:
    """Return what deals in the six seatings of three agents showed.

    Parameters
    ----------
    scores : int64[6, deals, 3]
        By seating and seat.

    Returns
    -------
    DataFrame
        Rows with ``what`` 0 count deals by ``b``, the difference of two agents' scores added over the seatings (``a``: which of
        :data:`PAIRS_OF_THREE`, or from :data:`LEAD` on twice an agent's score less the other two's, or from
        :data:`OWN` on its score); rows with ``what`` 1 count deals by ``b``, the orders of their seatings.
    """
    own = np.zeros_like(scores)
    for number, seats in enumerate(THREES):
        own[number][:, list(seats)] = scores[number]
    sums = own.sum(axis=0)
    gaps = [count_rows({"b": sums[:, one] - sums[:, other]}).assign(what=GAP, a=a) for a, (one, other) in enumerate(PAIRS_OF_THREE)]
    gaps += [count_rows({"b": 3 * sums[:, one] - sums.sum(axis=1)}).assign(what=GAP, a=LEAD + one) for one in range(3)]
    gaps += [count_rows({"b": sums[:, one]}).assign(what=GAP, a=OWN + one) for one in range(3)]
    orders = count_rows({"b": (DIGIT ** order_of(own)).sum(axis=0)}).assign(what=ORDERS_SEEN, a=0)
    return add_up([table[["what", "a", "b", "count"]] for table in (*gaps, orders)])


def kinds_of_orders(table: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different numbers ``b`` of orders of a table, and how many deals had each."""
    rows = table[table["what"] == ORDERS_SEEN]
    return rows["b"].to_numpy(np.int64), rows["count"].to_numpy(np.int64)


def weights_of_orders(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what deals with these orders count: the weight of each of the six orders without ties, [kinds, 6], which sum to the seatings."""
    digits: Any = (numbers[:, None] // DIGIT ** np.arange(len(PLACES))) % DIGIT
    found: NDArray[np.float64] = digits @ shared_orders(PLACES)
    return found
