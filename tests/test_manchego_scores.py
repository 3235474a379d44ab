"""Scores of Manchego in both ways of scoring, and the options of the game."""

from __future__ import annotations

import dataclasses
import random
from itertools import permutations, product

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

import trickbench
from tests.twins import manchego as twin
from trickbench.errors import UsageError
from trickbench.games.manchego.options import RULE_COUNT, ManchegoRules, RuleValues, as_array
from trickbench.games.manchego.scoring import distance, score

needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiled code is what this checks")

# Bids, tricks won, scores under transfer, scores under gain.
SHEET = [
    ((6, 5, 7), (6, 4, 7), (1, -2, 1), (1, 0, 1)),
    ((0, 10, 5), (0, 8, 9), (6, 0, -6), (6, 2, 0)),
    ((7, 5, 9), (9, 5, 3), (2, 8, -10), (4, 8, 0)),
    ((10, 2, 1), (9, 4, 4), (3, 0, -3), (3, 1, 0)),
    ((17, 17, 17), (17, 0, 0), (34, -17, -17), (34, 0, 0)),
    ((0, 0, 0), (17, 0, 0), (-34, 17, 17), (0, 17, 17)),
    ((6, 5, 6), (6, 5, 6), (0, 0, 0), (0, 0, 0)),
    ((5, 5, 5), (6, 6, 5), (-1, -1, 2), (0, 0, 2)),
]
WON = [(a, b, 17 - a - b) for a in range(18) for b in range(18 - a)]
SCORINGS = ("transfer", "gain")

each_scoring = pytest.mark.parametrize("scoring", SCORINGS)


def scored(bids: tuple[int, ...], won: tuple[int, ...], scoring: str) -> list[int]:
    """Return the scores of the three seats by the rule functions."""
    rules = ManchegoRules(scoring=scoring).values()
    d = [distance(bid, tricks) for bid, tricks in zip(bids, won, strict=True)]
    return [score(d[seat], d[(seat + 1) % 3], d[(seat + 2) % 3], rules) for seat in range(3)]


