"""Make a call book and measure it: python experiments/call_book.py --book FILE [--duels N]

With --ship it writes the calls that the agent brings, with --figures FOLDER the figures. Without a file of that name the book is made first, with
1024 worlds a hand. What is printed stands in docs/calls.md.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from statistics import NormalDist

import numpy as np

import trickbench
from trickbench.games.manille.hands import COUNT
from trickbench.studies.book import Book, agreement, half_regret, load_book, regret, worth
from trickbench.studies.book_calls import write_calls
from trickbench.studies.book_reading import calls_report
from trickbench.studies.call_book import make_book
from trickbench.studies.rolling_calls import roll

SHIPPED = Path(__file__).parent.parent / "agents" / "trickbench_agents" / "book.xz"
RIVALS = ("longest", "points", "heuristic", "no-trump", "random")
SAMPLE, MOST = 4000, 8192
SEED = 20


def duel(game: trickbench.Game, one: str, other: str, deals: int, seed: int = SEED) -> tuple[float, float]:
    """Return by how much one strategy beats another, in points a deal, and the reach of the 99 % interval: each deal in both seatings."""
    first, second = (trickbench.simulate(game, pair, deals, seed=seed, record="deals").deals["net_0"] for pair in ((one, other), (other, one)))
    x = (first.to_numpy(np.float64) - second.to_numpy(np.float64)) / 2
    return float(x.mean()), NormalDist().inv_cdf(0.995) * float(x.std(ddof=1)) / math.sqrt(len(x))


def duels(deals: int, book: str) -> None:
    """Print the duels of the book's calls against others; nobody doubles, or both sides do as an agent says."""
    for game in (trickbench.game("manillen"), trickbench.game("manille"), trickbench.game("manille", en_face="off")):
        for doubler in ("never", "threshold", "heuristic"):
            for rival in RIVALS:
                one, other = (f"play=heuristic,call={call},double={doubler},redouble={doubler}" for call in (book, rival))
                mean, reach = duel(game, one, other, deals)
                print(f"{game.described():23} {book} against {rival:10} doubles: {doubler:10}{mean:+.3f} ± {reach:.3f}", flush=True)


def repeated(book: Book) -> None:
    """Print how far halves of books of several sizes agree, on a sample of deals, and what their calls lose."""
    game = trickbench.game("manillen")
    ranks = np.random.default_rng(SEED).choice(COUNT, SAMPLE, p=book.weights / book.weights.sum())
    each = np.ones(SAMPLE, np.int64)
    means = roll(game, ranks, rollouts=MOST, seed=SEED)[:, :, :5].sum(axis=1) / MOST
    for rollouts in (16, 64, 256, 1024, 4096):
        sums = roll(game, ranks, rollouts=rollouts, seed=SEED + 1)
        lost = regret(sums[:, :, :5].sum(axis=1).argmax(axis=1), means, each)
        print(f"{rollouts:5} worlds a hand: halves agree on {agreement(sums, each):.1%} of deals; all of them lose {lost:.3f} points a deal")


def main() -> None:
    """Make or read the book, and print what there is to say of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--book", type=Path, required=True)
    parser.add_argument("--rollouts", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--duels", type=int, default=0, help="deals of each duel")
    parser.add_argument("--figures", type=Path, help="folder for figures")
    parser.add_argument("--ship", action="store_true", help=f"write {SHIPPED.name}")
    arguments = parser.parse_args()
    if not arguments.book.exists():
        make_book(rollouts=arguments.rollouts, seed=arguments.seed, out=arguments.book, progress=True, resume=True)
    book = load_book(arguments.book)
    print(book)
    print(f"halves agree on {agreement(book.sums, book.weights):.2%} of deals; the dealer's side is worth "
          f"{worth(book.sums, book.weights, book.rollouts):.3f} points a deal with the calls of a half")
    print("a half's calls, valued on the other, behind its best: {:.3f} and {:.3f}".format(*half_regret(book.sums, book.weights, book.rollouts)))
    repeated(book)
    print(calls_report(arguments.book, figures=arguments.figures))
    if arguments.ship:
        write_calls(SHIPPED, book)
    if arguments.duels:
        duels(arguments.duels, "book")


if __name__ == "__main__":
    main()
