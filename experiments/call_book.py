"""Make a call book and measure it: python experiments/call_book.py --book FILE [--game manille] [--duels N]

With --ship it writes the calls that the agent brings, with --figures FOLDER the figures. Without a file of that name the book is made first, with
1024 worlds a hand. --passed N measures what it would be worth to the dealer's partner to know that the dealer said en face. What is printed stands in
docs/calls.md.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from statistics import NormalDist

import numpy as np

import trickbench
from trickbench.games.manille import rollout
from trickbench.games.manille.call_sums import EN_FACE, NET
from trickbench.games.manille.hands import COUNT, ranks_of
from trickbench.games.manille.layout import NT_CALL as NT
from trickbench.rollouts import Rollouts
from trickbench.studies.book import Book, agreement, half_regret, load_book, regret, worth
from trickbench.studies.book_calls import own_caller, write_calls
from trickbench.studies.book_reading import calls_report
from trickbench.studies.call_book import make_book
from trickbench.studies.rolling_calls import roll

AGENTS = Path(__file__).parent.parent / "agents" / "trickbench_agents"
SHIPPED = {"manillen": AGENTS / "book.xz", "manille": AGENTS / "book-manille.xz"}
RIVALS = ("longest", "points", "heuristic", "no-trump", "random")
SAMPLE, MOST = 4000, 8192
SEED = 20


def duel(game: trickbench.Game, one: str, other: str, deals: int, seed: int = SEED) -> tuple[float, float]:
    """Return by how much one strategy beats another, in points a deal, and the reach of the 99 % interval: each deal in both seatings."""
    first, second = (trickbench.simulate(game, pair, deals, seed=seed, record="deals").deals["net_0"] for pair in ((one, other), (other, one)))
    x = (first.to_numpy(np.float64) - second.to_numpy(np.float64)) / 2
    return float(x.mean()), NormalDist().inv_cdf(0.995) * float(x.std(ddof=1)) / math.sqrt(len(x))


def duels(deals: int, book: str, name: str) -> None:
    """Print the duels of the book's calls against others; nobody doubles, or both sides do as an agent says."""
    for game in [trickbench.game(name)] + [trickbench.game(name, en_face="off")] * (name == "manille"):
        for doubler in ("never", "threshold", "heuristic"):
            for rival in RIVALS:
                one, other = (f"play=heuristic,call={call},double={doubler},redouble={doubler}" for call in (book, rival))
                mean, reach = duel(game, one, other, deals)
                print(f"{game.described():23} {book} against {rival:10} doubles: {doubler:10}{mean:+.3f} ± {reach:.3f}", flush=True)


def repeated(book: Book) -> None:
    """Print how far halves of books of several sizes agree, on a sample of deals, and what their calls lose."""
    game = trickbench.game(book.configuration["game"])
    caller, count = own_caller(book.best_own), len(book.calls)
    ranks = np.random.default_rng(SEED).choice(COUNT, SAMPLE, p=book.weights / book.weights.sum())
    each = np.ones(SAMPLE, np.int64)
    means = roll(game, ranks, rollouts=MOST, seed=SEED, partners_call=caller)[:, :, NET : NET + count].sum(axis=1) / MOST
    for rollouts in (16, 64, 256, 1024, 4096):
        sums = roll(game, ranks, rollouts=rollouts, seed=SEED + 1, partners_call=caller)
        lost = regret(sums[:, :, NET : NET + count].sum(axis=1).argmax(axis=1), means, each)
        print(f"{rollouts:5} worlds a hand: halves agree on {agreement(sums, each):.1%} of deals; all of them lose {lost:.3f} points a deal")


def deal_around(hand: int, worlds: int, draw: np.random.Generator) -> np.ndarray:
    """Return the hands of three others, int64[3, worlds]."""
    left = np.array([card for card in range(32) if not hand >> card & 1])
    order = np.argsort(draw.random((worlds, 24), dtype=np.float32), axis=1)
    return (np.int64(1) << left)[order].reshape(worlds, 3, 8).sum(axis=2).T


