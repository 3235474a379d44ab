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
from scipy.stats import chisquare

import trickbench
from trickbench.agent import Agent, tier_of
from trickbench.bits import highest, lowest
from trickbench.errors import UsageError
from trickbench.games.manchego import layout as three
from trickbench.games.manille import layout as four
from trickbench.games.manille.options import RULE_COUNT as MANILLE_RULES
from trickbench.games.rows import LANES
from trickbench.registry import _registered_agent, find, registered, strategy

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
    answers: dict[str, Any] = {"manille": {}, "manchego": {}, GAMES[case.game].family: functions}
    forecast = {kind: function for kind, function in case.agent.forecast.items() if kind in functions}
    return dataclasses.replace(case.agent, parameters=parameters, limits={}, forecast=forecast, **answers)


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
    once = run(case).digest
    assert copy.deepcopy(case.params) == case.params
    _registered_agent.cache_clear()
    assert run(case).digest == once
    if not case.values:
        assert run(case, dataclasses.replace(case.agent, name="clone")).digest == once


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
    one, other = (trickbench.simulate(GAMES[game], player, 1000, record="plays") for player in (players[tier], lowest_card))
    assert one.digest == other.digest


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
    one, other = (f"{__name__}:TABLED:shift={shift},odd={odd}" for shift, odd in ((1, 0), (2, 1)))
    tables = ([one, one], [other, other], [one, other], [other, one])
    assert len({trickbench.simulate(GAMES["manillen"], table, 500).digest for table in tables}) == 4


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


# What the built-in agents do, worked by hand

MANILLE, FRENCH = GAMES["manillen"].pack, GAMES["manchego"].pack
CALLS = 0b11111
EVERY_BID = (1 << 18) - 1


def standing(ranks: str, trick: list[str], trump: str) -> tuple[str, int]:
    """Return the winning card of a trick and its place."""
    place = 0
    for n, card in enumerate(trick):
        best = trick[place]
        higher = card[0] == best[0] and ranks.index(card[1]) > ranks.index(best[1])
        place = n if higher or (card[0] == trump and best[0] != trump) else place
    return trick[place], place


def at_table(game: str, hand: str, trick: str, trump: str, **fields: int) -> Any:
    """Return the view of the seat after the last card of a trick."""
    rules, cards = GAMES[game], trick.split()
    layout = four if rules.family == "manille" else three
    pack = rules.pack
    values = dict.fromkeys(layout.View._fields, 0) | {"hand": pack.set(hand), "position": len(cards), "played": pack.set(trick)}
    values["legal"] = pack.set(rules.legal(hand=hand, trick=trick, trump=trump))
    values["trump"] = 0 if trump == "NT" else pack.suit("CDHS".index(trump))
    around = ["card_right", "card_partner", "card_left"] if rules.family == "manille" else ["card_right", "card_left"]
    values |= {name: pack.set(card) for name, card in zip(around, reversed(cards), strict=False)}
    if cards:
        best, place = standing(pack.ranks, cards, trump)
        values |= {"led": pack.suit("CDHS".index(cards[0][0])), "best": pack.set(best)}
        values |= {"partner_winning": int(place == len(cards) - 2)} if rules.family == "manille" else {}
    return layout.View(**(values | fields))


def asked(hand: str, legal: int, **fields: int) -> Any:
    """Return a Manille view of the auction."""
    return four.View(**(dict.fromkeys(four.View._fields, 0) | {"hand": MANILLE.set(hand), "legal": legal, "call": 31, "factor": 1} | fields))


def bidding(hand: str, turned: str, legal: int = EVERY_BID) -> Any:
    """Return a Manchego view of the bidding."""
    trump = FRENCH.suit("CDHS".index(turned[0]))
    values = {"hand": FRENCH.set(hand), "turned": FRENCH.set(turned), "trump": trump, "legal": legal, "bid_me": 31, "bid_left": 31, "bid_right": 31}
    return three.View(**(dict.fromkeys(three.View._fields, 0) | values))


def answer(name: str, family: str, kind: str, view: Any, **values: int) -> int:
    """Return what a built-in agent answers."""
    agent = find(name)
    function = agent.decisions(family)[kind]
    params = agent.with_parameters({key: str(value) for key, value in values.items()})
    return int(function(*(view, params)[: function.__code__.co_argcount]))


