"""Where a result came from: versions, sources, commit, machine."""

from __future__ import annotations

import hashlib
import inspect
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trickbench.table import Table

PACKAGES = ("trickbench", "numpy", "numba", "llvmlite", "pandas", "pyarrow", "matplotlib")
PYTHON_SOURCES = ("agent.py", "calling.py", "chunks.py", "crew.py", "fields.py", "forecasts.py", "registry.py", "studies", "table.py", "worker.py")
"""Files of this package that can change results, besides those that kernels are made of."""


def provenance() -> dict[str, Any]:
    """Return package versions, git commit and machine, as manifests hold them."""
    return {
        "python": sys.version.split()[0],
        "packages": {name: _version(name) for name in PACKAGES},
        "commit": commit(),
        "machine": {"system": platform.platform(), "processor": processor(), "processors": os.cpu_count()},
    }


def sources(tables: Mapping[str, Table]) -> dict[str, Any]:
    """Return digests of the code and the tables of numbers that decide the results of matches, as manifests hold them.

    Parameters
    ----------
    tables : mapping
        Name of a match to who sits where.

    Returns
    -------
    dict
        ``trickbench``: one digest. ``agents``: a digest for each agent, of the Python files in its file's folder, or None for one that has no
        file; also of those that agents play rollouts with. ``tables``: a digest for each match, of its rules, its agents' parameters and the
        numbers they look up.
    """
    from trickbench.jit import KERNEL_SOURCES, PACKAGE, digest_files
    from trickbench.registry import parameters

    files = [path for name in (*KERNEL_SOURCES, *PYTHON_SOURCES) for path in _python_files(PACKAGE / name)]
    bounds = [bound for table in tables.values() for bound in table.all_bounds()]
    return {
        "trickbench": digest_files(files),
        "agents": {parameters(bound.text)[0]: _agent_digest(bound.function) for bound in bounds},
        "tables": {name: hashlib.sha256(table.memory(addresses=False)[0].astype("<i8").tobytes()).hexdigest()[:16] for name, table in tables.items()},
    }


def _python_files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _agent_digest(function: Callable[..., Any]) -> str | None:
    from trickbench.jit import digest_files

    # A partial function has the code of the function in it.
    module = sys.modules.get(getattr(inspect.unwrap(getattr(function, "func", function)), "__module__", None) or "")
    file = getattr(module, "__file__", None)
    return digest_files(sorted(Path(file).parent.glob("*.py"))) if file else None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def commit() -> str | None:
    """Return the commit of the checkout this package runs from, with ``+`` if files were changed; None elsewhere."""
    root = Path(__file__).parent.parent
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "HEAD")
        return f"{head}+" if _git(root, "status", "--porcelain", "--untracked-files=no") else head
    except (OSError, subprocess.SubprocessError):
        return None


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=10, check=True)
    return done.stdout.strip()


def processor() -> str:
    """Return the processor's name, as far as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
