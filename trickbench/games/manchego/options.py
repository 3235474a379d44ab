"""The rule options of Manchego and the numbers the kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.errors import UsageError
from trickbench.games.options import Options, choice, number


@dataclass(frozen=True)
class ManchegoRules(Options):
    """Every choice the rules of Manchego leave open."""

    ENDS: ClassVar = ("target", "game_deals", "minutes")

    hook: str = choice("off", "on", meaning="the dealer may not make the bids sum to 17")
    scoring: str = choice(
        "transfer", "gain", meaning="the nearer of two players wins the difference of their distances: from the other, or from nobody"
    )
    game_deals: int | None = number(10, 1, "a game is this many deals", none=True)
    minutes: int | None = number(None, 1, "a game lasts this long (simulated time)", none=True)
    seconds_per_deal: int = number(120, 1, "how long a deal takes, when a game is timed")
    target: int | None = number(None, 1, "a game ends when a player has this many points after a complete deal", none=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.game_deals is None and self.minutes is None and self.target is None:
            raise UsageError("rule options 'game_deals', 'minutes' and 'target' cannot all be none: a game would not end")

    @classmethod
    def manchego(cls, **options: Any) -> ManchegoRules:
        """Return the rules: ten deals, points won from each other, no hook."""
        return cls().changed(**options)

    def deals_in_game(self) -> int | None:
        """Return the deals that end a game; None if only a target does. A deal that is begun in time is finished."""
        timed = None if self.minutes is None else -(-60 * self.minutes // self.seconds_per_deal)
        limits = [deals for deals in (self.game_deals, timed) if deals is not None]
        return min(limits, default=None)

    def values(self) -> RuleValues:
        """Return the options as the integers that kernels and agents read."""
        return RuleValues(hook=int(self.hook == "on"), gain=int(self.scoring == "gain"), target=self.target or 0)


class RuleValues(NamedTuple):
    """The options as integers."""

    hook: int
    """0 or 1"""
    gain: int
    """1: scoring "gain"; 0: "transfer" """
    target: int
    """points that end a game; 0 for none"""


RULE_COUNT = len(RuleValues._fields)


def as_array(values: RuleValues) -> NDArray[np.int64]:
    """Return the rule values as the array that crosses into kernels."""
    return np.array(values, np.int64)
