"""either: bids like ``heuristic`` or like ``expected-tricks``, as its random word says; half of the time each."""

from __future__ import annotations

from typing import Any

import trickbench
from trickbench.agent import NoParameters
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.options import RuleValues
from trickbench_agents import expected_tricks, heuristic_bid
from trickbench_agents.heuristic import BID_WEIGHTS


@trickbench.kernel
def bid(view: View, params: NoParameters, rules: RuleValues, tables: Any) -> int:
    """Bid one way or the other."""
    one, other = heuristic_bid.bid(view, BID_WEIGHTS), expected_tricks.bid(view, params, rules, tables)
    return one if view.word >> 31 != 0 else other


agent = trickbench.Agent(
    name="either",
    summary="bids like heuristic or like expected-tricks, by chance: the field that the bidders from rollouts reckon with",
    manchego={"bid": bid},
    tables=expected_tricks.read_weights,
)
