"""Hands of Manille rolled out in threads: for each hand and call, exact sums over many worlds.

The dealer sits in seat 0, its partner in seat 2. Where the rules have en face the partner is asked for the trump in each world; with ``doubling`` all
four are asked for double and redouble.

What is worked on is pieces of hands. A hand's sums are the same whatever the pieces, the threads and the order.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from trickbench.calling import Stopped
from trickbench.counts import seed_number, worker_count
from trickbench.crew import in_order
from trickbench.engine import ERROR_DECISION, ERROR_SET, ERROR_SIZE, aligned
from trickbench.errors import AgentError, UsageError
from trickbench.games.game import Game
from trickbench.games.manille.call_sums import SUM_COUNT
from trickbench.games.manille.hands import COUNT, hands_of
from trickbench.games.manille.layout import PLAY, SIZE
from trickbench.registry import Strategy, strategy
from trickbench.table import Table

PARTNER = 2
"""Seat of the dealer's partner."""
SLICE = 1 << 18
"""Worlds in one call of the compiled loop: 0.16 s with ``heuristic``, so that Ctrl-C is seen."""
PIECE = 1 << 23
"""Worlds in a piece of work of :func:`roll`, at most, beyond one hand."""
MOST_ROLLOUTS = 1 << 20
"""Of a hand; the counter has room for 2^24."""


