"""What the bidders from rollouts have in common: from the lanes that ask for a bid to rollouts, and from their sums to a bid."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64

import trickbench
from trickbench.engine import ERROR_SET, ERROR_SIZE, PLAY
from trickbench.games.manchego import bid_rollout as rolling
from trickbench.games.manchego import bid_worlds as rows
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.drive import BIDDING, loops
from trickbench.games.manchego.options import RULE_COUNT
from trickbench.games.rows import LANES
from trickbench.policies import address_of, bounds_of, data_of, make_function_at, run_of

LEAST_WORLDS, MOST_WORLDS = 4, 1024
function_at = make_function_at(loops.choose)
OWN = 2 + rows.COLUMNS + rolling.BID_COUNT * (1 + rolling.SUM_COUNT)
"""Numbers that are kept for a decision: two of the evidence, the decision, the bids tried, their sums."""
SCRATCH = 8 + at.SIZE + LANES + ERROR_SIZE + LANES * OWN + max(rolling.notes_size(worlds, rolling.ROUNDS) for worlds in range(MOST_WORLDS + 1))
"""How much own memory a bidder wants."""


class Parameters(NamedTuple):
    """worlds: how often the hidden hands are dealt; bids: how many are tried; policy, bidder: who plays and who bids in the rollouts."""

    worlds: int = 64
    bids: int = 9
    policy: str = "heuristic"
    bidder: str = "either"


LIMITS = {"worlds": (LEAST_WORLDS, MOST_WORLDS), "bids": (2, rolling.BID_COUNT)}


def policies(params: Parameters) -> dict[str, Any]:
    """Return who plays and bids in the rollouts."""
    return {"rollouts": f"play={params.policy},bid={params.bidder}"}


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
def roll(S: Any, rules: Any, notes: Any, Q: Any, bids: Any, place: int, worlds: int, evidence: int, rule: int, tables: Any, error: Any, sums: Any, found: Any) -> None:
    """Try the bids around the policy's own; ``bids`` has the best first then. The policies stand in ``tables``."""
    run, data, bounds = run_of(tables, 0), data_of(tables, 0), bounds_of(tables, 0)
    f0, f1 = function_at(address_of(tables, 0, PLAY, 0)), function_at(address_of(tables, 0, PLAY, 1))
    f2, f3 = function_at(address_of(tables, 0, PLAY, 2)), function_at(address_of(tables, 0, PLAY, 3))
    b0, b1 = function_at(address_of(tables, 0, BIDDING, 0)), function_at(address_of(tables, 0, BIDDING, 1))
    b2, b3 = function_at(address_of(tables, 0, BIDDING, 2)), function_at(address_of(tables, 0, BIDDING, 3))
    error[ERROR_SET] = 0
    bad = rolling.bids_around(S, rules, notes, Q, bids, place, evidence, run, data, bounds, error, b0, b1, b2, b3)
    if bad == 0:
        bad = rolling.bid_rollout(
            S, rules, notes, Q, bids, place, worlds, rolling.ROUNDS, evidence, rule, run, data, bounds, run, data, bounds, error, sums, found,
            f0, f1, f2, f3, b0, b1, b2, b3
        )  # fmt: skip
    if bad != 0:
        raise ValueError("a policy made an illegal choice in a rollout")


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
    sums = own[b : b + n * rolling.BID_COUNT * rolling.SUM_COUNT].reshape((n, rolling.BID_COUNT, rolling.SUM_COUNT))
    # The dealer, on the left of place 1 and the right of place 0, bids last.
    place = 2 - int64(view[at.DEALER + lanes[0]])
    for k in range(n):
        note_decision(view, lanes[k], Q, k, place)
    roll(S, params[:RULE_COUNT], notes, Q, bids, place, worlds, evidence, rule, tables, error, sums, found)
    for k in range(n):
        view[at.CHOICE + lanes[k]] = 1 << bids[k, 0]
