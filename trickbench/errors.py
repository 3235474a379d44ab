"""The errors a user meets: one line that says what, where, and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class TrickbenchError(Exception):
    """Base of all errors this package raises for its users."""

    exit_code = 1

    def __init__(self, message: object) -> None:
        # One line, whatever an agent's own error or a library's says.
        super().__init__(" ".join(str(message).split()))


class UsageError(TrickbenchError, ValueError):
    """Something that was typed or passed in is wrong."""

    exit_code = 2


class RunError(TrickbenchError, RuntimeError):
    """A run that began could not be finished."""


class AgentError(RunError):
    """An agent raised, or returned something that is not a legal choice."""


def unknown(kind: str, name: object, known: Iterable[str], where: str = "") -> UsageError:
    """Return the error for a name that is not known, with the nearest known one or the whole list."""
    names = sorted(known)
    near = get_close_matches(str(name), names, n=1, cutoff=0.6)
    hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names)}"
    place = f"{where}: " if where else ""
    return UsageError(f"{place}unknown {kind} '{name}'; {hint}")
