"""The arguments of the commands that are studies: duel, tournament, power, bids."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

New = Callable[..., argparse.ArgumentParser]
"""Makes a command's parser from its name, its line in the help, and examples."""


def _game(command: argparse.ArgumentParser) -> None:
    command.add_argument("--game", required=True, metavar="GAME", help="manillen, manille or manchego")
    command.add_argument("--rule", action="append", default=[], metavar="OPTION=VALUE", help="change a rule option (may be given again)")


def _illegal(command: argparse.ArgumentParser) -> None:
    command.add_argument("--on-illegal", default="raise", metavar="WHAT", help="raise (default); forfeit: in Manille an illegal card ends the deal")


def _played(command: argparse.ArgumentParser, deals: str) -> None:
    command.add_argument("--deals", default=deals, metavar="N", help=f"deals, each played in all seatings (default {deals})")
    command.add_argument("--seed", default="0", metavar="S", help="seed of the deals (default 0)")
    command.add_argument("--workers", metavar="W", help="threads (default: one for each processor); results do not depend on it")
    command.add_argument("--out", metavar="DIR", help="keep everything in this results folder: pieces, tables, figures")
    command.add_argument("--resume", action="store_true", help="go on with the run in the folder of --out")
    command.add_argument("--figures", metavar="DIR", help="draw the figures into this folder")


def add_duel(new: New, commands: Any) -> None:
    """Add ``trickbench duel``."""
    duel = new(
        commands, "duel", "two agents on the same deals in all seatings: who is better, and how sure that is",
        "Examples: trickbench duel heuristic greedy --game manillen; ... --until-decided; ... --games 10000 (whole games too); ... --control 20000 "
        "(a control variate by rollouts). Positive is in favour of the first, A.",
    )  # fmt: skip
    duel.add_argument("agents", nargs=2, metavar="AGENT", help="A and B")
    _game(duel)
    _played(duel, "100k")
    _illegal(duel)
    duel.add_argument("--games", default="0", metavar="N", help="play so many whole games in all seatings too (default none)")
    duel.add_argument("--control", default="0", metavar="N", help="take a control variate on so many deals (default none)")
    duel.add_argument("--rollouts", default="64", metavar="N", help="rollouts a deal for the control variate (default 64)")
    duel.add_argument("--until-decided", action="store_true", help="stop as soon as a sequential test decides, after --deals at the latest")
    duel.add_argument("--test", default="margin", metavar="TEST", help="margin (edge in points) or pentanomial (wins of pairs, in normalised Elo)")
    duel.add_argument("--edges", metavar="E0,E1", help="what the test decides between: points 0,0.5, or normalised Elo 0,5")
    duel.add_argument("--errors", metavar="A,B", help="its error rates (default 0.05,0.05)")


def add_tournament(new: New, commands: Any) -> None:
    """Add ``trickbench tournament``."""
    tournament = new(
        commands, "tournament", "many agents, every pair (Manille) or every three (Manchego): payoffs and ratings with intervals",
        "Example: trickbench tournament random greedy heuristic --game manillen. Every pairing has deals of its own, played in all seatings.",
    )  # fmt: skip
    tournament.add_argument("agents", nargs="+", metavar="AGENT", help="two or more; three or more in Manchego")
    _game(tournament)
    _played(tournament, "20k")
    _illegal(tournament)
    tournament.add_argument("--anchor", metavar="AGENT", help="whose rating is 0 (default: random, if it plays, else the first)")


def add_power(new: New, commands: Any) -> None:
    """Add ``trickbench power``."""
    power = new(
        commands, "power", "how many deals it takes to show an edge, or which edge so many deals can show",
        "Examples: trickbench power --edge 0.5 (sigma 6 points); ... --edge 0.5 --agents heuristic greedy --game manillen (sigma measured); "
        "... --deals 10000 --sigma 8.",
    )  # fmt: skip
    power.add_argument("--edge", type=float, metavar="POINTS", help="the edge to be shown, points a deal")
    power.add_argument("--deals", metavar="N", help="instead of --edge: the deals there are")
    power.add_argument("--sigma", type=float, metavar="POINTS", help="standard deviation of one deal in all its seatings (default 6, or measured)")
    power.add_argument("--power", type=float, default=0.8, metavar="P", help="chance to show it (default 0.8)")
    power.add_argument("--level", type=float, default=0.95, metavar="L", help="of the two-sided interval that must exclude 0 (default 0.95)")
    power.add_argument("--agents", nargs=2, metavar="AGENT", help="measure sigma in a duel of these")
    power.add_argument("--game", metavar="GAME", help="the duel's game")
    power.add_argument("--rule", action="append", default=[], metavar="OPTION=VALUE", help="change a rule option (may be given again)")
    power.add_argument("--seed", default="0", metavar="S", help="seed of the duel")


def add_bids(new: New, commands: Any) -> None:
    """Add ``trickbench bids``."""
    bids = new(
        commands, "bids", "which bidding strategy of Manchego is best, with which card player, and how well it knows its hand",
        "Examples: trickbench bids; trickbench bids sure-tricks expected-tricks heuristic --players heuristic greedy --deals 50k. Of bidders only "
        "the bids count, of players only the cards; every bidder sits in every seat against two of every bidder, on the same deals. With --hand: "
        'what to bid with one hand, as in --hand "SA SK S9 ... C3" --turned S6 --bids "7 5" (two have bid before: position 2, the dealer).',
    )  # fmt: skip
    bids.add_argument("agents", nargs="*", metavar="BIDDER", help="default: random fixed:n=6 sure-tricks expected-tricks heuristic")
    bids.add_argument("--game", default="manchego", metavar="GAME", help="manchego, the one game with bids (default)")
    bids.add_argument("--rule", action="append", default=[], metavar="OPTION=VALUE", help="change a rule option (may be given again)")
    bids.add_argument("--players", nargs="+", metavar="AGENT", help="card players, all seats with one at a time (default heuristic)")
    bids.add_argument("--reference", metavar="AGENT", help="whom all meet, to tell bidding from play; with --hand: the others (default heuristic)")
    bids.add_argument("--forecasts", default="5000", metavar="N", help="deals on which forecasts of tricks are taken; 0 for none (default 5000)")
    _played(bids, "20k")
    bids.add_argument("--hand", metavar="CARDS", help="instead of playing deals: 17 cards; what every bid is worth with them, by rollouts")
    bids.add_argument("--turned", metavar="CARD", help="with --hand: the turned card")
    bids.add_argument("--position", metavar="P", help="with --hand: 0 first to bid, 1, 2 the dealer (default: as many as have bid)")
    bids.add_argument("--bids", default="", metavar="BIDS", help='with --hand: the bids before, in order, as in "7 5"')
    bids.add_argument("--worlds", default="4096", metavar="N", help="with --hand: how often the hidden cards are dealt (default 4096)")