def call_of(name: str, hand: str, legal: int = CALLS, **values: int) -> str:
    """Return the call as text."""
    return GAMES["manillen"].choice_text(0, answer(name, "manille", "call", asked(hand, legal), **values))


BLIND = trickbench.NT | trickbench.LOOK


@pytest.mark.parametrize(
    ("hand", "call"),
    [
        ("SA SK HT HA HK D8 D7 C7", "H"),
        ("CT CA C9 C8 C7 SA SK SQ", "C"),
        ("SA S8 S7 HT H8 H7 D7 C7", "H"),  # three each; five points against four
        ("CA C8 C7 DA D8 D7 S7 H7", "D"),  # as long and as rich: the higher suit
        ("SA S7 HT H7 DT D7 CA C7", "H"),  # two each; H and D have five points
        ("S9 S8 S7 H9 H8 D9 D8 C9", "S"),
    ],
)
def test_longest_calls_the_longest_suit_then_the_richer_then_the_higher(hand: str, call: str) -> None:
    assert call_of("longest", hand) == call
    assert call_of("longest", hand, CALLS | trickbench.EN_FACE) == call


@pytest.mark.parametrize(
    ("hand", "call"),
    [
        ("ST SK H9 H8 H7 HJ D7 C7", "S"),
        ("ST S7 HA HJ H7 DK C8 C7", "H"),  # five points each; three cards against two
        ("SA S7 HA H7 DA D7 CA C7", "S"),  # all alike
        ("S9 S8 H9 H8 H7 D9 D8 C9", "H"),  # no points at all: the longest
        ("CT CA CK CQ CJ C9 C8 ST", "C"),
    ],
)
def test_points_calls_the_suit_with_most_points_then_the_longer_then_the_higher(hand: str, call: str) -> None:
    assert call_of("points", hand) == call
    assert call_of("points", hand, CALLS | trickbench.EN_FACE) == call


def test_who_calls_a_suit_looks_at_the_cards_first() -> None:
    assert call_of("longest", "", BLIND) == call_of("points", "", BLIND) == "LOOK"


def test_no_trump_calls_no_trump_and_does_so_blind_only_if_told_to() -> None:
    for legal in (CALLS, CALLS | trickbench.EN_FACE):
        assert call_of("no-trump", "SA SK HT HA HK D8 D7 C7", legal) == call_of("no-trump", "", legal, blind=1) == "NT"
    assert call_of("no-trump", "", BLIND) == call_of("no-trump", "", BLIND, blind=0) == "LOOK"
    assert call_of("no-trump", "", BLIND, blind=1) == "NT"


def test_no_trump_in_whole_deals_blind_and_not() -> None:
    deals = trickbench.simulate(GAMES["blind"], ["no-trump:blind=1", "no-trump"], 1000, record=True).deals
    assert (deals["call"] == "NT").all()
    assert (deals["blind"] == (deals["dealer"] % 2 == 0)).all()
    assert not trickbench.simulate(GAMES["manillen"], "no-trump:blind=1", 1000, record=True).deals["blind"].any()


@pytest.mark.parametrize("kind", ["double", "redouble"])
def test_threshold_speaks_from_its_points_on(kind: str) -> None:
    def says(hand: str, **values: int) -> int:
        return answer("threshold", "manille", kind, asked(hand, trickbench.NO | trickbench.YES), **values)

    assert says("ST SA SK SQ SJ HT HJ D7") == trickbench.NO  # 15 + 6 = 21
    assert says("ST SA SK SQ SJ HT HJ DJ") == trickbench.YES  # 22
    assert says("ST SA SK SQ SJ HT HJ DJ", points=23) == trickbench.NO
    assert says("S9 S8 S7 H9 H8 H7 D9 D8", points=0) == trickbench.YES
    assert says("S9 S8 S7 H9 H8 H7 D9 D8", points=1) == trickbench.NO
    assert says("ST HT DT CT SA HA DA CA", points=36) == trickbench.YES
    assert says("ST HT DT CT SA HA DA CA", points=37) == trickbench.NO


def test_never_says_no() -> None:
    for kind in ("double", "redouble"):
        assert answer("never", "manille", kind, asked("ST HT DT CT SA HA DA CA", trickbench.NO | trickbench.YES)) == trickbench.NO
    assert not trickbench.simulate(GAMES["manillen"], "random", 1000, record=True).deals["doubled"].any()


