"""aware: makes the bid that scores most, in rollouts that know the bids made before.

As ``utility``, but the bids made before stand in every world: the others play to them, the later ones answer them, and they tell of the hands: worlds
in which the policy would have bid what was bid are likelier.
"""

from __future__ import annotations

from typing import Any

import trickbench
from trickbench.games.manchego.bid_layout import UTILITY
from trickbench_agents import rollout_bid

EVIDENCE = 1


@trickbench.lanes
def bid(view: Any, params: Any, tables: Any, scratch: Any) -> None:
    """Bid in the lanes that ask."""
    rollout_bid.decide(view, params, tables, scratch, EVIDENCE, UTILITY)


agent = rollout_bid.bidder("aware", "makes the bid that scores most in rollouts that know the bids made before", bid, EVIDENCE, UTILITY)
