"""``simulate``: what it takes, what it refuses, what happens when an agent fails, and the tables that come of it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, norm

import trickbench
from trickbench.bits import lowest
from trickbench.counts import deal_count
from trickbench.errors import AgentError, TrickbenchError, UsageError
from trickbench.stats.intervals import mean_interval, rate_interval
from trickbench.streams import first_dealer

MANILLEN = trickbench.game("manillen")
MANILLE = trickbench.game("manille", blind_no_trump="on")
MANCHEGO = trickbench.game("manchego")
TALK = "call=random,double=threshold:points=17,redouble=threshold:points=17"
BUSY = [f"play=greedy,{TALK}", TALK]


def message(error: type[TrickbenchError], action: Callable[[], Any]) -> str:
    """Return the message of the error that an action ends with; one line, and the exit code of its kind."""
    with pytest.raises(error) as caught:
        action()
    text = str(caught.value)
    assert type(caught.value) is error
    assert caught.value.exit_code == (2 if error is UsageError else 1)
    assert text
    assert len(text.splitlines()) == 1, text
    return text


def refused(game: Any = MANILLEN, agents: Any = "random", deals: Any = 10, **options: Any) -> str:
    """Return the message with which arguments are refused."""
    return message(UsageError, lambda: trickbench.simulate(game, agents, deals, **options))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def python(code: str, folder: Path, timeout: float = 120, **variables: str | None) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own; a variable that is None is removed from the environment."""
    environment = {key: value for key, value in (os.environ | variables).items() if value is not None}
    return subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout, check=False)


def printed(code: str, folder: Path, **variables: str | None) -> str:
    """Return what code prints in a process of its own."""
    done = python(code, folder, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# What it takes


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (1, 1), (200_000, 200_000), ("1e6", 10**6), (1e6, 10**6), ("2M", 2_000_000), ("200k", 200_000), ("3G", 3 * 10**9), ("1.5M", 1_500_000),
        ("200000", 200_000), ("200_000", 200_000), ("200,000", 200_000), (" 7 ", 7), (2**48, 2**48), ("8.2M", 8_200_000), ("1.001k", 1001),
        (np.int64(1000), 1000),
    ],
)  # fmt: skip
def test_a_number_of_deals_is_read_as_people_write_it(value: Any, count: int) -> None:
    assert deal_count(value) == count


@pytest.mark.parametrize(
    "value",
    [
        0, -1, 1e30, "1e30", "many", "", "k", "M2", 2.5, "2.5", True, False, np.nan, "nan", np.inf, "inf", None, [5], 2**48 + 1, "-2M",
        pytest.param(10**400, id="10**400"),
    ],
)  # fmt: skip
def test_what_is_not_a_number_of_deals_is_answered_with_what_is(value: Any) -> None:
    assert "a whole number from 1 to 2^48 would be right, as in 200000, 1e6 or 2M" in refused(deals=value)


@pytest.mark.parametrize("value", [-1, 2**64, 1.5, True, "x", None, "", float("nan")])
def test_a_seed_that_is_none_is_answered_with_the_range(value: Any) -> None:
    assert "from 0 to 2^64 - 1" in refused(seed=value)


def test_every_seed_is_a_run_of_its_own_and_the_same_again() -> None:
    seeds = [0, 1, 2, 2**32, 2**63, 2**64 - 1, "3"]
    digests = [trickbench.simulate(MANILLEN, "random", 500, seed=seed, record="plays").digest for seed in seeds]
    assert len(set(digests)) == len(seeds)
    assert digests == [trickbench.simulate(MANILLEN, "random", 500, seed=seed, record="plays").digest for seed in seeds]
    assert digests[-1] == trickbench.simulate(MANILLEN, "random", 500, seed=3, record="plays").digest
    assert trickbench.simulate(MANILLEN, "random", 10).seed == 0


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "x", 5000, float("nan")])
def test_a_number_of_workers_that_cannot_be_is_answered_with_the_range(value: Any) -> None:
    assert "from 1 to 1024" in refused(workers=value)


@pytest.mark.parametrize(("game", "agents"), [(MANILLEN, ["greedy", "random"]), (MANCHEGO, ["greedy", "random", "fixed"])])
def test_neither_workers_nor_chunks_change_a_byte(game: Any, agents: list[str]) -> None:
    whole = trickbench.simulate(game, agents, 5000, seed=2, workers=1, record="plays")
    for workers, chunk in ((1, 5000), (2, 64), (3, 1000), (8, 999), (2, 1), (None, None)):
        count = 300 if chunk == 1 else 5000
        parts = trickbench.simulate(game, agents, count, seed=2, workers=workers, chunk=chunk, record="plays")
        expected = whole if count == 5000 else trickbench.simulate(game, agents, count, seed=2, record="plays")
        assert parts.digest == expected.digest
        pd.testing.assert_frame_equal(parts.summary, expected.summary)


@pytest.mark.parametrize("value", [0, -5, "many", 1.5])
def test_a_chunk_that_cannot_be_is_refused(value: Any) -> None:
    assert "chunk cannot be" in refused(chunk=value)


def test_a_run_keeps_what_it_was_told_to_keep() -> None:
    none = trickbench.simulate(MANILLEN, "random", 100)
    assert "record='deals'" in message(UsageError, lambda: none.deals)
    assert trickbench.simulate(MANILLEN, "random", 100, record=None).record is False
    kept = trickbench.simulate(MANILLEN, "random", 100, record=True)
    pd.testing.assert_frame_equal(kept.deals, trickbench.simulate(MANILLEN, "random", 100, record="deals").deals)
    assert (none.counts == kept.counts).all()
    assert len(kept.deals) == 100
    assert "card_31" not in kept.deals
    assert "card_31" in trickbench.simulate(MANILLEN, "random", 100, record="plays").deals


