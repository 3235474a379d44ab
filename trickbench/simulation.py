"""``simulate``: independent deals between agents, and the run that comes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.chunks import RECORDS, play_chunks
from trickbench.counts import deal_count, first_number, seed_number, spans, worker_count
from trickbench.errors import UsageError
from trickbench.games.game import Game
from trickbench.stats.summary import summarise
from trickbench.table import Table
from trickbench.worker import Chunk

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trickbench.story import Story


@dataclass
class Run:
    """The results of one match: many deals of a game between the same agents.

    Attributes
    ----------
    game : Game
    agents : list of str
        As named: for all seats, for the sides or for each seat.
    resolved : list of str
        For each seat, who answers every kind of decision.
    seed, first, count : int
        Deals ``first`` .. ``first + count - 1`` of the seed.
    counts : int64 array
        How often each outcome occurred.
    record : False, "deals" or "plays"
    read : callable
        Takes first deal and number of deals; returns codes (one number a deal) and plays (hands and cards of each deal), empty where not
        recorded.
    match : str
        Name of the match, in tables that hold several.
    shard : int
        Deals in a shard of a results folder, and in a table of :meth:`iter_deals`.
    """

    game: Game
    agents: list[str]
    resolved: list[str]
    seed: int
    first: int
    count: int
    counts: NDArray[np.int64]
    record: Any
    read: Callable[[int, int], tuple[NDArray[Any], NDArray[Any]]]
    match: str = ""
    shard: int = 1 << 20

    def __repr__(self) -> str:
        return f"<Run of {self.count:,} deals of {self.game.described()}: {' against '.join(self.agents)}, seed {self.seed}>"

    @property
    def name(self) -> str:
        """Name of the match, or game and agents."""
        return self.match or f"{self.game.described()}: {' against '.join(self.agents)}"

    @property
    def size_text(self) -> str:
        """How much was played."""
        return f"{self.count:,} deal{'s' * (self.count != 1)}"

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """What happened, with ``count`` deals for each row; everything else is computed from it."""
        return self.game.outcomes(self.counts)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row a side or seat and quantity: n, mean, sd, and a 95 % interval."""
        return summarise(self)

    @cached_property
    def _records(self) -> tuple[NDArray[Any], NDArray[Any]]:
        return self.read(self.first, self.count)

    @property
    def codes(self) -> NDArray[Any]:
        """One number a deal, or empty."""
        return self._records[0]

    @property
    def plays(self) -> NDArray[Any]:
        """Hands as bits by seat, then cards as bits in order of play, a row a deal; or empty."""
        return self._records[1]

    @property
    def deals(self) -> pd.DataFrame:
        """One row a deal, in deal order.

        Raises
        ------
        UsageError
            If the run was made without ``record``.
        """
        self._must_be_recorded()
        return deal_table(self.game, self.codes, self.plays, self.first)

    def deal_rows(self, first: int, count: int = 1) -> pd.DataFrame:
        """Return the rows of :attr:`deals` for some deals, without reading the shards of others.

        Parameters
        ----------
        first : int
            Number of the first deal.
        count : int
            How many, at least one.

        Raises
        ------
        UsageError
            If the run was made without ``record``, or has no such deals.
        """
        self._must_be_recorded()
        if not (self.first <= first and 1 <= count <= self.first + self.count - first):
            asked = f"{count} deals from {first} on"
            raise UsageError(f"there are no {asked} in {self.name}; it has deals {self.first} to {self.first + self.count - 1}")
        return deal_table(self.game, *self.read(first, count), first)

    def iter_deals(self) -> Iterator[pd.DataFrame]:
        """Yield :attr:`deals` in pieces, one a shard and in deal order: one piece is in memory at a time.

        Raises
        ------
        UsageError
            If the run was made without ``record``.
        """
        self._must_be_recorded()
        return (self.deal_rows(start, count) for start, count in spans(self.first, self.count, self.shard))

    def _must_be_recorded(self) -> None:
        if not self.record:
            raise UsageError("this run kept no deals; run it again with record='deals'")

    @cached_property
    def digest(self) -> str:
        """Digest of the results; the same for any number of workers, chunk size and block width."""
        return digest_of(self.counts, self.codes, self.plays)

    def plot(self, kind: str = "scores", **options: Any) -> Figure:
        """Return a figure of the run: see :func:`trickbench.plots.plot` for the kinds."""
        from trickbench.plots import plot

        return plot(self, kind, **options)

    def show(self, deal: int) -> Story:
        """Return a deal told card by card: as recorded, or played again if no cards were kept. See :func:`trickbench.show`."""
        from trickbench.story import show_deal

        return show_deal(self, deal)


