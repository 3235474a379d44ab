"""Agents by name and by door: what is read from a strategy's text, what is filled in, and what each mistake is answered with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numba
import numpy as np
import pytest

import trickbench
from trickbench.agent import Agent, NoParameters, from_object, numbers_of
from trickbench.errors import AgentError, TrickbenchError, UsageError
from trickbench.registry import described, find, parameters, registered, split, strategy
from trickbench.table import Table

MANILLEN = trickbench.game("manillen")
MANCHEGO = trickbench.game("manchego")


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


def refused(text: Any, game: Any = MANCHEGO, error: type[TrickbenchError] = UsageError) -> str:
    """Return the message with which a strategy is refused."""
    return message(error, lambda: strategy(text, game))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the current one, and leave the path of modules as it was afterwards."""
    import sys

    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


# Reading the text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("greedy", {None: "greedy"}),
        ("fixed:n=5", {None: "fixed:n=5"}),
        ("two:a=1,b=2", {None: "two:a=1,b=2"}),
        ("two:a=1,b=2,play=greedy", {None: "two:a=1,b=2", "play": "greedy"}),
        ("play=greedy,bid=fixed:n=5", {"play": "greedy", "bid": "fixed:n=5"}),
        ("bid=two:a=1,b=2,play=greedy", {"bid": "two:a=1,b=2", "play": "greedy"}),
        ("play=a,call=b,double=c,redouble=d", {"play": "a", "call": "b", "double": "c", "redouble": "d"}),
        ("greedy,call=points", {None: "greedy", "call": "points"}),
        ("play=a.b:c,bid=d/e.py:f:n=1", {"play": "a.b:c", "bid": "d/e.py:f:n=1"}),
        (" play = greedy , bid = fixed:n=5 ", {"play": "greedy", "bid": "fixed:n=5"}),
    ],
)
def test_after_a_comma_a_decision_begins_or_the_parameters_go_on(text: str, parts: dict[str | None, str]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("greedy", "greedy", {}),
        ("fixed:n=5", "fixed", {"n": "5"}),
        ("two:a=1,b=2", "two", {"a": "1", "b": "2"}),
        ("package.module:player", "package.module:player", {}),
        ("package.module:player:a=1,b=-2", "package.module:player", {"a": "1", "b": "-2"}),
        ("path/to/file.py:player:a=1", "path/to/file.py:player", {"a": "1"}),
        ("book:path=results/calls.parquet", "book", {"path": "results/calls.parquet"}),
        (r"book:path=C:\books\calls.parquet", "book", {"path": r"C:\books\calls.parquet"}),
        ("book:path=a=b:c=d", "book", {"path": "a=b:c=d"}),
    ],
)
def test_parameters_are_what_follows_the_first_colon_before_a_key_and_an_equals_sign(text: str, name: str, values: dict[str, str]) -> None:
    assert parameters(text) == (name, values)


# What is filled in


def test_the_defaults_of_manille_are_those_of_the_documentation() -> None:
    assert strategy("greedy", MANILLEN).resolved() == "play=greedy,call=longest,double=never,redouble=never"
    assert strategy("points", MANILLEN).resolved() == "play=random,call=points,double=never,redouble=never"
    assert strategy("threshold", MANILLEN).resolved() == "play=random,call=longest,double=threshold,redouble=threshold"


def test_the_defaults_of_manchego_are_those_of_the_game() -> None:
    assert MANCHEGO.defaults["play"] == "random"
    assert strategy("greedy", MANCHEGO).resolved() == f"play=greedy,bid={MANCHEGO.defaults['bid']}"
    assert strategy("fixed:n=3", MANCHEGO).resolved() == "play=random,bid=fixed:n=3"


