"""The compile cache: never stale, never mixed up, and not needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import trickbench
from trickbench import jit

FACTORY = """
import random
from numba import int64
from trickbench.jit import compiled

def make(k):
    @compiled(int64(int64), "test")
    def add(x):
        return x + k
    return add

# Each process in an order of its own: without a lock two of them take one number for different functions.
made = {k: make(k) for k in random.sample(range(24), 24)}
added = [made[k] for k in range(24)]
wrong = [k for k in range(24) if added[k](100) != 100 + k]
hits = sum(sum(function.stats.cache_hits.values()) for function in added)
print(wrong, hits)
"""


CALLER = """
import sys
from numba import int64
from trickbench.jit import compiled

def make(k):
    @compiled(int64(int64), "test")
    def add(x):
        return x + k
    return add

added = {int(k): make(int(k)) for k in sys.argv[1:]}
if len(added) == 3:
    a, b, c = added[1], added[2], added[3]

    @compiled(int64(int64), "test")
    def call(x):
        return a(x) * 10000 + b(x) * 100 + c(x)

    print(call(10))
"""


def environment(cache: Path) -> dict[str, str]:
    """Return an environment with a cache folder of its own."""
    return {**os.environ, "NUMBA_CACHE_DIR": str(cache)}


def test_processes_that_compile_at_the_same_time_do_not_mix_up_their_functions(tmp_path: Path) -> None:
    script = tmp_path / "factory.py"
    script.write_text(FACTORY)
    together = [subprocess.Popen([sys.executable, str(script)], env=environment(tmp_path / "c"), stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for process in together:
        out, _ = process.communicate(timeout=120)
        assert out.startswith("[]"), out
    done = subprocess.run([sys.executable, str(script)], env=environment(tmp_path / "c"), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] 24"


def test_closures_compiled_by_different_processes_are_linked_each_as_itself(tmp_path: Path) -> None:
    script = tmp_path / "caller.py"
    script.write_text(CALLER)
    for ks in (["1"], ["2"], ["3"], ["1", "2", "3"], ["1", "2", "3"]):
        done = subprocess.run([sys.executable, str(script), *ks], env=environment(tmp_path / "c"), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "111213"


def test_the_cache_folder_bears_version_sources_and_flags() -> None:
    assert jit.source_digest().startswith(trickbench.__version__)
    code = "from trickbench.jit import source_digest; print(source_digest())"
    for variable, value, mark in (("NUMBA_BOUNDSCHECK", "1", "-boundscheck"), ("TRICKBENCH_LANES", "16", "-lanes16")):
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, variable: value}, capture_output=True, text=True, check=True)
        assert mark in done.stdout


def test_an_edit_of_any_kernel_source_gives_another_folder(tmp_path: Path) -> None:
    package = Path(jit.__file__).parent
    copy = tmp_path / "trickbench"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    code = "from trickbench.jit import source_digest; print(source_digest())"

    def digest() -> str:
        command = [sys.executable, "-S", "-P", "-c", f"import sys; sys.path[:0] = {[str(tmp_path), *sys.path]!r}; {code}"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    before = digest()
    assert digest() == before
    for name in ("bits.py", "games/manille/rules.py", "games/manchego/lanes.py", "wrapping.py", "streams.py"):
        source = copy / name
        source.write_text(source.read_text() + "\n# a change\n")
        after = digest()
        assert after != before, name
        before = after
    (copy / "cli.py").write_text((copy / "cli.py").read_text() + "\n# a change\n")
    assert digest() == before


def test_old_folders_are_removed_and_the_newest_kept(tmp_path: Path) -> None:
    for number in range(jit.KEPT_DIGESTS + 3):
        (tmp_path / f"old-{number}").mkdir()
        os.utime(tmp_path / f"old-{number}", (1000 + number, 1000 + number))
    current = tmp_path / "current"
    current.mkdir()
    jit._prune(current, jit.KEPT_DIGESTS)
    assert {path.name for path in tmp_path.iterdir()} == {"current", *(f"old-{number}" for number in range(3, jit.KEPT_DIGESTS + 3))}


def test_without_a_place_to_write_functions_are_compiled_and_not_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    jit.cache_directory.cache_clear()
    try:
        assert jit.cache_directory() is None
        assert jit.compiled("int64(int64)")(lambda x: x + 1)(1) == 2
    finally:
        jit.cache_directory.cache_clear()


def test_a_kernel_stays_a_plain_function() -> None:
    @jit.kernel
    def double(x: int) -> int:
        return 2 * x

    assert double(2**70) == 2**71
    assert double.trickbench_tier == "kernel"  # type: ignore[attr-defined]


def test_a_cache_directory_that_was_pruned_meanwhile_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long process knows its directory from the beginning; others may need room later."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    jit.cache_directory.cache_clear()
    try:
        directory = jit.cache_directory("pruned")
        assert directory is not None
        shutil.rmtree(directory)
        from numba import int64

        @jit.compiled(int64(int64), "pruned")
        def twice(x: int) -> int:
            return 2 * x

        assert twice(21) == 42
        assert list(directory.rglob("*.nbi"))
    finally:
        jit.cache_directory.cache_clear()
