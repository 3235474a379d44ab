"""Worlds for one hand of Manchego: the hidden cards dealt as the bids made before leave them likely, and every bid played out in each of them.

Hidden hands are dealt evenly, and kept where the others would have bid what they bid: that is the distribution of the hands given the bids, exactly,
if they bid as the bidder that is supposed. Where it never or hardly ever makes these bids, those are kept that it comes nearest in.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.games.game import Game
from trickbench.games.manchego import layout as at
from trickbench.games.manchego import rollout
from trickbench.games.manchego.rules import legal_bids
from trickbench.rollouts import Rollouts
from trickbench.studies.asking import Dealt, ask, bid_view
from trickbench.table import Table

DEALER = at.PLAYERS - 1
"""The seat that deals, so that seats are places in the bidding."""
TRIES = 128
"""Worlds dealt for one that is wanted, at most, before bids near those made do."""
AT_ONCE = 1 << 15


class Hand(NamedTuple):
    """A decision to bid."""

    cards: int
    turned: int
    position: int
    """0 first to bid, 2 the dealer"""
    made: tuple[int, ...]
    """the bids before, in order"""


class Worlds(NamedTuple):
    """Deals of the hidden cards."""

    dealt: Dealt
    off: int
    """by how much the bids of others may differ from those made, in sum"""
    kept: float
    """share of the worlds dealt that were kept"""


def deal_worlds(hand: Hand, count: int, draw: np.random.Generator) -> Dealt:
    """Return deals in which a hand sits at its place and all other cards are dealt evenly."""
    hidden = np.array([1 << card for card in range(at.PACK) if not (hand.cards | hand.turned) >> card & 1], np.int64)
    shuffled = draw.permuted(np.broadcast_to(hidden, (count, len(hidden))), axis=1)
    hands = np.full((count, at.PLAYERS), hand.cards, np.int64)
    for number, seat in enumerate(seat for seat in range(at.PLAYERS) if seat != hand.position):
        hands[:, seat] = shuffled[:, number * at.TRICKS : (number + 1) * at.TRICKS].sum(axis=1)
    words = draw.integers(0, 1 << 32, (count, at.PLAYERS), np.int64)
    return Dealt(hands, np.full(count, hand.turned, np.int64), np.full(count, DEALER, np.int64), words)


def misses(game: Game, others: Table, hand: Hand, dealt: Dealt, threads: int) -> NDArray[np.int64]:
    """Return for each world by how much the bids that others would have made before differ from those made, in sum."""
    made = np.zeros(dealt.hands.shape, np.int64)
    found = np.zeros(len(made), np.int64)
    for place, bid in enumerate(hand.made):
        found += np.abs(ask(others, *bid_view(game, dealt, made, place), threads) - bid)
        made[:, place] = bid
    return found


def worlds_for(game: Game, others: Table, hand: Hand, count: int, seed: int, threads: int) -> Worlds:
    """Return so many worlds in which others would have bid what they bid.

    Parameters
    ----------
    game : Game
    others : Table
        Who bids at the other seats: see :func:`trickbench.studies.asking.bid_table`.
    hand : Hand
    count : int
    seed : int
    threads : int
    """
    draw = np.random.Generator(np.random.Philox(seed))
    dealt, off, exact = [], [], 0
    most = -(-TRIES * count // AT_ONCE) if hand.made else 1
    for _ in range(most):
        size = AT_ONCE if hand.made else count
        dealt.append(deal_worlds(hand, size, draw))
        off.append(misses(game, others, hand, dealt[-1], threads))
        exact += int((off[-1] == 0).sum())
        if exact >= count:
            break
    missed, whole = np.concatenate(off), Dealt(*(np.concatenate(parts) for parts in zip(*dealt, strict=True)))
    # Stable: of those that are as near, the first that were dealt.
    kept = np.sort(np.argsort(missed, kind="stable")[:count])
    worst = int(missed[kept].max())
    return Worlds(Dealt(*(array[kept] for array in whole)), worst, float((missed <= worst).mean()))


def legal_for(game: Game, hand: Hand) -> list[int]:
    """Return the bids that the hand may make."""
    dealer = hand.position == DEALER
    bits = int(legal_bids(sum(hand.made) if dealer else 0, int(dealer), game.rules.values()))
    return [bid for bid in range(at.TRICKS + 1) if bits >> bid & 1]


class Played(NamedTuple):
    """What each bid came to in each world."""

    bids: NDArray[np.int64]
    scores: NDArray[np.int64]
    """[bids, worlds]"""
    tricks: NDArray[np.int64]


def play_bids(game: Game, player: Any, others: Table, hand: Hand, dealt: Dealt, seed: int, threads: int) -> Played:
    """Play every legal bid out in every world.

    Parameters
    ----------
    game : Game
    player : str, Agent or function
        Who plays the cards of all seats; compiled.
    others : Table
        Who bids after the hand.
    hand : Hand
    dealt : Dealt
    seed : int
        Random words of the card player.
    threads : int

    Raises
    ------
    UsageError
        For a card player that is not compiled.
    """
    bids, (worlds, seats) = np.array(legal_for(game, hand)), dealt.hands.shape
    finish = Rollouts(game, player, seed)
    positions = np.zeros((rollout.COLUMNS, worlds), np.int64)
    positions[rollout.HAND : rollout.HAND + seats], positions[rollout.TURNED], positions[rollout.DEALER] = dealt.hands.T, dealt.turned, DEALER
    scores, tricks = np.zeros((2, len(bids), worlds), np.int64)
    for number, bid in enumerate(bids):
        made = np.tile(np.array([*hand.made, bid, *[0] * (DEALER - hand.position)], np.int64), (worlds, 1))
        for place in range(hand.position + 1, at.PLAYERS):
            made[:, place] = ask(others, *bid_view(game, dealt, made, place), threads)
        positions[rollout.BIDS : rollout.BIDS + seats] = made.T
        found = finish.finish(positions, 0, 0, np.arange(worlds))
        scores[number], tricks[number] = (found[f"{name}_{hand.position}"] for name in ("score", "tricks"))
    return Played(bids, scores, tricks)
