"""What strategies call with a dealer's hand: each is asked as the engine asks the dealer, with the view and the word of that decision.

Nothing is played, so a caller may be slow at cards, and may be asked about a hand that no deal of the seed holds.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.calling import place_text
from trickbench.engine import DEAL_SEED, ERROR_INDEX, ERROR_SET, ERROR_SIZE
from trickbench.errors import AgentError, UsageError
from trickbench.games.game import Game
from trickbench.games.manille import layout as at
from trickbench.games.rows import LANES
from trickbench.registry import split
from trickbench.table import Table
from trickbench.turnover import STATE_SIZE


def caller(game: Game, spec: Any) -> Table:
    """Return a table at which a strategy calls; what else it decides does not matter.

    Parameters
    ----------
    game : Game
    spec : str, Agent or function
        A text without ``call=`` names an agent with a decision to call; a function is that decision.

    Raises
    ------
    UsageError
        If it has no call, or sees all hands: a rule is judged by what the dealer sees.
    """
    from trickbench.agent import from_object

    if isinstance(spec, str):
        parts = split(spec)
        if "call" not in parts and None not in parts:
            raise UsageError(f"caller '{spec}' makes no call; an agent with a decision 'call' would be right, as in 'call=longest'")
        table = Table(game, [f"call={parts.get('call', parts.get(None))}"])
    else:
        table = Table(game, [from_object(spec, getattr(spec, "__name__", type(spec).__name__), "call")])
    bound = table.seats[0].decisions["call"]
    if "call" not in table.seats[0].own:
        raise UsageError(f"caller '{bound.text}' makes no call; an agent with a decision 'call' would be right")
    if bound.agent.oracle:
        raise UsageError(f"caller '{bound.text}' sees all hands; a rule for calling is judged by what the dealer sees")
    return table


def caller_name(table: Table) -> str:
    """Return a caller as tables show it."""
    return table.seats[0].decisions["call"].text


class Asker:
    """Lanes that hold deals, and the callers that are asked about them.

    Parameters
    ----------
    game : Game
    tables : sequence of Table
        From :func:`caller`; one at least.
    seed : int
        Of the deals, and of the callers' words.
    most : int
        Deals at a time.
    """

    def __init__(self, game: Game, tables: Sequence[Table], seed: int, most: int) -> None:
        self.game, self.tables, self.rules = game, tables, game.rule_values()
        # Deals and dealers are the same for every table.
        self.run = tables[0].run_numbers(seed, False)
        self.block = tables[0].superblock(-(-most // LANES), threading.Event())
        self.askings = [self._asking(table, seed) for table in tables]
        self.count = 0

    def _asking(self, table: Table, seed: int) -> tuple[Any, ...]:
        """Return what asking a table takes: numbers of the run, parameters, and the four functions that call."""
        data, bounds = table.memory()
        functions = table.python_functions(self.block, data, bounds)
        return table.run_numbers(seed, False), data, bounds, functions[4:8]

    def deal(self, first: int, count: int) -> NDArray[np.int64]:
        """Deal some deals into the lanes; return the dealers' hands, int64[count]: those that ``Game.deal`` tells."""
        from trickbench.games.manille.dealing import deal
        from trickbench.games.manille.drive import seat

        seat(self.block.flat, self.run, first, count, np.zeros(STATE_SIZE, np.int64))
        deal(self.block.flat, self.run[DEAL_SEED])
        self.count = count
        hands: NDArray[np.int64] = np.take_along_axis(self._dealt(), self._dealers()[None], axis=0)[0]
        return hands

    def hold(self, hand: int) -> None:
        """Put one deal into the lanes in which the dealer holds a hand; nobody is dealt the other cards."""
        self.deal(0, 1)
        dealer = int(self._dealers()[0])
        for place in range(at.PLAYERS):
            self.block.flat[at.DEALT + place * LANES] = hand if place == dealer else 0

    def _dealt(self) -> NDArray[np.int64]:
        rows = self.block.rows[:, at.DEALT : at.DEALT + at.PLAYERS * LANES].reshape(-1, at.PLAYERS, LANES)
        return rows.transpose(1, 0, 2).reshape(at.PLAYERS, -1)[:, : self.count].astype(np.int64)

    def _dealers(self) -> NDArray[np.int64]:
        return self.block.rows[:, at.DEALER_SEAT : at.DEALER_SEAT + LANES].reshape(-1)[: self.count].astype(np.int64)

    def ask(self) -> NDArray[np.int64]:
        """Return what every caller calls in the lanes, int64[callers, count]: 0..3 C D H S, 4 no-trump, 5 en face.

        Raises
        ------
        AgentError
            If one fails, or gives an answer that it may not.
        """
        found = np.zeros((len(self.askings), self.count), np.int64)
        for number, (table, asking) in enumerate(zip(self.tables, self.askings, strict=True)):
            found[number] = self._ask(table, *asking)
        return found

    def _ask(self, table: Table, run: Any, data: Any, bounds: Any, functions: Sequence[Any]) -> NDArray[np.int64]:
        from trickbench.games.manille.auction_lanes import ask_dealer, face_3, hear_dealer
        from trickbench.games.manille.dealing import start
        from trickbench.games.manille.drive import CALL, speak
        from trickbench.games.manille.lanes import reveal_3

        error, flat = np.zeros(ERROR_SIZE, np.int64), self.block.flat
        c0, c1, c2, c3 = functions
        start(flat)
        speak(flat, self.rules, run, at.CALL_DEALER, ask_dealer, face_3, reveal_3, hear_dealer, CALL, data, bounds, c0, c1, c2, c3, error)
        if error[ERROR_SET]:
            index, number, decision, seat, legal, choice = error[ERROR_INDEX : ERROR_INDEX + 6].tolist()
            where = place_text(self.game, caller_name(table), decision, (index, number), False, seat, legal)
            raise AgentError(f"{where}: it chose {self.game.choice_text(decision, choice) or hex(choice)}, which is not one legal choice")
        taken = self.block.rows[:, at.TAKEN : at.TAKEN + LANES].reshape(-1)[: self.count]
        calls: NDArray[np.int64] = np.log2(taken).astype(np.int64)
        return calls
