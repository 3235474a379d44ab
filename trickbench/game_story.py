"""A whole game, or match, told: the score sheet, deal by deal, and each deal card by card for who wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from threading import Event
from typing import Any

import numpy as np
import pandas as pd

from trickbench.counts import deal_number, seed_number, whole_in
from trickbench.games.game import Game
from trickbench.match import GameRun, play_games, table_for_games
from trickbench.reading import grid
from trickbench.simulation import play_columns
from trickbench.stats.summary import SIDES
from trickbench.storage import plain
from trickbench.story import Story, overhear_game, seats_text, story_of
from trickbench.table import Table
from trickbench.worker import Chunk, Worker


@dataclass(frozen=True, repr=False)
class GameStory:
    """A game, or a match of several, told.

    Attributes
    ----------
    title : str
        Which game it is and who sits where.
    body : str
        The score sheet: a line a deal, the scores of the deal and of the game so far; who won.
    data : dict
        The same as plain data: ``games``, each with ``dealer``, ``deals`` (rows of the table of deals), ``scores``, ``winners``; and ``won``, the
        games that each side or seat won alone.
    deals : DataFrame
        The deals in order, with hands and cards.
    """

    title: str
    body: str
    data: dict[str, Any]
    deals: pd.DataFrame
    _run: GameRun
    _table: Table
    _record: Chunk

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.title}\n\n{self.body}"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<GameStory of {self.data['index']} of {self.data['game']}, seed {self.data['seed']}: {len(self.deals)} deals>"

    def deal(self, number: int) -> Story:
        """Return a deal of it card by card; deals are numbered from 0 through the whole match.

        Raises
        ------
        UsageError
            If there is no such deal.
        """
        number = whole_in("deal", number, 0, len(self.deals), f"{title_of(self._run)} has deals 0 to {len(self.deals) - 1}")
        said = overhear_game(self._table, self._run.seed, self._record)
        row = {str(key): value for key, value in self.deals.iloc[number].items()}
        heading = [f"deal {number} of {title_of(self._run)}", *seats_text(self._run.resolved)]
        facts = {name: self.data[name] for name in ("game", "rules", "seed", "index", "agents")}
        heard = None if said is None else said[number]
        return story_of(self._run.game, row, heard, "\n".join(heading), {**facts, "deal": number})


def show_game(game: Game, agents: Sequence[Any] | Any, seed: int = 0, index: int = 0, on_illegal: str = "raise") -> GameStory:
    """Play one whole game, or match, and tell it.

    Parameters
    ----------
    game : Game
        From :func:`trickbench.game`.
    agents : str, Agent, function, or a sequence of these
        As :func:`trickbench.simulate` takes them.
    seed, index : int
        The game that :func:`trickbench.play_games` with this seed plays at this index.
    on_illegal : str
        "raise", or "forfeit" (Manille).

    Returns
    -------
    GameStory
        ``print(story)`` shows the score sheet, ``story.deal(3)`` is deal 3 card by card; ``.data`` holds the sheet.

    Raises
    ------
    UsageError
        For arguments that cannot be.
    AgentError
        If an agent raises or makes an illegal choice.

    Examples
    --------
    >>> print(show_game(game("manillen"), ["heuristic", "greedy"], seed=7, index=3))  # doctest: +SKIP
    """
    table = table_for_games(game, agents, on_illegal)
    index = deal_number("index", index)
    run = play_games(game, agents, 1, seed_number(seed), workers=1, first=index, on_illegal=on_illegal)
    # The first time told how many deals there are; now each has its place.
    record = Worker(table, run.seed, "plays", Event(), in_games=True).record_game(index, run.deals)
    deals = game.deals_of_game(record.codes, (np.cumsum(run.games["deals"]) - 1).tolist())
    deals = pd.concat([deals, play_columns(game, record.plays, deals["dealer"])], axis=1)
    parts, sheets = [], []
    for number, played in enumerate(split(run, deals)):
        data, sheet = tell_game(run, number, played)
        parts.append(data)
        sheets.append(sheet)
    data = {
        "game": game.name, "rules": game.changes(), "seed": run.seed, "index": index, "agents": run.resolved, "games": parts,
        "won": [int(run.matches[f"won_{side}"].iloc[0]) for side in range(game.sides)],
    }  # fmt: skip
    if len(parts) > 1 or game.ends().best_of > 1:
        sheets.append(match_text(run))
    return GameStory("\n".join([title_of(run), *seats_text(run.resolved)]), "\n\n".join(sheets), data, deals, run, table, record)


def title_of(run: GameRun) -> str:
    """Return which game or match it is."""
    unit = "game" if run.game.ends().best_of == 1 else "match"
    return f"{unit} {run.first} of {run.game.described()}, seed {run.seed}"


def split(run: GameRun, deals: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the deals of each game of a match."""
    ends = np.cumsum(run.games["deals"]).tolist()
    return [deals.iloc[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def tell_game(run: GameRun, number: int, deals: pd.DataFrame) -> tuple[dict[str, Any], str]:
    """Return a game of a match as plain data, and its score sheet."""
    of_game = import_module(f"trickbench.games.{run.game.family}.story")
    sides, row = run.game.sides, run.games.iloc[number]
    totals = deals[[f"score_{side}" for side in range(sides)]].to_numpy(np.int64).cumsum(axis=0)
    lines = [of_game.sheet_row(deal, total) for deal, total in zip(deals.to_dict("records"), totals.tolist(), strict=True)]
    scores = [int(row[f"score_{side}"]) for side in range(sides)]
    winners = [side for side in range(sides) if scores[side] == max(scores)]
    kept = [name for name in deals.columns if not str(name).startswith(("card_", "hand_", "leader"))]
    data = {
        "number": number, "dealer": int(row["dealer"]), "scores": scores, "winners": winners,
        "deals": [{str(key): None if pd.isna(value) else _plain(value) for key, value in deal.items()} for deal in deals[kept].to_dict("records")],
    }  # fmt: skip
    heading = f"game {number + 1}\n" if run.game.ends().best_of > 1 else ""
    return data, f"{heading}{grid(list(of_game.SHEET_HEAD), lines, 3)}\n{result_text(run.game, scores, winners, len(deals))}"


def _plain(value: Any) -> Any:
    return plain(value) if isinstance(value, np.generic) else value


def names_of(game: Game) -> list[str]:
    """Return what the sides or seats are called."""
    return [f"seats {side}" for side in SIDES] if game.sides == 2 else [f"seat {seat}" for seat in range(game.sides)]


def result_text(game: Game, scores: Sequence[int], winners: Sequence[int], deals: int) -> str:
    """Return who won a game."""
    names = names_of(game)
    after = f"after {deals} deal{'s' * (deals != 1)}"
    if len(winners) == 1:
        won = f"win {max(scores)} to {min(scores)}" if game.sides == 2 else f"wins with {max(scores)}"
        return f"{names[winners[0]]} {won} {after}"
    shared = " and ".join(names[side] for side in winners)
    return f"drawn, {scores[0]} all, {after}" if len(winners) == game.sides else f"{shared} share the win with {max(scores)} {after}"


def match_text(run: GameRun) -> str:
    """Return who won a match."""
    row = run.matches.iloc[0]
    won = [int(row[f"won_{side}"]) for side in range(run.game.sides)]
    return f"{names_of(run.game)[int(row['winner'])]} win the match {max(won)} to {min(won)}, best of {run.game.ends().best_of}"
