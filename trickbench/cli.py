"""The command line. Each command imports what it needs when it runs, so that ``trickbench --help`` answers at once."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from trickbench import __version__, cli_studies
from trickbench.errors import TrickbenchError, UsageError, unknown

STOPPED = 130
"""Exit code after Ctrl-C."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, with the nearest option where one is close."""

    def error(self, message: str) -> NoReturn:
        """Raise what was wrong; the caller prints it."""
        if message.startswith("unrecognized arguments: "):
            word = message.split(": ", 1)[1].split()[0].partition("=")[0]
            near = get_close_matches(word, [option for action in self._actions for option in action.option_strings], 1)
            message = f"unknown argument '{word}'{f'; did you mean {near[0]}?' if near else ''}"
        raise UsageError(f"{message} ('{self.prog} --help' lists what it takes)")


def build_parser() -> Parser:
    """Return the parser of the whole command line."""
    parser = Parser(prog="trickbench", description="Simulate Manille and Manchego by the million; see which strategy wins.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"trickbench {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser, title="commands")
    _add_run(commands)
    _add_match(commands)
    cli_studies.add_duel(_command, commands)
    cli_studies.add_tournament(_command, commands)
    cli_studies.add_power(_command, commands)
    cli_studies.add_calls(_command, commands)
    cli_studies.add_doubles(_command, commands)
    cli_studies.add_bids(_command, commands)
    _add_show(commands)
    _add_compare(commands)
    _add_legal(commands)
    _add_score(commands)
    _add_rules(commands)
    _add_agents(commands)
    _add_check(commands)
    _add_bench(commands)
    _add_cache(commands)
    for command in commands.choices.values():
        command.add_argument("--json", action="store_true", help="answer in JSON")
    return parser


def _command(commands: Any, name: str, summary: str, more: str = "") -> Parser:
    made: Parser = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}. {more}".strip(), allow_abbrev=False)
    return made


def _add_run(commands: Any) -> None:
    run = _command(
        commands, "run", "play an experiment and keep its results",
        "EXPERIMENT is a TOML file, or the name of one that comes with the package: quickstart. Results go to a new folder: manifest, "
        "Parquet shards, summary, figures.",
    )  # fmt: skip
    run.add_argument("experiment", metavar="EXPERIMENT")
    run.add_argument("--deals", metavar="N", help="deals in every match instead of the file's, as in 200000, 1e6, 2M")
    run.add_argument("--seed", metavar="S", help="seed instead of the file's")
    run.add_argument("--workers", metavar="W", help="threads (default: one for each processor); results do not depend on it")
    run.add_argument("--out", metavar="DIR", help="results folder, which must not exist (default: results/<name of the experiment>)")
    run.add_argument("--resume", action="store_true", help="go on with the run in the results folder, after Ctrl-C or a crash; it may be complete")
    run.add_argument("--no-figures", action="store_true", help="draw no figures")
    run.add_argument("--dry-run", action="store_true", help="check everything and say what would be played, without playing")


def _add_game(command: Parser, required: bool = True) -> None:
    command.add_argument("--game", required=required, metavar="GAME", help="manillen, manille or manchego")
    command.add_argument("--rule", action="append", default=[], metavar="OPTION=VALUE", help="change a rule option (may be given again)")


def _add_match(commands: Any) -> None:
    match = _command(
        commands, "match", "whole games, or matches of several: who wins, and how long they last",
        "Examples: trickbench match heuristic greedy --game manillen --games 10000; ... --rule best_of=1; ... --game manille --rule game_deals=50; "
        "... --game manchego --rule target=50. Scores, carried ties and the deal go on from deal to deal.",
    )  # fmt: skip
    match.add_argument("agents", nargs="+", metavar="AGENT", help="one for all seats, one a side (Manille), or one a seat")
    _add_game(match)
    match.add_argument("--games", default="10000", metavar="N", help="games; with best_of above 1, matches (default 10000)")
    match.add_argument("--seed", metavar="S", help="seed of the deals (default 0)")
    match.add_argument("--workers", metavar="W", help="threads (default: one for each processor); results do not depend on it")
    match.add_argument("--on-illegal", metavar="WHAT", help="raise (default), or forfeit: in Manille an illegal card ends the deal")
    match.add_argument("--figures", metavar="DIR", help="draw how long games last and the scores at their end into this folder")


def _add_show(commands: Any) -> None:
    show = _command(
        commands, "show", "one deal, card by card, or one whole game",
        "Examples: trickbench show --game manillen --seed 7 --deal 42 --agents greedy random; trickbench show results/quickstart --match manillen "
        "--deal 42. A deal of a finished run is shown as recorded, or played again if the run kept no cards. With --whole-game N: the score sheet of "
        "game (or match) N, and with --deal a deal of it.",
    )  # fmt: skip
    show.add_argument("results", nargs="?", metavar="DIR", help="folder of a finished run; without it --game and --agents say what to play")
    show.add_argument("--match", metavar="NAME", help="match of the run, if it has several")
    show.add_argument("--deal", type=int, metavar="N", help="number of the deal, from 0")
    show.add_argument("--whole-game", type=int, metavar="N", help="number of the game or match, from 0, as 'trickbench match' numbers them")
    _add_game(show, required=False)
    show.add_argument("--seed", metavar="S", help="seed of the deals (default 0)")
    show.add_argument("--agents", nargs="+", metavar="AGENT", help="one for all seats, one a side (Manille), or one a seat")
    show.add_argument("--on-illegal", metavar="WHAT", help="raise (default), or forfeit: in Manille an illegal card ends the deal")


