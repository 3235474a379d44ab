"""What to bid with one hand of Manchego: every bid's score, exact rate and distance by rollouts, how sure the best is, and what bidders bid.

The same worlds are played for every bid, so the difference of two bids has the interval that the same worlds give it; and the value of the best is
taken in worlds that did not choose it, as the highest of several means is too high.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.counts import deal_count, seed_number, worker_count
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.games.manchego import layout as at
from trickbench.games.rows import LANES
from trickbench.reading import grid, percent, with_interval
from trickbench.stats.intervals import Estimate, rate_interval
from trickbench.stats.multiple import simultaneous_intervals
from trickbench.stats.paired import paired_interval
from trickbench.streams import philox
from trickbench.studies.asking import Dealt, ask, bid_table, bid_view
from trickbench.studies.crossing import all_answering, answering, crossed
from trickbench.studies.hand_worlds import Hand, Played, play_bids, worlds_for
from trickbench.studies.telling import short
from trickbench.table import Table

WORLDS = 4096
LEVEL = 0.95
POSITIONS = ("first", "second", "last")


def read_hand(game: Game, hand: Any, turned: Any, position: Any = None, made: Any = ()) -> Hand:
    """Return a decision to bid from what was typed.

    Parameters
    ----------
    game : Game
    hand, turned : str
        17 cards; the card that is nobody's.
    position : int, optional
        0 first to bid, 1, 2 the dealer; by default as many as bids were made.
    made : str or sequence of int
        The bids before, in order, as in "7 5".

    Raises
    ------
    UsageError
        For cards, positions and bids that cannot be.
    """
    if game.family != "manchego":
        raise UsageError(f"nobody bids in {game.name}; --hand takes a hand of manchego here")
    cards, up = game.pack.set(hand), game.pack.set(turned)
    if cards.bit_count() != at.TRICKS:
        raise UsageError(f"the hand has {cards.bit_count()} cards; one bids with {at.TRICKS}")
    if up.bit_count() != 1 or up & cards:
        raise UsageError(f"the turned card cannot be '{turned}'; one card that is not in the hand would be right")
    words = made.replace(",", " ").split() if isinstance(made, str) else list(made)
    before = tuple(_whole(word, "a bid", at.TRICKS) for word in words)
    place = _whole(len(before) if position is None else position, "position", at.PLAYERS - 1)
    if len(before) != place:
        raise UsageError(f"at position {place} there are {place} bids before, not {len(before)}; --bids takes them in order, as in '7 5'")
    return Hand(cards, up, place, before)


def _whole(value: Any, name: str, most: int) -> int:
    try:
        number = int(str(value))
    except ValueError:
        number = -1
    if not 0 <= number <= most:
        raise UsageError(f"{name} cannot be '{value}'; a whole number from 0 to {most} would be right")
    return number


class HandBids:
    """What each bid with a hand is worth.

    Attributes
    ----------
    hand : Hand
    played : Played
        Score and tricks of each bid in each world.
    bidders : DataFrame
        bidder, bid, share: what each bids, and how often over random words.
    """

    def __init__(self, game: Game, hand: Hand, played: Played, bidders: pd.DataFrame, facts: dict[str, Any]) -> None:
        self.game, self.hand, self.played, self.bidders, self._facts = game, hand, played, bidders, facts

    @property
    def best(self) -> int:
        """The bid of the highest mean score."""
        return int(self.played.bids[self._best])

    @property
    def _best(self) -> int:
        return int(self.played.scores.sum(axis=1).argmax())

    @cached_property
    def behind(self) -> dict[int, Estimate]:
        """How far each other bid, by its number, is behind the best in the same worlds, with intervals that hold together."""
        scores = self.played.scores
        others = [number for number in range(len(scores)) if number != self._best]
        found = [_mean(scores[self._best] - scores[number]) for number in others]
        return dict(zip(others, simultaneous_intervals(found, LEVEL), strict=True))

    @property
    def clear(self) -> bool:
        """True if the best bid is ahead of every other in intervals that hold together."""
        return all(one.low > 0 for one in self.behind.values())

    @cached_property
    def value(self) -> float:
        """Mean score of the bid that one half of the worlds choose, in the other half."""
        halves = [self.played.scores[:, start::2].mean(axis=1) for start in (0, 1)]
        return float(np.mean([halves[1 - k][halves[k].argmax()] for k in (0, 1)]))

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a legal bid.

        Columns: bid, n (worlds), score, exact, distance, tricks (means), each with _low and _high (95 %); behind (points that it is behind the best
        bid), behind_low, behind_high (95 % for all bids together).
        """
        rows = []
        for number, (bid, scores, tricks) in enumerate(zip(*self.played, strict=True)):
            found = {
                "score": _mean(scores),
                "exact": rate_interval(int((tricks == bid).sum()), len(tricks)),
                "distance": _mean(np.abs(tricks - bid)),
                "tricks": _mean(tricks),
                "behind": self.behind.get(number, Estimate(len(scores), 0.0, 0.0, 0.0, 0.0)),
            }
            spans = {f"{name}{end}": value for name, e in found.items() for end, value in (("", e.mean), ("_low", e.low), ("_high", e.high))}
            rows.append({"bid": int(bid), "n": len(scores), **spans})
        return pd.DataFrame(rows)

    def text(self) -> str:
        """Return the answer as a person reads it."""
        table, shown = self.table, []
        for row in table.to_dict("records"):
            spans = [with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"]) for name in ("score", "distance", "tricks", "behind")]
            exact = with_interval(*(100 * row[f"exact{end}"] for end in ("", "_low", "_high")))
            shown.append([str(row["bid"]), spans[0], f"{exact} %", spans[1], spans[2], "best" if row["bid"] == self.best else spans[3]])
        said = " and ".join(map(str, self.hand.made))
        near = f"within {self._facts['off']} of {said}" if self._facts["off"] else said
        lines = [
            f"{self.game.described()}: {self.game.pack.text(self.hand.cards)}, {self.game.pack.text(self.hand.turned)} turned",
            f"bidding {POSITIONS[self.hand.position]}{f', after {said}' if said else ''}; cards played by {self._facts['player']}, "
            f"the others bid as {self._facts['others']}",
            f"{self._facts['worlds']:,} worlds, the same for each bid"
            + (f": the others would have bid {near} there, as in {percent(self._facts['kept'])} of all" if said else ""),
            "",
            grid(["bid", "points a deal", "exact", "distance", "tricks", "behind the best"], shown, 0),
            "",
            self._verdict(),
        ]
        for bidder, own in self.bidders.groupby("bidder", sort=False):
            said = ", ".join(f"{row.bid}{'' if row.share == 1 else f' ({percent(row.share)})'}" for row in own.itertuples())
            lines.append(f"{short(str(bidder))} bids {said}")
        return "\n".join([*lines, "(95 % intervals; those of being behind hold for all bids together)"])

    def _verdict(self) -> str:
        if not self.behind:
            return f"the one bid is {self.best}"
        second = min(self.behind, key=lambda k: self.behind[k].mean)
        lead = self.behind[second]
        ahead = with_interval(lead.mean, lead.low, lead.high)
        sure = "clear" if self.clear else "not clear"
        worth = f"worth {self.value:.3f} points, valued in worlds that did not choose it"
        return f"best: {self.best}, ahead of {self.played.bids[second]} by {ahead} ({sure}); {worth}"

    def facts(self) -> dict[str, Any]:
        """Return the answer as JSON holds it."""
        tables = {name: json.loads(own.to_json(orient="records")) for name, own in (("bids", self.table), ("bidders", self.bidders))}
        return {**self._facts, "best": self.best, "clear": self.clear, "value": self.value, **tables}


def _mean(values: NDArray[np.int64]) -> Estimate:
    return paired_interval(values, np.ones(len(values), np.int64), LEVEL)


def what_bidders_bid(game: Game, hand: Hand, bidders: Sequence[Any], seed: int = 0) -> pd.DataFrame:
    """Return what bidders bid with a hand: bidder, bid, share of 128 random words.

    Raises
    ------
    AgentError
        If one makes a bid that is not legal.
    """
    rows = []
    for one in all_answering(bidders, "bid", game, "bidder"):
        made = asked(bid_table(game, one), hand, seed)
        bids, counts = np.unique(made, return_counts=True)
        rows += [[one.name, int(bid), count / LANES] for bid, count in sorted(zip(bids, counts, strict=True), key=lambda pair: -pair[1])]
    return pd.DataFrame(rows, columns=["bidder", "bid", "share"])


def asked(table: Table, hand: Hand, seed: int) -> NDArray[np.int64]:
    """Return what the bidder at a table bids with a hand for each of 128 random words; the dealer is seat 2."""
    words = np.array([philox(lane, 2, 0, 0, seed & 0xFFFFFFFF, seed >> 32)[: at.PLAYERS] for lane in range(LANES)], np.int64)
    alike = np.ones((LANES, at.PLAYERS), np.int64)
    dealt = Dealt(alike * hand.cards, alike[:, 0] * hand.turned, alike[:, 0] * (at.PLAYERS - 1), words)
    made = alike * np.array([*hand.made, *[0] * (at.PLAYERS - len(hand.made))], np.int64)
    return ask(table, *bid_view(table.game, dealt, made, hand.position), 1)


def bid_hand(
    game: Game, hand: Any, turned: Any, position: Any = None, made: Any = (), bidders: Sequence[Any] = (), player: Any = "heuristic",
    others: Any = "heuristic", worlds: Any = WORLDS, seed: Any = 0, workers: int | None = None,
) -> HandBids:  # fmt: skip
    """Return what each bid with a hand is worth, and what bidders bid.

    Parameters
    ----------
    game : Game
    hand, turned, position, made
        See :func:`read_hand`.
    bidders : sequence of str, Agent or function
        Who is asked what to bid.
    player, others : str, Agent or function
        Who plays the cards of all seats; who bids at the others, which bid later by it, and whose bids before are as likely as by it.
    worlds : int or str
        Deals of the hidden cards, the same for every bid.
    seed : int
    workers : int, optional

    Raises
    ------
    UsageError
        For arguments that cannot be.
    """
    one, key = read_hand(game, hand, turned, position, made), seed_number(seed)
    number, threads = max(2, deal_count(worlds, "worlds")), worker_count(workers)
    answers = answering(others, "bid", game)
    supposed = bid_table(game, answers)
    found = worlds_for(game, supposed, one, number, key, threads)
    played = play_bids(game, crossed(answering(player, "play", game), answers), supposed, one, found.dealt, key, threads)
    facts = {
        "game": game.name, "rules": game.rules.as_dict(), "hand": game.pack.text(one.cards), "turned": game.pack.text(one.turned),
        "position": one.position, "made": list(one.made), "player": answering(player, "play", game).name, "others": answers.name, "seed": key,
        "worlds": number, "kept": found.kept, "off": found.off,
    }  # fmt: skip
    return HandBids(game, one, played, what_bidders_bid(game, one, bidders or [others], key), facts)
