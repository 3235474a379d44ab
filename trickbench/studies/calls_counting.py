"""What rollouts of dealers' hands show, as sums of integers over deals: by call, by features of the hand, by caller, by who plays the cards.

Every quantity of a deal is a whole number, its sum over the worlds of the deal; what is kept is its sum over deals and the sum of its squares, so
that means have intervals over deals. Where several suits of a deal, or both halves of its worlds, are of one kind, they are added up within the
deal first, and the table says how many they were (``three``).

The best call is chosen on one half of a deal's worlds and valued on the other, both ways round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.cards import MANILLE
from trickbench.games.manille.call_sums import CAPOTS, DOUBLED, NET, REDOUBLED, TIES, WINS
from trickbench.games.manille.hands import SUITS, suit_masks
from trickbench.games.manille.options import HAND_SIZE

Ints = NDArray[np.int64]

CALL, VOIDS, HAND, NO_TRUMP, FACED, POINTS, TEN, BEST, KIND, CALLER, PAIR, CROSS, OTHER = range(13)
"""What a row (column ``what``) is about; ``one`` and ``two`` are

======== ======================================= =================================
CALL     the call, as the dealer holds the suits
VOIDS    place of the call                       voids in the hand
HAND     place of the call                       card points of the hand
NO_TRUMP no-trump: tens in the hand              cards of its longest suit
FACED    en face: the same                       the same
POINTS   cards of a suit that is called          its card points
TEN      cards of a suit that is called          1 with its ten
BEST     the best call
KIND     kind of the best call                   cards of its suit, 0 for none
CALLER   number of a caller                      what it calls
PAIR     number of a caller                      of another: the first less the second
CROSS    number of who plays the cards           place of the call
OTHER    number of who else plays the cards: what its best call is worth here
======== ======================================= =================================

Places: 0 the longest suit, of equals the one with more points, to 3 the shortest; 4 no-trump, 5 en face. Kinds: :data:`KINDS`.
"""
KINDS = ("longest suit", "shorter suit", "no-trump", "en face")
"""What the best call may be; a suit is the longest if none has more cards."""
LABELS = ("what", "players", "one", "two", "three")
RATES = {"win": WINS, "tie": TIES, "capot": CAPOTS, "doubled": DOUBLED, "redoubled": REDOUBLED}
"""What is counted of the worlds of a call, and where its sums begin in those of a rollout."""
QUANTITIES = ("net", *RATES, "lost", "most", "right")
"""Net score of the dealer's side; worlds it won, tied, won with everything, that were doubled, redoubled; how far net is behind the best call's:
chosen on one half, valued on the other; and of all worlds, which is too much by selection; in how many halves the call is the best one."""
COLUMNS = tuple(f"sum_{name}{power}" for name in QUANTITIES for power in ("", "_squares"))
PRODUCT = "sum_product"
"""CROSS: a hand's value by some players on one half times that by others on the other half, both ways round."""
MEMBERS = SUITS
"""Suits of a deal that may be added up."""


class Hands(NamedTuple):
    """Dealers' hands with their suits in canonical order, and what they are like; arrays [deals, 4] or [deals]."""

    forms: Ints
    """canonical hands"""
    suits: Ints
    """the number of the suit that stands at each place of the canonical hand"""
    places: Ints
    """0 for the longest suit, of equals the one with more points, then the higher of C D H S; 3 for the shortest"""
    length: Ints
    points: Ints
    ten: Ints


class Values(NamedTuple):
    """What calls came to; arrays [deals, calls], calls in canonical order, sums over the worlds of a deal."""

    halves: Ints
    """net score, [deals, 2, calls]"""
    rates: dict[str, Ints]
    """by the names of :data:`RATES`"""

    @property
    def net(self) -> Ints:
        """Net score in all worlds."""
        found: Ints = self.halves.sum(axis=1)
        return found

    @property
    def best(self) -> Ints:
        """Number of the best call in each half of the worlds, [deals, 2]; of equals the first."""
        found: Ints = self.halves.argmax(axis=2)
        return found


def rates_of(doublers: bool) -> list[str]:
    """Return which of :data:`RATES` there is something to say of."""
    return [name for name in RATES if doublers or name not in ("doubled", "redoubled")]