def test_crossing_takes_each_decision_from_the_agent_named_for_it() -> None:
    crossed = strategy("play=greedy,call=no-trump:blind=1,double=threshold:points=30", MANILLEN)
    assert crossed.resolved() == "play=greedy,call=no-trump:blind=1,double=threshold:points=30,redouble=never"
    assert crossed.decisions["play"].function is find("greedy").manille["play"]
    assert crossed.decisions["call"].params.blind == 1
    assert crossed.decisions["double"].params.points == 30
    assert crossed.text == "play=greedy,call=no-trump:blind=1,double=threshold:points=30"


def test_a_decision_after_an_agent_replaces_only_that_decision() -> None:
    assert strategy("random,call=points", MANILLEN).resolved() == "play=random,call=points,double=never,redouble=never"
    assert strategy("random,bid=fixed", MANCHEGO).resolved() == "play=random,bid=fixed"
    assert strategy("random", MANCHEGO).resolved() == "play=random,bid=random"


def test_what_was_resolved_reads_as_the_same_strategy() -> None:
    for game, text in ((MANILLEN, "greedy,call=no-trump:blind=1"), (MANCHEGO, "fixed:n=9")):
        first = strategy(text, game)
        assert strategy(first.resolved(), game).decisions == first.decisions


def test_parameters_have_their_defaults_and_take_both_ends_of_their_limits() -> None:
    assert strategy("fixed", MANCHEGO).decisions["bid"].params.n == 6
    assert strategy("fixed:n=0", MANCHEGO).decisions["bid"].params.n == 0
    assert strategy("fixed:n=17", MANCHEGO).decisions["bid"].params.n == 17


def test_the_agents_of_the_package_are_registered_under_their_own_names() -> None:
    expected = {"random", "greedy", "longest", "points", "no-trump", "never", "threshold", "fixed", "sure-tricks", "expected-tricks"}
    assert expected <= set(registered())
    assert all(find(name).name == name for name in registered())


def test_the_list_of_agents_says_what_each_answers_and_takes() -> None:
    rows = {row["agent"]: row for row in described()}
    assert set(rows) == set(registered())
    assert rows["fixed"]["manchego"] == ["bid"]
    assert rows["fixed"]["parameters"] == {"n": 6}
    assert rows["fixed"]["limits"] == {"n": [0, 17]}
    assert rows["greedy"]["manille"] == ["play"]
    assert all(row["summary"] for row in rows.values())


# Doors

PLAYER = """
import trickbench

def play(view):
    return view.legal & -view.legal

def bid(view):
    return view.legal & -view.legal

class Player:
    def play(self, view):
        return view.legal & -view.legal
    def bid(self, view):
        return view.legal & -view.legal

class Static:
    @staticmethod
    def play(view):
        return view.legal & -view.legal

instance = Player()
agent = trickbench.Agent(name="mine", manille={"play": play}, manchego={"bid": bid})
number = 3
"""


def test_a_file_door_leads_to_a_function(folder: Path) -> None:
    written(folder, "agents/mine.py", PLAYER)
    found = strategy("agents/mine.py:play", MANILLEN)
    assert found.resolved() == "play=agents/mine.py:play,call=longest,double=never,redouble=never"
    assert found.decisions["play"].function.__name__ == "play"
    assert strategy(f"{folder}/agents/mine.py:play", MANCHEGO).decisions["play"].tier == "plain"


def test_a_function_answers_the_decision_that_its_door_stands_for(folder: Path) -> None:
    written(folder, "bidder.py", PLAYER)
    found = strategy("bid=bidder.py:bid", MANCHEGO)
    assert found.resolved() == "play=random,bid=bidder.py:bid"


@pytest.mark.parametrize("attribute", ["Player", "instance"])
def test_a_door_to_a_class_or_an_object_takes_its_methods(folder: Path, attribute: str) -> None:
    written(folder, f"methods_{attribute}.py", PLAYER)
    text = f"methods_{attribute}.py:{attribute}"
    assert strategy(text, MANCHEGO).resolved() == f"play={text},bid={text}"
    assert strategy(text, MANILLEN).resolved() == f"play={text},call=longest,double=never,redouble=never"


