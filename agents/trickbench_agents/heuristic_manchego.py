"""The heuristic's card play in Manchego: it weighs its hand against what it still needs, and plays to its bid.

While it needs tricks it estimates how many its hand will bring, from how many higher cards are out over each card and from what the others still
need, and chooses among a few cards the one that leaves estimate and need closest. Bonuses tell the cards apart that do the same. Once its bid
is made, or missed from above, it gets rid of what would win. The numbers are in ``heuristic_weights.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import trickbench
from trickbench.bits import popcount
from trickbench.cards import FRENCH
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.sets import highest_rank, lowest_rank, shadow, winners, without_tops
from trickbench_agents.heuristic_sets import few, strongest
from trickbench_agents.heuristic_weights import Weights

PACK = FRENCH.all
WEIGH, OTHERS, CONTEST, TRUMPS, COVERED, SHED, SAVE = 1, 2, 4, 8, 16, 32, 64
RULES = {
    "weigh the hand": WEIGH,
    "count the others": OTHERS,
    "contest": CONTEST,
    "lead trumps": TRUMPS,
    "lead covered cards": COVERED,
    "shed the strongest": SHED,
    "save high cards": SAVE,
}
"""The rules of play in Manchego that can be left out, by their bit in ``without``."""

UNIT = 64
NEVER = 1 << 20


class Known(NamedTuple):
    """What the cards that have gone tell."""

    left: int
    """cards that left may hold"""
    right: int
    masters: int
    """cards that nobody can beat in suit"""
    one: int
    """cards that at most one card can beat in suit"""
    two: int
    three: int
    out: int
    """trumps that left or right may hold"""


class Tier(NamedTuple):
    """What a card is worth by how many cards out can beat it in suit."""

    master: int
    one: int
    two: int
    three: int
    more: int


class Needs(NamedTuple):
    """What bids and tricks tell."""

    me: int
    """tricks still needed"""
    left: int
    right: int
    none: int
    """how many of the others need none"""
    spare: int
    """tricks to go that nobody needs; negative when too many are needed"""
    x: int
    """expected tricks less needed ones, in 1/64 trick"""


@trickbench.kernel
def trump_tier(w: Weights) -> Tier:
    """Return what trumps are worth."""
    return Tier(w.trump_0, w.trump_1, w.trump_2, w.trump_3, w.trump_more)


@trickbench.kernel
def plain_tier(w: Weights) -> Tier:
    """Return what plain cards are worth."""
    return Tier(w.plain_0, w.plain_1, w.plain_2, w.plain_3, w.plain_more)


@trickbench.kernel
def known(view: View) -> Known:
    """Return what the cards that have gone tell."""
    unseen = PACK & ~(view.hand | view.played | view.turned)
    left, right = unseen & ~view.cannot_left, unseen & ~view.cannot_right
    higher = left | right
    one = without_tops(higher)
    two = without_tops(one)
    three = without_tops(two)
    return Known(left, right, PACK & ~shadow(higher), PACK & ~shadow(one), PACK & ~shadow(two), PACK & ~shadow(three), higher & view.trump)


@trickbench.kernel
def worth(cards: int, k: Known, w: Tier) -> int:
    """Return what cards of one kind, trumps or plain ones, are expected to win."""
    value = popcount(cards) * w.more + popcount(cards & k.three) * (w.three - w.more)
    value += popcount(cards & k.two) * (w.two - w.three)
    value += popcount(cards & k.one) * (w.one - w.two)
    return value + popcount(cards & k.masters) * (w.master - w.one)


@trickbench.kernel
def of_tier(card: int, k: Known, w: Tier) -> int:
    """Return what one card is expected to win."""
    weight = w.three if card & k.three else w.more
    weight = w.two if card & k.two else weight
    weight = w.one if card & k.one else weight
    return w.master if card & k.masters else weight


@trickbench.kernel
def needs(view: View, k: Known, without: int, w: Weights) -> Needs:
    """Return what bids and tricks tell, and how the hand stands against the bid."""
    me, left, right = view.bid_me - view.tricks_me, view.bid_left - view.tricks_left, view.bid_right - view.tricks_right
    none = (1 if left <= 0 else 0) + (1 if right <= 0 else 0)
    to_go = 17 - view.trick
    counted = without & OTHERS == 0
    # Tricks that the others do not need; on average they are those that the seat itself needs.
    slack = to_go - left - right if counted else me
    value = w.one + worth(view.hand & view.trump, k, trump_tier(w)) + worth(view.hand & ~view.trump, k, plain_tier(w))
    value += w.out * popcount(k.out) + w.slack * slack + (w.none * none if counted else 0) + w.to_go * (to_go - 9)
    value += w.lead_to_go * (to_go - 9) if view.position == 0 else w.following
    spare = slack - me
    value += w.spare * spare + (w.last if view.position == 2 else 0)
    return Needs(me, left, right, none, spare, value - UNIT * me if without & WEIGH == 0 else -UNIT * me)


@trickbench.kernel
def gap(card: int, chance: int, view: View, k: Known, n: Needs, without: int, w: Weights) -> int:
    """Return how far estimate and need are apart after a card that wins with a chance, in 1/64."""
    weight = of_tier(card, k, trump_tier(w)) if card & view.trump else of_tier(card, k, plain_tier(w))
    weight = weight if without & WEIGH == 0 else 0
    # The trick won is one that the others do not get, so it counts less than 1.
    x = n.x - weight + ((chance * (UNIT - w.slack)) >> 6)
    return x if x >= 0 else -x


@trickbench.kernel
def lead_gap(card: int, view: View, k: Known, n: Needs, without: int, w: Weights) -> int:
    """Return the gap that leading a card leaves; a great number for no card."""
    chance = w.wins_more if card & ~k.three else w.wins_3
    chance = w.wins_2 if card & k.two else chance
    chance = w.wins_1 if card & k.one else chance
    chance += n.none * w.wins_none
    chance = w.wins_0 if card & k.masters else chance
    chance = UNIT if (card & k.masters != 0) & ((k.out == 0) | (card & view.trump != 0)) else chance
    return gap(card, chance, view, k, n, without, w) if card != 0 else NEVER


@trickbench.kernel
def lead(view: View, k: Known, n: Needs, without: int, w: Weights) -> int:
    """Return the lead while tricks are needed: a plain master, the highest trump, or one of two covered cards."""
    plain = view.legal & ~view.trump
    card = highest_rank(plain & k.masters)
    least = lead_gap(card, view, k, n, without, w) - w.lead_master
    trump = highest_rank(view.legal & view.trump)
    trump = trump if (without & TRUMPS == 0) | (plain == 0) else 0
    other = lead_gap(trump, view, k, n, without, w) - w.lead_trump - w.lead_trump_spare * n.spare
    card, least = (trump, other) if other < least else (card, least)
    well = highest_rank(plain & ~k.two)
    other = lead_gap(well, view, k, n, without, w) - w.lead_covered
    card, least = (well, other) if other < least else (card, least)
    covered = highest_rank(plain & ~k.masters)
    other = lead_gap(covered, view, k, n, without, w)
    return covered if other < least else card


@trickbench.kernel
def follow(view: View, k: Known, n: Needs, win: int, without: int, w: Weights) -> int:
    """Return the card to a trick while tricks are needed: the highest or lowest that wins, or the highest or lowest that loses."""
    left_ruffs = (k.left & view.led == 0) & (k.left & view.trump != 0)
    unbeaten = win & ~shadow(k.left) & (view.trump if left_ruffs else PACK)
    unbeaten = win if view.position == 2 else unbeaten
    holds = w.holds if n.left > 0 else w.holds_none
    holder = n.left if (view.position == 2) & (view.card_left == view.best) else n.right
    bonus = w.take if (holder > 0) & (n.spare < w.contested) & (without & CONTEST == 0) else 0
    bonus += w.ruff if view.legal & view.led == 0 else 0
    lose = view.legal & ~win
    high, low = highest_rank(win), lowest_rank(win)
    card = high
    least = gap(high, UNIT if high & unbeaten else holds, view, k, n, without, w) - w.take_high - bonus if win != 0 else NEVER
    other = gap(low, UNIT if low & unbeaten else holds, view, k, n, without, w) - bonus
    card, least = (low, other) if (other < least) & (win != 0) else (card, least)
    high, low = highest_rank(lose), lowest_rank(lose)
    other = gap(low, 0, view, k, n, without, w) - w.lose_low
    card, least = (low, other) if (other < least) & (lose != 0) & (n.spare < w.saved) & (without & SAVE == 0) else (card, least)
    other = gap(high, 0, view, k, n, without, w) - w.lose_high
    return high if (other < least) & (lose != 0) else card


@trickbench.kernel
def lead_to_lose(view: View, k: Known, without: int) -> int:
    """Return the lead when no more is needed: the highest card that either of the others can beat twice, or else the lowest with one over it."""
    plain = view.legal & ~view.trump
    by_both = plain & shadow(without_tops(k.left)) & shadow(without_tops(k.right))
    by_three = plain & ~k.two
    well = by_both if by_both != 0 else by_three
    well = well if without & COVERED == 0 else 0
    covered = plain & ~k.masters
    low = lowest_rank(covered if covered != 0 else view.legal)
    return highest_rank(well) if well != 0 else low


@trickbench.kernel
def follow_to_lose(view: View, k: Known, win: int, without: int) -> int:
    """Return the strongest card that loses, a discard from a short suit; if all win, the highest when last, else the lowest."""
    lose = view.legal & ~win
    middle = lose & k.one & ~view.trump
    discard = (view.legal & view.led == 0) & (lose & view.trump == 0) & (middle != 0)
    shed = highest_rank(few(middle, view.hand)) if discard else highest_rank(strongest(lose, k.masters, k.one, k.two, k.three))
    shed = shed if without & SHED == 0 else highest_rank(lose)
    forced = highest_rank(view.legal) if view.position == 2 else lowest_rank(view.legal)
    return shed if lose != 0 else forced


@trickbench.kernel
def play(view: View, without: int, w: Weights) -> int:
    """Play a card: while tricks are needed one that keeps the hand near the bid, after that one that loses."""
    k = known(view)
    n = needs(view, k, without, w)
    win = winners(view.legal, view.best, view.led, view.trump)
    leading = lead(view, k, n, without, w) if n.me > 0 else lead_to_lose(view, k, without)
    following = follow(view, k, n, win, without, w) if n.me > 0 else follow_to_lose(view, k, win, without)
    return leading if view.position == 0 else following
