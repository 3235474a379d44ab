"""What in the source of a decision function may keep a loop over lanes from becoming vector instructions."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

REASONS = {
    "return": "returns early; compute both values and choose: a if condition else b",
    "loop": "has a loop of a length that differs from lane to lane; loop a constant number of times and select",
    "divide": "divides; multiply and shift instead, as trickbench.bits.bounded does",
    "look up": "looks a value up by something of the view; lanes then load from different places",
    "branch": "has branches that do more than choose a value; compute first, then choose: a if condition else b",
}


def causes(function: Callable[..., Any]) -> list[str]:
    """Return what may be in the way, a line each, with line numbers; of this function and the kernels it calls.

    This reads the source and measures nothing: what it lists is usual, not proven.
    """
    found: list[str] = []
    for one in reached(function):
        try:
            lines, first = inspect.getsourcelines(one)
        except (OSError, TypeError):
            continue
        tree = ast.parse(textwrap.dedent("".join(lines)))
        found += [f"{one.__name__}, line {first + line - 1}: {REASONS[reason]}" for line, reason in sorted(set(marks(tree)))]
    return found


def reached(function: Callable[..., Any], seen: dict[int, Any] | None = None) -> list[Callable[..., Any]]:
    """Return a function and the functions of agents' modules that it calls, in the order in which they are found."""
    seen = {} if seen is None else seen
    if id(function) in seen:
        return []
    seen[id(function)] = function
    names = [name for name in function.__code__.co_names if inspect.isfunction(function.__globals__.get(name))]
    called = [function.__globals__[name] for name in names]
    for other in called:
        # What the toolkit itself offers is known to vectorise.
        if not str(other.__module__).startswith("trickbench."):
            reached(other, seen)
    return list(seen.values())


def marks(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield lines and reasons."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
        yield from ((node.lineno, "return") for node in returns[:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.While) or (isinstance(node, ast.For) and not _is_constant_loop(node)):
            yield node.lineno, "loop"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod, ast.Div)):
            yield node.lineno, "divide"
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant) and isinstance(node.ctx, ast.Load):
            yield node.lineno, "look up"
        elif isinstance(node, ast.If) and not any(isinstance(part, ast.Return) for part in ast.walk(node)):
            yield node.lineno, "branch"


def _is_constant_loop(node: ast.For) -> bool:
    """Return True for a loop over a tuple, or over a range of constants."""
    over = node.iter
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "range":
        return all(isinstance(bound, ast.Constant) or (isinstance(bound, ast.Name) and bound.id.isupper()) for bound in over.args)
    return isinstance(over, (ast.Tuple, ast.Constant)) or (isinstance(over, ast.Name) and over.id.isupper())
