"""En face and doubling in rollouts of calls, and in the call book: against plain statements, known cases, and the engine's own deals."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickbench
from trickbench import AgentError, UsageError
from trickbench.agent import Agent
from trickbench.cards import MANILLE
from trickbench.games.manille import call_rollout as loop
from trickbench.games.manille import hands
from trickbench.games.manille import layout as at
from trickbench.games.manille.packed_calls import OWN, PASS, pack_calls, packed_call
from trickbench.storage import write_table
from trickbench.studies import call_book
from trickbench.studies.book import agreement, load_book, values, worth
from trickbench.studies.book_calls import best_calls, own_caller, read_calls, write_calls
from trickbench.studies.book_file import SCHEMA, digest_of, sum_columns, sums_of
from trickbench.studies.call_book import make_book
from trickbench.studies.rolling_calls import roll
from trickbench_agents.greedy import play_manille

from .twins import call_worlds

MANILLEN, FREE = trickbench.game("manillen"), trickbench.game("manille")
STRICT = trickbench.game("manillen", en_face="on")
EIGHT_TRUMPS, MASTERS = "ST SA SK SQ SJ S9 S8 S7", "ST HT DT CT SA HA DA CA"
SOME = ["SA SK S9 HT H7 DJ C9 C8", "ST SA SK HT HA HK DT CT", "SK SQ SJ HK HQ HJ D7 C8", EIGHT_TRUMPS]


def rank(text: str) -> int:
    return int(hands.ranks_of([MANILLE.set(text)])[0])


@trickbench.kernel
def mixed(view: Any) -> int:
    """Return a number that depends on all that can be seen in an auction."""
    said = view.dealer + 5 * view.caller + 25 * view.asked + 50 * view.call + 1600 * view.doubled + 3200 * view.redoubled
    rest = view.factor + 7 * view.carry + view.target + view.trump + view.played + view.led + view.best + view.position + view.trick + view.points_us
    return (view.hand ^ view.word) + 31 * said + 1009 * rest + view.cannot_left + view.card_left + view.score_us + 3 * view.legal


@trickbench.kernel
def nosy_call(view: Any) -> int:
    return 1 << (mixed(view) % 5)


@trickbench.kernel
def nosy_double(view: Any) -> int:
    return 2 if mixed(view) % 4 == 0 else 1


@trickbench.kernel
def nosy_redouble(view: Any) -> int:
    return 2 if mixed(view) % 3 == 0 else 1


@trickbench.kernel
def always(view: Any) -> int:
    return 2


@trickbench.kernel
def absent(view: Any) -> int:
    """Call the first suit of which the hand has no card."""
    suit = 4 if view.hand & 0xFF0000 == 0 else 8
    suit = 2 if view.hand & 0xFF00 == 0 else suit
    return 1 if view.hand & 0xFF == 0 else suit


NOSY = Agent("nosy", manille={"play": play_manille, "call": nosy_call, "double": nosy_double, "redouble": nosy_redouble}, uses_word=True)
BOLD = Agent("bold", manille={"double": always, "redouble": always}, uses_word=False)
TABLES = {
    "one for all": (NOSY, None),
    "the heuristic's calls and doubles": ("heuristic", None),
    "four and a caller": ([NOSY, "heuristic", "play=greedy,call=longest", NOSY], "heuristic"),
    "two sides": (["heuristic", NOSY], NOSY),
}


@pytest.mark.parametrize("doubling", [False, True], ids=["nobody doubles", "doubling"])
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("game", [FREE, STRICT, MANILLEN], ids=["manille", "manillen with en face", "manillen"])
def test_sums_are_those_of_worlds_asked_by_a_plain_statement(game: Any, table: str, doubling: bool) -> None:
    """Every answer depends on all that the seat sees, and on its word: hands, the call as this world names it, who asks."""
    players, caller = TABLES[table]
    count, some = 24, list(map(rank, SOME))
    found = roll(game, some, players, count, seed=3, partners_call=caller, doubling=doubling)
    for number, sums in zip(some, found, strict=True):
        outcomes = call_worlds.played(game, number, 3, count, players, caller, doubling)
        assert sums[0].tolist() == call_worlds.summed(number, outcomes[:, : count // 2])
        assert sums[1].tolist() == call_worlds.summed(number, outcomes[:, count // 2 :])
    assert found[:, :, loop.REDOUBLED :].any() == doubling
    assert found[:, :, loop.SQUARES + loop.EN_FACE].any() == (game is not MANILLEN)


def test_own_calls_are_the_same_whether_en_face_is_played_or_not() -> None:
    some = np.random.default_rng(2).choice(hands.COUNT, 30, replace=False)
    with_it, without = (roll(trickbench.game("manille", en_face=way), some, rollouts=66, seed=9) for way in ("on", "off"))
    columns = [loop.NET + 6 * quantity + call for quantity in range(5) for call in range(5)]
    columns += [loop.PRODUCTS + place for place, (_, b) in enumerate(loop.PAIRS) if b < loop.EN_FACE]
    assert (with_it[:, :, columns] == without[:, :, columns]).all()
    others = [place for place in range(loop.SUM_COUNT) if place not in columns]
    assert not without[:, :, others].any()


def test_a_partner_who_calls_no_trump_makes_en_face_no_trump() -> None:
    some = np.random.default_rng(3).choice(hands.COUNT, 20, replace=False)
    sums = roll(FREE, some, rollouts=64, seed=2, partners_call="no-trump")
    for first in (loop.NET, loop.SQUARES, loop.WINS, loop.TIES, loop.CAPOTS):
        assert (sums[..., first + loop.EN_FACE] == sums[..., first + 4]).all()
    assert (sums[..., loop.PRODUCTS + loop.PAIRS.index((4, loop.EN_FACE))] == sums[..., loop.SQUARES + 4]).all()


def test_the_eight_cards_of_a_suit_are_a_capot_if_the_partner_calls_them() -> None:
    """The partner has none of them. It has none of a given other suit in C(16, 8) / C(24, 8) = 1.75 % of worlds, and then may call that one."""
    caller = Agent("absent", manille={"call": absent}, uses_word=False)
    for game, points in ((FREE, 30), (STRICT, 60)):  # a capot doubles in Manillen
        sums = roll(game, [rank(EIGHT_TRUMPS)], rollouts=480, partners_call=caller)[0].sum(axis=0)
        table = values(sums, 480).set_index("call")
        assert table.loc["S", ["mean", "se", "win", "capot", "best"]].tolist() == [points, 0, 1, 1, True]
        assert 0.95 < table.loc["EN_FACE", "capot"] < 1
        assert sums[loop.NET + loop.EN_FACE] >= points * sums[loop.CAPOTS + loop.EN_FACE] - 60 * (480 - sums[loop.CAPOTS + loop.EN_FACE])
    # A partner who calls what it has most of never calls them.
    longest = values(roll(FREE, [rank(EIGHT_TRUMPS)], rollouts=200, partners_call="longest")[0].sum(axis=0), 200).set_index("call")
    assert longest.loc["EN_FACE", "mean"] < 0
    assert longest.loc["EN_FACE", "capot"] == 0


def test_all_tens_and_aces_are_not_passed_on_and_doubles_multiply() -> None:
    """At no-trump they are 30 points over half, twice for no-trump; in Manillen twice for the capot; doubled and redoubled four times that."""
    number = rank(MASTERS)
    for game, points in ((FREE, 60), (STRICT, 120), (MANILLEN, 120)):
        plain, doubled = (
            roll(game, [number], ["heuristic", BOLD] if doubling else "heuristic", 64, partners_call="heuristic", doubling=doubling)[0].sum(axis=0)
            for doubling in (False, True)
        )
        assert (plain[loop.NET + 4], plain[loop.DOUBLED + 4]) == (64 * points, 0)
        assert doubled[loop.DOUBLED + 4] == 64
        redoubled = doubled[loop.REDOUBLED + 4]
        assert doubled[loop.NET + 4] == 2 * points * (64 + redoubled)
        assert redoubled == 64  # eight masters are worth 2 * 8 + 36 points to the heuristic, enough to redouble
        assert values(plain, 64).set_index("call").loc["NT", "best"]


def test_who_may_not_be_asked_is_not_asked() -> None:
    some = [rank(text) for text in SOME]
    nobody = trickbench.game("manillen", doubling="off")
    assert (roll(nobody, some, BOLD, 8, doubling=True) == roll(nobody, some, BOLD, 8)).all()
    plain_python = Agent("plain", manille={"play": play_manille, "call": lambda view: 1, "double": lambda view: 1}, uses_word=False)
    roll(MANILLEN, some, plain_python, 8)
    roll(FREE, some, plain_python, 8, partners_call="longest")
    with pytest.raises(UsageError, match="'plain' answers 'call' as a function of Python; players of rollouts have to be compiled: mark"):
        roll(FREE, some, plain_python, 8)
    with pytest.raises(UsageError, match="'plain' answers 'double'"):
        roll(MANILLEN, some, plain_python, 8, doubling=True)
    with pytest.raises(UsageError, match="unknown agent 'longst'"):
        roll(FREE, some, partners_call="longst")


@trickbench.kernel
def crooked(view: Any) -> int:
    """Pass it on again."""
    return trickbench.EN_FACE


def test_an_illegal_answer_is_told_with_the_hand() -> None:
    with pytest.raises(AgentError, match=r"an illegal answer in the auction in a rollout of the hands ST SA"):
        roll(FREE, [rank(EIGHT_TRUMPS)], rollouts=4, partners_call=Agent("crooked", manille={"call": crooked}, uses_word=False))


def test_sums_do_not_depend_on_order_pieces_and_threads() -> None:
    some = np.random.default_rng(2).choice(hands.COUNT, 40, replace=False)
    once = roll(FREE, some, NOSY, 66, seed=9, workers=1, doubling=True)
    assert (roll(FREE, some[::-1], NOSY, 66, seed=9, workers=3, doubling=True)[::-1] == once).all()
    assert (np.concatenate([roll(FREE, [number], NOSY, 66, seed=9, doubling=True) for number in some[:9]]) == once[:9]).all()


# The book


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a book of Manille of two worlds a hand."""
    path = tmp_path_factory.mktemp("book") / "calls.parquet"
    make_book("manille", rollouts=2, seed=4, out=path, workers=2)
    return path