@pytest.mark.parametrize("value", ["all", "play", 1, 2.5, ["deals"], "True"])
def test_what_is_not_a_way_to_record_is_refused(value: Any) -> None:
    assert "'deals' or 'plays' would be right" in refused(record=value)


@pytest.mark.parametrize("game", [MANILLEN, MANCHEGO])
def test_a_run_may_begin_at_any_deal(game: Any) -> None:
    whole = trickbench.simulate(game, "random", 300, seed=4, record="plays").deals
    part = trickbench.simulate(game, "random", 90, seed=4, first=110, record="plays").deals
    pd.testing.assert_frame_equal(part, whole[110:200].reset_index(drop=True))
    assert whole["deal"].tolist() == list(range(300))
    assert (whole["dealer"] == (first_dealer(4, game.players) + whole["deal"]) % game.players).all()


def test_a_run_may_end_at_the_last_deal_there_is() -> None:
    last = trickbench.simulate(MANILLEN, "random", 3, first=2**48 - 3, record=True).deals
    assert list(last["deal"]) == [2**48 - 3, 2**48 - 2, 2**48 - 1]
    refused(deals=3, first=2**48 - 2)


@pytest.mark.parametrize("value", [-1, 2**48, 1.5, True, "x", None])
def test_a_first_deal_that_cannot_be_is_refused(value: Any) -> None:
    assert "first cannot be" in refused(first=value)


def test_exchanging_a_player_changes_neither_the_deals_nor_the_others_words() -> None:
    hands = [f"hand_{seat}" for seat in range(4)]
    players = ("random", "greedy,call=points")
    one, other = (trickbench.simulate(MANILLEN, ["call=random", player], 500, seed=9, record="plays").deals for player in players)
    pd.testing.assert_frame_equal(one[["deal", "dealer", *hands]], other[["deal", "dealer", *hands]])
    ours = one["dealer"] % 2 == 0
    assert (one["call"][ours] == other["call"][ours]).all()


# Agents that fail

FAILING = """
from trickbench.bits import lowest
import trickbench

def raises(view): raise KeyError("lost")
def divides(view): return 1 // (view.hand - view.hand)
def none(view): return None
def text(view): return "SA"
def floating(view): return float(lowest(view.legal))
def true(view): return True
def several(view): return view.hand
def zero(view): return 0
def negative(view): return -lowest(view.legal)
def illegal(view): return (~view.hand) & -(~view.hand)
def beyond(view): return lowest(view.legal) | 1 << 32
def huge(view): return 1 << 200
def two_lines(view): raise ValueError("one line\\nand another")

@trickbench.kernel
def kernel_floating(view): return lowest(view.legal) / 1
@trickbench.kernel
def kernel_none(view): return None
@trickbench.kernel
def kernel_true(view): return view.legal != 0
@trickbench.kernel
def kernel_no_such_field(view): return view.nonsense
@trickbench.kernel
def kernel_illegal(view): return lowest(~view.hand)
@trickbench.kernel
def kernel_zero(view): return 0
@trickbench.kernel
def kernel_several(view): return view.hand
@trickbench.kernel
def kernel_beyond(view): return lowest(view.legal) | (1 << 32)

@trickbench.batch
def batch_raises(view): raise KeyError("lost")
@trickbench.batch
def batch_floating(view): return (view.legal & -view.legal) / 1
@trickbench.batch
def batch_one_short(view): return (view.legal & -view.legal)[1:]
@trickbench.batch
def batch_true(view): return view.legal != 0
@trickbench.batch
def batch_zero(view): return view.legal * 0
@trickbench.batch
def batch_several(view): return view.hand
@trickbench.batch
def batch_beyond(view): return (view.legal & -view.legal) | 1 << 32
"""

AT_ONCE = [
    ("raises", "it raised KeyError: 'lost'"), ("divides", "ZeroDivisionError"), ("two_lines", "one line"), ("none", "it returned None"),
    ("text", "it returned 'SA' (str)"), ("floating", "(float); one bit of view.legal"), ("true", "it returned True (bool)"),
    ("several", "not one legal choice"), ("zero", "it chose"), ("negative", "it chose"), ("illegal", "not one legal choice"), ("beyond", "it chose"),
    ("huge", "it chose"), ("kernel_illegal", "not one legal choice"), ("kernel_zero", "it chose"), ("kernel_several", "not one legal choice"),
    ("kernel_beyond", "it chose"), ("batch_raises", "it raised KeyError: 'lost'"), ("batch_zero", "it chose"),
    ("batch_several", "not one legal choice"), ("batch_beyond", "it chose"),
]  # fmt: skip
"""Agents that fail at their first decision, and words of the message."""

PLACE = re.compile(
    r"^agent '(?P<agent>[^']+)' \((?P<what>[^)]+)\), deal (?P<deal>\d+), seat (?P<seat>\d), legal: (?P<legal>[^:(;]*[^:(; ])(?:: | \()"
)
AGAIN = re.compile(r"again: (python -c \".*\")$")


@pytest.fixture
def failing(folder: Path) -> Path:
    (folder / "failing.py").write_text(FAILING)
    return folder


def failure(game: Any, agents: Any, deals: Any, **options: Any) -> str:
    """Return the message of the agent that fails."""
    return message(AgentError, lambda: trickbench.simulate(game, agents, deals, **options))


def checked_place(text: str, game: Any, seed: int) -> dict[str, str]:
    """Return agent, deal, seat and legal set of a message, and check that the seat of that deal holds those cards."""
    found = PLACE.match(text)
    assert found, text
    place = found.groupdict()
    hand = game.deal(seed, int(place["deal"])).hands[int(place["seat"])].split()
    assert set(place["legal"].split()) <= set(hand)
    return place


