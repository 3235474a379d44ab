"""Deals a second: tables of agents in turns within one process, so that other load on the machine hits all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from trickbench.errors import RunError
from trickbench.games.registry import game
from trickbench.match import play_games
from trickbench.positions import positions_of
from trickbench.rollouts import Rollouts
from trickbench.simulation import simulate
from trickbench.streams import first_dealer

SEED = 7
RANDOM = "play=random,call=random"
WHOLE = "play=heuristic,call=heuristic,double=heuristic,redouble=heuristic"
ROLLOUT_TRICK = 2
ROLLOUT = f"rollouts from trick {ROLLOUT_TRICK}, random, by cards"
YARDSTICKS = {"manille": "manillen", "manchego": "manchego"}
"""Family of games -> the game whose random play has a scalar yardstick."""


class Case(NamedTuple):
    """What is measured."""

    name: str
    game: str
    agents: tuple[str, ...]
    record: Any = False
    in_games: bool = False


CASES = (
    Case("random", "manillen", (RANDOM,)),
    Case("random, a record of every deal", "manillen", (RANDOM,), "deals"),
    Case("random, all cards recorded", "manillen", (RANDOM,), "plays"),
    Case("greedy against random", "manillen", ("greedy", RANDOM)),
    Case("heuristic against random", "manillen", ("heuristic", RANDOM)),
    Case("heuristic against greedy", "manillen", ("heuristic", "greedy")),
    Case("four different agents", "manillen", ("greedy", RANDOM, "play=heuristic,call=points", "play=heuristic:without=63,call=heuristic")),
    Case("heuristic, auction too", "manillen", (WHOLE,)),
    Case("heuristic, auction too, matches to 101", "manillen", (WHOLE,), in_games=True),
    Case("random", "manille", (RANDOM,)),
    Case("random", "manchego", ("random",)),
    Case("random, a record of every deal", "manchego", ("random",), "deals"),
    Case("greedy", "manchego", ("greedy",)),
    Case("heuristic against greedy and random", "manchego", ("heuristic", "greedy", "random")),
    Case("heuristic, games of 10 deals", "manchego", ("heuristic",), in_games=True),
)


@dataclass
class Timing:
    """How long the same work took, in seconds, round after round."""

    deals: int
    seconds: list[float]

    @property
    def best(self) -> float:
        """Deals a second in the quickest round."""
        return self.deals / min(self.seconds)

    @property
    def median(self) -> float:
        """Deals a second in the median round."""
        return self.deals / statistics.median(self.seconds)

    def as_dict(self) -> dict[str, Any]:
        """Return it as the report holds it."""
        return {"deals": self.deals, "rounds": len(self.seconds), "best": self.best, "median": self.median}


def yardstick_work(family: str, deals: int) -> Callable[[], int]:
    """Return the yardstick's work, after checking that it counts what the lanes count.

    Raises
    ------
    RunError
        If it does not: then nothing should be compared with it.
    """
    from trickbench.benchmark.yardstick import play_manchego, play_manille

    played = game(YARDSTICKS[family])
    play = play_manille if family == "manille" else play_manchego
    rules, dealer = played.rule_values(), first_dealer(SEED, played.players)
    counts = np.zeros(played.face().cells, np.int64)
    play(SEED, dealer, 0, 10_000, rules, counts)
    agents = RANDOM if family == "manille" else "random"
    if not np.array_equal(counts, simulate(played, agents, 10_000, seed=SEED).counts):
        raise RunError(f"the scalar yardstick and the lanes count different outcomes in {played.name}")

    def work() -> int:
        play(SEED, dealer, 0, deals, rules, counts)
        return deals

    return work


def lane_work(case: Case, deals: int, workers: int) -> Callable[[], int]:
    """Return the work of a case; it returns how many deals it played."""
    played = game(case.game)
    if not case.in_games:
        return lambda: simulate(played, list(case.agents), deals, seed=SEED, workers=workers, record=case.record).count
    length = play_games(played, list(case.agents), 500, seed=SEED).deals / 500
    games = max(1, round(deals / length))
    return lambda: play_games(played, list(case.agents), games, seed=SEED, workers=workers).deals


def rollout_work(name: str, deals: int) -> Callable[[], int]:
    """Return the work of finishing positions at trick 2 at random; it returns how many whole deals have as many cards."""
    played = game(name)
    agents = RANDOM if played.family == "manille" else "random"
    some = positions_of(simulate(played, agents, 1000, seed=SEED, record="plays"), ROLLOUT_TRICK, 0)
    positions = np.tile(some, (1, max(1, deals // 1000)))
    rollouts = Rollouts(played, agents, SEED)
    whole = int(positions.shape[1]) * (played.hand_size - ROLLOUT_TRICK) // played.hand_size

    def work() -> int:
        rollouts.finish(positions, ROLLOUT_TRICK, 0)
        return whole

    return work


def measure(work: dict[Any, Callable[[], int]], rounds: int, title: str | None) -> dict[Any, Timing]:
    """Return the timings of pieces of work, taken in turns; the first round warms up and does not count."""
    found = {name: Timing(call(), []) for name, call in work.items()}
    bar = tqdm(total=rounds * len(work), desc=title, unit=" measurements", disable=None if title else True, leave=False)
    with bar:
        for _ in range(rounds):
            for name, call in work.items():
                begun = time.perf_counter()
                call()
                found[name].seconds.append(time.perf_counter() - begun)
                bar.update()
    return found


def speeds(deals: int, rounds: int, threads: int, progress: bool = False) -> list[dict[str, Any]]:
    """Return a row a yardstick and case: deals a second on one thread and on all, and the ratio to the yardstick of the family.

    Parameters
    ----------
    deals : int
        Deals in a measurement of a yardstick; lanes play twice as many for each thread, to take about as long.
    rounds : int
    threads : int
        The greater number of threads.
    progress : bool
        Show a bar on a terminal.
    """
    work: dict[Any, Callable[[], int]] = {family: yardstick_work(family, deals) for family in YARDSTICKS}
    # The first case shows how speed grows with threads; the others need the ends only.
    counts = {case: sorted({1, threads}) for case in CASES} | {CASES[0]: sorted({threads, *(1 << k for k in range(threads.bit_length()))})}
    for case in CASES:
        for count in counts[case]:
            work[case, count] = lane_work(case, 2 * count * deals, count)
    for name in YARDSTICKS.values():
        work[name, ROLLOUT] = rollout_work(name, 2 * deals)
    timed = measure(work, rounds, "deals a second" if progress else None)
    rows = [{"game": YARDSTICKS[family], "case": "scalar yardstick, random", "threads": 1, **timed[family].as_dict()} for family in YARDSTICKS]
    for case in CASES:
        family = "manchego" if case.game == "manchego" else "manille"
        one = timed[case, 1]
        for count in counts[case]:
            own = timed[case, count]
            row = {"game": case.game, "case": case.name, "agents": list(case.agents), "threads": count, **own.as_dict()}
            ratio = {"to_yardstick": own.median / timed[family].median} if count == 1 else {"to_one_thread": own.median / one.median}
            rows.append(row | ratio)
    for family, name in YARDSTICKS.items():
        own = timed[name, ROLLOUT]
        rows.append({"game": name, "case": ROLLOUT, "threads": 1, **own.as_dict(), "to_yardstick": own.median / timed[family].median})
    return rows
