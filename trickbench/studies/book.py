"""A call book that is made: what it says of a hand, and how far its two halves agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trickbench.games.manille.call_sums import CALL_COUNT, CALL_NAMES, EN_FACE, OWN_CALLS, PAIRS, PRODUCTS, QUANTITIES, played_calls
from trickbench.games.manille.hands import calls_from_canonical, ranks_of, read_hand
from trickbench.stats.intervals import sums_interval
from trickbench.studies.book_file import calls_of, check_book, read, sums_of

EN_FACE_NAME = CALL_NAMES[EN_FACE]


@dataclass
class Book:
    """What trump calls are worth, for every hand of the dealer.

    Attributes
    ----------
    table : DataFrame
        A row a canonical hand (:mod:`trickbench.games.manille.hands`), in the order of their numbers: ``hand`` (a set of cards), ``weight`` (how many
        hands become this one when suits are renamed), and exact sums for the calls of the canonical hand:
        ``net_C_0`` .. ``capots_NT_1`` and ``product_C_D_0`` .. ``product_S_NT_1``; in games with en face also for ``EN_FACE``
        (:mod:`trickbench.studies.book_file`).
    metadata : dict
        ``schema``, ``digest`` of the numbers, and ``configuration``: game, rules, players, rollouts, seed, versions.
    """

    table: pd.DataFrame
    metadata: dict[str, Any]

    def __repr__(self) -> str:
        return f"<Book of trump calls: {self.described}, digest {self.digest}>"

    @property
    def configuration(self) -> dict[str, Any]:
        """What the book was made of."""
        found: dict[str, Any] = self.metadata["configuration"]
        return found

    @property
    def digest(self) -> str:
        """Digest of all its numbers."""
        return str(self.metadata["digest"])

    @property
    def rollouts(self) -> int:
        """Worlds a hand."""
        return int(self.configuration["rollouts"])

    @property
    def described(self) -> str:
        """Game, players, rollouts and seed, as headings have them."""
        players = list(dict.fromkeys(self.configuration["players"]))
        game, seed = self.configuration["game"], self.configuration["seed"]
        return f"{game}, cards played by {' and '.join(players)}, {self.rollouts:,} worlds a hand, seed {seed}"

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """How many hands each row stands for."""
        return self.table["weight"].to_numpy(np.int64)

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """The calls that have a value: C D H S NT, and EN_FACE in games that have it."""
        return calls_of(self.table)

    @cached_property
    def sums(self) -> NDArray[Any]:
        """All sums, integers[hands, 2, n], as :mod:`trickbench.games.manille.call_sums` has them."""
        return sums_of(self.table)

    def sum_of(self, quantity: str) -> NDArray[np.int64]:
        """Return the sums of a quantity over all worlds, int64[hands, 5], or with en face [hands, 6]."""
        first = QUANTITIES[quantity]
        found: NDArray[np.int64] = self.sums[:, :, first : first + len(self.calls)].sum(axis=1, dtype=np.int64)
        return found

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Mean net score by hand and call of the canonical hand, float64[hands, 5], or with en face [hands, 6]."""
        found: NDArray[np.float64] = self.sum_of("net") / self.rollouts
        return found

    @cached_property
    def best(self) -> NDArray[np.int64]:
        """Number of the best call of each canonical hand (0..3 C D H S, 4 no-trump, 5 en face); of equals the first."""
        found: NDArray[np.int64] = self.means.argmax(axis=1)
        return found

    @cached_property
    def best_own(self) -> NDArray[np.int64]:
        """Number of the best call but for en face."""
        found: NDArray[np.int64] = self.means[:, :OWN_CALLS].argmax(axis=1)
        return found

    def value(self, hand: str | int) -> pd.DataFrame:
        """Return what the book says of a hand.

        Parameters
        ----------
        hand : str or int
            8 cards, as in "SA SK S9 HT H7 DJ C9 C8", or as a set.

        Returns
        -------
        DataFrame
            A row a call, in the hand's own suits, C D H S NT, and EN_FACE where the game has it: ``mean`` net score of the dealer's side and
            its standard error ``se``; rates ``win``, ``tie``, ``capot``; ``n`` worlds; ``best``; ``behind``, how far the mean is behind the best
            one's, with the standard error ``behind_se`` of this difference, taken world by world; ``sure``, the probability by these two that the
            best call is better than this one, and for the best call that it is better than the nearest (0.5 between suits with the same cards,
            which are worth the same).

        Raises
        ------
        UsageError
            For cards that do not exist, or not 8 of them.
        """
        held = read_hand(hand) if isinstance(hand, str) else int(hand)
        sums = self.sums[ranks_of([held])[0]].sum(axis=0)
        found = values(sums, self.rollouts)
        found["call"] = calls_from_canonical(held) + [EN_FACE_NAME] * (len(found) - OWN_CALLS)
        return found.set_index("call").loc[list(self.calls)].reset_index()

    def best_call(self, hand: str | int) -> str:
        """Return the best call of a hand: C, D, H, S, NT, or EN_FACE."""
        held = read_hand(hand) if isinstance(hand, str) else int(hand)
        return [*calls_from_canonical(held), EN_FACE_NAME][int(self.best[ranks_of([held])[0]])]


