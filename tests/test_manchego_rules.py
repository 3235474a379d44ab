"""The rule functions of Manchego: worked cases, and agreement with the naive second statement."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import trickbench
from tests.twins import manchego as twin
from trickbench.cards import FRENCH, suit_number
from trickbench.errors import UsageError
from trickbench.games.manchego.options import ManchegoRules, RuleValues
from trickbench.games.manchego.rules import beats, excluded, legal, legal_bids, suit_of
from trickbench.games.tricks import overs

needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiled code is what this checks")

OPTION_SETS = [{"hook": hook, "scoring": scoring} for hook, scoring in product(("off", "on"), ("transfer", "gain"))]
DEALS = 40
RANDOM_POSITIONS = 3000

every_option_set = pytest.mark.parametrize("options", OPTION_SETS, ids=["-".join(options.values()) for options in OPTION_SETS])


class Position(NamedTuple):
    """What the rule functions decide about; ``seat`` and the card it then ``played`` belong to deals that were played."""

    hand: frozenset[str]
    trick: tuple[str, ...]
    trump: str
    seat: int = 0
    played: str = ""


def cards(bits: int) -> set[str]:
    return set(FRENCH.listed(bits))


def suit_led(trick: tuple[str, ...]) -> int:
    return suit_of(FRENCH.set(trick[:1]))


def trump_of(position: Position) -> int:
    return FRENCH.suit(suit_number(position.trump))


def winning(trick: tuple[str, ...], trump: int) -> int:
    """Return the place of the winning card, by letting the engine's ``beats`` compare card after card."""
    best = 0
    for place in range(1, len(trick)):
        if beats(FRENCH.set([trick[place]]), FRENCH.set([trick[best]]), suit_led(trick), trump):
            best = place
    return best


def random_position(rng: random.Random) -> Position:
    """Return any cards in any trick, two suits more often than the others: then voids and ruffs are frequent."""
    pack = [card for card in sorted(twin.PACK) if card[0] in "HS" or rng.random() < 0.5]
    rng.shuffle(pack)
    on_table, held = rng.randint(0, 2), rng.choice([1, 2, 3, 4, 17])
    return Position(frozenset(pack[on_table : on_table + held]), tuple(pack[:on_table]), rng.choice(twin.SUITS))


def legal_deal(rng: random.Random) -> Iterator[Position]:
    """Yield every position of a deal in which each card was legal by the twin."""
    *pack, turned = rng.sample(sorted(twin.PACK), 52)
    hands = [set(pack[17 * seat : 17 * seat + 17]) for seat in range(3)]
    trump, leader = turned[0], rng.randrange(3)
    for _ in range(twin.TRICKS):
        trick: list[str] = []
        for place in range(3):
            seat = (leader + place) % 3
            played = rng.choice(sorted(twin.legal(hands[seat], trick)))
            yield Position(frozenset(hands[seat]), tuple(trick), trump, seat, played)
            hands[seat].remove(played)
            trick.append(played)
        leader = (leader + twin.winner(trick, trump)) % 3


@cache
def positions() -> list[Position]:
    rng = random.Random(17)
    loose = [random_position(rng) for _ in range(RANDOM_POSITIONS)]
    return loose + [step for _ in range(DEALS) for step in legal_deal(rng)]


# Trick so far, hand, legal cards; "all" is the whole hand.
WORKED = {
    "leading": ("", "SA H2 D7", "all"),
    "following suit": ("H9", "SA HK H2 D7", "HK H2"),
    "following with the only card": ("H9", "SA H2 D7", "H2"),
    "no duty to beat": ("H9", "HA H2", "HA H2"),
    "following although it was ruffed": ("H9 S2", "SA H3 H2", "H3 H2"),
    "the second card does not count": ("H9 D3", "SA D7 H2", "H2"),
    "void": ("H9", "SA S2 D7 CT", "all"),
    "void after a ruff": ("H9 S5", "SA S2 D7 CT", "all"),
    "void without trumps": ("H9", "D7 CT", "all"),
    "trumps led": ("S5", "SA S2 D7 CT", "SA S2"),
    "void in trumps when they are led": ("S5", "D7 CT", "all"),
    "the last card": ("H9 HA", "D7", "all"),
}


@pytest.mark.parametrize("case", WORKED)
def test_worked_legal_sets(case: str) -> None:
    trick, hand, want = WORKED[case]
    wanted = set((hand if want == "all" else want).split())
    assert cards(legal(FRENCH.set(hand), suit_led(tuple(trick.split())))) == wanted
    assert twin.legal(set(hand.split()), trick.split()) == wanted
    assert set(trickbench.game("manchego").legal(hand=hand, trick=trick, trump="S")) == wanted


# Trump, trick, place of the winning card.
WON = {
    "highest of the suit led": ("S", "H9 HA HT", 1),
    "ace high": ("S", "HK HA H2", 1),
    "the ten is an ordinary card": ("S", "HT HJ HQ", 2),
    "discards do not win": ("S", "H2 DA CA", 0),
    "a trump wins": ("S", "HA S2 HK", 1),
    "the higher trump wins": ("S", "HA S2 S3", 2),
    "the lower trump does not": ("S", "HA S3 S2", 1),
    "trumps led": ("H", "H2 SA H3", 2),
    "a discard on trumps": ("H", "H2 SA DA", 0),
    "two cards": ("C", "D5 D6", 1),
    "one card": ("C", "D5", 0),
}