def digest_of(counts: NDArray[np.int64], codes: NDArray[Any], plays: NDArray[Any]) -> str:
    """Return the digest of counts, codes and plays, whatever the machine's byte order."""
    digest = hashlib.sha256()
    for array in (counts, codes, plays):
        digest.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    return digest.hexdigest()[:16]


def deal_table(game: Game, codes: NDArray[Any], plays: NDArray[Any], first: int) -> pd.DataFrame:
    """Return one row a deal, with hands and cards where they were recorded."""
    table = game.deals(codes, first)
    return table if len(plays) == 0 else pd.concat([table, play_columns(game, plays, table["dealer"])], axis=1)


def play_columns(game: Game, plays: NDArray[Any], dealers: pd.Series) -> pd.DataFrame:
    """Return hands (sets as bits), first leader, and cards (indices) in order of play, a column each."""
    seats = game.players
    columns: dict[str, Any] = {f"hand_{seat}": plays[:, seat] for seat in range(seats)}
    columns["leader"] = ((dealers.to_numpy() + 1) % seats).astype(np.int8)
    for number in range(plays.shape[1] - seats):
        # Exact: a one-bit integer of up to 52 bits is a power of two, which float64 holds.
        columns[f"card_{number:02d}"] = np.log2(plays[:, seats + number].astype(np.float64)).astype(np.int8)
    return pd.DataFrame(columns)


def simulate(
    game: Game,
    agents: Sequence[Any] | Any,
    deals: Any,
    seed: int = 0,
    workers: int | None = None,
    record: Any = False,
    *,
    first: int = 0,
    chunk: int | None = None,
    on_illegal: str = "raise",
    progress: bool = False,
) -> Run:
    """Play independent deals and return the run.

    Parameters
    ----------
    game : Game
        From :func:`trickbench.game`.
    agents : str, Agent, function, or a sequence of these
        One for all seats; two sides or four seats in Manille; three seats in Manchego.
    deals : int or str
        How many, as in 200000, "1e6", "2M".
    seed : int
        Deals and words depend on it alone: the same seed gives the same bytes.
    workers : int, optional
        Threads; one for each processor by default.
    record : False, "deals" or "plays"
        Keep nothing, one row a deal, or also hands and cards.
    first : int
        Index of the first deal.
    chunk : int, optional
        Deals in one piece of work.
    on_illegal : str
        "raise" stops the run at an illegal choice; "forfeit" (Manille, cards) gives 30 points to the other side.
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    Run
        ``.summary``, ``.deals``, ``.outcomes``, ``.plot(...)``, ``.digest``.

    Raises
    ------
    UsageError
        For arguments that cannot be.
    AgentError
        If an agent raises or makes an illegal choice; the message says how to see it again.

    Examples
    --------
    >>> run = simulate(game("manillen"), ["greedy", "random"], "100k", seed=7)  # doctest: +SKIP
    >>> run.summary  # doctest: +SKIP
    """
    table = Table(game, agents, on_illegal)
    number, key = deal_count(deals), seed_number(seed)
    first = first_number(first, number, "deals")
    kept = recorded(record)
    title = game.name if progress else None
    size = None if chunk is None else deal_count(chunk, "chunk")
    # Closed here and not by the garbage collector, which may come to it in one of the threads that it waits for.
    with closing(play_chunks(table, key, first, number, worker_count(workers), kept, size, title)) as parts:
        return collect(table, key, first, number, kept, parts)


def recorded(record: Any) -> Any:
    """Return a valid value of ``record``; True means "deals".

    Raises
    ------
    UsageError
        If it is not one.
    """
    value = "deals" if record is True else record or False
    if value not in RECORDS:
        raise UsageError(f"record cannot be '{record}'; false, 'deals' or 'plays' would be right")
    return value


def collect(table: Table, seed: int, first: int, count: int, record: Any, parts: Any) -> Run:
    """Return the run that chunks, in deal order, add up to."""
    face = table.game.face()
    counts = np.zeros(face.cells, np.int64)
    codes = np.zeros(count if record else 0, face.dtype)
    plays = np.zeros((count if record == "plays" else 0, face.plays_width), face.dtype)
    for part in parts:
        assert isinstance(part, Chunk)
        counts += part.counts
        place = slice(part.first - first, part.first - first + part.count)
        if record:
            codes[place] = part.codes
        if record == "plays":
            plays[place] = part.plays

    def read(start: int, number: int) -> tuple[NDArray[Any], NDArray[Any]]:
        return codes[start - first : start - first + number], plays[start - first : start - first + number]

    return Run(
        table.game, table.names, table.resolved, seed, first, count, counts, record, read,
    )  # fmt: skip
