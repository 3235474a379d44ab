"""Every registered agent through the same tests: legal, repeatable, true to what it declares, the same in every tier.

A new agent is tested here by being registered. Agents of the ``lanes`` tier (search) play fewer deals and have no twin
in the other tiers.
"""

from __future__ import annotations

import copy
import dataclasses
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import int64
from numpy.typing import NDArray

import trickbench
from trickbench.agent import Agent, tier_of
from trickbench.bits import highest, lowest, popcount
from trickbench.errors import UsageError
from trickbench.games.manchego import layout as three
from trickbench.games.manille import layout as four
from trickbench.games.manille.options import RULE_COUNT as MANILLE_RULES
from trickbench.games.rows import LANES
from trickbench.registry import find, registered, strategy

GAMES = {
    "manillen": trickbench.game("manillen"),
    "manille": trickbench.game("manille"),
    "blind": trickbench.game("manillen", blind_no_trump="on", en_face="on", must_beat="always"),
    "forced": trickbench.game("manillen", undertrump="forced", undertrump_under_partner="allowed", trump_lead_over_partner="must_beat"),
    "manchego": trickbench.game("manchego"),
    "hook": trickbench.game("manchego", hook="on", scoring="gain"),
}
OPPONENTS = {"manille": ["greedy,call=points,double=threshold,redouble=threshold:points=24"], "manchego": ["random", "greedy,bid=fixed:n=6"]}
DEALS = {"kernel": 2000, "batch": 300, "plain": 300, "lanes": 64}
SLOWEST = ("kernel", "batch", "plain", "lanes")


class Case(NamedTuple):
    """An agent with parameters in a game."""

    name: str
    values: dict[str, int]
    game: str

    @property
    def text(self) -> str:
        """The agent as one types it."""
        return self.name + "".join(f"{',' if n else ':'}{key}={value}" for n, (key, value) in enumerate(self.values.items()))

    @property
    def agent(self) -> Agent:
        return find(self.name)

    @property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """What it answers in this game."""
        return dict(self.agent.decisions(GAMES[self.game].family))

    @property
    def params(self) -> Any:
        return self.agent.with_parameters({key: str(value) for key, value in self.values.items()})

    @property
    def tier(self) -> str:
        """The slowest tier among its functions."""
        return max((tier_of(function) for function in self.functions.values()), key=SLOWEST.index)

    def table(self, player: Any = None) -> list[Any]:
        """Return it, or a stand-in for it, with others at a table."""
        return [self.text if player is None else player, *OPPONENTS[GAMES[self.game].family]]


def values_of(agent: Agent) -> Iterator[dict[str, int]]:
    """Yield a few settings of an agent's parameters: the defaults, and each at both ends of its limits (search: the lower one)."""
    yield {}
    search = any(tier_of(function) == "lanes" for family in (agent.manille, agent.manchego) for function in family.values())
    for key, limits in agent.limits.items():
        for value in limits[:1] if search else limits:
            yield {key: value}


def cases() -> list[Any]:
    found = []
    for name in sorted(registered()):
        agent = find(name)
        for game, rules in GAMES.items():
            if agent.decisions(rules.family):
                found += [Case(name, values, game) for values in values_of(agent)]
    return [pytest.param(case, id=f"{case.text}-{case.game}") for case in found]


every_agent = pytest.mark.parametrize("case", cases())


def run(case: Case, player: Any = None, deals: int | None = None, **options: Any) -> Any:
    """Play the case's game and return the run, with all plays recorded."""
    options = {"seed": 11, "record": "plays"} | options
    return trickbench.simulate(GAMES[case.game], case.table(player), deals or DEALS[case.tier], **options)


def without_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same function without its mark: called from Python, once a decision."""
    wrapped = {
        1: lambda view: function(view),
        2: lambda view, params: function(view, params),
        3: lambda view, params, rules: function(view, params, rules),
        4: lambda view, params, rules, tables: function(view, params, rules, tables),
    }
    return wrapped[function.__code__.co_argcount]


def one_by_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same function as a batch function, which goes through the deals itself."""

    def answers(view: Any, *more: Any) -> NDArray[np.int64]:
        lanes = zip(*(column.tolist() for column in view), strict=True)
        return np.array([function(type(view)(*fields), *more) for fields in lanes], np.int64)

    wrapped = {
        1: lambda view: answers(view),
        2: lambda view, params: answers(view, params),
        3: lambda view, params, rules: answers(view, params, rules),
        4: lambda view, params, rules, tables: answers(view, params, rules, tables),
    }
    return trickbench.batch(wrapped[function.__code__.co_argcount])


