"""The heuristic's card play in Manchego: take what it needs with the highest sure winners, get rid of the rest where it loses."""

from __future__ import annotations

from typing import NamedTuple

import trickbench
from trickbench.bits import popcount
from trickbench.cards import FRENCH
from trickbench.games.manchego.layout import View
from trickbench.games.manchego.sets import highest_rank, lowest_rank, shadow, winners, without_tops

PACK = FRENCH.all


class Known(NamedTuple):
    """What the cards that have gone tell."""

    left: int
    """cards that left may hold"""
    others: int
    """cards that left or right may hold"""
    masters: int
    """cards of the hand that nobody can beat in suit"""
    sure: int
    """those of them that cannot be ruffed either"""


@trickbench.kernel
def known(view: View) -> Known:
    """Return what the cards that have gone tell."""
    unseen = PACK & ~(view.hand | view.played | view.turned)
    left = unseen & ~view.cannot_left
    others = left | (unseen & ~view.cannot_right)
    masters = view.hand & ~shadow(others)
    return Known(left, others, masters, masters if others & view.trump == 0 else masters & view.trump)


@trickbench.kernel
def lead_to_win(view: View, k: Known) -> int:
    """Return the lead while tricks are needed: sure winners, then masters, then the highest card."""
    likely = k.masters if k.masters != 0 else view.legal
    return highest_rank(k.sure if k.sure != 0 else likely)


@trickbench.kernel
def lead_to_lose(view: View, k: Known) -> int:
    """Return the lead when no more is needed: the highest plain card with three higher ones out, else the lowest with one."""
    plain = view.legal & ~view.trump
    third = without_tops(without_tops(k.others))
    well_covered, covered = plain & shadow(third), plain & shadow(k.others)
    low = lowest_rank(covered if covered != 0 else view.legal)
    return highest_rank(well_covered) if well_covered != 0 else low


@trickbench.kernel
def follow_to_win(view: View, k: Known, win: int) -> int:
    """Return the card that takes a trick: the highest that left cannot beat, else the highest that may; the lowest card if none can."""
    last = view.position == 2
    left_ruffs = (k.left & view.led == 0) & (k.left & view.trump != 0)
    unbeaten = win & ~shadow(k.left)
    unbeaten = win if last else (unbeaten & view.trump if left_ruffs else unbeaten)
    take = highest_rank(unbeaten if unbeaten != 0 else win)
    return take if win != 0 else lowest_rank(view.legal)


@trickbench.kernel
def follow_to_lose(view: View, win: int) -> int:
    """Return the highest card that loses; if all win, the highest when last, else the lowest."""
    lose = view.legal & ~win
    forced = highest_rank(view.legal) if view.position == 2 else lowest_rank(view.legal)
    return highest_rank(lose) if lose != 0 else forced


@trickbench.kernel
def play(view: View) -> int:
    """Play a card: to win while tricks are needed, unless sure winners in hand are enough; to lose after that."""
    k = known(view)
    need = view.bid_me - view.tricks_me
    win = winners(view.legal, view.best, view.led, view.trump)
    lose_now = (popcount(k.sure) >= need) & (view.legal & ~win != 0)
    leading = lead_to_win(view, k) if need > 0 else lead_to_lose(view, k)
    to_win = (need > 0) & (not lose_now)
    following = follow_to_win(view, k, win) if to_win else follow_to_lose(view, win)
    return leading if view.led == 0 else following
