"""The rule functions of Manille: worked cases, and agreement with the naive second statement over all obligations."""

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
from numpy.typing import NDArray

from tests.twins import manille as twin
from trickbench.cards import MANILLE, suit_number
from trickbench.games.manille.options import ManilleRules, RuleValues
from trickbench.games.manille.rules import beats, excluded, legal, points, suit_of, trump_suit

needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiled code is what this checks")

OBLIGATIONS = {
    "must_beat": ("opponent", "always", "off"),
    "ruff": ("must", "free"),
    "overruff": ("must", "free"),
    "undertrump": ("forbidden", "allowed", "forced"),
    "undertrump_under_partner": ("forbidden", "allowed"),
    "trump_lead_over_partner": ("free", "must_beat"),
}
OPTION_SETS = [dict(zip(OBLIGATIONS, values, strict=True)) for values in product(*OBLIGATIONS.values())]
STRICT = OPTION_SETS[0]
FREE = dict(zip(OBLIGATIONS, ("off", "free", "free", "allowed", "allowed", "free"), strict=True))
DEALS = 10
RANDOM_POSITIONS = 200
TRUMPED_POSITIONS = 200

every_option_set = pytest.mark.parametrize("options", OPTION_SETS, ids=["-".join(options.values()) for options in OPTION_SETS])


class Position(NamedTuple):
    """What the rule functions decide about; ``seat`` and the card it then ``played`` belong to deals that were played."""

    hand: frozenset[str]
    trick: tuple[str, ...]
    trump: str
    seat: int = 0
    played: str = ""


class Engine(NamedTuple):
    """A position as the package sees it: sets as bits, and who is winning."""

    hand: int
    led: int
    trump: int
    best: int
    partner_winning: int


@cache
def rule_values(**options: str) -> RuleValues:
    return ManilleRules(**options).values()


def cards(bits: int) -> set[str]:
    return set(MANILLE.listed(bits))


def winning(trick: tuple[str, ...], trump: int) -> int:
    """Return the place of the winning card, by letting the engine's ``beats`` compare card after card."""
    best = 0
    led = suit_of(MANILLE.set(trick[:1]))
    for place in range(1, len(trick)):
        if beats(MANILLE.set([trick[place]]), MANILLE.set([trick[best]]), led, trump):
            best = place
    return best


def engine_position(position: Position) -> Engine:
    hand, trump = MANILLE.set(position.hand), trump_suit(suit_number(position.trump))
    if not position.trick:
        return Engine(hand, 0, trump, 0, 0)
    place = winning(position.trick, trump)
    led, best = suit_of(MANILLE.set(position.trick[:1])), MANILLE.set([position.trick[place]])
    return Engine(hand, led, trump, best, int(place == len(position.trick) - 2))


def engine_legal(position: Position, rules: RuleValues) -> set[str]:
    return cards(legal(*engine_position(position), rules))


def engine_excluded(card: str, position: Position, rules: RuleValues) -> set[str]:
    """Return what the engine excludes, without the cards that everybody sees: the trick's, and ``card`` itself."""
    _, led, trump, best, partner_winning = engine_position(position)
    shown = excluded(MANILLE.set([card]), led, trump, best, partner_winning, rules)
    return cards(shown) - set(position.trick)


def position(hand: str, trick: str, trump: str) -> Position:
    return Position(frozenset(hand.split()), tuple(trick.split()), trump)


def random_position(rng: random.Random) -> Position:
    """Return any cards in any trick, two suits more often than the others: then ruffs and duties are frequent."""
    pack = [card for card in sorted(twin.PACK) if card[0] in "HS" or rng.random() < 0.5]
    rng.shuffle(pack)
    on_table, held = rng.randint(0, 3), rng.randint(1, 8)
    return Position(frozenset(pack[on_table : on_table + held]), tuple(pack[:on_table]), rng.choice(twin.CALLS))


def trumped_position(rng: random.Random) -> Position:
    """Return a trick with trumps, most often ruffed by somebody, and a hand with trumps: where the options differ most."""
    trump, led, plain, other = rng.sample(twin.SUITS, 4)
    lead, first, second, *held = rng.sample([trump + rank for rank in twin.RANKS], 6)
    lead = rng.choice([lead, led + "7", led + "A"])
    last = rng.choice([[], [second], [other + "7"]])
    discards = rng.choice([[], [plain + "9", plain + "T"]])
    return Position(frozenset(held[: rng.randint(1, 3)] + discards), (lead, first, *last), trump)