@pytest.mark.parametrize(("name", "told"), AT_ONCE)
@pytest.mark.parametrize("game", [MANILLEN, MANCHEGO], ids=["manillen", "manchego"])
def test_a_bad_answer_is_reported_with_agent_deal_seat_legal_set_and_a_command(failing: Path, game: Any, name: str, told: str) -> None:
    agents = ["random", f"play=failing.py:{name}", "random"][: 2 if game is MANILLEN else 3]
    shown = failure(game, agents, 300, seed=21)
    place = checked_place(shown, game, 21)
    assert place["agent"] == f"failing.py:{name}"
    assert place["what"] == "card to trick 0"
    assert place["deal"] == "0"
    assert int(place["seat"]) in ((1, 3) if game is MANILLEN else (1,))
    assert told in shown
    assert AGAIN.search(shown), shown


@pytest.mark.parametrize("name", ["batch_floating", "batch_one_short", "batch_true"])
def test_a_batch_agent_that_returns_the_wrong_kind_of_array_is_told_which_is_right(failing: Path, name: str) -> None:
    shown = failure(MANILLEN, f"failing.py:{name}", 100)
    assert f"agent 'failing.py:{name}'" in shown
    assert "whole numbers of shape" in shown


@pytest.mark.parametrize(("name", "told"), [("kernel_floating", "float64"), ("kernel_none", "none"), ("kernel_true", "bool")])
def test_a_kernel_that_does_not_return_a_whole_number_is_refused_when_compiled(failing: Path, name: str, told: str) -> None:
    shown = failure(MANILLEN, ["random", f"failing.py:{name}"], 10)
    assert f"agent 'failing.py:{name}'" in shown
    assert f"it returns {told}; one bit of view.legal, a whole number, would be right" in shown


def test_a_kernel_that_does_not_compile_says_what_is_the_matter(failing: Path) -> None:
    shown = failure(MANILLEN, "failing.py:kernel_no_such_field", 10)
    assert "agent 'failing.py:kernel_no_such_field' does not compile" in shown
    assert "nonsense" in shown
    assert len(shown) < 500


@pytest.mark.parametrize("name", ["raises", "none", "illegal", "kernel_illegal", "batch_raises"])
def test_the_printed_command_shows_the_same_failure(failing: Path, name: str) -> None:
    # The seat that fails first is not seat 0 and the rules are not the profile's, so that the command must say all of it.
    game = trickbench.game("manille", must_beat="always", doubling="off")
    shown = failure(game, ["random", "random", f"failing.py:{name}", "random"], 300, seed=2**64 - 5)
    assert_shown_again(shown, failing)


def assert_shown_again(shown: str, folder: Path) -> None:
    """Run the command of a message and compare what it ends with."""
    command = AGAIN.search(shown)
    assert command, shown
    variables = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command[1], shell=True, cwd=folder, env=variables, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    assert done.stderr.strip().splitlines()[-1] == f"trickbench.errors.AgentError: {shown}"


def test_no_command_is_printed_for_an_agent_that_has_no_door() -> None:
    def hopeful(view: Any) -> int:
        return view.hand

    shown = failure(MANILLEN, [hopeful, "random"], 10)
    assert "agent 'hopeful' (card to trick 0), deal 0" in shown
    assert "['hopeful', 'random']" not in shown


SELDOM = """
import trickbench
from trickbench.bits import lowest

@trickbench.kernel
def compiled(view):
    early = (view.trick == 1) & (view.word % 97 == 0)
    late = (view.trick == 6) & (view.word % 41 == 0)
    return 0 if early | late else lowest(view.legal)

def plain(view):
    return compiled(view)

def raising(view):
    if compiled(view) == 0:
        raise RuntimeError("now")
    return lowest(view.legal)

@trickbench.kernel
def compiled_raising(view):
    early = (view.trick == 1) & (view.word % 97 == 0)
    late = (view.trick == 6) & (view.word % 41 == 0)
    if early | late:
        raise RuntimeError("now")
    return lowest(view.legal)

@trickbench.kernel
def reneges(view):
    return 0 if (view.trick == 3) & (view.word % 7 == 0) else lowest(view.legal)

def reneges_plainly(view):
    return reneges(view)

def reneges_and_raises(view):
    if view.trick == 5 and view.word % 50 == 0:
        raise RuntimeError("now")
    return reneges(view)

@trickbench.kernel
def never_reneges(view):
    return lowest(view.legal)

@trickbench.kernel
def bad_call(view):
    return 0

@trickbench.kernel
def once(view):
    return 0 if (view.trick == 2) & (view.word < 30000) else lowest(view.legal)
"""


@pytest.fixture
def seldom(folder: Path) -> Path:
    (folder / "seldom.py").write_text(SELDOM)
    return folder


@pytest.fixture
def first_failing(seldom: Path) -> int:
    """Return the first deal of seed 5 that goes wrong, found by playing them one at a time."""
    for index in range(200):
        try:
            trickbench.simulate(MANILLEN, ["seldom.py:plain", "random"], 1, seed=5, first=index)
        except AgentError:
            return index
    raise AssertionError("no deal fails")


@pytest.mark.parametrize("name", ["compiled", "plain", "raising", "compiled_raising"])
@pytest.mark.parametrize(("workers", "chunk"), [(1, None), (2, None), (2, 64), (3, 100), (1, 1), (2, 7), (1, 2000)])
def test_the_failure_reported_is_the_first_in_deal_order(seldom: Path, first_failing: int, name: str, workers: int, chunk: int | None) -> None:
    agents = [f"seldom.py:{name}", "random"]
    shown = failure(MANILLEN, agents, 2000, seed=5, workers=workers, chunk=chunk)
    assert checked_place(shown, MANILLEN, 5)["deal"] == str(first_failing)
    assert shown == failure(MANILLEN, agents, first_failing + 1, seed=5, first=first_failing)


