"""What a call book says: which suits are worth calling, when no-trump is right, and how sure it is; as tables and in words.

Every figure is over all hands of the dealer, each weighted by how many it stands for. A mean says what calling is worth over the hands that are
so: length, points and masters go together, and the difference of two means is not the effect of one card. The fit of :func:`card_worth` takes
them apart, as far as a straight line does.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.cards import CALLS, MANILLE
from trickbench.games.manille.call_sums import CALL_NAMES, EN_FACE, OWN_CALLS
from trickbench.games.manille.hands import suit_masks
from trickbench.reading import grid
from trickbench.studies.book import Book, agreement, half_regret, load_book, worth

NT = len(CALLS) - 1
EN_FACE_NAME = CALL_NAMES[EN_FACE]

VALUES = {"T": 5, "A": 4, "K": 3, "Q": 2, "J": 1}
HONOURS = tuple(VALUES)


class Suits(NamedTuple):
    """The suits of every canonical hand: arrays [hands, 4], suits as the canonical hand names them."""

    length: NDArray[np.int64]
    points: NDArray[np.int64]
    masters: NDArray[np.int64]
    """cards from the ten down without a gap: nobody beats them in suit"""
    held: dict[str, NDArray[np.int64]]
    """1 where the suit has the rank, for each rank worth points"""


def suits_of(book: Book) -> Suits:
    """Return what the suits of all hands of a book are like."""
    masks = suit_masks(book.table["hand"].to_numpy())
    held = {rank: masks >> MANILLE.ranks.index(rank) & 1 for rank in HONOURS}
    points = sum((VALUES[rank] * held[rank] for rank in HONOURS), np.zeros_like(masks))
    masters, unbroken = np.zeros_like(masks), np.ones_like(masks)
    for place in reversed(range(len(MANILLE.ranks))):
        unbroken = unbroken & (masks >> place)
        masters = masters + unbroken
    return Suits(np.bitwise_count(masks).astype(np.int64), points, masters, held)


def mean_by(value: NDArray[Any], weight: NDArray[Any], **groups: NDArray[np.int64]) -> pd.DataFrame:
    """Return ``deals`` (weight) and weighted ``mean`` of a value for each combination of groups; all arrays are of one shape."""
    table = pd.DataFrame({name: group.reshape(-1) for name, group in groups.items()})
    table["deals"] = np.broadcast_to(weight, value.shape).reshape(-1)
    table["mean"] = value.reshape(-1) * table["deals"]
    sums = table.groupby(list(groups), as_index=False)[["deals", "mean"]].sum()
    return sums.assign(mean=sums["mean"] / sums["deals"])


def suit_worth(book: Book, by: str = "points") -> pd.DataFrame:
    """Return the mean net score of calling a suit, by its length and its card points ("points") or the tens in the hand ("tens").

    Columns: ``length``, ``points`` or ``tens``, ``deals`` (of 4 times 10,518,300 suits of hands), ``mean``.
    """
    suits = suits_of(book)
    other = suits.points if by == "points" else np.broadcast_to(suits.held["T"].sum(axis=1, keepdims=True), suits.length.shape)
    return mean_by(book.means[:, :NT], book.weights[:, None], length=suits.length, **{by: other})


def no_trump_share(book: Book, by: str = "masters") -> pd.DataFrame:
    """Return on which share of deals no-trump is best, by the longest suit and the masters, tens or aces in the hand.

    Columns: ``longest``, ``by``, ``deals``, ``mean`` (the share).
    """
    return by_longest(book, book.best == NT, by)


def by_longest(book: Book, value: NDArray[Any], by: str, per: int = 1) -> pd.DataFrame:
    """Return the mean of a value of each hand by the longest suit and its masters, tens, aces or card points, of these so many together."""
    suits = suits_of(book)
    counts = {"masters": suits.masters, "tens": suits.held["T"], "aces": suits.held["A"], "points": suits.points}[by].sum(axis=1) // per
    return mean_by(value.astype(np.float64), book.weights, longest=suits.length.max(axis=1), **{by: counts})


def en_face_share(book: Book, by: str = "tens", per: int = 1) -> pd.DataFrame:
    """Return on which share of deals en face is best, by the longest suit and the masters, tens, aces or card points of the hand.

    Columns: ``longest``, ``by`` (divided by ``per``), ``deals``, ``mean`` (the share).
    """
    return by_longest(book, book.best == EN_FACE, by, per)


def en_face_gain(book: Book, by: str = "tens", per: int = 1) -> pd.DataFrame:
    """Return by how much en face is ahead of the best call that the dealer makes itself, in points; columns as of :func:`en_face_share`."""
    return by_longest(book, book.means[:, EN_FACE] - book.means[:, :OWN_CALLS].max(axis=1), by, per)


def best_kinds(book: Book) -> pd.DataFrame:
    """Return how often each kind of call is best.

    Columns: ``kind`` ("longest suit", "shorter suit", "no-trump", "en face"), ``length`` of the suit that is called (0 for no suit), ``share`` of
    deals, and ``mean`` net score.
    """
    suits, rows = suits_of(book), np.arange(len(book.best))
    trump = book.best < NT
    length = np.where(trump, suits.length[rows, np.minimum(book.best, NT - 1)], 0)
    kind = np.where(~trump, book.best - NT + 2, np.where(length == suits.length.max(axis=1), 0, 1))
    found = mean_by(book.means[rows, book.best], book.weights, kind=kind, length=length)
    found["share"] = found["deals"] / book.weights.sum()
    found["kind"] = found["kind"].map({0: "longest suit", 1: "shorter suit", 2: "no-trump", 3: "en face"})
    return found[["kind", "length", "share", "mean"]]


def margins(book: Book) -> NDArray[np.float64]:
    """Return by how much the best call of each hand is ahead of the second that is not the same by symmetry, in points."""
    masks = suit_masks(book.table["hand"].to_numpy())
    rows, best = np.arange(len(book.best)), book.best
    same = (masks == masks[rows, np.minimum(best, NT - 1)][:, None]) & (best < NT)[:, None]
    others = book.means.copy()
    others[:, :NT][same] = -np.inf
    others[rows, best] = -np.inf
    margin: NDArray[np.float64] = book.means[rows, best] - others.max(axis=1)
    return margin


def card_worth(book: Book) -> pd.DataFrame:
    """Return what makes a suit worth calling, by least squares over all suits of all hands with three cards or more.

    Columns: ``card``, ``points`` of net score. The rows: "each card" of length, then the honours of the suit beside their length, then tens and aces
    of the other suits.
    """
    suits = suits_of(book)
    some = suits.length >= 3
    outside = {rank: suits.held[rank].sum(axis=1, keepdims=True) - suits.held[rank] for rank in "TA"}
    inside = {f"its {rank}": suits.held[rank] for rank in HONOURS}
    columns = {"each card": suits.length} | inside | {f"each other {rank}": cards for rank, cards in outside.items()}
    x = np.stack([np.ones(int(some.sum())), *(column[some].astype(np.float64) for column in columns.values())])
    weight = np.broadcast_to(book.weights[:, None], some.shape)[some]
    y = book.means[:, :NT][some]
    fitted = np.linalg.solve((x * weight) @ x.T, (x * weight) @ y)
    return pd.DataFrame({"card": list(columns), "points": fitted[1:]})


def rule_worth(book: Book) -> pd.DataFrame:
    """Return what simple rules are worth to the dealer by the book: of equals among suits the mean.

    Columns: ``rule``, ``mean`` net score of the dealer's side, ``behind`` the book's calls.
    """
    suits = suits_of(book)
    scores = {"longest suit, then points": 64 * suits.length + suits.points, "most points, then length": 64 * suits.points + suits.length}
    rows = []
    for name, score in scores.items():
        chosen = score == score.max(axis=1, keepdims=True)
        rows.append((name, (book.means[:, :NT] * chosen).sum(axis=1) / chosen.sum(axis=1)))
    rows += [("always no-trump", book.means[:, NT]), ("any call, at random", book.means[:, :OWN_CALLS].mean(axis=1))]
    rows += [("always en face", book.means[:, EN_FACE])] if EN_FACE_NAME in book.calls else []
    best = worth(book.sums, book.weights, book.rollouts)
    found = [(name, float(np.average(value, weights=book.weights))) for name, value in rows]
    if EN_FACE_NAME in book.calls:
        found.insert(0, ("the book's best, never en face", worth(book.sums, book.weights, book.rollouts, OWN_CALLS)))
    return pd.DataFrame([("the book's best (of half the worlds)", best, 0.0), *((name, mean, best - mean) for name, mean in found)],
                        columns=["rule", "mean", "behind"])  # fmt: skip


def read_book(book: Book) -> str:
    """Return what a book says, in words and small tables."""
    kinds = best_kinds(book)
    total = kinds.groupby("kind")["share"].sum()
    margin = margins(book)
    close = float(np.average(margin < 1, weights=book.weights))
    lost = sum(half_regret(book.sums, book.weights, book.rollouts)) / 2
    lines = [
        f"Call book: {book.described}; digest {book.digest}",
        "",
        f"Best call: the longest suit (or one of them) on {total.get('longest suit', 0):.1%} of deals, no-trump on {total.get('no-trump', 0):.1%}, "
        f"a shorter suit on {total.get('shorter suit', 0):.1%}{_en_face_part(total)}.",
        f"The second call is less than a point behind on {close:.1%} of deals.",
        f"The halves of the worlds agree on the best call on {agreement(book.sums, book.weights):.1%} of deals; what one half chooses is, on the "
        f"other, {lost:.2f} points behind that one's best.",
        "",
        _rules_text(rule_worth(book)),
        "",
        _cards_text(card_worth(book)),
        "",
        _no_trump_text(no_trump_share(book)),
    ]
    return "\n".join([*lines, *_en_face_lines(book)])


def _en_face_part(total: pd.Series[float]) -> str:
    return f", en face on {total['en face']:.1%}" if "en face" in total else ""


def _en_face_lines(book: Book) -> list[str]:
    """Return what a book says of en face, nothing for one without it."""
    if EN_FACE_NAME not in book.calls:
        return []
    passed = book.best == EN_FACE
    share = float(np.average(passed, weights=book.weights))
    gain = worth(book.sums, book.weights, book.rollouts) - worth(book.sums, book.weights, book.rollouts, OWN_CALLS)
    return [
        "",
        f"En face is worth {gain:.2f} points a deal to the dealer's side, {gain / share if share else 0:.2f} on each of the {share:.1%} of deals on "
        "which it is best.",
        _shares_text(en_face_share(book), "On how many deals en face is best, by the longest suit (down) and tens (across):", "{:.0%}"),
        _shares_text(en_face_gain(book), "How far en face is ahead of the best other call, in points:", "{:+.1f}"),
    ]


def _rules_text(rules: pd.DataFrame) -> str:
    rows = [[rule, f"{mean:+.2f}", f"{behind:.2f}"] for rule, mean, behind in rules.itertuples(index=False)]
    return "What the dealer's side scores net, in points a deal:\n" + grid(["rule", "mean", "behind"], rows, 1)


def _cards_text(cards: pd.DataFrame) -> str:
    rows = [[card, f"{value:+.2f}"] for card, value in cards.itertuples(index=False)]
    return "What makes a suit of three cards or more worth calling, in points (least squares):\n" + grid(["card", "points"], rows, 1)


def _no_trump_text(shares: pd.DataFrame) -> str:
    title = "On how many deals no-trump is best, by the longest suit (down) and masters, cards that nobody beats in suit (across):"
    return _shares_text(shares, title, "{:.0%}")


def _shares_text(means: pd.DataFrame, title: str, form: str) -> str:
    """Return means by the longest suit and something else as a small table with a title."""
    table = means.pivot(index="longest", columns=means.columns[1], values="mean")
    rows = [[str(longest), *("" if np.isnan(mean) else form.format(mean) for mean in row)] for longest, row in table.iterrows()]
    return f"{title}\n{grid(['longest suit', *map(str, table.columns)], rows, 0)}"


def read_hand_of(book: Book, hand: str) -> str:
    """Return what a book says of a hand, as a small table and a line.

    Raises
    ------
    UsageError
        For cards that do not exist, or not 8 of them.
    """
    table = book.value(hand)
    rows = [
        [
            f"{spoken(row.call)} *" if row.best else spoken(row.call), f"{row.mean:+.2f}", f"{row.se:.2f}",
            f"{row.win:.1%}", f"{row.tie:.1%}", f"{row.capot:.1%}",
            "" if row.best else f"{row.behind:.2f} ± {row.behind_se:.2f}", "" if row.best else f"{row.sure:.1%}",
        ]
        for row in table.itertuples(index=False)
    ]  # fmt: skip
    heads = ["call", "net score", "± se", "wins", "ties", "capots", "behind", "surely behind"]
    best = table.loc[table["best"]].iloc[0]
    line = f"Best: {spoken(best['call'])}, with probability {best['sure']:.1%} better than the nearest other call; {int(best['n']):,} worlds."
    return f"{MANILLE.text(MANILLE.set(hand))}\n{grid(heads, rows, 1)}\n{line}"


def spoken(call: Any) -> str:
    """Return a call as people say it."""
    return "en face" if call == EN_FACE_NAME else str(call)


def calls_record(path: Path | str, hand: str | None = None) -> dict[str, Any]:
    """Return what :func:`calls_report` tells as numbers, for JSON.

    Raises
    ------
    UsageError
        If there is no such book, or no such hand.
    RunError
        If a file is damaged.
    """
    book = load_book(path)
    found: dict[str, Any] = {"digest": book.digest, "configuration": book.configuration}
    if hand is not None:
        return found | {"hand": MANILLE.text(MANILLE.set(hand)), "calls": _rows(book.value(hand))}
    tables = {"rules": rule_worth(book), "cards": card_worth(book), "best": best_kinds(book)}
    tables |= {"suits": suit_worth(book), "no_trump": no_trump_share(book)}
    tables |= {"en_face": en_face_share(book), "en_face_gain": en_face_gain(book)} if EN_FACE_NAME in book.calls else {}
    return found | {"agreement": agreement(book.sums, book.weights)} | {name: _rows(table) for name, table in tables.items()}


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(table.to_json(orient="records"))
    return rows


def calls_report(path: Path | str, hand: str | None = None, figures: Path | str | None = None) -> str:
    """Return what ``trickbench calls --book FILE`` prints: what a book says, or what it says of a hand; with a folder, draw its figures there.

    Raises
    ------
    UsageError
        If there is no such book, or no such hand.
    RunError
        If a file is damaged or cannot be written.
    """
    book = load_book(path)
    text = read_book(book) if hand is None else read_hand_of(book, hand)
    if figures is None:
        return text
    from trickbench.plotting.book import save_book_figures

    drawn = save_book_figures(book, Path(figures))
    return f"{text}\nfigures: {Path(figures)} ({len(drawn)} files)"