def legal_deal(rng: random.Random, options: dict[str, str]) -> Iterator[Position]:
    """Yield every position of a deal in which each card was legal by the twin."""
    pack = sorted(twin.PACK)
    rng.shuffle(pack)
    hands = [set(pack[8 * seat : 8 * seat + 8]) for seat in range(4)]
    trump, leader = rng.choice(twin.CALLS), rng.randrange(4)
    for _ in range(8):
        trick: list[str] = []
        for place in range(4):
            seat = (leader + place) % 4
            played = rng.choice(sorted(twin.legal(hands[seat], trick, trump, options)))
            yield Position(frozenset(hands[seat]), tuple(trick), trump, seat, played)
            hands[seat].remove(played)
            trick.append(played)
        leader = (leader + twin.winner(trick, trump)) % 4


@cache
def positions_for(number: int) -> tuple[list[Position], list[Position]]:
    """Return random positions, and those of legally played deals, for option set ``number``."""
    rng = random.Random(1000 + number)
    loose = [random_position(rng) for _ in range(RANDOM_POSITIONS)] + [trumped_position(rng) for _ in range(TRUMPED_POSITIONS)]
    return loose, [step for _ in range(DEALS) for step in legal_deal(rng, OPTION_SETS[number])]


def positions(options: dict[str, str]) -> list[Position]:
    loose, played = positions_for(OPTION_SETS.index(options))
    return loose + played


# Worked cases: number, trump, trick so far, hand, legal cards; "all" is the whole hand.
WORKED = [
    (1, "S", "", "SA S7 HT H7 D8 CQ", "all"),
    (2, "S", "H9", "SA HK H7 DT", "HK"),
    (3, "S", "HJ", "HA HK HQ H7", "HA HK HQ"),
    (4, "S", "HA", "ST HT HK H7", "HT"),
    (5, "S", "HT", "S9 HA HK H7", "HA HK H7"),
    (6, "S", "HA H8", "HT HK H7", "HT HK H7"),
    (7, "S", "HQ HA", "HT HK H9", "HT"),
    (8, "S", "HQ HA", "HK HJ H9", "all"),
    (9, "S", "H9 D8", "S7 HJ H8", "HJ H8"),
    (10, "S", "HK S8", "ST HA H7", "HA H7"),
    (11, "S", "H9 S7 HA", "HT H8", "HT H8"),
    (12, "S", "H9", "SA S7 DT C8", "SA S7"),
    (13, "S", "HA H7", "SA S7 D8", "all"),
    (14, "S", "H9 HA H8", "S8 S7", "S8 S7"),
    (15, "S", "HK SJ", "SK S9 D7 C8", "SK"),
    (16, "S", "HK SK", "SJ S8 D7 C8", "D7 C8"),
    (17, "S", "HK SK", "SJ S8", "SJ S8"),
    (18, "S", "H9 S8 SJ", "S9 S7 D7", "D7"),
    (19, "S", "HK ST", "SA D7", "D7"),
    (20, "S", "H9 SQ H8", "SA S8 D7", "SA D7"),
    (21, "S", "H9 SQ H8", "SA S8", "SA"),
    (22, "S", "H9 ST H8", "SA SK", "SA SK"),
    (23, "S", "SK", "SA SJ S7 DT", "SA"),
    (24, "S", "ST", "SA S7 DT", "SA S7"),
    (25, "S", "SK S8", "SA S7 DT", "SA S7"),
    (26, "NT", "HK", "ST HA H7", "HA"),
    (27, "NT", "HK", "ST D7", "ST D7"),
    (28, "NT", "HJ ST", "HQ H8 D9", "HQ H8"),
]
# Where other rule sets differ from the strict one, by number.
UNDER_MANILLE = {
    2: "HK H7", 3: "all", 4: "HT HK H7", 7: "all", 12: "all", 15: "all", 16: "all", 18: "all", 19: "all", 20: "all",
    21: "all", 23: "SA SJ S7", 26: "HA H7",
}  # fmt: skip
UNDER_MANILLE_WITH_RUFFS = UNDER_MANILLE | {12: "SA S7", 15: "SK S9", 16: "SJ S8", 18: "S9 S7", 19: "SA"}
PARTNER_MAY_BE_UNDERTRUMPED = {20: "all", 21: "all"}
PARTNER_MUST_BE_BEATEN = {25: "SA"}
RULE_SETS = {
    "manillen": (ManilleRules.manillen(), {}),
    "manille": (ManilleRules.manille(), UNDER_MANILLE),
    "manille with ruffs": (ManilleRules.manille(ruff="must", overruff="free", undertrump="allowed"), UNDER_MANILLE_WITH_RUFFS),
    "under partner allowed": (ManilleRules.manillen(undertrump_under_partner="allowed"), PARTNER_MAY_BE_UNDERTRUMPED),
    "partner's trump lead": (ManilleRules.manillen(trump_lead_over_partner="must_beat"), PARTNER_MUST_BE_BEATEN),
}


