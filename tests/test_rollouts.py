"""Rollouts: a deal that is cut at any card and played on by the same policy ends as it did."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trickbench
from trickbench import UsageError
from trickbench.errors import AgentError
from trickbench.positions import positions_of
from trickbench.rollouts import Rollouts

DEALS = 150
CASES = {
    "manillen, greedy": ("manillen", {}, "greedy"),
    "manillen, heuristic": ("manillen", {}, "heuristic"),
    "manille, two policies": ("manille", {"ruff": "must"}, ["heuristic", "greedy"]),
    "manchego, greedy": ("manchego", {}, "greedy"),
    "manchego, heuristic": ("manchego", {"scoring": "gain"}, ["heuristic", "greedy", "heuristic"]),
}


def played(name: str) -> Any:
    game, options, agents = CASES[name]
    return trickbench.simulate(trickbench.game(game, **options), agents, DEALS, seed=9, record="plays")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("part", [0, 0.3, 0.55, 0.8, 1])
def test_a_deal_played_on_by_the_same_policy_ends_as_it_did(name: str, part: float) -> None:
    run = played(name)
    seats, tricks = run.game.players, run.game.hand_size
    trick, place = divmod(min(round(part * seats * tricks), seats * tricks - 1), seats)
    found = Rollouts(run.game, CASES[name][2]).finish(positions_of(run, trick, place), trick, place, np.arange(DEALS))
    assert (found["count"] == 1).all()
    for column in found.columns[1:]:
        if column.startswith("made"):
            seat = column[-1]
            assert (found[column] == (run.deals[f"bid_{seat}"] == run.deals[f"tricks_{seat}"])).all(), column
        else:
            assert found[column].tolist() == run.deals[column].tolist(), column


def test_sums_are_by_group_and_do_not_depend_on_order() -> None:
    run = played("manillen, greedy")
    table, groups = positions_of(run, 3, 2), np.arange(DEALS) % 7
    rollouts = Rollouts(run.game, "heuristic")
    found = rollouts.finish(table, 3, 2, groups)
    assert found["count"].sum() == DEALS
    order = np.random.default_rng(1).permutation(DEALS)
    assert found.equals(rollouts.finish(table[:, order], 3, 2, groups[order]))
    assert (found.sum() == rollouts.finish(table, 3, 2).sum()).all()


def test_a_policy_at_random_plays_by_seed_and_place() -> None:
    run = played("manchego, greedy")
    table = np.repeat(positions_of(run, 2, 0)[:, :1], 400, axis=1)
    first, again = (Rollouts(run.game, "random", seed=3).finish(table, 2, 0) for _ in range(2))
    assert first.equals(again)
    assert not first.equals(Rollouts(run.game, "random", seed=4).finish(table, 2, 0))
    each = Rollouts(run.game, "random", seed=3).finish(table, 2, 0, np.arange(400))
    assert len(each.drop_duplicates()) > 20
    assert (each.sum() == first.sum()).all()


def test_what_cannot_be_is_refused() -> None:
    run = played("manillen, greedy")
    table, rollouts = positions_of(run, 3, 2), Rollouts(run.game, "greedy")
    with pytest.raises(UsageError, match="has to be compiled"):
        Rollouts(run.game, lambda view: view.legal)
    with pytest.raises(UsageError, match=r"positions cannot be of shape \(24, 150\)"):
        rollouts.finish(table[:-1], 3, 2)
    with pytest.raises(UsageError, match="place cannot be 4"):
        rollouts.finish(table, 3, 4)
    with pytest.raises(UsageError, match="groups cannot be these"):
        rollouts.finish(table, 3, 2, np.zeros(3, np.int64))
    with pytest.raises(UsageError, match="kept no cards"):
        positions_of(trickbench.simulate(run.game, "greedy", 10), 1, 0)
    assert len(rollouts.finish(table[:, :0], 3, 2)) == 1


@trickbench.kernel
def crooked(view: Any) -> int:
    """Play no card at all."""
    return view.legal & 0


def test_an_illegal_card_of_the_policy_stops_the_rollout() -> None:
    run = played("manillen, greedy")
    with pytest.raises(AgentError, match="chose an illegal card in a rollout from trick 5"):
        Rollouts(run.game, trickbench.Agent("crooked", manille={"play": crooked})).finish(positions_of(run, 5, 0), 5, 0)


def test_compiled_code_can_call_a_rollout() -> None:
    """The policy comes in as a first-class function, as agents do."""
    from numba import int64, types

    from trickbench.engine import NUMBERS
    from trickbench.games.manille.drive import loops
    from trickbench.games.manille.rollout import rollout
    from trickbench.jit import compiled

    f = loops.choose

    @compiled(
        int64(loops.blocks, NUMBERS, NUMBERS, types.int64[:, ::1], NUMBERS, NUMBERS, NUMBERS, NUMBERS, types.int64[:, ::1], f), cached=False
    )  # fmt: skip
    def twice(S: Any, R: Any, run: Any, T: Any, groups: Any, data: Any, bounds: Any, error: Any, sums: Any, policy: Any) -> int:
        bad = 0
        for _ in range(2):
            bad += rollout(S, R, run, T, groups, 4, 1, data, bounds, error, sums, policy, policy, policy, policy)
        return bad

    run = played("manillen, greedy")
    table, r = positions_of(run, 4, 1), Rollouts(run.game, "greedy")
    sums = np.zeros((1, 5), np.int64)
    groups, error = np.zeros(DEALS, np.int64), np.zeros(7, np.int64)
    assert twice(r.lanes, run.game.rule_values(), r.run, table, groups, r.data, r.bounds, error, sums, r.functions[0]) == 0
    assert sums[0].tolist() == (2 * r.finish(table, 4, 1).iloc[0]).tolist()
