"""The bidder expected-tricks: its features counted by hand, its weights, and that it beats sure-tricks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import trickbench
from trickbench.cards import FRENCH
from trickbench_agents import expected_tricks

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("hand", "turned", "counted"),
    [
        ("SA SK S2 HA HK H2 DQ D3 D2 CK C5 C4 C3 C2 H5 H4 H3", "SQ", (1, 3, 2, 2, 1, 2, 1, 0, 1)),
        ("SK SQ SJ S9 S8 HA DK CQ C2 H2 H3 H4 H5 H6 H7 H8 H9", "SA", (1, 5, 3, 3, 1, 0, 0, 3, 4)),
        ("HA HK HQ HJ HT H9 H8 H7 H6 H5 H4 H3 H2 D4 D3 D2 C2", "SA", (1, 0, 0, 0, 1, 1, 1, 0, 8)),
    ],
    ids=["balanced", "five trumps", "no trumps"],
)
def test_features(hand: str, turned: str, counted: tuple[int, ...]) -> None:
    assert len(FRENCH.cards(hand)) == 17
    assert expected_tricks.features(FRENCH.set(hand), FRENCH.set(turned), FRENCH.suit(3)) == counted


def test_every_feature_has_a_weight_by_its_name() -> None:
    names = [line.partition(",")[0] for line in expected_tricks.WEIGHTS.read_text().splitlines()[1:]]
    assert tuple(names) == expected_tricks.FEATURES
    assert len(expected_tricks.read_weights(expected_tricks.NoParameters())) == len(names)


def test_the_committed_command_fits_weights_like_the_committed_ones(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "experiments" / "fit_expected_tricks.py"), "--deals", "20000", "--out", str(tmp_path / "weights.csv")]
    subprocess.run(command, check=True, capture_output=True)
    fitted = [int(line.rpartition(",")[2]) for line in (tmp_path / "weights.csv").read_text().splitlines()[1:]]
    committed = expected_tricks.read_weights(expected_tricks.NoParameters())
    assert np.abs(np.array(fitted) - committed).max() < 100


def test_bids_are_about_what_there_is_to_take_and_beat_sure_tricks() -> None:
    game = trickbench.game("manchego")
    alike = trickbench.simulate(game, "play=heuristic,bid=expected-tricks", 20_000, seed=2).summary
    bids = alike[alike["quantity"] == "bid"]["mean"]
    assert abs(bids.sum() - 17) < 0.5
    mixed = ["play=heuristic,bid=expected-tricks", *2 * ["play=heuristic,bid=sure-tricks"]]
    scores = trickbench.simulate(game, mixed, 20_000, seed=2).summary
    assert scores[scores["quantity"] == "score"].set_index("who").loc["0", "low"] > 0.2
