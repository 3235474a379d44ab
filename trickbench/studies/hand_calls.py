"""What to call with a hand, and how sure that is: the hand in many worlds, every call in each of them."""

from __future__ import annotations

import math
import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trickbench.games.manille import call_sums as at
from trickbench.games.manille.hands import SUITS, ranks_of, read_hand, suit_masks
from trickbench.stats.intervals import normal_quantile, rate_interval
from trickbench.studies.call_asking import Asker
from trickbench.studies.calls import Calls, Valuer
from trickbench.studies.calls_counting import RATES, canonical_calls, rates_of, read_hands

WORLDS = 1 << 16
DRAWS = 1 << 17


class Nets(NamedTuple):
    """What the calls of a hand came to in ``n`` worlds; calls in canonical order."""

    n: int
    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    """of net scores in one world"""
    rates: dict[str, NDArray[np.int64]]
    """by name, how many worlds were won, tied, ...; canonical calls"""

    def reach(self, one: int, other: int | None = None, level: float = 0.95) -> float:
        """Return half the interval of a call's mean, or of the difference of two, which is taken world by world."""
        own = self.covariance
        variance = own[one, one] if other is None else own[one, one] + own[other, other] - 2 * own[one, other]
        return normal_quantile(level) * math.sqrt(max(0.0, float(variance)) / self.n)


def read_nets(sums: NDArray[np.int64], n: int, calls: int) -> Nets:
    """Return what the sums of a hand over ``n`` worlds say of its first so many calls."""
    net = sums[at.NET : at.NET + calls]
    products = np.diag(sums[at.SQUARES : at.SQUARES + calls])
    for place, (one, other) in enumerate(at.PAIRS):
        if other < calls:
            products[one, other] = products[other, one] = sums[at.PRODUCTS + place]
    # Whole numbers until the division: a difference that is 0 in every world has variance 0.
    exact = n * products - np.outer(net, net)
    rates = {name: sums[begin : begin + calls] for name, begin in RATES.items()}
    return Nets(n, net / n, exact / (n * (n - 1)), rates)


def chances(nets: Nets, twins: NDArray[np.int64], draws: int = DRAWS) -> NDArray[np.float64]:
    """Return for every call the probability that it is the best.

    What a call is worth is known with the error of its mean; the errors of two calls go together, because they were played in the same worlds. So
    worths are drawn from the normal distribution with the means and the covariance matrix of the means (the posterior under a flat prior), and it is
    counted how often each is the greatest.

    Parameters
    ----------
    nets : Nets
    twins : int64[calls]
        For each call the first one that is worth the same, having the same cards; it has its chance.
    draws : int
    """
    own = np.unique(twins)
    values, vectors = np.linalg.eigh(nets.covariance[np.ix_(own, own)] / nets.n)
    normal = np.random.Generator(np.random.Philox(key=0)).standard_normal((draws, len(own)))
    worths = nets.mean[own] + (normal * np.sqrt(np.maximum(values, 0))) @ vectors.T
    found = np.bincount(own[worths.argmax(axis=1)], minlength=len(twins)) / draws
    return np.asarray(found[twins], np.float64)


def judge_hand(study: Calls, hand: str) -> dict[str, Any]:
    """Return what to call with a hand, as JSON holds it.

    Parameters
    ----------
    study : Calls
        Says who plays the cards, in how many worlds, and whose calls are looked at; its deals do not matter.
    hand : str
        8 cards, as in "SA SK S9 HT H7 DJ C9 C8".

    Returns
    -------
    dict
        ``calls``: for each call, as the hand holds the suits, its net score, win, tie and capot rate (and how often it is doubled and redoubled) with
        95 % intervals, how far it is behind the best (world by world), and the chance that it is the best; ``callers``: what each calls, and its
        regret; ``yardsticks``: the calls' net scores by other players.

    Raises
    ------
    UsageError
        For cards that do not exist, or not 8 of them.
    """
    held = read_hand(hand)
    nets = [roll_hand(study, valuer, held) for valuer in study.valuers]
    sides = study.valuers[0].name
    return {
        **{key: value for key, value in study.as_dict().items() if key in ("game", "rules", "rules_version", "seed")},
        "described": study.game.described(),
        "hand": study.game.pack.text(held),
        "worlds": study.worlds,
        "players": sides,
        "auction": study.auction_text,
        "calls": _calls(study, held, nets[0]),
        "callers": _callers(study, held, nets[0]),
        "yardsticks": [
            {"players": valuer.name, "calls": _calls(study, held, own)} for valuer, own in zip(study.valuers[1:], nets[1:], strict=True)
        ],
    }  # fmt: skip


def roll_hand(study: Calls, valuer: Valuer, held: int) -> Nets:
    """Return what the calls of a hand came to by somebody's cards; its worlds are those that a call book with the seed has for it."""
    found = read_hands(np.array([held]))
    sums = valuer.roller(study.seed, threading.Event()).roll_hands(found.forms, ranks_of([held]), study.worlds)
    return read_nets(sums[0].sum(axis=0), study.worlds, len(study.calls))


def _places(study: Calls, held: int) -> NDArray[np.int64]:
    """Return for each call, as the hand holds the suits, the number of the canonical call; of suits with the same cards the first."""
    numbers = np.arange(len(study.calls))
    hands = read_hands(np.full(len(numbers), held))
    return canonical_calls(hands, numbers)


def _calls(study: Calls, held: int, nets: Nets) -> list[dict[str, Any]]:
    places, twins = _places(study, held), first_twins(held, len(study.calls))
    chance, best = chances(nets, twins), int(nets.mean.argmax())
    rows = []
    for name, place in zip(study.calls, places.tolist(), strict=True):
        reach, apart = nets.reach(place), nets.reach(best, place)
        behind = float(nets.mean[best] - nets.mean[place])
        row: dict[str, Any] = {"call": name, **_ends("net", float(nets.mean[place]), reach)}
        for quantity in rates_of(study.doublers):
            rate = rate_interval(int(nets.rates[quantity][place]), nets.n)
            row |= {quantity: rate.mean, f"{quantity}_low": rate.low, f"{quantity}_high": rate.high}
        rows.append(row | {"best": place == twins[best], **_ends("behind", behind, apart), "chance": float(chance[place])})
    return rows


def first_twins(held: int, calls: int) -> NDArray[np.int64]:
    """Return for each canonical call the first that has the same cards."""
    masks = np.sort(suit_masks(held))
    return np.concatenate([(masks[:, None] == masks).argmax(axis=1), np.arange(SUITS, calls)])


def _callers(study: Calls, held: int, nets: Nets) -> list[dict[str, Any]]:
    """Return what each caller calls with the hand, and how far that is behind the best."""
    asker = Asker(study.game, study.callers, study.seed, 1)
    asker.hold(held)
    places, best = _places(study, held), int(nets.mean.argmax())
    rows = []
    for name, (call,) in zip(study.names, asker.ask().tolist(), strict=True):
        place = int(places[call])
        regret = float(nets.mean[best] - nets.mean[place])
        rows.append({"caller": name, "call": study.calls[call], **_ends("regret", regret, nets.reach(best, place))})
    return rows


def _ends(name: str, mean: float, reach: float) -> dict[str, float]:
    return {name: mean, f"{name}_low": mean - reach, f"{name}_high": mean + reach}