def worked_cases() -> Iterator[Any]:
    for name, (rules, differences) in RULE_SETS.items():
        for number, trump, trick, hand, strict in WORKED:
            want = differences.get(number, strict)
            yield pytest.param(rules, position(hand, trick, trump), hand if want == "all" else want, id=f"{name}-{number}")


@pytest.mark.parametrize(("rules", "case", "want"), list(worked_cases()))
def test_worked_legal_sets(rules: ManilleRules, case: Position, want: str) -> None:
    assert engine_legal(case, rules.values()) == set(want.split())
    assert twin.legal(case.hand, case.trick, case.trump, rules.as_dict()) == set(want.split())


def test_profiles_have_the_obligations_the_tests_take_them_to_have() -> None:
    assert STRICT.items() <= ManilleRules.manillen().as_dict().items()
    assert FREE.items() <= ManilleRules.manille().as_dict().items()
    assert len(OPTION_SETS) == 144


@every_option_set
def test_legal_cards_are_those_of_the_naive_rules(options: dict[str, str]) -> None:
    rules = rule_values(**options)
    for case in positions(options):
        assert engine_legal(case, rules) == twin.legal(case.hand, case.trick, case.trump, options), case


@every_option_set
def test_legal_cards_are_some_of_the_hand_and_all_of_it_when_leading(options: dict[str, str]) -> None:
    rules = rule_values(**options)
    for case in positions(options):
        allowed = engine_legal(case, rules)
        assert allowed, case
        assert allowed <= case.hand, case
        assert case.trick or allowed == case.hand, case


@every_option_set
def test_excluded_cards_are_those_no_hand_could_hold(options: dict[str, str]) -> None:
    rules = rule_values(**options)
    loose, played = positions_for(OPTION_SETS.index(options))
    rng = random.Random(7)
    for case in rng.sample(loose, 40) + loose[-20:] + rng.sample([case for case in played if case.trick], 20):
        card = case.played or rng.choice(sorted(twin.legal(case.hand, case.trick, case.trump, options)))
        assert engine_excluded(card, case, rules) == twin.excluded(card, case.trick, case.trump, options), (card, case)


@every_option_set
def test_true_hands_are_never_excluded(options: dict[str, str]) -> None:
    rules = rule_values(**options)
    for case in positions(options):
        allowed = [case.played] if case.played else sorted(twin.legal(case.hand, case.trick, case.trump, options))
        for card in allowed:
            assert not engine_excluded(card, case, rules) & case.hand, (card, case)


@every_option_set
def test_legal_cards_stay_legal_when_another_card_leaves_the_hand(options: dict[str, str]) -> None:
    rules = rule_values(**options)
    for case in positions_for(OPTION_SETS.index(options))[0]:
        allowed = engine_legal(case, rules)
        for other in case.hand:
            smaller = case._replace(hand=case.hand - {other})
            assert allowed - {other} <= engine_legal(smaller, rules), (other, case)


# Cards that are in no trick and not played in the next test: of the suit led, trumps around the winning one, a plain one.
KINDS = frozenset({"HT", "H7", "ST", "SK", "S7", "DT"})


def excluded_by_whole_hands(card: str, case: Position, options: dict[str, str]) -> set[str]:
    """Return the ``KINDS`` of cards that are in no hand of up to four from which ``card`` is legal, by trying all such hands."""
    hands = [set(others) for size in range(4) for others in combinations(sorted(KINDS), size)]
    return set(KINDS).difference(*(hand for hand in hands if card in twin.legal({card} | hand, case.trick, case.trump, options)))


@every_option_set
def test_pairs_of_cards_show_all_that_whole_hands_show(options: dict[str, str]) -> None:
    tricks = ("H9", "HJ H8", "H9 HQ", "HQ SQ", "H8 SQ HQ", "H8 S9 SQ", "S9", "S9 SQ H8", "SQ S9")
    for trick, card, trump in product(tricks, ("HK", "H8", "SA", "S8", "D9"), ("S", "NT")):
        case = position(card, trick, trump)
        if card not in case.trick:
            whole = excluded_by_whole_hands(card, case, options)
            assert twin.excluded(card, case.trick, trump, options) & KINDS == whole, (card, case)
            assert engine_excluded(card, case, rule_values(**options)) & KINDS == whole, (card, case)