@pytest.mark.parametrize("name", ["compiled", "plain", "raising", "compiled_raising"])
def test_a_failure_in_a_deal_that_is_not_played_does_no_harm(seldom: Path, first_failing: int, name: str) -> None:
    assert first_failing > 0
    run = trickbench.simulate(MANILLEN, [f"seldom.py:{name}", "random"], first_failing, seed=5)
    assert run.digest == trickbench.simulate(MANILLEN, ["seldom.py:never_reneges", "random"], first_failing, seed=5).digest


@pytest.mark.parametrize("wrong", [0, None])
def test_an_agent_that_fails_once_and_not_again_is_reported_where_it_failed(wrong: Any) -> None:
    asked = []

    def play(view: Any) -> Any:
        asked.append(view)
        return wrong if len(asked) == 1000 else view.legal & -view.legal

    shown = failure(MANILLEN, [play, "random"], 500, seed=6)
    place = checked_place(shown, MANILLEN, 6)
    assert place["what"] == f"card to trick {asked[999].trick}"
    assert place["legal"] == MANILLEN.pack.text(asked[999].legal)


def test_a_failure_far_into_a_run_is_noticed_and_shown_again(seldom: Path) -> None:
    agents = ["seldom.py:once", "random"]
    for workers in (1, 2, 4):
        shown = failure(MANILLEN, agents, 400_000, seed=1, workers=workers)
        index = int(checked_place(shown, MANILLEN, 1)["deal"])
        assert index > 1000
        assert trickbench.simulate(MANILLEN, agents, index, seed=1).count == index
    assert_shown_again(shown, seldom)


def test_an_agent_that_fails_in_the_auction_is_named_with_its_answers() -> None:
    def call(view: Any) -> int:
        return 1 << 7

    def bid(view: Any) -> int:
        return 1 << 18

    in_auction = trickbench.Agent("caller", manille={"call": call})
    assert "agent 'caller' (call), deal 0, seat" in failure(MANILLEN, in_auction, 10)
    assert "legal: C D H S NT: it chose" in failure(MANILLEN, in_auction, 10)
    assert "(bid), deal 0, seat" in failure(MANCHEGO, trickbench.Agent("bidder", manchego={"bid": bid}), 10)


# Forfeits


def forfeited(agents: Any, deals: int = 4000, game: Any = MANILLEN, **options: Any) -> Any:
    return trickbench.simulate(game, agents, deals, seed=8, on_illegal="forfeit", record=True, **options)


def test_a_forfeit_scores_thirty_flat_and_has_no_points(seldom: Path) -> None:
    doubling = "double=threshold:points=0,redouble=threshold:points=0,call=no-trump"
    deals = forfeited([f"play=seldom.py:reneges,{doubling}", f"play=random,{doubling}"]).deals
    lost = deals[deals["forfeit"] >= 0]
    assert 0 < len(lost) < len(deals)
    assert set(lost["forfeit"]) == {0, 2}
    assert (lost["score_0"] == 0).all()
    assert (lost["score_1"] == 30).all()
    assert (lost["net_0"] == -30).all()
    assert (lost["winner"] == 1).all()
    assert (lost["factor"] == 1).all()
    assert not lost["capot"].any()
    for column in ("points_0", "points_1", "tricks_0", "tricks_1"):
        assert lost[column].isna().all()
        assert deals.loc[deals["forfeit"] < 0, column].notna().all()


def test_a_forfeit_by_the_other_side_goes_to_side_0(seldom: Path) -> None:
    deals = forfeited(["random", "seldom.py:reneges"]).deals
    lost = deals[deals["forfeit"] >= 0]
    assert set(lost["forfeit"]) == {1, 3}
    assert (lost["score_0"] == 30).all()
    assert (lost["score_1"] == 0).all()


def test_forfeited_deals_are_out_of_the_rates_and_in_the_scores(seldom: Path) -> None:
    run = forfeited(["seldom.py:reneges", "random"])
    lost = int((run.deals["forfeit"] >= 0).sum())
    of = run.summary.set_index(["who", "quantity"])
    for side in ("0+2", "1+3"):
        assert set(of.loc[[(side, name) for name in ("points", "tricks", "win", "tie", "loss", "capot")], "n"]) == {4000 - lost}
        assert set(of.loc[[(side, name) for name in ("net", "score", "forfeit")], "n"]) == {4000}
    assert of.loc[("0+2", "forfeit"), "mean"] == lost / 4000
    assert of.loc[("1+3", "forfeit"), "mean"] == 0
    assert "forfeit" not in set(forfeited("random", 100).summary["quantity"])


def test_a_forfeit_changes_no_other_deal_and_is_the_same_in_every_tier(seldom: Path) -> None:
    run = forfeited(["seldom.py:reneges", "random"])
    honest = forfeited(["seldom.py:never_reneges", "random"]).deals
    kept = run.deals["forfeit"] < 0
    pd.testing.assert_frame_equal(run.deals[kept], honest[kept])
    assert forfeited(["seldom.py:reneges_plainly", "random"]).digest == run.digest
    assert forfeited(["seldom.py:reneges", "random"], workers=3, chunk=100).digest == run.digest


def test_who_forfeits_first_forfeits(seldom: Path) -> None:
    both = forfeited("seldom.py:reneges").deals
    plain = forfeited("seldom.py:reneges_plainly").deals
    pd.testing.assert_frame_equal(both, plain)
    assert set(both["forfeit"]) == {-1, 0, 1, 2, 3}