def load_book(path: Path | str) -> Book:
    """Return a book from its file.

    Raises
    ------
    UsageError
        If there is no such file, or it is no call book.
    RunError
        If it is damaged.
    """
    table, metadata = read(Path(path))
    check_book(Path(path), table, metadata)
    return Book(table, metadata)


def values(sums: NDArray[np.int64], n: int) -> pd.DataFrame:
    """Return what sums over ``n`` worlds say of the calls of a hand, five or with en face six; see :meth:`Book.value`."""
    calls = CALL_NAMES[: played_calls(sums)]
    net, squares, wins, ties, capots = (sums[first : first + len(calls)].tolist() for first in QUANTITIES.values())
    products = {pair: int(sums[PRODUCTS + place]) for place, pair in enumerate(PAIRS)}
    best = net.index(max(net))
    rows = []
    for call, name in enumerate(calls):
        own = sums_interval(n, net[call], squares[call])
        cross = products.get((min(call, best), max(call, best)), squares[best])
        behind = sums_interval(n, net[best] - net[call], squares[best] + squares[call] - 2 * cross)
        error = behind.sd / math.sqrt(n)
        sure = 0.5 if error == 0 and behind.mean == 0 else NormalDist().cdf(behind.mean / error) if error > 0 else 1.0
        rates = (wins[call] / n, ties[call] / n, capots[call] / n)
        rows.append([name, own.mean, own.sd / math.sqrt(n), *rates, n, call == best, behind.mean, error, sure])
    table = pd.DataFrame(rows, columns=["call", "mean", "se", "win", "tie", "capot", "n", "best", "behind", "behind_se", "sure"])
    rivals = table[~table["best"] & ((table["behind"] > 0) | (table["behind_se"] > 0))]
    table.loc[best, "sure"] = rivals["sure"].min() if len(rivals) else 0.5
    return table


def agreement(sums: NDArray[np.int64], weights: NDArray[np.int64]) -> float:
    """Return the share of deals on which the best call of the first half of the worlds is that of the second.

    Parameters
    ----------
    sums : integers[hands, 2, n]
        As :mod:`trickbench.games.manille.call_sums` has them; en face counts as a call where it was played.
    weights : int64[hands]
        How many hands each row stands for.
    """
    first, second = (sums[:, half, : played_calls(sums)].argmax(axis=1) for half in (0, 1))
    return float(np.average(first == second, weights=weights))


def half_regret(sums: NDArray[np.int64], weights: NDArray[np.int64], rollouts: int) -> tuple[float, float]:
    """Return how far the call that one half of the worlds chooses is behind the other half's best, valued on the other; both directions, in points.

    It is above the true regret, because the greatest of five means is above the mean of the best call.
    """
    nets = sums[:, :, : played_calls(sums)]
    rows = np.arange(len(nets))
    behind = [nets[:, other].max(axis=1) - nets[rows, other, nets[:, 1 - other].argmax(axis=1)] for other in (1, 0)]
    first, second = (float(np.average(lost, weights=weights)) / (rollouts // 2) for lost in behind)
    return first, second


def worth(sums: NDArray[np.int64], weights: NDArray[np.int64], rollouts: int, calls: int = CALL_COUNT) -> float:
    """Return the mean net score of a dealer who calls as one half of the worlds says, valued without bias on the other; mean of both directions.

    ``calls``: of so many calls alone, :data:`OWN_CALLS` for a dealer who never says en face.
    """
    nets = sums[:, :, : min(calls, played_calls(sums))]
    rows = np.arange(len(nets))
    found = [nets[rows, other, nets[:, 1 - other].argmax(axis=1)] for other in (0, 1)]
    return float(np.average(sum(found), weights=weights)) / rollouts


def regret(chosen: NDArray[np.int64], means: NDArray[np.float64], weights: NDArray[np.int64]) -> float:
    """Return the mean of how far chosen calls are behind the best ones, by means from other worlds, in points."""
    lost = means.max(axis=1) - means[np.arange(len(means)), chosen]
    return float(np.average(lost, weights=weights))


__all__ = ["Book", "agreement", "half_regret", "load_book", "regret", "values", "worth"]
