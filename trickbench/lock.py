"""One process at a time writes a results folder.

The lock is the operating system's, on the file ``.lock`` in the folder: it goes when its process goes, however that ends, so
a run that was killed can be resumed at once. The file says whose it is, and is removed at the end.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trickbench.errors import RunError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
FAR = 1 << 30
"""Windows keeps others from reading the byte that is locked, so it is one behind the text."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a results folder for this process.

    Raises
    ------
    RunError
        If another process, or another run of this one, holds it, or the folder cannot be written.
    """
    path = folder / LOCK
    file = _open(path)
    try:
        yield
    finally:
        if os.name == "nt":
            os.close(file)
            # Whoever opened it in between holds it now.
            with suppress(OSError):
                path.unlink()
        else:
            # Removed while it is held: nobody can lock it in between, and who waits sees that it is gone.
            with suppress(OSError):
                path.unlink()
            os.close(file)


def _open(path: Path) -> int:
    """Return the lock file, opened and locked, with the name of this process in it."""
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise RunError(f"cannot write '{path}': {error.strerror}") from None
        if not _lock(file):
            os.close(file)
            raise RunError(f"'{path.parent}' is in use by {_holder(path)}; wait until it has ended, or choose another folder with --out")
        # The file may have been removed by its holder after it was opened here: then the lock is on nothing.
        if _same(file, path):
            break
        os.close(file)
    # What stands in it is a courtesy: on a full disk the lock holds as well.
    with suppress(OSError):
        os.ftruncate(file, 0)
        os.write(file, f"process {os.getpid()} on {platform.node()}\n".encode())
    return file


def _lock(file: int) -> bool:
    """Lock an open file; return False if another one holds it."""
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            os.lseek(file, FAR, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
            os.lseek(file, 0, os.SEEK_SET)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        # A file system without locks loses only the protection.
        return True
    return True


def _same(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except OSError:
        return False


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip() or "another process"
    except OSError:
        return "another process"