def some_deals(number: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return random bids with every kind of share of the tricks."""
    rng = random.Random(number)
    return [(tuple(rng.choices(range(18), k=3)), rng.choice(WON)) for _ in range(number)]


@pytest.mark.parametrize(("bids", "won", "transfer", "gain"), SHEET)
def test_score_sheet(bids: tuple[int, ...], won: tuple[int, ...], transfer: tuple[int, ...], gain: tuple[int, ...]) -> None:
    for scoring, wanted in zip(SCORINGS, (transfer, gain), strict=True):
        assert scored(bids, won, scoring) == list(wanted)
        assert twin.scores(bids, won, {"scoring": scoring}) == list(wanted)
        assert trickbench.game("manchego", scoring=scoring).score(bids=bids, won=won) == list(wanted)


def test_the_two_ways_of_scoring_can_crown_different_winners() -> None:
    rules = {scoring: ManchegoRules(scoring=scoring).values() for scoring in SCORINGS}
    totals = {
        scoring: [sum(score(d[seat], d[(seat + 1) % 3], d[(seat + 2) % 3], rules[scoring]) for d in ((0, 0, 3), (2, 3, 0))) for seat in range(3)]
        for scoring in SCORINGS
    }
    assert totals == {"transfer": [2, -1, -1], "gain": [4, 3, 5]}


@each_scoring
def test_scores_are_those_of_the_naive_sheet(scoring: str) -> None:
    for bids, won in some_deals(20_000):
        assert scored(bids, won, scoring) == twin.scores(bids, won, {"scoring": scoring}), (bids, won)


@each_scoring
def test_scores_of_all_distances_are_those_of_pairs_that_settle(scoring: str) -> None:
    rules = ManchegoRules(scoring=scoring).values()
    for mine, left, right in product(range(18), repeat=3):
        # With bids of 0 the distances are the tricks.
        want = twin.scores((0, 0, 0), (mine, left, right), {"scoring": scoring})[0]
        assert score(mine, left, right, rules) == want


def test_transfer_scores_sum_to_zero_and_are_the_sum_less_three_times_the_own_distance() -> None:
    for bids, won in some_deals(5000):
        missed = twin.distances(bids, won)
        scores = scored(bids, won, "transfer")
        assert sum(scores) == 0
        assert scores == [sum(missed) - 3 * own for own in missed]


def test_gain_scores_are_never_negative_and_the_farthest_gains_nothing() -> None:
    for bids, won in some_deals(5000):
        scores = scored(bids, won, "gain")
        missed = twin.distances(bids, won)
        assert min(scores) == 0
        assert scores[missed.index(max(missed))] == 0
        assert scores == [sum(max(0, other - own) for other in missed) for own in missed]


def test_distances_are_even_or_odd_with_the_bids_and_the_tricks() -> None:
    for bids, won in some_deals(5000):
        assert sum(distance(bid, tricks) for bid, tricks in zip(bids, won, strict=True)) % 2 == (sum(bids) + 17) % 2


def test_distances_are_how_far_tricks_are_from_the_bid() -> None:
    for bid, tricks in product(range(18), repeat=2):
        assert distance(bid, tricks) == abs(bid - tricks)


@each_scoring
def test_scores_go_with_the_players_when_they_change_seats(scoring: str) -> None:
    for bids, won in some_deals(300):
        scores = scored(bids, won, scoring)
        for seats in permutations(range(3)):
            assert scored(tuple(bids[seat] for seat in seats), tuple(won[seat] for seat in seats), scoring) == [scores[seat] for seat in seats]


@needs_compiler
def test_compiled_scores_are_those_of_plain_python() -> None:
    @numba.njit
    def scores(missed: NDArray[np.int64], rules: RuleValues) -> NDArray[np.int64]:
        out = np.zeros(len(missed), np.int64)
        for i in range(len(missed)):
            out[i] = score(distance(0, missed[i, 0]), missed[i, 1], missed[i, 2], rules)
        return out

    missed = list(product(range(18), repeat=3))
    for scoring in SCORINGS:
        rules = ManchegoRules(scoring=scoring).values()
        np.testing.assert_array_equal(scores(np.array(missed), rules), [score(*row, rules) for row in missed])


@pytest.mark.parametrize("form", [(7, 5, 9), [7, 5, 9], "7,5,9", "7 5 9", np.array([7, 5, 9])], ids=["tuple", "list", "commas", "spaces", "array"])
def test_bids_and_tricks_are_read_in_every_form(form: object) -> None:
    assert trickbench.game("manchego", scoring="gain").score(bids=form, won="9,5,3") == [4, 8, 0]


@pytest.mark.parametrize(
    ("bids", "won", "message"),
    [
        ((6, 5), (6, 4, 7), "bids cannot be"),
        ((6, 5, 18), (6, 4, 7), "bids cannot be"),
        ((6, 5, -1), (6, 4, 7), "bids cannot be"),
        ("6,5,x", (6, 4, 7), "bids cannot be '6,5,x'"),
        ((6, 5, 7.5), (6, 4, 7), "bids cannot be"),
        ((6, 5, 7), (6, 4), "won cannot be"),
        ((6, 5, 7), (6, 4, 8), "sums to 18"),
        ((6, 5, 7), (0, 0, 0), "sums to 0"),
    ],
)
def test_deals_that_cannot_be_are_refused(bids: object, won: object, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        trickbench.game("manchego").score(bids=bids, won=won)
    assert "\n" not in str(caught.value)


def test_profile() -> None:
    assert ManchegoRules.manchego() == ManchegoRules()
    assert ManchegoRules().as_dict() == {
        "hook": "off", "scoring": "transfer", "game_deals": 10, "minutes": None, "seconds_per_deal": ManchegoRules().seconds_per_deal, "target": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("option", "given", "held"),
    [
        ("hook", "on", "on"),
        ("hook", True, "on"),
        ("hook", False, "off"),
        ("scoring", "gain", "gain"),
        ("game_deals", "20", 20),
        ("minutes", 30, 30),
        ("minutes", "none", None),
        ("seconds_per_deal", "90", 90),
        ("target", "10", 10),
        ("target", None, None),
    ],
)
def test_option_values_are_read(option: str, given: object, held: object) -> None:
    got = getattr(ManchegoRules.manchego(**{option: given}), option)
    assert (got, type(got)) == (held, type(held))


@pytest.mark.parametrize(
    ("option", "given", "permitted"),
    [
        ("hook", "yes", ("on", "off")),
        ("hook", 1, ("on", "off")),
        ("hook", None, ("on", "off")),
        ("scoring", "win", ("transfer", "gain")),
        ("scoring", True, ("transfer", "gain")),
        ("game_deals", 0, ("1", "none")),
        ("game_deals", 2.5, ("1", "none")),
        ("game_deals", "ten", ("1", "none")),
        ("minutes", -5, ("1", "none")),
        ("minutes", True, ("1", "none")),
        ("seconds_per_deal", 0, ("1",)),
        ("seconds_per_deal", None, ("1",)),
        ("target", 0, ("1", "none")),
        ("target", 10**9, ("1", "none")),
    ],
)
def test_wrong_values_are_refused_with_option_value_and_what_is_permitted(option: str, given: object, permitted: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        ManchegoRules.manchego(**{option: given})
    message = str(caught.value)
    assert f"'{option}' cannot be '{given}'" in message
    assert "\n" not in message
    assert all(word in message.rpartition(f"'{given}'")[2] for word in permitted), message


def test_unknown_options_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"unknown rule option 'hok'; did you mean 'hook'\?"):
        ManchegoRules.manchego(hok="on")
    with pytest.raises(UsageError, match=r"unknown rule option 'undertrump'; known: .*scoring"):
        trickbench.game("manchego", undertrump="allowed")


def test_a_game_without_an_end_is_refused() -> None:
    with pytest.raises(UsageError, match="'game_deals', 'minutes' and 'target'"):
        ManchegoRules(game_deals=None)
    for end in ({"game_deals": 1}, {"minutes": 1}, {"target": 1}):
        assert ManchegoRules(**({"game_deals": None} | end)).as_dict().items() >= end.items()


def test_rules_are_values_that_cannot_be_changed_in_place() -> None:
    rules = ManchegoRules()
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.hook = "on"  # type: ignore[misc]
    assert (rules.hook, rules.changed(hook="on").hook) == ("off", "on")
    assert len({rules, rules.changed(hook="on"), ManchegoRules()}) == 2


def test_options_read_back_from_plain_values_and_from_text() -> None:
    for rules in (ManchegoRules(), ManchegoRules(hook="on", scoring="gain", game_deals=None, minutes=45, target=30)):
        plain = rules.as_dict()
        assert list(plain) == ManchegoRules.names()
        assert ManchegoRules(**plain) == rules
        assert ManchegoRules(**{name: str(value) for name, value in plain.items()}) == rules


def test_rule_values_cross_into_kernels_as_one_array_of_integers() -> None:
    values = ManchegoRules(hook="on", scoring="gain", target=21).values()
    assert values == RuleValues(hook=1, gain=1, target=21)
    array = as_array(values)
    assert (array.dtype, array.shape) == (np.int64, (RULE_COUNT,))
    assert RuleValues(*array.tolist()) == values
    assert ManchegoRules().values() == RuleValues(hook=0, gain=0, target=0)


def test_every_option_says_what_it_may_be_and_what_it_means() -> None:
    described = ManchegoRules.described()
    assert [item["option"] for item in described] == ManchegoRules.names()
    assert all(item["values"] and item["meaning"] for item in described)