def read_hands(hands: Ints) -> Hands:
    """Return what there is to know of dealers' hands, int64[deals]."""
    held = suit_masks(hands)
    suits = np.argsort(held, axis=1, kind="stable")
    masks = np.take_along_axis(held, suits, axis=1)
    length = np.bitwise_count(masks).astype(np.int64)
    points = sum((value * (masks >> MANILLE.ranks.index(rank) & 1) for rank, value in zip("JQKAT", range(1, 6), strict=True)), np.zeros_like(masks))
    worth = (length << 8) + (points << 2) + suits
    places = np.argsort(np.argsort(-worth, axis=1), axis=1)
    forms = (masks << (HAND_SIZE * np.arange(SUITS))).sum(axis=1)
    return Hands(forms, suits, places, length, points, masks >> (HAND_SIZE - 1) & 1)


def canonical_calls(hands: Hands, calls: Ints) -> Ints:
    """Return calls [deals], 0..3 C D H S, as calls of the canonical hands, of suits with the same cards the first; no-trump and en face stay."""
    masks, deals = suit_masks(hands.forms), np.arange(len(calls))
    first = (masks[:, :, None] == masks[:, None, :]).argmax(axis=2)
    own = np.argsort(hands.suits, axis=1)[deals, np.minimum(calls, SUITS - 1)]
    return np.where(calls < SUITS, first[deals, own], calls)


def read_values(sums: Ints, calls: int) -> Values:
    """Return what sums of rollouts [deals, 2, SUM_COUNT] say of the first so many calls."""
    both = sums.sum(axis=1)
    return Values(sums[:, :, NET : NET + calls], {name: both[:, begin : begin + calls] for name, begin in RATES.items()})


class Rows:
    """Rows of numbers, one or more a deal, that are added up as soon as there are many."""

    def __init__(self) -> None:
        self.labels: list[Ints] = []
        self.numbers: list[Ints] = []

    def add(self, what: int, players: int, one: Any, two: Any = 0, three: Any = 1, product: Any = None, **quantities: Any) -> None:
        """Add rows: labels and quantities are arrays of one shape, or numbers that hold for all."""
        given = np.broadcast_arrays(one, two, three, *quantities.values(), *([] if product is None else [product]))
        labels, values = given[:3], dict(zip((*quantities, PRODUCT), given[3:], strict=False))
        size = labels[0].size
        own = np.zeros((size, len(COLUMNS) + 2), np.int64)
        for name, value in values.items():
            flat = value.reshape(-1).astype(np.int64)
            if name == PRODUCT:
                own[:, -2] = flat
            else:
                place = 2 * QUANTITIES.index(name)
                own[:, place], own[:, place + 1] = flat, flat * flat
        own[:, -1] = 1
        keys = np.stack([np.full(size, what), np.full(size, players), *(label.reshape(-1) for label in labels)], axis=1)
        labels_found, numbers = reduced(keys.astype(np.int64), own)
        self.labels.append(labels_found)
        self.numbers.append(numbers)

    def add_within(self, what: int, players: int, one: Ints, two: Ints, **quantities: Ints) -> None:
        """Add arrays [deals, members]: what has the same labels in a deal is added up first, and ``three`` says how many that were."""
        deals = np.broadcast_to(np.arange(len(one))[:, None], one.shape)
        keys = np.stack([label.reshape(-1) for label in (deals, one, two)], axis=1)
        values = [np.broadcast_to(value, one.shape).reshape(-1) for value in quantities.values()]
        found, sums = reduced(keys, np.stack([*values, np.ones(one.size, np.int64)], axis=1))
        self.add(what, players, found[:, 1], found[:, 2], sums[:, -1], **dict(zip(quantities, sums.T, strict=False)))

    def table(self) -> pd.DataFrame:
        """Return all rows as one table, those with the same labels added up, in ascending order."""
        labels, numbers = reduced(np.concatenate(self.labels), np.concatenate(self.numbers))
        return pd.DataFrame(np.concatenate([labels, numbers], axis=1), columns=[*LABELS, *COLUMNS, PRODUCT, "count"])


def reduced(labels: Ints, numbers: Ints) -> tuple[Ints, Ints]:
    """Return the different rows of labels [rows, k], ascending, and for each the sums of numbers [rows, columns]."""
    shape = tuple(int(most) + 1 for most in labels.max(axis=0))
    keys = np.ravel_multi_index(tuple(labels.T), shape)
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return labels[order[begins]], np.add.reduceat(numbers[order], begins, axis=0)


def count_deals(hands: Hands, values: Sequence[Values], calls: Ints) -> pd.DataFrame:
    """Return the table of some deals.

    Parameters
    ----------
    hands : Hands
    values : sequence of Values
        By who plays the cards, all in the same worlds.
    calls : int64[callers, deals]
        What the callers call: 0..3 C D H S as they are held, 4 no-trump, 5 en face.
    """
    rows = Rows()
    for players, own in enumerate(values):
        _add_calls(rows, players, hands, own)
        _add_best(rows, players, hands, own)
        _add_callers(rows, players, hands, own, calls)
    _add_others(rows, hands, values)
    return rows.table()