@pytest.mark.parametrize("case", WON)
def test_worked_winners(case: str) -> None:
    trump, trick, want = WON[case]
    assert winning(tuple(trick.split()), FRENCH.suit(suit_number(trump))) == want
    assert twin.winner(trick.split(), trump) == want


def test_legal_cards_are_those_of_the_naive_rules() -> None:
    for case in positions():
        assert cards(legal(FRENCH.set(case.hand), suit_led(case.trick))) == twin.legal(case.hand, case.trick), case


def test_legal_cards_are_some_of_the_hand_and_all_of_it_when_leading() -> None:
    for case in positions():
        allowed = cards(legal(FRENCH.set(case.hand), suit_led(case.trick)))
        assert allowed, case
        assert allowed <= case.hand, case
        assert case.trick or allowed == case.hand, case


def test_the_face_of_the_game_says_what_the_rules_say() -> None:
    game = trickbench.game("manchego")
    for case in positions()[::20]:
        assert set(game.legal(sorted(case.hand), list(case.trick), case.trump)) == twin.legal(case.hand, case.trick), case


@pytest.mark.parametrize(
    ("hand", "trick", "trump", "message"),
    [
        ("", "", None, "1 to 17 cards"),
        (" ".join(sorted(twin.PACK)[:18]), "", None, "1 to 17 cards"),
        ("SA", "H2 H3 H4", None, "at most 2 cards"),
        ("SA H2", "H2", None, "'H2' is in the hand and in the trick"),
        ("SA", "H2", "NT", "'NT'"),
        ("S1", "", None, "unknown card 'S1'"),
    ],
)
def test_positions_that_cannot_be_are_refused(hand: str, trick: str, trump: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        trickbench.game("manchego").legal(hand, trick, trump)


def test_comparing_card_after_card_finds_the_winner_of_the_trick() -> None:
    rng = random.Random(1)
    for _ in range(5000):
        trick, trump = tuple(rng.sample(sorted(twin.PACK), rng.randint(1, 3))), rng.choice(twin.SUITS)
        assert winning(trick, FRENCH.suit(suit_number(trump))) == twin.winner(trick, trump), (trick, trump)


def test_every_card_beats_the_winning_cards_it_should() -> None:
    for trump, led in product(twin.SUITS, twin.SUITS):
        for best, card in permutations(sorted(twin.PACK), 2):
            if best[0] in (led, trump):
                # Whether it followed or ruffed: with a card of the suit led before it, the winning card is the same.
                lead = [led + rank for rank in twin.RANKS if led + rank not in (best, card)][:1] if best[0] != led else []
                want = twin.winner([*lead, best, card], trump) == len(lead) + 1
                got = beats(FRENCH.set([card]), FRENCH.set([best]), FRENCH.suit(suit_number(led)), FRENCH.suit(suit_number(trump)))
                assert got == want, (trump, led, best, card)


def test_overs_are_the_cards_that_beat() -> None:
    for case in positions()[::7]:
        if case.trick:
            led, trump = suit_led(case.trick), trump_of(case)
            best = case.trick[winning(case.trick, trump)]
            want = {card for card in twin.PACK - set(case.trick) if twin.winner([*case.trick, card], case.trump) == len(case.trick)}
            assert cards(overs(FRENCH.set([best]), led, trump)) - set(case.trick) == want, case


def test_excluded_cards_are_those_no_hand_could_hold() -> None:
    rng = random.Random(7)
    for case in positions()[::5]:
        card = case.played or rng.choice(sorted(twin.legal(case.hand, case.trick)))
        shown = cards(excluded(FRENCH.set([card]), suit_led(case.trick)))
        assert shown - {card, *case.trick} == twin.excluded(card, case.trick), (card, case)


def test_pairs_of_cards_show_all_that_whole_hands_show() -> None:
    few = frozenset({"HA", "H3", "SA", "S3", "D3"})
    for trick, card in product((["H9"], ["H9", "S9"], ["S9"], ["H9", "D9"]), ("HK", "SK", "DK")):
        hands = [set(others) for size in range(4) for others in combinations(sorted(few), size)]
        possible = set[str]().union(*(hand for hand in hands if card in twin.legal({card} | hand, trick)))
        assert twin.excluded(card, trick) & few == few - possible, (card, trick)


def test_true_hands_are_never_excluded() -> None:
    for case in positions():
        for card in [case.played] if case.played else sorted(twin.legal(case.hand, case.trick)):
            assert not cards(excluded(FRENCH.set([card]), suit_led(case.trick))) & case.hand, (card, case)


def test_what_a_deal_has_excluded_is_never_held_later() -> None:
    rng = random.Random(99)
    for _ in range(30):
        shown = [set[str]() for _ in range(3)]
        for case in legal_deal(rng):
            assert not shown[case.seat] & case.hand, case
            shown[case.seat] |= cards(excluded(FRENCH.set([case.played]), suit_led(case.trick)))


def engine_bids(earlier: tuple[int, ...], rules: RuleValues) -> set[int]:
    bits = legal_bids(sum(earlier), int(len(earlier) == 2), rules)
    return {bid for bid in range(62) if bits >> bid & 1}


@every_option_set
def test_legal_bids_are_those_of_the_naive_rules(options: dict[str, str]) -> None:
    rules = ManchegoRules(**options).values()
    for seat in range(3):
        for earlier in product(range(18), repeat=seat):
            assert engine_bids(earlier, rules) == twin.legal_bids(earlier, options), earlier


@pytest.mark.parametrize(
    ("earlier", "forbidden"),
    [((), None), ((5,), None), ((6, 5), 6), ((17,), None), ((0, 0), 17), ((17, 0), 0), ((10, 7), 0), ((10, 8), None), ((17, 17), None)],
)
def test_the_hook_forbids_the_dealer_the_bid_that_makes_seventeen(earlier: tuple[int, ...], forbidden: int | None) -> None:
    every = set(range(18))
    assert engine_bids(earlier, ManchegoRules(hook="off").values()) == every
    assert engine_bids(earlier, ManchegoRules(hook="on").values()) == every - {forbidden}


def test_suits_are_found_from_cards() -> None:
    assert [suit_of(1 << card) for card in range(52)] == [((1 << 13) - 1) << 13 * (card // 13) for card in range(52)]
    assert suit_of(0) == 0


@given(st.permutations("CDHS"), st.integers(0, RANDOM_POSITIONS - 1))
def test_renaming_suits_renames_the_answers(suits: list[str], number: int) -> None:
    renamed = dict(zip("CDHS", suits, strict=True))

    def rename(some: Iterable[str]) -> list[str]:
        return [renamed[card[0]] + card[1] for card in some]

    case = positions()[number]
    allowed = cards(legal(FRENCH.set(case.hand), suit_led(case.trick)))
    assert cards(legal(FRENCH.set(rename(case.hand)), suit_led(tuple(rename(case.trick))))) == set(rename(allowed))


@numba.njit
def rule_functions_over_rows(table: NDArray[Any], rules: RuleValues, out: NDArray[Any]) -> None:
    """Fill ``out`` with what the rule functions say about each column of ``table``, as compiled loops call them."""
    for i in range(table.shape[1]):
        hand, led, trump, best, card, others = table[0, i], table[1, i], table[2, i], table[3, i], table[4, i], table[5, i]
        out[0, i] = legal(hand, led)
        out[1, i] = excluded(card, led)
        out[2, i] = beats(card, best, led, trump) if best != 0 else 0
        out[3, i] = legal_bids(others, 1, rules)


def rows_from_python(table: NDArray[Any], rules: RuleValues) -> NDArray[np.int64]:
    """Return what the same functions say when they are called as plain Python, in the 52 bits of the pack."""
    out = np.zeros((4, table.shape[1]), np.int64)
    for i, column in enumerate(table.T.tolist()):
        hand, led, trump, best, card, others = column
        out[:, i] = legal(hand, led), excluded(card, led), beats(card, best, led, trump) if best else 0, legal_bids(others, 1, rules)
    assert out.min() >= 0
    assert out.max() <= FRENCH.all
    return out


@needs_compiler
@every_option_set
def test_compiled_rules_give_what_plain_python_gives(options: dict[str, str]) -> None:
    rows = []
    for number, case in enumerate(positions()):
        trump = trump_of(case)
        best = FRENCH.set([case.trick[winning(case.trick, trump)]]) if case.trick else 0
        card = FRENCH.set([case.played or min(case.hand)])
        rows.append((FRENCH.set(case.hand), suit_led(case.trick), trump, best, card, number % 35))
    table = np.ascontiguousarray(np.array(rows, np.int64).T)
    out = np.zeros((4, len(rows)), np.int64)
    rule_functions_over_rows(table, ManchegoRules(**options).values(), out)
    np.testing.assert_array_equal(out, rows_from_python(table, ManchegoRules(**options).values()))


def kind_of(case: Position) -> tuple[str, ...]:
    """Return what decides about the legal cards and the winner in a position."""
    if not case.trick:
        return ("lead",)
    led = case.trick[0][0]
    following = "follows" if twin.of_suit(case.hand, led) else "void"
    lead = "trump led" if led == case.trump else "plain led"
    ruffed = "ruffed" if led != case.trump and twin.of_suit(case.trick, case.trump) else "not ruffed"
    return (following, lead, ruffed)


def test_positions_cover_every_kind() -> None:
    wanted = {("lead",), *product(("follows", "void"), ("plain led",), ("ruffed", "not ruffed"))}
    wanted |= set(product(("follows", "void"), ("trump led",), ("not ruffed",)))
    seen = Counter(kind_of(case) for case in positions())
    assert set(seen) == wanted
    assert min(seen.values()) >= 40, seen