def test_a_door_to_an_agent_object_takes_what_it_declares(folder: Path) -> None:
    written(folder, "object_door.py", PLAYER)
    assert set(strategy("object_door.py:agent", MANILLEN).decisions) == set(MANILLEN.kinds)
    assert strategy("object_door.py:agent", MANCHEGO).decisions["bid"].function.__name__ == "bid"


def test_a_module_door_leads_to_a_module_on_the_path_or_in_the_current_folder(folder: Path) -> None:
    written(folder, "door_package/__init__.py", "")
    written(folder, "door_package/players.py", PLAYER)
    assert strategy("door_package.players:play", MANILLEN).decisions["play"].text == "door_package.players:play"
    assert strategy("trickbench_agents.greedy:agent", MANILLEN).decisions["play"].function is find("greedy").manille["play"]


def test_a_door_may_be_crossed_and_may_have_parameters(folder: Path) -> None:
    text = """
from typing import NamedTuple
import trickbench
class Parameters(NamedTuple):
    low: int = 1
    high: int = 9
def bid(view, params):
    return 1 << params.low
agent = trickbench.Agent(name="two", manchego={"bid": bid}, parameters=Parameters, limits={"low": (0, 5)})
"""
    written(folder, "two.py", text)
    found = strategy("two.py:agent:low=2,high=-7,play=greedy", MANCHEGO)
    assert found.decisions["bid"].params == (2, -7)
    assert found.decisions["play"].text == "greedy"
    assert "from 0 to 5" in refused("two.py:agent:low=6")


def test_a_relative_path_means_the_file_in_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "other"):
        written(folder, f"{name}/same_name.py", f"def {name}(view): return 1\nplay = {name}\n")
    monkeypatch.chdir(folder / "one")
    assert find("same_name.py:play").manille["play"].__name__ == "one"
    monkeypatch.chdir(folder / "other")
    assert find("same_name.py:play").manille["play"].__name__ == "other"


def test_functions_agents_and_objects_can_be_passed_instead_of_text() -> None:
    def lowest_card(view: Any) -> int:
        return view.legal & -view.legal

    assert strategy(lowest_card, MANILLEN).resolved() == "play=lowest_card,call=longest,double=never,redouble=never"
    agent = Agent(name="passed", manchego={"bid": lowest_card})
    assert strategy(agent, MANCHEGO).resolved() == "play=random,bid=passed"


# Mistakes in the text


def test_an_unknown_agent_is_answered_with_the_nearest_name() -> None:
    assert "did you mean 'greedy'?" in refused("gredy")
    assert "did you mean 'no-trump'?" in refused("notrump", MANILLEN)
    assert f"known: {', '.join(sorted(registered()))}" in refused("zzzzzz")


@pytest.mark.parametrize("text", ["", "  ", ",", "play=", "play=greedy,bid=", "greedy,random", "greedy,"])
def test_an_empty_or_loose_name_is_refused(text: str) -> None:
    refused(text)


def test_an_unknown_parameter_is_answered_with_those_there_are() -> None:
    assert "unknown parameter 'm'; known: n" in refused("fixed:m=2")
    assert "did you mean 'points'?" in refused("threshold:point=2", MANILLEN)
    assert "it takes none" in refused("greedy:depth=2")


@pytest.mark.parametrize("value", ["18", "-1", "99999999999999999999", "x", "", "2.5", "1e1", "nan", "True"])
def test_a_parameter_out_of_range_or_not_a_number_is_answered_with_its_range(value: str) -> None:
    told = refused(f"fixed:n={value}")
    assert f"'n' cannot be '{value}'" in told
    assert "from 0 to 17" in told


def test_a_piece_without_an_equals_sign_among_parameters_is_refused() -> None:
    assert "key=value" in refused("fixed:n=5,6")
    assert "key=value" in refused("fixed:n=5,")


def test_a_parameter_without_its_key_is_answered_with_how_to_write_it() -> None:
    assert "key=value" in refused("fixed:5")


