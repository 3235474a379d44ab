"""Manille said a second time, to be read rather than run fast.

A card is text, suit letter then rank letter (``ST`` is the ten of spades); a hand is a set of cards; a trick is the
list of the cards on the table in order of play, and the seat to move is the one after the last of them. Trump is a
suit letter or ``NT``. Options are a plain dict of names and values. Nothing here comes from the package under test.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

SUITS = "CDHS"
RANKS = "789JQKAT"
"""From low to high: the ten is the highest."""
WORTH = {"T": 5, "A": 4, "K": 3, "Q": 2, "J": 1, "9": 0, "8": 0, "7": 0}
PACK = frozenset(suit + rank for suit in SUITS for rank in RANKS)
CALLS = (*SUITS, "NT")

Cards = set[str]
Options = Mapping[str, object]


def suit(card: str) -> str:
    """Return the suit letter of a card."""
    return card[0]


def height(card: str) -> int:
    """Return how high a card ranks in its suit, from 0."""
    return RANKS.index(card[1])


def of_suit(cards: Collection[str], letter: str) -> Cards:
    """Return the cards of one suit; none for ``NT``."""
    return {card for card in cards if suit(card) == letter}


def higher(cards: Collection[str], than: str) -> Cards:
    """Return the cards of the suit of ``than`` that rank above it."""
    return {card for card in of_suit(cards, suit(than)) if height(card) > height(than)}


def points(cards: Collection[str]) -> int:
    """Return the card points."""
    return sum(WORTH[card[1]] for card in cards)


def winner(trick: Sequence[str], trump: str) -> int:
    """Return the place in the trick of the card that is winning: the highest trump, else the highest of the suit led."""
    contenders = of_suit(trick, trump) or of_suit(trick, suit(trick[0]))
    return trick.index(max(contenders, key=height))


def legal(hand: Collection[str], trick: Sequence[str], trump: str, options: Options) -> Cards:
    """Return the cards that may be played."""
    hand = set(hand)
    if not trick:
        return hand
    led = suit(trick[0])
    if of_suit(hand, led):
        return following(of_suit(hand, led), trick, trump, options)
    if of_suit(hand, trump):
        return void_with_trumps(hand, trick, trump, options)
    return hand


def partner_is_winning(trick: Sequence[str], trump: str) -> bool:
    """Return whether the winning card is the one played two places before the seat to move."""
    return winner(trick, trump) == len(trick) - 2


def following(follow: Cards, trick: Sequence[str], trump: str, options: Options) -> Cards:
    """Return what may be played of ``follow``, the cards held of the suit led."""
    led, best = suit(trick[0]), trick[winner(trick, trump)]
    if suit(best) != led:
        return follow
    if partner_is_winning(trick, trump):
        duty = options["must_beat"] == "always" or (led == trump and options["trump_lead_over_partner"] == "must_beat")
    else:
        duty = options["must_beat"] in ("always", "opponent")
    return (duty and higher(follow, best)) or follow


def void_with_trumps(hand: Cards, trick: Sequence[str], trump: str, options: Options) -> Cards:
    """Return what may be played of a hand with trumps and without the suit led."""
    best = trick[winner(trick, trump)]
    trumps = of_suit(hand, trump)
    plain = hand - trumps
    partner = partner_is_winning(trick, trump)
    if suit(best) != trump:
        return trumps if options["ruff"] == "must" and not partner else hand
    over = higher(trumps, best)
    if partner:
        return ((plain | over) or hand) if options["undertrump_under_partner"] == "forbidden" else hand
    if options["ruff"] == "must":
        return must_trump_a_trump(hand, trumps, plain, over, options)
    return may_trump_a_trump(hand, plain, over, options)


def must_trump_a_trump(hand: Cards, trumps: Cards, plain: Cards, over: Cards, options: Options) -> Cards:
    """Return what may be played where ruffing is a duty and an opponent's trump is winning."""
    if over and (options["overruff"] == "must" or options["undertrump"] == "forbidden"):
        return over
    if not over and options["undertrump"] == "forbidden":
        return plain or trumps
    if not over and options["overruff"] == "must" and options["undertrump"] == "allowed":
        return hand
    return trumps


def may_trump_a_trump(hand: Cards, plain: Cards, over: Cards, options: Options) -> Cards:
    """Return what may be played where ruffing is free and an opponent's trump is winning."""
    if options["undertrump"] == "forbidden" or (options["overruff"] == "must" and over):
        return (plain | over) or hand
    return hand


def excluded(card: str, trick: Sequence[str], trump: str, options: Options) -> Cards:
    """Return the unseen cards that no hand can hold from which ``card`` was legally played here.

    A card is possible if some hand holds it and ``card`` together and ``card`` is legal in that hand. Two cards are hand
    enough: taking any other card out of a hand never makes a legal card illegal, because every duty is owed to
    cards that are held. So if a large hand will do, the pair will. (The tests check that claim as well.)
    """
    unseen = PACK - set(trick) - {card}
    return {other for other in unseen if card not in legal({card, other}, trick, trump, options)}


def score(points: int, tricks: int, no_trump: bool, blind: bool, doubles: int, carry: int, options: Options) -> int:
    """Return what the side with these points and tricks scores; ``carry`` is the factor that ties have left."""
    if points <= 30:
        return 0
    capot = (tricks == 8 if options["capot_by"] == "tricks" else points == 60) and options["capot_factor"] == 2
    if options["stacking"] == "add":
        ties = [1, 2, 4, 8, 16].index(carry)
        called = (3 if blind else 1) if no_trump else 0
        return (points - 30) * (1 + called + doubles + capot + ties)
    called = (4 if blind else 2) if no_trump else 1
    product = called * (1, 2, 4)[doubles] * (2 if capot else 1) * carry
    return (points - 30) * (min(product, 4) if options["stacking"] == "cap4" else product)


def next_carry(points: int, carry: int, options: Options) -> int:
    """Return the factor for the next deal, after one in which a side took these points."""
    if points != 30 or options["tie_carry"] == "none":
        return 1
    return 2 * carry if options["tie_carry"] == "accumulate" else 2