def _add_compare(commands: Any) -> None:
    compare = _command(
        commands, "compare", "two finished runs: what differs in how they were played, and in what came out",
        "Matches are compared by name. Differences have 95 % intervals: those of means are taken deal by deal where both runs recorded the same "
        "deals, all others as of independent runs.",
    )  # fmt: skip
    compare.add_argument("first", metavar="DIR", help="folder of a finished run")
    compare.add_argument("second", metavar="DIR", help="folder of another; differences are this one's less the first's")


def _add_legal(commands: Any) -> None:
    legal = _command(
        commands, "legal", "which cards of a hand may be played",
        'Example: trickbench legal --game manillen --trump S --trick "HK SJ" --hand "SK S9 D7 C8"',
    )  # fmt: skip
    _add_game(legal)
    legal.add_argument("--hand", required=True, metavar="CARDS", help='the cards held: "SK S9 D7 C8", also 10S, ♠K, SK.S9.D7')
    legal.add_argument("--trick", default="", metavar="CARDS", help="the cards in the trick in order of play; empty when leading")
    legal.add_argument("--trump", metavar="SUIT", help="C, D, H, S or NT (default NT; does not matter in Manchego)")


def _add_score(commands: Any) -> None:
    score = _command(
        commands, "score", "what a deal scores",
        "Manille: --points and --tricks of one side, and what was called. Manchego: --bids and --won of the three players.",
    )  # fmt: skip
    _add_game(score)
    score.add_argument("--points", type=int, metavar="P", help="card points of the side, 0 to 60")
    score.add_argument("--tricks", type=int, metavar="T", help="tricks of the side, 0 to 8")
    score.add_argument("--no-trump", action="store_true")
    score.add_argument("--blind", action="store_true", help="no-trump called before looking")
    score.add_argument("--doubled", action="store_true")
    score.add_argument("--redoubled", action="store_true")
    score.add_argument("--carry", type=int, default=None, metavar="F", help="factor that ties carried to the deal: 1, 2, 4, ...")
    score.add_argument("--bids", metavar="A,B,C", help="the three bids")
    score.add_argument("--won", metavar="A,B,C", help="the tricks won, which sum to 17")
    for option in SCORE_RULES:
        score.add_argument(f"--{option}", metavar="VALUE", help=f"short for --rule {option}=VALUE")


def _add_rules(commands: Any) -> None:
    rules = _command(commands, "rules", "the games and their rule options")
    rules.add_argument("game", nargs="?", metavar="GAME", help="only this game")


def _add_agents(commands: Any) -> None:
    _command(
        commands, "agents", "the agents that can be named",
        "Decisions of different agents can be crossed: play=greedy,bid=fixed:n=5. Your own: package.module:attribute or path/to/file.py:attribute.",
    )  # fmt: skip


def _add_check(commands: Any) -> None:
    check = _command(
        commands, "check", "whether an agent is legal, repeats itself, and runs as fast as it could",
        "Plays it in all seats of every game it plays, twice, and times its functions beside random's. "
        "Example: trickbench check path/to/file.py:play",
    )  # fmt: skip
    check.add_argument("agent", metavar="AGENT")
    check.add_argument("--game", metavar="GAME", help="only this game: manillen, manille or manchego")


def _add_bench(commands: Any) -> None:
    bench = _command(
        commands, "bench", "measure this machine: deals a second, compile and start-up times, memory",
        "Everything that is compared runs in turns in one process; the scalar yardstick plays the same deals in a plain loop.",
    )  # fmt: skip
    bench.add_argument("--deals", default="500k", metavar="N", help="deals in a measurement of the yardstick (default 500k)")
    bench.add_argument("--rounds", default="7", metavar="R", help="how often everything is measured (default 7)")
    bench.add_argument("--workers", metavar="W", help="threads (default: one for each processor)")
    bench.add_argument("--speed-only", action="store_true", help="leave out compile times, start-up and memory, which take two minutes")
    bench.add_argument("--steps", action="store_true", help="say what every loop over the lanes takes, too")
    bench.add_argument("--out", metavar="FILE", help="write the report as JSON too")


def _add_cache(commands: Any) -> None:
    cache = _command(
        commands, "cache", "fill the compile cache ahead of time, or empty it",
        "warm compiles the engine of every game and all registered agents; clear removes everything compiled. It is in the user's cache "
        "folder, or in NUMBA_CACHE_DIR.",
    )  # fmt: skip
    cache.add_argument("what", choices=("warm", "clear"))


