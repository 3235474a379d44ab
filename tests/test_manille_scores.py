"""Scores of Manille in every way of stacking factors, and the options that decide about them."""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.twins import manille as twin
from trickbench.errors import TrickbenchError, UsageError
from trickbench.games.manille.options import RULE_COUNT, ManilleRules, RuleValues, as_array
from trickbench.games.manille.scoring import factor, is_capot, next_carry, score

needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiled code is what this checks")

STACKING = ("multiply", "add", "cap4")
# What happened, then the score under multiply, add, cap4. Keys: points and tricks of the side asked about, and events.
SHEET: dict[str, tuple[dict[str, int], tuple[int, int, int]]] = {
    "36 points": ({"points": 36}, (6, 6, 6)),
    "24 points": ({"points": 24}, (0, 0, 0)),
    "36 points at no-trump": ({"points": 36, "no_trump": 1}, (12, 12, 12)),
    "36 points against a dealer who was doubled": ({"points": 36, "doubles": 1}, (12, 12, 12)),
    "24 points, doubled": ({"points": 24, "doubles": 1}, (0, 0, 0)),
    "36 points, redoubled": ({"points": 36, "doubles": 2}, (24, 18, 24)),
    "36 points, no-trump, redoubled": ({"points": 36, "no_trump": 1, "doubles": 2}, (48, 24, 24)),
    "capot": ({"points": 60, "tricks": 8}, (60, 60, 60)),
    "all points but not all tricks": ({"points": 60, "tricks": 7}, (30, 30, 30)),
    "capot, no-trump, redoubled": ({"points": 60, "tricks": 8, "no_trump": 1, "doubles": 2}, (480, 150, 120)),
    "a tie, whatever was called": ({"points": 30, "no_trump": 1, "doubles": 2, "carry": 2}, (0, 0, 0)),
    "41 points, doubled, after a tie": ({"points": 41, "doubles": 1, "carry": 2}, (44, 33, 44)),
    "38 points after two ties, flat": ({"points": 38, "carry": 2}, (16, 16, 16)),
    "38 points after two ties, accumulated": ({"points": 38, "carry": 4}, (32, 24, 32)),
    "36 points, blind no-trump, doubled": ({"points": 36, "no_trump": 1, "blind": 1, "doubles": 1}, (48, 30, 24)),
    "31 points": ({"points": 31}, (1, 1, 1)),
    "no points": ({"points": 0, "tricks": 0, "doubles": 2, "carry": 4}, (0, 0, 0)),
}
SCORING_OPTIONS = {"stacking": STACKING, "capot_factor": (2, 1), "capot_by": ("tricks", "points")}
SCORING_SETS = [dict(zip(SCORING_OPTIONS, values, strict=True)) for values in product(*SCORING_OPTIONS.values())]


def scored(rules: RuleValues, points: int, tricks: int = 5, no_trump: int = 0, blind: int = 0, doubles: int = 0, carry: int = 1) -> int:
    return score(points, tricks, no_trump, blind, doubles, carry, rules)


def every_deal() -> list[tuple[int, int, int, int, int, int]]:
    """Return all points, tricks, calls, doubles and carries that can meet (and a few that cannot)."""
    calls = [(0, 0), (1, 0), (1, 1)]
    return [
        (points, tricks, no_trump, blind, doubles, carry)
        for points, tricks, (no_trump, blind), doubles, carry in product(range(61), (0, 1, 7, 8), calls, (0, 1, 2), (1, 2, 4, 8, 16))
    ]


@pytest.mark.parametrize("stacking", STACKING)
@pytest.mark.parametrize("line", SHEET)
def test_score_sheet(line: str, stacking: str) -> None:
    happened, wanted = SHEET[line]
    assert scored(ManilleRules(stacking=stacking).values(), **happened) == wanted[STACKING.index(stacking)]


