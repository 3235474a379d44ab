"""What a call book says, in tables, words and figures, against plain counts over hands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from trickbench import UsageError
from trickbench.cards import CALLS, MANILLE
from trickbench.games.manille import hands
from trickbench.games.manille.call_sums import CALL_NAMES, EN_FACE, PAIRS, PRODUCTS, SQUARES, SUM_COUNT
from trickbench.games.manille.rules import points
from trickbench.plotting.book import KINDS, kinds_of, plot_book
from trickbench.storage import write_table
from trickbench.studies.book import Book
from trickbench.studies.book_file import SCHEMA, digest_of, sums_table
from trickbench.studies.book_reading import (
    best_kinds,
    calls_record,
    calls_report,
    card_worth,
    en_face_gain,
    en_face_share,
    margins,
    no_trump_share,
    read_book,
    read_hand_of,
    rule_worth,
    suit_worth,
    suits_of,
)

FORMS = hands.hands_of(np.arange(hands.COUNT))
MASKS = hands.suit_masks(FORMS)
LENGTHS = np.bitwise_count(MASKS).astype(np.int64)
TENS = MASKS >> 7 & 1


def known(calls: tuple[str, ...]) -> Book:
    """Return a book of these values: a suit is worth 3 a card and 4 for its ten, less 10; no-trump 5 a ten, less 6; en face 2 less 2 a ten."""
    worth = np.zeros((hands.COUNT, 2, SUM_COUNT), np.int64)
    worth[:, :, :4] = (3 * LENGTHS + 4 * TENS - 10)[:, None]
    worth[:, :, 4] = (5 * TENS.sum(axis=1) - 6)[:, None]
    worth[:, :, EN_FACE] = (2 - 2 * TENS.sum(axis=1))[:, None]
    worth[:, :, SQUARES : SQUARES + 6] = worth[:, :, :6] ** 2
    for place, (a, b) in enumerate(PAIRS):
        worth[:, :, PRODUCTS + place] = worth[:, :, a] * worth[:, :, b]
    table = sums_table(np.arange(hands.COUNT), worth, 2, calls)
    made = {"game": "manille" if "EN_FACE" in calls else "manillen", "players": ["heuristic"] * 4, "rollouts": 2, "seed": 0}
    return Book(table, {"schema": SCHEMA, "digest": digest_of(table), "configuration": made})


@pytest.fixture(scope="module")
def book() -> Book:
    """Return the book of a game without en face."""
    return known(CALLS)


@pytest.fixture(scope="module")
def faced() -> Book:
    """Return the book of a game with it."""
    return known(CALL_NAMES)


def test_suits_are_what_they_are(book: Book) -> None:
    found = suits_of(book)
    assert (found.length == LENGTHS).all()
    for place in range(0, hands.COUNT, 9973):
        for suit in range(4):
            cards = int(MASKS[place, suit]) << 8 * suit
            assert found.points[place, suit] == points(cards)
            text = f"{MASKS[place, suit]:08b}"
            assert found.masters[place, suit] == len(text) - len(text.lstrip("1"))


def test_the_worth_of_suits_is_weighted_by_how_many_hands_there_are(book: Book) -> None:
    table = suit_worth(book, "tens").set_index(["length", "tens"])
    assert table["deals"].sum() == 4 * hands.ALL_HANDS
    assert table.groupby("length")["deals"].sum().tolist() == [4 * n for n in (735471, 2768832, 3768688, 2380224, 743820, 113344, 7728, 192, 1)]
    assert table.loc[(8, 1), "mean"] == 18
    some = (LENGTHS == 3) & (TENS.sum(axis=1, keepdims=True) == 2)
    weights = np.broadcast_to(book.weights[:, None], some.shape)[some]
    assert table.loc[(3, 2), "mean"] == pytest.approx(np.average((3 * 3 + 4 * TENS - 10)[some], weights=weights))
    by_points = suit_worth(book).set_index(["length", "points"])
    assert by_points.loc[(1, 5), "mean"] == 3 + 4 - 10
    assert by_points.loc[(1, 4), "mean"] == 3 - 10


def test_no_trump_is_best_where_the_book_says_so(book: Book) -> None:
    table = no_trump_share(book, "tens").set_index(["longest", "tens"])
    assert table["deals"].sum() == hands.ALL_HANDS
    # Four tens: 14 at no-trump; a suit of five cards 3 * 5 + 4 - 10 = 9. No ten: never.
    assert table.loc[(5, 4), "mean"] == 1
    assert (table.xs(0, level="tens")["mean"] == 0).all()
    assert no_trump_share(book, "masters")["deals"].sum() == no_trump_share(book, "aces")["deals"].sum() == hands.ALL_HANDS


def test_kinds_of_best_calls_add_up(book: Book) -> None:
    kinds = best_kinds(book)
    assert kinds["share"].sum() == pytest.approx(1)
    assert kinds["share"].min() > 0
    assert set(kinds["kind"]) == {"longest suit", "shorter suit", "no-trump"}
    no_trump = np.average(book.best == 4, weights=book.weights)
    assert kinds.loc[kinds["kind"] == "no-trump", "share"].sum() == pytest.approx(no_trump)


def test_margins_leave_out_suits_with_the_same_cards(book: Book) -> None:
    found = margins(book)
    for text, margin in (("ST SA SK SQ SJ S9 S8 S7", 18 + 1), ("ST SA SK SQ HT HA HK HQ", 6 - 4), ("ST HT DT CT SA HA DA CA", 14 - 0)):
        assert found[hands.ranks_of([MANILLE.set(text)])[0]] == margin, text


def test_the_fit_finds_what_is_linear(book: Book) -> None:
    fitted = card_worth(book).set_index("card")["points"]
    assert fitted["each card"] == pytest.approx(3)
    assert fitted["its T"] == pytest.approx(4)
    assert fitted.drop(["each card", "its T"]).to_numpy() == pytest.approx(0, abs=1e-9)


def test_rules_are_behind_the_book(book: Book) -> None:
    rules = rule_worth(book).set_index("rule")
    assert rules.iloc[0]["mean"] == pytest.approx(np.average(book.means.max(axis=1), weights=book.weights))
    assert (rules["behind"] >= 0).all()
    assert rules.loc["always no-trump", "mean"] == pytest.approx(5 * 1 - 6)


def test_words_say_what_tables_say(book: Book) -> None:
    text = read_book(book)
    assert "cards played by heuristic, 2 worlds a hand, seed 0" in text
    assert "agree on the best call on 100.0% of deals" in text
    assert "each card +3.00" in " ".join(text.split())
    said = read_hand_of(book, "ST HT DT CT SA HA DA CA")
    assert said.splitlines()[0] == "ST SA HT HA DT DA CT CA"
    assert [line.split()[0] for line in said.splitlines()[2:7]] == list(CALLS)
    assert "NT *" in said
    assert "Best: NT" in said


def test_a_report_is_printed_and_figures_are_drawn(book: Book, tmp_path: Path) -> None:
    path = tmp_path / "calls.parquet"
    write_table(path, book.table, book.metadata)
    assert calls_report(path) == read_book(book)
    assert "Best: S" in calls_report(path, "ST SA SK SQ SJ S9 S8 S7", tmp_path / "figures")
    names = {"calls-suits.png", "calls-no-trump.png", "calls-best.png"}
    assert {file.name for file in (tmp_path / "figures").iterdir()} == names
    assert all(file.stat().st_size > 20_000 for file in (tmp_path / "figures").iterdir())
    record = calls_record(path, "ST SA SK SQ SJ S9 S8 S7")
    assert [row["call"] for row in record["calls"] if row["best"]] == ["S"]
    assert json.loads(json.dumps(calls_record(path)))["agreement"] == 1
    with pytest.raises(UsageError, match="has 7"):
        calls_report(path, "ST SA SK SQ SJ S9 S8")


@pytest.mark.parametrize("kind", KINDS)
def test_figures_name_what_they_show(faced: Book, kind: str) -> None:
    figure = plot_book(faced, kind)
    texts = [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]
    assert any("10,518,300 hands" in text and "seed 0" in text and "heuristic" in text for text in texts)
    for axes in figure.findobj(lambda artist: hasattr(artist, "get_xlabel") and hasattr(artist, "get_ylabel")):
        assert axes.get_xlabel() or axes.get_ylabel()
    assert all("nolegend" not in text for text in texts)


def test_a_kind_that_does_not_exist_is_refused(book: Book) -> None:
    with pytest.raises(UsageError, match="unknown plot 'suit'; did you mean 'suits'"):
        plot_book(book, "suit")


def test_en_face_is_told_where_a_book_has_it(book: Book, faced: Book, tmp_path: Path) -> None:
    passed = faced.best == EN_FACE
    own = np.maximum((3 * LENGTHS + 4 * TENS - 10).max(axis=1), 5 * TENS.sum(axis=1) - 6)
    assert (passed == (2 - 2 * TENS.sum(axis=1) > own)).all()
    shares = en_face_share(faced).set_index(["longest", "tens"])
    assert shares["deals"].sum() == hands.ALL_HANDS
    assert shares.loc[(3, 0), "mean"] == 1  # 2 points against 3 * 3 - 10
    assert shares.loc[(5, 0), "mean"] == 0
    assert en_face_gain(faced).set_index(["longest", "tens"]).loc[(3, 0), "mean"] == 3
    in_fours = en_face_gain(faced, "points", 4).set_index(["longest", "points"])
    assert in_fours.loc[(8, 3), "mean"] == 2 - 2 - 18  # all eight cards of a suit: 15 points, 3 * 8 + 4 - 10
    kinds = best_kinds(faced).set_index("kind")
    assert kinds.loc["en face", "share"] == pytest.approx(np.average(passed, weights=faced.weights))
    assert kinds["share"].sum() == pytest.approx(1)
    assert not en_face_share(book)["mean"].any()
    rules = rule_worth(faced).set_index("rule")["mean"]
    assert rules["always en face"] == pytest.approx(2 - 2 * 1)
    assert rules.iloc[0] - rules["the book's best, never en face"] == pytest.approx(np.average(np.maximum(2 - 2 * TENS.sum(axis=1) - own, 0),
                                                                                               weights=faced.weights))  # fmt: skip
    assert "always en face" not in rule_worth(book)["rule"].to_numpy()
    text = read_book(faced)
    assert f"en face on {passed @ faced.weights / hands.ALL_HANDS:.1%}" in text
    assert "En face is worth" in text
    assert "en face" not in read_book(book)
    assert "Best: en face" in read_hand_of(faced, "SA SK H8 H7 D8 D7 C8 C7")
    assert "Best: NT" in read_hand_of(faced, "ST HT DT CT SA HA DA CA")
    path = tmp_path / "calls.parquet"
    write_table(path, faced.table, faced.metadata)
    record = calls_record(path, "SA SK H8 H7 D8 D7 C8 C7")
    assert [row["call"] for row in record["calls"] if row["best"]] == ["EN_FACE"]
    assert {"en_face", "en_face_gain"} <= set(calls_record(path))
    assert kinds_of(faced) == list(KINDS)
    with pytest.raises(UsageError, match="this book has no value of en face"):
        plot_book(book, "en_face")
