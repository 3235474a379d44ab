"""Card sets as bits, cards as text, and random words by counter."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from trickbench import bits
from trickbench.cards import CALLS, FRENCH, MANILLE, SUITS, Pack, suit_number
from trickbench.errors import UsageError
from trickbench.streams import DEALING, FIRST_DEALER, MORE, first_dealer, more_words, philox, words

needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiled code is what this checks")

LARGEST = 62
card_sets = st.integers(0, (1 << LARGEST) - 1)
some_cards = st.sets(st.integers(0, LARGEST - 1), min_size=1)
hands = st.sets(st.integers(0, LARGEST - 1), min_size=1, max_size=8)
random_words = st.integers(0, 2**32 - 1) | st.sampled_from([0, 1, 2**31, 2**32 - 1])
packs = pytest.mark.parametrize("pack", [MANILLE, FRENCH], ids=["manille", "french"])


def indices(cards: int) -> list[int]:
    """Return the places of the ones in the binary text of a set, ascending."""
    return [place for place, digit in enumerate(reversed(f"{cards:b}")) if digit == "1"]


def set_of(places: Iterable[int]) -> int:
    return sum(1 << place for place in set(places))


@given(card_sets)
def test_popcount_and_members_count_and_list_the_cards(cards: int) -> None:
    assert bits.popcount(cards) == len(indices(cards))
    assert bits.members(cards) == indices(cards)


@given(card_sets)
def test_lowest_and_highest_are_the_ends_of_a_set(cards: int) -> None:
    assert bits.lowest(cards) == set_of(indices(cards)[:1])
    assert bits.highest(cards) == set_of(indices(cards)[-1:])


@given(card_sets, st.none() | st.integers(0, LARGEST - 1))
def test_above_and_below_part_a_suit_at_a_card(suit: int, place: int | None) -> None:
    card = 0 if place is None else 1 << place
    above = [other for other in indices(suit) if place is None or other > place]
    below = [other for other in indices(suit) if place is not None and other < place]
    assert bits.above(card, suit) == set_of(above)
    assert bits.below(card, suit) == set_of(below)
    assert bits.above(card, suit) | bits.below(card, suit) | (suit & card) == suit


@given(random_words, st.integers(1, 60))
def test_bounded_is_the_word_as_a_share_of_n(word: int, n: int) -> None:
    assert bits.bounded(word, n) == word * n // 2**32
    assert 0 <= bits.bounded(word, n) < n


@given(some_cards)
def test_nth_counts_cards_from_the_lowest(places: set[int]) -> None:
    cards = set_of(places)
    assert [bits.nth(cards, n) for n in range(len(places))] == [1 << place for place in sorted(places)]


@given(hands)
def test_nth_of_hand_counts_cards_from_the_lowest(places: set[int]) -> None:
    cards = set_of(places)
    assert [bits.nth_of_hand(cards, n) for n in range(len(places))] == [1 << place for place in sorted(places)]


@given(some_cards, random_words)
def test_pick_takes_the_card_at_the_words_share_of_the_set(places: set[int], word: int) -> None:
    assert bits.pick(set_of(places), word) == 1 << sorted(places)[word * len(places) // 2**32]


@given(hands, random_words)
def test_pick_of_hand_picks_what_pick_picks(places: set[int], word: int) -> None:
    assert bits.pick_of_hand(set_of(places), word) == bits.pick(set_of(places), word)


@pytest.mark.parametrize("size", range(1, 9))
def test_evenly_spread_words_pick_every_card_equally_often(size: int) -> None:
    cards = set_of(random.Random(size).sample(range(32), size))
    spread = range(2**32 // 1680, 2**32, 2**32 // 840)
    picked = [bits.pick_of_hand(cards, word) for word in spread]
    assert {card: picked.count(card) for card in picked} == {1 << place: 840 // size for place in indices(cards)}


@numba.njit
def bits_over_rows(sets: NDArray[Any], places: NDArray[Any], drawn: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill a row for each function of bits with what it says about each set, card and word."""
    for i in range(len(sets)):
        cards, word, card = sets[i], drawn[i], 1 << places[i]
        count = bits.popcount(cards)
        hand = cards & 0xFF
        out[0, i] = count
        out[1, i] = bits.lowest(cards)
        out[2, i] = bits.highest(cards)
        out[3, i] = bits.above(card, cards)
        out[4, i] = bits.below(card, cards)
        out[5, i] = bits.bounded(word, 52)
        out[6, i] = bits.nth(cards, bits.bounded(word, count))
        out[7, i] = bits.pick(cards, word)
        out[8, i] = bits.nth_of_hand(hand, 0)
        out[9, i] = bits.pick_of_hand(hand, word)
        out[10, i] = bits.above(0, cards) ^ bits.below(0, cards)


