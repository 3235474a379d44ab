"""The rules of Manchego, on bits, without a branch.

3 players, each alone; 52 cards, ace high; 17 cards each, the 52nd is turned and its suit is trump. Each bids how many tricks
it will take. Follow suit if able, else play any card; the highest trump, else the highest card of the suit led, wins.
"""

from __future__ import annotations

from trickbench.cards import FRENCH
from trickbench.games.manchego.options import RuleValues
from trickbench.games.tricks import beats as beats
from trickbench.jit import kernel

CLUBS, DIAMONDS, HEARTS, SPADES = (FRENCH.suit(suit) for suit in range(4))
TRICKS = 17
ALL_BIDS = (1 << (TRICKS + 1)) - 1


@kernel
def suit_of(card: int) -> int:
    """Return the suit of a card as the set of its 13 cards; 0 for no card."""
    suit = CLUBS if card & CLUBS else 0
    suit = DIAMONDS if card & DIAMONDS else suit
    suit = HEARTS if card & HEARTS else suit
    return SPADES if card & SPADES else suit


@kernel
def legal(hand: int, led: int) -> int:
    """Return the legal cards of a hand; ``led`` is the suit led as a set, 0 when leading."""
    follow = hand & led
    return follow if follow != 0 else hand


@kernel
def excluded(card: int, led: int) -> int:
    """Return the cards that whoever plays ``card`` here shows not to hold: the suit led, if it was not followed."""
    return 0 if card & led else led


@kernel
def legal_bids(others: int, is_dealer: int, rules: RuleValues) -> int:
    """Return the bits of the bids a seat may make; ``others`` is the sum of the bids made before."""
    rest = TRICKS - others
    hooked = (rules.hook & is_dealer) != 0 and rest >= 0
    return ALL_BIDS & ~(1 << (rest if hooked else TRICKS + 1))
