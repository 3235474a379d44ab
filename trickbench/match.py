"""Whole games and matches: to 101 with carried ties, fifty deals, best of three; ten deals of Manchego, or a target, or a time.

The unit is the index: one game, or one match of several where the rules say ``best_of``. Its first dealer is drawn from the seed
plus the index, as for independent deals; from then on the deal goes round, across games too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.chunks import play_chunks
from trickbench.counts import deal_count, first_number, seed_number, whole_in, worker_count
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.simulation import digest_of
from trickbench.stats.games import summarise_games
from trickbench.table import Table
from trickbench.turnover import DEALS, FIRST_DEALER, GAME, MATCH, SCORES, WINNERS
from trickbench.worker import Chunk

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trickbench.game_story import GameStory


@dataclass
class GameRun:
    """The results of many whole games, or matches, between the same agents.

    Attributes
    ----------
    game : Game
    agents : list of str
        As named: for all seats, for the sides or for each seat.
    resolved : list of str
        For each seat, who answers every kind of decision.
    seed, first, count : int
        Games (or matches) ``first`` .. ``first + count - 1`` of the seed.
    counts : int64 array
        How often each outcome of a deal occurred.
    rows : int64[games, 5 + sides]
        Finished games in order: index, number in the match, first dealer, deals, winners as a set, scores.
    """

    game: Game
    agents: list[str]
    resolved: list[str]
    seed: int
    first: int
    count: int
    counts: NDArray[np.int64]
    rows: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"<GameRun of {self.count:,} {self.unit} of {self.game.described()}: {' against '.join(self.agents)}, seed {self.seed}>"

    @property
    def name(self) -> str:
        """Game and agents."""
        return f"{self.game.described()}: {' against '.join(self.agents)}"

    @property
    def match(self) -> str:
        """Name in tables that hold several matches; empty."""
        return ""

    @property
    def unit(self) -> str:
        """What an index is: "games" or "matches"."""
        return "games" if self.game.ends().best_of == 1 else "matches"

    @property
    def size_text(self) -> str:
        """How much was played."""
        matches = f"{self.count:,} matches best of {self.game.ends().best_of} · " * (self.unit == "matches")
        return f"{matches}{len(self.rows):,} games · {self.deals:,} deals"

    @property
    def deals(self) -> int:
        """How many deals were played."""
        return int(self.rows[:, DEALS].sum())

    @cached_property
    def games(self) -> pd.DataFrame:
        """One row a game: match (index), game (number in the match), dealer (of the first deal), deals, winner, ``score_0`` ...

        ``winner`` is the side (Manille) or seat that has the highest score alone; -1 if nobody has.
        """
        winners = self.rows[:, WINNERS]
        single = (winners & (winners - 1)) == 0
        table = {
            "match": self.rows[:, MATCH],
            "game": self.rows[:, GAME].astype(np.int16),
            "dealer": self.rows[:, FIRST_DEALER].astype(np.int8),
            "deals": self.rows[:, DEALS].astype(np.int32),
            "winner": np.where(single, np.log2(winners), -1).astype(np.int8),
        }
        scores = {f"score_{side}": self.rows[:, SCORES + side].astype(np.int32) for side in range(self.game.sides)}
        return pd.DataFrame({**table, **scores})

    @cached_property
    def matches(self) -> pd.DataFrame:
        """One row a match: match (index), games, deals, ``won_0`` ... (games won alone by each side or seat), winner (-1: nobody)."""
        sides = range(self.game.sides)
        table = self.games.assign(**{f"won_{side}": (self.games["winner"] == side).astype(np.int16) for side in sides})
        won = [f"won_{side}" for side in sides]
        found = table.groupby("match", sort=True).agg(games=("game", "size"), deals=("deals", "sum"), **{name: (name, "sum") for name in won})
        wins = found[won].to_numpy()
        best = wins.max(axis=1)
        alone = (wins == best[:, None]).sum(axis=1) == 1
        found["winner"] = np.where(alone, wins.argmax(axis=1), -1).astype(np.int8)
        return found.reset_index()

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """What happened in the deals, with ``count`` deals for each row; scores as if no tie had been carried."""
        return self.game.outcomes(self.counts)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row a side or seat and quantity: n, mean, sd, and a 95 % interval."""
        return summarise_games(self)

    @cached_property
    def digest(self) -> str:
        """Digest of the results; the same for any number of workers, chunk size and block width."""
        return digest_of(self.counts, self.rows, np.zeros(0, np.int64))

    def plot(self, kind: str = "lengths", **options: Any) -> Figure:
        """Return a figure of the games: see :func:`trickbench.plots.plot` for the kinds."""
        from trickbench.plots import plot

        return plot(self, kind, **options)

    def show(self, index: int) -> GameStory:
        """Return a game (or match) told deal by deal. See :func:`trickbench.show_game`."""
        from trickbench.game_story import show_game

        there = f"{self.name} has {self.unit} {self.first} to {self.first + self.count - 1}"
        return show_game(self.game, self.agents, self.seed, whole_in("index", index, self.first, self.count, there))


