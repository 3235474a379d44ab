"""The weights of the heuristic's card play in Manchego, found by duplicate deals: ``python experiments/tune_heuristic.py``."""

from __future__ import annotations

from typing import NamedTuple


class Weights(NamedTuple):
    """What the card play reckons with, in 1/64 trick.

    Of the five of a kind the first is of a master, which nobody can beat in suit; then of cards that one, two, three and more cards can beat.
    """

    one: int = -31
    """expected tricks: for every hand"""
    trump_0: int = 60
    """for each trump in hand"""
    trump_1: int = 42
    trump_2: int = 34
    trump_3: int = 27
    trump_more: int = 15
    plain_0: int = 40
    """for each plain card in hand"""
    plain_1: int = 30
    plain_2: int = 17
    plain_3: int = 11
    plain_more: int = 6
    out: int = -13
    """for each trump that the others may hold"""
    slack: int = 34
    """for each trick to go that the others do not need"""
    spare: int = -9
    """for each trick to go that nobody needs; each that too many need counts against"""
    none: int = -5
    """for each of the others who needs none"""
    to_go: int = -8
    """for each trick to go above nine"""
    lead_to_go: int = 8
    """the same when leading"""
    wins_0: int = 54
    """how likely a plain card that is led wins, in 1/64; a master, while trumps are out"""
    wins_1: int = 6
    wins_2: int = 23
    wins_3: int = 19
    wins_more: int = 5
    wins_none: int = -9
    """more for each of the others who needs none"""
    lead_master: int = 18
    """bonus for leading a master"""
    lead_trump: int = 18
    """bonus for leading the highest trump"""
    lead_trump_spare: int = -6
    """more for each trick to go that nobody needs"""
    lead_covered: int = 10
    """bonus for leading a card that three can beat"""
    following: int = -50
    """expected tricks: when following"""
    last: int = -3
    """more when last"""
    holds: int = 32
    """how likely a winning card holds that left may beat, in 1/64"""
    holds_none: int = 62
    """the same when left needs none"""
    take: int = 49
    """bonus for taking the trick from one who needs it"""
    contested: int = 2
    """only when fewer tricks than these are needed by nobody"""
    ruff: int = -22
    """bonus for ruffing"""
    take_high: int = 6
    """bonus for taking with the highest"""
    lose_high: int = -13
    """bonus for losing with the highest"""
    lose_low: int = -12
    """bonus for losing with the lowest"""
    saved: int = 2
    """only when fewer tricks than these are needed by nobody"""


class BidWeights(NamedTuple):
    """What the bidder reckons with, in 1/1024 trick: a weight for each of the features of ``expected-tricks``, and what earlier bids change."""

    one: int = -561
    trumps: int = 871
    run: int = 436
    honours: int = 535
    aces: int = 1078
    kings: int = 693
    queens: int = 633
    short: int = 159
    long: int = -815
    second: int = 813
    """more when one bid was made before"""
    second_bid: int = -264
    """for each trick of that bid"""
    last: int = 3367
    """more when two were made"""
    last_bid: int = -364
    """for each trick of those bids"""
