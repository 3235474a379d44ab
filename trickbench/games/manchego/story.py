"""A deal of Manchego told: the turned card, the bids, the tricks, and what the three distances score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trickbench.cards import SUITS
from trickbench.games.game import Game
from trickbench.games.manchego import layout as at
from trickbench.games.manchego import rules as play
from trickbench.games.telling import TRICK_HEAD, Said, cards_of, hands_of, hands_text, trick_row, tricks_of

RECORD_TELLS_ALL = True


def tell(game: Game, row: Mapping[str, Any], said: Sequence[Said] | None) -> dict[str, Any]:
    """Return a recorded deal as plain data; ``said`` adds nothing to what a record of Manchego tells.

    Parameters
    ----------
    game : Game
    row : mapping
        The deal's row of the table of deals, with hands and cards.
    said : sequence of Said, optional
    """
    leader, trump = int(row["leader"]), game.pack.suit(SUITS.index(row["trump"]))
    by_seat = {
        name: [int(row[f"{column}_{seat}"]) for seat in range(game.players)]
        for name, column in {"bids": "bid", "tricks_won": "tricks", "distances": "distance", "scores": "score"}.items()
    }
    order = [(leader + place) % game.players for place in range(game.players)]
    return {
        "dealer": int(row["dealer"]),
        "hands": hands_of(game.pack, row, game.players),
        "turned": str(row["turned"]),
        "trump": str(row["trump"]),
        "auction": [{"seat": seat, "decision": game.who(at.BID), "answer": by_seat["bids"][seat]} for seat in order],
        "tricks": tricks_of(game.pack, cards_of(row), leader, game.players, trump, play.suit_of),
        **by_seat,
        "winners": [seat for seat, score in enumerate(by_seat["scores"]) if score == max(by_seat["scores"])],
    }


def before(data: Mapping[str, Any]) -> list[str]:
    """Return the lines that come before the tricks."""
    bids = "; ".join(f"seat {bid['seat']} bids {bid['answer']}" for bid in data["auction"])
    return [*hands_text(data), f"turned         {data['turned']}, trump {data['trump']}", "", f"auction  {bids}"]


def trick_table(data: Mapping[str, Any]) -> list[list[str]]:
    """Return the tricks as rows of cells, the head first, with the tricks of the seats so far."""
    seats = len(data["bids"])
    rows, won = [[*TRICK_HEAD, *(f"seat {seat}" for seat in range(seats))]], [0] * seats
    for number, trick in enumerate(data["tricks"], 1):
        won[trick["winner"]] += 1
        rows.append([*trick_row(number, trick, seats), *map(str, won)])
    return rows


def after(game: Game, data: Mapping[str, Any]) -> list[str]:
    """Return the lines that come after the tricks."""
    columns = zip(data["tricks_won"], data["bids"], data["distances"], data["scores"], strict=True)
    lines = [f"seat {seat}   bid {bid}, took {took}: {missed} away, scores {score}" for seat, (took, bid, missed, score) in enumerate(columns)]
    best = " and ".join(map(str, data["winners"]))
    return [*lines, f"score    {f'seat {best} scores' if len(data['winners']) == 1 else f'a tie: seats {best} score'} most ({game.rules.scoring})"]


SHEET_HEAD = ("deal", "dealer", "trump", "bids", "tricks", "distances", "scores", "seat 0", "seat 1", "seat 2")
"""The head of a game's score sheet: scores of the deal, then of the game."""


def sheet_row(row: Mapping[str, Any], totals: Sequence[int]) -> list[str]:
    """Return a deal's line of the score sheet of a game; ``totals`` are the scores after it."""
    columns = [" ".join(f"{row[f'{name}_{seat}']:2}" for seat in range(3)) for name in ("bid", "tricks", "distance")]
    scores = " ".join(f"{row[f'score_{seat}']:+3}" for seat in range(3))
    return [str(row["deal"]), f"seat {row['dealer']}", str(row["trump"]), *columns, scores, *map(str, totals)]
