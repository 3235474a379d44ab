"""An ending of four tricks that tells rule sets apart: the number of legal lines, and the value of best play."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.twins import manille as twin
from trickbench.cards import MANILLE
from trickbench.games.manille.options import ManilleRules
from trickbench.games.manille.rules import beats, legal, points, suit_of, trump_suit

HANDS = ("HT D7 CA CK", "ST SJ CT CQ", "SA SQ S8 S7", "SK S9 HQ H7")
SPADES = 3
IN_PLAY = 36
# The rules, the number of legal lines to the end, and the points of seats 0 and 2 when all play best with open hands.
RULE_SETS = {
    "strict": (ManilleRules.manillen(), 6056, 16),
    "partner's trump lead must be beaten": (ManilleRules.manillen(trump_lead_over_partner="must_beat"), 5672, 16),
    "undertrumping allowed": (ManilleRules.manillen(undertrump="allowed", undertrump_under_partner="allowed"), 8816, 16),
    "undertrumping forced": (ManilleRules.manillen(undertrump="forced", undertrump_under_partner="allowed"), 7064, 20),
    "undertrumping partner allowed": (ManilleRules.manillen(undertrump_under_partner="allowed"), 7032, 16),
    "free": (ManilleRules.manille(), 50880, 13),
    "free but for ruffs": (ManilleRules.manille(ruff="must"), 18272, 22),
}

each_rule_set = pytest.mark.parametrize(("rules", "lines", "value"), RULE_SETS.values(), ids=list(RULE_SETS))


def cards_of(hand: int) -> list[int]:
    """Return the one-card sets of a set."""
    return [1 << card for card in range(32) if hand >> card & 1]


def explore(rules: ManilleRules, hands: tuple[int, ...], trump: int, leader: int) -> tuple[int, int]:
    """Return the number of legal lines, and the points of seats 0 and 2 with best play, by trying everything."""
    values = rules.values()

    @cache
    def go_on(hands: tuple[int, ...], leader: int, trick: tuple[int, ...], best: int) -> tuple[int, int]:
        if len(trick) == 4:
            winner = (leader + best) % 4
            lines, later = go_on(hands, winner, (), 0)
            return lines, later + (points(sum(trick)) if winner % 2 == 0 else 0)
        seat = (leader + len(trick)) % 4
        if not hands[seat]:
            return 1, 0
        found = [go_on(*after(card, hands, leader, trick, best, trump)) for card in moves(hands[seat], trick, best, trump, values)]
        choose = max if seat % 2 == 0 else min
        return sum(lines for lines, _ in found), choose(value for _, value in found)

    return go_on(hands, leader, (), 0)


def moves(hand: int, trick: tuple[int, ...], best: int, trump: int, values: Any) -> list[int]:
    """Return the legal cards as one-card sets; ``best`` is the place of the winning card."""
    led, winning = (suit_of(trick[0]), trick[best]) if trick else (0, 0)
    return cards_of(legal(hand, led, trump, winning, int(bool(trick) and best == len(trick) - 2), values))


def after(card: int, hands: tuple[int, ...], leader: int, trick: tuple[int, ...], best: int, trump: int) -> tuple[Any, ...]:
    """Return hands, leader, trick and place of the winning card once the seat to move has played ``card``."""
    seat = (leader + len(trick)) % 4
    if trick and beats(card, trick[best], suit_of(trick[0]), trump):
        best = len(trick)
    return tuple(hand & ~card if place == seat else hand for place, hand in enumerate(hands)), leader, (*trick, card), best


def explore_by_twin(options: dict[str, Any], hands: tuple[frozenset[str], ...], trump: str, leader: int) -> tuple[int, int]:
    """Return what :func:`explore` returns, by the naive rules."""

    @cache
    def go_on(hands: tuple[frozenset[str], ...], leader: int, trick: tuple[str, ...]) -> tuple[int, int]:
        if len(trick) == 4:
            winner = (leader + twin.winner(trick, trump)) % 4
            lines, later = go_on(hands, winner, ())
            return lines, later + (twin.points(trick) if winner % 2 == 0 else 0)
        seat = (leader + len(trick)) % 4
        if not hands[seat]:
            return 1, 0
        found = []
        for card in twin.legal(hands[seat], trick, trump, options):
            rest = (*hands[:seat], hands[seat] - {card}, *hands[seat + 1 :])
            found.append(go_on(rest, leader, (*trick, card)))
        choose = max if seat % 2 == 0 else min
        return sum(lines for lines, _ in found), choose(value for _, value in found)

    return go_on(hands, leader, ())


def turned(hands: tuple[str, ...], places: int) -> tuple[str, ...]:
    """Return the hands moved on around the table."""
    return tuple(hands[(seat - places) % 4] for seat in range(4))


@each_rule_set
def test_number_of_lines_and_value_of_the_ending(rules: ManilleRules, lines: int, value: int) -> None:
    hands = tuple(MANILLE.set(hand) for hand in HANDS)
    assert points(sum(hands)) == IN_PLAY
    assert explore(rules, hands, trump_suit(SPADES), leader=0) == (lines, value)


@each_rule_set
def test_naive_rules_give_the_same_lines_and_value(rules: ManilleRules, lines: int, value: int) -> None:
    hands = tuple(frozenset(hand.split()) for hand in HANDS)
    assert explore_by_twin(rules.as_dict(), hands, "S", leader=0) == (lines, value)


@each_rule_set
@pytest.mark.parametrize("places", [1, 2, 3])
def test_turning_the_table_turns_the_value(rules: ManilleRules, lines: int, value: int, places: int) -> None:
    hands = tuple(MANILLE.set(hand) for hand in turned(HANDS, places))
    want = value if places == 2 else IN_PLAY - value
    assert explore(rules, hands, trump_suit(SPADES), leader=places) == (lines, want)


@each_rule_set
def test_renaming_suits_changes_nothing(rules: ManilleRules, lines: int, value: int) -> None:
    renamed = str.maketrans({"S": "C", "C": "H", "H": "D", "D": "S"})
    hands = tuple(MANILLE.set(" ".join(card[0].translate(renamed) + card[1] for card in hand.split())) for hand in HANDS)
    assert explore(rules, hands, trump_suit(0), leader=0) == (lines, value)
