"""What the commands that are studies do, apart from reading the command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trickbench.cli import read_rules
from trickbench.counts import deal_count, seed_number, worker_count
from trickbench.errors import UsageError
from trickbench.experiment import STUDIES, Experiment
from trickbench.games.registry import game
from trickbench.storage import plain
from trickbench.studies.playing import Store, play_study
from trickbench.studies.study import Study

MEASURED = 20_000
"""Deals of the duel that measures sigma."""


def duel(arguments: argparse.Namespace) -> str:
    """Play a duel; return what to print."""
    rest = {"games": arguments.games, "control": arguments.control, "rollouts": arguments.rollouts}
    if arguments.until_decided:
        rest["until_decided"] = _rule(arguments)
    elif arguments.edges or arguments.errors or arguments.test != "margin":
        raise UsageError("--test, --edges and --errors belong to --until-decided")
    return _played("duel", arguments, {"on_illegal": arguments.on_illegal, **rest})


def _rule(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the sequential test of a duel as a table of an experiment."""
    rule: dict[str, Any] = {"test": arguments.test}
    for option, names in (("edges", ("low", "high")), ("errors", ("alpha", "beta"))):
        text = getattr(arguments, option)
        if text is not None:
            try:
                first, second = (float(part) for part in text.split(","))
            except ValueError:
                raise UsageError(f"--{option} cannot be '{text}'; two numbers would be right, as in 0,0.5") from None
            rule |= dict(zip(names, (first, second), strict=True))
    return rule


def tournament(arguments: argparse.Namespace) -> str:
    """Play a tournament; return what to print."""
    anchor = {} if arguments.anchor is None else {"anchor": arguments.anchor}
    return _played("tournament", arguments, {"on_illegal": arguments.on_illegal, **anchor})


def bids(arguments: argparse.Namespace) -> str:
    """Play a study of bids; return what to print."""
    from trickbench.studies.bids import BIDDERS

    if arguments.hand is not None:
        return _hand(arguments)
    for option in ("turned", "position", "bids"):
        if getattr(arguments, option):
            raise UsageError(f"--{option} belongs to --hand, with 17 cards")
    arguments.agents = arguments.agents or list(BIDDERS)
    given = {name: getattr(arguments, name) for name in ("players", "reference") if getattr(arguments, name)}
    return _played("bids", arguments, {"forecasts": arguments.forecasts, **given})


def _hand(arguments: argparse.Namespace) -> str:
    """Return what to bid with a hand."""
    from trickbench.studies.bid_hand import bid_hand
    from trickbench.studies.bids import PLAYERS, REFERENCE

    players, others = arguments.players or PLAYERS, arguments.reference or REFERENCE
    if arguments.turned is None:
        raise UsageError("--turned is missing; --hand wants the turned card, as in --turned S6")
    if len(players) > 1:
        raise UsageError("--hand takes one card player")
    found = bid_hand(
        game(arguments.game, **read_rules(arguments.rule)), arguments.hand, arguments.turned, arguments.position, arguments.bids, arguments.agents,
        players[0], others, arguments.worlds, arguments.seed, None if arguments.workers is None else worker_count(arguments.workers),
    )  # fmt: skip
    return json.dumps(found.facts(), indent=2, default=plain) if arguments.json else found.text()


def doubles(arguments: argparse.Namespace) -> str:
    """Play a study of doubles; return what to print."""
    from trickbench.studies.doubles import DOUBLERS

    arguments.agents = arguments.agents or list(DOUBLERS)
    return _played("doubles", arguments, {name: getattr(arguments, name) for name in ("players", "forecasts") if getattr(arguments, name)})


def _played(kind: str, arguments: argparse.Namespace, rest: dict[str, Any]) -> str:
    """Play the study that arguments describe; return what to print."""
    from importlib import import_module

    played = game(arguments.game, **read_rules(arguments.rule))
    settings = {"deals": arguments.deals, **rest}
    return _told(import_module(STUDIES[kind]).from_table(kind, played, arguments.agents, seed_number(arguments.seed), settings), arguments)


