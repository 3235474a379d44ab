"""What agents forecast (``Agent.forecast``), asked for many decisions at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickbench.agent import numbers_of
from trickbench.engine import AGENTS, PARTS
from trickbench.errors import AgentError, TrickbenchError
from trickbench.table import Table

OUTCOMES = {"bid": 18, "double": 3, "redouble": 3}
"""How many outcomes are forecast, by kind of decision: 0 to 17 own tricks; the dealer's side has fewer than 30 points, 30, more."""


def forecaster(table: Table, seat: int, kind: str) -> Callable[[Any], NDArray[np.float64]] | None:
    """Return what tells the forecasts of the agent that answers a kind of decision in a seat, or None if it makes none.

    It takes a view of arrays, one element a decision, and returns weights [decisions, outcomes], not normalised. It is for one thread: a forecast by
    rollouts writes to the memory it is given. It raises AgentError if the agent fails, or returns something else than weights.

    Parameters
    ----------
    table : Table
    seat : int
    kind : str
        Of :data:`OUTCOMES`.
    """
    bound = table.seats[seat].decisions[kind]
    forecast = bound.agent.forecast.get(kind)
    if forecast is None:
        return None
    number = table.game.kinds.index(kind)
    k = PARTS * (AGENTS * number + ((table.bounds_of_kind[number][1] >> (2 * seat)) & 3))
    data, numbers = table.memory()
    extra = (numbers_of(bound.params), table.game.rules.values(), data[numbers[k + 2] : numbers[k + 3]])
    return lambda view: _weights(forecast, extra, view, OUTCOMES[kind], bound.text)


def _weights(forecast: Callable[..., Any], extra: tuple[Any, ...], view: Any, outcomes: int, agent: str) -> NDArray[np.float64]:
    n = len(view.hand)
    try:
        weights = np.asarray(forecast(view, *extra))
        if weights.shape != (n, outcomes) or weights.dtype.kind not in "iuf":
            raise AgentError(f"it returned {weights.dtype}{list(weights.shape)}; weights [{n}, {outcomes}] would be right")
        found = weights.astype(np.float64)
        if not (np.isfinite(found).all() and (found >= 0).all() and (found.sum(axis=1) > 0).all()):
            raise AgentError("it returned other weights than finite numbers from 0 up, in each row at least one above 0")
    except TrickbenchError as error:
        raise AgentError(f"agent '{agent}' (forecast): {error}") from None
    except Exception as error:
        raise AgentError(f"agent '{agent}' (forecast): it raised {type(error).__name__}: {error}") from error
    return found
