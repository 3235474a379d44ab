"""Sets of Manille cards for those who write agents: ranks across suits, winners, suits of a hand."""

from __future__ import annotations

from trickbench.bits import lowest, popcount
from trickbench.cards import MANILLE
from trickbench.games.manille.rules import CLUBS, DIAMONDS, HEARTS, SPADES, points
from trickbench.games.tricks import winners
from trickbench.jit import kernel

SEVENS = MANILLE.rank("7")


@kernel
def ranks(cards: int) -> int:
    """Return the ranks of a set in any suit, as 8 bits."""
    two = cards | (cards >> 16)
    return (two | (two >> 8)) & 0xFF


@kernel
def lowest_rank(cards: int) -> int:
    """Return a card of the lowest rank in a set (of equals the lowest suit); 0 for the empty set."""
    return lowest(cards & (lowest(ranks(cards)) * SEVENS))


@kernel
def highest_rank(cards: int) -> int:
    """Return a card of the highest rank in a set (of equals the lowest suit); 0 for the empty set."""
    # Suits folded into one, its top bit by smearing, spread over the suits again: half the work of looking rank by rank.
    held = ranks(cards)
    held |= held >> 1
    held |= held >> 2
    held |= held >> 4
    return lowest(cards & ((held ^ (held >> 1)) * SEVENS))


@kernel
def suit_value(hand: int, suit: int, per_card: int, per_point: int) -> int:
    """Return a linear value of a suit of a hand."""
    cards = hand & suit
    return popcount(cards) * per_card + points(cards) * per_point


@kernel
def best_suit(hand: int, per_card: int, per_point: int) -> int:
    """Return the call bit (1 << 0..3 for C D H S) of the suit with the greatest value; of equals the higher suit."""
    call = 1
    best = suit_value(hand, CLUBS, per_card, per_point)
    value = suit_value(hand, DIAMONDS, per_card, per_point)
    call, best = (2 if value >= best else call), (value if value >= best else best)
    value = suit_value(hand, HEARTS, per_card, per_point)
    call, best = (4 if value >= best else call), (value if value >= best else best)
    value = suit_value(hand, SPADES, per_card, per_point)
    return 8 if value >= best else call


@kernel
def shadow(cards: int) -> int:
    """Return a set with all cards below its cards in their suits: what is not in it, nothing in the set can beat in suit."""
    cards |= (cards >> 1) & 0x7F7F7F7F
    cards |= (cards >> 2) & 0x3F3F3F3F
    return cards | (cards >> 4) & 0x0F0F0F0F


@kernel
def suits_with(cards: int, least: int) -> int:
    """Return all cards of the suits of which a set holds at least so many."""
    suits = CLUBS if popcount(cards & CLUBS) >= least else 0
    suits |= DIAMONDS if popcount(cards & DIAMONDS) >= least else 0
    suits |= HEARTS if popcount(cards & HEARTS) >= least else 0
    return suits | (SPADES if popcount(cards & SPADES) >= least else 0)


@kernel
def low_plain(cards: int, trump: int) -> int:
    """Return a plain card of the lowest rank, or the lowest trump where there is no other."""
    plain = cards & ~trump
    return lowest_rank(plain if plain != 0 else cards)


__all__ = ["best_suit", "highest_rank", "low_plain", "lowest_rank", "shadow", "suit_value", "suits_with", "winners"]
