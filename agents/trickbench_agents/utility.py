"""utility: makes the bid that scores most, in rollouts.

As ``mode``, but the bid is worth the mean score by the rules that came of it: the distances of all three count. What the others have bid it does not
look at.
"""

from __future__ import annotations

from typing import Any

import trickbench
from trickbench.games.manchego.bid_layout import UTILITY
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.options import RuleValues
from trickbench_agents import rollout_bid
from trickbench_agents.rollout_bid import Parameters

EVIDENCE = 0


@trickbench.lanes
def bid(view: Any, params: Any, tables: Any, scratch: Any) -> None:
    """Bid in the lanes that ask."""
    rollout_bid.decide(view, params, tables, scratch, EVIDENCE, UTILITY)


def forecast(view: View, params: Parameters, rules: RuleValues, tables: Any) -> Any:
    """Return how often 0 to 17 tricks came with the bid that is made, in the rollouts by which it was chosen."""
    return rollout_bid.forecast(view, params, rules, tables, EVIDENCE, UTILITY)


agent = trickbench.Agent(
    name="utility",
    summary="makes the bid that scores most in rollouts",
    manchego={"bid": bid},
    parameters=Parameters,
    limits=rollout_bid.LIMITS,
    policies=rollout_bid.policies,
    scratch=rollout_bid.SCRATCH,
    forecast=forecast,
)
