"""The package as others get it: an sdist, the wheel built from it, and that wheel alone on the path."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

Run = Callable[..., str]


def checked(arguments: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    """Run a command in a folder and return its output; when it fails, fail with everything it printed."""
    done = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist from the checkout and the wheel from the sdist, without network."""
    folder = tmp_path_factory.mktemp("dist")
    checked([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)], folder)
    return folder


@pytest.fixture(scope="module")
def sdist_names(built: Path) -> list[str]:
    """List the files in the sdist, relative to the project."""
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        return [name.partition("/")[2] for name in tar.getnames()]


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheel_names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel, and nothing else, into a folder of its own."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"]
    checked([*pip, "install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel)], target)
    return target


@pytest.fixture
def run(installed: Path, tmp_path: Path) -> Run:
    """Return a function that runs Python in an empty directory, with the installed wheel and without the checkout."""
    # -S leaves out the .pth file by which an editable install puts the checkout on the path; the other packages
    # are therefore named. What is compiled goes to a folder of this test.
    checkout = {ROOT, ROOT / "agents", ROOT / "tests"}
    others = [path for path in sys.path if path and Path(path).resolve() not in checkout]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    environment["PYTHONPATH"] = os.pathsep.join([str(installed), *others])
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    empty = tmp_path / "empty"
    empty.mkdir()

    def python(*arguments: str) -> str:
        return checked([sys.executable, "-S", "-P", *arguments], empty, environment)

    return python


def test_wheel_holds_the_two_packages_and_nothing_else(wheel_names: list[str]) -> None:
    tops = {name.partition("/")[0] for name in wheel_names}
    (information,) = (top for top in tops if top.endswith(".dist-info"))
    assert tops == {"trickbench", "trickbench_agents", information}


def test_wheel_holds_every_module(wheel_names: list[str]) -> None:
    def modules(root: Path, package: str) -> set[str]:
        return {path.relative_to(root).as_posix() for path in (root / package).rglob("*.py")}

    expected = modules(ROOT, "trickbench") | modules(ROOT / "agents", "trickbench_agents")
    assert {name for name in wheel_names if name.endswith(".py")} == expected
    assert "trickbench/py.typed" in wheel_names


def test_wheel_holds_the_data_of_the_agents(wheel_names: list[str]) -> None:
    data = {path.name for path in (ROOT / "agents" / "trickbench_agents").iterdir() if path.is_file() and path.suffix not in (".py", ".typed")}
    assert {"book.xz", "book-manille.xz", "expected_tricks.csv"} <= data
    assert {f"trickbench_agents/{name}" for name in data} <= set(wheel_names)


def test_wheel_holds_the_experiment_files_and_no_scripts(wheel_names: list[str]) -> None:
    shipped = {name for name in wheel_names if name.startswith("trickbench/experiments/")}
    assert shipped == {f"trickbench/experiments/{path.name}" for path in (ROOT / "experiments").glob("*.toml")}
    assert "trickbench/experiments/quickstart.toml" in shipped


def test_sdist_can_be_tested_and_leaves_out_what_runs_wrote(sdist_names: list[str]) -> None:
    for path in ("pyproject.toml", "README.md", "LICENSE", "tests/test_package.py", "experiments/quickstart.toml"):
        assert path in sdist_names
    results = [name for name in sdist_names if name.startswith("results/")]
    assert all(name.startswith("results/reference/") for name in results)


def test_what_runs_is_the_wheel(run: Run, installed: Path) -> None:
    printed = run("-c", "import trickbench, trickbench_agents as a; print(trickbench.__file__, *a.__path__, sep='\\n')")
    core, agents = printed.splitlines()
    assert core == str(installed / "trickbench" / "__init__.py")
    assert agents == str(installed / "trickbench_agents")


def test_help(run: Run) -> None:
    assert "legal" in run("-m", "trickbench", "--help")


def test_legal(run: Run) -> None:
    options = ["--game", "manillen", "--trump", "S", "--trick", "HK SJ", "--hand", "SK S9 D7 C8"]
    assert run("-m", "trickbench", "legal", *options).split() == ["SK"]


def test_the_book_of_the_wheel_is_looked_up(run: Run) -> None:
    code = "import trickbench_agents.book as b; print(len(b.read_table(b.Parameters())))"
    assert run("-c", code).split() == ["68290"]


def test_agents_are_found_through_the_wheels_entry_points(run: Run) -> None:
    assert "greedy" in run("-m", "trickbench", "agents")