def test_a_forfeit_is_for_cards_in_manille_only(seldom: Path) -> None:
    assert "'raise'" in refused(MANCHEGO, "random", on_illegal="forfeit")
    assert "'raise' or 'forfeit'" in refused(MANILLEN, "random", on_illegal="ignore").replace("or forfeit", "or 'forfeit'")
    assert "(call)" in failure(MANILLEN, "call=seldom.py:bad_call", 10, on_illegal="forfeit")


def test_an_agent_that_raises_stops_a_run_with_forfeits_too_and_the_command_says_so(seldom: Path) -> None:
    shown = failure(MANILLEN, ["seldom.py:reneges_and_raises", "random"], 4000, seed=8, on_illegal="forfeit")
    assert "it raised RuntimeError: now" in shown
    assert_shown_again(shown, seldom)


# What is compiled and kept

DIGEST = "import sys, trickbench; print(trickbench.simulate(trickbench.game('manillen'), sys.argv[1].split(), 2000, seed=3).digest)"


def digest_elsewhere(agents: str, folder: Path, **variables: str | None) -> str:
    """Return the digest of a run in a process of its own."""
    return printed(f"import sys; sys.argv = ['', {agents!r}]; {DIGEST}", folder, **variables)


def digest_here(function: Callable[..., int]) -> str:
    return trickbench.simulate(MANILLEN, [function, "random"], 2000, seed=3).digest


def low(view: Any) -> int:
    return view.legal & -view.legal


def high(view: Any) -> int:
    return 1 << (view.legal.bit_length() - 1)


KERNEL = "import trickbench\nfrom trickbench.bits import highest, lowest\n@trickbench.kernel\ndef {name}(view): return {which}(view.legal)\n"
CALLER = "import trickbench\nfrom {helper} import choose\n@trickbench.kernel\ndef play(view): return choose(view)\n"


def test_an_edited_kernel_is_noticed_by_the_next_process(folder: Path) -> None:
    for which, function in (("lowest", low), ("highest", high), ("lowest", low)):
        (folder / "edited.py").write_text(KERNEL.format(name="play", which=which))
        assert digest_elsewhere("edited.py:play random", folder) == digest_here(function)


def test_an_edited_helper_beside_a_kernel_is_noticed_by_the_next_process(folder: Path) -> None:
    (folder / "calls_helper.py").write_text(CALLER.format(helper="edited_helper"))
    for which, function in (("lowest", low), ("highest", high)):
        (folder / "edited_helper.py").write_text(KERNEL.format(name="choose", which=which))
        assert digest_elsewhere("calls_helper:play random", folder) == digest_here(function)


def copied_engine(folder: Path) -> str:
    """Return a cache directory that holds the engine as compiled here, and no agents."""
    from trickbench.jit import cache_root, source_digest

    MANILLEN.face()
    source = cache_root() / source_digest() / "engine"
    if not source.is_dir():
        pytest.skip("nothing is cached here")
    shutil.copytree(source, folder / "cache" / "trickbench" / source_digest() / "engine")
    return str(folder / "cache")


COMPILE = """
import trickbench
from trickbench.registry import strategy
from trickbench.table import compiled_choose
game = trickbench.game("manillen")
play = strategy({agent!r}, game).decisions["play"]
compiled_choose(type(game), play.function, play.arity, type(play.params))
"""

FACTORY = """
import trickbench
from trickbench.bits import highest, lowest

def make(choose):
    @trickbench.kernel
    def play(view):
        return choose(view.legal)
    return play

low, high = make(lowest), make(highest)
"""


@pytest.mark.parametrize("agents", [["greedy", "random"], ["factory.py:low", "factory.py:high"]], ids=["agents", "of one factory"])
def test_agents_compiled_in_processes_of_their_own_are_not_taken_for_each_other(folder: Path, agents: list[str]) -> None:
    cache = copied_engine(folder)
    (folder / "factory.py").write_text(FACTORY)
    for agent in agents:  # each is the first agent that its process compiles
        printed(COMPILE.format(agent=agent), folder, NUMBA_CACHE_DIR=cache)
    expected = trickbench.simulate(MANILLEN, agents, 2000, seed=3).digest
    assert digest_elsewhere(" ".join(agents), folder, NUMBA_CACHE_DIR=cache) == expected


def test_no_two_compiled_functions_share_a_name_by_which_they_are_linked() -> None:
    # Linked by module, name and types: the number that numba adds is of one process only, and what is cached comes from many. What is
    # compiled by an explicit signature is what is cached; the rest is inlined.
    import gc

    from numba.core.dispatcher import Dispatcher

    trickbench.simulate(MANILLEN, ["greedy", "random,call=points"], 64)
    trickbench.simulate(MANCHEGO, ["greedy", "random", "fixed"], 64)
    found: dict[tuple[str, str, str], set[Any]] = {}
    for item in gc.get_objects():
        # By type(): isinstance would follow a weak reference to something that is gone.
        if issubclass(type(item), Dispatcher) and item.__module__.startswith("trickbench.") and not item._can_compile:
            for signature in item.overloads:
                found.setdefault((item.__module__, item.py_func.__qualname__, str(signature)), set()).add(id(item))
    assert len(found) > 20
    assert not sorted({(module, name) for (module, name, _), items in found.items() if len(items) > 1})


@pytest.mark.slow
def test_two_processes_that_fill_an_empty_cache_at_once_leave_it_whole(folder: Path) -> None:
    variables = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    agents = ["greedy,double=threshold", "random,call=points,redouble=threshold"]
    command = [sys.executable, "-c", DIGEST, " ".join(agents)]
    expected = trickbench.simulate(MANILLEN, agents, 2000, seed=3).digest
    for pause in (0.0, 2.0, 4.0, 7.0):
        shutil.rmtree(folder / "cache", ignore_errors=True)
        one = subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL)
        time.sleep(pause)
        other = subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL)
        assert one.wait(300) == other.wait(300) == 0
        assert digest_elsewhere(" ".join(agents), folder, NUMBA_CACHE_DIR=str(folder / "cache")) == expected


