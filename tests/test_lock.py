"""A results folder is written by one process at a time, and by nobody once that process is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from trickbench.cli import main
from trickbench.errors import RunError
from trickbench.lock import LOCK, locked

HOLD = """
import sys, time
from pathlib import Path
from trickbench.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """Start a process that holds a folder, and wait until it does."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_a_second_process_is_told_who_holds_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r"
    words = ["run", "quickstart", "--deals", "1000", "--no-figures", "--out", str(out)]
    assert main(words) == 0
    capsys.readouterr()
    process = holder(out)
    try:
        assert main([*words, "--resume"]) == 1
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        assert f"'{out}' is in use by process {process.pid} on" in captured.err
        assert (out / LOCK).exists()
    finally:
        end(process)
    # The file of a killed process is left, its lock is not.
    assert (out / LOCK).exists()
    assert main([*words, "--resume"]) == 0
    assert not (out / LOCK).exists()


def test_the_file_is_removed_also_after_an_error(tmp_path: Path) -> None:
    def stop() -> None:
        with locked(tmp_path):
            assert f"process {os.getpid()} on" in (tmp_path / LOCK).read_text()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert list(tmp_path.iterdir()) == []


def test_two_runs_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    with locked(tmp_path):
        with pytest.raises(RunError, match=f"in use by process {os.getpid()}"), locked(tmp_path):
            pass
        assert (tmp_path / LOCK).exists()


def test_a_lock_file_that_was_removed_in_between_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trickbench import lock

    real, times = lock._lock, []

    def lock_late(file: int) -> bool:
        # The first holder ends after the file was opened here and before it is locked here.
        if not times:
            (tmp_path / LOCK).unlink()
        times.append(file)
        return real(file)

    monkeypatch.setattr(lock, "_lock", lock_late)
    with locked(tmp_path):
        assert len(times) == 2
        with pytest.raises(RunError, match="in use"), locked(tmp_path):
            pass


def test_a_file_system_without_locks_loses_only_the_protection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trickbench import lock

    if lock.fcntl is None:
        pytest.skip("the other lock is in use here")

    def unsupported(file: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(lock.fcntl, "flock", unsupported)
    with locked(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot write"), locked(tmp_path / "none"):
        pass
