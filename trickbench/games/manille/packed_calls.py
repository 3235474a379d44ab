"""What to call with each hand, packed into a table of integers that compiled code looks up.

A hand has one number of four bits: three for the best call that the dealer makes for itself, one that says that en face is better still. So the
partner, and a dealer who may not say en face, find their call in the same place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.games.manille.hands import COUNT, ROW, SUITS, call_bit, rank_of, ranking
from trickbench.games.manille.layout import EN_FACE
from trickbench.jit import kernel

BITS, PER_NUMBER = 4, 16
"""By shifts and masks one is found sooner than by a division."""
OWN, PASS = 7, 8
"""The bits of a number that hold the dealer's own call, 0 to 4, and the one for en face."""
FIRST = SUITS * ROW
"""Where the first book begins, behind the ranking of hands."""
BOOK_SIZE = -(-COUNT // PER_NUMBER)


@kernel
def packed_call(hand: int, table: Any, may_pass: int = 0, book: int = 0) -> int:
    """Return the choice bit of the call that a table has for a hand, in the hand's own suits; for what is no hand of 8 cards, some call.

    Parameters
    ----------
    hand : int
        A set of cards.
    table : int64 array
        From :func:`pack_calls`.
    may_pass : int
        1 for a dealer who may say en face.
    book : int
        Which of the table's books.
    """
    rank = rank_of(hand, table)
    number = (table[FIRST + book * BOOK_SIZE + (rank >> 4)] >> (BITS * (rank & 15))) & 15
    own = call_bit(hand, number & OWN)
    return 1 << EN_FACE if (number >> 3) & may_pass != 0 else own


def pack_calls(*books: NDArray[Any]) -> NDArray[np.int64]:
    """Return the table for calls of canonical hands.

    Parameters
    ----------
    *books : integers[472579]
        For each canonical hand, in the order of their numbers: 0..3 its suits from the least mask up, 4 no-trump; and 8 more where en face is better.

    Returns
    -------
    int64[9216 + 29537 * books]
        The ranking of hands, then for each book 16 calls in each number: 310 kB for one, 546 kB for two.
    """
    return np.concatenate([ranking(), *map(_packed, books)])


def _packed(calls: NDArray[Any]) -> NDArray[np.int64]:
    padded = np.zeros(BOOK_SIZE * PER_NUMBER, np.int64)
    padded[:COUNT] = calls
    found: NDArray[np.int64] = np.bitwise_or.reduce(padded.reshape(-1, PER_NUMBER) << (BITS * np.arange(PER_NUMBER)), axis=1)
    return found
