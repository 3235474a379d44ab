"""The call book: its worlds and sums against plain statements, its file, what it says, and the agent that calls by it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

import trickbench
from trickbench import AgentError, RunError, UsageError
from trickbench.agent import Agent
from trickbench.cards import CALLS, MANILLE
from trickbench.engine import aligned
from trickbench.games.manille import call_rollout as loop
from trickbench.games.manille import hands
from trickbench.games.manille.packed_calls import OWN
from trickbench.games.rows import LANES
from trickbench.storage import write_table
from trickbench.studies.book import agreement, half_regret, load_book, regret, values, worth
from trickbench.studies.book_calls import best_calls, read_calls, write_calls
from trickbench.studies.book_file import sum_columns, sums_table
from trickbench.studies.call_book import CONFIGURATION, make_book
from trickbench.studies.rolling_calls import Roller, roll, roll_table

from .twins import call_worlds

MANILLEN, FREE = trickbench.game("manillen"), trickbench.game("manille")
EIGHT_TRUMPS = "ST SA SK SQ SJ S9 S8 S7"
ORDERS = list(permutations(range(4)))
SOME = ["SA SK S9 HT H7 DJ C9 C8", "ST SA SK HT HA HK DT CT", "SK SQ SJ HK HQ HJ D7 C8", EIGHT_TRUMPS]


def rank(text: str) -> int:
    return int(hands.ranks_of([MANILLE.set(text)])[0])


@pytest.mark.parametrize("text", SOME)
@pytest.mark.parametrize(("game", "policy"), [(MANILLEN, "heuristic"), (FREE, ["heuristic", "greedy"])], ids=["manillen", "manille"])
def test_sums_are_those_of_worlds_stated_plainly(game: Any, policy: Any, text: str) -> None:
    number, count = rank(text), 40
    outcomes = call_worlds.played(game, number, 3, count, policy)
    (sums,) = roll(game, [number], policy, count, seed=3)
    assert sums[0].tolist() == call_worlds.summed(number, outcomes[:, : count // 2])
    assert sums[1].tolist() == call_worlds.summed(number, outcomes[:, count // 2 :])


def test_new_names_are_the_24_orders() -> None:
    assert sorted(loop.new_names(number) for number in range(24)) == ORDERS


def test_worlds_in_lanes_are_uniform() -> None:
    """Every order of names, every seat for every card, and every seat for both of two cards, as often as the others."""
    lanes, notes = aligned(loop.at.SIZE, np.uint32), np.zeros(loop.NOTES, np.int64)
    number = rank(SOME[0])
    form, count = hands.hands_of([number]).astype(np.int64), 300 * LANES
    orders, seats, pairs = np.zeros(24), np.zeros((24, 3)), np.zeros(2)
    for first in range(0, count, LANES):
        loop.take_worlds(lanes, notes, 8, form, np.array([number]), first, count, count)
        loop.deal_others(lanes, 8)
        dealt = lanes[loop.at.DEALT : loop.at.DEALT + 4 * LANES].reshape(4, LANES)
        assert (np.bitwise_count(dealt) == 8).all()
        assert (np.bitwise_or.reduce(dealt) == 0xFFFFFFFF).all()
        names = notes[loop.NAME_NOTE : loop.NAME_NOTE + 4 * LANES].reshape(4, LANES)
        orders += np.bincount([ORDERS.index(order) for order in zip(*names.tolist(), strict=True)], minlength=24)
        back = [sum((dealt.astype(np.int64) >> 8 * names[suit] & 0xFF) << 8 * suit for suit in range(4))]
        assert (back[0][0] == form[0]).all()
        others = [card for card in range(32) if not int(form[0]) >> card & 1]
        for place, card in enumerate(others):
            seats[place] += (back[0][1:] >> card & 1).sum(axis=1)
        low, high = others[0], others[-1]
        same = ((back[0][1:] >> low & 1) & (back[0][1:] >> high & 1)).sum()
        pairs += [same, LANES - same]
    assert chisquare(orders).pvalue > 1e-6
    # Three seats and 24 cards: chi-square with the covariance of draws without replacement, (24 - 1) / 24 of the independent one, is close enough.
    assert chisquare(seats.reshape(-1)).pvalue > 1e-6
    assert chisquare(pairs, [count * 7 / 23, count * 16 / 23]).pvalue > 1e-6


def test_sums_do_not_depend_on_order_pieces_and_threads() -> None:
    some = np.random.default_rng(2).choice(hands.COUNT, 40, replace=False)
    once = roll(MANILLEN, some, "heuristic", 66, seed=9, workers=1)
    assert (roll(MANILLEN, some[::-1], "heuristic", 66, seed=9, workers=3)[::-1] == once).all()
    assert (np.concatenate([roll(MANILLEN, [number], "heuristic", 66, seed=9) for number in some]) == once).all()
    more = roll(MANILLEN, some, "heuristic", 132, seed=9)
    assert (more[:, 0] == once.sum(axis=1)).all()
    assert (roll(MANILLEN, some, "heuristic", 66, seed=10) != once).any()


def test_a_policy_at_random_draws_anew_in_every_world() -> None:
    (sums,) = roll(MANILLEN, [rank(SOME[0])], "random", 400, seed=1)
    again = roll(MANILLEN, [rank(SOME[0])], "random", 400, seed=1)[0]
    assert (sums == again).all()
    table = values(sums.sum(axis=0), 400)
    assert (table["se"] > 0.1).all()


def test_eight_trumps_are_a_capot_and_all_masters_are_one_at_no_trump() -> None:
    (sums,) = roll(MANILLEN, [rank(EIGHT_TRUMPS)], rollouts=200)
    table = values(sums.sum(axis=0), 200).set_index("call")
    assert table.loc["S", ["mean", "se", "win", "tie", "capot"]].tolist() == [60, 0, 1, 0, 1]  # 30 points over, twice
    assert table.loc["S", "best"]
    assert table.loc["C"].equals(table.loc["D"].rename("C"))
    (sums,) = roll(MANILLEN, [rank("ST HT DT CT SA HA DA CA")], rollouts=200)
    table = values(sums.sum(axis=0), 200).set_index("call")
    assert table.loc["NT", ["mean", "se", "win", "capot"]].tolist() == [120, 0, 1, 1]


def test_differences_of_calls_are_taken_world_by_world() -> None:
    number, count = rank(SOME[0]), 40
    net = call_worlds.played(MANILLEN, number, 3, count, "heuristic")[0]
    table = values(roll(MANILLEN, [number], "heuristic", count, seed=3)[0].sum(axis=0), count)
    best = int(net.sum(axis=0).argmax())
    assert table["mean"].to_numpy() == pytest.approx(net.mean(axis=0))
    assert table["se"].to_numpy() == pytest.approx(net.std(axis=0, ddof=1) / np.sqrt(count))
    differences = net[:, [best]] - net
    assert table["behind"].to_numpy() == pytest.approx(differences.mean(axis=0))
    assert table["behind_se"].to_numpy() == pytest.approx(differences.std(axis=0, ddof=1) / np.sqrt(count))
    assert table["sure"].between(0.5, 1).all()
    assert table.loc[best, "sure"] == table["sure"].min()


@pytest.mark.slow
@pytest.mark.parametrize(("game", "calls"), [(MANILLEN, 5), (FREE, 6)], ids=["manillen", "manille"])
def test_renaming_suits_changes_no_value_beyond_sampling_error(game: Any, calls: int) -> None:
    """Hands with their masks in another order, which the loop takes as they come, give the same values: en face too."""
    some, count = np.random.default_rng(8).choice(hands.COUNT, 40, replace=False), 1 << 13
    masks = hands.suit_masks(hands.hands_of(some))
    roller = Roller(roll_table(game, "heuristic"), 5, threading.Event())
    found = []
    for turn, order in enumerate([(0, 1, 2, 3), (3, 2, 1, 0), (2, 3, 0, 1)]):
        renamed = sum(masks[:, suit] << 8 * place for place, suit in enumerate(order))
        sums = roller.roll_hands(renamed, some + (turn << 19), count).sum(axis=1)
        back = [*np.argsort(order), *range(4, calls)]
        mean = sums[:, loop.NET : loop.NET + calls] / count
        found.append((mean[:, back], (sums[:, loop.SQUARES : loop.SQUARES + calls] / count - mean**2)[:, back] / count))
    for mean, variance in found[1:]:
        z = (mean - found[0][0]) / np.sqrt(np.maximum(variance + found[0][1], 1e-9))
        assert abs(z).max() < 5
        assert 0.7 < (z**2).mean() < 1.3


# The file


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a book of two worlds a hand."""
    path = tmp_path_factory.mktemp("book") / "calls.parquet"
    made = make_book(rollouts=2, seed=4, out=path, workers=2)
    assert made.digest == load_book(path).digest
    return path


