"""The dealer and the random choices against exact probabilities: chi-square a table, z a mean, seeds fixed.

The exact figures are computed here from binomial coefficients and compared with the numbers as published, then the engine's
own deals are counted. A table passes if its p is at least 1e-6: so low that some hundred tables pass together, and high
enough for a bias that a million deals can show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, factorial, sqrt
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray
from scipy import stats

import trickbench
from trickbench.bits import bounded, pick, pick_of_hand
from trickbench.engine import aligned
from trickbench.games.rows import LANES
from trickbench.streams import first_dealer, words

FLOOR = 1e-6
MOST_SIGMAS = 5
DEALS = 2_000_000
BATCH = 500_000
HUNDRED_MILLION_HANDS = 100_000_000
SEED = 20240229

Counts = NDArray[np.int64]


def assert_fits(counts: Any, probabilities: Any, what: str = "") -> None:
    """Compare a table of counts with its exact probabilities; cells that expect fewer than 10 are taken together."""
    counts, expected = np.asarray(counts, float), np.asarray(probabilities, float) * np.sum(counts)
    np.testing.assert_allclose(expected.sum(), counts.sum(), rtol=1e-9)
    assert counts[expected == 0].sum() == 0, what
    rare = expected < 10
    if rare.any():
        counts, expected = np.append(counts[~rare], counts[rare].sum()), np.append(expected[~rare], expected[rare].sum())
    if expected[-1] == 0:
        counts, expected = counts[:-1], expected[:-1]
    p = stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1) if len(counts) > 1 else 1.0
    assert p >= FLOOR, f"{what}: p = {p:.2g}"


def assert_mean(total: float, number: int, mean: Any, variance: Any, what: str = "") -> None:
    z = (total / number - float(mean)) / sqrt(float(variance) / number)
    assert abs(z) < MOST_SIGMAS, f"{what}: z = {z:.2f}"


# Exact figures

RANK_POINTS = (0, 0, 0, 1, 2, 3, 4, 5)


@cache
def suit_lengths(suit: int, pack: int, hand: int) -> list[Fraction]:
    """Return the probabilities of 0, 1, ... cards of a suit in a hand."""
    return [Fraction(comb(suit, k) * comb(pack - suit, hand - k), comb(pack, hand)) for k in range(suit + 1)]


@cache
def points_of(cards: int) -> list[Fraction]:
    """Return the probabilities of 0..60 card points in so many cards of Manille."""
    ways = [[0] * 61 for _ in range(cards + 1)]
    ways[0][0] = 1
    for worth in RANK_POINTS * 4:
        for taken in range(cards, 0, -1):
            ways[taken] = [ways[taken][n] + (ways[taken - 1][n - worth] if n >= worth else 0) for n in range(61)]
    return [Fraction(number, comb(32, cards)) for number in ways[cards]]


def mean_and_variance(probabilities: list[Fraction]) -> tuple[Fraction, Fraction]:
    mean = sum((n * p for n, p in enumerate(probabilities)), Fraction(0))
    return mean, sum((n * n * p for n, p in enumerate(probabilities)), Fraction(0)) - mean**2


SHARES = ((4, 0, 0, 0), (3, 1, 0, 0), (2, 2, 0, 0), (2, 1, 1, 0), (1, 1, 1, 1))


@cache
def shares_of_four() -> dict[tuple[int, ...], Fraction]:
    """Return the probabilities of the ways in which four given cards of Manille lie over the four hands."""
    found = dict.fromkeys(SHARES, Fraction(0))
    for held in product(range(5), repeat=4):
        if sum(held) == 4:
            ways, left = 1, 28
            for number in held:
                ways *= comb(left, 8 - number)
                left -= 8 - number
            ways *= factorial(4) // (factorial(held[0]) * factorial(held[1]) * factorial(held[2]) * factorial(held[3]))
            found[tuple(sorted(held, reverse=True))] += Fraction(ways, factorial(32) // factorial(8) ** 4)
    return found


def test_suit_lengths_are_those_published() -> None:
    assert [p * 10_518_300 for p in suit_lengths(8, 32, 8)] == [735_471, 2_768_832, 3_768_688, 2_380_224, 743_820, 113_344, 7_728, 192, 1]
    published = [0.00232489, 0.02233918, 0.08935671, 0.19658476, 0.26463333, 0.22934889, 0.13105651, 0.04971109, 0.01242777]
    assert [round(float(p), 8) for p in suit_lengths(13, 52, 17)[:9]] == published


def test_card_points_are_those_published() -> None:
    assert mean_and_variance(points_of(8)) == (15, Fraction(645, 31))
    assert mean_and_variance(points_of(16)) == (30, Fraction(860, 31))
    assert round(float(points_of(16)[30]), 8) == 0.07473963
    assert round(float(sum(points_of(16)[31:])), 8) == 0.46263018


def test_shares_of_the_tens_are_those_published() -> None:
    assert [round(float(p), 8) for p in shares_of_four().values()] == [0.00778643, 0.14949944, 0.13081201, 0.59799778, 0.11390434]
    assert sum(shares_of_four().values()) == 1


def test_numbers_of_deals() -> None:
    assert factorial(32) // factorial(8) ** 4 == 99_561_092_450_391_000


# Deals


@njit(nogil=True)
def fill(deal: Any, block: Any, row: int, lanes: int, seed: int, first: int, number: int, out: Any, counter_row: int) -> None:
    """Deal blocks one after the other, and keep the rows that hold the hands."""
    for start in range(0, out.shape[1], lanes):
        for lane in range(lanes):
            index = first + start + lane
            block[counter_row + lane] = index & 0xFFFFFFFF
            block[counter_row + lanes + lane] = (index >> 32) | number << 16
        deal(block, seed)
        for seat in range(out.shape[0]):
            for lane in range(min(lanes, out.shape[1] - start)):
                out[seat, start + lane] = block[row + seat * lanes + lane]


def dealer_of(name: str) -> Any:
    """Return the dealing module of a game."""
    if name == "manchego":
        from trickbench.games.manchego import dealing as french

        return french
    from trickbench.games.manille import dealing

    return dealing


def signed(seed: int) -> int:
    return int(np.array(seed, np.uint64).astype(np.int64))


def hands_dealt(name: str, count: int, seed: int = SEED, first: int = 0, number: int = 0) -> NDArray[Any]:
    """Return four rows of sets, an element a deal: the hands (and in Manchego the turned card)."""
    face = trickbench.game(name).face()
    out = np.zeros((4, count), face.dtype)
    # The contents of a block before dealing do not matter.
    block = aligned(face.at.SIZE, face.dtype)
    block[:] = 0x5A5A5A5A
    fill(dealer_of(name).deal, block, face.at.DEALT, LANES, signed(seed), first, number, out, face.at.COUNTER)
    return out


def batches(name: str, count: int) -> Iterator[NDArray[Any]]:
    for first in range(0, count, BATCH):
        yield hands_dealt(name, min(BATCH, count - first), first=first)


def card_matrix(hand: NDArray[Any], cards: int) -> NDArray[np.float32]:
    """Return a row a card, an element a deal: 1 where the hand holds the card."""
    return np.stack([(hand >> hand.dtype.type(card)) & hand.dtype.type(1) for card in range(cards)]).astype(np.float32)


def histogram(values: NDArray[Any], size: int) -> Counts:
    return np.bincount(values.astype(np.int64), minlength=size)


def suit_table(hands: NDArray[Any], ranks: int) -> Counts:
    """Return counts[seat, suit, length]."""
    masks = [hands.dtype.type(((1 << ranks) - 1) << (suit * ranks)) for suit in range(4)]
    return np.array([[histogram(np.bitwise_count(hand & mask), ranks + 1) for mask in masks] for hand in hands])


def card_points(hand: NDArray[Any]) -> NDArray[np.int64]:
    total = np.zeros(len(hand), np.int64)
    for rank, worth in enumerate(RANK_POINTS):
        total += worth * np.bitwise_count(hand & np.uint32(0x01010101 << rank)).astype(np.int64)
    return total


def tens_table(hands: NDArray[Any]) -> Counts:
    """Return how often the four tens lay in each of ``SHARES``."""
    held = np.sort(np.bitwise_count(hands & np.uint32(0x80808080)).astype(np.int64), axis=0)[::-1]
    code = held[0] * 100 + held[1] * 10 + held[2]
    return np.array([(code == share[0] * 100 + share[1] * 10 + share[2]).sum() for share in SHARES])


def pair_table(hands: NDArray[Any], cards: int) -> Counts:
    """Return counts[seat, card, other card]: how often a seat held both; on the diagonal, how often it held the card."""
    found = np.zeros((len(hands), cards, cards), np.int64)
    for seat, hand in enumerate(hands):
        for part in np.array_split(hand, max(1, len(hand) // 50_000)):
            matrix = card_matrix(part, cards)
            found[seat] += np.rint(matrix @ matrix.T).astype(np.int64)
    return found


MANILLE: dict[str, Callable[[NDArray[Any]], Counts]] = {
    "suits": lambda hands: suit_table(hands, 8),
    "points": lambda hands: np.array([histogram(card_points(hand), 61) for hand in hands]),
    "side": lambda hands: histogram(card_points(hands[0]) + card_points(hands[2]), 61),
    "tens": tens_table,
    "pairs": lambda hands: pair_table(hands, 32),
}


def trumps_table(hands: NDArray[Any]) -> Counts:
    """Return counts[seat, length] of the suit of the turned card."""
    turned = np.log2(hands[3].astype(np.float64)).astype(np.uint64)
    masks = np.uint64(0x1FFF) << (turned // np.uint64(13) * np.uint64(13))
    return np.array([histogram(np.bitwise_count(hand & masks), 14) for hand in hands[:3]])


MANCHEGO: dict[str, Callable[[NDArray[Any]], Counts]] = {
    "suits": lambda hands: suit_table(hands[:3], 13),
    "trumps": trumps_table,
    "turned": lambda hands: histogram(np.log2(hands[3].astype(np.float64)), 52),
    "pairs": lambda hands: pair_table(hands, 52),
}


def tables_of(name: str, count: int) -> dict[str, Counts]:
    """Return the tables of so many deals, added up batch by batch."""
    makers = MANCHEGO if name == "manchego" else MANILLE
    total: dict[str, Any] = dict.fromkeys(makers, 0)
    for hands in batches(name, count):
        for key, make in makers.items():
            total[key] = total[key] + make(hands)
    return total


class Dealt(NamedTuple):
    """How many deals, and their tables."""

    count: int
    tables: dict[str, Counts]


NUMBERS = [pytest.param(DEALS, id="2M deals"), pytest.param(HUNDRED_MILLION_HANDS, id="1e8 hands", marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=NUMBERS)
def of_manille(request: pytest.FixtureRequest) -> Dealt:
    count = request.param if request.param == DEALS else request.param // 4
    return Dealt(count, tables_of("manillen", count))


@pytest.fixture(scope="module", params=NUMBERS)
def of_manchego(request: pytest.FixtureRequest) -> Dealt:
    count = request.param if request.param == DEALS else request.param // 3
    return Dealt(count, tables_of("manchego", count))


def test_suit_lengths_of_manille_hands(of_manille: Dealt) -> None:
    for seat, suit in product(range(4), range(4)):
        assert_fits(of_manille.tables["suits"][seat, suit], suit_lengths(8, 32, 8), f"seat {seat}, suit {suit}")


def test_card_points_of_a_hand(of_manille: Dealt) -> None:
    for seat in range(4):
        counts = of_manille.tables["points"][seat]
        assert_fits(counts, points_of(8), f"seat {seat}")
        assert_mean(counts @ np.arange(61), of_manille.count, 15, Fraction(645, 31), f"seat {seat}")


def test_card_points_of_a_side(of_manille: Dealt) -> None:
    counts, number = of_manille.tables["side"], of_manille.count
    assert_fits(counts, points_of(16))
    assert_mean(counts @ np.arange(61), number, 30, Fraction(860, 31))
    for held, p in ((counts[30], 0.07473963), (counts[31:].sum(), 0.46263018), (counts[:30].sum(), 0.46263018)):
        assert_mean(held, number, p, p * (1 - p))


def test_variance_of_the_points(of_manille: Dealt) -> None:
    for counts, cards in ((of_manille.tables["points"][0], 8), (of_manille.tables["points"][3], 8), (of_manille.tables["side"], 16)):
        mean, variance = mean_and_variance(points_of(cards))
        fourth = sum((n - mean) ** 4 * p for n, p in enumerate(points_of(cards)))
        total = counts @ (np.arange(61) - float(mean)) ** 2
        assert_mean(total, of_manille.count, variance, fourth - variance**2, f"{cards} cards")


def test_tens_over_the_hands(of_manille: Dealt) -> None:
    assert_fits(of_manille.tables["tens"], list(shares_of_four().values()))


def test_every_manille_card_is_anybodys(of_manille: Dealt) -> None:
    for card in range(32):
        assert_fits(of_manille.tables["pairs"][:, card, card], [0.25] * 4, f"card {card}")


def assert_pairs(dealt: Dealt, seat: int, p: float) -> None:
    """Check how often a seat held each two cards together; each pair is a number of its own, so the floor is shared out."""
    pairs = dealt.tables["pairs"][seat]
    upper = np.triu_indices(len(pairs), 1)
    z = (pairs[upper] / dealt.count - p) / sqrt(p * (1 - p) / dealt.count)
    assert 2 * stats.norm.sf(abs(z).max()) * len(z) >= FLOOR, f"seat {seat}: z = {abs(z).max():.2f}"


def test_every_two_manille_cards_meet_as_often(of_manille: Dealt) -> None:
    for seat in range(4):
        assert_pairs(of_manille, seat, 8 * 7 / (32 * 31))


def test_suit_lengths_of_manchego_hands(of_manchego: Dealt) -> None:
    for seat, suit in product(range(3), range(4)):
        assert_fits(of_manchego.tables["suits"][seat, suit], suit_lengths(13, 52, 17), f"seat {seat}, suit {suit}")


def test_lengths_of_the_trump_suit(of_manchego: Dealt) -> None:
    for seat in range(3):
        assert_fits(of_manchego.tables["trumps"][seat], [*suit_lengths(12, 51, 17), 0], f"seat {seat}")


def test_the_turned_card_is_any_of_the_pack(of_manchego: Dealt) -> None:
    assert_fits(of_manchego.tables["turned"], [1 / 52] * 52)


def test_every_manchego_card_is_anybodys(of_manchego: Dealt) -> None:
    for card in range(52):
        assert_fits(of_manchego.tables["pairs"][:, card, card], [17 / 52, 17 / 52, 17 / 52, 1 / 52], f"card {card}")


def test_every_two_manchego_cards_meet_as_often(of_manchego: Dealt) -> None:
    for seat in range(3):
        assert_pairs(of_manchego, seat, 17 * 16 / (52 * 51))


# Deals are different, and depend on seed and index alone.

GAMES = ("manillen", "manchego")
each_game = pytest.mark.parametrize("name", GAMES)


def distinct(*dealt: NDArray[Any]) -> bool:
    """Return whether no two deals of some lots are the same."""
    hands = np.concatenate(dealt, axis=1)
    order = np.lexsort(hands[:3])
    same = (hands[:, order[1:]] == hands[:, order[:-1]]).all(axis=0)
    return not same.any()


@each_game
def test_every_index_has_a_deal_of_its_own(name: str) -> None:
    assert distinct(hands_dealt(name, DEALS))


@each_game
def test_every_seed_and_every_deal_of_a_game_has_deals_of_its_own(name: str) -> None:
    seeds = [0, 1, 2, 1 << 31, 1 << 32, (1 << 32) + 1, 1 << 63, (1 << 64) - 1]
    lots = [hands_dealt(name, 50_000, seed=seed) for seed in seeds]
    lots += [hands_dealt(name, 50_000, seed=1, first=first) for first in (50_000, 1 << 32, 1 << 47)]
    lots += [hands_dealt(name, 50_000, seed=1, number=number) for number in (1, 2, 65_535)]
    assert distinct(*lots)


@each_game
def test_a_deal_depends_on_seed_and_index_alone(name: str) -> None:
    whole = hands_dealt(name, 1000, seed=5)
    for first, count in ((0, 1), (1, 64), (63, 2), (100, 333), (999, 1)):
        np.testing.assert_array_equal(hands_dealt(name, count, seed=5, first=first), whole[:, first : first + count])
    game = trickbench.game(name)
    for index in (0, 1, 63, 64, 777):
        deal = game.deal(seed=5, index=index)
        assert list(deal.hands) == [game.pack.text(hand) for hand in whole[: game.players, index]]
        assert deal.turned is None or deal.turned == game.pack.text(whole[3, index])


@each_game
def test_deals_far_out_are_those_that_are_played(name: str) -> None:
    game = trickbench.game(name)
    for seed, first in ((1 << 63, (1 << 47) + 12_345), ((1 << 64) - 1, (1 << 48) - 100)):
        run = trickbench.simulate(game, "random", 100, seed=seed, first=first, record="plays")
        np.testing.assert_array_equal(run.plays[:, : game.players].T, hands_dealt(name, 100, seed, first)[: game.players])


@pytest.mark.parametrize(
    ("name", "options", "agents"),
    [
        ("manillen", {"undertrump": "forced"}, "random"),
        ("manille", {}, ["greedy", "random"]),
        ("manille", {"blind_no_trump": "on"}, "play=random,call=random"),
        ("manchego", {}, "greedy"),
        ("manchego", {"hook": "on", "scoring": "gain"}, ["random", "greedy", "play=random,bid=fixed:n=3"]),
    ],
)
def test_rules_and_agents_change_no_deal(name: str, options: dict[str, str], agents: Any) -> None:
    game = trickbench.game(name, **options)
    run = trickbench.simulate(game, agents, 500, seed=11, record="plays")
    np.testing.assert_array_equal(run.plays[:, : game.players].T, hands_dealt(name, 500, seed=11)[: game.players])


def holder(hands: NDArray[Any], card: int) -> NDArray[np.int64]:
    """Return which row holds a card."""
    return np.argmax((hands >> hands.dtype.type(card)) & hands.dtype.type(1), axis=0)


@each_game
def test_neighbouring_deals_and_seeds_have_nothing_to_do_with_each_other(name: str) -> None:
    last = trickbench.game(name).pack.size - 1
    places = [8 / 32] * 4 if name == "manillen" else [17 / 52, 17 / 52, 17 / 52, 1 / 52]
    one = hands_dealt(name, 1_000_000)
    others = {
        "the next index": hands_dealt(name, 1_000_000, first=1),
        "the next block": hands_dealt(name, 1_000_000, first=LANES),
        "the next seed": hands_dealt(name, 1_000_000, seed=SEED + 1),
        "an index 2**32 away": hands_dealt(name, 1_000_000, first=1 << 32),
        "a seed 2**32 away": hands_dealt(name, 1_000_000, seed=SEED + (1 << 32)),
        "the next deal of a game": hands_dealt(name, 1_000_000, number=1),
    }
    for what, other in others.items():
        for card in (0, last // 2, last):
            pairs = histogram(4 * holder(one, card) + holder(other, card), 16)
            assert_fits(pairs, np.outer(places, places).ravel(), f"{what}, card {card}")


# The dealer


@each_game
def test_the_dealer_is_the_first_dealer_and_then_the_next_to_the_left(name: str) -> None:
    game = trickbench.game(name)
    for seed, first in ((0, 0), (1, 63), (2, 1000), (3, (1 << 31) - 5), (4, (1 << 48) - 300), ((1 << 64) - 1, 7)):
        want = (first_dealer(seed, game.players) + first + np.arange(300)) % game.players
        deals = trickbench.simulate(game, "random", 300, seed=seed, first=first, record="deals").deals
        np.testing.assert_array_equal(deals["dealer"], want)
        if seed < 1 << 63:
            assert [game.deal(seed, first + place).dealer for place in (0, 1, 99)] == list(want[[0, 1, 99]])


@each_game
@pytest.mark.parametrize("seed", [1 << 63, (1 << 64) - 1])
def test_deals_of_large_seeds_can_be_looked_at(name: str, seed: int) -> None:
    game = trickbench.game(name)
    deal = game.deal(seed=seed, index=3)
    assert list(deal.hands) == [game.pack.text(hand) for hand in hands_dealt(name, 1, seed, 3)[: game.players, 0]]


@each_game
def test_every_seat_deals_first_as_often(name: str) -> None:
    players = trickbench.game(name).players
    rng = np.random.default_rng(1)
    for seeds in (range(20_000), rng.integers(0, 1 << 64, 20_000, np.uint64).tolist()):
        assert_fits(histogram(np.array([first_dealer(seed, players) for seed in seeds]), players), [1 / players] * players)


def test_the_first_dealer_has_nothing_to_do_with_the_first_deal() -> None:
    for name in GAMES:
        players = trickbench.game(name).players
        pairs = np.zeros(4 * players, np.int64)
        for seed in range(8000):
            hand_0 = holder(hands_dealt(name, 1, seed=seed), 0)[0]
            pairs[4 * first_dealer(seed, players) + hand_0] += 1
        places = [8 / 32] * 4 if name == "manillen" else [17 / 52, 17 / 52, 17 / 52, 1 / 52]
        assert_fits(pairs, np.outer([1 / players] * players, places).ravel(), name)


# Random choices


@njit
def picked(cards: int, count: int, from_hand: bool) -> Counts:
    """Return how often each card of a set was picked by the words of so many decisions."""
    found = np.zeros(62, np.int64)
    for index in range(count):
        for word in words(SEED, index, 0, 16, 0):
            card = pick_of_hand(cards, word) if from_hand else pick(cards, word)
            number = 0
            while card >> number != 1:
                number += 1
            found[number] += 1
    return found


@pytest.mark.parametrize("size", range(1, 18))
def test_pick_takes_every_card_as_often(size: int) -> None:
    places = np.sort(np.random.default_rng(size).permutation(52)[:size])
    cards = sum(1 << int(place) for place in places)
    for from_hand in (False, True)[: 1 + (size <= 8)]:
        counts = picked(cards, 100_000, from_hand)
        assert counts.sum() == 400_000
        assert_fits(counts[places], [1 / size] * size)


@pytest.mark.parametrize("size", [*range(1, 19), 52])
def test_bounded_words_are_even(size: int) -> None:
    """Multiply-high gives each value as many words as any other, or one more."""
    edges = [-(-(value << 32) // size) for value in range(size + 1)]
    assert [bounded(edge, size) for edge in edges[:-1]] == list(range(size))
    assert [bounded(edge - 1, size) for edge in edges[1:]] == list(range(size))
    assert set(np.diff(edges)) <= {(1 << 32) // size, -(-(1 << 32) // size)}


@each_game
def test_random_leads_are_any_card_of_the_hand(name: str) -> None:
    game = trickbench.game(name)
    plays = trickbench.simulate(game, "play=random", 200_000, seed=SEED, record="plays").plays.T
    hands, cards = plays[: game.players], plays[game.players :]
    size = len(cards) // game.players
    gone = np.zeros(cards.shape[1], cards.dtype)
    for trick in range(size):
        lead = cards[trick * game.players]
        hand = (np.where(hands & lead, hands, 0).max(axis=0)) & ~gone
        np.testing.assert_array_equal(np.bitwise_count(hand), size - trick)
        lower = np.bitwise_count(hand & (lead - lead.dtype.type(1)))
        assert_fits(histogram(lower, size - trick), [1 / (size - trick)] * (size - trick), f"trick {trick}")
        gone |= np.bitwise_or.reduce(cards[trick * game.players : (trick + 1) * game.players])


def test_random_calls_and_bids_are_any_that_are_legal() -> None:
    calls = trickbench.simulate(trickbench.game("manillen"), "call=random", 200_000, seed=SEED, record="deals").deals
    assert_fits(calls["call"].value_counts(sort=False), [1 / 5] * 5)
    faced = trickbench.simulate(trickbench.game("manille"), "call=random", 200_000, seed=SEED, record="deals").deals
    assert_fits(histogram(5 * faced["en_face"] + faced["call"].cat.codes, 10), [1 / 6] * 5 + [1 / 30] * 5)
    blind = trickbench.simulate(trickbench.game("manillen", blind_no_trump="on"), "call=random", 200_000, seed=SEED, record="deals").deals
    assert_fits(histogram(5 * blind["blind"] + blind["call"].cat.codes, 10), [1 / 10] * 5 + [0] * 4 + [1 / 2])
    bids = trickbench.simulate(trickbench.game("manchego"), "random", 200_000, seed=SEED, record="deals").deals
    for seat in range(3):
        assert_fits(histogram(bids[f"bid_{seat}"], 18), [1 / 18] * 18, f"seat {seat}")
    assert_fits(histogram(18 * bids["bid_0"].astype(int) + bids["bid_1"], 324), [1 / 324] * 324)


def test_the_check_notices_a_small_bias() -> None:
    """A shuffle in which each card is twice in a thousand a little more often somebody's fails at this size."""
    rng = np.random.default_rng(2)
    fair = rng.multinomial(DEALS, [0.25] * 4)
    assert_fits(fair, [0.25] * 4)
    with pytest.raises(AssertionError, match="p ="):
        assert_fits(rng.multinomial(DEALS, [0.252, 0.25, 0.25, 0.248]), [0.25] * 4)
    with pytest.raises(AssertionError, match="z ="):
        assert_mean(15.02 * DEALS, DEALS, 15, Fraction(645, 31))
