"""A deal of Manille told: what was said, the tricks with their points, the line of the score sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trickbench.cards import CALLS
from trickbench.games.game import Game
from trickbench.games.manille import layout as at
from trickbench.games.manille import rules as play
from trickbench.games.manille import scoring
from trickbench.games.telling import TRICK_HEAD, Said, cards_of, hands_of, hands_text, trick_row, tricks_of

RECORD_TELLS_ALL = False
"""Who passed, who of two partners doubled, and which card was illegal stand in no record."""
SIDES = ("seats 0+2", "seats 1+3")
STACKED = {"multiply": "", "add": "; added up", "cap4": "; at most 4"}
"""What to say of how several factors combine."""


def tell(game: Game, row: Mapping[str, Any], said: Sequence[Said] | None) -> dict[str, Any]:
    """Return a recorded deal as plain data.

    Parameters
    ----------
    game : Game
    row : mapping
        The deal's row of the table of deals, with hands and cards.
    said : sequence of Said, optional
        What every seat answered, in order; without it nobody knows which of two partners doubled.
    """
    forfeit = forfeit_of(game, row, said)
    cards = cards_of(row)
    if forfeit and said:
        # The engine plays on with cards in place of the illegal one; the deal ended before it.
        cards = cards[: sum(answer.decision >= at.PLAY for answer in said[: _first_illegal(said)])]
    trump = play.trump_suit(CALLS.index(row["call"]))
    tricks = tricks_of(game.pack, cards, int(row["leader"]), game.players, trump, play.suit_of)
    for trick in tricks:
        trick["points"] = None if trick["winner"] is None else int(play.points(game.pack.set(trick["cards"])))
    return {
        "dealer": int(row["dealer"]),
        "hands": hands_of(game.pack, row, game.players),
        "auction": auction_said(game, said) if said else auction_recorded(game, row),
        "call": str(row["call"]),
        "caller": int(row["caller"]),
        **{name: bool(row[name]) for name in ("en_face", "blind", "doubled", "redoubled")},
        "tricks": tricks,
        **result(game, row),
        "forfeit": forfeit,
    }


def result(game: Game, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return count, factor and scores: lists by side, None for what a forfeited deal has not; ``winner`` is None for a tie."""
    forfeited = int(row["forfeit"]) >= 0
    return {
        "points": None if forfeited else [int(row["points_0"]), int(row["points_1"])],
        "tricks_won": None if forfeited else [int(row["tricks_0"]), int(row["tricks_1"])],
        "factor": int(row["factor"]),
        "factors": [] if forfeited else factors(game, row),
        "capot": bool(row["capot"]),
        **({"carry": int(row["carry"])} if "carry" in row else {}),
        "scores": [int(row["score_0"]), int(row["score_1"])],
        "winner": int(row["winner"]) if row["winner"] >= 0 else None,
    }


def factors(game: Game, row: Mapping[str, Any]) -> list[str]:
    """Return the names of what made the factor."""
    capot_counts = row["capot"] and scoring.factor(0, 0, 0, 1, 1, game.rules.values()) > 1
    names = {
        "a carried tie": row.get("carry", 1) > 1,
        "blind no-trump" if row["blind"] else "no-trump": row["call"] == CALLS[at.NT_CALL],
        "doubled": row["doubled"],
        "redoubled": row["redoubled"],
        "capot": capot_counts,
    }
    return [name for name, counts in names.items() if counts]


def _first_illegal(said: Sequence[Said]) -> int:
    return next((number for number, answer in enumerate(said) if not answer.is_legal), len(said))


def forfeit_of(game: Game, row: Mapping[str, Any], said: Sequence[Said] | None) -> dict[str, Any] | None:
    """Return who forfeited the deal, and by which card if that was heard."""
    if row["forfeit"] < 0:
        return None
    told: dict[str, Any] = {"seat": int(row["forfeit"]), "trick": None, "chosen": None, "legal": None}
    if said:
        answer = said[_first_illegal(said)]
        chosen = game.choice_text(answer.decision, answer.choice) or hex(answer.choice)
        told |= {"trick": answer.decision - at.PLAY + 1, "chosen": chosen, "legal": game.pack.listed(answer.legal)}
    return told


def auction_said(game: Game, said: Sequence[Said]) -> list[dict[str, Any]]:
    """Return every answer of the auction, in order."""
    return [
        {"seat": answer.seat, "decision": game.who(answer.decision), "answer": game.choice_text(answer.decision, answer.choice)}
        for answer in said
        if answer.decision < at.PLAY
    ]