@pytest.mark.parametrize("options", SCORING_SETS, ids=["-".join(map(str, options.values())) for options in SCORING_SETS])
def test_scores_are_those_of_the_naive_sheet(options: dict[str, Any]) -> None:
    rules = ManilleRules(**options).values()
    for points, tricks, no_trump, blind, doubles, carry in every_deal():
        want = twin.score(points, tricks, bool(no_trump), bool(blind), doubles, carry, options)
        assert score(points, tricks, no_trump, blind, doubles, carry, rules) == want, (points, tricks, no_trump, blind, doubles, carry)


@pytest.mark.parametrize("options", SCORING_SETS, ids=["-".join(map(str, options.values())) for options in SCORING_SETS])
def test_at_most_one_side_scores_and_only_the_excess_is_multiplied(options: dict[str, Any]) -> None:
    rules = ManilleRules(**options).values()
    for points, tricks, *events in every_deal():
        ours, theirs = score(points, tricks, *events, rules), score(60 - points, 8 - tricks, *events, rules)
        assert min(ours, theirs) == 0
        assert ours % max(points - 30, 1) == 0
        assert (ours == theirs == 0) == (points == 30)


@needs_compiler
def test_compiled_scores_are_those_of_plain_python() -> None:
    @numba.njit
    def scores(deals: NDArray[np.int64], rules: RuleValues) -> NDArray[np.int64]:
        out = np.zeros((2, len(deals)), np.int64)
        for i in range(len(deals)):
            d = deals[i]
            out[0, i] = score(d[0], d[1], d[2], d[3], d[4], d[5], rules)
            out[1, i] = next_carry(d[0], d[5], rules)
        return out

    deals = every_deal()
    for options in SCORING_SETS:
        rules = ManilleRules(**options).values()
        want = [[score(*deal, rules) for deal in deals], [next_carry(deal[0], deal[5], rules) for deal in deals]]
        np.testing.assert_array_equal(scores(np.array(deals), rules), want)


@pytest.mark.parametrize(
    ("options", "points", "tricks", "want"),
    [
        ({}, 60, 8, 60),
        ({}, 60, 7, 30),
        ({"capot_by": "points"}, 60, 8, 60),
        ({"capot_by": "points"}, 60, 7, 60),
        ({"capot_by": "points"}, 59, 7, 29),
        ({"capot_factor": 1}, 60, 8, 30),
        ({"capot_factor": 1, "capot_by": "points"}, 60, 7, 30),
        ({"capot_factor": 1, "stacking": "add"}, 60, 8, 30),
        ({"capot_factor": 2, "stacking": "add"}, 60, 8, 60),
    ],
)
def test_capot_by_tricks_or_by_points(options: dict[str, Any], points: int, tricks: int, want: int) -> None:
    assert scored(ManilleRules(**options).values(), points, tricks) == want


def test_capot_is_all_tricks_or_all_points_as_the_option_says() -> None:
    by_tricks, by_points = ManilleRules().values(), ManilleRules(capot_by="points").values()
    for points, tricks in product(range(61), range(9)):
        assert is_capot(points, tricks, by_tricks) == int(tricks == 8)
        assert is_capot(points, tricks, by_points) == int(points == 60)


@pytest.mark.parametrize("stacking", STACKING)
def test_no_event_means_a_factor_of_one_and_one_event_two(stacking: str) -> None:
    rules = ManilleRules(stacking=stacking).values()
    assert factor(0, 0, 0, 0, 1, rules) == 1
    assert {factor(1, 0, 0, 0, 1, rules), factor(0, 0, 1, 0, 1, rules), factor(0, 0, 0, 1, 1, rules), factor(0, 0, 0, 0, 2, rules)} == {2}
    assert factor(1, 1, 0, 0, 1, rules) == 4


@pytest.mark.parametrize(
    ("tie_carry", "wanted"),
    [("flat", [2, 2, 2, 1, 2]), ("accumulate", [2, 4, 8, 1, 2]), ("none", [1, 1, 1, 1, 1])],
)
def test_ties_carry_a_factor_until_a_deal_is_decided(tie_carry: str, wanted: list[int]) -> None:
    rules = ManilleRules(tie_carry=tie_carry).values()
    carry, carries = 1, []
    for points in (30, 30, 30, 22, 30):
        assert next_carry(points, carry, rules) == twin.next_carry(points, carry, {"tie_carry": tie_carry})
        carry = next_carry(points, carry, rules)
        carries.append(carry)
    assert carries == wanted


