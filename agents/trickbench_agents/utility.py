"""utility: makes the bid that scores most, in rollouts.

As ``mode``, but the bid is worth the mean score by the rules that came of it: the distances of all three count. What the others have bid it does not
look at.
"""

from __future__ import annotations

from typing import Any

import trickbench
from trickbench.games.manchego.bid_layout import UTILITY
from trickbench_agents import rollout_bid

EVIDENCE = 0


@trickbench.lanes
def bid(view: Any, params: Any, tables: Any, scratch: Any) -> None:
    """Bid in the lanes that ask."""
    rollout_bid.decide(view, params, tables, scratch, EVIDENCE, UTILITY)


agent = rollout_bid.bidder("utility", "makes the bid that scores most in rollouts", bid, EVIDENCE, UTILITY)
