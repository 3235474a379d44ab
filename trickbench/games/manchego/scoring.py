"""Scores of Manchego, on integers, without a branch."""

from __future__ import annotations

from trickbench.games.manchego.options import RuleValues
from trickbench.jit import kernel


@kernel
def distance(bid: int, won: int) -> int:
    """Return by how many tricks a bid was missed."""
    return bid - won if bid > won else won - bid


@kernel
def score(mine: int, left: int, right: int, rules: RuleValues) -> int:
    """Return a player's score from its distance and those of the other two.

    Each pair settles: the nearer one wins the difference of the distances, from the other ("transfer": the three scores
    sum to 0) or from nobody ("gain": no score is negative).
    """
    gain = (left - mine if left > mine else 0) + (right - mine if right > mine else 0)
    return gain if rules.gain != 0 else left + right - 2 * mine
