"""The rule options of Manille, its two named profiles, and the numbers the kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.games.options import Options, choice, number, read_with

HAND_SIZE = 8


def _packets(value: Any) -> tuple[int, ...]:
    parts = value.split("-") if isinstance(value, str) else list(value)
    packets = tuple(int(str(part)) for part in parts)
    if sum(packets) != HAND_SIZE or min(packets) < 1:
        raise ValueError
    return packets


@dataclass(frozen=True)
class ManilleRules(Options):
    """Every choice the rules of Manille leave open. The defaults are the profile ``manillen``."""

    ENDS: ClassVar = ("target", "game_deals")

    deal_packets: tuple[int, ...] = read_with(
        (3, 2, 3), _packets, "packets that sum to 8, as in 3-2-3", "how a pack in a given order goes out, clockwise from dealer's left"
    )
    must_beat: str = choice(
        "opponent", "always", "off", meaning="following suit while an opponent (always: anyone) is winning with that suit: go above if you can"
    )
    ruff: str = choice("must", "free", meaning="void in the suit led while an opponent is winning: must you trump")
    overruff: str = choice("must", "free", meaning="void, and an opponent's trump is winning: must your trump beat it if it can")
    undertrump: str = choice(
        "forbidden", "allowed", "forced",
        meaning="void, with only lower trumps than an opponent's: forbidden = only when nothing else is left; forced = a lower trump must go",
    )  # fmt: skip
    undertrump_under_partner: str = choice("forbidden", "allowed", meaning="the same ban while partner's trump is winning")
    trump_lead_over_partner: str = choice("free", "must_beat", meaning="trump led and partner winning: must you go over partner")
    en_face: str = choice("off", "on", meaning="the dealer may hand the choice of trump to partner")
    no_trump_factor: int = choice(2, meaning="what no-trump multiplies the score by")
    blind_no_trump: str = choice("off", "on", meaning="no-trump may be called before the dealer looks, for a factor of 4")
    doubling: str = choice("on", "off", meaning="opponents may double, the dealer's side may then redouble")
    capot_factor: int = choice(2, 1, meaning="factor for the side that takes everything")
    capot_by: str = choice("tricks", "points", meaning="everything means all 8 tricks, or all 60 points")
    tie_carry: str = choice(
        "flat", "accumulate", "none", meaning="what 30-30 does to the next deal: twice; twice more for each tie in a row; nothing"
    )
    stacking: str = choice("multiply", "add", "cap4", meaning="how factors combine: product; 1 + one for each event; product but at most 4")
    renege_penalty: int = choice(30, meaning="points to the other side when an agent forfeits by an illegal card")
    target: int | None = number(101, 1, "a game ends when a side has this many points after a complete deal", none=True)
    game_deals: int | None = number(None, 1, "a game ends after this many deals", none=True)
    best_of: int = number(3, 1, "games in a match", most=99, odd=True)

    @classmethod
    def manillen(cls, **options: Any) -> ManilleRules:
        """Return the strict profile, to 101, best of three."""
        return cls().changed(**options)

    @classmethod
    def manille(cls, **options: Any) -> ManilleRules:
        """Return the free profile: follow suit and nothing else, en face, no bonus for a capot."""
        free = cls(
            deal_packets=(2, 2, 2, 2), must_beat="off", ruff="free", overruff="free", undertrump="allowed",
            undertrump_under_partner="allowed", en_face="on", capot_factor=1, tie_carry="none", best_of=1,
        )  # fmt: skip
        return free.changed(**options)

    def values(self) -> RuleValues:
        """Return the options as the integers that kernels and agents read."""
        strict = self.overruff == "must" or self.undertrump == "forbidden"
        pass_when_short = self.overruff == "must" and self.undertrump == "allowed"
        plain_when_short = self.ruff == "free" or self.undertrump == "forbidden" or pass_when_short
        return RuleValues(
            beat_opponent=_mask(self.must_beat != "off"),
            beat_partner=_mask(self.must_beat == "always"),
            beat_partner_trump=_mask(self.trump_lead_over_partner == "must_beat"),
            plain_for_ruff=_mask(self.ruff == "free"),
            plain_when_short=_mask(plain_when_short),
            under_partner=_mask(self.undertrump_under_partner == "allowed"),
            under_for_over=_mask(not strict),
            under_when_short=_mask(self.undertrump != "forbidden"),
            en_face=int(self.en_face == "on"),
            blind=int(self.blind_no_trump == "on"),
            doubling=int(self.doubling == "on"),
            no_trump_factor=self.no_trump_factor,
            capot_factor=self.capot_factor,
            capot_points=int(self.capot_by == "points"),
            stacking=("multiply", "add", "cap4").index(self.stacking),
            tie_carry=("none", "flat", "accumulate").index(self.tie_carry),
            penalty=self.renege_penalty,
            target=self.target or 0,
        )


def _mask(on: bool) -> int:
    """Return an option as a mask of all ones or of none."""
    return -1 if on else 0


class RuleValues(NamedTuple):
    """The options as integers. Obligations are masks (0 or -1), so that they combine without a branch."""

    beat_opponent: int
    """mask: following suit, go over an opponent"""
    beat_partner: int
    """mask: following suit, go over partner too"""
    beat_partner_trump: int
    """mask: when trump is led, go over partner"""
    plain_for_ruff: int
    """mask: void, an opponent winning: plain cards may be played although a trump would win"""
    plain_when_short: int
    """mask: void, an opponent's trump winning, no trump above it: plain cards may be played"""
    under_partner: int
    """mask: trumps below partner's winning trump may be played"""
    under_for_over: int
    """mask: trumps below an opponent's may be played although a higher one is held"""
    under_when_short: int
    """mask: trumps below an opponent's may be played when no higher one is held"""
    en_face: int
    """0 or 1"""
    blind: int
    """0 or 1: blind no-trump"""
    doubling: int
    """0 or 1"""
    no_trump_factor: int
    capot_factor: int
    capot_points: int
    """1: a capot is 60 points; 0: it is 8 tricks"""
    stacking: int
    """0 multiply, 1 add, 2 product of at most 4"""
    tie_carry: int
    """0 none, 1 flat, 2 accumulate"""
    penalty: int
    """points for a forfeit"""
    target: int
    """points that end a game; 0 for none"""


RULE_COUNT = len(RuleValues._fields)


def as_array(values: RuleValues) -> NDArray[np.int64]:
    """Return the rule values as the array that crosses into kernels."""
    return np.array(values, np.int64)
