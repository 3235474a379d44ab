"""What goes into rollouts of bids and what comes out: rows and sums by name, and how much memory they want."""

from __future__ import annotations

from trickbench.games.manchego import layout as at
from trickbench.games.rows import LANES
from trickbench.jit import kernel

# The rows of a table of decisions
HAND, TURNED, KEY, LEGAL, BIDS, SCORES = 0, 1, 2, 3, 4, 6
"""The hand; the turned card; the key of its random words; the legal bids, as bits; bids made at places 0 and 1; scores of the game, by place."""
COLUMNS = 9

BID_COUNT = at.TRICKS + 1

SCORE, SQUARES, TRICKS = 0, 1, 2
"""The sums of a decision and a bid: score and its square; then how often 0 to 17 tricks were won."""
SUM_COUNT = TRICKS + at.TRICKS + 1

OVER, LEAST_DEALT = 4, 128
"""Worlds that are dealt for each that is wanted where bids are evidence, and at least."""
MODE, UTILITY = 0, 1
"""What makes a bid good: that it is made exactly, or its score."""
ROUNDS = 3


@kernel
def dealt_worlds(worlds: int) -> int:
    """Return how many worlds are dealt for so many to be drawn, where bids are evidence."""
    return OVER * worlds if OVER * worlds > LEAST_DEALT else LEAST_DEALT


@kernel
def whole_blocks(count: int) -> int:
    """Return a number of lanes, filled up to whole blocks."""
    return (count + LANES - 1) // LANES * LANES


@kernel
def group_of(worlds: int, rounds: int) -> int:
    """Return how many decisions are worked on at a time, so that a round fills the lanes."""
    least = worlds >> (rounds - 1)
    least = least if least > 0 else 1
    return LANES // least if least < LANES else 1


@kernel
def notes_size(worlds: int, rounds: int) -> int:
    """Return how many numbers of notes :func:`bid_rollout` wants: bids made, hidden hands of the worlds, hands and weights of worlds dealt."""
    return 3 * LANES + whole_blocks(group_of(worlds, rounds) * worlds) + 2 * whole_blocks(dealt_worlds(worlds))
