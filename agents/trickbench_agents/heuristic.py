"""heuristic: plays by the rules of thumb of a club player. Here its card play in Manille; for Manchego see ``heuristic_manchego``.

It counts trumps and masters (cards that no opponent can beat in suit), cashes masters that are unlikely to be ruffed, draws trumps
when its side called, leads singletons to ruff, does not lead away from an ace or king, wins with what the next opponent cannot beat,
and gives points to partner when the trick is safe. ``without`` leaves rules out, to measure what each is worth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import trickbench
from trickbench.bits import popcount
from trickbench.cards import MANILLE
from trickbench.games.manchego.layout import View as ManchegoView
from trickbench.games.manchego.options import RuleValues
from trickbench.games.manille.layout import View
from trickbench.games.manille.rules import PACK, points
from trickbench.games.manille.sets import highest_rank, low_plain, lowest_rank, shadow, suits_with, winners
from trickbench_agents import heuristic_bid
from trickbench_agents import heuristic_manchego as manchego
from trickbench_agents.heuristic_auction import call, double, redouble
from trickbench_agents.heuristic_weights import BidWeights, Weights

CASH, DRAW, SINGLETON, GUARD, HIGH, SAFE_GIFT = 1, 2, 4, 8, 16, 32
RULES = {
    "cash masters": CASH,
    "draw trumps": DRAW,
    "lead singletons": SINGLETON,
    "keep guards": GUARD,
    "win high": HIGH,
    "give when safe": SAFE_GIFT,
}
"""The rules that can be left out, by their bit in ``without``."""
WEIGHTS, BID_WEIGHTS = Weights(), BidWeights()
GUARDS = MANILLE.rank("A") | MANILLE.rank("K")


class Parameters(NamedTuple):
    """without: sum of the bits of the rules of play that are left out; each game has its own (``RULES``)."""

    without: int = 0


class Known(NamedTuple):
    """What the cards that have gone tell."""

    left: int
    """cards that left may hold"""
    right: int
    partner: int
    masters: int
    """legal cards that no opponent can beat in suit"""
    opposing: int
    """trumps that opponents may hold"""


@trickbench.kernel
def known(view: View) -> Known:
    """Return what the cards that have gone tell."""
    unseen = (view.hand | view.played) ^ PACK
    left, right = unseen & ~view.cannot_left, unseen & ~view.cannot_right
    return Known(left, right, unseen & ~view.cannot_partner, view.legal & ~shadow(left | right), (left | right) & view.trump)


@trickbench.kernel
def low_lead(view: View, k: Known, without: int) -> int:
    """Return the lead when there is nothing to cash: a singleton to ruff later, not away from a guard, no master."""
    low = view.legal & ~view.trump & ~k.masters
    single = low & ~suits_with(view.hand, 2)
    low = single if (single != 0) & (view.hand & view.trump != 0) & (without & SINGLETON == 0) else low
    unguarded = low & ~suits_with(view.hand & GUARDS, 1)
    low = unguarded if (unguarded != 0) & (without & GUARD == 0) else low
    return lowest_rank(low) if low != 0 else low_plain(view.legal, view.trump)


@trickbench.kernel
def lead(view: View, k: Known, without: int) -> int:
    """Return the card to lead: draw trumps, cash, or lead low."""
    plain_masters = k.masters & ~view.trump
    # Both opponents may still follow, and more than one card of the suit is out.
    followed = suits_with(k.left, 1) & suits_with(k.right, 1) & suits_with(k.left | k.right | k.partner, 2)
    cash = plain_masters & followed if k.opposing != 0 else k.masters
    cash = cash if without & CASH == 0 else 0
    trumps = view.hand & view.trump
    small_trump = (view.caller == 0) & (popcount(trumps) >= 3) & (k.opposing != 0) & (without & DRAW == 0)
    low = lowest_rank(trumps) if small_trump else low_lead(view, k, without)
    card = highest_rank(cash) if cash != 0 else low
    ours = (view.caller & 1 == 0) & (without & DRAW == 0)
    draw = k.masters & trumps if ours & (k.opposing != 0) else 0
    return highest_rank(draw) if draw != 0 else card


@trickbench.kernel
def gift(view: View, k: Known) -> int:
    """Return what to put on partner's trick: points that are no masters, then masters that may be ruffed, then a low card."""
    plain = view.legal & ~view.trump
    rich, master = highest_rank(plain & ~k.masters), highest_rank(plain)
    low = low_plain(view.legal, view.trump)
    other = master if (master != 0) & (k.opposing != 0) else low
    return rich if points(rich) > 0 else other


@trickbench.kernel
def follow(view: View, k: Known, without: int) -> int:
    """Return the card to a trick that somebody else led. The only opponent who can still play to it is left."""
    last = view.position == 3
    beaten = shadow(k.left)
    left_ruffs = (k.left & view.led == 0) & (k.left & view.trump != 0)
    win = winners(view.legal, view.best, view.led, view.trump)
    sure = win if last else win & ~beaten & (view.trump if left_ruffs else PACK)
    best_falls = (view.best & beaten != 0) | (left_ruffs & (view.best & view.trump == 0))
    safe = last | (not best_falls) | (without & SAFE_GIFT != 0)
    duck = low_plain(view.legal, view.trump)
    plain_sure = sure & ~view.trump
    # While trumps are out points are safest in a trick that is won; later masters keep, and the cheapest winner will do.
    high = (plain_sure != 0) & (k.opposing != 0) & (without & HIGH == 0)
    cheap = low_plain(win, view.trump) if win != 0 else duck
    take = highest_rank(plain_sure) if high else cheap
    over_partner = lowest_rank(plain_sure) if plain_sure != 0 else duck
    return (gift(view, k) if safe else over_partner) if view.partner_winning != 0 else take


@trickbench.kernel
def play(view: View, params: Parameters) -> int:
    """Play a card."""
    k = known(view)
    leading, following = lead(view, k, params.without), follow(view, k, params.without)
    return leading if view.led == 0 else following


@trickbench.kernel
def play_manchego(view: ManchegoView, params: Parameters) -> int:
    """Play a card in Manchego."""
    return manchego.play(view, params.without, WEIGHTS)


@trickbench.kernel
def bid(view: ManchegoView) -> int:
    """Bid in Manchego."""
    return heuristic_bid.bid(view, BID_WEIGHTS)


def forecast(view: ManchegoView, params: Parameters, rules: RuleValues, tables: Any) -> Any:
    """Return what it expects of its bid in Manchego."""
    return heuristic_bid.forecast(view, BID_WEIGHTS)


agent = trickbench.Agent(
    name="heuristic",
    summary="rules of thumb: counts trumps and masters, cashes, draws, gives points, values hands; Manchego: weighs its hand against its bid",
    manille={"play": play, "call": call, "double": double, "redouble": redouble},
    manchego={"play": play_manchego, "bid": bid},
    parameters=Parameters,
    limits={"without": (0, 127)},
    forecast={"bid": forecast},
    uses_word=False,
)