def _told(study: Study, arguments: argparse.Namespace) -> str:
    """Play a study, in memory or in a folder; return what to print."""
    if arguments.resume and not arguments.out:
        raise UsageError("--resume goes on with the run in a folder; --out is missing")
    result, lines = _result(study, arguments)
    if arguments.json:
        return json.dumps(result.facts(), indent=2, default=plain)
    return "\n".join([result.text(), *lines])


def _result(study: Study, arguments: argparse.Namespace) -> tuple[Any, list[str]]:
    """Return the result of a study, and what there is to say of files."""
    from trickbench.studies.folder import play_studies, write_figures

    if arguments.out:
        experiment = Experiment(Path(arguments.out).name, study.seed, (), (study,))
        found = play_studies(experiment, Path(arguments.out), arguments.workers, progress=True, resume=arguments.resume)
        result, lines = found[study.name], [f"results: {arguments.out}"]
    else:
        result, lines = study.result(play_study(study, Store(None), worker_count(arguments.workers), True)), []
    if arguments.figures:
        lines += [f"figure: {path}" for path in write_figures(Path(arguments.figures), result)]
    return result, lines


BESIDE_A_BOOK = ("agents", "game", "rule", "against", "yardsticks", "partner", "doublers", "deals", "worlds", "out", "resume")
"""What ``trickbench calls`` takes to roll hands out; a book is made already."""
BESIDE_A_HAND = ("deals", "out", "resume", "figures")


def calls(arguments: argparse.Namespace) -> str:
    """Judge trump calls and callers, or say what to call with a hand, or what a book says; return what to print."""
    if arguments.book:
        return _book(arguments)
    _refuse(arguments, BESIDE_A_HAND if arguments.hand else (), "--hand")
    if not arguments.game:
        raise UsageError("--game is missing; manillen or manille would be right")
    from trickbench.studies.calls import from_table
    from trickbench.studies.calls_telling import hand_text
    from trickbench.studies.hand_calls import WORLDS, judge_hand

    names = ("players", "against", "yardsticks", "partner", "doublers", "deals", "worlds")
    rest = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    if arguments.hand:
        rest = {"worlds": WORLDS, **rest, "deals": 1}
    study = from_table("calls", game(arguments.game, **read_rules(arguments.rule)), arguments.agents, seed_number(arguments.seed), rest)
    if not arguments.hand:
        return _told(study, arguments)
    facts = judge_hand(study, arguments.hand)
    return json.dumps(facts, indent=2, default=plain) if arguments.json else hand_text(facts)


def _book(arguments: argparse.Namespace) -> str:
    """Return what a call book says."""
    from trickbench.studies.book_reading import calls_record, calls_report

    _refuse(arguments, BESIDE_A_BOOK, "--book")
    if not arguments.json:
        return calls_report(arguments.book, arguments.hand, arguments.figures)
    return json.dumps(calls_record(arguments.book, arguments.hand), indent=2, default=plain)


def _refuse(arguments: argparse.Namespace, names: Sequence[str], beside: str) -> None:
    """Refuse arguments that do not go with another."""
    for name in names:
        if getattr(arguments, name):
            given = "CALLER" if name == "agents" else f"--{name}"
            raise UsageError(f"{given} does not go with {beside}; one of the two would be right")


def power(arguments: argparse.Namespace) -> str:
    """Return how many deals an edge takes, or which edge deals can show."""
    from trickbench.studies.power import power_facts, power_text

    if (arguments.edge is None) == (arguments.deals is None):
        raise UsageError("one of --edge and --deals is wanted: the edge to be shown, or the deals there are")
    if bool(arguments.agents) != bool(arguments.game) or (arguments.agents and arguments.sigma is not None):
        raise UsageError("sigma is measured with --agents A B and --game, and given with --sigma; one of the two would be right")
    sigma, measured = 6.0 if arguments.sigma is None else arguments.sigma, None
    if arguments.agents:
        from trickbench.studies.duels import duel as play

        played = game(arguments.game, **read_rules(arguments.rule))
        first, second = arguments.agents
        measured = play(played, first, second, MEASURED, arguments.seed, progress=True)
        sigma = measured.edge.sd
    deals = None if arguments.deals is None else deal_count(arguments.deals)
    facts = power_facts(sigma, arguments.edge, deals, arguments.power, arguments.level, measured)
    return json.dumps(facts, indent=2, default=plain) if arguments.json else power_text(facts)