def play_games(
    game: Game,
    agents: Sequence[Any] | Any,
    games: Any,
    seed: int = 0,
    workers: int | None = None,
    *,
    first: int = 0,
    chunk: int | None = None,
    on_illegal: str = "raise",
    progress: bool = False,
) -> GameRun:
    """Play whole games, or matches where the rules say ``best_of``, and return what came of them.

    Parameters
    ----------
    game : Game
        From :func:`trickbench.game`. Rule options say what ends a game: ``target``, ``game_deals``, in Manchego ``minutes``; and ``best_of`` how
        many games a match has.
    agents : str, Agent, function, or a sequence of these
        As :func:`trickbench.simulate` takes them. Views show the scores of the game, the carried factor and the target.
    games : int or str
        How many games; with ``best_of`` above 1 how many matches.
    seed : int
        The same seed gives the same bytes.
    workers : int, optional
        Threads; one for each processor by default.
    first : int
        Index of the first game.
    chunk : int, optional
        Games in one piece of work.
    on_illegal : str
        "raise", or "forfeit" (Manille, cards): 30 points to the other side, a carried tie stays.
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    GameRun
        ``.summary``, ``.games``, ``.matches``, ``.show(index)``, ``.plot()``, ``.digest``.

    Raises
    ------
    UsageError
        For arguments that cannot be, and rules by which a game does not end.
    RunError
        If a game or match lasts longer than 65,536 deals.
    AgentError
        If an agent raises or makes an illegal choice; the message says how to see it again.

    Examples
    --------
    >>> play_games(game("manillen"), ["heuristic", "greedy"], 10_000, seed=7).summary  # doctest: +SKIP
    """
    table = table_for_games(game, agents, on_illegal)
    number, key = deal_count(games, "games"), seed_number(seed)
    first = first_number(first, number, "games")
    size = None if chunk is None else deal_count(chunk, "chunk")
    title = game.name if progress else None
    with closing(play_chunks(table, key, first, number, worker_count(workers), False, size, title, in_games=True)) as parts:
        return collect_games(table, key, first, number, parts)


def table_for_games(game: Game, agents: Sequence[Any] | Any, on_illegal: str) -> Table:
    """Return who sits where, for games that end.

    Raises
    ------
    UsageError
        If they do not end, or for agents that cannot be.
    """
    ends = game.ends()
    if not ends.target and not ends.game_deals:
        raise UsageError(f"a game of {game.described()} does not end; rule option target or game_deals would be right")
    return Table(game, agents, on_illegal)


def collect_games(table: Table, seed: int, first: int, count: int, parts: Iterable[Chunk]) -> GameRun:
    """Return what chunks, in order, add up to; games in the order of index and number, whichever ended first."""
    counts = np.zeros(table.game.face().cells, np.int64)
    found = [np.zeros((0, SCORES + table.game.sides), np.int64)]
    for part in parts:
        counts += part.counts
        rows = np.concatenate(part.games)
        found.append(rows[np.lexsort((rows[:, GAME], rows[:, MATCH]))])
    return GameRun(table.game, table.names, table.resolved, seed, first, count, counts, np.concatenate(found))
