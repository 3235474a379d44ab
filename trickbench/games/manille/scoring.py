"""Scores of Manille: one short function a line of the score sheet, on integers, without a branch."""

from __future__ import annotations

from trickbench.bits import popcount
from trickbench.games.manille.options import RuleValues
from trickbench.jit import kernel

PACK_POINTS = 60
HALF = 30
TRICKS = 8


@kernel
def is_capot(points: int, tricks: int, rules: RuleValues) -> int:
    """Return 1 if a side with these points and tricks took everything, by the option's meaning of it."""
    everything = points == PACK_POINTS if rules.capot_points == 1 else tricks == TRICKS
    return 1 if everything else 0


@kernel
def factor(no_trump: int, blind: int, doubles: int, capot: int, carry: int, rules: RuleValues) -> int:
    """Return the combined factor of a deal.

    Parameters
    ----------
    no_trump, blind, capot : int
        0 or 1; ``blind`` goes with ``no_trump``.
    doubles : int
        0, 1 doubled, 2 redoubled.
    carry : int
        Factor that ties have carried to this deal: 1, 2, 4, ...
    """
    no_trump_times = rules.no_trump_factor << blind if no_trump != 0 else 1
    capot_times = rules.capot_factor if capot != 0 else 1
    product = (no_trump_times * capot_times * carry) << doubles
    # Added up, each carried tie is one event, and blind no-trump three.
    events = no_trump + 2 * blind + doubles + (capot if rules.capot_factor > 1 else 0) + popcount(carry - 1)
    capped = product if product < 4 else 4
    stacked = capped if rules.stacking == 2 else product
    return 1 + events if rules.stacking == 1 else stacked


@kernel
def score(points: int, tricks: int, no_trump: int, blind: int, doubles: int, carry: int, rules: RuleValues) -> int:
    """Return the score of the side that took ``points`` and ``tricks``; 0 at 30 points or fewer.

    The excess over 30 is multiplied, never the total. The other arguments are those of :func:`factor`.
    """
    times = factor(no_trump, blind, doubles, is_capot(points, tricks, rules), carry, rules)
    excess = points - HALF if points > HALF else 0
    return excess * times


@kernel
def next_carry(points: int, carry: int, rules: RuleValues) -> int:
    """Return the factor that the next deal starts with, after a deal in which a side took ``points``."""
    accumulated = carry * 2 if rules.tie_carry == 2 else 2
    after_tie = accumulated if rules.tie_carry != 0 else 1
    return after_tie if points == HALF else 1
