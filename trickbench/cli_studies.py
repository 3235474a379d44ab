"""The arguments of the commands that are studies: duel, tournament, power, calls, doubles, bids."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

New = Callable[..., argparse.ArgumentParser]
"""Makes a command's parser from its name, its line in the help, and examples."""


def _game(command: argparse.ArgumentParser, games: str = "manillen, manille or manchego", required: bool = True) -> None:
    command.add_argument("--game", required=required, metavar="GAME", help=games)
    command.add_argument("--rule", action="append", default=[], metavar="OPTION=VALUE", help="change a rule option (may be given again)")


def _illegal(command: argparse.ArgumentParser) -> None:
    command.add_argument("--on-illegal", default="raise", metavar="WHAT", help="raise (default); forfeit: in Manille an illegal card ends the deal")


def _played(command: argparse.ArgumentParser, deals: str) -> None:
    command.add_argument("--deals", default=deals, metavar="N", help=f"deals, each played in all seatings (default {deals})")
    _kept(command)


def _kept(command: argparse.ArgumentParser) -> None:
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


def add_calls(new: New, commands: Any) -> None:
    """Add ``trickbench calls``."""
    calls = new(
        commands, "calls", "what each trump call is worth, how often it wins, and how good each rule for calling is",
        "Examples: trickbench calls --game manillen; ... longest book my.py:call --players greedy; trickbench calls --game manillen --hand "
        '"SA SK S9 HT H7 DJ C9 C8" (what to call with a hand); trickbench calls --book FILE (what a call book says).',
    )  # fmt: skip
    calls.add_argument("agents", nargs="*", metavar="CALLER", help="whose calls are judged (default: the built-in ones)")
    _game(calls, "manillen or manille", required=False)
    calls.add_argument("--players", default="heuristic", metavar="AGENT", help="who plays the cards of the dealer's side (default heuristic)")
    calls.add_argument("--against", metavar="AGENT", help="who plays those of the other side (default: the same)")
    calls.add_argument("--yardsticks", nargs="*", metavar="AGENT", help="other card players to value the same deals by (default random)")
    calls.add_argument("--partner", metavar="AGENT", help="whose call answers after en face, where the rules have it (default: that of --players)")
    calls.add_argument("--doublers", action="store_true", help="ask the players for double and redouble (default: nobody doubles)")
    calls.add_argument("--deals", metavar="N", help="dealers' hands (default 20k)")
    calls.add_argument("--worlds", metavar="N", help="in which each is rolled out with every call; even (default 512; 65536 for --hand)")
    calls.add_argument("--hand", metavar="CARDS", help="say what to call with this hand instead")
    calls.add_argument("--book", metavar="FILE", help="say what a call book says instead, or what it says of --hand")
    _kept(calls)


def add_doubles(new: New, commands: Any) -> None:
    """Add ``trickbench doubles``."""
    doubles = new(
        commands, "doubles", "what doubling and redoubling win, and how well those who double know the dealer's chances",
        "Examples: trickbench doubles --game manillen; trickbench doubles calibrated threshold:points=25 --game manille --players greedy. Every "
        "doubler meets every redoubler on the same deals; of those named only double and redouble count.",
    )  # fmt: skip
    doubles.add_argument("agents", nargs="*", metavar="DOUBLER", help="default: threshold heuristic calibrated")
    _game(doubles)
    doubles.add_argument("--players", metavar="AGENT", help="who calls and plays in every seat (default heuristic)")
    doubles.add_argument("--forecasts", metavar="N", help="other deals, on which those that forecast are asked for it (default 50k)")
    doubles.add_argument("--deals", default="200k", metavar="N", help="deals, each played by every pair (default 200k)")
    _kept(doubles)