def test_a_book_is_one_file_with_all_that_made_it(small: Path) -> None:
    book = load_book(small)
    assert [path.name for path in small.parent.iterdir()] == ["calls.parquet"]
    assert list(book.table) == ["hand", "weight", *sum_columns()]
    assert len(book.table) == hands.COUNT
    assert book.weights.sum() == hands.ALL_HANDS
    assert book.configuration["rule undertrump"] == "forbidden"
    assert book.configuration["players"] == ["heuristic"] * 4
    assert (book.configuration["rollouts"], book.configuration["seed"]) == (2, 4)
    assert book.configuration["version of trickbench"] == trickbench.__version__
    assert "manillen, cards played by heuristic, 2 worlds a hand, seed 4" in repr(book)
    some = np.array([0, 5, 8191, 8192, 300_000, hands.COUNT - 1])
    assert (book.sums[some] == roll(MANILLEN, some, rollouts=2, seed=4)[:, :, : loop.DOUBLED]).all()
    assert best_calls(small).tolist() == book.best.tolist()


def test_what_a_book_says_is_in_the_hands_own_suits(small: Path) -> None:
    book = load_book(small)
    held = [MANILLE.set(SOME[0]) >> 8 * suit & 0xFF for suit in range(4)]
    first = book.value(SOME[0]).set_index("call")
    assert list(first.index) == list(CALLS)
    for order in ORDERS:
        hand = sum(held[suit] << 8 * place for place, suit in enumerate(order))
        table = book.value(hand).set_index("call")
        for place, suit in enumerate(order):
            assert table.loc[CALLS[place]].equals(first.loc[CALLS[suit]].rename(CALLS[place]))
        assert book.best_call(hand) == table.index[table["best"]][0]
    with pytest.raises(UsageError, match="has 7"):
        book.value("SA SK S9 HT H7 DJ C9")