def _beside(array: Ints, calls: int, no_suit: Sequence[int]) -> Ints:
    """Return an array of suits [deals, 4] with columns for no-trump and, if there is one, en face."""
    more = np.broadcast_to(np.array(no_suit[: calls - SUITS]), (len(array), calls - SUITS))
    return np.concatenate([array, more], axis=1)


def _add_calls(rows: Rows, players: int, hands: Hands, own: Values) -> None:
    """Add every call by its name, and by what the hand is like."""
    count = own.net.shape[1]
    right = (own.best[:, :, None] == np.arange(count)).sum(axis=1)
    all_of_it = {"net": own.net, **own.rates, "right": right}
    rows.add(CALL, players, _beside(hands.suits, count, (SUITS, SUITS + 1)), **all_of_it)
    places = _beside(hands.places, count, (SUITS, SUITS + 1))
    voids, points = (hands.length == 0).sum(axis=1), hands.points.sum(axis=1)
    rows.add(VOIDS, players, places, voids[:, None], **all_of_it)
    rows.add(HAND, players, places, points[:, None], **all_of_it)
    for what, call in zip((NO_TRUMP, FACED), range(SUITS, count), strict=False):
        rows.add(what, players, hands.ten.sum(axis=1), hands.length.max(axis=1), **{name: value[:, call] for name, value in all_of_it.items()})
    of_suits = {name: value[:, :SUITS] for name, value in all_of_it.items()}
    rows.add_within(POINTS, players, hands.length, hands.points, **of_suits)
    rows.add_within(TEN, players, hands.length, hands.ten, **of_suits)


def _chosen(own: Values, picked: Ints) -> tuple[Ints, Ints]:
    """Return what calls [deals, 2], chosen on the two halves, are worth on the other halves; [deals, 2], and in both together."""
    other = own.halves[:, ::-1]
    found = np.take_along_axis(other, picked[:, :, None], axis=2)[:, :, 0]
    return found, found.sum(axis=1)


def _add_best(rows: Rows, players: int, hands: Hands, own: Values) -> None:
    """Add the best call of each deal, and of what kind it is."""
    count, best = own.net.shape[1], own.best
    apart, together = _chosen(own, best)
    same = best[:, 0] == best[:, 1]
    rows.add(BEST, players, 0, net=together, most=own.net.max(axis=1), right=same)
    shorter = (hands.length < hands.length.max(axis=1, keepdims=True)).astype(np.int64)
    kinds, length = _beside(shorter, count, (2, 3)), _beside(hands.length, count, (0, 0))
    rows.add_within(KIND, players, np.take_along_axis(kinds, best, axis=1), np.take_along_axis(length, best, axis=1), net=apart)


def _add_callers(rows: Rows, players: int, hands: Hands, own: Values, calls: Ints) -> None:
    """Add what each caller calls, and how far it is behind the best call; and the difference of every two callers."""
    best, net, deals = own.best, own.net, np.arange(len(own.net))
    _, together = _chosen(own, best)
    most = net.max(axis=1)
    nets = []
    for number, held in enumerate(calls):
        call = canonical_calls(hands, held)
        got = net[deals, call]
        nets.append(got)
        right = (best == call[:, None]).sum(axis=1)
        rates = {name: rate[deals, call] for name, rate in own.rates.items()}
        rows.add(CALLER, players, number, held, net=got, **rates, lost=together - got, most=most - got, right=right)
    for one, other in combinations(range(len(calls)), 2):
        rows.add(PAIR, players, one, other, net=nets[one] - nets[other])


def _add_others(rows: Rows, hands: Hands, values: Sequence[Values]) -> None:
    """Add how the values by different players of the cards go together, and what the best calls by some are worth to others."""
    count = values[0].net.shape[1]
    places = _beside(hands.places, count, (SUITS, SUITS + 1))
    for one, other in _pairs(len(values)):
        product = (values[one].halves * values[other].halves[:, ::-1]).sum(axis=1)
        rows.add(CROSS, one, other, places, product=product)
    for one, other in permutations(range(len(values)), 2):
        _, own = _chosen(values[one], values[one].best)
        _, theirs = _chosen(values[one], values[other].best)
        right = (values[one].best == values[other].best[:, ::-1]).sum(axis=1)
        rows.add(OTHER, one, other, lost=own - theirs, right=right)


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    """Yield every number with itself and with those behind it."""
    return ((one, other) for one in range(count) for other in range(one, count))