def test_a_book_of_manille_values_en_face_with_its_own_calls(small: Path) -> None:
    book = load_book(small)
    assert list(book.table) == ["hand", "weight", *sum_columns(("C", "D", "H", "S", "NT", "EN_FACE"))]
    assert book.calls == ("C", "D", "H", "S", "NT", "EN_FACE")
    assert book.metadata["schema"] == SCHEMA
    some = np.random.default_rng(1).choice(hands.COUNT, 500, replace=False)
    first = roll(trickbench.game("manille", en_face="off"), np.arange(hands.COUNT), rollouts=2, seed=4)
    own = first[:, :, loop.NET : loop.NET + 5].sum(axis=1).argmax(axis=1)
    assert (book.best_own == own).all()
    again = roll(FREE, some, rollouts=2, seed=4, partners_call=own_caller(own))
    assert (book.sums[some] == again[:, :, : loop.DOUBLED]).all()
    nets = again[:, :, loop.NET : loop.NET + 6].sum(axis=1)
    assert (book.best[some] == nets.argmax(axis=1)).all()
    calls = best_calls(small)
    assert (calls & OWN == own).all()
    assert ((calls & PASS != 0) == (book.best == loop.EN_FACE)).all()
    table = book.value(SOME[0]).set_index("call")
    assert list(table.index) == ["C", "D", "H", "S", "NT", "EN_FACE"]
    assert book.best_call(SOME[0]) == table.index[table["best"]][0]
    passed = hands.hands_of(np.flatnonzero(book.best == loop.EN_FACE)[:1])[0]
    assert book.best_call(int(passed)) == "EN_FACE"
    assert 0 < agreement(book.sums, book.weights) < 1
    assert worth(book.sums, book.weights, 2) > -10


