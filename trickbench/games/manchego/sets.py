"""Sets of Manchego cards for those who write agents: ranks across suits, winners."""

from __future__ import annotations

from trickbench.bits import above, highest, lowest, popcount
from trickbench.cards import FRENCH
from trickbench.games.manchego.rules import CLUBS, DIAMONDS, HEARTS, SPADES
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


# For moving a set down by 1, 2, 4, 8 ranks without leaving a suit.
BY_1, BY_2, BY_4, BY_8 = (sum(((1 << (13 - by)) - 1) << (13 * suit) for suit in range(4)) for by in (1, 2, 4, 8))


@kernel
def shadow(cards: int) -> int:
    """Return a set with all cards below its cards in their suits: what is not in it, nothing in the set can beat in suit."""
    cards |= (cards >> 1) & BY_1
    cards |= (cards >> 2) & BY_2
    cards |= (cards >> 4) & BY_4
    return cards | (cards >> 8) & BY_8


@kernel
def without_tops(cards: int) -> int:
    """Return a set without the highest card of each suit."""
    return cards & ~(highest(cards & CLUBS) | highest(cards & DIAMONDS) | highest(cards & HEARTS) | highest(cards & SPADES))


@kernel
def run_from_top(hand: int, gone: int, suit: int) -> int:
    """Return how many cards of a suit a hand holds from the top down without a gap; ``gone`` cards leave none."""
    missing = highest(suit & ~(hand | gone))
    return popcount(hand & above(missing, suit))


@kernel
def bid_near(legal: int, tricks: int) -> int:
    """Return the bit of a bid of so many tricks; where it is forbidden, of one more, or one less than 17."""
    wanted = 1 << tricks
    other = wanted << 1 if tricks < 17 else wanted >> 1
    return wanted if legal & wanted else other


__all__ = ["bid_near", "highest_rank", "lowest_rank", "run_from_top", "shadow", "winners", "without_tops"]