@pytest.mark.parametrize(
    ("n", "forbidden", "bid"), [(0, None, 0), (6, None, 6), (17, None, 17), (6, 6, 7), (0, 0, 1), (17, 17, 16), (6, 7, 6), (16, 16, 17)]
)
def test_fixed_bids_its_number_or_the_next_where_the_hook_forbids_it(n: int, forbidden: int | None, bid: int) -> None:
    legal = EVERY_BID & ~(0 if forbidden is None else 1 << forbidden)
    view = bidding("SA SK SQ S9 HA HK HQ H5 DA DQ D3 CK CQ C7 C6 C5 C4", "S2", legal)
    assert answer("fixed", "manchego", "bid", view, n=n) == 1 << bid


def test_fixed_under_the_hook_in_whole_deals() -> None:
    deals = trickbench.simulate(GAMES["hook"], ["fixed:n=5", "fixed:n=5", "fixed:n=7"], 300, record=True).deals
    dealt = deals["dealer"].to_numpy()
    assert (deals["bid_0"] == np.where(dealt == 0, 6, 5)).all()
    assert (deals["bid_1"] == np.where(dealt == 1, 6, 5)).all()
    assert (deals["bid_2"] == np.where(dealt == 2, 8, 7)).all()


@pytest.mark.parametrize(
    ("hand", "turned", "tricks"),
    [
        ("SA SK SQ S9 HA HK HQ H5 DA DQ D3 CK CQ C7 C6 C5 C4", "S2", 3 + 2 + 1 + 0),
        ("SK SQ S9 S3 HK HQ HJ DA DK D2 C9 C8 C7 C6 C5 C4 C3", "SA", 2 + 0 + 2 + 0),  # the ace is turned: king and queen are top
        ("SK SQ SJ ST HK HQ H9 DK DQ DJ D5 CK C9 C8 C7 C6 C4", "HT", 0),
        ("SA SK SQ SJ ST S9 S8 S6 S5 S4 S3 S2 HA HK HQ DA C5", "S7", 12 + 2 + 1 + 0),
        ("SA SK S9 S8 HA HK HQ HJ HT H9 D9 D8 D7 D6 CA C3 C2", "H5", 2 + 6 + 0 + 1),
    ],
)
def test_sure_tricks_counts_trumps_from_the_top_and_two_at_most_in_a_plain_suit(hand: str, turned: str, tricks: int) -> None:
    assert answer("sure-tricks", "manchego", "bid", bidding(hand, turned)) == 1 << tricks
    assert answer("sure-tricks", "manchego", "bid", bidding(hand, turned, EVERY_BID & ~(1 << tricks))) == 1 << (tricks + 1)


@pytest.mark.parametrize(
    ("game", "hand", "trick", "trump", "card"),
    [
        ("manillen", "SA HT D7 C8", "", "S", "HT"),  # leads its highest card, trump or not
        ("manillen", "ST CT H9", "", "NT", "CT"),
        ("manillen", "SA HK HJ D7", "H9", "S", "HJ"),  # wins as cheaply as possible
        ("manillen", "S9 HA HK H7", "HT", "S", "H7"),  # cannot win: the lowest
        ("manillen", "HT HK H7", "HA H8", "S", "HT"),  # partner wins: points
        ("manillen", "SA S7 D8 CK", "HA H7", "S", "CK"),  # partner wins, void: points, no trump
        ("manillen", "SA SK", "H9 ST H8", "S", "SK"),  # partner wins, trumps only: the lower
        ("manillen", "SA S7 DT C8", "H9", "S", "S7"),  # ruffs low
        ("manillen", "SK S9 D7 C8", "HK SJ", "S", "SK"),  # overruffs
        ("manillen", "SJ S8 DT C8", "HK SK", "S", "C8"),  # cannot: discards low
        ("manillen", "SA SJ S7 DT", "SK", "S", "SA"),
        ("manillen", "HQ H8 D9", "HJ ST", "NT", "HQ"),  # the ten of spades is a discard: partner wins
        ("manille", "SK DT C8", "H9", "S", "SK"),  # ruffs although it need not
        ("manille", "SJ S8 DA C8", "HK SK", "S", "C8"),  # keeps its trumps when they do not win
        ("manille", "SA D8 C7", "H9 HA H8", "S", "D8"),  # partner wins: no ruff
    ],
)
def test_greedy_in_manille(game: str, hand: str, trick: str, trump: str, card: str) -> None:
    assert MANILLE.text(answer("greedy", "manille", "play", at_table(game, hand, trick, trump))) == card