HEARTS = "HT HA HK HQ HJ H9 H8 H7"
SPADES = "ST SA SK SQ SJ S9 S8 S7"
PLAIN = "DT DA DK DQ DJ D9 D8 D7 CT CA CK CQ CJ C9 C8 C7"
# Trump, trick, card played, what the strict rules exclude (seen cards do not matter).
SHOWN = {
    "a lead shows nothing": ("S", "", "H9", ""),
    "following over an opponent": ("S", "HQ", "HK", ""),
    "following under an opponent": ("S", "HQ", "HJ", "HT HA HK"),
    "following under partner": ("S", "HQ H8", "HJ", ""),
    "following under an opponent's ruff": ("S", "HQ S7", "H7", ""),
    "plain on an opponent's plain card": ("S", "HQ", "D7", f"{HEARTS} {SPADES}"),
    "plain on partner's plain card": ("S", "HQ H8", "D7", HEARTS),
    "ruffing a plain card": ("S", "HQ", "S8", HEARTS),
    "plain on an opponent's trump": ("S", "HK SQ", "D7", f"{HEARTS} ST SA SK"),
    "going over an opponent's trump": ("S", "HK SQ", "SA", HEARTS),
    "going under an opponent's trump": ("S", "HK SQ", "S8", f"{HEARTS} {PLAIN} ST SA SK"),
    "plain on partner's trump": ("S", "H9 SQ H8", "D7", HEARTS),
    "going over partner's trump": ("S", "H9 SQ H8", "SA", HEARTS),
    "going under partner's trump": ("S", "H9 SQ H8", "S8", f"{HEARTS} {PLAIN} ST SA SK"),
    "under an opponent's trump lead": ("S", "SQ", "S8", "ST SA SK"),
    "under partner's trump lead": ("S", "SQ S7", "S8", ""),
    "void in trumps when they are led": ("S", "SQ", "D7", SPADES),
    "following under an opponent at no-trump": ("NT", "HQ", "HJ", "HT HA HK"),
    "void at no-trump": ("NT", "HQ", "S8", HEARTS),
}


@pytest.mark.parametrize("case", SHOWN)
def test_worked_exclusions(case: str) -> None:
    trump, trick, card, want = SHOWN[case]
    seen = {card, *trick.split()}
    at = position(card, trick, trump)
    assert engine_excluded(card, at, rule_values(**STRICT)) == set(want.split()) - seen
    void = {other for other in HEARTS.split() + SPADES.split() if trick and other[0] == trick[0] != card[0]}
    assert engine_excluded(card, at, rule_values(**FREE)) == void - seen


@every_option_set
def test_what_a_deal_has_excluded_is_never_held_later(options: dict[str, str]) -> None:
    rng = random.Random(99)
    for _ in range(2):
        shown = [set[str]() for _ in range(4)]
        for case in legal_deal(rng, options):
            assert not shown[case.seat] & case.hand, case
            shown[case.seat] |= engine_excluded(case.played, case, rule_values(**options))


def test_comparing_card_after_card_finds_the_winner_of_the_trick() -> None:
    rng = random.Random(1)
    for _ in range(5000):
        trick, trump = tuple(rng.sample(sorted(twin.PACK), rng.randint(1, 4))), rng.choice(twin.CALLS)
        assert winning(trick, trump_suit(suit_number(trump))) == twin.winner(trick, trump), (trick, trump)


def test_every_card_beats_the_winning_cards_it_should() -> None:
    for trump, led in product(twin.CALLS, twin.SUITS):
        for best, card in permutations(sorted(twin.PACK), 2):
            if best[0] in (led, trump):
                # The winning card is of the suit led or a trump; whichever it is, it could have been led itself.
                want = twin.winner([best, card], trump)
                got = beats(MANILLE.set([card]), MANILLE.set([best]), MANILLE.suit(suit_number(led)), trump_suit(suit_number(trump)))
                assert got == want, (trump, led, best, card)


def test_points_of_sets_are_the_sums_of_their_cards() -> None:
    rng = random.Random(2)
    assert points(MANILLE.all) == 60
    for card in twin.PACK:
        assert points(MANILLE.set([card])) == twin.WORTH[card[1]]
    for _ in range(2000):
        some = rng.sample(sorted(twin.PACK), rng.randint(0, 32))
        assert points(MANILLE.set(some)) == twin.points(some)