class Roller:
    """Lanes, memory and functions of one thread.

    Parameters
    ----------
    table : RollTable
    seed : int
    stop : threading.Event
        Ends the work when it is set.
    """

    def __init__(self, table: RollTable, seed: int, stop: threading.Event) -> None:
        from trickbench.games.manille import call_rollout as loop

        self.table, self.stop, self.loop = table, stop, loop
        self.lanes = aligned(SIZE, np.uint32)
        self.rules = table.game.rule_values()
        self.run = table.run_numbers(seed, False)
        self.data, self.bounds = table.memory()
        self.functions = table.functions(table.asked)
        self.error = np.zeros(ERROR_SIZE, np.int64)
        self.notes = np.zeros(loop.NOTES, np.int64)
        self.finished = 0
        """worlds that are done"""

    def roll(self, ranks: NDArray[np.int64], rollouts: int) -> NDArray[np.int64]:
        """Return the sums of hands, int64[hands, 2, SUM_COUNT].

        Raises
        ------
        AgentError
            If a player chooses an illegal card.
        Stopped
            If the work was asked to stop.
        """
        return self.roll_hands(hands_of(ranks).astype(np.int64), ranks, rollouts)

    def roll_hands(self, hands: NDArray[np.int64], ranks: NDArray[np.int64], rollouts: int) -> NDArray[np.int64]:
        """Return the sums of hands that are given with the numbers by which their worlds are drawn."""
        sums = np.zeros((len(ranks), 2, SUM_COUNT), np.int64)
        worlds = len(ranks) * rollouts
        for first in range(0, worlds, SLICE):
            if self.stop.is_set():
                raise Stopped("stopped")
            end = min(worlds, first + SLICE)
            self.loop.call_rollout(
                self.lanes, self.rules, self.run, self.notes, hands, ranks, first, end, rollouts, int(self.table.faced), int(self.table.doubling),
                self.data, self.bounds, self.error, sums, *self.functions,
            )  # fmt: skip
            if self.error[ERROR_SET]:
                what = "card" if self.error[ERROR_DECISION] >= PLAY else "answer in the auction"
                raise AgentError(f"agents {self.table.names}: an illegal {what} in a rollout of the hands {self._hands(hands, first, end, rollouts)}")
            self.finished += end - first
        return sums

    def _hands(self, hands: NDArray[np.int64], first: int, end: int, rollouts: int) -> str:
        one, last = (self.table.game.pack.text(hands[world // rollouts]) for world in (first, end - 1))
        return one if one == last else f"{one} to {last}"


class RollTable(Table):
    """Who plays in rollouts of calls, and who is asked in the auction; :func:`roll_table` makes it.

    Attributes
    ----------
    faced : bool
        En face is a call too.
    doubling : bool
        Players are asked for double and redouble.
    """

    faced = False
    doubling = False

    @property
    def asked(self) -> list[str]:
        """The kinds of decision that are asked."""
        wanted = {"play": True, "call": self.faced, "double": self.doubling, "redouble": self.doubling}
        return [kind for kind in self.game.kinds if wanted[kind]]


def roll_table(game: Game, players: Sequence[Any] | Any, partners_call: Any = None, doubling: bool = False, en_face: bool = True) -> RollTable:
    """Return who plays in rollouts of calls, and who is asked in the auction.

    Parameters
    ----------
    game : Game
        Manille with any rules.
    players : str, Agent, function, or a sequence of these
        One for all, the dealer's side and the other, or four from the dealer on.
    partners_call : str, Agent or function, optional
        Whose ``call`` answers for the dealer's partner after en face; that of the partner's own strategy by default. Without en face nobody is asked.
    doubling : bool
        The players are asked for double and redouble, where the rules have it; else nobody is.
    en_face : bool
        False leaves en face out, where the rules have it.

    Raises
    ------
    UsageError
        For another game, or functions that are asked and called from Python.
    """
    if game.family != "manille":
        raise UsageError(f"{game.name} has no trump calls; manillen or manille would be right")
    table = RollTable(game, players)
    partner: Strategy = table.seats[PARTNER] if partners_call is None else strategy(partners_call, game)
    table.faced = en_face and game.rules.en_face == "on"
    table.doubling = doubling and game.rules.doubling == "on"
    if table.faced:
        # The one seat that is asked for a call: with one function for all seats no other is computed.
        table.hand_over("call", partner.decisions["call"])
    for kind, (bounds, _) in zip(game.kinds, table.bounds_of_kind, strict=True):
        slow = [bound.text for bound in bounds if bound.tier not in ("kernel", "lanes")]
        if kind in table.asked and slow:
            hint = "players of rollouts have to be compiled: mark their functions with @trickbench.kernel"
            raise UsageError(f"'{slow[0]}' answers '{kind}' as a function of Python; {hint}")
    return table


def rollout_count(value: Any, name: str = "rollouts") -> int:
    """Return a number of rollouts: even, because the two halves of them are kept apart.

    Raises
    ------
    UsageError
        If it is not an even whole number from 2 to 2^20.
    """
    try:
        number = 0 if isinstance(value, (bool, float)) else int(value)
    except (TypeError, ValueError):
        number = 0
    if not 2 <= number <= MOST_ROLLOUTS or number % 2:
        raise UsageError(f"{name} cannot be '{value}'; an even whole number from 2 to {MOST_ROLLOUTS:,} would be right, as in 256")
    return number


def roll_pieces(
    table: RollTable, seed: int, pieces: Sequence[NDArray[np.int64]], rollouts: int, workers: int, progress: str | None = None
) -> Generator[tuple[int, NDArray[np.int64]], None, None]:
    """Yield the number of each piece and the sums of its hands, in order.

    Parameters
    ----------
    table : RollTable
        See :func:`roll_table`.
    seed : int
    pieces : sequence of int64 arrays
        Numbers of canonical hands.
    rollouts : int
        Worlds a hand.
    workers : int
        Threads.
    progress : str, optional
        Title of a bar on the terminal; none is shown in a pipe.
    """
    if not pieces:
        return
    stop = threading.Event()
    crew = [Roller(table, seed, stop) for _ in range(min(workers, len(pieces)))]
    total = rollouts * sum(map(len, pieces))
    bar = tqdm(total=total, desc=progress, unit=" worlds", unit_scale=True, disable=None if progress else True, leave=False)

    def work(roller: Roller, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return roller.roll(ranks, rollouts)

    def finished() -> int:
        return sum(roller.finished for roller in crew)

    try:
        with closing(in_order(crew, pieces, work, len(crew) + 1, stop, bar, finished)) as parts:
            yield from enumerate(parts)
    finally:
        bar.close()


def roll(
    game: Game,
    ranks: Any = None,
    players: Sequence[Any] | Any = "heuristic",
    rollouts: int = 256,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
    partners_call: Any = None,
    doubling: bool = False,
) -> NDArray[np.int64]:
    """Return the sums of some hands.

    Parameters
    ----------
    game : Game
        Manille with any rules.
    ranks : array of integers, optional
        Numbers of canonical hands (:func:`trickbench.games.manille.hands.ranks_of`); all hands by default.
    players : str, Agent, function, or a sequence of these
        Who plays the cards, and doubles; see :func:`roll_table`.
    rollouts : int
        Worlds a hand; even.
    seed, workers, progress
        As :func:`trickbench.simulate` takes them.
    partners_call : str, Agent or function, optional
        Whose ``call`` answers for the dealer's partner after en face; by default that of the player in its seat.
    doubling : bool
        Ask the players for double and redouble after every call; else nobody doubles.

    Returns
    -------
    int64[hands, 2, SUM_COUNT]
        For the first and the second half of the worlds: sums as :mod:`trickbench.games.manille.call_sums` names them. Those of en face are 0
        where the rules do not have it.

    Raises
    ------
    UsageError
        For arguments that cannot be.
    AgentError
        If a player chooses an illegal card or answer.
    """
    wanted = np.arange(COUNT) if ranks is None else np.ascontiguousarray(np.atleast_1d(ranks), np.int64)
    if len(wanted) and not 0 <= wanted.min() <= wanted.max() < COUNT:
        raise UsageError(f"ranks cannot be these; numbers of hands, from 0 to {COUNT - 1}, would be right")
    table, number, crew = roll_table(game, players, partners_call, doubling), rollout_count(rollouts), worker_count(workers)
    piece = max(1, min(PIECE // number, -(-len(wanted) // (4 * crew))))
    pieces = [wanted[first : first + piece] for first in range(0, len(wanted), piece)]
    title = game.name if progress else None
    with closing(roll_pieces(table, seed_number(seed), pieces, number, crew, title)) as found:
        parts = [sums for _, sums in found]
    return np.concatenate(parts) if parts else np.zeros((0, 2, SUM_COUNT), np.int64)