def bits_row(cards: int, place: int, word: int) -> list[int]:
    """Return what the plain functions say, in the order of :func:`bits_over_rows`."""
    picked = bits.pick(cards, word)
    part = [bits.above(1 << place, cards), bits.below(1 << place, cards), bits.bounded(word, 52)]
    hand = cards & 0xFF
    of_hand = [bits.nth_of_hand(hand, 0), bits.pick_of_hand(hand, word)]
    return [bits.popcount(cards), bits.lowest(cards), bits.highest(cards), *part, picked, picked, *of_hand, cards]


@needs_compiler
def test_compiled_bits_give_what_plain_python_gives() -> None:
    rng = random.Random(4)
    rows = [(rng.getrandbits(LARGEST) & rng.getrandbits(LARGEST) | 1, rng.randrange(LARGEST), rng.getrandbits(32)) for _ in range(3000)]
    rows += [(1 << place, place, word) for place in range(LARGEST) for word in (0, 2**32 - 1)]
    rows += [((1 << LARGEST) - 1, LARGEST - 1, 2**32 - 1), ((1 << LARGEST) - 1, 0, 0)]
    sets, places, drawn = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    out = np.zeros((11, len(rows)), np.int64)
    bits_over_rows(sets, places, drawn, out)
    np.testing.assert_array_equal(out.T, np.array([bits_row(*row) for row in rows]))


@packs
def test_every_card_reads_back_from_its_text(pack: Pack) -> None:
    texts = [pack.card_text(card) for card in range(pack.size)]
    assert len(set(texts)) == pack.size
    assert [pack.card(text) for text in texts] == list(range(pack.size))


@packs
@given(data=st.data())
def test_every_set_reads_back_from_its_text(pack: Pack, data: st.DataObject) -> None:
    cards = data.draw(st.integers(0, pack.all))
    assert pack.set(pack.text(cards)) == cards
    assert pack.set(pack.listed(cards)) == cards
    assert pack.set(pack.text(cards).replace(" ", ".")) == cards
    assert pack.set(pack.text(cards).replace(" ", ", ")) == cards


def test_ranks_go_from_low_to_high_with_the_ten_on_top_in_manille() -> None:
    assert [MANILLE.card_text(card) for card in range(24, 32)] == ["S7", "S8", "S9", "SJ", "SQ", "SK", "SA", "ST"]
    assert [FRENCH.card_text(card) for card in range(13)] == ["C" + rank for rank in "23456789TJQKA"]
    assert (MANILLE.size, FRENCH.size) == (32, 52)


@packs
def test_suits_and_ranks_are_the_sets_of_their_cards(pack: Pack) -> None:
    cards = range(pack.size)
    for number, suit in enumerate(SUITS):
        assert pack.suit(number) == set_of(card for card in cards if pack.card_text(card)[0] == suit)
    for rank in pack.ranks:
        assert pack.rank(rank) == set_of(card for card in cards if pack.card_text(card)[1] == rank)
    assert pack.all == set_of(cards)


def test_sets_are_listed_spades_first_and_high_to_low() -> None:
    assert MANILLE.listed(MANILLE.set("C7 ST SA H8 HT DQ")) == ["ST", "SA", "HT", "H8", "DQ", "C7"]
    assert FRENCH.text(FRENCH.set("ST SA S2 CK")) == "SA ST S2 CK"
    assert MANILLE.text(0) == ""
    assert MANILLE.listed(0) == []
    assert MANILLE.listed(np.uint32(0x80000001)) == ["ST", "C7"]


@packs
@pytest.mark.parametrize("text", ["ST", "TS", "S10", "10S", "st", "ts", "s10", "10s", "♠T", "T♠", "♠10", "10♠", "♤10", "sT"])
def test_the_ten_of_spades_in_every_spelling(pack: Pack, text: str) -> None:
    assert pack.card_text(pack.card(text)) == "ST"


@pytest.mark.parametrize(("symbol", "letter"), list(zip("♣♦♥♠♧♢♡♤", "CDHSCDHS", strict=True)))
def test_suit_symbols_are_read_as_suits_and_as_trumps(symbol: str, letter: str) -> None:
    assert MANILLE.card_text(MANILLE.card(symbol + "q")) == letter + "Q"
    assert CALLS[suit_number(symbol)] == letter


def test_cards_keep_the_order_of_the_text() -> None:
    assert [MANILLE.card_text(card) for card in MANILLE.cards("HK,SJ ♠9.10d")] == ["HK", "SJ", "S9", "DT"]
    assert MANILLE.cards("") == []
    assert MANILLE.cards(["s7", "C7"]) == [24, 0]
    assert MANILLE.cards(card for card in ("s7", "C7")) == [24, 0]


