"""Worlds of trump calls stated plainly: dealt card by card, asked seat by seat, counted one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from trickbench.bits import bounded
from trickbench.games.manille import call_rollout as loop
from trickbench.games.manille import hands, rollout
from trickbench.games.manille import layout as at
from trickbench.games.manille.layout import View
from trickbench.registry import Strategy, strategy
from trickbench.rollouts import Rollouts
from trickbench.streams import WORLDS, words

NOTHING = View(*[0] * len(View._fields))


def world(seed: int, number: int, index: int) -> tuple[list[int], tuple[int, ...]]:
    """Return the four hands of a world, the dealer's first, and the new name of each suit."""
    place = number << 24 | index
    names = loop.new_names(bounded(words(seed, place, 0, WORLDS, 6)[0], 24))
    form = int(hands.hands_of([number])[0])
    held = [sum((form >> 8 * suit & 0xFF) << 8 * name for suit, name in enumerate(names)), 0, 0, 0]
    places = [0, 8, 8, 8]
    cards = [card for card in range(32) if not held[0] >> card & 1]
    for turn, card in enumerate(cards):
        left = bounded(words(seed, place, 0, WORLDS, turn // 4)[turn % 4], 24 - turn)
        seat = next(seat for seat in range(4) if left < sum(places[: seat + 1]))
        held[seat] |= 1 << card
        places[seat] -= 1
    return held, names


class Auction:
    """What the players of one world say after the dealer's call."""

    def __init__(self, game: Any, players: Any, caller: Any, seed: int, place: int, held: list[int]) -> None:
        named = players if isinstance(players, list) else [players]
        self.game, self.seed, self.place, self.held = game, seed, place, held
        self.seats = [strategy(named[seat % len(named)], game) for seat in range(4)]
        self.caller = self.seats[2] if caller is None else strategy(caller, game)

    def ask(self, who: Strategy, kind: str, decision: int, seat: int, legal: int, said: tuple[int, int, int]) -> int:
        """Ask a seat, who sees its hand and what was said: the call, en face, doubles."""
        call, faced, doubles = said
        rules, bound = self.game.rules.values(), who.decisions[kind]
        view = NOTHING._replace(
            hand=self.held[seat], legal=legal, trump=0xFF << 8 * call if call < 4 else 0, dealer=-seat % 4, caller=(2 * faced - seat) % 4,
            asked=faced, call=call, doubled=int(doubles > 0), redoubled=int(doubles > 1), carry=1, target=rules.target,
            factor=(rules.no_trump_factor if call == 4 else 1) << doubles, word=words(self.seed, self.place, 0, decision, 0)[seat],
        )  # fmt: skip
        return int(bound.function(*(view, bound.params, rules, bound.agent.tables(bound.params))[: bound.arity]))

    def held_after(self, call: int, doubling: bool) -> tuple[int, int, int]:
        """Return the call (0..4; of 5 what the partner calls), whether it was passed on, and how often it was doubled."""
        faced, doubles = int(call == 5), 0
        if faced:
            call = self.ask(self.caller, "call", at.CALL_PARTNER, 2, 0b11111, (at.NO_CALL, 1, 0)).bit_length() - 1
        for decision, seat in ((at.DOUBLE_LEFT, 1), (at.DOUBLE_RIGHT, 3)):
            if doubling and doubles == 0:
                doubles = self.ask(self.seats[seat], "double", decision, seat, 0b11, (call, faced, 0)) >> 1
        for decision, seat in ((at.REDOUBLE_DEALER, 0), (at.REDOUBLE_PARTNER, 2)):
            if doubles == 1:
                doubles += self.ask(self.seats[seat], "redouble", decision, seat, 0b11, (call, faced, 1)) >> 1
        return call, faced, doubles


def played(game: Any, number: int, seed: int, count: int, players: Any, caller: Any = None, doubling: bool = False) -> np.ndarray:
    """Return net score, tricks of the dealer's side and doubles, [3, count, calls], by the rollouts that exist for all positions."""
    calls = 5 + (game.rules.en_face == "on")
    table = np.zeros((rollout.COLUMNS, calls * count), np.int64)
    for index in range(count):
        held, names = world(seed, number, index)
        auction = Auction(game, players, caller, seed, number << 24 | index, held)
        for call in range(calls):
            column = table[:, calls * index + call]
            column[:4] = held
            column[[rollout.CALL, rollout.FACED, rollout.DOUBLES]] = auction.held_after(names[call] if call < 4 else call, doubling)
    table[rollout.LEADER], table[rollout.DEALER], table[rollout.CARRY] = 1, 0, 1
    found = Rollouts(game, players, seed).finish(table, 0, 0, np.arange(calls * count))
    return np.array([found["score_0"] - found["score_1"], found["tricks_0"], table[rollout.DOUBLES]]).reshape(3, count, calls)


def summed(number: int, outcomes: np.ndarray) -> list[int]:
    """Return the sums of worlds' outcomes, [3, worlds, calls], as the loop has them; a suit with the cards of the one before has its numbers."""
    masks = hands.suit_masks(hands.hands_of([number]))[0]
    outcomes = outcomes.copy()
    for suit in range(1, 4):
        if masks[suit] == masks[suit - 1]:
            outcomes[:, :, suit] = outcomes[:, :, suit - 1]
    net, tricks, doubles = outcomes
    sums = np.zeros(loop.SUM_COUNT, np.int64)
    for call in range(net.shape[1]):
        own = net[:, call]
        sums[loop.NET + call], sums[loop.SQUARES + call] = own.sum(), (own**2).sum()
        sums[loop.WINS + call], sums[loop.TIES + call] = (own > 0).sum(), (own == 0).sum()
        sums[loop.CAPOTS + call] = (tricks[:, call] == 8).sum()
        sums[loop.DOUBLED + call], sums[loop.REDOUBLED + call] = (doubles[:, call] > 0).sum(), (doubles[:, call] > 1).sum()
    for place, (a, b) in enumerate(loop.PAIRS):
        if b < net.shape[1]:
            sums[loop.PRODUCTS + place] = (net[:, a] * net[:, b]).sum()
    return sums.tolist()