def test_without_a_place_to_write_nothing_is_cached_and_everything_runs(folder: Path) -> None:
    (folder / "file").write_text("")
    (folder / "reader.py").write_text(KERNEL.format(name="play", which="lowest"))
    code = f"from trickbench.jit import cache_directory; import sys; sys.argv = ['', 'reader.py:play random']; {DIGEST}; print(cache_directory())"
    digest, directory = printed(code, folder, NUMBA_CACHE_DIR=str(folder / "file" / "cache")).splitlines()
    assert directory == "None"
    assert digest == digest_here(low)


SHOW_CACHE = "from trickbench.jit import cache_directory; print(cache_directory())"
NOBODY = "import pwd\ndef nobody(uid): raise KeyError(uid)\npwd.getpwuid = nobody\n"


def test_a_home_that_cannot_be_written_means_no_cache(folder: Path) -> None:
    (folder / "file").write_text("")
    place = str(folder / "file" / "home")
    assert printed(SHOW_CACHE, folder, NUMBA_CACHE_DIR=None, HOME=place, XDG_CACHE_HOME=None) == "None"
    assert printed(SHOW_CACHE, folder, NUMBA_CACHE_DIR=None, HOME="/", XDG_CACHE_HOME=place) == "None"


def test_a_user_without_a_home_gets_no_folder_named_tilde(folder: Path) -> None:
    printed(NOBODY + SHOW_CACHE, folder, NUMBA_CACHE_DIR=None, HOME=None, XDG_CACHE_HOME=None)
    assert list(folder.iterdir()) == []


# Ctrl-C

LONG = """
import time, trickbench
def slow(view):
    time.sleep(0.002)
    return view.legal & -view.legal
@trickbench.batch
def slow_batch(view):
    time.sleep(0.1)
    return view.legal & -view.legal
game, agents = trickbench.game({game!r}), {agents}
trickbench.simulate(game, agents, 1)
print("begun", flush=True)
trickbench.simulate(game, agents, "1G", workers={workers})
"""


