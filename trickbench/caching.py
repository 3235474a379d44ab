"""The compile cache by command: fill it ahead of time, or empty it."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

from trickbench.errors import RunError
from trickbench.games.registry import GAMES, game
from trickbench.jit import cache_directory, cache_root
from trickbench.registry import registered


def size_of(folder: Path) -> tuple[int, int]:
    """Return how many files are in a folder and below it, and how many bytes they have."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return len(sizes), sum(sizes)


def warm() -> dict[str, Any]:
    """Compile the engine of every game and all registered agents, or load what is compiled already.

    Returns
    -------
    dict
        ``folder``, ``files``, ``bytes``, ``seconds``.

    Raises
    ------
    RunError
        If nothing can be written where the cache should be.
    """
    from trickbench.registry import find
    from trickbench.table import Table

    if cache_directory() is None:
        raise RunError(f"the compile cache cannot be written to '{cache_root()}'; NUMBA_CACHE_DIR, set to another folder, would be right")
    begun = time.perf_counter()
    for family, name in {type(game(name)).family: name for name in GAMES}.items():
        played = game(name)
        played.face()
        for agent in registered():
            if find(agent).decisions(family):
                table = Table(played, agent)
                if table.compiled:
                    table.functions()
    files, size = size_of(cache_root())
    return {"folder": str(cache_root()), "files": files, "bytes": size, "seconds": time.perf_counter() - begun}


def clear() -> dict[str, Any]:
    """Remove all that this package has compiled, of every version.

    Returns
    -------
    dict
        ``folder``, ``files``, ``bytes``: what was removed.

    Raises
    ------
    RunError
        If it cannot be removed.
    """
    folder = cache_root()
    files, size = size_of(folder) if folder.is_dir() else (0, 0)
    try:
        if folder.is_dir():
            shutil.rmtree(folder)
    except OSError as error:
        raise RunError(f"cannot remove '{error.filename or folder}': {error.strerror}") from None
    return {"folder": str(folder), "files": files, "bytes": size}
