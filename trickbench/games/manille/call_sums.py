"""The sums that rollouts of trump calls are added up in: what stands where. No compiled code, so that a book is read without any."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from trickbench.cards import CALLS
from trickbench.games.manille import layout as at

OWN_CALLS = len(CALLS)
"""Calls that the dealer makes for itself: numbers 0..3 the canonical hand's suits from the least mask up, 4 no-trump."""
EN_FACE = at.EN_FACE
"""The call by which the dealer leaves it to its partner: number 5. Where the rules have none its sums stay 0."""
CALL_COUNT = OWN_CALLS + 1

PAIRS = tuple((a, b) for a in range(CALL_COUNT) for b in range(a + 1, CALL_COUNT))
"""The calls of each product, in order."""
NET, SQUARES, WINS, TIES, CAPOTS, PRODUCTS = (CALL_COUNT * quantity for quantity in range(6))
"""Where the sums of a half of the worlds begin: of net scores by call, their squares, won deals, ties, capots; then products of two calls' net."""
DOUBLED = PRODUCTS + len(PAIRS)
REDOUBLED = DOUBLED + CALL_COUNT
"""Deals that were doubled, redoubled ones among them; those that were redoubled. 0 where nobody is asked."""
SUM_COUNT = REDOUBLED + CALL_COUNT
QUANTITIES = {"net": NET, "squares": SQUARES, "wins": WINS, "ties": TIES, "capots": CAPOTS}
"""What is summed for each call: net score of the dealer's side, its square, deals won (over 30 points), tied, and won with everything."""
CALL_NAMES = (*CALLS, "EN_FACE")
"""Names of the calls of a hand that is held, in tables."""


def played_calls(sums: NDArray[Any]) -> int:
    """Return how many calls sums are of: 6 if en face was played, which gives every world a tie or a square; else 5."""
    return CALL_COUNT if (sums[..., SQUARES + EN_FACE] + sums[..., TIES + EN_FACE]).any() else OWN_CALLS