def test_a_book_stopped_in_both_passes_goes_on_and_is_the_same(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, written = call_book.write_part, []

    def writing(place: Path, table: Any) -> None:
        write(place, table)
        written.append(place)
        if len(written) in (15, 45):
            raise KeyboardInterrupt

    path, folder = tmp_path / "calls.parquet", tmp_path / "calls.parquet.parts"
    with monkeypatch.context() as patch:
        patch.setattr(call_book, "write_part", writing)
        for parts in (15, 45):
            with pytest.raises(KeyboardInterrupt):
                make_book("manille", rollouts=2, seed=4, out=path, workers=1, resume=True)
            assert len(list(folder.glob("*.parquet"))) == parts
    (folder / "own-0003.parquet").write_bytes(b"damaged")
    (folder / "part-0004.parquet").write_bytes(b"damaged")
    make_book("manille", rollouts=2, seed=4, out=path, workers=1, resume=True)
    assert path.read_bytes() == small.read_bytes()
    assert not folder.exists()


def test_a_book_of_the_first_schema_is_read_as_having_no_en_face(small: Path, tmp_path: Path) -> None:
    book = load_book(small)
    table = book.table[["hand", "weight", *sum_columns()]]
    write_table(tmp_path / "old.parquet", table, book.metadata | {"schema": 1, "digest": digest_of(table)})
    old = load_book(tmp_path / "old.parquet")
    assert old.calls == ("C", "D", "H", "S", "NT")
    assert (old.best == book.best_own).all()
    assert list(old.value(SOME[0])["call"]) == ["C", "D", "H", "S", "NT"]
    assert not (best_calls(tmp_path / "old.parquet") & PASS).any()
    assert (sums_of(table)[:, :, : loop.NET + 5] == book.sums[:, :, : loop.NET + 5]).all()


# The agent


def test_a_pass_stands_beside_the_own_call_in_the_pack() -> None:
    draw = np.random.default_rng(4)
    first, second = draw.integers(0, 5, hands.COUNT), draw.integers(0, 5, hands.COUNT) + PASS * draw.integers(0, 2, hands.COUNT)
    table = pack_calls(first, second)
    for number in draw.choice(hands.COUNT, 300):
        hand = int(hands.hands_of([number])[0])
        own = hands.call_bit(hand, int(second[number]) & OWN)
        assert packed_call(hand, table) == packed_call(hand, table, 1) == hands.call_bit(hand, int(first[number]))
        assert packed_call(hand, table, 0, 1) == own
        assert packed_call(hand, table, 1, 1) == (1 << at.EN_FACE if second[number] & PASS else own)


def test_the_agent_says_en_face_where_its_book_does(small: Path, tmp_path: Path) -> None:
    book = load_book(small)
    run = trickbench.simulate(FREE, f"play=heuristic,call=book:path={small}", 400, seed=2, record="plays").deals
    passed = run.apply(lambda deal: book.best[hands.ranks_of([deal[f"hand_{deal.dealer}"]])[0]] == loop.EN_FACE, axis=1)
    assert (run["en_face"] == passed).all()
    assert 0.05 < passed.mean() < 0.8
    for deal in run.itertuples():
        hand = int(getattr(deal, f"hand_{(deal.dealer + 2 * deal.en_face) % 4}"))
        bit = hands.call_bit(hand, int(book.best_own[hands.ranks_of([hand])[0]]))
        assert deal.call == ("C", "D", "H", "S", "NT")[bit.bit_length() - 1]
    write_calls(tmp_path / "calls.xz", book)
    assert (read_calls(tmp_path / "calls.xz")[0] == best_calls(small)).all()


@pytest.mark.parametrize("profile", ["manillen", "manille"])
def test_the_agent_is_legal_whatever_the_options(profile: str) -> None:
    """An illegal answer would end the run."""
    for faced, blind, doubling in product(("on", "off"), repeat=3):
        game = trickbench.game(profile, en_face=faced, blind_no_trump=blind, doubling=doubling)
        deals = trickbench.simulate(game, "play=random,call=book,double=threshold,redouble=threshold", 1500, seed=3, record="deals").deals
        assert deals["en_face"].any() == (faced == "on")
        assert not deals["blind"].any()
        assert len(set(deals["call"])) == 5


def test_the_books_that_the_package_brings_say_what_they_are() -> None:
    import trickbench_agents

    folder = Path(next(iter(trickbench_agents.__path__)))
    for name, game in (("book.xz", "manillen"), ("book-manille.xz", "manille")):
        assert (folder / name).stat().st_size < 60_000
        calls, metadata = read_calls(folder / name)
        assert (metadata["configuration"]["game"], metadata["configuration"]["rollouts"]) == (game, 1024)
        assert (calls & PASS).any() == (game == "manille")
        assert np.bincount(calls & OWN, minlength=5).min() > 0


def test_the_worth_of_a_book_is_what_its_agent_scores_as_dealer_with_en_face() -> None:
    """Deals that are dealt, passed on and played by the engine, against the rollouts' expectation of the calls the agent brings."""
    import trickbench_agents

    calls = read_calls(Path(next(iter(trickbench_agents.__path__))) / "book-manille.xz")[0]
    ranks = np.random.default_rng(6).choice(hands.COUNT, 3000, p=hands.orbit_sizes(hands.hands_of(np.arange(hands.COUNT))) / hands.ALL_HANDS)
    sums = roll(FREE, ranks, rollouts=64, seed=12, partners_call="book").sum(axis=1)
    said = np.where(calls[ranks] & PASS, loop.EN_FACE, calls[ranks] & OWN)
    each = sums[np.arange(len(ranks)), loop.NET + said] / 64
    deals = trickbench.simulate(FREE, "play=heuristic,call=book", 300_000, seed=12, record="deals").deals
    net = deals["net_0"] * (1 - 2 * (deals["dealer"] % 2))
    error = np.hypot(each.std() / np.sqrt(len(each)), net.std() / np.sqrt(len(net)))
    assert abs(each.mean() - net.mean()) < 4 * error
