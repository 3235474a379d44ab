"""Packs of cards, and cards as text.

A card is an index, ``suit * ranks + rank``; a set of cards is an integer with those bits. Ranks are listed from low
to high by the pack itself, so bit order is strength inside a suit: in Manille's pack the ten is the top bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trickbench.errors import UsageError

SUITS = "CDHS"
NO_TRUMP = "NT"
CALLS = ("C", "D", "H", "S", NO_TRUMP)
"""The names of the trump calls, in the order of their numbers."""
SYMBOLS = str.maketrans({"♣": "C", "♦": "D", "♥": "H", "♠": "S", "♧": "C", "♢": "D", "♡": "H", "♤": "S", "\ufe0e": "", "\ufe0f": ""})


@dataclass(frozen=True)
class Pack:
    """A pack of four suits.

    Parameters
    ----------
    ranks : str
        One letter a rank, from low to high.
    """

    ranks: str

    @property
    def size(self) -> int:
        """Number of cards."""
        return 4 * len(self.ranks)

    @property
    def all(self) -> int:
        """The set of all cards."""
        return (1 << self.size) - 1

    def suit(self, suit: int) -> int:
        """Return the set of all cards of suit 0..3 (C D H S)."""
        return ((1 << len(self.ranks)) - 1) << (suit * len(self.ranks))

    def rank(self, letter: str) -> int:
        """Return the set of the four cards of a rank."""
        first = 1 << self.ranks.index(letter)
        return sum(first << (suit * len(self.ranks)) for suit in range(4))

    def card_text(self, card: int) -> str:
        """Return suit letter and rank letter of a card index."""
        suit, rank = divmod(int(card), len(self.ranks))
        return SUITS[suit] + self.ranks[rank]

    def card(self, text: str) -> int:
        """Return the index of a card given as text.

        ``ST`` (suit, rank) is what this package writes; ``TS``, ``S10``, ``10S``, lower case and suit symbols are
        read as well.

        Raises
        ------
        UsageError
            If the text names no card of this pack.
        """
        letters = text.translate(SYMBOLS).upper().replace("10", "T")
        if len(letters) == 2 and letters[0] not in SUITS:
            letters = letters[::-1]
        if len(letters) != 2 or letters[0] not in SUITS or letters[1] not in self.ranks:
            raise UsageError(
                f"unknown card '{text}'; a card is a suit of {SUITS} and a rank of {self.ranks[::-1]}, as in 'S{self.ranks[-1]}'"
            )
        return SUITS.index(letters[0]) * len(self.ranks) + self.ranks.index(letters[1])

    def cards(self, text: str | Iterable[str]) -> list[int]:
        """Return card indices in the order of the text: cards apart by spaces, dots or commas.

        Raises
        ------
        UsageError
            If a card is unknown or stands twice.
        """
        parts = text.replace(".", " ").replace(",", " ").split() if isinstance(text, str) else list(text)
        found: list[int] = []
        for part in parts:
            card = self.card(part)
            if card in found:
                raise UsageError(f"card '{self.card_text(card)}' stands twice in '{' '.join(parts)}'")
            found.append(card)
        return found

    def set(self, text: str | Iterable[str]) -> int:
        """Return the set of the cards in a text; see :meth:`cards`."""
        return sum(1 << card for card in self.cards(text))

    def listed(self, cards: int) -> list[str]:
        """Return the cards of a set as text, spades first, high to low."""
        cards = int(cards)
        return [self.card_text(card) for card in reversed(range(self.size)) if cards >> card & 1]

    def text(self, cards: int) -> str:
        """Return a set as text, cards apart by spaces; :meth:`set` reads it back."""
        return " ".join(self.listed(cards))


def suit_number(text: str) -> int:
    """Return 0..3 for a suit letter or symbol, 4 for no-trump.

    Raises
    ------
    UsageError
        If the text is neither.
    """
    letters = text.translate(SYMBOLS).upper()
    if letters not in CALLS:
        raise UsageError(f"unknown trump '{text}'; one of {' '.join(CALLS)} would be right")
    return CALLS.index(letters)


MANILLE = Pack("789JQKAT")
"""32 cards; the ten (the manille) is the highest of its suit."""
FRENCH = Pack("23456789TJQKA")
"""52 cards, ace high."""