def test_an_unknown_decision_is_answered_with_those_of_the_game() -> None:
    assert "known: bid, play" in refused("call=greedy")
    assert "unknown decision 'bid'; known: call, double, play, redouble" in refused("bid=random", MANILLEN)


def test_a_decision_that_the_agent_does_not_have_is_refused() -> None:
    assert "'greedy' has no decision 'bid' in manchego; it answers play" in refused("bid=greedy")
    assert "'longest' has no decision 'play'" in refused("play=longest", MANILLEN)


def test_a_decision_named_twice_is_refused() -> None:
    assert "stands twice" in refused("play=greedy,play=random")


def test_an_agent_that_does_not_play_the_game_is_refused() -> None:
    assert refused("longest") == "agent 'longest' does not play manchego"
    assert refused("fixed", MANILLEN) == "agent 'fixed' does not play manillen"


# Mistakes behind a door


@pytest.mark.parametrize("text", ["nowhere.py:play", "no/where.py:play", "/no/where.py:play"])
def test_a_missing_file_is_named(folder: Path, text: str) -> None:
    assert f"no file '{text.removesuffix(':play')}'" in refused(text)


@pytest.mark.parametrize("text", ["no_such_package.players:play", "trickbench_agents.no_such_module:agent", "nosuchmodule:play"])
def test_a_missing_module_is_named(folder: Path, text: str) -> None:
    assert f"no module '{text.partition(':')[0]}'" in refused(text)


@pytest.mark.parametrize("text", ["json.tool", "players.py", "./players.py", "a/b"])
def test_a_door_without_an_attribute_is_answered_with_the_form(folder: Path, text: str) -> None:
    assert f"as in '{text}:play'" in refused(text)


def test_a_missing_attribute_is_answered_with_the_nearest(folder: Path) -> None:
    written(folder, "attributes.py", PLAYER)
    assert "unknown attribute 'plai'; did you mean 'play'?" in refused("attributes.py:plai")
    assert "agent 'trickbench_agents.greedy:agend': unknown attribute 'agend'; did you mean 'agent'?" in refused("trickbench_agents.greedy:agend")


def test_an_attribute_that_is_no_agent_is_named_with_its_type(folder: Path) -> None:
    written(folder, "numbers_door.py", PLAYER)
    assert "is a int" in refused("numbers_door.py:number")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("raise RuntimeError('not today')", "RuntimeError: not today"),
        ("import a_package_that_is_not_there", "a_package_that_is_not_there"),
        ("def play(view:\n    return 1\n", "SyntaxError"),
        ("play = undefined_name", "NameError"),
        ("raise RuntimeError('first line\\nsecond line')", "first line"),
    ],
    ids=["raises", "imports what is not there", "syntax", "undefined", "a message of two lines"],
)
@pytest.mark.parametrize("door", ["file", "module"])
def test_code_that_fails_on_import_is_the_agents_error(folder: Path, text: str, told: str, door: str) -> None:
    name = f"fails_by_{door}_{crc32(text.encode())}"
    written(folder, f"{name}.py", text)
    shown = refused(f"{name}.py:play" if door == "file" else f"{name}:play", error=AgentError)
    assert told in shown
    assert name in shown


def test_a_dependency_that_is_missing_is_not_taken_for_the_module_itself(folder: Path) -> None:
    written(folder, "absentee_player.py", "import absentee\ndef play(view): return 1\n")
    assert "No module named 'absentee'" in refused("absentee_player:play", error=AgentError)


def test_code_that_failed_on_import_is_tried_again(folder: Path) -> None:
    path = written(folder, "mended.py", "raise RuntimeError('broken')")
    refused("mended.py:play", error=AgentError)
    path.write_text(PLAYER)
    assert strategy("mended.py:play", MANILLEN).decisions["play"].tier == "plain"


# Mistakes in what is declared


def hand_first(hand: Any, view: Any) -> int:
    return 1


def rules_second(view: Any, rules: Any) -> int:
    return 1


