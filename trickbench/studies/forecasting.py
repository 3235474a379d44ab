"""What bidders forecast of their own tricks, and what came of it: views of recorded bids built again, forecasts scored, sums of integers.

An agent with a ``forecast`` is asked for the tricks that it expects with the bid that it makes: ``forecast(view, params, rules, tables)`` on a view
of arrays, one element a bid, returns weights of 0 .. 17 tricks, [n, 18].
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.agent import numbers_of
from trickbench.engine import AGENTS, PARTS
from trickbench.errors import AgentError, TrickbenchError
from trickbench.games.game import Game
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.outcomes import bids_and_tricks
from trickbench.games.manchego.rules import legal_bids, suit_of
from trickbench.registry import Bound
from trickbench.stats.calibration import bin_of, crps, cumulative, log_score, pit_shares, probability_of
from trickbench.streams import counter, words_at
from trickbench.studies.study import SUMS
from trickbench.table import Table
from trickbench.worker import Chunk

MEASURE, BIN, PIT, OUTCOME = 0, 1, 2, 3
"""What rows count: bids with the sums of a score; forecasts of an event by bin of their probability; bids with their share of a bin of the PIT
histogram; bids by tricks taken."""
ROWS = ["what", "bidder", "a", "b", f"{SUMS}t", f"{SUMS}p", f"{SUMS}nn", f"{SUMS}nt", f"{SUMS}tt"]
MEASURES = ("crps", "log_score", "brier", "miss", "distance", "impossible")
"""miss: mean of the forecast less tricks; distance: of the bid; brier: of the forecast that the bid is exact; impossible: 1 if what happened had
probability 0 (left out of the log score, which is infinite then)."""
UNIT = 10_000
"""Scores and shares are kept as whole multiples of 1 / UNIT, so that sums depend on no order."""
EVENTS = ("exact", "at least")
"""The bid is exact; at least 1, 2, ... 17 tricks are taken."""
PIT_BINS = 10


class Asked(NamedTuple):
    """Who bids in some deals: one at each place."""

    view: Any
    """of arrays, as the engine shows it"""
    bids: NDArray[np.int64]
    tricks: NDArray[np.int64]


def views(game: Game, seed: int, chunk: Chunk) -> Iterator[Asked]:
    """Yield the bidding of recorded deals, place by place: what the seat there saw when it was asked, what it bid, what it took.

    Parameters
    ----------
    game : Game
    seed : int
        Of the deals and the words.
    chunk : Chunk
        With ``plays``, which hold the hands.
    """
    deals = np.arange(len(chunk.codes))
    bids, tricks = (array.astype(np.int64) for array in bids_and_tricks(chunk.codes))
    hands = chunk.plays[:, : at.PLAYERS].astype(np.int64)
    dealers, turned = (chunk.codes & np.uint64(3)).astype(np.int64), ((chunk.codes >> np.uint64(2)) & np.uint64(63)).astype(np.int64)
    words, made = bid_words(seed, chunk.first, chunk.count), np.full((len(deals), at.PLAYERS), at.NO_BID, np.int64)
    trumps, rules, zeros = np.array([suit_of(1 << card) for card in range(at.PACK)]), game.rules.values(), np.zeros(len(deals), np.int64)
    for place in range(at.PLAYERS):
        seats = (dealers + 1 + place) % at.PLAYERS
        left, right = (seats + 1) % at.PLAYERS, (seats + 2) % at.PLAYERS
        seen = {
            "hand": hands[deals, seats], "legal": _legal(rules)[place == 2][np.where(made < at.NO_BID, made, 0).sum(axis=1)],
            "turned": 1 << turned, "trump": trumps[turned], "dealer": (dealers - seats) % at.PLAYERS, "bid_me": made[deals, seats],
            "bid_left": made[deals, left], "bid_right": made[deals, right], "target": zeros + rules.target, "word": words[deals, seats],
        }  # fmt: skip
        yield Asked(at.View(**{name: seen.get(name, zeros) for name in at.View._fields}), bids[deals, seats], tricks[deals, seats])
        made[deals, seats] = bids[deals, seats]


@cache
def _legal(rules: Any) -> list[NDArray[np.int64]]:
    """Return the legal bids by the sum of those made before, for others and for the dealer."""
    return [np.array([legal_bids(others, is_dealer, rules) for others in range(2 * at.TRICKS + 1)]) for is_dealer in (0, 1)]


def bid_words(seed: int, first: int, count: int) -> NDArray[np.int64]:
    """Return the random words of the bids of some deals by seat, [deals, 3]."""
    low, high = counter(np.arange(first, first + count, dtype=np.uint64), 0)  # type: ignore[arg-type]
    words = words_at(seed, low, high, at.BID, 0)
    return np.stack(words[: at.PLAYERS], axis=1).astype(np.int64)


def table_of(game: Game, seed: int, bidder: int, table: Table, chunk: Chunk) -> pd.DataFrame:
    """Return what a bidder against itself forecast in recorded deals, and how it scored, as a table that adds up with those of other deals."""
    asked = list(views(game, seed, chunk))
    tables = bid_tables(table)
    bound = table.seats[0].decisions["bid"]
    spread = [forecast(game, bound, tables, one.view) for one in asked]
    bids, tricks = (np.stack([getattr(one, name) for one in asked]) for name in ("bids", "tricks"))
    f = np.stack(spread)
    parts = [measure_rows(f, bids, tricks), bin_rows(f, bids, tricks), pit_rows(f, tricks)]
    taken = np.bincount(tricks.ravel(), minlength=at.TRICKS + 1)
    parts.append(pd.DataFrame({"a": np.arange(at.TRICKS + 1), "count": taken}).assign(what=OUTCOME))
    whole = pd.concat([part.reindex(columns=[*ROWS, "count"], fill_value=0) for part in parts], ignore_index=True).assign(bidder=bidder)
    return whole.astype(np.int64)


def bid_tables(table: Table) -> NDArray[np.int64]:
    """Return the tables of the one bidder of a table, as its functions read them."""
    data, numbers = table.memory()
    k = PARTS * AGENTS * table.game.kinds.index("bid")
    return data[numbers[k + 2] : numbers[k + 3]]


def forecast(game: Game, bound: Bound, tables: NDArray[np.int64], view: Any) -> NDArray[np.float64]:
    """Return the distribution functions that an agent forecasts, [n, 18].

    Raises
    ------
    AgentError
        If it raises, or returns something else than weights.
    """
    assert bound.agent.forecast is not None
    try:
        weights = np.asarray(bound.agent.forecast(view, numbers_of(bound.params), game.rules.values(), tables))
        if weights.shape != (len(view.hand), at.TRICKS + 1) or weights.dtype.kind not in "iuf":
            raise AgentError(f"it returned {weights.dtype}{list(weights.shape)}; weights [{len(view.hand)}, {at.TRICKS + 1}] would be right")
        return cumulative(weights)
    except TrickbenchError as error:
        raise AgentError(f"agent '{bound.text}' (forecast): {error}") from None
    except Exception as error:
        raise AgentError(f"agent '{bound.text}' (forecast): it raised {type(error).__name__}: {error}") from error


def grouped(n: NDArray[np.int64], t: NDArray[np.int64]) -> dict[str, int]:
    """Return the sums that are kept of deals with n cases that come to t."""
    products = {"nn": n * n, "nt": n * t, "tt": t * t}
    return {f"{SUMS}t": int(t.sum()), **{f"{SUMS}{name}": int(own.sum()) for name, own in products.items()}, "count": int(n.sum())}


def measure_rows(f: NDArray[np.float64], bids: NDArray[np.int64], tricks: NDArray[np.int64]) -> pd.DataFrame:
    """Return sums of each of :data:`MEASURES` over deals; distribution functions are [3, deals, 18], bids and tricks [3, deals]."""
    places = range(len(f))
    chance = np.stack([probability_of(f[place], bids[place]) for place in places])
    logs = np.stack([log_score(f[place], tricks[place]) for place in places])
    finite = np.isfinite(logs)
    mean = (1 - f).sum(axis=2)
    values = {
        "crps": np.stack([crps(f[place], tricks[place]) for place in places]), "log_score": np.where(finite, logs, 0),
        "brier": (chance - (bids == tricks)) ** 2, "miss": mean - tricks, "distance": np.abs(bids - tricks), "impossible": ~finite,
    }  # fmt: skip
    rows = []
    for number, name in enumerate(MEASURES):
        n = finite.sum(axis=0) if name == "log_score" else np.full(f.shape[1], len(f))
        rows.append({"a": number, **grouped(n, np.round(UNIT * values[name]).astype(np.int64).sum(axis=0))})
    return pd.DataFrame(rows).assign(what=MEASURE)


def bin_rows(f: NDArray[np.float64], bids: NDArray[np.int64], tricks: NDArray[np.int64]) -> pd.DataFrame:
    """Return for each of :data:`EVENTS` (``a``) and each tenth of probability (``b``) how often it was forecast, and how often it came."""
    chance = np.stack([probability_of(f[place], bids[place]) for place in range(len(f))])
    levels = np.arange(1, at.TRICKS + 1)
    deals = f.shape[1]
    cases = (
        (chance, bids == tricks),
        ((1 - f[:, :, :-1]).transpose(0, 2, 1).reshape(-1, deals), (tricks[:, None, :] >= levels[:, None]).reshape(-1, deals)),
    )
    rows = []
    for event, (said, came) in enumerate(cases):
        keys = bin_of(np.clip(said, 0, 1).ravel()) * deals + np.tile(np.arange(deals), len(said))
        size = 10 * deals
        n, t, p = (np.bincount(keys, weights, size).astype(np.int64).reshape(10, deals)
                   for weights in (np.ones(said.size), came.ravel(), np.round(UNIT * said.ravel())))  # fmt: skip
        rows += [{"a": event, "b": b, f"{SUMS}p": int(p[b].sum()), **grouped(n[b], t[b])} for b in range(10)]
    return pd.DataFrame(rows).assign(what=BIN)


def pit_rows(f: NDArray[np.float64], tricks: NDArray[np.int64]) -> pd.DataFrame:
    """Return how much of each bin (``b``) of the PIT histogram is filled."""
    shares = sum(np.round(UNIT * pit_shares(own, taken, PIT_BINS)).astype(np.int64) for own, taken in zip(f, tricks, strict=True))
    n = np.full(f.shape[1], len(f))
    return pd.DataFrame([{"b": b, **grouped(n, np.asarray(shares)[:, b])} for b in range(PIT_BINS)]).assign(what=PIT)
