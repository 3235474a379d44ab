"""The one place where numba is configured: decorators, type names, the disk cache.

``kernel`` marks a small scalar function so that other kernels may call it; it stays a plain Python
function and can be called, tested and read as one. ``compiled`` turns a loop over lanes into machine
code with an explicit signature, cached on disk.

numba's own cache looks at the file of the compiled function only and misses a change in a helper in
another file, and it ignores the bounds-check flag. So the cache directory carries a digest of every source
file a kernel can depend on: an edit gives a new directory, never an old result.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

import numba
from numba import njit
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
KERNEL_SOURCES = (
    "__init__.py", "cards.py", "jit.py", "narrow.py", "bits.py", "streams.py", "engine.py", "turnover.py", "wrapping.py", "policies.py", "games",
)  # fmt: skip
KEPT_DIGESTS = 6
"""Cache directories of other source versions that are left in place; older ones are removed."""
KEPT_AGENTS = 32
"""The same for versions of agents' files."""


def kernel(function: F) -> F:
    """Mark a scalar function for use inside compiled code.

    The function stays an ordinary Python function. An agent's decision function that bears this mark runs
    compiled, in lanes; without it, it is called once a decision from Python. Either way it computes with
    integers of 64 bits, and gives the same results.

    Parameters
    ----------
    function : callable
        Takes and returns integers (or the view), in the subset of Python that numba compiles.

    Returns
    -------
    callable
        The same function object.
    """
    # LLVM must inline before it can vectorise, and by its own estimate it leaves the larger helpers as calls.
    registered: F = register_jitable(forceinline=True)(function)
    registered.trickbench_tier = "kernel"  # type: ignore[attr-defined]
    return registered


def compiled(signature: Any, digest: str | None = None, cached: bool = True, allocates: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Compile a loop over lanes at once, with an explicit signature, and cache it on disk.

    Parameters
    ----------
    signature : numba signature
        Explicit, so that compilation happens here and never during a run.
    digest : str, optional
        Digest of further sources the function depends on (an agent's file); part of the directory name.
    cached : bool
        False for a function that has no file, typed into a prompt.
    allocates : bool
        The function makes arrays of its own. Otherwise numba need not count references to arrays, which it does with two locked
        instructions for every slice and call (docs/engine.md says what that cost).

    Returns
    -------
    decorator
    """

    def decorate(function: Callable[..., Any]) -> Any:
        _name_apart(function)
        directory = cache_directory(digest) if cached else None
        with _alone(directory), _numba_cache(directory):
            return njit(signature, cache=directory is not None, nogil=True, error_model="numpy", _nrt=allocates)(function)

    return decorate


def _name_apart(function: Callable[..., Any]) -> None:
    """Give each closure of a factory a name of its own.

    numba names files and machine-code symbols after the qualified name and a number that it counts in each process. Closures of
    one factory share the name. So when two processes fill a cache together, two different closures can get the same file
    or the same symbol, and whoever loads them runs the wrong one, silently and from then on. Both were seen.
    """
    if function.__closure__:
        held = "|".join(_described(cell.cell_contents) for cell in function.__closure__)
        tag = hashlib.sha256(held.encode()).hexdigest()[:10]
        function.__name__ = f"{function.__name__}_{tag}"
        function.__qualname__ = f"{function.__qualname__}_{tag}"


def _described(value: Any) -> str:
    """Return a text that is the same in every process, and different for what a factory may close over."""
    if isinstance(value, (int, str, type(None))):
        return repr(value)
    function = getattr(value, "py_func", value)
    code = getattr(function, "__code__", None)
    name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    if code is None:
        return name
    held = ",".join(_described(cell.cell_contents) for cell in function.__closure__ or ())
    return f"{name}:{code.co_firstlineno}:{hashlib.sha256(code.co_code).hexdigest()[:10]}({held})"


@contextmanager
def _alone(directory: Path | None) -> Iterator[None]:
    """Keep other processes from compiling into the same directory at the same time: the second one then finds it done."""
    if directory is None or fcntl is None:
        yield
        return
    # Another process, or this one for other agents, may have pruned it since it was made.
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / ".lock", "w") as lock:
        # A file system without locks loses only the protection.
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _numba_cache(directory: Path | None) -> Iterator[None]:
    """Point numba's global setting at our directory only while our decorator runs."""
    before = numba.config.CACHE_DIR
    if directory is not None:
        numba.config.CACHE_DIR = str(directory)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def cache_root() -> Path:
    """Return the folder that holds all of this package's caches (``NUMBA_CACHE_DIR`` is respected)."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen) / "trickbench"
    from numba.misc.appdirs import user_cache_dir

    # Without a home the path begins with "~", and would be made in the current folder.
    return Path(user_cache_dir("trickbench", appauthor=False))


@cache
def cache_directory(digest: str | None = None) -> Path | None:
    """Return a writable cache directory for the sources as they are now, or None where none can be had."""
    main = cache_root() / source_digest()
    if not main.is_absolute():
        return None
    directory = main / f"agents-{digest}" if digest else main / "engine"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = directory / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
        os.utime(main)
    except (OSError, RuntimeError):
        return None
    _prune(main, KEPT_DIGESTS)
    if digest:
        os.utime(directory)
        _prune(directory, KEPT_AGENTS)
    return directory


def _prune(current: Path, kept: int) -> None:
    """Remove the folders beside one that have not been used for longest."""
    others = [path for path in current.parent.iterdir() if path.is_dir() and path not in (current, current.parent / "engine")]
    with suppress(OSError):
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[kept:]:
            shutil.rmtree(path, ignore_errors=True)


@cache
def source_digest() -> str:
    """Return version, digest of all kernel sources, and the flags that change what is compiled."""
    from trickbench import __version__

    files: list[Path] = []
    for name in KERNEL_SOURCES:
        path = PACKAGE / name
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    flags = "-boundscheck" if numba.config.BOUNDSCHECK else ""
    lanes = os.environ.get("TRICKBENCH_LANES", "")
    return f"{__version__}-{digest_files(files)}-numba{numba.__version__}{flags}{lanes and '-lanes' + lanes}"


def digest_files(files: list[Path]) -> str:
    """Return a short digest of the names and contents of ``files``."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.parent.name}/{path.name}".encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


# Now, and not at the first compilation: an edit in between would store old code under the new name.
source_digest()