def five(view: Any, params: Any, rules: Any, tables: Any, more: Any) -> int:
    return 1


def none_at_all() -> int:
    return 1


@trickbench.lanes
def too_few_lanes(view: Any, params: Any) -> None:
    pass


@pytest.mark.parametrize("function", [hand_first, rules_second, five, none_at_all])
def test_other_arguments_are_answered_with_the_forms_there_are(function: Callable[..., int]) -> None:
    told = refused(function, MANILLEN)
    assert "it must take (view) or (view, params) or (view, params, rules) or (view, params, rules, tables)" in told


def test_a_lanes_function_takes_all_its_arguments() -> None:
    assert "it must take (view, params, tables, scratch)" in refused(too_few_lanes, MANILLEN)


def test_wrong_arguments_behind_a_door_are_refused_with_the_door(folder: Path) -> None:
    written(folder, "wrong_arguments.py", "def play(hand, table): return 1\n")
    assert "agent 'wrong_arguments.py:play'" in refused("wrong_arguments.py:play")


def test_a_function_whose_arguments_cannot_be_known_is_refused() -> None:
    refused("builtins:max")


def test_a_class_that_cannot_be_made_without_arguments_is_refused(folder: Path) -> None:
    written(folder, "needs_arguments.py", "class Player:\n    def __init__(self, strength): pass\n    def play(self, view): return 1\n")
    with pytest.raises(TrickbenchError, match=r"needs_arguments\.py:Player"):
        strategy("needs_arguments.py:Player", MANILLEN)


def test_a_function_compiled_by_numba_is_answered_with_the_decorator_to_use(folder: Path) -> None:
    @numba.njit
    def play(view: Any) -> int:
        return view.legal

    assert "@trickbench.kernel" in refused(play, MANILLEN)
    written(folder, "compiled_door.py", "import numba\n@numba.njit\ndef play(view): return view.legal\n")
    assert "@trickbench.kernel" in refused("compiled_door.py:play", MANILLEN)
    assert "@trickbench.kernel" in message(UsageError, lambda: Agent(name="a", manille={"play": play}))


def simple(view: Any) -> int:
    return view.legal & -view.legal


class FloatDefault(NamedTuple):
    depth: int = 1
    share: float = 0.5


class BoolDefault(NamedTuple):
    on: bool = True


class NoDefault(NamedTuple):
    depth: int


class Mixed(NamedTuple):
    depth: int = 2
    path: str = "built-in"
    width: int = 3


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        (FloatDefault, "'share' is 0.5; it must be a whole number or a text"),
        (BoolDefault, "'on' is True"),
        (NoDefault, "every parameter needs a default"),
    ],
)
def test_defaults_of_parameters_are_whole_numbers_or_texts(parameters: type[Any], told: str) -> None:
    assert told in message(UsageError, lambda: Agent(name="a", manille={"play": simple}, parameters=parameters))


def test_texts_are_for_tables_and_decision_functions_get_numbers() -> None:
    agent = Agent(name="mixed", manille={"play": simple}, parameters=Mixed, limits={"depth": (1, 9)})
    params = agent.with_parameters({"path": "some/where.txt", "depth": "5"})
    assert params == (5, "some/where.txt", 3)
    assert numbers_of(params) == (5, 0, 3)
    assert numbers_of(NoParameters()) == ()
    assert "parameter 'path' is empty" in message(UsageError, lambda: agent.with_parameters({"path": ""}))
    assert "from 1 to 9" in message(UsageError, lambda: agent.with_parameters({"depth": "deep"}))
    wrong = message(UsageError, lambda: Agent(name="mixed", manille={"play": simple}, parameters=Mixed, limits={"path": (1, 9)}))
    assert wrong == "agent 'mixed': parameter 'path' is a text and cannot have limits"


