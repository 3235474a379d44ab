"""What the engine showed to those who might double or redouble, again from recorded deals: a view of arrays, an element a deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.cards import MANILLE
from trickbench.games.game import Game
from trickbench.games.manille import auction
from trickbench.games.manille.layout import DOUBLE_LEFT, DOUBLE_RIGHT, NT_CALL, REDOUBLE_DEALER, REDOUBLE_PARTNER, View
from trickbench.games.manille.scoring import factor
from trickbench.streams import words

DOUBLES = {"left": DOUBLE_LEFT, "right": DOUBLE_RIGHT, "dealer": REDOUBLE_DEALER, "partner": REDOUBLE_PARTNER}
"""Who may speak after the call, in order, and the number of the decision: the opponents left and right of the dealer double, the others redouble."""
TRUMPS = np.array([*(MANILLE.suit(suit) for suit in range(4)), 0], np.int64)


def asked_seats(dealers: Any, decision: int) -> NDArray[np.int64]:
    """Return the seat that answers an auction decision, for each dealer's seat."""
    seats: NDArray[np.int64] = (np.asarray(dealers, np.int64) + auction.PLACES[decision] + 1) % 4
    return seats


def auction_view(game: Game, deals: pd.DataFrame, decision: int, seed: int) -> Any:
    """Return what the seat that is asked sees, in every deal: a ``View`` of arrays int64[deals].

    Parameters
    ----------
    game : Game
        Manille with any rules.
    deals : DataFrame
        Independent deals as a record of plays has them: deal, dealer, caller, en_face, blind, call, hand_0 .. hand_3. Whether they were doubled
        in the end does not matter.
    decision : int
        Of ``DOUBLES``; a redouble is asked after a double.
    seed : int
        Of the agents' words.
    """
    dealer, call = deals["dealer"].to_numpy(np.int64), deals["call"].cat.codes.to_numpy(np.int64)
    seat = asked_seats(dealer, decision)
    hands = np.stack([deals[f"hand_{number}"].to_numpy(np.int64) for number in range(4)])
    blind = deals["blind"].to_numpy(np.int64)
    doubled = int(decision >= REDOUBLE_DEALER)
    index: Any = deals["deal"].to_numpy(np.int64)
    of_seats: NDArray[np.int64] = np.stack(words(seed, index, 0, decision, 0))
    changing = {
        "hand": np.take_along_axis(hands, seat[None], 0)[0],
        "trump": TRUMPS[call],
        "dealer": (dealer - seat) % 4,
        "caller": (deals["caller"].to_numpy(np.int64) - seat) % 4,
        "asked": deals["en_face"].to_numpy(np.int64),
        "call": call,
        "factor": _factors(game, call == NT_CALL, blind, doubled),
        "word": np.take_along_axis(of_seats, seat[None], 0)[0],
    }
    constant = dict.fromkeys(View._fields, 0) | {
        "legal": auction.NO_YES, "doubled": doubled, "carry": 1, "target": game.rules.values().target,
    }  # fmt: skip
    columns: dict[str, Any] = {name: changing[name] if name in changing else np.full(len(deals), constant[name], np.int64) for name in View._fields}
    return View(**columns)


def _factors(game: Game, no_trump: NDArray[np.bool_], blind: NDArray[np.int64], doubled: int) -> NDArray[np.int64]:
    rules = game.rules.values()
    table = np.array([[factor(called, unseen, doubled, 0, 1, rules) for unseen in (0, 1)] for called in (0, 1)], np.int64)
    return table[no_trump.astype(np.int64), blind]