@pytest.mark.parametrize(
    ("game", "agents", "workers"),
    [
        ("manillen", ["greedy", "random"], 1),
        ("manillen", ["greedy", "random"], 4),
        ("manchego", ["greedy", "random", "fixed"], 2),
        ("manillen", "[slow, 'random']", 2),
        ("manillen", "[slow_batch, 'random']", 2),
    ],
    ids=["one worker", "four workers", "manchego", "plain", "batch"],
)
def test_ctrl_c_ends_a_run_within_a_second(folder: Path, game: str, agents: Any, workers: int) -> None:
    code = LONG.format(game=game, agents=agents, workers=workers)
    process = subprocess.Popen([sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n", process.communicate()[1]
        time.sleep(0.7)
        assert process.poll() is None
        sent = time.perf_counter()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        took = time.perf_counter() - sent
    finally:
        process.kill()
    assert process.returncode in (-signal.SIGINT, 130)
    assert errors.strip().splitlines()[-1].startswith("KeyboardInterrupt")
    assert took < 2  # a second on a machine that does nothing else


# Tables


@pytest.fixture(scope="module")
def manille_run() -> Any:
    return trickbench.simulate(MANILLE, BUSY, 20_000, seed=13, record="plays")


@pytest.fixture(scope="module")
def manchego_run() -> Any:
    return trickbench.simulate(MANCHEGO, ["greedy", "random", "fixed:n=5"], 20_000, seed=13, record="plays")


def test_the_columns_of_manille_deals(manille_run: Any) -> None:
    columns = ["deal", "dealer", "caller", "en_face", "blind", "call", "doubled", "redoubled", "factor"]
    columns += [f"{name}_{side}" for side in (0, 1) for name in ("points", "tricks", "score")] + ["net_0", "winner", "capot", "forfeit"]
    plays = [f"hand_{seat}" for seat in range(4)] + ["leader"] + [f"card_{number:02d}" for number in range(32)]
    assert list(manille_run.deals.columns) == columns + plays
    assert list(trickbench.simulate(MANILLE, BUSY, 10, record=True).deals.columns) == columns
    deals = manille_run.deals
    assert list(deals["call"].cat.categories) == ["C", "D", "H", "S", "NT"]
    for column in ("en_face", "blind", "doubled", "redoubled", "capot"):
        assert deals[column].dtype == bool
        assert 0 < deals[column].sum() < len(deals), column


def test_manille_deals_agree_with_the_score_sheet(manille_run: Any) -> None:
    deals = manille_run.deals
    said = ["call", "blind", "doubled", "redoubled", "points_0", "tricks_0", "score_0", "points_1", "tricks_1", "score_1"]
    for row in deals[[*said, "factor"]].drop_duplicates().itertuples(index=False):
        called = {"no_trump": row.call == "NT", "blind": row.blind, "doubled": row.doubled, "redoubled": row.redoubled}
        assert row.score_0 == MANILLE.score(points=int(row.points_0), tricks=int(row.tricks_0), **called)
        assert row.score_1 == MANILLE.score(points=int(row.points_1), tricks=int(row.tricks_1), **called)
        assert max(row.score_0, row.score_1) == (int(max(row.points_0, row.points_1)) - 30) * int(row.factor)
    assert (deals["net_0"] == deals["score_0"] - deals["score_1"]).all()
    assert (deals["winner"] == np.select([deals["points_0"] > 30, deals["points_1"] > 30], [0, 1], -1)).all()
    assert (deals["capot"] == deals["tricks_0"].isin([0, 8])).all()
    assert (deals["forfeit"] == -1).all()
    assert (deals["caller"] == np.where(deals["en_face"], (deals["dealer"] + 2) % 4, deals["dealer"])).all()
    assert not (deals["redoubled"] & ~deals["doubled"]).any()
    assert (deals.loc[deals["blind"], "call"] == "NT").all()


def test_the_plays_of_manille_are_the_cards_of_the_deal(manille_run: Any) -> None:
    deals = manille_run.deals
    cards = deals[[f"card_{number:02d}" for number in range(32)]].to_numpy()
    assert (np.sort(cards, axis=1) == np.arange(32)).all()
    hands = deals[[f"hand_{seat}" for seat in range(4)]].to_numpy(np.uint32)
    assert (np.bitwise_count(hands) == 8).all()
    assert (np.bitwise_or.reduce(hands, axis=1) == 0xFFFFFFFF).all()
    assert (deals["leader"] == (deals["dealer"] + 1) % 4).all()
    opener = hands[np.arange(len(deals)), deals["leader"]]
    assert (opener >> deals["card_00"].to_numpy(np.uint32) & 1 == 1).all()
    for index in (0, 1, 777):
        deal = MANILLE.deal(13, index)
        assert [MANILLE.pack.text(int(hand)) for hand in hands[index]] == list(deal.hands)
        assert deals["dealer"][index] == deal.dealer


def test_the_columns_of_manchego_deals(manchego_run: Any) -> None:
    columns = ["deal", "dealer", "trump", "turned"] + [f"{name}_{seat}" for name in ("bid", "tricks", "distance", "score") for seat in range(3)]
    plays = [f"hand_{seat}" for seat in range(3)] + ["leader"] + [f"card_{number:02d}" for number in range(51)]
    assert list(manchego_run.deals.columns) == columns + plays
    assert list(trickbench.simulate(MANCHEGO, "random", 10, record=True).deals.columns) == columns


@pytest.mark.parametrize("scoring", ["transfer", "gain"])
def test_manchego_deals_agree_with_the_score_sheet(scoring: str) -> None:
    game = trickbench.game("manchego", scoring=scoring)
    deals = trickbench.simulate(game, ["greedy", "random", "random,bid=fixed:n=5"], 3000, seed=14, record=True).deals
    bids, won, distances, scores = (deals[[f"{name}_{seat}" for seat in range(3)]].to_numpy(int) for name in ("bid", "tricks", "distance", "score"))
    assert (won.sum(axis=1) == 17).all()
    assert (distances == abs(bids - won)).all()
    assert [game.score(bids=b.tolist(), won=w.tolist()) for b, w in zip(bids, won, strict=True)] == scores.tolist()
    if scoring == "transfer":
        assert (scores.sum(axis=1) == 0).all()
    else:
        assert (scores.min(axis=1) == 0).all()
    assert (deals["trump"].astype(str) == deals["turned"].astype(str).str[0]).all()


def test_the_plays_of_manchego_are_the_cards_of_the_deal(manchego_run: Any) -> None:
    deals = manchego_run.deals
    cards = deals[[f"card_{number:02d}" for number in range(51)]].to_numpy(np.uint64)
    hands = deals[[f"hand_{seat}" for seat in range(3)]].to_numpy(np.uint64)
    turned = np.uint64(1) << deals["turned"].cat.codes.to_numpy(np.uint64)
    assert (np.bitwise_count(hands) == 17).all()
    assert (np.bitwise_or.reduce(hands, axis=1) | turned == 2**52 - 1).all()
    assert (np.bitwise_or.reduce(np.uint64(1) << cards, axis=1) == np.bitwise_or.reduce(hands, axis=1)).all()
    deal = MANCHEGO.deal(13, 42)
    assert [MANCHEGO.pack.text(int(hand)) for hand in hands[42]] == list(deal.hands)
    assert deals["turned"][42] == deal.turned


def test_the_outcomes_of_manille_count_the_deals(manille_run: Any) -> None:
    deals, outcomes = manille_run.deals, manille_run.outcomes
    columns = [column for column in outcomes.columns if column != "count"]
    assert outcomes["count"].sum() == len(deals) == manille_run.count
    assert not outcomes.duplicated(columns).any()
    counted = deals.groupby(columns, observed=True, dropna=False).size()
    assert (outcomes.set_index(columns)["count"].sort_index() == counted.sort_index()).all()


def test_the_outcomes_of_manchego_count_every_seat_of_the_deals(manchego_run: Any) -> None:
    deals, outcomes = manchego_run.deals, manchego_run.outcomes
    assert list(outcomes.columns) == ["seat", "place", "bid", "tricks", "distance", "score", "count"]
    assert (outcomes.groupby("seat")["count"].sum() == len(deals)).all()
    for seat in range(3):
        place = (seat - deals["dealer"].to_numpy(int) - 1) % 3
        own = pd.DataFrame({"place": place} | {name: deals[f"{name}_{seat}"] for name in ("bid", "tricks", "distance", "score")})
        counted = own.value_counts().sort_index()
        shown = outcomes[outcomes["seat"] == seat].set_index(list(own.columns))["count"].sort_index()
        assert shown.tolist() == counted.tolist()
        assert shown.index.tolist() == counted.index.tolist()


def assert_mean(row: Any, values: pd.Series) -> None:
    """Compare a row of a summary with the values it sums up: mean, standard deviation, normal interval."""
    numbers = values.dropna().to_numpy(float)
    error = numbers.std(ddof=1) / np.sqrt(len(numbers))
    assert row["n"] == len(numbers)
    low, high = norm.interval(0.95, numbers.mean(), error) if error else (numbers.mean(), numbers.mean())
    assert row[["mean", "sd", "low", "high"]].tolist() == pytest.approx([numbers.mean(), numbers.std(ddof=1), low, high], rel=1e-9, abs=1e-12)


def assert_rate(row: Any, hits: pd.Series) -> None:
    """Compare a row of a summary with what it counts: rate and Wilson's interval."""
    rate = hits.mean()
    low, high = binomtest(int(hits.sum()), len(hits)).proportion_ci(0.95, method="wilson")
    assert row["n"] == len(hits)
    assert row[["mean", "sd", "low", "high"]].tolist() == pytest.approx([rate, np.sqrt(rate * (1 - rate)), low, high], rel=1e-9, abs=1e-12)


def assert_manille_summary(run: Any) -> None:
    """Compute every row of the summary from the table of deals."""
    deals = run.deals
    played = deals[deals["forfeit"] < 0]
    rows = {(row["who"], row["quantity"]): row for _, row in run.summary.iterrows()}
    assert set(run.summary["match"]) == {run.match}
    for side, who in enumerate(("0+2", "1+3")):
        assert_mean(rows[who, "net"], deals["net_0"] * (1 - 2 * side))
        assert_mean(rows[who, "score"], deals[f"score_{side}"])
        assert_mean(rows[who, "points"], played[f"points_{side}"])
        assert_mean(rows[who, "tricks"], played[f"tricks_{side}"])
        for name, winner in (("win", side), ("tie", -1), ("loss", 1 - side)):
            assert_rate(rows[who, name], played["winner"] == winner)
        assert_rate(rows[who, "capot"], played["capot"] & (played["winner"] == side))
        if len(played) < len(deals):
            assert_rate(rows[who, "forfeit"], deals["forfeit"].isin([side, side + 2]))
    assert len(rows) == len(run.summary) == (16 if len(played) == len(deals) else 18)


def test_the_summary_of_manille_is_what_the_deals_say(manille_run: Any) -> None:
    assert list(manille_run.summary.columns) == ["match", "who", "agent", "quantity", "n", "mean", "sd", "low", "high"]
    assert_manille_summary(manille_run)
    assert list(manille_run.summary["agent"].unique()) == BUSY


def test_the_summary_with_forfeits_is_what_the_deals_say(seldom: Path) -> None:
    assert_manille_summary(forfeited(["seldom.py:reneges", "random,call=points"]))
    assert_manille_summary(forfeited("seldom.py:reneges"))


def test_the_summary_names_both_partners_where_they_differ() -> None:
    run = trickbench.simulate(MANILLEN, ["greedy", "random", "random", "random"], 50)
    assert list(run.summary["agent"].unique()) == ["greedy + random", "random"]


def test_the_summary_of_manchego_is_what_the_deals_say(manchego_run: Any) -> None:
    deals = manchego_run.deals
    rows = {(row["who"], row["quantity"]): row for _, row in manchego_run.summary.iterrows()}
    for seat in range(3):
        for name in ("score", "bid", "tricks", "distance"):
            assert_mean(rows[str(seat), name], deals[f"{name}_{seat}"])
        assert_rate(rows[str(seat), "exact"], deals[f"distance_{seat}"] == 0)
    assert len(rows) == len(manchego_run.summary) == 15
    assert list(manchego_run.summary["agent"].unique()) == ["greedy", "random", "fixed:n=5"]


def test_what_was_filled_in_stands_in_the_run() -> None:
    run = trickbench.simulate(MANILLEN, ["greedy", "random,call=points"], 10)
    assert run.agents == ["greedy", "random,call=points"]
    sides = ["play=greedy,call=longest,double=never,redouble=never", "play=random,call=points,double=never,redouble=never"]
    assert run.resolved == sides * 2
    assert "greedy against random,call=points" in repr(run)
    assert "\n" not in repr(run)


def test_one_deal_is_a_run() -> None:
    run = trickbench.simulate(MANILLEN, "random", 1, record="plays")
    assert len(run.deals) == 1
    assert run.summary["n"].tolist() == [1] * 16
    assert run.summary.loc[run.summary["quantity"] == "net", ["sd", "low", "high"]].isna().all(axis=None)


# Intervals


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (0, 50), (50, 50), (1, 1000), (499, 1000), (1, 10**9), (10**9 - 1, 10**9)])
def test_wilsons_interval_is_scipys(hits: int, n: int, level: float) -> None:
    found = rate_interval(hits, n, level)
    low, high = binomtest(hits, n).proportion_ci(level, method="wilson")
    assert (found.n, found.mean) == (n, hits / n)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9, abs=1e-15)
    assert 0 <= found.low <= found.mean <= found.high <= 1


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_interval_of_a_mean_is_the_normal_one(level: float) -> None:
    draw = np.random.default_rng(1)
    values, counts = np.arange(-30, 31), draw.integers(0, 40, 61)
    sample = np.repeat(values, counts)
    found = mean_interval(values, counts, level)
    low, high = norm.interval(level, sample.mean(), sample.std(ddof=1) / np.sqrt(len(sample)))
    assert found == pytest.approx((len(sample), sample.mean(), sample.std(ddof=1), low, high), rel=1e-12)


def test_the_sums_behind_a_mean_are_exact() -> None:
    # A variance from sums in floating point would be lost beside a mean this large.
    found = mean_interval(np.array([999, 1000]), np.array([10**12, 10**12]))
    assert found.mean == 999.5
    assert found.sd == pytest.approx(0.5, rel=1e-11)


def test_no_observation_gives_no_number() -> None:
    assert mean_interval(np.array([5]), np.array([0])).n == 0
    assert np.isnan(mean_interval(np.array([5]), np.array([0]))[1:]).all()
    assert np.isnan(rate_interval(0, 0)[1:]).all()
    assert np.isnan(mean_interval(np.array([5]), np.array([1]))[2:]).all()


def test_lowest_is_the_policy_the_digests_here_compare_with() -> None:
    assert [lowest(cards) for cards in (0b1100, 0b1)] == [0b100, 0b1]
