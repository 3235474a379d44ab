"""One call for each hand, packed into a table of integers that compiled code looks up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.games.manille.hands import COUNT, ROW, SUITS, call_bit, rank_of, ranking
from trickbench.jit import kernel

BITS, PER_NUMBER = 4, 16
"""Calls are 0 to 4, so that the sign of a number of 64 bits is never used; by shifts and masks one is found sooner than by a division by 21."""
FIRST = SUITS * ROW
"""Where the calls begin, behind the ranking of hands."""


@kernel
def packed_call(hand: int, table: Any) -> int:
    """Return the choice bit of the call that a table has for a hand, in the hand's own suits; for what is no hand of 8 cards, some call.

    Parameters
    ----------
    hand : int
        A set of cards.
    table : int64 array
        From :func:`pack_calls`.
    """
    rank = rank_of(hand, table)
    return call_bit(hand, (table[FIRST + (rank >> 4)] >> (BITS * (rank & 15))) & 15)


def pack_calls(calls: NDArray[Any]) -> NDArray[np.int64]:
    """Return the table for calls of canonical hands.

    Parameters
    ----------
    calls : integers[472579]
        For each canonical hand, in the order of their numbers: 0..3 its suits from the least mask up, 4 no-trump.

    Returns
    -------
    int64[38753]
        The ranking of hands, 9,216 numbers, then 16 calls in each number: 310 kB.
    """
    padded = np.zeros(-(-COUNT // PER_NUMBER) * PER_NUMBER, np.int64)
    padded[:COUNT] = calls
    shifted = padded.reshape(-1, PER_NUMBER) << (BITS * np.arange(PER_NUMBER))
    return np.concatenate([ranking(), np.bitwise_or.reduce(shifted, axis=1)])
