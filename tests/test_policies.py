"""Agents that play with other agents' compiled functions: what reaches them, in every process, and what is refused."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import trickbench
from trickbench.agent import Agent
from trickbench.errors import AgentError, UsageError
from trickbench.games.manchego.drive import loops as three_loops
from trickbench.games.manille.drive import loops as four_loops
from trickbench.games.manille.options import RULE_COUNT
from trickbench.policies import ADDRESSES, BOUNDS, DATA, RUN, address_of, begin_of, end_of, make_function_at, own_begin, packed
from trickbench.provenance import sources
from trickbench.table import Table

MANILLEN, MANCHEGO = trickbench.game("manillen"), trickbench.game("manchego")
four_function, three_function = make_function_at(four_loops.choose), make_function_at(three_loops.choose)


class Parameters(NamedTuple):
    """first, second: whose cards are played; which: 0 or 1, whose of the two."""

    first: str = "heuristic"
    second: str = "greedy"
    which: int = 0


@trickbench.lanes
def play_four(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    """Play what a policy plays, if the agent's own table says 7."""
    k = params[RULE_COUNT + 2] if tables[own_begin(tables)] == 7 else 9
    data = tables[begin_of(tables, k, DATA) : end_of(tables, k, DATA)]
    bounds = tables[begin_of(tables, k, BOUNDS) : end_of(tables, k, BOUNDS)]
    function = four_function(address_of(tables, k, 0, 0))
    function(view[: bounds[0]], data[bounds[1] : bounds[2]], data[bounds[2] : bounds[3]], data[bounds[3] : bounds[4]])


@trickbench.lanes
def play_three(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    """Play what the first policy plays."""
    data = tables[begin_of(tables, 0, DATA) : end_of(tables, 0, DATA)]
    bounds = tables[begin_of(tables, 0, BOUNDS) : end_of(tables, 0, BOUNDS)]
    function = three_function(address_of(tables, 0, 0, 0))
    function(view[: bounds[0]], data[bounds[1] : bounds[2]], data[bounds[2] : bounds[3]], data[bounds[3] : bounds[4]])


def both(params: Any) -> dict[str, Any]:
    return {"first": params.first, "second": params.second}


def seven(params: Any) -> Any:
    return np.array([7], np.int64)


agent = Agent("through", manille={"play": play_four}, manchego={"play": play_three}, parameters=Parameters, policies=both, tables=seven)
DOOR = f"{__name__}:agent"


@pytest.mark.parametrize(
    ("game", "parameters", "same"),
    [
        (MANILLEN, "", "heuristic"),
        (MANILLEN, ":which=1", "greedy"),
        (MANILLEN, ":second=random,which=1", "random"),
        (MANILLEN, ":first=heuristic:without=3", "heuristic:without=3"),
        (MANCHEGO, "", "heuristic"),
        (MANCHEGO, ":first=greedy", "greedy"),
    ],
)
def test_a_policy_played_through_an_agent_plays_as_itself(game: Any, parameters: str, same: str) -> None:
    through = trickbench.simulate(game, f"play={DOOR}{parameters}", 3000, seed=4, workers=2).digest
    assert through == trickbench.simulate(game, f"play={same}", 3000, seed=4).digest


def test_nothing_is_compiled_again_for_another_policy() -> None:
    one, other = (Table(MANILLEN, f"{DOOR}{text}") for text in ("", ":first=random"))
    assert one.functions()[0] is other.functions()[0]


def test_a_policy_may_have_policies_and_tables_of_its_own() -> None:
    inner = dataclasses.replace(agent, name="inner", parameters=Parameters)
    outer = dataclasses.replace(agent, name="outer", policies=lambda params: {"first": inner, "second": "greedy"})
    digest = trickbench.simulate(MANILLEN, dataclasses.replace(outer), 1000).digest
    assert digest == trickbench.simulate(MANILLEN, f"play={DOOR}", 1000).digest


def test_parts_stand_where_the_head_says() -> None:
    parts = [[np.arange(k + 10 * n, k + 10 * n + n, dtype=np.int64) for n in range(1, 5)] for k in (100, 200)]
    own = np.array([5, 6, 7], np.int64)
    tables = packed(parts, own)
    assert tables[own_begin(tables) :].tolist() == [5, 6, 7]
    for policy, hundred in enumerate((100, 200)):
        for n, name in enumerate((RUN, DATA, BOUNDS, ADDRESSES), 1):
            found = tables[begin_of(tables, policy, name) : end_of(tables, policy, name)]
            assert found.tolist() == list(range(hundred + 10 * n, hundred + 10 * n + n))
    assert address_of(tables, 1, 0, 2) == 242
    assert len(packed(parts, own[:0])) == len(tables) - 3


def test_digests_leave_addresses_out_and_name_the_policies_code() -> None:
    table = Table(MANILLEN, f"{DOOR}")
    with_addresses, without = table.memory()[0], table.memory(addresses=False)[0]
    changed = np.flatnonzero(with_addresses != without)
    assert 0 < len(changed) <= 40
    assert (without[changed] == 0).all()
    told = sources({"a": table})
    assert {DOOR, "heuristic", "greedy"} <= set(told["agents"])
    assert sources({"a": Table(MANILLEN, DOOR)}) == told
    other = sources({"a": Table(MANILLEN, f"{DOOR}:second=heuristic:without=4")})
    assert other["tables"] != told["tables"]


FILE = """
import trickbench
from trickbench.bits import {side}

@trickbench.kernel
def play(view):
    return {side}(view.legal)
"""
PLAY = "import sys, trickbench; print(trickbench.simulate(trickbench.game('manillen'), sys.argv[1], 500, seed=3, workers=2).digest)"


def test_other_processes_and_a_changed_policy(tmp_path: Path) -> None:
    """In a second process all is loaded from disk, at other addresses; new code of a policy is found."""
    policy = tmp_path / "policy.py"

    def run(spec: str) -> str:
        return subprocess.run([sys.executable, "-c", PLAY, spec], capture_output=True, text=True, check=True).stdout

    for side in ("lowest", "highest"):
        policy.write_text(FILE.format(side=side))
        itself = run(f"play={policy}:play")
        assert {run(f"play={DOOR}:first={policy}:play") for _ in range(2)} == {itself}


def with_policy(spec: Any) -> Agent:
    return dataclasses.replace(agent, name="seeker", policies=lambda params: {"rollout": spec})


endless = with_policy(f"{__name__}:endless")


def plain(view: Any) -> int:
    return int(view.legal & -view.legal)


def test_what_cannot_be_a_policy_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match=r"^agent 'seeker', policy 'rollout': 'plain' is called from Python; an agent whose functions are marked"):
        Table(MANILLEN, with_policy(plain))
    with pytest.raises(UsageError, match=r"^agent 'seeker', policy 'rollout': unknown agent 'heuristics'; did you mean 'heuristic'"):
        Table(MANILLEN, with_policy("heuristics"))
    with pytest.raises(UsageError, match=r"^agent 'seeker', policy 'rollout': agent 'longest' does not play manchego"):
        Table(MANCHEGO, with_policy("longest"))
    with pytest.raises(AgentError, match=r"^agent 'seeker': its policies could not be named: ZeroDivisionError"):
        Table(MANILLEN, dataclasses.replace(agent, name="seeker", policies=lambda params: {"a": str(1 // 0)}))
    with pytest.raises(UsageError, match=r"endless', policy 'first': rollouts within rollouts .* end with '.*endless'"):
        Table(MANILLEN, f"{DOOR}:first={__name__}:endless")