def read_rules(pairs: Sequence[str]) -> dict[str, str]:
    """Return rule options from OPTION=VALUE texts."""
    options = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--rule '{pair}' is not OPTION=VALUE, as in undertrump=allowed")
        options[name.strip()] = value.strip()
    return options


def legal_command(arguments: argparse.Namespace) -> str:
    """Return the legal cards."""
    from trickbench.games.registry import game

    played = game(arguments.game, **read_rules(arguments.rule))
    options = {} if arguments.trump is None else {"trump": arguments.trump}
    cards = played.legal(hand=arguments.hand, trick=arguments.trick, **options)  # type: ignore[attr-defined]
    return json.dumps({"legal": cards}) if arguments.json else " ".join(cards)


def cache_command(arguments: argparse.Namespace) -> str:
    """Fill or empty the compile cache; return what was done."""
    from trickbench import caching

    done = caching.warm() if arguments.what == "warm" else caching.clear()
    if arguments.json:
        return json.dumps(done, indent=2)
    amount = f"{done['files']:,} files, {done['bytes'] / 1e6:.1f} MB, in {done['folder']}"
    return f"compiled or loaded in {done['seconds']:.1f} s: {amount}" if arguments.what == "warm" else f"removed {amount}"


SCORE_RULES = ("stacking", "scoring")
"""Rule options that decide a score; ``trickbench score`` takes them by name."""
MANILLE_SCORE = ("points", "tricks", "no_trump", "blind", "doubled", "redoubled", "carry")
MANCHEGO_SCORE = ("bids", "won")


def score_command(arguments: argparse.Namespace) -> str:
    """Return the score."""
    from trickbench.games.registry import game

    short = {option: getattr(arguments, option) for option in SCORE_RULES if getattr(arguments, option) is not None}
    played = game(arguments.game, **{**read_rules(arguments.rule), **short})
    wanted, others = (MANILLE_SCORE, MANCHEGO_SCORE) if played.family == "manille" else (MANCHEGO_SCORE, MANILLE_SCORE)
    given = {name: getattr(arguments, name) for name in (*wanted, *others) if getattr(arguments, name) not in (None, False)}
    flags = ", ".join(f"--{name.replace('_', '-')}" for name in wanted)
    for name in others:
        if name in given:
            raise UsageError(f"--{name.replace('_', '-')} does not belong to {played.name}; it takes {flags}")
    for name in wanted if played.family == "manchego" else ("points",):
        if name not in given:
            raise UsageError(f"--{name} is missing; {played.name} takes {flags}")
    score = played.score(**given)  # type: ignore[attr-defined]
    if arguments.json:
        return json.dumps({"score": score})
    return " ".join(map(str, score)) if isinstance(score, list) else str(score)


STUDIES = ("duel", "tournament", "calls", "doubles", "bids")
"""Commands that play a study, into a results folder if one is given."""
COMMANDS = {
    **{name: f"trickbench.commands:{name}" for name in ("run", "match", "show", "compare", "rules", "agents", "check", "bench")},
    **{name: f"trickbench.study_commands:{name}" for name in (*STUDIES, "power")},
    **{name: f"trickbench.cli:{name}_command" for name in ("legal", "score", "cache")},
}
"""Where the function of each command is; it takes the parsed arguments and returns what to print."""


def function_of(command: str) -> Callable[[argparse.Namespace], str]:
    """Return the function of a command."""
    module, _, name = COMMANDS[command].partition(":")
    found: Callable[[argparse.Namespace], str] = getattr(import_module(module), name)
    return found


def refuse(parser: Parser, command: str | None, extra: list[str]) -> NoReturn:
    """Raise the error for arguments nobody knows, from the command they were given to."""
    if command is not None:
        subparsers = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
        parser = subparsers.choices[command]
    parser.error(f"unrecognized arguments: {' '.join(extra)}")


def resuming(words: Sequence[str]) -> str:
    """Return how to go on after Ctrl-C, where a command can go on."""
    if words[:1] != ["run"] and not (words[0] in STUDIES and "--out" in words):
        return ""
    again = [word for word in words if word != "--resume"]
    return f"; to go on: {shlex.join(['trickbench', *again, '--resume'])}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code: 0, 1 for a failure, 2 for a wrong use, 130 after Ctrl-C."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = build_parser()
    try:
        if words and not words[0].startswith("-") and words[0] not in COMMANDS:
            raise unknown("command", words[0], COMMANDS)
        arguments, extra = parser.parse_known_args(words)
        if extra:
            refuse(parser, arguments.command, extra)
        if arguments.command is None:
            parser.print_help()
            return 0
        print(function_of(arguments.command)(arguments), flush=True)
        return 0
    except TrickbenchError as error:
        print(f"trickbench: {' '.join(str(error).split())}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"trickbench: stopped; what was written is kept{resuming(words)}", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        # The reader of the pipe has gone; keep Python from complaining once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