def test_suits_are_found_from_cards_and_calls() -> None:
    assert [suit_of(1 << card) for card in range(32)] == [0xFF << 8 * (card // 8) for card in range(32)]
    assert [trump_suit(call) for call in (0, 1, 2, 3, 4, 31)] == [0xFF, 0xFF00, 0xFF0000, 0xFF000000, 0, 0]
    assert suit_of(0) == 0


@pytest.mark.parametrize("suits", list(permutations("CDHS")), ids="".join)
def test_renaming_suits_renames_the_answers(suits: tuple[str, ...]) -> None:
    renamed = dict(zip("CDHS", suits, strict=True)) | {"NT": "NT"}

    def rename(some: Iterable[str]) -> list[str]:
        return [renamed[card[0]] + card[1] for card in some]

    rng = random.Random("".join(suits))
    for options in OPTION_SETS:
        rules = rule_values(**options)
        for case in rng.sample(positions(options), 5):
            other = Position(frozenset(rename(case.hand)), tuple(rename(case.trick)), renamed[case.trump])
            assert engine_legal(other, rules) == set(rename(engine_legal(case, rules))), case
            card = rng.choice(sorted(engine_legal(case, rules)))
            assert engine_excluded(rename([card])[0], other, rules) == set(rename(engine_excluded(card, case, rules))), (card, case)


@numba.njit
def rule_functions_over_rows(table: NDArray[Any], rules: RuleValues, out: NDArray[Any]) -> None:
    """Fill ``out`` with what the rule functions say about each column of ``table``, as compiled loops call them."""
    for i in range(table.shape[1]):
        hand, led, trump, best, partner_winning, card = table[0, i], table[1, i], table[2, i], table[3, i], table[4, i], table[5, i]
        out[0, i] = legal(hand, led, trump, best, partner_winning, rules)
        out[1, i] = excluded(card, led, trump, best, partner_winning, rules)
        out[2, i] = beats(card, best, led, trump) if best != 0 else 0
        out[3, i] = points(hand)


def rows_from_python(table: NDArray[Any], rules: RuleValues) -> NDArray[np.int64]:
    """Return what the same functions say when they are called as plain Python, in the 32 bits of a Manille set."""
    out = np.zeros((4, table.shape[1]), np.int64)
    for i, column in enumerate(table.T.tolist()):
        hand, led, trump, best, partner_winning, card = column
        out[0, i] = legal(hand, led, trump, best, partner_winning, rules)
        out[1, i] = excluded(card, led, trump, best, partner_winning, rules)
        out[2, i] = beats(card, best, led, trump) if best else 0
        out[3, i] = points(hand)
    assert out.min() >= 0
    assert out.max() <= MANILLE.all
    return out


@needs_compiler
def test_compiled_rules_give_what_plain_python_gives() -> None:
    for options in OPTION_SETS:
        cases = positions(options)[::4]
        card = [MANILLE.set([case.played or min(case.hand)]) for case in cases]
        table = np.array([(*engine_position(case), card[i]) for i, case in enumerate(cases)], np.int64).T
        out = np.zeros((4, len(cases)), np.int64)
        rule_functions_over_rows(np.ascontiguousarray(table), rule_values(**options), out)
        np.testing.assert_array_equal(out, rows_from_python(table, rule_values(**options)), err_msg=str(options))


def kind_of(case: Position) -> tuple[str, ...]:
    """Return which line of the decision table a position belongs to."""
    if not case.trick:
        return ("lead",)
    led, best = case.trick[0][0], case.trick[twin.winner(case.trick, case.trump)]
    side = "partner" if twin.partner_is_winning(case.trick, case.trump) else "opponent"
    if twin.of_suit(case.hand, led):
        higher = "can beat" if best[0] == led and twin.higher(case.hand, best) else "cannot beat"
        return ("follow", side, "trump" if led == case.trump else "plain", higher)
    trumps = twin.of_suit(case.hand, case.trump)
    if not trumps or best[0] != case.trump:
        return ("void", side, "trumps" if trumps else "no trumps")
    has = "over" if twin.higher(trumps, best) else "only under"
    return ("void", side, "trumped", has, "plain" if trumps != case.hand else "nothing else")


def test_positions_cover_every_line_of_the_table_for_every_option_set() -> None:
    wanted = {("lead",), *product(["void"], ["opponent", "partner"], ["trumps", "no trumps"])}
    wanted |= set(product(["follow"], ["opponent", "partner"], ["trump", "plain"], ["can beat", "cannot beat"]))
    wanted |= set(product(["void"], ["opponent", "partner"], ["trumped"], ["over", "only under"], ["plain", "nothing else"]))
    for options in OPTION_SETS:
        seen = Counter(kind_of(case) for case in positions(options))
        assert set(seen) == wanted
        assert seen.total() >= 500
        assert min(seen.values()) >= 3, seen
