"""One deal as a card player reads it: the hands, what was said, trick by trick, the count and the score.

What happened comes from the record of the deal, the engine's own or that of a finished run. A record holds cards, contract
and result; it does not hold who passed, who of two partners doubled, or which card was illegal. Those are overheard: the
deal is driven once more with a listener before every agent, and what it hears is told if the deal was the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.calling import Superblock
from trickbench.counts import deal_number, seed_number, whole_in
from trickbench.errors import RunError, TrickbenchError, UsageError
from trickbench.games.game import Game
from trickbench.games.rows import LANES
from trickbench.games.telling import Said
from trickbench.reading import grid
from trickbench.simulation import Run, deal_table, simulate
from trickbench.streams import number_of
from trickbench.table import Table
from trickbench.worker import Chunk, Worker

RECORDED, PLAYED, PLAYED_AGAIN = "recorded", "played", "played again"
"""Where a story comes from."""


@dataclass(frozen=True, repr=False)
class Story:
    """One deal, told.

    Attributes
    ----------
    title : str
        Which deal it is and who sits where.
    body : str
        The deal: hands, auction, tricks, count, score. The winning card of a trick has a star.
    data : dict
        The same as plain data: ``hands``, ``dealer``, ``auction``, ``tricks`` (leader, cards, winner, in Manille points),
        ``tricks_won``, ``scores`` and what else the game has. Cards are text, seats and sides numbers.
    """

    title: str
    body: str
    data: dict[str, Any]

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.title}\n\n{self.body}"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Story of deal {self.data['deal']} of {self.data['game']}, seed {self.data['seed']}>"


def show(game: Game, agents: Sequence[Any] | Any, seed: int = 0, deal: int = 0, on_illegal: str = "raise") -> Story:
    """Play one deal and tell it.

    Parameters
    ----------
    game : Game
        From :func:`trickbench.game`.
    agents : str, Agent, function, or a sequence of these
        As :func:`trickbench.simulate` takes them.
    seed, deal : int
        The deal that a run with this seed plays at this index.
    on_illegal : str
        "raise", or "forfeit" (Manille): the story ends with the illegal card.

    Returns
    -------
    Story
        ``print(story)`` shows it; ``.data`` holds it.

    Raises
    ------
    UsageError
        For arguments that cannot be.
    AgentError
        If an agent raises or makes an illegal choice.

    Examples
    --------
    >>> print(show(game("manillen"), ["greedy", "random"], seed=7, deal=42))  # doctest: +SKIP
    """
    table = Table(game, agents, on_illegal)
    deal = deal_number("deal", deal)
    run = simulate(game, agents, 1, seed_number(seed), workers=1, record="plays", first=deal, on_illegal=on_illegal)
    return _told(run, deal, PLAYED, table)


def show_deal(run: Run, deal: int) -> Story:
    """Tell a deal of a run: as it was recorded, or played again if the run kept no cards.

    Raises
    ------
    UsageError
        If the run has no such deal, or it has to be played again and its agents are not to be found.
    RunError
        If it comes out differently when it is played again: an agent is no longer what it was.
    """
    deal = whole_in("deal", deal, run.first, run.count, f"{run.name} has deals {run.first} to {run.first + run.count - 1}")
    if run.record == "plays":
        return _told(run, deal, RECORDED, _table_of(run))
    table = _table_of(run)
    if table is None:
        who = " against ".join(run.agents)
        raise UsageError(f"this run kept no cards (record='plays' does), and cannot be played again: agents are not to be found as '{who}'")
    again = simulate(run.game, run.agents, 1, run.seed, workers=1, record="plays", first=deal, on_illegal=table.on_illegal)
    if run.record and again.codes[0] != run.read(deal, 1)[0][0]:
        raise RunError(f"deal {deal} of {run.name} comes out differently when played again; its agents are not what they were")
    return _told(again, deal, PLAYED_AGAIN, table)


def _table_of(run: Run) -> Table | None:
    """Return who sat where in a run, or None if the agents cannot be had by their names."""
    # A run that was stopped by an illegal card has no results, so a forfeit in one that has was allowed.
    try:
        return Table(run.game, run.agents, "forfeit" if run.game.family == "manille" else "raise")
    except TrickbenchError:
        return None


def _told(run: Run, deal: int, source: str, table: Table | None) -> Story:
    """Return the story of a deal of a run with plays recorded."""
    codes, plays = run.read(deal, 1)
    row: dict[str, Any] = {str(key): value for key, value in deal_table(run.game, codes, plays, deal).iloc[0].items()}
    of_game = import_module(f"trickbench.games.{run.game.family}.story")
    said = None if table is None or of_game.RECORD_TELLS_ALL else overhear(table, run.seed, deal, codes, plays)
    facts = {
        "game": run.game.name, "rules": run.game.changes(), "seed": run.seed, "deal": deal, "agents": run.resolved, "source": source,
    }  # fmt: skip
    return story_of(run.game, row, said, title(run, deal, source), facts)


def story_of(game: Game, row: dict[str, Any], said: Sequence[Said] | None, heading: str, facts: dict[str, Any]) -> Story:
    """Return the story of a recorded deal; ``facts`` say where it comes from."""
    of_game = import_module(f"trickbench.games.{game.family}.story")
    data = {**facts, **of_game.tell(game, row, said)}
    head, *rows = of_game.trick_table(data)
    body = "\n".join([*of_game.before(data), "", grid(head, rows, 4), "", *of_game.after(game, data)])
    return Story(heading, body, data)


def title(run: Run, deal: int, source: str) -> str:
    """Return which deal it is, where it comes from, and who sits where."""
    lines = [f"deal {deal} of {run.game.described()}, seed {run.seed}"]
    if source == PLAYED_AGAIN:
        lines.append("(the run kept no cards: played again with its seed, agents and rules)")
    return "\n".join([*lines, *seats_text(run.resolved)])


def seats_text(resolved: Sequence[str]) -> list[str]:
    """Return who sits where, a line each."""
    return [f"{seats:13}  {agent}" for seats, agent in seated(resolved).items()]


def seated(resolved: Sequence[str]) -> dict[str, str]:
    """Return who sits where: seats as text -> the agent in full."""
    found: dict[str, list[int]] = {}
    for seat, agent in enumerate(resolved):
        found.setdefault(agent, []).append(seat)
    return {f"seat{'s' * (len(seats) > 1)} {'+'.join(map(str, seats))}": agent for agent, seats in found.items()}


def overhear(table: Table, seed: int, deal: int, codes: NDArray[Any], plays: NDArray[Any]) -> list[Said] | None:
    """Return what was said in a recorded deal, or None if it cannot be had again."""
    record = Chunk(deal, 1, np.zeros(0, np.int64), codes, plays)
    said = _heard(table, seed, record, in_games=False)
    return None if said is None else said[0]


def overhear_game(table: Table, seed: int, record: Chunk) -> list[list[Said]] | None:
    """Return what was said in every deal of a recorded game, or None if it cannot be had again."""
    return _heard(table, seed, record, in_games=True)


def _heard(table: Table, seed: int, record: Chunk, in_games: bool) -> list[list[Said]] | None:
    # Compiled kernels see all lanes of a block, and one may raise in a lane that is not its own: then each is called for its own.
    for kernels_as_plain in (False, True):
        listener = Listener(table, seed, kernels_as_plain, in_games)
        try:
            again = listener.listen(record.first, len(record.codes))
        except TrickbenchError:
            continue
        same = np.array_equal(again.codes, record.codes) and np.array_equal(again.plays, record.plays)
        return listener.said if same else None
    return None


class Listener(Worker):
    """A worker in one block that writes down what every agent answers in the first lane, the only one that counts."""

    def __init__(self, table: Table, seed: int, kernels_as_plain: bool, in_games: bool) -> None:
        super().__init__(table, seed, "plays", Event(), in_games)
        block = table.superblock(1, self.stop, in_games)
        self.said: list[list[Said]] = []
        self.lanes = self.lanes_of(block, kernels_as_plain)
        self.lanes.functions = [self._listening(function, block) for function in self.lanes.functions]

    def listen(self, index: int, deals: int) -> Chunk:
        """Play a deal, or a game of so many deals, and return its record."""
        self.said = [[] for _ in range(deals)]
        return self.record_game(index, deals)

    def _listening(self, function: Callable[..., None], block: Superblock) -> Callable[..., None]:
        at = self.face.at

        def choose(*parts: Any) -> None:
            function(*parts)
            if block.flat[at.MINE]:
                number = number_of(int(block.flat[at.COUNTER + LANES]))
                self.said[number].append(Said(block.decision(), *(int(block.flat[row]) for row in (at.SEAT, at.LEGAL, at.CHOICE))))

        return choose
