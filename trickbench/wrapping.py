"""From an agent's function on one view to a choose function over the lanes of a block.

``play(view)`` is wrapped once: the view becomes a named tuple of integers built in the loop, of which LLVM keeps only what
the function reads. What crosses the function pointer is arrays, because numba cannot cache a function pointer
that takes a named tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types, void
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload
from numba.np.unsafe.ndarray import to_fixed_tuple

from trickbench.engine import NUMBERS
from trickbench.games.rows import LANES
from trickbench.jit import compiled
from trickbench.narrow import natural


class FloatReturned(TypingError):
    """A kernel returns something other than a whole number."""


def whole(value: Any) -> Any:
    """Return a choice; in compiled code, refuse at compile time what is not an integer."""
    return value


# A float would be cut to an integer silently when stored. No annotations: numba compares the arguments to the letter.
@overload(whole)
def _whole_compiled(value):  # type: ignore[no-untyped-def]
    if value != natural and not isinstance(value, types.Integer):
        raise FloatReturned(f"it returns {value}; one bit of view.legal, a whole number, would be right")
    return lambda value: value


def nothing() -> None:
    """Let lanes be done together."""


def barrier() -> None:
    """Keep the lanes of a loop from being done together, to see what that is worth; nothing in plain Python."""


@intrinsic
def _barrier(_context: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        builder.call(ir.InlineAsm(ir.FunctionType(ir.VoidType(), []), "", "~{memory}", side_effect=True), [])
        return context.get_dummy_value()

    return types.none(), generate


@overload(nothing)
def _nothing_compiled():  # type: ignore[no-untyped-def]
    return lambda: None


@overload(barrier)
def _barrier_compiled():  # type: ignore[no-untyped-def]
    return lambda: _barrier()


def make_choose(
    function: Callable[..., int],
    arity: int,
    parameters: type[Any],
    face: Any,
    digest: str | None,
    allocates: bool = False,
    one_by_one: bool = False,
) -> Any:
    """Return the compiled choose function of a kernel agent's decision function.

    Parameters
    ----------
    function : callable
        Marked with :func:`trickbench.kernel`; takes the first ``arity`` of view, params, rules, tables.
    arity : int
        1 to 4.
    parameters : type
        Named tuple of the agent's parameters, all integers.
    face : Face
        The game's view and rules as kernels read them.
    digest : str or None
        Digest of the agent's sources, for the cache.
    allocates : bool
        The function makes arrays of its own.
    one_by_one : bool
        Do the lanes one after the other, with the same result: what is measured against.
    """
    view_of, rules_of, header_of = face.view_of, face.rules_of, face.header_of
    rule_count, count, choice = face.rule_count, len(parameters._fields), face.choice
    between = barrier if one_by_one else nothing
    needs_params, bits = count > 0, min(face.dtype().itemsize * 8, 62)

    @compiled(void(face.blocks, NUMBERS, NUMBERS, NUMBERS), digest, digest is not None, allocates)
    def choose(view: Any, params: Any, tables: Any, scratch: Any) -> None:
        rules = rules_of(params)
        own = parameters(*to_fixed_tuple(params[rule_count:], count)) if needs_params else parameters()
        header = header_of(view, rules)
        for i in range(LANES):
            between()
            arguments = (view_of(view, i, header), own, rules, tables)
            chosen = whole(function(*arguments[:arity]))
            # What does not fit the row becomes 0, which is refused, instead of being cut to something legal.
            view[choice + i] = chosen if chosen >> bits == 0 else 0

    return choose


def make_lanes(function: Callable[..., None], face: Any, digest: str | None, allocates: bool = False) -> Any:
    """Return the compiled form of a choose function that loops over the lanes itself."""
    return compiled(void(face.blocks, NUMBERS, NUMBERS, NUMBERS), digest, digest is not None, allocates)(function)
