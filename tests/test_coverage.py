"""The script that measures coverage, and the figures it left."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[1]


def test_the_script_measures_what_the_reference_holds(tmp_path: Path) -> None:
    out = tmp_path / "coverage.csv"
    command = [sys.executable, str(ROOT / "experiments" / "interval_coverage.py"), "--tests", "20", "--out", str(out)]
    subprocess.run(command, capture_output=True, text=True, check=True)
    keys = ["measured", "method", "case", "stated"]
    reference = pd.read_csv(ROOT / "results" / "reference" / "coverage.csv")
    pd.testing.assert_frame_equal(pd.read_csv(out)[keys], reference[keys])


def test_the_reference_figures_are_within_what_is_stated() -> None:
    table = pd.read_csv(ROOT / "results" / "reference" / "coverage.csv")
    ends = table[table["measured"].eq("ends at the upper") & table["stated"].notna()]
    for row in ends.itertuples():
        wrong, rate = (row.found, row.stated) if row.stated < 0.5 else (1 - row.found, 1 - row.stated)
        assert wrong <= rate + 3 * math.sqrt(rate * (1 - rate) / row.tests)
    assert table.loc[table["measured"] == "coverage after the stop", "found"].between(0.94, 0.97).all()
    many = table[table["case"].str.contains("5000 deals")]
    assert len(many) == 8
    assert many["found"].between(0.935, 0.96).all()