TEXTS = """
from typing import NamedTuple
import numpy as np
import trickbench
from trickbench.bits import pick

class Parameters(NamedTuple):
    depth: int = 2
    path: str = "built-in"

def plainly(view, params, rules, tables):
    assert type(params.path) is int
    return pick(view.legal, (params.depth * 17 + params.path + tables[0] * 311) << 20)

@trickbench.kernel
def compiled(view, params, rules, tables):
    return pick(view.legal, (params.depth * 17 + params.path + tables[0] * 311) << 20)

def read(params):
    return np.array([len(params.path)])

plain, kernel = (trickbench.Agent(f.__name__, manille={"play": f}, parameters=Parameters, tables=read) for f in (plainly, compiled))
"""


def test_a_text_parameter_plays_the_same_in_every_tier(folder: Path) -> None:
    written(folder, "texts.py", TEXTS)

    def digest(which: str, path: str) -> str:
        return str(trickbench.simulate(MANILLEN, [f"texts.py:{which}:depth=4,path={path}", "random"], 300, record="plays").digest)

    assert digest("plain", "a/b:c.txt") == digest("kernel", "a/b:c.txt") == digest("kernel", "123456789")
    assert digest("kernel", "a") != digest("kernel", "a/b:c.txt")
    # Two texts are two agents at one table.
    assert len(Table(MANILLEN, ["texts.py:kernel:path=a", "texts.py:kernel:path=b"]).bounds_of_kind[0][0]) == 2


def test_an_agent_answers_decisions_that_its_games_have() -> None:
    assert "answers no decision" in message(UsageError, lambda: Agent(name="a"))
    assert "unknown decision 'bid'" in message(UsageError, lambda: Agent(name="a", manille={"bid": simple}))
    assert "unknown decision 'call'" in message(UsageError, lambda: Agent(name="a", manchego={"call": simple}))
    assert "did you mean 'play'?" in message(UsageError, lambda: Agent(name="a", manille={"plays": simple}))
    assert "is not a function" in message(UsageError, lambda: Agent(name="a", manille={"play": 3}))  # type: ignore[dict-item]


def test_from_object_gives_a_function_the_decision_asked_for() -> None:
    assert set(from_object(simple, "a", None).manille) == {"play"}
    assert set(from_object(simple, "a", "double").manille) == {"double"}
    assert set(from_object(simple, "a", "bid").manchego) == {"bid"}


# Tables


@pytest.mark.parametrize(
    ("game", "agents", "told"),
    [
        (MANILLEN, ["random"] * 3, "1 or 2 or 4 agents, not 3"),
        (MANILLEN, ["random"] * 5, "not 5"),
        (MANILLEN, [], "not 0"),
        (MANCHEGO, ["random"] * 2, "1 or 3 agents, not 2"),
        (MANCHEGO, ["random"] * 4, "not 4"),
    ],
)
def test_a_wrong_number_of_agents_is_answered_with_the_right_ones(game: Any, agents: list[str], told: str) -> None:
    assert told in message(UsageError, lambda: Table(game, agents))


def test_one_agent_sits_everywhere_two_are_sides_four_are_seats() -> None:
    def texts(game: Any, agents: Any) -> list[str]:
        return [sitting.text for sitting in Table(game, agents).seats]

    assert texts(MANILLEN, "greedy") == texts(MANILLEN, ["greedy"]) == ["greedy"] * 4
    assert texts(MANILLEN, ("greedy", "random")) == ["greedy", "random", "greedy", "random"]
    assert texts(MANILLEN, ["greedy", "random", "points", "longest"]) == ["greedy", "random", "points", "longest"]
    assert texts(MANCHEGO, ["greedy", "random", "fixed"]) == ["greedy", "random", "fixed"]


def test_the_tables_of_an_agent_are_made_from_its_parameters_and_its_failure_is_told() -> None:
    def broken(params: Any) -> np.ndarray:
        raise FileNotFoundError("weights.npz")

    agent = Agent(name="a", manille={"play": simple}, tables=broken)
    told = message(AgentError, lambda: Table(MANILLEN, agent).memory())
    assert "agent 'a': its tables could not be made: FileNotFoundError: weights.npz" in told
