"""mode: makes the bid that it would hit exactly most often, in rollouts.

The hidden hands are dealt at random; in each of these worlds the others bid and all play by policies, once for every bid that is tried. Of bids
that were hit equally often it makes the one that scored more. What the others have bid it does not look at.
"""

from __future__ import annotations

from typing import Any

import trickbench
from trickbench.games.manchego.bid_layout import MODE
from trickbench_agents import rollout_bid

EVIDENCE = 0


@trickbench.lanes
def bid(view: Any, params: Any, tables: Any, scratch: Any) -> None:
    """Bid in the lanes that ask."""
    rollout_bid.decide(view, params, tables, scratch, EVIDENCE, MODE)


agent = rollout_bid.bidder("mode", "makes the bid that rollouts hit exactly most often", bid, EVIDENCE, MODE)
