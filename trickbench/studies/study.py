"""What a study is: parts that are played deal by deal, in any pieces, and a result computed from their totals.

A part is a range of deals (or games) that is played in all its seatings. Every piece of it gives a small table of integers: how often
something was seen. Tables of pieces add up, so totals depend neither on the cut nor on the number of threads, and a run that was stopped
goes on with what is missing.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.games.game import Game
from trickbench.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUMS = "sum_"
"""What the names of columns begin with that are added up, besides ``count``; rows that agree in all others are one row."""
BINS = 1 << 22
"""Counting in bins is quicker than sorting, as long as there are not many more of them than rows."""


@dataclass(frozen=True)
class Part:
    """A range of deals or games that a study plays in several seatings."""

    key: str
    """names its files"""
    first: int
    count: int
    plays: int
    """how often each is played: seatings"""
    in_games: bool = False
    sequential: bool = False
    """may end before ``count``, so it is played strictly in order"""


@dataclass(frozen=True)
class Piece:
    """What was seen in some deals of a part."""

    first: int
    count: int
    table: pd.DataFrame


def count_rows(columns: Mapping[str, NDArray[Any]], sums: Mapping[str, NDArray[np.int64]] | None = None) -> pd.DataFrame:
    """Return the different rows of integer columns, ascending, with a ``count`` of each.

    Parameters
    ----------
    columns : mapping of str to integer array
        All of one length.
    sums : mapping of str to integer array, optional
        Names that begin with :data:`SUMS`, and what is to be summed over equal rows: up to 2^53, where doubles are exact.
    """
    added = {} if sums is None else sums
    values = {name: np.asarray(column, np.int64) for name, column in columns.items()}
    if len(next(iter(values.values()))) == 0:
        return pd.DataFrame({**values, **{name: np.zeros(0, np.int64) for name in added}, "count": np.zeros(0, np.int64)})
    lows = [int(column.min()) for column in values.values()]
    shape = [int(column.max()) - low + 1 for column, low in zip(values.values(), lows, strict=True)]
    keys = np.ravel_multi_index([column - low for column, low in zip(values.values(), lows, strict=True)], shape)
    if np.prod([float(size) for size in shape]) <= BINS:
        counts = np.bincount(keys)
        found = np.flatnonzero(counts)
        counts, totals = counts[found], {name: np.bincount(keys, column)[found] for name, column in added.items()}
    else:
        found, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
        totals = {name: np.bincount(place, column) for name, column in added.items()}
    rows = dict(zip(values, np.unravel_index(found, shape), strict=True))
    whole = {name: total.astype(np.int64) for name, total in totals.items()}
    return pd.DataFrame({**{name: row + low for (name, row), low in zip(rows.items(), lows, strict=True)}, **whole, "count": counts.astype(np.int64)})


def add_up(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return tables of counts as one, rows in ascending order."""
    whole = pd.concat(tables, ignore_index=True)
    summed = [str(name) for name in whole.columns if name == "count" or str(name).startswith(SUMS)]
    by = [str(name) for name in whole.columns if name not in summed]
    return whole.groupby(by, as_index=False, sort=True)[summed].sum()[[*by, *summed]]


class Result(ABC):
    """What a study found; made from totals alone.

    Attributes
    ----------
    study : Study
    totals : dict of str to DataFrame
        How often everything was seen, by part.
    """

    def __init__(self, study: Any, totals: dict[str, pd.DataFrame]) -> None:
        self.study, self.totals = study, totals

    @property
    def digest(self) -> str:
        """Digest of the totals, the same for any number of threads and any cut."""
        return digest_of_totals(self.totals)

    @property
    @abstractmethod
    def summary(self) -> pd.DataFrame:
        """One row a quantity: n, mean, sd, and an interval."""

    @abstractmethod
    def tables(self) -> dict[str, pd.DataFrame]:
        """Return every table that the result is made of, by the name of its CSV file."""

    @abstractmethod
    def text(self) -> str:
        """Return what was found as a person reads it in a terminal."""

    @abstractmethod
    def figures(self) -> dict[str, Figure]:
        """Return the figures by name."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return what was found as JSON holds it."""


@dataclass(frozen=True)
class Study(ABC):
    """A question to deals, with everything that decides the answer.

    Attributes
    ----------
    name : str
        Names a folder.
    game : Game
    seed : int
    """

    kind: ClassVar[str]
    """As the command and the TOML table are called: "duel", "tournament"."""

    name: str
    game: Game
    seed: int

    @abstractmethod
    def parts(self) -> list[Part]:
        """Return what is to be played."""

    @abstractmethod
    def seatings(self) -> dict[str, Table]:
        """Return every table that plays, by name."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return what decides the answer, besides game, rules and seed, as JSON holds it."""

    @abstractmethod
    def play(self, part: Part, first: int, count: int, before: pd.DataFrame | None, threads: int, bar: Any) -> Generator[Piece, None, None]:
        """Play some deals of a part, in order; ``before`` is the total of all earlier ones if the part is sequential."""

    def over(self, part: Part, total: pd.DataFrame | None) -> bool:
        """Return True if a sequential part needs no more deals."""
        return False

    def changed(self, deals: int | None, seed: int) -> Self:
        """Return the study with another number of deals, if one is given, and a seed."""
        number: dict[str, Any] = {} if deals is None else {"deals": deals}
        return replace(self, seed=seed, **number)

    @abstractmethod
    def result(self, totals: dict[str, pd.DataFrame]) -> Any:
        """Return what totals by part say."""

    def as_dict(self) -> dict[str, Any]:
        """Return the study as manifests hold it."""
        game = {"game": self.game.name, "rules": self.game.rules.as_dict(), "rules_version": self.game.rules_version}
        return {"kind": self.kind, "name": self.name, "seed": self.seed, **game, **self.settings()}


def digest_of_totals(totals: Mapping[str, pd.DataFrame]) -> str:
    """Return the digest of totals, the same for any cut, number of threads, and byte order."""
    digest = hashlib.sha256()
    for key, table in totals.items():
        digest.update(f"{key}:{','.join(table.columns)};".encode())
        digest.update(np.ascontiguousarray(table.to_numpy(np.int64)).astype("<i8").tobytes())
    return digest.hexdigest()[:16]


def folder_of(out: Path, study: Study) -> Path:
    """Return where the pieces of a study are kept in a results folder."""
    return out / study.name
