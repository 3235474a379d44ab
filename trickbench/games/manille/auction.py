"""The auction of Manille: what may be said, who is asked, what an answer does.

Order: (blind call) -> dealer's call [-> partner's call after en face] -> double (left, then right opponent) -> redouble
(dealer, then partner). Every decision is to choose one bit.
"""

from __future__ import annotations

from trickbench.games.manille import layout as at
from trickbench.games.manille.options import RuleValues
from trickbench.jit import kernel

ORDER = (at.CALL_BLIND, at.CALL_DEALER, at.CALL_PARTNER, at.DOUBLE_LEFT, at.DOUBLE_RIGHT, at.REDOUBLE_DEALER, at.REDOUBLE_PARTNER)
"""The decisions in the order in which they are asked."""
PLACES = {
    at.CALL_BLIND: 3, at.CALL_DEALER: 3, at.CALL_PARTNER: 1, at.DOUBLE_LEFT: 0, at.DOUBLE_RIGHT: 2, at.REDOUBLE_DEALER: 3, at.REDOUBLE_PARTNER: 1,
}  # fmt: skip
"""Who answers: 0 left of the dealer, 1 dealer's partner, 2 right of the dealer, 3 dealer."""

TRUMP_CALLS = 0b11111
NO_YES = 0b11


@kernel
def legal_answers(decision: int, rules: RuleValues) -> int:
    """Return the legal bits of an auction decision (by its number)."""
    if decision == at.CALL_BLIND:
        return (1 << at.NT_CALL) | (1 << at.LOOK)
    if decision == at.CALL_DEALER:
        return TRUMP_CALLS | (rules.en_face << at.EN_FACE)
    if decision == at.CALL_PARTNER:
        return TRUMP_CALLS
    return NO_YES


@kernel
def is_asked(decision: int, call: int, faced: int, doubled: int, redoubled: int, rules: RuleValues) -> int:
    """Return 1 if an auction decision is asked, given what has been said before it."""
    if decision == at.CALL_BLIND:
        return rules.blind
    if decision == at.CALL_DEALER:
        return 1 if call == at.NO_CALL else 0
    if decision == at.CALL_PARTNER:
        return faced
    if decision == at.DOUBLE_LEFT:
        return rules.doubling
    if decision == at.DOUBLE_RIGHT:
        return rules.doubling & (doubled ^ 1)
    if decision == at.REDOUBLE_DEALER:
        return doubled
    return doubled & (redoubled ^ 1)