def test_a_decided_deal_uses_up_the_carry_whoever_wins_it() -> None:
    for tie_carry, points, carry in product(("flat", "accumulate", "none"), [*range(30), *range(31, 61)], (1, 2, 4, 8)):
        assert next_carry(points, carry, ManilleRules(tie_carry=tie_carry).values()) == 1


@pytest.mark.parametrize(("tie_carry", "want"), [("flat", 16), ("accumulate", 32), ("none", 8)])
def test_two_ties_and_then_38_points(tie_carry: str, want: int) -> None:
    rules = ManilleRules(tie_carry=tie_carry).values()
    carry = next_carry(30, next_carry(30, 1, rules), rules)
    assert scored(rules, 38, carry=carry) == want


def test_forfeit_and_target_are_the_numbers_of_the_profiles() -> None:
    for rules in (ManilleRules.manillen(), ManilleRules.manille()):
        assert (rules.values().penalty, rules.values().target) == (30, 101)
    assert ManilleRules(target=None, game_deals=50).values().target == 0


def test_profiles() -> None:
    strict, free = ManilleRules.manillen(), ManilleRules.manille()
    assert strict == ManilleRules()
    assert {name: value for name, value in free.as_dict().items() if value != strict.as_dict()[name]} == {
        "deal_packets": "2-2-2-2", "must_beat": "off", "ruff": "free", "overruff": "free", "undertrump": "allowed",
        "undertrump_under_partner": "allowed", "en_face": "on", "capot_factor": 1, "tie_carry": "none", "best_of": 1,
    }  # fmt: skip
    assert strict.as_dict() == {
        "deal_packets": "3-2-3", "must_beat": "opponent", "ruff": "must", "overruff": "must", "undertrump": "forbidden",
        "undertrump_under_partner": "forbidden", "trump_lead_over_partner": "free", "en_face": "off", "no_trump_factor": 2,
        "blind_no_trump": "off", "doubling": "on", "capot_factor": 2, "capot_by": "tricks", "tie_carry": "flat",
        "stacking": "multiply", "renege_penalty": 30, "target": 101, "game_deals": None, "best_of": 3,
    }  # fmt: skip


@pytest.mark.parametrize("rules", [ManilleRules.manillen(), ManilleRules.manille(target=None, game_deals=50)], ids=["manillen", "manille"])
def test_options_read_back_from_plain_values_and_from_text(rules: ManilleRules) -> None:
    plain = rules.as_dict()
    assert list(plain) == ManilleRules.names()
    assert ManilleRules(**plain) == rules
    assert ManilleRules(**{name: str(value) for name, value in plain.items()}) == rules


@pytest.mark.parametrize(
    ("option", "given", "held"),
    [
        ("capot_factor", "1", 1),
        ("capot_factor", 1, 1),
        ("no_trump_factor", "2", 2),
        ("undertrump", "forced", "forced"),
        ("en_face", True, "on"),
        ("en_face", False, "off"),
        ("doubling", False, "off"),
        ("blind_no_trump", "on", "on"),
        ("target", "none", None),
        ("target", "None", None),
        ("target", None, None),
        ("target", " 61 ", 61),
        ("game_deals", "50", 50),
        ("best_of", "5", 5),
        ("deal_packets", "4-4", (4, 4)),
        ("deal_packets", [3, 2, 3], (3, 2, 3)),
        ("deal_packets", "8", (8,)),
        ("deal_packets", (1,) * 8, (1,) * 8),
    ],
)
def test_option_values_are_read(option: str, given: object, held: object) -> None:
    got = getattr(ManilleRules.manillen(**{option: given}), option)
    assert (got, type(got)) == (held, type(held))


