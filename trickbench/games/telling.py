"""What telling a deal card by card has in common in every game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from trickbench.cards import SUITS, Pack
from trickbench.games.tricks import beats


class Said(NamedTuple):
    """One answer that a seat gave, as the engine heard it."""

    decision: int
    seat: int
    legal: int
    choice: int

    @property
    def is_legal(self) -> bool:
        """True if the answer is one of the legal ones."""
        return self.choice.bit_count() == 1 and self.choice & ~self.legal == 0


def hands_of(pack: Pack, row: Mapping[str, Any], players: int) -> list[list[str]]:
    """Return the hands of a recorded deal by seat, spades first, high to low."""
    return [pack.listed(int(row[f"hand_{seat}"])) for seat in range(players)]


def cards_of(row: Mapping[str, Any]) -> list[int]:
    """Return the cards of a recorded deal in order of play, as sets of one card."""
    return [1 << int(row[name]) for name in sorted(row) if name.startswith("card_")]


def winning_place(cards: Sequence[int], trump: int, suit_of: Callable[[int], int]) -> int:
    """Return the place of the winning card among cards in order of play; ``trump`` is a suit as a set, 0 for none."""
    place, led = 0, suit_of(cards[0])
    for number in range(1, len(cards)):
        place = number if beats(cards[number], cards[place], led, trump) else place
    return place


def tricks_of(pack: Pack, cards: Sequence[int], leader: int, players: int, trump: int, suit_of: Callable[[int], int]) -> list[dict[str, Any]]:
    """Return leader, cards and winner of the tricks that cards in order of play make.

    The last trick may be cut short; it has no winner.
    """
    tricks: list[dict[str, Any]] = []
    for start in range(0, len(cards), players):
        trick = cards[start : start + players]
        winner = (leader + winning_place(trick, trump, suit_of)) % players if len(trick) == players else None
        tricks.append({"leader": leader, "cards": [pack.text(card) for card in trick], "winner": winner})
        leader = leader if winner is None else winner
    return tricks


def hands_text(data: Mapping[str, Any]) -> list[str]:
    """Return the hands, a line a seat, suit by suit, the dealer marked."""
    suits = [[_suit_text(hand, suit) for suit in reversed(SUITS)] for hand in data["hands"]]
    widths = [max(map(len, column)) for column in zip(*suits, strict=True)]
    lines = []
    for seat, parts in enumerate(suits):
        cells = "   ".join(part.ljust(width) for part, width in zip(parts, widths, strict=True))
        lines.append(f"seat {seat} {'dealer' if seat == data['dealer'] else '':6}  {cells}".rstrip())
    return lines


def _suit_text(hand: Sequence[str], suit: str) -> str:
    return f"{suit} {' '.join(card[1] for card in hand if card[0] == suit) or '-'}"


def trick_row(number: int, trick: Mapping[str, Any], players: int) -> list[str]:
    """Return the cells that tell a trick: its number, who leads, the cards with the winning one marked, who wins."""
    leader, winner = trick["leader"], trick["winner"]
    marks = ["*" if winner == (leader + place) % players else " " for place in range(len(trick["cards"]))]
    cards = " ".join(card + mark for card, mark in zip(trick["cards"], marks, strict=True))
    return [str(number), f"seat {leader}", cards.rstrip(), "-" if winner is None else f"seat {winner}"]


TRICK_HEAD = ("trick", "leads", "cards in order", "wins")
"""The head of the columns of :func:`trick_row`."""
