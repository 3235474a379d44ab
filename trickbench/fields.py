"""Which fields of its view a decision function reads, known from its code.

What is read is the code that numba compiles, in the form in which numba itself reads it: there every use of a variable is a statement that
names it. A field counts as read wherever the view, or a name given to it, stands before a dot; a kernel that the view is handed on to is read too.
Any other use (the view in a tuple, returned, looked up by number, taken into a nested function, handed to a function that is
not known) means all fields: too many cost time, one too few would be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from trickbench.agent import tier_of


class _Unclear(Exception):
    """The view is used in a way that does not tell what is read of it."""


@cache
def fields_read(function: Callable[..., Any], fields: tuple[str, ...]) -> frozenset[str]:
    """Return the fields of its first argument that a decision function may read.

    Parameters
    ----------
    function : callable
        Of any tier. Only a kernel's code is read.
    fields : tuple of str
        All fields of the view.

    Returns
    -------
    frozenset of str
        All fields if the code does not tell.
    """
    seen: dict[tuple[Any, int], set[str]] = {}
    try:
        _read(function, 0, fields, seen)
    # numba says in many ways that it cannot read a function; when it then does not compile either, that is said elsewhere.
    except Exception:
        return frozenset(fields)
    return frozenset().union(*seen.values())


def _read(function: Any, place: int, fields: Iterable[str], seen: dict[tuple[Any, int], set[str]]) -> None:
    """Note what a kernel, and the kernels it hands the view on to, read of the view that is their argument number ``place``."""
    if not isinstance(function, FunctionType) or tier_of(function) != "kernel":
        raise _Unclear
    if (function, place) in seen:
        return
    found = seen[function, place] = set()
    statements = _statements(function)
    views = _names(statements, place)
    for statement in statements:
        if views.isdisjoint(variable.name for variable in statement.list_vars()):
            continue
        attribute, called = _use(statement, views)
        if called is not None:
            callee = _value(called.func.name, statements)
            for position in _places(called, callee, views):
                _read(callee, position, fields, seen)
        elif attribute is not None and attribute in fields:
            found.add(attribute)
        elif attribute is not None:
            raise _Unclear


def _statements(function: FunctionType) -> list[Any]:
    """Return a function as numba reads it: assignments of one operation each, jumps and branches."""
    from numba.core.compiler import run_frontend

    return [statement for block in run_frontend(function).blocks.values() for statement in block.body]


def _names(statements: list[Any], place: int) -> set[str]:
    """Return the names that may stand for argument number ``place``."""
    from numba.core import ir

    assigned = [statement for statement in statements if isinstance(statement, ir.Assign)]
    names = {one.target.name for one in assigned if isinstance(one.value, ir.Arg) and one.value.index == place}
    more = True
    while more:
        copies = {one.target.name for one in assigned if isinstance(one.value, ir.Var) and one.value.name in names}
        more = not copies <= names
        names |= copies
    return names


def _use(statement: Any, views: set[str]) -> tuple[str | None, Any]:
    """Return the attribute that a statement with a view in it loads, or the call that it makes; neither if it gives the view a name."""
    from numba.core import ir

    value = statement.value if isinstance(statement, ir.Assign) else None
    if isinstance(value, (ir.Arg, ir.Var)):
        return None, None
    if isinstance(value, ir.Expr) and value.op == "getattr":
        return value.attr, None
    if isinstance(value, ir.Expr) and value.op == "call" and value.func.name not in views:
        return None, value
    raise _Unclear


def _value(name: str, statements: list[Any]) -> Any:
    """Return what a name stands for: a global or a value closed over, or something of a module that is one."""
    from numba.core import ir

    origins, given = [name], []
    for one in origins:
        given += [statement.value for statement in statements if isinstance(statement, ir.Assign) and statement.target.name == one]
        # An argument that is chosen (a if condition else b) makes the function that waits for it a copy in each branch.
        origins += [value.name for value in given if isinstance(value, ir.Var) and value.name not in origins]
    found = {id(value): value for value in (_loaded(value, statements) for value in given if not isinstance(value, ir.Var))}
    if len(found) != 1:
        raise _Unclear
    return next(iter(found.values()))


def _loaded(value: Any, statements: list[Any]) -> Any:
    """Return the object that one operation loads."""
    from numba.core import ir

    if isinstance(value, (ir.Global, ir.FreeVar)):
        return value.value
    if isinstance(value, ir.Expr) and value.op == "getattr":
        holder = _value(value.value.name, statements)
        if isinstance(holder, ModuleType):
            return getattr(holder, value.attr)
    raise _Unclear


def _places(call: Any, callee: Any, views: set[str]) -> list[int]:
    """Return at which of its named arguments a function is handed the view."""
    if call.vararg is not None or call.varkwarg is not None or not isinstance(callee, FunctionType):
        raise _Unclear
    names = callee.__code__.co_varnames[: callee.__code__.co_argcount]
    by_position = [place for place, variable in enumerate(call.args) if variable.name in views]
    by_name = [names.index(name) for name, variable in call.kws if variable.name in views]
    if any(place >= len(names) for place in by_position):
        raise _Unclear
    return by_position + by_name
