"""mode: bids from rollouts."""

from __future__ import annotations

from typing import Any

import trickbench
from trickbench.games.manchego.bid_rollout import MODE, UTILITY
from trickbench_agents.rollout_bid import LIMITS, SCRATCH, Parameters, decide, policies


@trickbench.lanes
def bid(view: Any, params: Any, tables: Any, scratch: Any) -> None:
    """Bid."""
    decide(view, params, tables, scratch, 0, MODE)


agent = trickbench.Agent(
    name="mode",
    summary="",
    manchego={"bid": bid},
    parameters=Parameters,
    limits=LIMITS,
    policies=policies,
    scratch=SCRATCH,
)
