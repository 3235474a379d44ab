"""Sets of Manchego cards for those who write agents: ranks across suits, winners."""

from __future__ import annotations

from trickbench.bits import above, highest, lowest, popcount
from trickbench.cards import FRENCH
from trickbench.games.tricks import winners
from trickbench.jit import kernel

TWOS = FRENCH.rank("2")


@kernel
def ranks(cards: int) -> int:
    """Return the ranks of a set in any suit, as 13 bits."""
    two = cards | (cards >> 26)
    return (two | (two >> 13)) & 0x1FFF


@kernel
def lowest_rank(cards: int) -> int:
    """Return a card of the lowest rank in a set (of equals the lowest suit); 0 for the empty set."""
    return lowest(cards & (lowest(ranks(cards)) * TWOS))


@kernel
def highest_rank(cards: int) -> int:
    """Return a card of the highest rank in a set (of equals the lowest suit); 0 for the empty set."""
    # Suits folded into one, its top bit by smearing, spread over the suits again: a third of the work of looking rank by rank.
    held = ranks(cards)
    held |= held >> 1
    held |= held >> 2
    held |= held >> 4
    held |= held >> 8
    return lowest(cards & ((held ^ (held >> 1)) * TWOS))


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
    return cards & (shadow(cards) >> 1) & BY_1


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
