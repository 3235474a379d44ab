"""Sets of Manchego cards for those who write agents: ranks across suits, winners."""

from __future__ import annotations

from trickbench.bits import lowest
from trickbench.cards import FRENCH
from trickbench.games.tricks import winners
from trickbench.jit import kernel

TWOS = FRENCH.rank("2")


@kernel
def lowest_rank(cards: int) -> int:
    """Return a card of the lowest rank in a set (of equals the lowest suit); 0 for the empty set."""
    found = 0
    for rank in (12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0):
        of_rank = cards & (TWOS << rank)
        found = of_rank if of_rank != 0 else found
    return lowest(found)


@kernel
def highest_rank(cards: int) -> int:
    """Return a card of the highest rank in a set (of equals the lowest suit); 0 for the empty set."""
    found = 0
    for rank in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12):
        of_rank = cards & (TWOS << rank)
        found = of_rank if of_rank != 0 else found
    return lowest(found)


__all__ = ["highest_rank", "lowest_rank", "winners"]
