"""What doublers forecast of the dealer's side, and what came of it.

A doubler with the attribute ``forecast`` is asked for weights of three outcomes: the dealer's side has fewer than 30 points, 30, or more. It is asked
wherever the engine would ask it to speak: the left opponent always, the right one where the left passed, the dealer where one of them doubled, the
partner where the dealer passed. Who spoke is no part of a record, so the deals are also played with two seats alone speaking.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.forecasts import forecaster
from trickbench.games.game import Game
from trickbench.simulation import deal_table
from trickbench.studies.auction_views import DOUBLES, auction_view
from trickbench.studies.doubles_seen import rows_of, side_of
from trickbench.studies.voices import Voice, sitting
from trickbench.table import Table
from trickbench.worker import Chunk

PERMILLE = 1000
"""Probabilities are kept in whole multiples of 1 / PERMILLE."""
ASKED = ["decision", "no_trump", "below", "tie", "outcome"]
"""Columns of the rows: ``below`` is P(fewer than 30) with ties left out, ``tie`` P(30); gains are those of speaking there rather than not."""
QUIET, LEFT_A, LEFT_B, BOTH, DEALER_A, DEALER_B, ALL_DOUBLED, ALL_SILENT, ALL_BACK = range(9)
"""The tables: nobody speaks; only the left opponent may double, for dealers 0 and 1, and for dealers 2 and 3; everybody may speak; so, but the
dealer's partner may not redouble, for dealers 0 and 1, and for 2 and 3; everything is doubled, and answered; everything is doubled, and not answered;
everything is doubled and redoubled."""


def forecast_tables(game: Game, player: Any, doubler: Voice, silent: Voice, always: Voice) -> list[Table]:
    """Return the tables that the forecasts of one doubler take.

    Parameters
    ----------
    game : Game
    player : str, Agent or function
        Who calls and plays.
    doubler, silent, always : Voice
    """
    quiet, left = sitting(game, player, silent, silent), sitting(game, player, doubler, silent)
    both = sitting(game, player, doubler, doubler)
    # Of dealer 0 or 1 the left opponent sits in seat 1 or 2, the right one in 3 or 0; the dealer sits in 0 or 1, its partner in 2 or 3.
    seats = [[quiet], [quiet, left, left, quiet], [left, quiet, quiet, left], [both], [both, both, left, left], [left, left, both, both]]
    seats += [[sitting(game, player, always, back)] for back in (doubler, silent, always)]
    return [Table(game, strategies) for strategies in seats]


def forecasters(tables: Sequence[Table]) -> list[Any]:
    """Return who tells the forecasts of a double and of a redouble at the tables of :func:`forecast_tables`; None where nobody does."""
    return [forecaster(tables[BOTH], 0, kind) for kind in ("double", "redouble")]


def see_forecasts(game: Game, chunks: Sequence[Chunk], asking: Sequence[Any], seed: int) -> pd.DataFrame:
    """Return what a doubler forecast in deals, with what happened and what speaking would have won.

    Parameters
    ----------
    game : Game
    chunks : sequence of Chunk
        With plays; the same deals at each of :func:`forecast_tables`.
    asking : sequence
        From :func:`forecasters`.
    seed : int
        Of the deals.
    """
    deals = [deal_table(game, chunk.codes, chunk.plays, chunk.first) if number == QUIET else game.deals(chunk.codes, chunk.first)
             for number, chunk in enumerate(chunks)]  # fmt: skip
    sides = [side_of(table) for table in deals]
    early = deals[QUIET]["dealer"].to_numpy() < 2
    by_left = np.where(early, sides[LEFT_A].doubled, sides[LEFT_B].doubled) > 0
    by_dealer = np.where(early, sides[DEALER_A].redoubled, sides[DEALER_B].redoubled) > 0
    doubled = sides[BOTH].doubled > 0
    asked = {"left": np.full(len(early), True), "right": ~by_left, "dealer": doubled, "partner": doubled & ~by_dealer}
    by_doubling, by_redoubling = sides[QUIET].net - sides[ALL_DOUBLED].net, sides[ALL_BACK].net - sides[ALL_SILENT].net
    parts = []
    for number, (who, decision) in enumerate(DOUBLES.items()):
        ask, some = asking[number // 2], asked[who]
        if ask is None or not some.any():
            continue
        weights = ask(auction_view(game, deals[QUIET][some], decision, seed))
        keys = {"decision": number, "no_trump": sides[QUIET].no_trump[some], "outcome": sides[QUIET].outcome[some], **said(weights)}
        parts.append(rows_of(keys, (by_doubling if number < 2 else by_redoubling)[some], ASKED))
    return pd.concat(parts, ignore_index=True)


def said(weights: NDArray[np.float64]) -> dict[str, NDArray[np.int64]]:
    """Return forecasts as they are kept; where only a tie is thought possible, the rest is even."""
    whole, decided = weights.sum(axis=1), weights[:, [0, 2]].sum(axis=1)
    below = np.divide(weights[:, 0], decided, out=np.full(len(weights), 0.5), where=decided > 0)
    return {"below": np.round(PERMILLE * below).astype(np.int64), "tie": np.round(PERMILLE * weights[:, 1] / whole).astype(np.int64)}
