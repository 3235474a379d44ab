"""What the bidders from rollouts have in common: from the lanes that ask for a bid to rollouts, and from their sums to a bid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import int64
from numba.extending import overload
from numpy.typing import NDArray

import trickbench
from trickbench.engine import ERROR_SIZE, aligned
from trickbench.games.manchego import bid_layout as rows
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.bid_layout import BID_COUNT, ROUNDS, SUM_COUNT, TRICKS, notes_size
from trickbench.games.manchego.options import RULE_COUNT, RuleValues, as_array
from trickbench.games.rows import LANES

LEAST_WORLDS, MOST_WORLDS = 4, 1024
OWN = 2 + rows.COLUMNS + BID_COUNT * (1 + SUM_COUNT)
"""Numbers that are kept for a decision: two of the evidence, the decision, the bids tried, their sums."""
SCRATCH = 8 + at.SIZE + LANES + ERROR_SIZE + LANES * OWN + max(notes_size(worlds, ROUNDS) for worlds in range(MOST_WORLDS + 1))
"""How much own memory a bidder wants."""


class Parameters(NamedTuple):
    """worlds: how often the hidden hands are dealt; bids: how many are tried; policy, bidder: who plays and who bids in the rollouts."""

    worlds: int = 64
    bids: int = 9
    policy: str = "heuristic"
    bidder: str = "either"


LIMITS = {"worlds": (LEAST_WORLDS, MOST_WORLDS), "bids": (2, BID_COUNT)}


def policies(params: Parameters) -> dict[str, Any]:
    """Return who plays and bids in the rollouts."""
    return {"rollouts": f"play={params.policy},bid={params.bidder}"}


def roll(
    S: Any, R: Any, notes: Any, Q: Any, bids: Any, place: int, worlds: int, evidence: int, rule: int, tables: Any, error: Any, sums: Any, found: Any
) -> None:  # fmt: skip
    """Do what ``roll_by_policy`` of :mod:`trickbench.games.manchego.bid_policies` does, which is loaded when somebody sits down to play."""
    from trickbench.games.manchego.bid_policies import roll_by_policy

    roll_by_policy(S, R, notes, Q, bids, place, worlds, evidence, rule, tables, error, sums, found)


# No annotations: numba compares the argument lists to the letter.
@overload(roll)
def _roll_compiled(S, R, notes, Q, bids, place, worlds, evidence, rule, tables, error, sums, found):  # type: ignore[no-untyped-def]
    from trickbench.games.manchego.bid_policies import roll_by_policy

    def rolled(S, R, notes, Q, bids, place, worlds, evidence, rule, tables, error, sums, found):  # type: ignore[no-untyped-def]
        roll_by_policy(S, R, notes, Q, bids, place, worlds, evidence, rule, tables, error, sums, found)

    return rolled


@trickbench.kernel
def note_decision(view: Any, i: int, Q: Any, k: int, place: int) -> None:
    """Write lane ``i`` down as decision ``k``."""
    Q[rows.HAND, k] = int64(view[at.HAND + i])
    Q[rows.TURNED, k] = int64(view[at.TURNED + i])
    Q[rows.KEY, k] = int64(view[at.WORD + i])
    Q[rows.LEGAL, k] = int64(view[at.LEGAL + i])
    left, right = int64(view[at.BIDS_SEEN + LANES + i]), int64(view[at.BIDS_SEEN + 2 * LANES + i])
    Q[rows.BIDS, k] = left if place == 2 else right
    Q[rows.BIDS + 1, k] = right
    for seat in range(at.PLAYERS):
        Q[rows.SCORES + (place + seat) % at.PLAYERS, k] = int64(view[at.SCORES_SEEN + seat * LANES + i])


@trickbench.kernel
def asked(view: Any, lanes: Any) -> int:
    """Note the lanes that ask for a bid and return how many do."""
    n = 0
    for i in range(LANES):
        if view[at.MINE + i] != 0:
            lanes[n] = i
            n += 1
    return n


@trickbench.kernel
def decide(view: Any, params: Any, tables: Any, scratch: Any, evidence: int, rule: int) -> None:
    """Fill the choices of the lanes that ask."""
    worlds, count = params[RULE_COUNT], params[RULE_COUNT + 1]
    a = (-scratch.ctypes.data % 64) // 8
    S = scratch[a : a + at.SIZE].view(np.uint64)
    a += at.SIZE
    lanes, error = scratch[a : a + LANES], scratch[a + LANES : a + LANES + ERROR_SIZE]
    a += LANES + ERROR_SIZE
    n = asked(view, lanes)
    if n == 0:
        return
    own = scratch[a : a + n * OWN]
    own[:] = 0
    notes = scratch[a + own.size :]
    b = n * rows.COLUMNS
    Q, found = own[:b].reshape((rows.COLUMNS, n)), own[b : b + 2 * n].reshape((n, 2))
    b += 2 * n
    bids = own[b : b + n * count].reshape((n, count))
    b += n * count
    sums = own[b : b + n * BID_COUNT * SUM_COUNT].reshape((n, BID_COUNT, SUM_COUNT))
    # The dealer, on the left of place 1 and the right of place 0, bids last.
    place = 2 - int64(view[at.DEALER + lanes[0]])
    for k in range(n):
        note_decision(view, lanes[k], Q, k, place)
    roll(S, params[:RULE_COUNT], notes, Q, bids, place, worlds, evidence, rule, tables, error, sums, found)
    for k in range(n):
        view[at.CHOICE + lanes[k]] = 1 << bids[k, 0]


def forecast(view: at.View, params: Parameters, rules: RuleValues, tables: Any, evidence: int, rule: int) -> NDArray[np.int64]:
    """Return how often 0 to 17 tricks came with the bid that is made, in the rollouts by which it was chosen."""
    places = 2 - np.asarray(view.dealer)
    found = np.zeros((len(places), BID_COUNT), np.int64)
    for place in range(at.PLAYERS):
        own = np.flatnonzero(places == place)
        if len(own):
            found[own] = _histograms(_picked(view, own), place, params, rules, tables, evidence, rule)
    return found


def _picked(view: Any, own: Any) -> Any:
    return type(view)(*(np.asarray(column)[own] for column in view))


def _histograms(view: at.View, place: int, params: Parameters, rules: RuleValues, tables: Any, evidence: int, rule: int) -> NDArray[np.int64]:
    """Return the histograms of decisions at one place in the bidding."""
    n = len(view.hand)  # type: ignore[arg-type]
    scores = np.roll(np.array([view.score_me, view.score_left, view.score_right]), place, axis=0)
    first = view.bid_left if place == 2 else view.bid_right
    Q = np.array([view.hand, view.turned, view.word, view.legal, first, view.bid_right, *scores], np.int64)
    bids, sums, found = np.zeros((n, params.bids), np.int64), np.zeros((n, BID_COUNT, SUM_COUNT), np.int64), np.zeros((n, 2), np.int64)
    block, notes, error = aligned(at.SIZE, np.uint64), np.zeros(notes_size(params.worlds, ROUNDS), np.int64), np.zeros(ERROR_SIZE, np.int64)
    roll(block, as_array(rules), notes, Q, bids, place, params.worlds, evidence, rule, tables, error, sums, found)
    return sums[np.arange(n), bids[:, 0], TRICKS:]


def bidder(name: str, summary: str, bid: Callable[..., None], evidence: int, rule: int) -> trickbench.Agent:
    """Return the agent of a bidder from rollouts."""

    def told(view: at.View, params: Parameters, rules: RuleValues, tables: Any) -> NDArray[np.int64]:
        return forecast(view, params, rules, tables, evidence, rule)

    return trickbench.Agent(
        name, summary, manchego={"bid": bid}, parameters=Parameters, limits=LIMITS, policies=policies, scratch=SCRATCH, forecast={"bid": told}
    )