def auction_recorded(game: Game, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the auction as far as a record tells it: the calls, and which side doubled."""
    dealer, caller = int(row["dealer"]), int(row["caller"])
    first = at.CALL_BLIND if row["blind"] else at.CALL_DEALER
    told: list[dict[str, Any]] = [{"seat": dealer, "decision": game.who(first), "answer": "EN_FACE" if row["en_face"] else str(row["call"])}]
    if row["en_face"]:
        told.append({"seat": caller, "decision": game.who(at.CALL_PARTNER), "answer": str(row["call"])})
    if row["doubled"]:
        told.append({"side": (dealer + 1) % 2, "decision": game.who(at.DOUBLE_LEFT), "answer": "yes"})
    if row["redoubled"]:
        told.append({"side": dealer % 2, "decision": game.who(at.REDOUBLE_DEALER), "answer": "yes"})
    return told


def before(data: Mapping[str, Any]) -> list[str]:
    """Return the lines that come before the tricks."""
    return [*hands_text(data), "", f"auction  {'; '.join(map(auction_text, data['auction']))}"]


def after(game: Game, data: Mapping[str, Any]) -> list[str]:
    """Return the lines that come after the tricks."""
    return [count_text(data), score_text(game, data)]


def auction_text(answer: Mapping[str, Any]) -> str:
    """Return one answer of the auction in words."""
    decision, said = str(answer["decision"]), str(answer["answer"])
    if decision in ("double", "redouble"):
        words = f"{decision}s" if said == "yes" else "passes"
        return f"{SIDES[answer['side']]} {decision}" if "side" in answer else f"seat {answer['seat']} {words}"
    words = {"EN_FACE": "says en face", "LOOK": "looks first"}.get(said, f"calls {said}")
    return f"seat {answer['seat']} {words}" + " before looking" * (decision == "call before looking" and said != "LOOK")


def trick_table(data: Mapping[str, Any]) -> list[list[str]]:
    """Return the tricks as rows of cells, the head first, with the points of the sides so far."""
    rows, won = [[*TRICK_HEAD, "points", *(side.split()[1] for side in SIDES)]], [0, 0]
    for number, trick in enumerate(data["tricks"], 1):
        if trick["winner"] is not None:
            won[trick["winner"] % 2] += trick["points"]
        rows.append([*trick_row(number, trick, 4), "-" if trick["points"] is None else str(trick["points"]), *map(str, won)])
    return rows


def count_text(data: Mapping[str, Any]) -> str:
    """Return points and tricks of both sides, or why there are none."""
    forfeit = data["forfeit"]
    if forfeit is None:
        columns = zip(SIDES, data["points"], data["tricks_won"], strict=True)
        parts = [f"{side}: {_plural(points, 'point')} in {_plural(tricks, 'trick')}" for side, points, tricks in columns]
        return f"count    {'; '.join(parts)}"
    if forfeit["trick"] is None:
        return f"forfeit  by seat {forfeit['seat']}, with an illegal card; the record does not say which, and goes on with a legal one"
    return f"forfeit  by seat {forfeit['seat']} in trick {forfeit['trick']}: it chose {forfeit['chosen']}; legal: {' '.join(forfeit['legal'])}"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def score_text(game: Game, data: Mapping[str, Any]) -> str:
    """Return the line of the score sheet."""
    winner = data["winner"]
    if winner is None:
        carry = scoring.next_carry(scoring.HALF, data.get("carry", 1), game.rules.values())
        counts = "the next deal counts" if "carry" in data else "in a game the next deal would count"
        return "score    a tie: nobody scores" + f"; {counts} {carry} times" * (carry > 1)
    score = data["scores"][winner]
    if data["forfeit"] is not None:
        return f"score    {SIDES[winner]} win {score}"
    excess = f"{data['points'][winner]} - {scoring.HALF}"
    made = f"({excess}) x {data['factor']} for {', '.join(data['factors'])}{_stacked(game, data)}" if data["factors"] else excess
    return f"score    {SIDES[winner]} win {score}{' by a capot' * data['capot']}: {made}"


def _stacked(game: Game, data: Mapping[str, Any]) -> str:
    return STACKED[str(game.rules.stacking)] if len(data["factors"]) > 1 else ""


SHEET_HEAD = ("deal", "dealer", "call", "points", "tricks", "factor", "score", *(side.split()[1] for side in SIDES))
"""The head of a game's score sheet: scores of the deal, then of the game."""


def sheet_row(row: Mapping[str, Any], totals: Sequence[int]) -> list[str]:
    """Return a deal's line of the score sheet of a game; ``totals`` are the scores after it."""
    forfeited = int(row["forfeit"]) >= 0
    call = f"{row['call']}{' en face' * bool(row['en_face'])}{' blind' * bool(row['blind'])}"
    doubled = " redoubled" if row["redoubled"] else " doubled" * bool(row["doubled"])
    count = "forfeit" if forfeited else f"{row['points_0']}-{row['points_1']}"
    tricks = f"by {row['forfeit']}" if forfeited else f"{row['tricks_0']}-{row['tricks_1']}"
    notes = " carried" * (row["carry"] > 1) + " capot" * bool(row["capot"])
    score = f"{row['score_0']}-{row['score_1']}"
    return [str(row["deal"]), f"seat {row['dealer']}", call + doubled, count, tricks, f"{row['factor']}{notes}", score, *map(str, totals)]
