"""Manchego said a second time, to be read rather than run fast.

A card is text, suit letter then rank letter (``ST`` is the ten of spades); a hand is a set of cards; a trick is the list of
the cards on the table in order of play. Trump is the suit letter of the turned card. Options are a plain dict of names and
values. Nothing here comes from the package under test.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

SUITS = "CDHS"
RANKS = "23456789TJQKA"
"""From low to high."""
PACK = frozenset(suit + rank for suit in SUITS for rank in RANKS)
TRICKS = 17

Cards = set[str]
Options = Mapping[str, object]


def suit(card: str) -> str:
    """Return the suit letter of a card."""
    return card[0]


def height(card: str) -> int:
    """Return how high a card ranks in its suit, from 0."""
    return RANKS.index(card[1])


def of_suit(cards: Collection[str], letter: str) -> Cards:
    """Return the cards of one suit."""
    return {card for card in cards if suit(card) == letter}


def legal(hand: Collection[str], trick: Sequence[str]) -> Cards:
    """Return the cards that may be played: those of the suit led if there are any, else all."""
    if not trick:
        return set(hand)
    return of_suit(hand, suit(trick[0])) or set(hand)


def winner(trick: Sequence[str], trump: str) -> int:
    """Return the place in the trick of the card that is winning: the highest trump, else the highest of the suit led."""
    contenders = of_suit(trick, trump) or of_suit(trick, suit(trick[0]))
    return trick.index(max(contenders, key=height))


def excluded(card: str, trick: Sequence[str]) -> Cards:
    """Return the unseen cards that no hand can hold from which ``card`` was legally played here.

    A card is possible if ``card`` is legal for a hand of the two; more cards in the hand never make a card legal that is
    not legal for such a pair.
    """
    unseen = PACK - set(trick) - {card}
    return {other for other in unseen if card not in legal({card, other}, trick)}


def legal_bids(earlier: Sequence[int], options: Options) -> set[int]:
    """Return the bids that the next seat may make after ``earlier`` ones; the third to bid is the dealer."""
    bids = set(range(TRICKS + 1))
    if options["hook"] == "on" and len(earlier) == 2:
        bids -= {TRICKS - sum(earlier)}
    return bids


def distances(bids: Sequence[int], won: Sequence[int]) -> list[int]:
    """Return by how many tricks each player missed its bid."""
    return [abs(tricks - bid) for bid, tricks in zip(bids, won, strict=True)]


def scores(bids: Sequence[int], won: Sequence[int], options: Options) -> list[int]:
    """Return the scores: of each pair of players the nearer one wins the difference of the two distances."""
    missed = distances(bids, won)
    result = [0, 0, 0]
    for near in range(3):
        for far in range(3):
            difference = missed[far] - missed[near]
            if difference > 0:
                result[near] += difference
                if options["scoring"] == "transfer":
                    result[far] -= difference
    return result