@pytest.mark.parametrize("text", ["", "S", "10", "S1", "X7", "7X", "SS", "77", "S77", "SAA", "1010", "S 7", "NT", "joker", "♠", "ß7"])
@packs
def test_unknown_cards_are_named_with_suits_and_ranks(pack: Pack, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        pack.card(text)
    assert f"'{text}'" in str(caught.value)
    assert SUITS in str(caught.value)
    assert pack.ranks[::-1] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_cards_of_the_other_pack_are_unknown() -> None:
    assert FRENCH.card_text(FRENCH.card("6h")) == "H6"
    with pytest.raises(UsageError, match="unknown card '6h'"):
        MANILLE.set("HA 6h")


@pytest.mark.parametrize(("text", "named"), [("SA SA", "SA"), ("SA HT 10h", "HT"), ("sa HK ♠A", "SA"), (["C7", "7C"], "C7")])
def test_a_card_that_stands_twice_is_named(text: str | list[str], named: str) -> None:
    for read in (MANILLE.cards, MANILLE.set):
        with pytest.raises(UsageError, match=f"'{named}' stands twice"):
            read(text)


def test_trump_calls_are_numbered_suits_first() -> None:
    assert [suit_number(call) for call in ("C", "D", "H", "S", "NT")] == [0, 1, 2, 3, 4]
    assert [suit_number(call) for call in ("c", "d", "h", "s", "nt")] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("text", ["", "N", "X", "SA", "spades", "4", "CD"])
def test_unknown_trumps_are_named_with_what_is_known(text: str) -> None:
    with pytest.raises(UsageError, match=f"'{text}'.*C D H S NT"):
        suit_number(text)


KNOWN = [
    ((0, 0, 0, 0, 0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 6, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("given_words", "want"), KNOWN, ids=["zeros", "ones", "pi"])
def test_philox_gives_the_published_answers(given_words: tuple[int, ...], want: tuple[int, ...]) -> None:
    assert philox(*given_words) == want


# Seed, index, deal, purpose, block: the edges of each, and numbers between.
ADDRESSES = [
    (seed, index, deal, purpose, block)
    for seed in (0, 1, -1, 1 << 32, (1 << 63) - 1, -(1 << 63))
    for index in (0, 1, 1 << 32, (1 << 48) - 1)
    for deal in (0, 1, 65535)
    for purpose in (0, 1, 31, DEALING, FIRST_DEALER, MORE, MORE | 3 << 16 | 31)
    for block in (0, 1, 15)
]


@numba.njit
def words_over_rows(addresses: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Fill a row with the four words, and four further ones of seat 2, of each address."""
    for i in range(len(addresses)):
        a = addresses[i]
        w = words(a[0], a[1], a[2], a[3], a[4])
        m = more_words(a[0], a[1], a[2], a[3] & 0xFFFF, 2, a[4])
        for k in range(4):
            out[i, k] = w[k]
            out[i, 4 + k] = m[k]


@needs_compiler
def test_compiled_words_are_those_of_plain_python() -> None:
    out = np.zeros((len(ADDRESSES), 8), np.int64)
    words_over_rows(np.array(ADDRESSES, np.int64), out)
    want = [(*words(*address), *more_words(*address[:3], address[3] & 0xFFFF, 2, address[4])) for address in ADDRESSES]
    np.testing.assert_array_equal(out, want)


@needs_compiler
def test_compiled_philox_gives_the_published_answers() -> None:
    @numba.njit
    def run(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> tuple[int, int, int, int]:
        return philox(c0, c1, c2, c3, k0, k1)

    assert [run(*given_words) for given_words, _ in KNOWN] == [want for _, want in KNOWN]


def test_every_address_has_words_of_its_own() -> None:
    blocks = {words(*address) for address in ADDRESSES}
    assert len(blocks) == len(ADDRESSES)
    assert all(0 <= word < 2**32 for block in blocks for word in block)


def test_further_words_are_nobody_elses() -> None:
    mine = {more_words(7, 42, 0, decision, seat, block) for decision in range(16) for seat in range(4) for block in range(8)}
    assert len(mine) == 16 * 4 * 8
    others = {words(7, 42, 0, purpose, block) for purpose in [*range(64), DEALING, FIRST_DEALER] for block in range(8)}
    assert not mine & others


def test_a_seed_is_its_64_bits_with_or_without_a_sign() -> None:
    assert words(-1, 5, 0, 3, 0) == words((1 << 64) - 1, 5, 0, 3, 0)
    assert words(-(1 << 63), 5, 0, 3, 0) == words(1 << 63, 5, 0, 3, 0)


def test_words_are_spread_evenly_over_their_bits() -> None:
    drawn = [word for index in range(2000) for word in words(1, index, 0, DEALING, 0)]
    for bit in range(32):
        # 8000 fair coins: 5 standard deviations are 224.
        assert abs(sum(word >> bit & 1 for word in drawn) - 4000) < 224


@pytest.mark.parametrize("players", [3, 4])
def test_every_seat_is_first_dealer_for_some_seeds(players: int) -> None:
    dealers = [first_dealer(seed, players) for seed in range(1200)]
    counts = [dealers.count(seat) for seat in range(players)]
    assert sum(counts) == 1200
    assert all(abs(count - 1200 / players) < 100 for count in counts)
