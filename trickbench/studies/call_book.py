"""The call book: what every trump call is worth with every hand of the dealer, by rollouts (docs/calls.md).

``make_book`` rolls out all 472,579 hands that differ by more than the names of suits, and writes one file. While it works, parts are kept
in a folder beside it, so that it can go on after a stop.

Where the rules have en face the work is done twice, in the same worlds: first for the calls that a dealer makes for itself, then with en face beside
them, the partner calling what the first pass found best for its hand.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench import __version__
from trickbench.counts import seed_number, worker_count
from trickbench.errors import RunError, UsageError
from trickbench.games.game import Game
from trickbench.games.manille.call_sums import CALL_NAMES
from trickbench.games.manille.hands import COUNT
from trickbench.games.registry import game as game_by_name
from trickbench.lock import LOCK, locked
from trickbench.provenance import sources
from trickbench.storage import new_folder, remove_unfinished, write_json, write_table
from trickbench.studies.book import Book
from trickbench.studies.book_calls import best_of, own_caller
from trickbench.studies.book_file import DEALERS, SCHEMA, check_same, digest_of, nets_of, part_path, read_part, sums_table, write_part
from trickbench.studies.rolling_calls import RollTable, roll_pieces, roll_table, rollout_count
from trickbench.table import Table

PART = 1 << 14
"""Hands in a part: two seconds of work of one core with 256 rollouts."""
CONFIGURATION = "configuration.json"


def make_book(
    game: Game | str = "manillen",
    players: Sequence[Any] | Any = "heuristic",
    rollouts: int = 256,
    seed: int = 0,
    out: Path | str = "calls.parquet",
    workers: int | None = None,
    progress: bool = False,
    resume: bool = False,
) -> Book:
    """Roll out every hand, write the book to a file, and return it.

    Parameters
    ----------
    game : Game or str
        Manille with any rules.
    players : str, Agent, function, or a sequence of these
        Who plays the cards: one for all, the dealer's side and the other, or four from the dealer on. Compiled agents only.
    rollouts : int
        Worlds a hand, in each of which all calls are played; even. The two halves are kept apart: one chooses, the other values.
    seed : int
        Worlds depend on it, on the hand and on their number alone, so the file does not depend on ``workers``.
    out : Path or str
        The file. Parts are kept in ``<out>.parts`` until it is complete.
    workers : int, optional
        Threads; all processors by default.
    progress : bool
        Show a bar on a terminal.
    resume : bool
        Go on with the parts that a stopped call left.

    Returns
    -------
    Book

    Raises
    ------
    UsageError
        For arguments that cannot be, a file that is there, parts of another book, or parts without ``resume``.
    RunError
        If a file cannot be written, or another process makes this book.
    AgentError
        If a player chooses an illegal card.
    """
    path, chosen = Path(out), game_by_name(game) if isinstance(game, str) else game
    table, number, key = roll_table(chosen, players, en_face=False), rollout_count(rollouts), seed_number(seed)
    crew = worker_count(workers)
    if path.exists():
        raise UsageError(f"'{path}' exists, and results are never overwritten; remove it, or choose another file")
    wanted = book_configuration(table, number, key)
    folder = path.with_name(f"{path.name}.parts")
    _open_parts(folder, resume)
    with locked(folder):
        _agree(folder, wanted)
        work = partial(_parts, folder, seed=key, rollouts=number, workers=crew)
        title = f"calls of {chosen.name}" if progress else None
        if chosen.rules.en_face == "on":
            best = np.concatenate([best_of(nets_of(part)) for part in work(table, DEALERS, "own", progress=title)])
            table = roll_table(chosen, players, own_caller(best))
            title = f"en face in {chosen.name}" if progress else None
        parts = list(work(table, CALL_NAMES if table.faced else DEALERS, "part", progress=title))
        whole = pd.concat(parts, ignore_index=True)
        metadata = {"schema": SCHEMA, "digest": digest_of(whole), "configuration": wanted}
        write_table(path, whole, metadata)
        for file in folder.iterdir():
            if file.name != LOCK:
                file.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    return Book(whole, metadata)


def book_configuration(table: Table, rollouts: int, seed: int) -> dict[str, Any]:
    """Return everything that decides a book's numbers, each under a name that people read."""
    code = sources({"book": table})
    made = {
        "game": table.game.name,
        "rules_version": table.game.rules_version,
        **{f"rule {key}": value for key, value in table.game.rules.as_dict().items()},
        "players": [sitting.decisions["play"].text for sitting in table.seats],
        "rollouts": rollouts,
        "seed": seed,
        **({"partner's calls": "the book's own"} if table.game.rules.en_face == "on" else {}),
        "version of trickbench": __version__,
        "digest of trickbench's sources": code["trickbench"],
        "digests of players": code["agents"],
        "digest of rules, parameters and tables": code["tables"]["book"],
    }
    # As it reads in a file, so that the two can be compared.
    read: dict[str, Any] = json.loads(json.dumps(made))
    return read


def _open_parts(folder: Path, resume: bool) -> None:
    """Make the folder of parts; with ``resume`` it may be there."""
    if not folder.is_dir():
        new_folder(folder)
    elif not resume and any(not file.name.startswith(".") for file in folder.iterdir()):
        raise UsageError(f"'{folder}' holds parts of a book that is not finished: resume=True goes on with it; or remove it, or choose another file")


def _agree(folder: Path, wanted: dict[str, Any]) -> None:
    """Write down what the parts in a folder are of, or make sure that they are of what is wanted."""
    remove_unfinished(folder)
    path = folder / CONFIGURATION
    if not path.exists():
        write_json(path, wanted)
        return
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"'{path}' cannot be read: {error}; remove the folder, and make the book from the beginning") from None
    check_same(folder, found, wanted)


def _parts(
    folder: Path, table: RollTable, calls: Sequence[str], kind: str, seed: int, rollouts: int, workers: int, progress: str | None
) -> Iterator[pd.DataFrame]:
    """Yield the parts of some calls in order, those that are not there rolled out and written."""
    ranks = [np.arange(first, min(COUNT, first + PART)) for first in range(0, COUNT, PART)]
    paths = [part_path(folder, part, kind) for part in range(len(ranks))]
    missing = [part for part, numbers in enumerate(ranks) if read_part(paths[part], numbers) is None]
    with closing(roll_pieces(table, seed, [ranks[part] for part in missing], rollouts, workers, progress)) as rolled:
        for place, sums in rolled:
            part = missing[place]
            write_part(paths[part], sums_table(ranks[part], sums, rollouts, calls))
    for path, numbers in zip(paths, ranks, strict=True):
        yield _again(path, numbers)


def _again(path: Path, ranks: NDArray[np.int64]) -> pd.DataFrame:
    found = read_part(path, ranks)
    if found is None:
        raise RunError(f"'{path}' is not as it was written; the same call with resume=True makes it again")
    return found
