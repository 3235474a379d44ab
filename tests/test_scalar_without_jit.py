"""The scalar layer as plain Python: the same tests with numba switched off, as a debugger or a coverage run has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

TESTS = Path(__file__).resolve().parent
# The file, and which of its tests: those that call the functions directly, not the checks of the tests' own claims.
SELECTED = {
    "test_manille_rules.py": "worked or naive or could_hold or winner or every_card or points or suits_are_found",
    "test_manille_endings.py": "of_the_ending",
    "test_manille_scores.py": "test",
    "test_bits_and_cards.py": "test",
}

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compilation is switched off already")


@pytest.mark.parametrize("file", SELECTED)
def test_scalar_tests_pass_with_compilation_switched_off(file: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", SELECTED[file], str(TESTS / file)]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