def rewrapped(case: Case, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Agent:
    """Return the case's agent with every function wrapped and its parameters as defaults."""
    functions = {kind: wrap(function) for kind, function in case.functions.items()}
    fields = case.agent.parameters._fields
    parameters = namedtuple("Parameters", fields, defaults=list(case.params)) if fields else case.agent.parameters  # type: ignore[misc]
    family = GAMES[case.game].family
    return dataclasses.replace(case.agent, manille={}, manchego={}, parameters=parameters, limits={}, **{family: functions})


def kernels_only(case: Case) -> None:
    if case.tier != "kernel":
        pytest.skip(f"{case.name} is a {case.tier} agent")


# What every agent must do


@every_agent
def test_every_choice_is_legal_and_every_deal_is_finished(case: Case) -> None:
    result = run(case)  # an illegal choice raises
    deals = result.deals
    assert len(deals) == DEALS[case.tier]
    if GAMES[case.game].family == "manille":
        assert (deals["points_0"] + deals["points_1"] == 60).all()
        assert (deals["tricks_0"] + deals["tricks_1"] == 8).all()
    else:
        assert (deals[["tricks_0", "tricks_1", "tricks_2"]].sum(axis=1) == 17).all()


@every_agent
def test_the_same_run_again_and_in_other_pieces_is_the_same(case: Case) -> None:
    once = run(case)
    assert run(case).digest == once.digest
    assert run(case, chunk=37, workers=3).digest == once.digest


@every_agent
def test_another_seed_is_another_run(case: Case) -> None:
    assert run(case, seed=12, deals=64).digest != run(case, seed=13, deals=64).digest


@every_agent
def test_keeping_the_plays_changes_no_result(case: Case) -> None:
    assert (run(case, record=False).counts == run(case).counts).all()


@every_agent
def test_a_clone_plays_the_same(case: Case) -> None:
    again = find.__wrapped__(case.name)
    params = copy.deepcopy(case.params)
    assert params == case.params
    fields = case.agent.parameters._fields
    parameters = namedtuple("Parameters", fields, defaults=list(params)) if fields else case.agent.parameters  # type: ignore[misc]
    clone = dataclasses.replace(again, parameters=parameters, limits={})
    assert run(case, clone).digest == run(case).digest


@every_agent
def test_compiled_plain_and_batch_play_the_same_to_the_bit(case: Case) -> None:
    kernels_only(case)
    compiled = run(case, deals=300).digest
    assert run(case, rewrapped(case, without_kernel), deals=300).digest == compiled
    assert run(case, rewrapped(case, one_by_one), deals=300).digest == compiled


@every_agent
def test_the_limits_of_the_parameters_are_enforced(case: Case) -> None:
    for key, (least, most) in case.agent.limits.items():
        assert least <= getattr(case.agent.parameters(), key) <= most
        for value in (least - 1, most + 1):
            with pytest.raises(UsageError, match=f"from {least} to {most}"):
                strategy(f"{case.name}:{key}={value}", GAMES[case.game])


@every_agent
def test_the_name_says_whether_the_agent_sees_all_hands(case: Case) -> None:
    assert case.agent.oracle == ("oracle" in case.name)
    assert strategy(case.text, GAMES[case.game]).oracle == ("oracle" in case.name)


def views_met(case: Case, deals: int) -> list[tuple[str, tuple[Any, ...]]]:
    """Return kind and arguments of every decision that the agent's functions are asked in some deals."""
    met: list[tuple[str, tuple[Any, ...]]] = []

    def watching(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def answer(view: Any, params: Any, rules: Any, tables: Any) -> Any:
            met.append((kind, (view, params, rules, tables)[: function.__code__.co_argcount]))
            return function(*met[-1][1])

        return answer

    kinds = {id(function): kind for kind, function in case.functions.items()}
    run(case, rewrapped(case, lambda function: watching(kinds[id(function)], function)), deals=deals)
    return met


@every_agent
def test_an_agent_that_declares_to_read_no_word_reads_none(case: Case) -> None:
    kernels_only(case)
    if case.agent.uses_word:
        pytest.skip(f"{case.name} reads its word")
    met = views_met(case, 100)
    assert met
    for kind, (view, *more) in met:
        choice = case.functions[kind](view, *more)
        for word in (0, view.word ^ 0xFFFFFFFF, 0x9E3779B9):
            assert case.functions[kind](view._replace(word=word), *more) == choice


@every_agent
def test_functions_are_documented_and_the_agent_has_a_summary(case: Case) -> None:
    assert case.agent.summary
    assert "\n" not in case.agent.summary
    assert all(function.__doc__ for function in case.functions.values())


# Tiers at one table


@trickbench.kernel
def lowest_card(view: Any) -> int:
    return lowest(view.legal)


@trickbench.batch
def lowest_cards(view: Any) -> NDArray[np.int64]:
    return view.legal & -view.legal


def lowest_plainly(view: Any) -> int:
    return int(view.legal & -view.legal)


@trickbench.lanes
def lowest_in_four_lanes(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    for i in range(LANES):
        if view[four.MINE + i] != 0:
            view[four.CHOICE + i] = lowest(int64(view[four.LEGAL + i]))


@trickbench.lanes
def lowest_in_three_lanes(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    for i in range(LANES):
        if view[three.MINE + i] != 0:
            view[three.CHOICE + i] = lowest(int64(view[three.LEGAL + i]))


SAME = {"kernel": lowest_card, "plain": lowest_plainly, "batch": lowest_cards}
LOWEST = {
    "manille": SAME | {"lanes": Agent("lowest lanes", manille={"play": lowest_in_four_lanes})},
    "manchego": SAME | {"lanes": Agent("lowest lanes", manchego={"play": lowest_in_three_lanes})},
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("tier", ["plain", "batch", "lanes"])
def test_one_policy_in_every_tier_gives_the_same_run(game: str, tier: str) -> None:
    players = LOWEST[GAMES[game].family]
    assert trickbench.simulate(GAMES[game], players[tier], 1000, record="plays").digest == trickbench.simulate(
        GAMES[game], lowest_card, 1000, record="plays"
    ).digest


@pytest.mark.parametrize(
    ("game", "tiers"),
    [
        ("manillen", ("kernel", "plain")),
        ("manillen", ("kernel", "plain", "batch", "lanes")),
        ("manille", ("lanes", "batch", "kernel", "kernel")),
        ("blind", ("batch", "plain", "plain", "lanes")),
        ("manchego", ("kernel", "plain", "batch")),
        ("manchego", ("plain", "lanes", "lanes")),
        ("hook", ("batch", "lanes", "kernel")),
    ],
)
def test_tiers_sit_at_one_table_and_change_nothing(game: str, tiers: tuple[str, ...]) -> None:
    players = LOWEST[GAMES[game].family]
    mixed = trickbench.simulate(GAMES[game], [players[tier] for tier in tiers], 700, seed=3, record="plays")
    assert mixed.digest == trickbench.simulate(GAMES[game], lowest_card, 700, seed=3, record="plays").digest


def test_a_batch_agent_sees_only_its_own_lanes_and_whole_arrays() -> None:
    seen = []

    @trickbench.batch
    def play(view: Any) -> NDArray[np.int64]:
        seen.append({column.shape for column in view} | {column.dtype for column in view})
        assert (view.hand != 0).all()
        assert (view.position == view.position[0]).all()
        return view.legal & -view.legal

    trickbench.simulate(GAMES["manillen"], [play, "random"], 1000)
    assert sum(max(entry[0] for entry in kinds if isinstance(entry, tuple)) for kinds in seen) == 1000 * 16
    assert all({kind for kind in kinds if not isinstance(kind, tuple)} == {np.dtype(np.int64)} for kinds in seen)
    assert all(len(kinds) == 2 for kinds in seen)


def test_a_plain_agent_gets_python_integers() -> None:
    def play(view: Any) -> int:
        assert all(type(field) is int for field in view)
        return view.legal & -view.legal

    trickbench.simulate(GAMES["manillen"], [play, "random"], 20)
    trickbench.simulate(GAMES["manchego"], play, 20)


# Data of agents


class Weights(NamedTuple):
    shift: int = 1
    odd: int = 0


@trickbench.kernel
def by_table(view, params, rules, tables):  # type: ignore[no-untyped-def]
    """Play high or low as the table says for the trick."""
    return highest(view.legal) if (tables[view.trick] >> params.shift) & 1 != params.odd else lowest(view.legal)


def steps(params: Any) -> NDArray[np.int64]:
    return np.arange(17, dtype=np.int64) * 3 + params.odd


@trickbench.lanes
def by_table_in_lanes(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    trick = int64(view[four.HEADER + four.TRICK])
    scratch[0] = (tables[trick] >> params[MANILLE_RULES]) & 1
    for i in range(LANES):
        legal = int64(view[four.LEGAL + i])
        view[four.CHOICE + i] = highest(legal) if scratch[0] != params[MANILLE_RULES + 1] else lowest(legal)
    scratch[1] += 1


TABLED = Agent("tabled", manille={"play": by_table}, manchego={"play": by_table}, parameters=Weights, tables=steps)


@pytest.mark.parametrize("game", ["manillen", "manchego"])
def test_parameters_rules_and_tables_reach_every_tier_alike(game: str) -> None:
    compiled = trickbench.simulate(GAMES[game], TABLED, 500, record="plays").digest
    assert compiled != trickbench.simulate(GAMES[game], lowest_card, 500, record="plays").digest
    for wrap in (without_kernel, one_by_one):
        other = dataclasses.replace(TABLED, manille={"play": wrap(by_table)}, manchego={"play": wrap(by_table)})
        assert trickbench.simulate(GAMES[game], other, 500, record="plays").digest == compiled


def test_a_lanes_agent_reads_its_parameters_after_the_rules_and_has_scratch_memory() -> None:
    in_lanes = Agent("tabled lanes", manille={"play": by_table_in_lanes}, parameters=Weights, tables=steps, scratch=2)
    assert trickbench.simulate(GAMES["manille"], in_lanes, 500).digest == trickbench.simulate(GAMES["manille"], TABLED, 500).digest


def test_two_settings_of_one_agent_sit_at_one_table() -> None:
    other = dataclasses.replace(TABLED, name="other", parameters=namedtuple("Other", Weights._fields, defaults=(2, 1)))  # type: ignore[misc]
    digests = {trickbench.simulate(GAMES["manillen"], table, 500).digest for table in ([TABLED, TABLED], [other, other], [TABLED, other], [other, TABLED])}
    assert len(digests) == 4


def test_two_agents_that_share_a_function_keep_their_own_tables() -> None:
    low = dataclasses.replace(TABLED, name="low", tables=lambda params: np.zeros(17, np.int64))
    high = dataclasses.replace(TABLED, name="high", tables=lambda params: np.full(17, 2, np.int64))
    alone = [trickbench.simulate(GAMES["manillen"], agent, 500).digest for agent in (low, high)]
    assert alone[0] != alone[1]
    for table in ([low, high], [high, low]):
        assert trickbench.simulate(GAMES["manillen"], table, 500).digest not in alone


# Sight


@trickbench.lanes
def sees_only_its_view(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    for i in range(LANES):
        view[four.CHOICE + i] = lowest(int64(view[four.LEGAL + i])) if view.size == four.VIEW_SIZE else 0


@trickbench.lanes
def sees_four_hands(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    for i in range(LANES):
        hands = int64(view[four.HAND + i]) | int64(view[four.OTHER_HANDS + i])
        hands |= int64(view[four.OTHER_HANDS + LANES + i]) | int64(view[four.OTHER_HANDS + 2 * LANES + i])
        good = (hands | int64(view[four.PLAYED + i]) == (1 << 32) - 1) & (hands & int64(view[four.PLAYED + i]) == 0)
        view[four.CHOICE + i] = lowest(int64(view[four.LEGAL + i])) if good else 0


@trickbench.lanes
def sees_three_hands(view, params, tables, scratch):  # type: ignore[no-untyped-def]
    for i in range(LANES):
        hands = int64(view[three.HAND + i]) | int64(view[three.OTHER_HANDS + i]) | int64(view[three.OTHER_HANDS + LANES + i])
        out = int64(view[three.PLAYED + i]) | int64(view[three.TURNED + i])
        good = (hands | out == (1 << 52) - 1) & (hands & out == 0)
        view[three.CHOICE + i] = lowest(int64(view[three.LEGAL + i])) if good else 0


@pytest.mark.parametrize("beside", ["kernel", "plain"])
def test_only_an_agent_whose_name_says_oracle_is_handed_the_other_hands(beside: str) -> None:
    blind = Agent("blind", manille={"play": sees_only_its_view})
    sighted = Agent("oracle-lowest", manille={"play": sees_four_hands})
    for other in (blind, sighted):
        trickbench.simulate(GAMES["manillen"], [other, SAME[beside]], 500)  # an illegal choice would raise
    trickbench.simulate(GAMES["manillen"], [blind, sighted], 500)
    trickbench.simulate(GAMES["manchego"], [Agent("oracle-three", manchego={"play": sees_three_hands}), SAME[beside], "random"], 500)
    with pytest.raises(trickbench.AgentError, match="which is not one legal choice"):
        trickbench.simulate(GAMES["manillen"], Agent("oracle-blind", manille={"play": sees_only_its_view}), 64)


def test_popcount_and_bits_are_the_same_inside_and_outside_compiled_code() -> None:
    @trickbench.kernel
    def play(view):  # type: ignore[no-untyped-def]
        return highest(view.legal) if popcount(view.hand & view.trump) & 1 else lowest(view.legal)

    assert trickbench.simulate(GAMES["manillen"], play, 300).digest == trickbench.simulate(GAMES["manillen"], without_kernel(play), 300).digest
