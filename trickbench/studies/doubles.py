"""Doubling: what it wins with several doublers and redoublers, and how well they know the dealer's chances (docs/doubling.md)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from trickbench.chunks import play_tables
from trickbench.counts import deal_count, seed_number, worker_count
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.games.rows import LANES
from trickbench.studies.doubles_forecast import forecast_tables, forecasters, see_forecasts
from trickbench.studies.doubles_result import DoublesResult
from trickbench.studies.doubles_seen import see_doubles
from trickbench.studies.playing import Store, play_study
from trickbench.studies.study import Part, Piece, Study, add_up
from trickbench.studies.voices import ALWAYS, SILENT, Voice, sitting, voice
from trickbench.table import Table

DEALS, FORECASTS = "deals", "forecasts"
DOUBLERS = ("threshold", "heuristic", "calibrated")
"""Who doubles where nobody is named."""
MOST_CHUNK = 1 << 16
"""Deals that are looked at together; each brings some hundred bytes a table."""


@dataclass(frozen=True)
class Doubles(Study):
    """Doublers against redoublers.

    Attributes
    ----------
    agents : tuple
        Doublers; each redoubles too, if it does.
    players : str, Agent or function
        Who calls and plays in every seat.
    deals : int
        Each is played by every doubler against every redoubler, and with nobody speaking.
    forecasts : int
        Deals on which the forecasts of those who make any are asked for.
    """

    kind: ClassVar[str] = "doubles"

    agents: tuple[Any, ...]
    players: Any
    deals: int
    forecasts: int

    def voices(self) -> list[Voice]:
        """Return the doublers."""
        return [voice(agent, self.game) for agent in self.agents]

    @property
    def names(self) -> list[str]:
        """The doublers as typed."""
        return [one.name for one in self.voices()]

    def forecasters(self) -> list[int]:
        """Return the numbers of the doublers that forecast."""
        return [number for number, one in enumerate(self.voices()) if "double" in one.double.bound.agent.forecast]

    def parts(self) -> list[Part]:
        """Return the deals of all pairs, then those of each forecaster."""
        count = len(self.agents)
        parts = [Part(DEALS, 0, self.deals, 1 + count * (count + 1))]
        # The first deals are not the same ones: an interval of a gain and one of a forecast are of different cards.
        return parts + [Part(f"{FORECASTS}-{number}", self.deals, self.forecasts, 9) for number in self.forecasters()]

    def tables(self) -> list[Table]:
        """Return who sits where, in the order that :func:`see_doubles` wants."""
        silent, voices = voice(SILENT, self.game), self.voices()
        pairs = [(silent, silent)] + [(one, back) for one in voices for back in (silent, *voices)]
        return [Table(self.game, [sitting(self.game, self.players, one, back)]) for one, back in pairs]

    def seatings(self) -> dict[str, Table]:
        """Return every table that plays, by name."""
        return {f"{self.name} {number}": table for number, table in enumerate(self.tables())}

    def settings(self) -> dict[str, Any]:
        """Return what decides the answer, besides game, rules and seed."""
        tables = self.tables()
        return {
            "agents": self.names,
            "players": self.players_name,
            "seats": [{"strategy": table.seats[0].resolved(), "oracle": table.seats[0].oracle} for table in tables],
            "deals": self.deals,
            "forecasts": self.forecasts,
        }

    @property
    def players_name(self) -> str:
        """Who calls and plays, as typed."""
        return Table(self.game, [self.players]).names[0]

    def play(self, part: Part, first: int, count: int, before: pd.DataFrame | None, threads: int, bar: Any) -> Generator[Piece, None, None]:
        """Play some deals of a part."""
        chunk = max(LANES, min(MOST_CHUNK, -(-count // (2 * threads))))
        of_pairs = part.key == DEALS
        doubler = None if of_pairs else self.voices()[int(part.key.split("-")[1])]
        tables = self.tables() if doubler is None else self._forecast_tables(doubler)
        record, asking = ("deals", []) if of_pairs else ("plays", forecasters(tables))
        with closing(play_tables(tables, self.seed, first, count, threads, record, chunk, bar, counted=False)) as parts:
            for chunks in parts:
                seen = see_doubles(self.game, chunks, len(self.agents)) if doubler is None else [see_forecasts(self.game, chunks, asking, self.seed)]
                yield Piece(chunks[0].first, chunks[0].count, add_up(seen))

    def _forecast_tables(self, doubler: Voice) -> list[Table]:
        return forecast_tables(self.game, self.players, doubler, voice(SILENT, self.game), voice(ALWAYS, self.game))

    def result(self, totals: dict[str, pd.DataFrame]) -> DoublesResult:
        """Return what totals by part say."""
        return DoublesResult(self, totals)


KEYS = ("players", "deals", "forecasts")
"""What the table of a study of doubles in an experiment may say, besides name, game, rules and agents."""
DEFAULT_DEALS, DEFAULT_FORECASTS = "200k", "50k"


def from_table(name: str, game: Game, agents: list[Any], seed: int, rest: dict[str, Any]) -> Doubles:
    """Return the study that a table of an experiment describes.

    Raises
    ------
    UsageError
        For numbers or agents that cannot be.
    """
    if game.family != "manille" or not game.rules.values().doubling:
        raise UsageError(f"nobody doubles in {game.described()}; manillen or manille, with doubling=on, would be right")
    deals, forecasts = (deal_count(rest.get(key, value)) for key, value in (("deals", DEFAULT_DEALS), ("forecasts", DEFAULT_FORECASTS)))
    study = Doubles(name, game, seed, tuple(agents), rest.get("players", "heuristic"), deals, forecasts)
    names = study.names
    if not names:
        raise UsageError("there is no doubler; one agent or more would be right")
    if len(set(names)) < len(names):
        raise UsageError(f"doubler '{max(names, key=names.count)}' is named twice; each may be named once")
    if SILENT in names:
        raise UsageError(f"doubler '{SILENT}' is always compared with; it cannot be named")
    study.tables()
    return study


def doubles(
    game: Game, doublers: Any = DOUBLERS, players: Any = "heuristic", deals: Any = DEFAULT_DEALS, seed: Any = 0,
    workers: int | None = None, *, forecasts: Any = DEFAULT_FORECASTS, progress: bool = False,
) -> DoublesResult:  # fmt: skip
    """Measure what doubling wins, every doubler against every redoubler on the same deals, and how good their forecasts are.

    Parameters
    ----------
    game : Game
        Manille with doubling.
    doublers : sequence of str, Agent or function
        Those who double; each redoubles too, if it does. What else they decide does not count.
    players : str, Agent or function
        Who calls and plays in every seat.
    deals : int or str
        Each is played by every pair, and with nobody speaking.
    seed : int
        The same seed gives the same bytes.
    workers : int, optional
        Threads; one for each processor by default.
    forecasts : int or str
        Other deals, on which those doublers that have a ``forecast`` are asked for it.
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    DoublesResult
        ``.gains``, ``.differences``, ``.calibration``, ``.thresholds``, ``.text()``, ``.figures()``, ``.digest``.

    Raises
    ------
    UsageError
        For arguments that cannot be.
    AgentError
        If an agent fails.

    Examples
    --------
    >>> doubles(game("manillen"), ["heuristic", "calibrated"], deals="100k").gains  # doctest: +SKIP
    """
    rest = {"players": players, "deals": deals, "forecasts": forecasts}
    study = from_table("doubles", game, list(doublers), seed_number(seed), rest)
    return study.result(play_study(study, Store(None), worker_count(workers), progress))
