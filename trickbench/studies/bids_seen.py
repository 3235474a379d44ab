"""What deals of Manchego say of a bidder that sits in every seat once: bids, tricks and scores as tables of integers.

A group is one bidder against two others: three tables, it sits in seat s of table s. Deals are the unit of evidence, so for every two groups
the sums of products over deals are kept: any mean of them, and any difference, then has the interval that the same cards give it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.games.game import Game
from trickbench.games.manchego.layout import PLAYERS, TRICKS
from trickbench.games.manchego.outcomes import bids_and_tricks
from trickbench.studies.study import SUMS
from trickbench.worker import Chunk

JOINT, SAME, TOTAL, PRODUCTS = 0, 1, 2, 3
"""What rows count: bids by place in the bidding, bid and tricks; pairs of bids of a deal that are the same; tables by the sum of the bids;
deals, with the sums of products of two groups."""
ROWS = ["what", "one", "other", "a", "b", "c", f"{SUMS}u", f"{SUMS}v"]
QUANTITIES = ("score", "lead", "exact", "distance", "bias", "bid", "tricks", "total")
"""Of a bidder in a deal, added over the three seats. lead: its score less those of the other two; bias: bid less tricks; total: the three bids
of its table."""
VALUES = TRICKS + 1


class Seen(NamedTuple):
    """What each deal of some showed of each group, by the seat that the bidder sits in."""

    places: NDArray[np.int64]
    """[3, deals]: of the seat in the bidding, 0 first, 2 the dealer"""
    bids: NDArray[np.int64]
    """[groups, 3, deals]"""
    tricks: NDArray[np.int64]
    scores: NDArray[np.int64]
    leads: NDArray[np.int64]
    totals: NDArray[np.int64]

    def quantity(self, name: str) -> NDArray[np.int64]:
        """Return one of :data:`QUANTITIES` for each group and deal, added over the seats."""
        own = {
            "score": self.scores,
            "lead": self.leads,
            "exact": self.bids == self.tricks,
            "distance": np.abs(self.bids - self.tricks),
            "bias": self.bids - self.tricks,
            "bid": self.bids,
            "tricks": self.tricks,
            "total": self.totals,
        }[name]
        summed: NDArray[np.int64] = own.sum(axis=1, dtype=np.int64)
        return summed


def see_bids(game: Game, chunks: Sequence[Chunk], groups: Sequence[NDArray[np.int64]]) -> Iterator[Seen]:
    """Yield what chunks of the same deals, one a table, show of several sets of groups.

    Parameters
    ----------
    game : Game
    chunks : sequence of Chunk
    groups : sequence of int64[groups, 3]
        Numbers of the tables in which each group's bidder sits in seat 0, 1, 2; one table three times if it sits there in every seat.
    """
    dealers = game.deal_scores(chunks[0].codes)[0].astype(np.int64)
    places = (np.arange(PLAYERS)[:, None] - dealers - 1) % PLAYERS
    shown = [(*bids_and_tricks(chunk.codes), game.deal_scores(chunk.codes)[1]) for chunk in chunks]
    bids, tricks, scores = (np.stack([one[k] for one in shown]).astype(np.int64) for k in range(3))
    own, summed, totals = np.arange(PLAYERS), scores.sum(axis=2), bids.sum(axis=2)
    for seats in groups:
        # [groups, 3, deals]: of table seats[g, s] the seat s.
        made, taken, scored = (array[seats, :, own] for array in (bids, tricks, scores))
        yield Seen(places, made, taken, scored, 2 * scored - summed[seats], totals[seats])


def table_of(seen: Seen, quantities: Sequence[str] = QUANTITIES, counted: bool = True) -> pd.DataFrame:
    """Return what was seen as a table that adds up with those of other deals.

    Parameters
    ----------
    seen : Seen
    quantities : sequence of str
        Those of which products are summed.
    counted : bool
        Count bids, tricks and sums of bids too.
    """
    parts = [product_rows(seen, quantities)]
    if counted:
        parts += [joint_rows(seen), same_rows(seen), total_rows(seen)]
    return pd.concat([part.reindex(columns=[*ROWS, "count"], fill_value=0) for part in parts], ignore_index=True)


def product_rows(seen: Seen, quantities: Sequence[str]) -> pd.DataFrame:
    """Return for each quantity (``a``) and two groups (``one`` <= ``other``, numbered from 1) the sum over deals of the product; group 0 is 1."""
    parts = []
    for name in quantities:
        values = seen.quantity(name)
        own = np.concatenate([np.ones((1, values.shape[1]), np.int64), values])
        # Whole numbers: exact, and not by BLAS, whose threads would wait for processors that the tables play on (half of the time of a study).
        products = own @ own.T
        one, other = np.triu_indices(len(own))
        found = {"one": one, "other": other, f"{SUMS}u": products[one, other]}
        parts.append(pd.DataFrame(found).assign(a=QUANTITIES.index(name)))
    return pd.concat(parts).assign(what=PRODUCTS, count=values.shape[1])


def joint_rows(seen: Seen) -> pd.DataFrame:
    """Return how often each group (``one``) made each bid (``b``) in each place (``a``) and took so many tricks (``c``), with sums of its scores and
    their squares."""
    groups = len(seen.bids)
    keys = ((np.arange(groups)[:, None, None] * PLAYERS + seen.places) * VALUES + seen.bids) * VALUES + seen.tricks
    flat, size, scores = keys.ravel(), groups * PLAYERS * VALUES * VALUES, seen.scores.ravel().astype(np.float64)
    counts = np.bincount(flat, minlength=size)
    found = np.flatnonzero(counts)
    sums, squares = (np.bincount(flat, weights, size)[found].astype(np.int64) for weights in (scores, scores**2))
    one, place, bid, won = np.unravel_index(found, (groups, PLAYERS, VALUES, VALUES))
    columns = {"one": one, "a": place, "b": bid, "c": won, f"{SUMS}u": sums, f"{SUMS}v": squares, "count": counts[found]}
    return pd.DataFrame(columns).assign(what=JOINT)


def same_rows(seen: Seen) -> pd.DataFrame:
    """Return of the pairs of seats in which a group bid the same (``a``) on one deal the sums of what the two came to.

    Of tricks (``b`` 0) and of exact bids (``b`` 1): products of the two, and their sums.
    """
    groups, deals = len(seen.bids), seen.bids.shape[2]
    size, exact = groups * VALUES, (seen.bids == seen.tricks).astype(np.int64)
    numbers = np.broadcast_to(np.arange(groups)[:, None], (groups, deals))
    sums = np.zeros((5, size), np.int64)
    for left, right in combinations(range(PLAYERS), 2):
        alike = seen.bids[:, left] == seen.bids[:, right]
        keys = numbers[alike] * VALUES + seen.bids[:, left][alike]
        sums[0] += np.bincount(keys, minlength=size)
        for row, values in ((1, seen.tricks), (3, exact)):
            one, other = (values[:, seat][alike].astype(np.float64) for seat in (left, right))
            sums[row] += np.bincount(keys, one * other, size).astype(np.int64)
            sums[row + 1] += np.bincount(keys, one + other, size).astype(np.int64)
    found = np.flatnonzero(sums[0])
    number, bid = np.divmod(found, VALUES)
    own = {"one": number, "a": bid, "count": sums[0][found]}
    parts = [pd.DataFrame({**own, "b": k, f"{SUMS}u": sums[1 + 2 * k][found], f"{SUMS}v": sums[2 + 2 * k][found]}) for k in range(2)]
    return pd.concat(parts).assign(what=SAME)


def total_rows(seen: Seen) -> pd.DataFrame:
    """Return how many tables of each group (``one``) had each sum of the three bids (``a``)."""
    groups, size = len(seen.totals), PLAYERS * TRICKS + 1
    counts = np.bincount((np.arange(groups)[:, None, None] * size + seen.totals).ravel(), minlength=groups * size)
    found = np.flatnonzero(counts)
    one, total = np.divmod(found, size)
    return pd.DataFrame({"one": one, "a": total, "count": counts[found]}).assign(what=TOTAL)


class Moments(NamedTuple):
    """Sums over deals of a quantity of each group, and of products of two groups."""

    n: int
    """deals"""
    sums: NDArray[np.int64]
    products: NDArray[np.int64]


def moments(table: pd.DataFrame) -> dict[str, Moments]:
    """Return for each quantity of a total what :func:`product_rows` summed."""
    rows = table[table["what"] == PRODUCTS]
    found = {}
    for number, own in rows.groupby("a"):
        size = int(own["other"].max()) + 1
        products = np.zeros((size, size), np.int64)
        one, other, value = (own[name].to_numpy(np.int64) for name in ("one", "other", f"{SUMS}u"))
        products[one, other] = products[other, one] = value
        found[QUANTITIES[int(str(number))]] = Moments(int(products[0, 0]), products[0, 1:], products[1:, 1:])
    return found