@pytest.mark.parametrize(
    ("option", "given", "permitted"),
    [
        ("must_beat", "sometimes", ("opponent", "always", "off")),
        ("ruff", True, ("must", "free")),
        ("overruff", 1, ("must", "free")),
        ("undertrump", "", ("forbidden", "allowed", "forced")),
        ("undertrump_under_partner", "forced", ("forbidden", "allowed")),
        ("trump_lead_over_partner", "must", ("free", "must_beat")),
        ("en_face", "yes", ("on", "off")),
        ("no_trump_factor", 3, ("2",)),
        ("capot_factor", True, ("2", "1")),
        ("capot_factor", 1.0, ("2", "1")),
        ("capot_by", None, ("tricks", "points")),
        ("tie_carry", False, ("flat", "accumulate", "none")),
        ("stacking", "cap", ("multiply", "add", "cap4")),
        ("renege_penalty", 20, ("30",)),
        ("target", 0, ("1", "none")),
        ("target", 100.5, ("1", "none")),
        ("target", True, ("1", "none")),
        ("target", "hundred", ("1", "none")),
        ("game_deals", -1, ("1", "none")),
        ("game_deals", 10**9, ("1000000", "none")),
        ("best_of", 2, ("odd", "1", "99")),
        ("best_of", None, ("odd", "1", "99")),
        ("best_of", 101, ("odd", "1", "99")),
        ("best_of", "3²", ("odd", "1", "99")),
        ("deal_packets", "3-2", ("8",)),
        ("deal_packets", "0-8", ("8",)),
        ("deal_packets", "9--1", ("8",)),
        ("deal_packets", "three", ("8",)),
        ("deal_packets", "", ("8",)),
        ("deal_packets", [], ("8",)),
        ("deal_packets", 8, ("8",)),
        ("deal_packets", None, ("8",)),
        ("deal_packets", [2.5, 5.5], ("8",)),
        ("deal_packets", [2.9, 6.9], ("8",)),
        ("deal_packets", [float("inf")], ("8",)),
    ],
)
def test_wrong_values_are_refused_with_option_value_and_what_is_permitted(option: str, given: object, permitted: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        ManilleRules.manillen(**{option: given})
    message = str(caught.value)
    assert f"'{option}'" in message
    assert f"'{given}'" in message
    assert "\n" not in message
    after_value = message.rpartition(f"'{given}'")[2]
    assert all(word in after_value for word in permitted), message


def test_the_constructor_refuses_what_the_profiles_refuse() -> None:
    with pytest.raises(UsageError, match=r"'ruff' cannot be 'perhaps'; it takes must, free"):
        ManilleRules(ruff="perhaps")


@pytest.mark.parametrize("profile", [ManilleRules.manillen, ManilleRules.manille])
def test_unknown_options_are_refused_with_the_nearest_name(profile: Any) -> None:
    with pytest.raises(UsageError, match=r"unknown rule option 'undertrumps'; did you mean 'undertrump'\?"):
        profile(undertrumps="allowed")
    with pytest.raises(UsageError, match=r"unknown rule option 'zzz'; known: .*must_beat"):
        profile(zzz=1)


def test_usage_errors_are_caught_as_value_errors_and_as_the_packages_own() -> None:
    assert issubclass(UsageError, ValueError)
    assert issubclass(UsageError, TrickbenchError)


def test_rules_are_values_that_cannot_be_changed_in_place() -> None:
    rules = ManilleRules.manillen()
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.ruff = "free"  # type: ignore[misc]
    changed = rules.changed(ruff="free")
    assert (rules.ruff, changed.ruff) == ("must", "free")
    assert len({rules, changed, ManilleRules()}) == 2


def test_every_option_says_what_it_may_be_and_what_it_means() -> None:
    described = ManilleRules.described()
    assert [item["option"] for item in described] == ManilleRules.names()
    assert all(item["values"] and item["meaning"] for item in described)


def test_rule_values_cross_into_kernels_as_one_array_of_integers() -> None:
    values = ManilleRules.manille(stacking="add").values()
    array = as_array(values)
    assert array.dtype == np.int64
    assert array.shape == (RULE_COUNT,)
    assert RuleValues(*array.tolist()) == values
