"""Hands up to the names of suits: their number, orbits and numbering, against plain statements."""

from __future__ import annotations

from itertools import permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit, types

from trickbench import UsageError
from trickbench.cards import CALLS, MANILLE
from trickbench.games.manille import hands
from trickbench.games.manille.packed_calls import pack_calls, packed_call

EVERY = hands.hands_of(np.arange(hands.COUNT))
DEALT = st.sets(st.integers(0, 31), min_size=8, max_size=8).map(lambda cards: sum(1 << card for card in cards))


def renamed(hand: int, order: tuple[int, ...]) -> int:
    """Return a hand whose suit ``k`` is what suit ``order[k]`` was."""
    return sum((hand >> 8 * suit & 0xFF) << 8 * place for place, suit in enumerate(order))


def orbit(hand: int) -> set[int]:
    return {renamed(hand, order) for order in permutations(range(4))}


def test_there_are_472579_canonical_hands_and_they_stand_for_all() -> None:
    assert len(EVERY) == len(np.unique(EVERY)) == 472_579
    assert (np.bitwise_count(EVERY) == 8).all()
    masks = hands.suit_masks(EVERY)
    assert (np.diff(masks, axis=1) >= 0).all()
    sizes, counts = np.unique(hands.orbit_sizes(EVERY), return_counts=True)
    assert sizes.tolist() == [1, 4, 6, 12, 24]
    assert (sizes * counts).sum() == comb(32, 8) == hands.ALL_HANDS == 10_518_300


def test_numbers_are_in_the_order_of_the_hands_as_sets_and_lead_back() -> None:
    assert (np.diff(EVERY.astype(np.int64)) > 0).all()
    assert (hands.ranks_of(EVERY) == np.arange(hands.COUNT)).all()


@given(DEALT)
def test_a_hand_and_its_renamings_are_one(hand: int) -> None:
    every = sorted(orbit(hand))
    form = hands.canonical(hand)
    assert form == max(every)  # of all orders of the masks the one with the greatest on top
    assert int(hands.orbit_sizes(hand)) == len(every)
    assert set(hands.ranks_of(every).tolist()) == {hands.rank_of(hand, hands.ranking())}
    assert EVERY[hands.rank_of(hand, hands.ranking())] == form
    assert hands.sorted_masks(hand) == tuple(sorted(hand >> 8 * suit & 0xFF for suit in range(4)))


@given(DEALT)
def test_calls_of_the_canonical_hand_are_calls_of_the_hand(hand: int) -> None:
    form = hands.canonical(hand)
    suits = hands.suits_from_canonical(hand)
    assert sorted(suits) == [0, 1, 2, 3]
    assert renamed(hand, suits) == form
    assert hands.calls_from_canonical(hand) == [CALLS[suit] for suit in suits] + ["NT"]
    for call, suit in enumerate(suits):
        bit = hands.call_bit(hand, call)
        held = [hand >> 8 * own & 0xFF for own in range(4)]
        assert bit == 1 << held.index(held[suit])
    assert hands.call_bit(hand, 4) == 16


def test_orbits_of_hands_with_equal_suits() -> None:
    cases = {
        "ST SA HT HA DT DA CT CA": 1,
        "ST SA SK SQ SJ S9 S8 S7": 4,
        "ST SA SK HT HA HK DT DA": 12,
        "ST SA SK SQ HT HA HK HQ": 6,
        "ST SA SK HT HA DT DA C7": 12,
        "ST SA SK HT HA HK DT CT": 6,
        "ST HT DT SA HA DA SK HK": 12,
        "ST SA SK HT HA HQ DT C7": 24,
    }
    for text, size in cases.items():
        assert int(hands.orbit_sizes(MANILLE.set(text))) == len(orbit(MANILLE.set(text))) == size, text


def test_compiled_code_finds_numbers_and_packed_calls() -> None:
    draw = np.random.default_rng(4)
    calls = draw.integers(0, 5, hands.COUNT)
    table = pack_calls(calls)
    some = np.array([sum(1 << int(card) for card in draw.choice(32, 8, replace=False)) for _ in range(3000)])

    @njit(types.void(types.int64[::1], types.int64[::1], types.int64[::1], types.int64[::1]))
    def look_up(held, table, ranks, bits):  # type: ignore[no-untyped-def]
        for k in range(len(held)):
            ranks[k] = hands.rank_of(held[k], table)
            bits[k] = packed_call(held[k], table)

    ranks, bits = np.zeros((2, len(some)), np.int64)
    look_up(some, table, ranks, bits)
    assert (ranks == hands.ranks_of(some)).all()
    assert bits.tolist() == [hands.call_bit(int(hand), int(calls[rank])) for hand, rank in zip(some, ranks, strict=True)]
    every = np.array([packed_call(int(hand), table) for hand in EVERY[:: 997]])
    assert (every == [hands.call_bit(int(hand), int(call)) for hand, call in zip(EVERY[::997], calls[::997], strict=True)]).all()


@pytest.mark.parametrize("cards", [0, 1, 0xFFFFFFFF, 0x1FF, 0xFF << 20 | 1])
def test_what_is_no_hand_gets_some_number_in_range(cards: int) -> None:
    assert 0 <= hands.rank_of(cards, hands.ranking()) < hands.COUNT
    with pytest.raises(UsageError, match="a dealt hand has 8 cards"):
        hands.ranks_of([cards])


def test_text_that_is_no_hand_is_refused() -> None:
    assert hands.read_hand("SA SK S9 HT H7 DJ C9 C8").bit_count() == 8
    with pytest.raises(UsageError, match="has 7"):
        hands.read_hand("SA SK S9 HT H7 DJ C9")
    with pytest.raises(UsageError, match="unknown card"):
        hands.read_hand("SA SK S9 HT H7 DJ C9 C6")
