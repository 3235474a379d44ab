"""Other agents' compiled functions for an agent that plays rollouts: how they reach compiled code.

An agent of tier ``lanes`` says with ``Agent(policies=...)`` which strategies it lets play in its rollouts. Each becomes a table of its own
(:class:`trickbench.table.Table`), of which the agent is handed all that the engine would be: the numbers of a run, the functions' parameters, tables
and scratch with their bounds, and the addresses of the functions. They stand in its ``tables``, in whole numbers, before the tables of its
own::

    number of policies P
    for each policy: where its run, data, bounds and addresses begin
    where the agent's own tables begin
    run, data, bounds, addresses of policy 0, of policy 1, ..., the agent's own tables

An address turns into what numba calls for a first-class function, so neither the agent nor the engine is compiled again for another policy.
Addresses differ from process to process; what is digested of a table leaves them out. docs/engine.md tells what else was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from trickbench.engine import AGENTS
from trickbench.jit import kernel

RUN, DATA, BOUNDS, ADDRESSES = 0, 1, 2, 3
"""The parts of a policy, as the engine takes them: the numbers of a run; parameters, tables and scratch of all its functions; where each function's
are; addresses."""
PARTS = 4

# Bounds and not slices are returned: compiled code that makes no arrays may not hand a slice back from a function.


@kernel
def begin_of(tables: Any, policy: int, part: int) -> int:
    """Return where a part of a policy begins in an agent's tables."""
    return tables[1 + PARTS * policy + part]  # type: ignore[no-any-return]


@kernel
def end_of(tables: Any, policy: int, part: int) -> int:
    """Return where a part of a policy ends."""
    return tables[2 + PARTS * policy + part]  # type: ignore[no-any-return]


@kernel
def address_of(tables: Any, policy: int, kind: int, slot: int) -> int:
    """Return the address of function ``slot`` of a policy for a kind of decision, as the game numbers them."""
    return tables[begin_of(tables, policy, ADDRESSES) + AGENTS * kind + slot]  # type: ignore[no-any-return]


@kernel
def own_begin(tables: Any) -> int:
    """Return where the tables of the agent itself begin."""
    return tables[1 + PARTS * tables[0]]  # type: ignore[no-any-return]


def make_function_at(choose: Any) -> Callable[[int], Any]:
    """Return what turns an address into a first-class function, in compiled code alone.

    Parameters
    ----------
    choose : numba type
        The functions' type: ``choose`` of a game's face.
    """

    @intrinsic
    def function_at(_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            # Numba calls through this one if it is set, and hands on exceptions; the others are for C and for Python.
            function = cgutils.create_struct_proxy(choose)(context, builder)
            function.jit_addr = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
            return function._getvalue()

        return choose(types.int64), generate

    return function_at  # type: ignore[no-any-return]


def address(function: Any, choose: Any) -> int:
    """Return the address of a compiled function; it is good as long as the function lives."""
    compiled = function.get_compile_result(choose.signature)
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def packed(policies: Sequence[Sequence[NDArray[np.int64]]], own: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the tables of an agent with policies: the parts of each, and its own tables, in the form told above."""
    parts = [*(part for policy in policies for part in policy), own]
    ends = np.cumsum([2 + PARTS * len(policies), *map(len, parts)])
    return np.concatenate([np.array([len(policies), *ends[:-1]], np.int64), *parts])
