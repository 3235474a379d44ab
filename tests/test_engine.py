"""The engine that plays the cards: what a seat is shown, random words, and results that depend on seed and index alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba import int64
from numpy.typing import NDArray

import trickbench
from tests.twins import manchego, manille
from trickbench.bits import pick
from trickbench.cards import FRENCH, MANILLE
from trickbench.engine import AGENTS, DEALER, ERROR_SET, ERROR_SIZE, FORFEIT, HISTORY, PARTS, RUN_SIZE, SEAT_MAPS, SEED, aligned
from trickbench.errors import AgentError
from trickbench.games.manchego import layout as french_at
from trickbench.games.manille import layout as at
from trickbench.games.rows import LANES
from trickbench.streams import first_dealer, words
from trickbench.turnover import ROUNDS, STATE_SIZE

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="the engine is compiled code")

ROOT = Path(__file__).resolve().parent.parent
BUSY = "play=random,call=random,double=threshold:points=16,redouble=threshold:points=16"
SPARING = "play=greedy,call=longest,double=threshold:points=20,redouble=threshold:points=18"
# Game and agents of runs that are cut up, spread over threads and played again.
MATCHES: dict[str, tuple[str, list[Any]]] = {
    "manillen": ("manillen", [SPARING, BUSY]),
    "manille": ("manille", [BUSY, "random", SPARING, "play=random,call=points"]),
    "manchego": ("manchego", ["greedy", "random", "play=random,bid=fixed:n=5"]),
}
each_match = pytest.mark.parametrize("match", MATCHES)


def play(match: str, deals: int, **arguments: Any) -> Any:
    game, agents = MATCHES[match]
    return trickbench.simulate(trickbench.game(game), agents, deals, **({"seed": 5} | arguments))


# What a seat is shown, against what a person would write down who follows the deal.


@trickbench.kernel
def any_legal(view):  # type: ignore[no-untyped-def]
    """Choose any legal card, call or bid."""
    return pick(view.legal, view.word)


@trickbench.kernel
def one_in_three(view):  # type: ignore[no-untyped-def]
    """Say yes to every third question."""
    return trickbench.YES if view.word % 3 == 0 else trickbench.NO


CHOICES: dict[str, dict[str, Callable[..., int]]] = {
    "manille": {"play": any_legal, "call": any_legal, "double": one_in_three, "redouble": one_in_three},
    "manchego": {"play": any_legal, "bid": any_legal},
}
TALKER = trickbench.Agent(name="talker", manille=CHOICES["manille"], manchego=CHOICES["manchego"])

Log = list[tuple[Any, int]]


def noting(log: Log, function: Callable[..., int]) -> Callable[..., int]:
    """Return a decision function that is called from Python and notes what it was shown and what it chose."""

    def choose(view: Any) -> int:
        log.append((view, function(view)))
        return log[-1][1]

    return choose


def recorder(log: Log) -> Any:
    """Return an agent that chooses as ``TALKER`` does and notes every view."""
    return trickbench.Agent(
        name="recorder",
        manille={kind: noting(log, function) for kind, function in CHOICES["manille"].items()},
        manchego={kind: noting(log, function) for kind, function in CHOICES["manchego"].items()},
    )


class Seen(NamedTuple):
    """A decision, who is asked, and the view that this seat should get (without its word)."""

    decision: int
    seat: int
    view: dict[str, int]


def card_bits(cards: Sequence[str] | set[str], twin: Any) -> int:
    return sum(1 << (twin.SUITS.index(card[0]) * len(twin.RANKS) + twin.RANKS.index(card[1])) for card in cards)


def cards_of(bits: int, twin: Any) -> set[str]:
    size = len(twin.RANKS)
    return {twin.SUITS[card // size] + twin.RANKS[card % size] for card in range(4 * size) if bits >> card & 1}


def suit_bits(suit: str, twin: Any) -> int:
    return card_bits([suit + rank for rank in twin.RANKS], twin) if suit and suit in twin.SUITS else 0


class Follower:
    """Follows a recorded deal and says what each seat should see."""

    twin: Any
    seats: int

    def __init__(self, row: Any, options: dict[str, Any]) -> None:
        self.options = options
        self.hands = [cards_of(int(row[f"hand_{seat}"]), self.twin) for seat in range(self.seats)]
        self.cards = [next(iter(cards_of(1 << int(value), self.twin))) for name, value in row.items() if name.startswith("card_")]
        self.dealer = int(row["dealer"])
        self.leader = (self.dealer + 1) % self.seats
        self.trick: list[str] = []
        self.played: list[str] = []
        self.tricks = [0] * self.seats
        self.shown = [set[str]() for _ in range(self.seats)]
        self.trump = ""

    def tricks_played(self) -> int:
        return sum(self.tricks)

    def on_table(self, seat: int) -> list[str]:
        """Return the card that a seat has played to this trick, if it has."""
        return [card for place, card in enumerate(self.trick) if (self.leader + place) % self.seats == seat]

    def common(self, seat: int, legal: int) -> dict[str, int]:
        """Return what views of all games have in common."""
        twin = self.twin
        best = self.trick[twin.winner(self.trick, self.trump)] if self.trick else None
        view = {
            "hand": card_bits(self.hands[seat], twin), "legal": legal, "played": card_bits(self.played, twin), "trump": suit_bits(self.trump, twin),
            "led": suit_bits(self.trick[0][0], twin) if self.trick else 0, "best": card_bits([best], twin) if best else 0,
            "position": len(self.trick), "trick": self.tricks_played(), "target": self.options["target"] or 0,
            "dealer": (self.dealer - seat) % self.seats,
        }  # fmt: skip
        for away, name in enumerate(("left", "partner", "right") if self.seats == 4 else ("left", "right"), 1):
            other = (seat + away) % self.seats
            view[f"card_{name}"] = card_bits(self.on_table(other), twin)
            view[f"cannot_{name}"] = card_bits(self.shown[other] - set(self.played), twin)
        return view

    def play(self, seat: int, card: str, shown: set[str]) -> None:
        """Put a card on the table."""
        self.shown[seat] |= shown
        self.hands[seat].remove(card)
        self.trick.append(card)
        self.played.append(card)
        if len(self.trick) == self.seats:
            self.leader = (self.leader + self.twin.winner(self.trick, self.trump)) % self.seats
            self.tricks[self.leader] += 1
            self.take(self.trick)
            self.trick = []

    def take(self, trick: list[str]) -> None:
        """Count what ``leader`` has won."""


class ManilleFollower(Follower):
    """Follows a deal of Manille."""

    twin, seats = manille, 4

    def __init__(self, row: Any, options: dict[str, Any]) -> None:
        super().__init__(row, options)
        self.points = [0, 0]
        self.call, self.asked, self.blind, self.doubled, self.redoubled = 31, 0, 0, 0, 0

    def take(self, trick: list[str]) -> None:
        self.points[self.leader % 2] += manille.points(trick)

    def factor(self) -> int:
        """Return the factor so far: what one point over 30 would score without a capot."""
        return manille.score(31, 5, self.call == 4, bool(self.blind), self.doubled + self.redoubled, 1, self.options)

    def seen(self, decision: int, seat: int, legal: int) -> Seen:
        partner_winning = len(self.trick) >= 2 and manille.partner_is_winning(self.trick, self.trump)
        view = self.common(seat, legal) | {
            "partner_winning": int(partner_winning), "trick_points": manille.points(self.trick), "asked": self.asked, "call": self.call,
            "caller": (self.dealer + 2 * self.asked - seat) % 4, "doubled": self.doubled, "redoubled": self.redoubled, "factor": self.factor(),
            "points_us": self.points[seat % 2], "points_them": self.points[1 - seat % 2],
            "tricks_us": self.tricks[seat] + self.tricks[seat - 2], "tricks_them": self.tricks[seat - 1] + self.tricks[seat - 3],
            "score_us": 0, "score_them": 0, "carry": 1,
        }  # fmt: skip
        return Seen(decision, seat, view | ({"hand": 0} if decision == 2 else {}))

    def hear(self, answer: int) -> None:
        """Note a call."""
        self.asked |= int(answer == trickbench.EN_FACE)
        self.call = {1: 0, 2: 1, 4: 2, 8: 3, 16: 4}.get(answer, 31)
        self.trump = manille.CALLS[self.call] if self.call < 5 else ""

    def auction(self, answers: dict[int, int]) -> Iterator[Seen]:
        """Yield the questions; ``answers`` holds what was answered to each decision."""
        dealer, left, partner, right = (self.dealer, *((self.dealer + away) % 4 for away in (1, 2, 3)))
        if self.options["blind_no_trump"] == "on":
            yield self.seen(2, dealer, trickbench.NT | trickbench.LOOK)
            self.hear(answers[2])
            self.blind = int(self.call == 4)
        if self.call == 31:
            yield self.seen(0, dealer, 0b11111 | (trickbench.EN_FACE if self.options["en_face"] == "on" else 0))
            self.hear(answers[0])
        if self.asked:
            yield self.seen(1, partner, 0b11111)
            self.hear(answers[1])
        for decision, seat in ((3, left), (4, right)):
            if self.options["doubling"] == "on" and not self.doubled:
                yield self.seen(decision, seat, trickbench.NO | trickbench.YES)
                self.doubled = int(answers[decision] == trickbench.YES)
        for decision, seat in ((5, dealer), (6, partner)):
            if self.doubled and not self.redoubled:
                yield self.seen(decision, seat, trickbench.NO | trickbench.YES)
                self.redoubled = int(answers[decision] == trickbench.YES)

    def story(self, answers: dict[int, int]) -> Iterator[Seen]:
        """Yield every decision of the deal in order."""
        yield from self.auction(answers)
        for card in self.cards:
            seat = (self.leader + len(self.trick)) % 4
            legal = manille.legal(self.hands[seat], self.trick, self.trump, self.options)
            yield self.seen(16 + self.tricks_played(), seat, card_bits(legal, manille))
            self.play(seat, card, manille.excluded(card, self.trick, self.trump, self.options) if self.trick else set())


class ManchegoFollower(Follower):
    """Follows a deal of Manchego."""

    twin, seats = manchego, 3

    def __init__(self, row: Any, options: dict[str, Any]) -> None:
        super().__init__(row, options)
        self.turned, self.trump = str(row["turned"]), str(row["trump"])
        self.bids = [31, 31, 31]

    def seen(self, decision: int, seat: int, legal: int) -> Seen:
        view = self.common(seat, legal) | {"turned": card_bits([self.turned], manchego)}
        for away, name in enumerate(("me", "left", "right")):
            other = (seat + away) % 3
            view |= {f"bid_{name}": self.bids[other], f"tricks_{name}": self.tricks[other], f"score_{name}": 0}
        return Seen(decision, seat, view)

    def story(self, answers: dict[tuple[int, int], int]) -> Iterator[Seen]:
        """Yield every decision of the deal in order; ``answers`` holds the bids."""
        earlier: list[int] = []
        for away in (1, 2, 3):
            seat = (self.dealer + away) % 3
            yield self.seen(8, seat, sum(1 << bid for bid in manchego.legal_bids(earlier, self.options)))
            self.bids[seat] = answers[8, seat].bit_length() - 1
            earlier.append(self.bids[seat])
        for card in self.cards:
            seat = (self.leader + len(self.trick)) % 3
            yield self.seen(16 + self.tricks_played(), seat, card_bits(manchego.legal(self.hands[seat], self.trick), manchego))
            self.play(seat, card, manchego.excluded(card, self.trick) if self.trick else set())


@cache
def words_of(seed: int, first: int, count: int, family: str) -> dict[int, tuple[int, int, int]]:
    """Return for every word that a seat may see: index, decision, seat."""
    decisions = [*range(7), *range(16, 24)] if family == "manille" else [8, *range(16, 33)]
    found = {}
    for index, decision in product(range(first, first + count), decisions):
        for seat, word in enumerate(words(seed, index, 0, decision, 0)[: 4 if family == "manille" else 3]):
            found[word] = index, decision, seat
    assert len(found) == count * len(decisions) * (4 if family == "manille" else 3)
    return found


def sorted_out(log: Log, seed: int, first: int, count: int, family: str) -> dict[int, dict[tuple[int, int], tuple[Any, int]]]:
    """Return what was noted by deal, then by decision and seat: whose it is shows in the word."""
    known = words_of(seed, first, count, family)
    found: dict[int, dict[tuple[int, int], tuple[Any, int]]] = {index: {} for index in range(first, first + count)}
    for view, answer in log:
        index, decision, seat = known[view.word]
        assert (decision, seat) not in found[index]
        found[index][decision, seat] = view, answer
    return found


def differences(view: Any, want: Seen) -> dict[str, tuple[int, int]]:
    """Return the fields in which a view is not as it should be; of exclusions only cards still out count."""
    got = view._asdict()
    got = {name: value & ~got["played"] if name.startswith("cannot") else value for name, value in got.items()}
    assert got.pop("word") >= 0
    assert set(got) == set(want.view)
    return {name: (value, want.view[name]) for name, value in got.items() if value != want.view[name]}


def assert_views(run: Any, log: Log) -> None:
    """Check every view that was noted in a run, and that exactly the right seats were asked."""
    family, options = run.game.family, run.game.rules.as_dict()
    noted = sorted_out(log, run.seed, run.first, run.count, family)
    for _, row in run.deals.iterrows():
        of_deal = noted[row["deal"]]
        asked = set()
        if family == "manille":
            story = ManilleFollower(row, options).story({decision: answer for (decision, _), (_, answer) in of_deal.items() if decision < 16})
        else:
            story = ManchegoFollower(row, options).story({key: answer for key, (_, answer) in of_deal.items()})
        for want in story:
            view, _ = of_deal[want.decision, want.seat]
            assert not differences(view, want), f"deal {row['deal']}, decision {want.decision}, seat {want.seat}: got, should be"
            asked.add((want.decision, want.seat))
        assert asked == set(of_deal)


VIEWED = {
    "manillen": ("manillen", {}),
    "manille": ("manille", {}),
    "must_beat=always": ("manillen", {"must_beat": "always", "trump_lead_over_partner": "must_beat"}),
    "undertrump=forced": ("manillen", {"undertrump": "forced", "overruff": "free", "undertrump_under_partner": "allowed", "target": None}),
    "ruff=free": ("manillen", {"ruff": "free", "doubling": "off"}),
    "everything that may be said": ("manille", {"blind_no_trump": "on", "stacking": "add", "ruff": "must"}),
    "cap4": ("manillen", {"blind_no_trump": "on", "stacking": "cap4", "en_face": "on"}),
    "manchego": ("manchego", {}),
    "manchego, hook=on": ("manchego", {"hook": "on", "scoring": "gain", "target": 50}),
}


@pytest.mark.parametrize("viewed", VIEWED)
def test_every_field_of_every_view_is_what_a_follower_writes_down(viewed: str) -> None:
    name, options = VIEWED[viewed]
    log: Log = []
    assert_views(trickbench.simulate(trickbench.game(name, **options), recorder(log), 150, seed=21, first=7, record="plays"), log)
    assert len(log) >= 150 * 32


@pytest.mark.parametrize("name", ["manillen", "manille", "manchego"])
def test_python_agents_play_the_deals_that_compiled_ones_play(name: str) -> None:
    game = trickbench.game(name)
    compiled = trickbench.simulate(game, TALKER, 1000, seed=22, record="plays")
    for chunk in (None, 100):
        assert trickbench.simulate(game, recorder([]), 1000, seed=22, record="plays", chunk=chunk).digest == compiled.digest


@pytest.mark.parametrize("name", ["manille", "manchego"])
def test_exchanging_an_agent_changes_no_deal_and_no_other_seats_words(name: str) -> None:
    game, seats = trickbench.game(name), trickbench.game(name).players
    hands, asked = [], []
    for newcomer in ("random", "greedy", TALKER):
        log: Log = []
        run = trickbench.simulate(game, [*[recorder(log)] * (seats - 1), newcomer], 130, seed=23, record="plays")
        hands.append(run.plays[:, :seats].tolist())
        noted = sorted_out(log, 23, 0, 130, game.family)
        asked.append({(index, *key): view.word for index, of_deal in noted.items() for key, (view, _) in of_deal.items()})
        assert {seat for _, _, seat in asked[-1]} == set(range(seats - 1))
        played = [key for key in asked[-1] if key[1] >= 16]
        assert len(played) == 130 * (seats - 1) * (8 if seats == 4 else 17)
    assert hands[0] == hands[1] == hands[2]
    for key in asked[0].keys() & asked[1].keys() & asked[2].keys():
        assert asked[0][key] == asked[1][key] == asked[2][key]


# Hidden cards: the view of a seat does not change with them.


class Stop(Exception):
    """The decision to look at has been reached."""


class Shown(NamedTuple):
    """One decision over all lanes."""

    decision: int
    position: int
    rows: NDArray[Any]
    """the view rows: block, row, lane"""
    asked: NDArray[np.bool_]
    seats: NDArray[np.int64]
    choices: NDArray[np.int64]


class Bench:
    """Blocks of deals that the engine's order of play is run on as plain Python, with hands that can be changed."""

    def __init__(self, name: str, options: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.game = trickbench.game(name, **options)
        self.face = self.game.face()
        self.at = self.face.at
        self.blocks = max(1, 512 // LANES)
        self.flat = aligned(self.at.SIZE * self.blocks, self.face.dtype)
        self.rows = self.flat.reshape(self.blocks, -1, LANES)
        self.module = sys.modules[self.face.drive.__module__]
        self.deal, self.patch = self.module.deal, monkeypatch

    def row(self, offset: int) -> NDArray[Any]:
        """Return the row at an offset: block, lane."""
        return self.rows[:, offset // LANES]

    def dealt(self) -> NDArray[Any]:
        """Return the hands as dealt: block, seat, lane."""
        start = self.at.DEALT // LANES
        return self.rows[:, start : start + self.game.players]

    def drive(self, choose: Callable[[], None], change: Callable[[NDArray[Any]], None]) -> None:
        """Play the blocks; ``change`` may exchange cards between the hands as dealt."""

        def deal(S: Any, seed: int) -> None:
            self.deal(S, seed)
            change(self.dealt())

        self.patch.setattr(self.module, "deal", deal)
        kinds = len(self.game.kinds)
        run = np.zeros(RUN_SIZE, np.int64)
        run[SEED], run[DEALER], run[HISTORY], run[FORFEIT] = 31, first_dealer(31, self.game.players), 1, 1
        run[SEAT_MAPS::2] = 1
        none, empty = np.zeros(0, np.int64), np.zeros(0, self.face.dtype)
        bounds, counts, error = (np.zeros(size, np.int64) for size in (PARTS * AGENTS * kinds, self.face.cells, ERROR_SIZE))
        functions = [lambda *_: choose()] * (AGENTS * kinds)
        self.flat[:] = 0
        state = np.zeros(STATE_SIZE, np.int64)
        state[ROUNDS] = 1
        arguments = (state, none, bounds, counts, empty, empty.reshape(0, 1), none.reshape(0, 1), error)
        self.face.drive(self.flat, self.game.rule_values(), run, 0, self.blocks * LANES, *arguments, *functions)
        assert error[ERROR_SET] == 0

    def show(self, choices: NDArray[np.int64]) -> Shown:
        """Return what is shown at the decision at hand."""
        header = self.row(self.at.HEADER)[0]
        view = self.rows[:, : self.at.VIEW_SIZE // LANES].copy()
        return Shown(int(header[0]), int(header[2]), view, self.row(self.at.MINE) != 0, self.row(self.at.SEAT).astype(np.int64), choices)


def first_playing(bench: Bench) -> list[Shown]:
    """Play the blocks as they are dealt, with any legal choices; return every decision."""
    steps: list[Shown] = []

    def choose() -> None:
        lanes = zip(bench.row(bench.at.LEGAL).ravel().tolist(), bench.row(bench.at.WORD).ravel().tolist(), strict=True)
        steps.append(bench.show(np.array([pick(legal, word) for legal, word in lanes]).reshape(bench.blocks, LANES)))
        bench.row(bench.at.CHOICE)[:] = steps[-1].choices

    bench.drive(choose, lambda _: None)
    return steps


def playing_again(bench: Bench, steps: list[Shown], number: int, change: Callable[[NDArray[Any]], None]) -> tuple[Shown, NDArray[np.bool_]]:
    """Play changed deals up to decision ``number`` with the choices of ``steps``.

    Returns
    -------
    Shown
        What the seat is shown at that decision.
    array of bool
        The lanes in which all has gone as it did in ``steps``: no choice was illegal there.
    """
    alike = np.ones((bench.blocks, LANES), np.bool_)
    met: list[Shown] = []

    def choose() -> None:
        choices = steps[len(met)].choices
        met.append(bench.show(choices))
        if len(met) > number:
            raise Stop
        alike[met[-1].asked & ((choices & bench.row(bench.at.LEGAL).astype(np.int64)) == 0)] = False
        bench.row(bench.at.CHOICE)[:] = choices

    with pytest.raises(Stop):
        bench.drive(choose, change)
    return met[-1], alike


def exchange_hidden(dealt: NDArray[Any], gone: NDArray[Any], seats: NDArray[np.int64], rng: np.random.Generator) -> None:
    """Exchange cards that a seat cannot see between the other hands: all in every second lane, else two of them."""
    for block, lane in product(range(dealt.shape[0]), range(LANES)):
        others = [seat for seat in range(dealt.shape[1]) if seat != seats[block, lane]]
        out = int(gone[block, lane])
        hidden = [[card for card in range(52) if int(dealt[block, seat, lane]) & ~out & 1 << card] for seat in others]
        if lane % 2:
            mixed = rng.permutation([card for cards in hidden for card in cards]).tolist()
            new = [[mixed.pop() for _ in cards] for cards in hidden]
        else:
            new = [rng.permutation(cards).tolist() for cards in hidden]
            a, b = rng.choice(len(others), 2, replace=False)
            if new[a] and new[b]:
                new[a][0], new[b][0] = new[b][0], new[a][0]
        for seat, cards in zip(others, new, strict=True):
            dealt[block, seat, lane] = (int(dealt[block, seat, lane]) & out) | sum(1 << card for card in cards)


HIDDEN = {
    "manillen": ("manillen", {}),
    "everything that may be said": ("manille", {"blind_no_trump": "on"}),
    "undertrump=forced": ("manillen", {"undertrump": "forced", "must_beat": "always"}),
    "manchego": ("manchego", {"hook": "on"}),
}


def differing(bench: Bench, step: Shown, again: Shown, lanes: NDArray[np.bool_]) -> set[str]:
    """Return the names of the rows that differ in the lanes to compare."""
    rows = np.flatnonzero(((step.rows != again.rows) & lanes[:, None, :]).any(axis=(0, 2))) * LANES
    names = {value: name for name, value in vars(bench.at).items() if name.isupper() and isinstance(value, int)}
    return {names.get(int(row), f"row {row}") for row in rows}


@pytest.mark.parametrize("hidden", HIDDEN)
def test_a_view_does_not_change_with_cards_that_are_hidden_from_it(hidden: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(*HIDDEN[hidden], monkeypatch)
    steps, rng, compared = first_playing(bench), np.random.default_rng(3), []
    for number, step in enumerate(steps):
        gone = step.rows[:, bench.at.PLAYED // LANES]

        def change(hands: NDArray[Any], gone: Any = gone, step: Shown = step) -> None:
            exchange_hidden(hands, gone, step.seats, rng)

        again, alike = playing_again(bench, steps, number, change)
        assert (again.decision, again.position) == (step.decision, step.position)
        assert not differing(bench, step, again, alike & step.asked), f"decision {step.decision}, position {step.position}"
        compared.append(int((alike & step.asked).sum()))
    assert len(steps) >= 32
    assert min(compared) >= 20
    assert sum(compared) >= 5000


@pytest.mark.parametrize("name", ["manillen", "manchego"])
def test_history_rows_hold_the_cards_in_order_of_play(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(name, {}, monkeypatch)
    plays = [step for step in first_playing(bench) if step.decision >= 16]
    assert len(plays) == bench.at.CARDS
    for number, step in enumerate(plays):
        start = bench.at.HISTORY // LANES
        for earlier in range(number):
            np.testing.assert_array_equal(step.rows[:, start + earlier], plays[earlier].choices)


def test_history_rows_hold_who_led_each_trick(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench("manillen", {}, monkeypatch)
    plays = [step for step in first_playing(bench) if step.decision >= 16]
    for number, step in enumerate(plays):
        for trick in range(number // 4):
            np.testing.assert_array_equal(step.rows[:, bench.at.LEADERS // LANES + trick], plays[4 * trick].seats, f"trick {trick}")


def test_the_comparison_changes_hands_and_would_notice_them(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench("manillen", {}, monkeypatch)
    steps = first_playing(bench)
    before = bench.dealt().copy()
    # With the cards of the seat to the left left alone and not its own, a seat's view must change.
    left = (steps[0].seats + 1) % 4
    again, _ = playing_again(bench, steps, 0, lambda hands: exchange_hidden(hands, hands[:, 0] & 0, left, np.random.default_rng(4)))
    assert (bench.dealt() != before).any(axis=1).all()
    assert "HAND" in differing(bench, steps[0], again, steps[0].asked)
    assert bench.at.DEALT >= bench.at.VIEW_SIZE


@trickbench.lanes
def peek_manille(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    """Play any legal card; nothing, which is illegal, if a card hidden from this seat stands in the choice row."""
    for i in range(LANES):
        found = int64(view[at.CHOICE + i]) & ~int64(view[at.PLAYED + i]) & ~int64(view[at.HAND + i])
        peeked = (found != 0) & (int64(view[at.HEADER + at.TRICK]) > 0)
        view[at.CHOICE + i] = 0 if peeked else pick(int64(view[at.LEGAL + i]), int64(view[at.WORD + i]))


@trickbench.lanes
def peek_manchego(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    """Do the same in Manchego."""
    for i in range(LANES):
        found = int64(view[french_at.CHOICE + i]) & ~int64(view[french_at.PLAYED + i]) & ~int64(view[french_at.HAND + i])
        peeked = (found != 0) & (int64(view[french_at.HEADER + french_at.TRICK]) > 0)
        view[french_at.CHOICE + i] = 0 if peeked else pick(int64(view[french_at.LEGAL + i]), int64(view[french_at.WORD + i]))


PEEKER = trickbench.Agent(name="peeker", manille={"play": peek_manille}, manchego={"play": peek_manchego})


@pytest.mark.parametrize("name", ["manillen", "manchego"])
def test_what_another_agent_would_do_with_a_hidden_hand_is_not_left_in_the_choice_row(name: str) -> None:
    agents = {"manillen": [PEEKER, "greedy"], "manchego": [PEEKER, "greedy", PEEKER]}[name]
    trickbench.simulate(trickbench.game(name), agents, 10_000, seed=32)


# Oracles see the hands, and what the plays exclude is never in them.

WHOLE_MANILLE, WHOLE_FRENCH = MANILLE.all, FRENCH.all


@trickbench.lanes
def watch_manille(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    """Play any legal card; nothing, which is illegal, if a hand holds what its plays exclude or cards are missing."""
    for i in range(LANES):
        wrong, out = 0, int64(view[at.PLAYED + i]) | int64(view[at.HAND + i])
        for k in range(3):
            hand = int64(view[at.OTHER_HANDS + k * LANES + i])
            wrong |= int64(view[at.CANNOT + k * LANES + i]) & hand
            wrong |= out & hand
            out |= hand
        wrong |= out ^ WHOLE_MANILLE
        view[at.CHOICE + i] = pick(int64(view[at.LEGAL + i]), int64(view[at.WORD + i])) if wrong == 0 else 0


@trickbench.lanes
def watch_manchego(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    """Do the same in Manchego."""
    for i in range(LANES):
        wrong, out = 0, int64(view[french_at.PLAYED + i]) | int64(view[french_at.HAND + i]) | int64(view[french_at.TURNED + i])
        for k in range(2):
            hand = int64(view[french_at.OTHER_HANDS + k * LANES + i])
            wrong |= int64(view[french_at.CANNOT + k * LANES + i]) & hand
            wrong |= out & hand
            out |= hand
        wrong |= out ^ WHOLE_FRENCH
        view[french_at.CHOICE + i] = pick(int64(view[french_at.LEGAL + i]), int64(view[french_at.WORD + i])) if wrong == 0 else 0


@trickbench.lanes
def mix_up(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    """Do the same with the exclusions of another seat."""
    for i in range(LANES):
        wrong = 0
        for k in range(3):
            wrong |= int64(view[at.CANNOT + k * LANES + i]) & int64(view[at.OTHER_HANDS + (k + 1) % 3 * LANES + i])
        view[at.CHOICE + i] = pick(int64(view[at.LEGAL + i]), int64(view[at.WORD + i])) if wrong == 0 else 0


WATCHER = trickbench.Agent(
    name="oracle-watcher", manille={"play": watch_manille, "call": any_legal}, manchego={"play": watch_manchego, "bid": any_legal}
)
MIXED_UP = trickbench.Agent(name="oracle-mixed-up", manille={"play": mix_up})
OBLIGATIONS = {
    "must_beat": ("opponent", "always", "off"),
    "ruff": ("must", "free"),
    "overruff": ("must", "free"),
    "undertrump": ("forbidden", "allowed", "forced"),
    "undertrump_under_partner": ("forbidden", "allowed"),
    "trump_lead_over_partner": ("free", "must_beat"),
}


def test_true_hands_are_never_excluded_under_any_obligations() -> None:
    for values in product(*OBLIGATIONS.values()):
        game = trickbench.game("manillen", **dict(zip(OBLIGATIONS, values, strict=True)))
        trickbench.simulate(game, WATCHER, 3000, seed=41)
        trickbench.simulate(game, [WATCHER, "greedy"], 1000, seed=42)


def test_true_hands_are_never_excluded_in_manchego() -> None:
    trickbench.simulate(trickbench.game("manchego"), WATCHER, 100_000, seed=43)
    trickbench.simulate(trickbench.game("manchego"), [WATCHER, "greedy", "random"], 20_000, seed=44)


def test_the_watcher_would_notice_a_wrong_exclusion() -> None:
    with pytest.raises(AgentError, match=r"oracle-mixed-up.* not one legal choice"):
        trickbench.simulate(trickbench.game("manillen"), MIXED_UP, 1000, seed=45)


# The same results however the work is cut up.

DEALS = 20_011


@cache
def whole(match: str) -> Any:
    return play(match, DEALS, record="plays", workers=1)


@each_match
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_any_number_of_workers_gives_the_same_bytes(match: str, workers: int) -> None:
    for chunk in (None, 700):
        assert play(match, DEALS, record="plays", workers=workers, chunk=chunk).digest == whole(match).digest


@each_match
@pytest.mark.parametrize("chunk", [1, 7, 64, 100, 1 << 20])
def test_any_size_of_chunks_gives_the_same_bytes(match: str, chunk: int) -> None:
    deals = 331 if chunk < 64 else DEALS
    want = play(match, deals, record="plays", workers=1)
    assert play(match, deals, record="plays", workers=2, chunk=chunk).digest == want.digest
    np.testing.assert_array_equal(want.plays, whole(match).plays[:deals])


@each_match
def test_ranges_of_deals_add_up_to_the_whole(match: str) -> None:
    cuts = [0, 1, 128, 129, 1000, 4097, 12_345, DEALS]
    parts = [play(match, end - first, first=first, record="plays") for first, end in pairwise(cuts)]
    np.testing.assert_array_equal(sum(part.counts for part in parts), whole(match).counts)
    np.testing.assert_array_equal(np.concatenate([part.codes for part in parts]), whole(match).codes)
    np.testing.assert_array_equal(np.concatenate([part.plays for part in parts]), whole(match).plays)


@each_match
def test_recording_changes_no_result(match: str) -> None:
    runs = {record: play(match, DEALS, record=record) for record in (False, "deals", "plays")}
    for run in runs.values():
        np.testing.assert_array_equal(run.counts, whole(match).counts)
    np.testing.assert_array_equal(runs["deals"].codes, whole(match).codes)
    assert [len(runs[False].codes), len(runs[False].plays), len(runs["deals"].plays)] == [0, 0, 0]


@each_match
@pytest.mark.parametrize("deals", [1, 2, 63, 64, 65, 127, 128, 129, 257, 1000])
def test_an_unfinished_block_counts_the_deals_asked_for(match: str, deals: int) -> None:
    run = play(match, deals, record="plays", first=3)
    in_counts = {"manille": 1, "manchego": 4}[run.game.family]
    assert run.counts.sum() == deals * in_counts
    assert run.outcomes["count"].sum() == deals * (3 if run.game.family == "manchego" else 1)
    assert [len(run.codes), len(run.plays), len(run.deals)] == [deals] * 3
    assert list(run.deals["deal"]) == list(range(3, 3 + deals))
    np.testing.assert_array_equal(run.plays, whole(match).plays[3 : 3 + deals])


@each_match
def test_other_seeds_give_other_results(match: str) -> None:
    digests = {play(match, 2000, seed=seed).digest for seed in (0, 1, 2, 1 << 32, 1 << 63, (1 << 64) - 1)}
    assert len(digests) == 6


@each_match
def test_memory_of_a_run_without_records_does_not_grow_with_its_length(match: str) -> None:
    def peak(deals: int) -> int:
        tracemalloc.start()
        try:
            play(match, deals, workers=1, chunk=8192)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    play(match, 1000, workers=1)
    # A few chunks may wait to be added up: how many depends on who is quicker, not on how many there are.
    waiting = 3 * trickbench.game(MATCHES[match][0]).face().cells * 8
    assert waiting < 2_000_000 * 4, "less than the smallest number a deal would take"
    assert peak(2_000_000) < peak(100_000) + waiting


# Another process, with an empty cache and blocks of another width.

WIDTH = 16 if LANES != 16 else 32


def agents_of(family: str) -> list[str]:
    """Return the built-in agents that answer something in a family of games."""
    from trickbench.registry import find, registered

    return [name for name, point in sorted(registered().items()) if point.module.startswith("trickbench_agents") and find(name).decisions(family)]


def report_of_a_process() -> None:
    """Print as JSON what a new process finds: digests, cache hits and misses, floats among the types of compiled code."""
    import gc

    from numba.core.dispatcher import Dispatcher

    digests = {match: play(match, 3001, record="plays").digest for match in MATCHES}
    for name in ("manillen", "manchego"):
        for agent in agents_of(trickbench.game(name).family):
            trickbench.simulate(trickbench.game(name), agent, 100)
    compiled = [found for found in gc.get_objects() if isinstance(found, Dispatcher)]
    report: dict[str, Any] = {"lanes": LANES, "digests": digests, "hits": 0, "misses": 0, "typed": [], "floats": []}
    for dispatcher in compiled:
        report["hits"] += sum(dispatcher.stats.cache_hits.values())
        report["misses"] += sum(dispatcher.stats.cache_misses.values())
        for overload in dispatcher.overloads.values():
            types = getattr(overload.type_annotation, "typemap", None)
            if types is not None:
                # Closures of one factory are told apart by a digest at the end of the name.
                name = re.sub("_[0-9a-f]{10}$", "", f"{dispatcher.py_func.__module__}:{dispatcher.py_func.__qualname__}")
                report["typed"].append(name)
                report["floats"] += [f"{name}: {variable} {kind}" for variable, kind in types.items() if is_inexact(str(kind))]
    sys.stdout.write(json.dumps(report))


def is_inexact(kind: str) -> bool:
    return "float" in kind or "complex" in kind


class Process(NamedTuple):
    """What a process reported, and the files in the cache when it ended."""

    report: dict[str, Any]
    files: dict[str, int]


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> list[Process]:
    """Run two processes one after the other on one cache that is empty at first."""
    folder = tmp_path_factory.mktemp("cache")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "TRICKBENCH_LANES": str(WIDTH)}
    command = [sys.executable, "-c", "from tests.test_engine import report_of_a_process; report_of_a_process()"]
    found = []
    for _ in range(2):
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        # Lock files are opened anew by every process.
        files = {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}
        found.append(Process(json.loads(done.stdout), files))
    return found


def test_blocks_of_another_width_give_the_same_bytes(processes: list[Process]) -> None:
    want = {match: play(match, 3001, record="plays").digest for match in MATCHES}
    for process in processes:
        assert process.report["lanes"] == WIDTH != LANES
        assert process.report["digests"] == want


def test_a_second_process_compiles_nothing(processes: list[Process]) -> None:
    first, second = processes
    assert first.report["misses"] > 50
    assert second.report["misses"] == 0
    assert second.report["hits"] > 50
    assert second.files == first.files
    assert any(name.endswith(".nbc") for name in first.files)


def test_no_compiled_function_has_a_float_among_its_types(processes: list[Process]) -> None:
    report = processes[0].report
    # That the list is whole: the order of play, its steps, the rules, and an agent of each game.
    wanted = {
        "trickbench.games.manille.drive:drive", "trickbench.games.manchego.drive:drive", "trickbench.games.manille.lanes:make_take.<locals>.take",
        "trickbench.games.manille.rules:legal", "trickbench.games.manchego.rules:legal", "trickbench.streams:words_at", "trickbench.bits:nth",
        "trickbench.wrapping:make_choose.<locals>.choose", "trickbench_agents.greedy:play_manille", "trickbench_agents.sure_tricks:bid",
    }  # fmt: skip
    assert wanted <= set(report["typed"])
    assert len(report["typed"]) > 150
    assert report["floats"] == []
    assert is_inexact("array(float32, 1d, C)")


KERNEL_FILES = (
    "bits.py", "narrow.py", "streams.py", "engine.py", "turnover.py", "games/rows.py", "games/manille/rules.py", "cards.py", "__init__.py",
)  # fmt: skip


@pytest.mark.parametrize("changed", KERNEL_FILES)
def test_a_change_to_what_compiled_code_depends_on_gives_a_new_cache(changed: str, tmp_path: Path) -> None:
    """Constants are frozen into compiled code: those of the packs, and the names of the calls in the agents, too."""
    shutil.copytree(ROOT / "trickbench", tmp_path / "trickbench", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-c", "from trickbench.jit import source_digest; print(source_digest())"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    digests = []
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        digests.append(done.stdout)
        with open(tmp_path / "trickbench" / changed, "a", encoding="utf-8") as source:
            source.write("\n# changed\n")
    assert digests[0] != digests[1]
