"""Rollouts of bids by the policies that an agent is handed: the way from a bidder's tables to :mod:`trickbench.games.manchego.bid_rollout`."""

from __future__ import annotations

from typing import Any

from numba import int64, void

from trickbench.engine import ERROR_SET, NUMBERS, PLAY
from trickbench.games.manchego.bid_layout import ROUNDS
from trickbench.games.manchego.bid_rollout import SUMS, bid_rollout, bids_around
from trickbench.games.manchego.dealing import BLOCKS
from trickbench.games.manchego.drive import BIDDING, loops
from trickbench.games.rolling import TABLE
from trickbench.jit import compiled
from trickbench.policies import BOUNDS, DATA, RUN, address_of, begin_of, end_of, make_function_at

function_at = make_function_at(loops.choose)


@compiled(void(BLOCKS, NUMBERS, NUMBERS, TABLE, TABLE, int64, int64, int64, int64, NUMBERS, NUMBERS, SUMS, TABLE))
def roll_by_policy(
    S: Any, R: Any, notes: Any, Q: Any, bids: Any, place: int, worlds: int, evidence: int, rule: int, tables: Any, error: Any, sums: Any, found: Any
) -> None:  # fmt: skip
    """Try the bids around the policy's own in three rounds; the best stands first in ``bids`` then.

    The arguments are those of :func:`trickbench.games.manchego.bid_rollout.bid_rollout`; ``tables`` holds one policy, who plays and bids.

    Raises
    ------
    ValueError
        After an illegal choice of the policy.
    """
    run = tables[begin_of(tables, 0, RUN) : end_of(tables, 0, RUN)]
    data = tables[begin_of(tables, 0, DATA) : end_of(tables, 0, DATA)]
    bounds = tables[begin_of(tables, 0, BOUNDS) : end_of(tables, 0, BOUNDS)]
    f0, f1 = function_at(address_of(tables, 0, PLAY, 0)), function_at(address_of(tables, 0, PLAY, 1))
    f2, f3 = function_at(address_of(tables, 0, PLAY, 2)), function_at(address_of(tables, 0, PLAY, 3))
    b0, b1 = function_at(address_of(tables, 0, BIDDING, 0)), function_at(address_of(tables, 0, BIDDING, 1))
    b2, b3 = function_at(address_of(tables, 0, BIDDING, 2)), function_at(address_of(tables, 0, BIDDING, 3))
    error[ERROR_SET] = 0
    bad = bids_around(S, R, notes, Q, bids, place, evidence, run, data, bounds, error, b0, b1, b2, b3)
    if bad == 0:
        bad = bid_rollout(
            S, R, notes, Q, bids, place, worlds, ROUNDS, evidence, rule, run, data, bounds, run, data, bounds, error, sums, found,
            f0, f1, f2, f3, b0, b1, b2, b3
        )  # fmt: skip
    if bad != 0:
        raise ValueError("a policy made an illegal choice in a rollout")
