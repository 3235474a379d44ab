"""What ``calibrated`` predicts, for many decisions at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types, void
from numpy.typing import NDArray

from trickbench.jit import compiled
from trickbench_agents.calibrated_features import FEATURES, features

NUMBERS = types.int64[::1]


@compiled(void(NUMBERS, NUMBERS, NUMBERS, NUMBERS, types.int64[:, ::1]))
def evaluate(hands: Any, trumps: Any, asked: Any, may_pass: Any, table: Any) -> None:
    """Fill the features of many hands."""
    for k in range(len(hands)):
        x = features(hands[k], trumps[k], asked[k], may_pass[k])
        for j in range(len(x)):
            table[k, j] = x[j]


def features_of(hands: Any, trumps: Any, asked: Any, may_pass: Any) -> NDArray[np.int64]:
    """Return the features of hands, int64[n, len(FEATURES)].

    Parameters
    ----------
    hands, trumps : integers [n]
        Sets of cards; trump 0 at no-trump.
    asked : integers [n]
        1 where en face was said.
    may_pass : integers [n]
        1 where the rules have en face.
    """
    table = np.zeros((len(hands), len(FEATURES)), np.int64)
    evaluate(*(np.ascontiguousarray(column, np.int64) for column in (hands, trumps, asked, may_pass)), table)
    return table
