"""Bidders asked apart from play: each distinct decision once, however many tables have it; tables then play with the bids that are known.

A bid depends on what the bidder sees: hand, turned card, the bids before, its random word. At the tables of a study of bids the same decision comes
up again and again, for every opponent that bid the same and under every card player. A bidder that takes half a millisecond for a bid is asked
once for all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.agent import Agent, NoParameters
from trickbench.calling import Superblock
from trickbench.chunks import new_bar
from trickbench.crew import in_order
from trickbench.engine import AGENTS, aligned
from trickbench.errors import AgentError, UsageError
from trickbench.games.game import Game
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.rules import legal_bids, suit_of
from trickbench.games.rows import LANES
from trickbench.jit import kernel
from trickbench.registry import Bound
from trickbench.streams import counter, first_dealer, words_at
from trickbench.studies.crossing import Answering, answering, crossed
from trickbench.table import Table

BID_BITS = 5
BLOCKS = 16
"""Blocks that a bidder is asked in at a time: small enough that threads share the work evenly."""


class Dealt(NamedTuple):
    """Deals as a run of a seed deals them."""

    hands: NDArray[np.int64]
    """[deals, 3] by seat"""
    turned: NDArray[np.int64]
    """the turned card as a set"""
    dealers: NDArray[np.int64]
    words: NDArray[np.int64]
    """[deals, 3]: the random word for the bid, by seat"""


def deal_out(game: Game, seed: int, first: int, count: int) -> Dealt:
    """Return deals ``first`` .. ``first + count - 1`` of a seed."""
    from trickbench.games.manchego.dealing import deal

    low, high = counter(np.arange(first, first + count, dtype=np.uint64), 0)  # type: ignore[arg-type]
    flat = aligned(at.SIZE * -(-count // LANES), np.uint64)
    rows = flat.reshape(-1, at.SIZE)
    put(rows, at.COUNTER, np.asarray(low))
    put(rows, at.COUNTER + LANES, np.broadcast_to(high, (count,)))
    deal(flat, game.deal_key(seed, 0)[0])
    held = [rows[:, at.DEALT + k * LANES : at.DEALT + (k + 1) * LANES].reshape(-1)[:count].astype(np.int64) for k in range(4)]
    dealers = (first_dealer(seed, at.PLAYERS) + first + np.arange(count)) % at.PLAYERS
    words = np.stack(words_at(seed, low, high, at.BID, 0)[: at.PLAYERS], axis=1).astype(np.int64)
    return Dealt(np.stack(held[:3], axis=1), held[3], dealers, words)


def put(rows: NDArray[Any], row: int, values: NDArray[Any]) -> None:
    """Fill a row of blocks with values, deal after deal; lanes that are left over get the first value again."""
    padded = np.full(len(rows) * LANES, values[0], rows.dtype)
    padded[: len(values)] = values
    rows[:, row : row + LANES] = padded.reshape(-1, LANES)


def bid_view(game: Game, dealt: Dealt, made: NDArray[np.int64], place: int) -> tuple[Any, NDArray[np.int64]]:
    """Return what the seat at a place in the bidding sees when it is asked, as a view of arrays, and the seats.

    Parameters
    ----------
    game : Game
    dealt : Dealt
    made : int64[deals, 3]
        Bids by seat, of which those before count.
    place : int
        0 bids first, 2 is the dealer.
    """
    rows, rules = np.arange(len(made)), game.rules.values()
    seats = (dealt.dealers + 1 + place) % at.PLAYERS
    before = [(seats - back) % at.PLAYERS for back in range(1, place + 1)]
    bids = np.full((len(made), at.PLAYERS), at.NO_BID, np.int64)
    for seat in before:
        bids[rows, seat] = made[rows, seat]
    others = np.sum([made[rows, seat] for seat in before], axis=0, dtype=np.int64) * np.ones(len(made), np.int64)
    legal = np.array([legal_bids(total, int(place == at.PLAYERS - 1), rules) for total in range(2 * at.TRICKS + 1)])
    trumps = np.array([suit_of(1 << card) for card in range(at.PACK)])
    seen: dict[str, Any] = {
        "hand": dealt.hands[rows, seats], "legal": legal[others], "turned": dealt.turned, "trump": trumps[np.log2(dealt.turned).astype(np.int64)],
        "dealer": (dealt.dealers - seats) % at.PLAYERS, "word": dealt.words[rows, seats], "target": np.full(len(made), rules.target),
        **{name: bids[rows, (seats + k) % at.PLAYERS] for k, name in enumerate(("bid_me", "bid_left", "bid_right"))},
    }  # fmt: skip
    return at.View(**{name: seen.get(name, np.zeros(len(made), np.int64)) for name in at.View._fields}), seats


ROWS = {
    "hand": at.HAND, "legal": at.LEGAL, "turned": at.TURNED, "trump": at.TRUMP, "dealer": at.DEALER, "word": at.WORD, "bid_me": at.BIDS_SEEN,
    "bid_left": at.BIDS_SEEN + LANES, "bid_right": at.BIDS_SEEN + 2 * LANES,
}  # fmt: skip
"""The rows of a block that a decision to bid fills; all others are 0 in independent deals."""


class Asker:
    """One thread's blocks, and the function of a bidder."""

    def __init__(self, table: Table, stop: threading.Event) -> None:
        self.table = table
        self.block = Superblock(table.game, aligned(at.SIZE * BLOCKS, np.uint64), stop)
        data, numbers = table.memory()
        self.choose = table.python_functions(self.block, data, numbers)[AGENTS * table.game.kinds.index("bid")]

    def ask(self, view: Any, seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the choices for some decisions of one place in the bidding, at most as many as there are lanes.

        Raises
        ------
        AgentError
            If the bidder raises.
        """
        rows, n = self.block.rows, len(seats)
        rows[:] = 0
        for name, row in ROWS.items():
            put(rows, row, getattr(view, name))
        put(rows, at.SEAT, seats)
        rows[:, at.MINE : at.MINE + LANES] = (np.arange(len(rows) * LANES) < n).reshape(-1, LANES)
        rows[:, at.HEADER + at.DECISION] = at.BID
        self.choose(None, None, None, None)
        found: NDArray[np.int64] = rows[:, at.CHOICE : at.CHOICE + LANES].reshape(-1)[:n].astype(np.int64)
        return found


def bid_table(game: Game, bidder: Answering) -> Table:
    """Return a table at which a bidder bids; who plays the cards there does not matter."""
    return Table(game, crossed(answering("random", "play", game), bidder))


def ask(table: Table, view: Any, seats: NDArray[np.int64], threads: int) -> NDArray[np.int64]:
    """Return what the bidder at a table bids, for each element of a view of arrays of one place in the bidding.

    Raises
    ------
    AgentError
        If the bidder raises, or makes a bid that is not legal.
    UsageError
        For an agent that looks at more than its view.
    """
    agent = table.seats[0].decisions["bid"].agent
    if agent.oracle or agent.reads_history:
        raise UsageError(f"agent '{agent.name}' looks at more than a view holds; it can bid at a table alone")
    size, stop = BLOCKS * LANES, threading.Event()
    parts = [slice(first, first + size) for first in range(0, len(seats), size)]
    askers = [Asker(table, stop) for _ in range(max(1, min(threads if table.compiled else 1, len(parts))))]

    def work(asker: Asker, part: slice) -> NDArray[np.int64]:
        return asker.ask(at.View(*(column[part] for column in view)), seats[part])

    with closing(in_order(askers, parts, work, 2 * len(askers), stop, new_bar(None, 0), int)) as found:
        choices = np.concatenate([np.zeros(0, np.int64), *found])
    if not ((choices & view.legal != 0) & (choices & (choices - 1) == 0)).all():
        bound = table.seats[0].decisions["bid"]
        raise AgentError(f"agent '{bound.text}' (bid): it made a bid that is not one of the legal ones")
    bids: NDArray[np.int64] = np.log2(np.maximum(choices, 1)).astype(np.int64)
    return bids


def bids_of(game: Game, bidders: Sequence[Table], who: NDArray[np.int64], dealt: Dealt, threads: int) -> NDArray[np.int64]:
    """Return the bids of deals at several tables, [tables, deals, 3] by seat.

    Parameters
    ----------
    game : Game
    bidders : sequence of Table
        See :func:`bid_table`.
    who : int64[tables, 3]
        The bidder in each seat.
    dealt : Dealt
    threads : int

    Raises
    ------
    AgentError, UsageError
        As :func:`ask`.
    """
    deals = np.arange(len(dealt.dealers))
    made = np.zeros((len(who), len(deals), at.PLAYERS), np.int64)
    for place in range(at.PLAYERS):
        seats = (dealt.dealers + 1 + place) % at.PLAYERS
        key = np.broadcast_to(deals, made.shape[:2]).copy()
        for back in range(1, place + 1):
            key = (key << BID_BITS) | made[:, deals, (seats - back) % at.PLAYERS]
        for number, table in enumerate(bidders):
            # [tables, deals]: where this bidder is to bid.
            those = np.nonzero(who[:, seats] == number)
            keys, example, back_to = np.unique(key[those], return_index=True, return_inverse=True)
            if len(keys) == 0:
                continue
            tables, some = those[0][example], those[1][example]
            own = Dealt(*(array[some] for array in dealt))
            view, sitting = bid_view(game, own, made[tables, some], place)
            made[(*those, seats[those[1]])] = ask(table, view, sitting, threads)[back_to]
    return made


@kernel
def known_bid(view: Any, params: Any, rules: Any, tables: Any) -> int:
    """Bid what stands in the tables beside the hand: numbers of hand and bid, ascending."""
    low, high = 0, tables.size - 1
    while low < high:
        middle = (low + high + 1) >> 1
        if tables[middle] >> BID_BITS > view.hand:
            high = middle - 1
        else:
            low = middle
    bid = tables[low] & ((1 << BID_BITS) - 1)
    return 1 << int(bid)


def bidding(dealt: Dealt, bids: NDArray[np.int64]) -> Answering:
    """Return a bidder that makes bids [deals, 3] that are known, on these deals.

    Raises
    ------
    UsageError
        If two of the hands are the same: a bid is found by the hand.
    """
    packed = np.sort(((dealt.hands << BID_BITS) | bids).ravel())
    if (np.diff(packed >> BID_BITS) == 0).any():
        raise UsageError("two hands of these deals are the same")
    agent = Agent("known", manchego={"bid": known_bid}, tables=lambda params: packed, uses_word=False)
    return Answering(Bound(agent, NoParameters(), "bid", known_bid, "known"), False)
