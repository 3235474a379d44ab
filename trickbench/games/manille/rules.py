"""The rules of card play in Manille, on bits, without a branch.

4 players, partners opposite, 32 cards; in every suit 10 A K Q J 9 8 7 from high to low, worth 5 4 3 2 1 0 0 0.
Follow suit; if an opponent is winning, beat it if you can; void, ruff an opponent, go above a trump that is winning,
do not undertrump. Each of these is an option (:mod:`trickbench.games.manille.options`).

How the decision table of the options became one formula: when you cannot follow suit your hand has three
parts, plain cards, trumps over the winning trump (all trumps when the winner is plain) and trumps under it. The
trumps over are always legal. Whether plain and under ones are, depends on who is winning and on whether
you hold one over, and every entry of the table is one of the masks of ``RuleValues``. An empty set means that
nothing else is left: the whole hand is legal.
"""

from __future__ import annotations

from trickbench.bits import above, over, popcount
from trickbench.cards import MANILLE
from trickbench.games.manille.options import RuleValues
from trickbench.games.tricks import beats as beats
from trickbench.jit import kernel

CLUBS, DIAMONDS, HEARTS, SPADES = (MANILLE.suit(suit) for suit in range(4))
PACK = MANILLE.all
# A card is worth 1, 2 and 4 for each of these sets that holds it.
ONES = MANILLE.rank("T") | MANILLE.rank("K") | MANILLE.rank("J")
TWOS = MANILLE.rank("K") | MANILLE.rank("Q")
FOURS = MANILLE.rank("T") | MANILLE.rank("A")


@kernel
def suit_of(card: int) -> int:
    """Return the suit of a card as the set of its eight cards; 0 for no card."""
    suit = CLUBS if card & CLUBS else 0
    suit = DIAMONDS if card & DIAMONDS else suit
    suit = HEARTS if card & HEARTS else suit
    return SPADES if card & SPADES else suit


@kernel
def trump_suit(call: int) -> int:
    """Return the trump suit of call 0..3 as a set; 0 for any other call."""
    suit = CLUBS if call == 0 else 0
    suit = DIAMONDS if call == 1 else suit
    suit = HEARTS if call == 2 else suit
    return SPADES if call == 3 else suit


@kernel
def points(cards: int) -> int:
    """Return the card points of a set, 60 for the pack."""
    return popcount(cards & ONES) + 2 * popcount(cards & TWOS) + 4 * popcount(cards & FOURS)


@kernel
def duty_to_beat(led: int, trump: int, partner_winning: int, rules: RuleValues) -> int:
    """Return a mask: must someone who follows suit go over the winning card of that suit?"""
    partner = -partner_winning
    trump_led = rules.beat_partner_trump if led == trump else 0
    return (~partner & rules.beat_opponent) | (partner & (rules.beat_partner | trump_led))


@kernel
def legal(hand: int, led: int, trump: int, best: int, partner_winning: int, rules: RuleValues) -> int:
    """Return the legal cards of a hand.

    Parameters
    ----------
    hand : int
        The hand.
    led, trump : int
        Suits as sets; ``led`` is 0 when leading, ``trump`` is 0 at no-trump.
    best : int
        The winning card; 0 when leading.
    partner_winning : int
        1 if it is partner's, else 0.
    rules : RuleValues

    Returns
    -------
    int
        Never empty for a hand that is not.
    """
    follow = hand & led
    higher = follow & over(best, led) & duty_to_beat(led, trump, partner_winning, rules)
    following = higher if higher != 0 else follow
    void = legal_when_void(hand, trump, best, partner_winning, rules)
    cards = following if follow != 0 else void
    return hand if led == 0 else cards


@kernel
def legal_when_void(hand: int, trump: int, best: int, partner_winning: int, rules: RuleValues) -> int:
    """Return the legal cards of a hand without a card of the suit led."""
    partner = -partner_winning
    winning_trump = best & trump
    trumps = hand & trump
    higher = trumps & above(winning_trump, trump)
    short = higher == 0
    plain_allowed = rules.plain_when_short if short else rules.plain_for_ruff
    under_allowed = rules.under_when_short if short else rules.under_for_over
    under_allowed = (partner & rules.under_partner) | (~partner & under_allowed)
    cards = higher | (hand & ~trump & (plain_allowed | partner)) | (trumps & ~higher & under_allowed)
    return cards if cards != 0 else hand


@kernel
def excluded(card: int, led: int, trump: int, best: int, partner_winning: int, rules: RuleValues) -> int:
    """Return the cards that whoever plays ``card`` here shows not to hold.

    An obligation not met shows which cards were not there to meet it. The arguments are those of :func:`legal`; for a
    lead (``led`` = 0) the answer is 0.
    """
    upper = over(best, led)
    duty = duty_to_beat(led, trump, partner_winning, rules)
    not_beaten = upper & duty if card & upper == 0 else 0
    void = led | excluded_when_void(card, trump, best, partner_winning, rules)
    shown = not_beaten if card & led else void
    return shown if led != 0 else 0


@kernel
def excluded_when_void(card: int, trump: int, best: int, partner_winning: int, rules: RuleValues) -> int:
    """Return what a card that is not of the suit led shows beyond the void."""
    partner = -partner_winning
    winning_trump = best & trump
    higher = above(winning_trump, trump)
    no_trumps = trump & ~rules.plain_when_short if winning_trump != 0 else 0
    by_plain = ~partner & (no_trumps | (higher & ~rules.plain_for_ruff))
    by_under = (~rules.under_for_over & higher) | (~rules.under_when_short & PACK & ~trump)
    by_under_partner = ~rules.under_partner & (higher | (PACK & ~trump))
    by_under = (partner & by_under_partner) | (~partner & by_under)
    by_trump = by_under if card & higher == 0 else 0
    return by_trump if card & trump else by_plain
