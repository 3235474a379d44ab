"""The README on writing agents: its files are written, its examples run, and what they print is what it says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from trickbench.registry import GROUP, find

README = Path(__file__).resolve().parent.parent / "agents" / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# (\w+\.py)\n")


def blocks() -> list[tuple[str, str]]:
    """Return language and text of every block of code."""
    return BLOCK.findall(README.read_text())


def test_the_examples_do_what_the_readme_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    same = doctest.OutputChecker().check_output
    namespace: dict[str, object] = {}
    printed = ""
    compared = 0
    for language, text in blocks():
        if language == "text":
            assert same(text, printed, doctest.ELLIPSIS), printed
            compared += 1
        elif language == "python" and (file := FILE.match(text)):
            (tmp_path / file[1]).write_text(text)
        elif language == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(text, str(README), "exec"), namespace)
            printed = output.getvalue()
    assert compared == 3


def test_every_function_of_its_files_can_be_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    doors = ["lowest.py:plainly", "lowest.py:compiled", "lowest.py:many", "trumps.py:agent", "hopeful.py:play"]
    files = {file[1]: text for language, text in blocks() if language == "python" and (file := FILE.match(text))}
    assert set(files) == {door.partition(":")[0] for door in doors}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for door in doors:
        assert find(door).manille or find(door).manchego


def test_the_entry_point_is_of_the_group_that_is_read() -> None:
    (text,) = (text for language, text in blocks() if language == "toml")
    assert list(tomllib.loads(text)["project"]["entry-points"]) == [GROUP]


def test_the_modules_and_names_it_speaks_of_exist() -> None:
    for name in set(re.findall(r"`@?(trickbench\.[\w.]+)`", README.read_text())):
        module, _, attribute = name.rpartition(".")
        assert (README.parent.parent / name.replace(".", "/")).with_suffix(".py").is_file() or hasattr(import_module(module), attribute), name
