"""What the longer commands do, apart from reading the command line."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trickbench.errors import RunError, UsageError, unknown
from trickbench.experiment import Experiment, find_experiment, read_experiment
from trickbench.games.registry import GAMES, game_class
from trickbench.reading import grid, read_out
from trickbench.registry import described
from trickbench.storage import plain

if TYPE_CHECKING:
    from trickbench.game_story import GameStory
    from trickbench.results import Results
    from trickbench.resume import Resumed
    from trickbench.story import Story
    from trickbench.studies.folder import StudyResults

SHOW_PLAYS = ("game", "seed", "agents", "rule", "on_illegal")
"""What ``trickbench show`` takes to play a deal, and not for a deal of a finished run."""


def run(arguments: argparse.Namespace) -> str:
    """Play an experiment into a new folder, or go on with a run; return what to print."""
    experiment = read_experiment(find_experiment(arguments.experiment)).changed(arguments.deals, arguments.seed)
    out = Path(arguments.out) if arguments.out else Path("results") / experiment.name
    if arguments.dry_run:
        return dry_run(experiment, out, arguments.json, arguments.resume)
    if experiment.studies:
        return run_studies(experiment, out, arguments)
    from trickbench.results import play_experiment

    results = play_experiment(experiment, out, arguments.workers, figures=not arguments.no_figures, progress=True, resume=arguments.resume)
    return run_json(results) if arguments.json else run_text(results)


def run_studies(experiment: Experiment, out: Path, arguments: argparse.Namespace) -> str:
    """Play the studies of an experiment; return what to print."""
    from trickbench.studies.folder import play_studies
    from trickbench.studies.ladder import ladder_text

    results = play_studies(experiment, out, arguments.workers, figures=not arguments.no_figures, progress=True, resume=arguments.resume)
    if arguments.json:
        return run_json(results, {"studies": {name: result.facts() for name, result in results.results.items()}})
    found = [*resumed_text(results.resumed, out), ""] if results.resumed else []
    texts = "\n\n".join(f"== {name}\n{result.text()}" for name, result in results.results.items())
    steps = [] if results.steps is None else ["", ladder_text(results.steps)]
    return "\n".join([*found, texts, *steps, "", f"results: {out}"])


def run_json(results: Results | StudyResults, more: dict[str, Any] | None = None) -> str:
    """Return what a run found as JSON."""
    rows = json.loads(results.summary.to_json(orient="records"))
    resumed = results.resumed._asdict() if results.resumed else None
    played = {"out": str(results.path), "digest": results.digest, "seconds": results.manifest["seconds"]}
    found = {**played, "resumed": resumed, "summary": rows, **(more or {})}
    return json.dumps(found, indent=2, default=plain)


def run_text(results: Results) -> str:
    """Return what a run found as text."""
    out = results.path
    found = [*resumed_text(results.resumed, out), ""] if results.resumed else []
    speed = ", ".join(f"{name} {value:.1f} s" for name, value in results.manifest["seconds"].items())
    drawn = sorted((out / "figures").glob("*.png"))
    lines = [*found, read_out(results), "", f"played in: {speed}", f"results:   {out}", f"figures:   {out / 'figures'} ({len(drawn)} files)"]
    return "\n".join([*(lines if drawn else lines[:-1]), f"digest:    {results.digest}"])


def resumed_text(resumed: Resumed, out: Path) -> list[str]:
    """Return what there is to say of a run that was resumed."""
    if resumed.of == 0:
        return [f"there was no run in {out}: started with the first deal"]
    if resumed.complete:
        return [f"the run in {out} is complete: {resumed.deals:,} deals, none were left to play"]
    damaged = [f"damaged, so played again: {', '.join(resumed.damaged)}"] if resumed.damaged else []
    return [f"resumed: {resumed.deals:,} of {resumed.of:,} deals were there", *damaged]


def dry_run(experiment: Experiment, out: Path, as_json: bool, resume: bool) -> str:
    """Return what a run would play."""
    found = _standing(experiment, out) if resume else None
    matches, studies = [match.as_dict() for match in experiment.matches], [study.as_dict() for study in experiment.studies]
    if as_json:
        resumed = found._asdict() if found else None
        own = {"matches": matches} if matches else {"studies": studies}
        return json.dumps({"name": experiment.name, "seed": experiment.seed, "out": str(out), "resumed": resumed, **own}, indent=2, default=plain)
    lines = [f"{experiment.name}: seed {experiment.seed}, results to {out}"]
    if found:
        lines.append(f"to resume: {found.deals:,} of {found.of or _deals(experiment):,} deals are there")
    for match, data in zip(experiment.matches, matches, strict=True):
        lines.append(f"{match.name}: {match.deals:,} deals of {match.game.described()}")
        lines += [f"  seat {number}: {seat['strategy']}" for number, seat in enumerate(data["seats"])]
    for study in experiment.studies:
        lines.append(f"{study.name}: {study.kind} of {study.game.described()}")
        for part in study.parts():
            seatings = f", each in {part.plays} seatings" * (part.plays > 1)
            lines.append(f"  {part.key}: {part.count:,} {'games' if part.in_games else 'deals'}{seatings}")
        lines += [f"  agent: {agent}" for agent in study.settings()["agents"]]
    return "\n".join(lines)


def _deals(experiment: Experiment) -> int:
    return sum(match.deals for match in experiment.matches) + sum(part.count for study in experiment.studies for part in study.parts())


def _standing(experiment: Experiment, out: Path) -> Resumed:
    """Return how far a run is."""
    if experiment.studies:
        from trickbench.studies import folder

        return folder.standing(experiment, out)
    from trickbench.resume import standing

    return standing(experiment, out)


def compare(arguments: argparse.Namespace) -> str:
    """Return how two finished runs differ."""
    from trickbench.comparing import compare, compare_json, compare_text
    from trickbench.results import load_matches

    found = compare(load_matches(arguments.first), load_matches(arguments.second))
    return compare_json(found) if arguments.json else compare_text(found)


def match(arguments: argparse.Namespace) -> str:
    """Play whole games; return what to print."""
    from trickbench.cli import read_rules
    from trickbench.games.registry import game
    from trickbench.match import play_games
    from trickbench.reading import read_games

    played = game(arguments.game, **read_rules(arguments.rule))
    run = play_games(
        played, arguments.agents, arguments.games, arguments.seed or 0, arguments.workers, on_illegal=arguments.on_illegal or "raise", progress=True
    )
    drawn = []
    if arguments.figures:
        from trickbench.plots import save_figures

        drawn = save_figures(run, Path(arguments.figures))
    if not arguments.json:
        return "\n".join([read_games(run), *(f"figure: {path}" for path in drawn)])
    rows = json.loads(run.summary.drop(columns="match").to_json(orient="records"))
    facts = {"game": played.name, "rules": played.rules.as_dict(), "agents": run.agents, "seed": run.seed, run.unit: run.count}
    return json.dumps({**facts, "digest": run.digest, "summary": rows}, indent=2)


def show(arguments: argparse.Namespace) -> str:
    """Return one deal or game, told card by card or as JSON."""
    if arguments.whole_game is None and arguments.deal is None:
        raise UsageError("--deal is missing; the number of a deal, or --whole-game with that of a game, would be right")
    if arguments.results and arguments.whole_game is not None:
        raise UsageError("--whole-game does not belong to a finished run, which has independent deals; --deal would be right")
    story = show_recorded(arguments) if arguments.results else show_played(arguments)
    return json.dumps(story.data) if arguments.json else story.text


def show_played(arguments: argparse.Namespace) -> Story | GameStory:
    """Return a deal or game that is played now."""
    from trickbench.cli import read_rules
    from trickbench.game_story import show_game
    from trickbench.games.registry import game
    from trickbench.story import show as play

    if arguments.match is not None:
        raise UsageError("--match belongs to a finished run; give its folder too, as in 'trickbench show results/quickstart --match manillen'")
    for name in ("game", "agents"):
        if getattr(arguments, name) is None:
            raise UsageError(f"--{name} is missing; --game and --agents, or the folder of a finished run, would be right")
    played = game(arguments.game, **read_rules(arguments.rule))
    seed, on_illegal = arguments.seed or 0, arguments.on_illegal or "raise"
    if arguments.whole_game is None:
        return play(played, arguments.agents, seed, arguments.deal, on_illegal)
    story = show_game(played, arguments.agents, seed, arguments.whole_game, on_illegal)
    return story if arguments.deal is None else story.deal(arguments.deal)


def show_recorded(arguments: argparse.Namespace) -> Story:
    """Return a deal of a finished run."""
    from trickbench.results import load_matches

    for name in SHOW_PLAYS:
        if getattr(arguments, name):
            raise UsageError(f"--{name.replace('_', '-')} does not belong to a finished run: '{arguments.results}' says what was played")
    results = load_matches(arguments.results)
    runs = {run.match: run for run in results}
    if arguments.match is None and len(runs) > 1:
        raise UsageError(f"--match is missing; '{arguments.results}' has {', '.join(runs)}")
    name = next(iter(runs)) if arguments.match is None else arguments.match
    if name not in runs:
        raise unknown("match", name, runs, f"'{arguments.results}'")
    version = next(match["rules_version"] for match in results.manifest["matches"] if match["name"] == name)
    if version != runs[name].game.rules_version and runs[name].record != "plays":
        now = runs[name].game.rules_version
        raise RunError(f"'{arguments.results}' was played by version {version} of the rules, these are version {now}: it cannot be played again")
    return runs[name].show(arguments.deal)


def rules(arguments: argparse.Namespace) -> str:
    """Return the games with their options, the values these may have, and what they mean."""
    names = [arguments.game] if arguments.game else list(GAMES)
    if arguments.game and arguments.game not in GAMES:
        raise unknown("game", arguments.game, GAMES)
    if arguments.json:
        return json.dumps({name: _options(name) for name in names}, indent=2)
    families: dict[str, list[str]] = {}
    for name in names:
        families.setdefault(game_class(name).family, []).append(name)
    return "\n\n".join(_rules_text(members) for members in families.values())


def _options(name: str) -> list[dict[str, Any]]:
    rules = game_class(name).profile(name)
    values = rules.as_dict()
    return [{**option, "value": values[option["option"]]} for option in rules.described()]


def _rules_text(names: list[str]) -> str:
    """Return a table of the options of games that share them, then what each means."""
    tables = {name: _options(name) for name in names}
    first = tables[names[0]]
    rows = [
        [row["option"], row["values"], *(str("none" if tables[name][k]["value"] is None else tables[name][k]["value"]) for name in names)]
        for k, row in enumerate(first)
    ]
    meanings = [f"  {row['option']}: {row['meaning']}" for row in first]
    return "\n".join([grid(["option", "values", *names], rows, 2 + len(names)), "", *meanings])


def agents(arguments: argparse.Namespace) -> str:
    """Return the agents with what they answer."""
    found = described()
    if arguments.json:
        return json.dumps(found, indent=2)
    rows = []
    for agent in found:
        parameters = ", ".join(_parameter(key, value, agent["limits"].get(key)) for key, value in agent["parameters"].items())
        rows.append([agent["agent"], ", ".join(agent["manille"]) or "-", ", ".join(agent["manchego"]) or "-", parameters or "-", agent["summary"]])
    table = grid(["agent", "in Manille", "in Manchego", "parameters", "what it does"], rows, 5)
    defaults = "; ".join(f"{name}: {', '.join(f'{k}={v}' for k, v in game_class(name).defaults.items())}" for name in ("manille", "manchego"))
    return f"{table}\n\nA decision that an agent does not answer is answered by the default ({defaults})."


def _parameter(key: str, default: int, limits: list[int] | None) -> str:
    return f"{key}={default}" + (f" ({limits[0]}..{limits[1]})" if limits else "")


def bench(arguments: argparse.Namespace) -> str:
    """Measure this machine; return the report as text or JSON, and write it if that is wanted."""
    from trickbench.benchmark.report import benchmark, report_text
    from trickbench.counts import deal_count, worker_count
    from trickbench.storage import write_json

    deals, rounds = deal_count(arguments.deals), deal_count(arguments.rounds, "rounds")
    report = benchmark(deals, rounds, worker_count(arguments.workers), not arguments.speed_only, arguments.steps, progress=True)
    if arguments.out:
        write_json(Path(arguments.out), report)
    if arguments.json:
        return json.dumps(report, indent=2)
    return report_text(report) + (f"\nwritten to {arguments.out}" if arguments.out else "")


def check(arguments: argparse.Namespace) -> str:
    """Check an agent; return what was found."""
    from trickbench.checking import legal_and_repeatable, plays, speed

    if arguments.game is None:
        names, left_out = plays(arguments.agent)
    else:
        game_class(arguments.game)
        names, left_out = [arguments.game], {}
    legal, found = legal_and_repeatable(arguments.agent, names), speed(arguments.agent, names)
    legal += [f"{name}: left out: {reason}" for name, reason in left_out.items()]
    if arguments.json:
        return json.dumps({"legal": legal, "speed": [finding._asdict() | {"verdict": finding.verdict} for finding in found]}, indent=2)
    rows = [[f.game, f.decision, f.agent, f"{f.nanoseconds:.2f}", f"{f.against_random:.2f}", f.verdict] for f in found]
    table = grid(["game", "decision", "agent", "ns a decision", "times random's", "in lanes"], rows, 3)
    hints = [f"  {f.game}, {f.decision}: {cause}" for f in found for cause in f.causes]
    hints = ["", "what usually keeps a function from vectorising, as read from the source:", *hints] * bool(hints)
    return "\n".join([*legal, "", table, *hints])