def partner_nets(rollouts: Rollouts, hand: int, others: np.ndarray) -> np.ndarray:
    """Return the net scores of the dealer's side, [5, worlds], for every call of a partner with this hand; the others are dealer, left, right."""
    worlds = others.shape[1]
    table = np.zeros((rollout.COLUMNS, 5 * worlds), np.int64)
    table[[0, 1, 3]] = np.tile(others, 5)
    table[2], table[rollout.CALL] = hand, np.repeat(np.arange(5), worlds)
    table[rollout.LEADER], table[rollout.DEALER], table[rollout.CARRY], table[rollout.FACED] = 1, 0, 1, 1
    found = rollouts.finish(table, 0, 0, np.arange(5 * worlds))
    return (found["score_0"] - found["score_1"]).to_numpy().reshape(5, worlds)


def passed(book: Book, hands: int, worlds: int = 1024) -> None:
    """Print what a partner who knows that the dealer's hand is one to pass gains over one who takes it for any hand."""
    draw, rollouts = np.random.default_rng(SEED), Rollouts(trickbench.game(book.configuration["game"]), "heuristic", SEED)
    gains, others, no_trump = [], 0, np.zeros(2)
    while len(gains) < hands:
        hand = int((np.int64(1) << draw.permutation(32)[:8]).sum())
        around = deal_around(hand, 8 * worlds, draw)
        some = np.flatnonzero(book.best[ranks_of(around[0])] == EN_FACE)
        # A hand of the partner comes up as often as the dealer passes with it opposite.
        if draw.random() > len(some) / around.shape[1] or len(some) < 2 * worlds:
            continue
        choosing, valuing = (partner_nets(rollouts, hand, around[:, some[part]]).mean(axis=1) for part in (slice(worlds), slice(worlds, 2 * worlds)))
        knowing, plain = int(choosing.argmax()), int(partner_nets(rollouts, hand, around[:, :worlds]).mean(axis=1).argmax())
        gains.append(valuing[knowing] - valuing[plain])
        others += knowing != plain
        no_trump += (knowing == NT, plain == NT)
    x = np.array(gains)
    error = x.std(ddof=1) / math.sqrt(len(x))
    print(f"{len(x)} deals that were passed: a partner who knows it gains {x.mean():.3f} points, standard error {error:.3f}")
    print(f"it calls differently on {others / len(x):.1%}; no-trump on {no_trump[0] / len(x):.1%} in place of {no_trump[1] / len(x):.1%}")


def main() -> None:
    """Make or read the book, and print what there is to say of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--book", type=Path, required=True)
    parser.add_argument("--game", choices=list(SHIPPED), default="manillen")
    parser.add_argument("--rollouts", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--duels", type=int, default=0, help="deals of each duel")
    parser.add_argument("--figures", type=Path, help="folder for figures")
    parser.add_argument("--ship", action="store_true", help="write the calls that the agent brings")
    parser.add_argument("--passed", type=int, default=0, help="hands of partners that en face is looked at with")
    arguments = parser.parse_args()
    if not arguments.book.exists():
        make_book(arguments.game, rollouts=arguments.rollouts, seed=arguments.seed, out=arguments.book, progress=True, resume=True)
    book = load_book(arguments.book)
    print(book)
    print(f"halves agree on {agreement(book.sums, book.weights):.2%} of deals; the dealer's side is worth "
          f"{worth(book.sums, book.weights, book.rollouts):.3f} points a deal with the calls of a half")
    print("a half's calls, valued on the other, behind its best: {:.3f} and {:.3f}".format(*half_regret(book.sums, book.weights, book.rollouts)))
    repeated(book)
    print(calls_report(arguments.book, figures=arguments.figures))
    if arguments.ship:
        write_calls(SHIPPED[arguments.game], book)
    if arguments.passed:
        passed(book, arguments.passed)
    if arguments.duels:
        duels(arguments.duels, "book", arguments.game)


if __name__ == "__main__":
    main()