@pytest.mark.parametrize(
    ("hand", "trick", "trump", "wanted", "card"),
    [
        ("SA H2 D9", "", "H", True, "SA"),
        ("SA H2 D9", "", "H", False, "H2"),
        ("DJ D9 D3", "D8", "S", True, "DJ"),  # somebody plays after it: high
        ("DJ D9 D3", "D8 D5", "S", True, "D9"),  # last: as low as wins
        ("DJ D9 D3", "DQ", "S", True, "D3"),  # cannot win: the lowest
        ("DJ D9 D3", "DQ", "S", False, "DJ"),  # ducks as high as it can
        ("DJ D9", "D8 D5", "S", False, "DJ"),  # must win: then with the highest
        ("DJ D9", "D8", "S", False, "D9"),  # perhaps somebody takes it
        ("SK S3 C2", "D8 D5", "S", True, "S3"),
        ("SK S3 C2", "D8 D5", "S", False, "C2"),
        ("SK S3 HA", "D8", "S", True, "SK"),
        ("S3 SJ HA", "D8 SQ", "S", False, "HA"),  # its trumps do not win: the highest loser
        ("S3 SJ HA", "D8 SQ", "S", True, "S3"),
    ],
)
def test_greedy_in_manchego(hand: str, trick: str, trump: str, wanted: bool, card: str) -> None:
    view = at_table("manchego", hand, trick, trump, bid_me=4, tricks_me=3 if wanted else 4)
    assert FRENCH.text(answer("greedy", "manchego", "play", view)) == card


def uniform(numbers: Any, kinds: int) -> bool:
    """Return whether numbers 0..kinds-1 look equally likely: no value missing, chi-square above one in ten thousand."""
    counts = np.bincount(numbers, minlength=kinds)
    return bool(len(counts) == kinds and chisquare(counts).pvalue > 1e-4)


@pytest.mark.parametrize("size", range(2, 18))
def test_random_takes_every_legal_card_equally_often(size: int) -> None:
    draw = np.random.default_rng(size)
    for family, pack in (("manille", MANILLE), ("manchego", FRENCH)):
        if family == "manille" and size > 8:
            continue
        legal = sorted(draw.choice(pack.size, size, replace=False).tolist())
        view = at_table("manchego", "SA", "", "S")._replace(legal=sum(1 << card for card in legal))
        chosen = [answer("random", family, "play", view._replace(word=word)) for word in draw.integers(0, 2**32, 600 * size).tolist()]
        assert uniform([legal.index(choice.bit_length() - 1) for choice in chosen], size)


@pytest.mark.parametrize("game", ["manillen", "manchego"])
def test_random_leads_every_card_of_its_hand_equally_often(game: str) -> None:
    deals = trickbench.simulate(GAMES[game], "random", 40_000, seed=5, record="plays").deals
    hands = deals[[f"hand_{seat}" for seat in range(GAMES[game].players)]].to_numpy(np.int64)
    hand = hands[np.arange(len(deals)), deals["leader"]]
    below = hand & ((np.int64(1) << deals["card_00"].to_numpy(np.int64)) - 1)
    assert uniform(np.bitwise_count(below), 8 if game == "manillen" else 17)


def test_random_calls_every_call_equally_often() -> None:
    free = trickbench.simulate(GAMES["manillen"], "random", 40_000, seed=6, record=True).deals
    assert uniform(free["call"].cat.codes, 5)
    # En face is one of six answers; partner then names any of five.
    faced = trickbench.simulate(GAMES["manille"], "random", 40_000, seed=6, record=True).deals
    assert chisquare(np.bincount(faced["en_face"]), [40_000 * 5 / 6, 40_000 / 6]).pvalue > 1e-4
    assert uniform(faced["call"].cat.codes, 5)


def test_random_bids_every_bid_equally_often() -> None:
    deals = trickbench.simulate(GAMES["manchego"], "random", 40_000, seed=7, record=True).deals
    assert all(uniform(deals[f"bid_{seat}"], 18) for seat in range(3))


def test_random_draws_are_independent_between_seats_and_tricks() -> None:
    deals = trickbench.simulate(GAMES["manchego"], "random", 40_000, seed=8, record=True).deals
    for one, other in ((0, 1), (1, 2), (0, 2)):
        table = np.bincount(deals[f"bid_{one}"].to_numpy(np.int64) * 18 + deals[f"bid_{other}"], minlength=324)
        assert chisquare(table).pvalue > 1e-4