def test_a_book_is_not_overwritten_and_not_taken_for_another_thing(small: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"exists, and results are never overwritten"):
        make_book(rollouts=2, out=small)
    with pytest.raises(UsageError, match="no file"):
        load_book(tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("text")
    with pytest.raises(RunError, match="cannot be read as a call book"):
        load_book(tmp_path / "text.parquet")
    damaged = bytearray(small.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    (tmp_path / "damaged.parquet").write_bytes(damaged)
    with pytest.raises(RunError, match="cannot be read as a call book"):
        load_book(tmp_path / "damaged.parquet")


class Enough(Exception):
    """Stops a book in the middle."""


def stopped_book(path: Path, monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    """Begin a book and stop after some parts."""
    from trickbench.studies import call_book

    write, written = call_book.write_part, []

    def writing(place: Path, table: Any) -> None:
        write(place, table)
        written.append(place)
        if len(written) == parts:
            raise Enough

    with monkeypatch.context() as patch:
        patch.setattr(call_book, "write_part", writing)
        with pytest.raises(Enough):
            make_book(rollouts=2, seed=4, out=path)


def test_a_stopped_book_goes_on_and_is_the_same(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "calls.parquet"
    stopped_book(path, monkeypatch, 15)
    folder = tmp_path / "calls.parquet.parts"
    assert len(list(folder.glob("part-*.parquet"))) == 15
    with pytest.raises(UsageError, match="resume=True goes on with it"):
        make_book(rollouts=2, seed=4, out=path)
    with pytest.raises(UsageError, match=r"holds parts of another book.*rollouts: 2, now 4; seed: 4, now 5"):
        make_book(rollouts=4, seed=5, out=path, resume=True)
    with pytest.raises(UsageError, match="players: heuristic, heuristic, heuristic, heuristic, now greedy"):
        make_book(players="greedy", rollouts=2, seed=4, out=path, resume=True)
    (folder / "part-0003.parquet").write_bytes(b"damaged")
    (folder / "part-0004.parquet").write_bytes((folder / "part-0005.parquet").read_bytes())
    assert make_book(rollouts=2, seed=4, out=path, resume=True).digest == load_book(small).digest
    assert path.read_bytes() == small.read_bytes()
    assert not folder.exists()


def test_ctrl_c_is_seen_within_a_second_and_leaves_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "calls.parquet"
    code = f"from trickbench.studies.call_book import make_book; print('go', flush=True); make_book(rollouts=4096, out={str(path)!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    folder = tmp_path / "calls.parquet.parts"
    deadline = time.monotonic() + 60
    while not (folder / CONFIGURATION).exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    process.communicate(timeout=20)
    assert time.monotonic() - sent < 5  # a second when nothing else runs
    assert json.loads((folder / CONFIGURATION).read_text())["rollouts"] == 4096
    assert not path.exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"rollouts": 3}, "rollouts cannot be '3'; an even whole number from 2"),
        ({"rollouts": 0}, "rollouts cannot be '0'"),
        ({"game": "manchego"}, "manchego has no trump calls"),
        ({"players": lambda view: view.legal}, "have to be compiled"),
        ({"players": ["heuristic"] * 3}, "1 or 2 or 4 agents"),
        ({"seed": -1}, "seed cannot be '-1'"),
        ({"workers": 0}, "workers cannot be '0'"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        make_book(**{"rollouts": 2, "out": tmp_path / "calls.parquet"} | options)
    assert not list(tmp_path.iterdir())


@trickbench.kernel
def crooked(view: Any) -> int:
    """Play no card at all."""
    return view.legal & 0


def test_an_illegal_card_is_told_with_the_hands() -> None:
    with pytest.raises(AgentError, match=r"agents \['crooked'\]: an illegal card in a rollout of the hands ST SA"):
        roll(MANILLEN, [rank(EIGHT_TRUMPS)], Agent("crooked", manille={"play": crooked}), 4)


# Repeatability


def test_agreement_and_regret_of_sums_made_by_hand() -> None:
    sums = np.zeros((3, 2, loop.SUM_COUNT), np.int64)
    sums[0, :, 2] = 100, 60  # both halves say call 2
    sums[1, 0, :2], sums[1, 1, :2] = (50, 40), (10, 30)  # they differ
    sums[2, :, 4] = 10
    weights = np.array([1, 2, 1])
    assert agreement(sums, weights) == 0.5
    first, second = half_regret(sums, weights, 20)
    assert first == pytest.approx(2 * 20 / 4 / 10)
    assert second == pytest.approx(2 * 10 / 4 / 10)
    assert worth(sums, weights, 20) == pytest.approx((1 * 160 + 2 * (10 + 40) + 1 * 20) / 4 / 20)
    means = np.array([[1.0, 2, 3, 4, 5]] * 3)
    assert regret(np.array([4, 3, 0]), means, weights) == pytest.approx((0 + 2 * 1 + 4) / 4)


def test_the_worth_of_a_book_is_what_its_agent_scores_as_dealer() -> None:
    """A deal that is dealt and played by the engine, the calls looked up by the agent, against the book's own expectation."""
    ranks = np.random.default_rng(6).choice(hands.COUNT, 3000, p=hands.orbit_sizes(hands.hands_of(np.arange(hands.COUNT))) / hands.ALL_HANDS)
    calls = read_calls(Path(trickbench_agents_folder()) / "book.xz")[0][ranks]
    sums = roll(MANILLEN, ranks, rollouts=64, seed=12).sum(axis=1)
    each = sums[np.arange(len(ranks)), calls] / 64
    deals = trickbench.simulate(MANILLEN, "play=heuristic,call=book", 300_000, seed=12, record="deals").deals
    net = deals["net_0"] * (1 - 2 * (deals["dealer"] % 2))
    error = np.hypot(each.std() / np.sqrt(len(each)), net.std() / np.sqrt(len(net)))
    assert abs(each.mean() - net.mean()) < 4 * error


def trickbench_agents_folder() -> Path:
    import trickbench_agents

    return Path(next(iter(trickbench_agents.__path__)))


# The agent


def test_the_agent_calls_what_its_book_says(small: Path, tmp_path: Path) -> None:
    book = load_book(small)
    run = trickbench.simulate(MANILLEN, f"play=heuristic,call=book:path={small}", 300, seed=2, record="plays")
    for deal in run.deals.itertuples():
        hand = int(getattr(deal, f"hand_{deal.dealer}"))
        held = [hand >> 8 * suit & 0xFF for suit in range(4)]
        said, best = str(deal.call), book.best_call(hand)
        same = said == best or (said != "NT" and best != "NT" and held[CALLS.index(said)] == held[CALLS.index(best)])
        assert same, (MANILLE.text(hand), said, best)
    write_calls(tmp_path / "calls.xz", book)
    assert read_calls(tmp_path / "calls.xz")[0].tolist() == book.best.tolist()
    assert read_calls(tmp_path / "calls.xz")[1]["digest"] == book.digest


def test_the_book_that_the_package_brings_is_small_and_says_what_it_is() -> None:
    path = trickbench_agents_folder() / "book.xz"
    assert path.stat().st_size < 60_000
    calls, metadata = read_calls(path)
    assert metadata["configuration"]["rollouts"] == 1024
    assert metadata["configuration"]["game"] == "manillen"
    assert np.bincount(calls, minlength=5).min() > 0
    # Drawn anew, other worlds say the same of nine deals in ten.
    some = np.random.default_rng(3).choice(hands.COUNT, 400, replace=False)
    other = roll(MANILLEN, some, rollouts=1024, seed=99).sum(axis=1)[:, :5].argmax(axis=1)
    assert (other == calls[some]).mean() > 0.85


def test_another_book_under_the_same_name_is_read_again(small: Path, tmp_path: Path) -> None:
    def calls() -> set[str]:
        run = trickbench.simulate(MANILLEN, f"play=random,call=book:path={path}", 100, record="deals")
        return set(run.deals["call"].astype(str))

    path = tmp_path / "calls.parquet"
    path.write_bytes(small.read_bytes())
    assert len(calls()) == 5
    always = np.zeros((hands.COUNT, 2, loop.SUM_COUNT), np.int64)
    always[:, :, loop.NET + 4] = 1
    path.unlink()
    write_table(path, sums_table(np.arange(hands.COUNT), always, 2), load_book(small).metadata)
    assert calls() == {"NT"}


def test_a_book_that_is_not_there_is_told_before_a_deal_is_played(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no file '.*none\.parquet'; a call book"):
        trickbench.simulate(MANILLEN, f"play=random,call=book:path={tmp_path}/none.parquet", 10)
    with pytest.raises(UsageError, match="parameter 'path' is empty"):
        trickbench.simulate(MANILLEN, "play=random,call=book:path=", 10)


def test_the_agent_looks_first_and_answers_its_partner() -> None:
    game = trickbench.game("manille", blind_no_trump="on")
    alone = trickbench.simulate(game, "play=random,call=book", 2000, seed=3, record="deals").deals
    assert not alone["blind"].any()
    # Seats 0 and 2 pass to partners who call by the book.
    table = ["play=random,call=heuristic", "random", "play=random,call=book", "random"]
    passed = trickbench.simulate(game, table, 4000, seed=3, record="plays").deals
    passed = passed[(passed["dealer"] == 0) & passed["en_face"]]
    assert len(passed) > 50
    calls = read_calls(trickbench_agents_folder() / "book-manille.xz")[0] & OWN
    for deal in passed.itertuples():
        bit = hands.call_bit(int(deal.hand_2), int(calls[hands.ranks_of([deal.hand_2])[0]]))
        assert CALLS[bit.bit_length() - 1] == str(deal.call)

