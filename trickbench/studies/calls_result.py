"""What a study of calls found, computed from its totals: every call, features of the hand, callers, and who plays the cards; over deals."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from trickbench.games.manille.hands import SUITS
from trickbench.stats.distributions import student_quantile
from trickbench.stats.intervals import Estimate, sums_interval
from trickbench.studies import calls_counting as at
from trickbench.studies.study import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trickbench.studies.calls import Calls

PLACES = ("longest suit", "second suit", "third suit", "shortest suit", "no-trump", "en face")
"""Calls by what they are to the hand; of suits of one length the one with more points comes first."""
WIDTH = 4
"""Hand points that share a row."""
ENDS = ("", "_low", "_high")
SHARE, NET = (tuple(f"{name}{end}" for end in ENDS) for name in ("share", "net"))
BOUNDED = (*at.RATES, "right", "share")
"""Rates: their intervals end at 0 and 1."""


def mean_over_deals(n: int, total: int, squares: int, unit: float, level: float = 0.95) -> Estimate:
    """Return the mean of whole numbers, one a deal, divided by ``unit``, with Student's interval."""
    plain = sums_interval(n, total, squares, level)
    mean, sd = plain.mean / unit, plain.sd / unit
    reach = student_quantile(level, n - 1) * sd / math.sqrt(n) if n > 1 else math.nan
    return Estimate(n, mean, sd, mean - reach, mean + reach)


def mean_over_members(rows: pd.DataFrame, quantity: str, unit: float, level: float = 0.95) -> Estimate:
    """Return the mean over the members of deals (suits of a hand, say) with an interval over deals.

    A deal with m members has their sum y; the mean is that of y over that of m, and the deals' y - mean m have its variance (the ratio estimator for
    clusters: Cochran, Sampling Techniques, 1977, 6.3).

    Parameters
    ----------
    rows : DataFrame
        A row a number of members (``three``), with ``count`` deals and the sums of y and y squared.
    quantity : str
    unit : float
        Divides the mean.
    """
    members, counts = (rows[name].to_numpy(np.int64) for name in ("three", "count"))
    sums, squares = (rows[f"sum_{quantity}{power}"].to_numpy(np.float64) for power in ("", "_squares"))
    n, total = int(counts.sum()), int((members * counts).sum())
    if total == 0:
        return Estimate(0, math.nan, math.nan, math.nan, math.nan)
    mean = float(sums.sum()) / total
    left = float((squares - 2 * mean * members * sums + (mean * members) ** 2 * counts).sum())
    sd = math.sqrt(max(0.0, left) / (n - 1)) if n > 1 else math.nan
    reach = student_quantile(level, n - 1) * sd * math.sqrt(n) / total if n > 1 else math.nan
    return Estimate(n, mean / unit, sd / unit, (mean - reach) / unit, (mean + reach) / unit)


class CallsResult(Result):
    """The result of :func:`trickbench.trump_calls`; net scores are those of the dealer's side.

    Every table has a column ``players``, who plays the cards: first those that were chosen, then the yardsticks.
    """

    study: Calls

    def __init__(self, study: Calls, totals: dict[str, pd.DataFrame]) -> None:
        super().__init__(study, totals)
        self.total = totals["deals"]
        self.worlds = study.worlds

    def __repr__(self) -> str:
        return f"<CallsResult of {self.deals:,} deals of {self.study.game.described()}: {', '.join(self.study.names)}>"

    @property
    def deals(self) -> int:
        """Deals that were looked at."""
        return int(self._rows(at.BEST, 0)["count"].sum())

    @property
    def rates(self) -> list[str]:
        """What is counted of the worlds of a call."""
        return at.rates_of(self.study.doublers)

    @cached_property
    def players(self) -> list[str]:
        """Who plays the cards, as tables show them."""
        return [valuer.name for valuer in self.study.valuers]

    def _rows(self, what: int, players: int | None = None, one: int | None = None, two: int | None = None) -> pd.DataFrame:
        """Return the rows of the totals about something."""
        table = self.total
        chosen = table["what"] == what
        for label, value in (("players", players), ("one", one), ("two", two)):
            if value is not None:
                chosen &= table[label] == value
        return table[chosen]

    def mean_of(self, rows: pd.DataFrame, quantity: str) -> Estimate:
        """Return the mean of a quantity over deals, each of which is in one of the rows."""
        n, total, squares = (int(rows[name].sum()) for name in ("count", f"sum_{quantity}", f"sum_{quantity}_squares"))
        return mean_over_deals(n, total, squares, self._unit(quantity))

    def _unit(self, quantity: str) -> float:
        """Return what sums of a deal are divided by: a call is the best one in up to two halves, all else is a sum over worlds."""
        return 2.0 if quantity == "right" else float(self.worlds)

    def _ends(self, rows: pd.DataFrame, *quantities: str, members: bool = False) -> dict[str, Any]:
        """Return means of quantities with the ends of their intervals, for a row of a table."""
        found: dict[str, Any] = {}
        for name in quantities:
            own = mean_over_members(rows, name, self._unit(name)) if members else self.mean_of(rows, name)
            found |= dict(zip((f"{name}{end}" for end in ENDS), bounded(name, own), strict=True))
        return found

    @cached_property
    def by_call(self) -> pd.DataFrame:
        """One row a call, and then one for each suit of the hand from the longest to the shortest.

        Columns: players, call, n (deals), net, win, tie, capot, with doublers doubled and redoubled, and best, the share of deals on which it is the
        best call (mean of both halves of the worlds); each with the ends of its 95 % interval.
        """
        rows = []
        for number, players in enumerate(self.players):
            named = [(name, self._rows(at.CALL, number, call)) for call, name in enumerate(self.study.calls)]
            named += [(PLACES[place], self._rows(at.VOIDS, number, place)) for place in range(SUITS)]
            for name, own in named:
                means = self._ends(own, "net", *self.rates, "right")
                rows.append({"players": players, "call": name, "n": int(own["count"].sum()), **means})
        return _best(pd.DataFrame(rows))

    def _features(self, players: int) -> Iterator[tuple[str, str, Any, Any, pd.DataFrame, bool]]:
        """Yield feature, call, values of the feature, and the rows of the totals; and whether several suits of a deal may be in them."""
        for what, name in ((at.POINTS, "length, points"), (at.TEN, "length, ten")):
            for (length, other), own in groups(self._rows(what, players), "one", "two"):
                yield name, "suit", length, other, own, True
        for what, call in ((at.NO_TRUMP, "no-trump"), (at.FACED, "en face")):
            for label, name in (("one", "tens"), ("two", "longest suit")):
                for (value,), own in groups(self._rows(what, players), label):
                    yield name, call, value, None, own, False
            for (tens, length), own in groups(self._rows(what, players), "one", "two"):
                yield "tens, longest suit", call, tens, length, own, False
        hands = self._rows(at.HAND, players)
        for name, table in (("voids", self._rows(at.VOIDS, players)), ("hand points", hands.assign(two=hands["two"] // WIDTH * WIDTH))):
            for (place, value), own in groups(table, "one", "two"):
                yield name, PLACES[place], value, None, own, False

    @cached_property
    def by_feature(self) -> pd.DataFrame:
        """One row a call and value of a feature of the hand.

        Columns: players; feature; call ("suit": any suit of the hand; "longest suit" .. "shortest suit", "no-trump", "en face"); first, second, the
        values of the feature (hand points: the least of four); n (deals); suits (of them); net, win, tie, capot, and best, how often it is the best
        call, with their 95 % intervals over deals.
        """
        rows = []
        for number, players in enumerate(self.players):
            for feature, call, first, second, own, members in self._features(number):
                means = self._ends(own, "net", *self.rates, "right", members=members)
                head = {"players": players, "feature": feature, "call": call, "first": first, "second": second}
                rows.append({**head, "n": int(own["count"].sum()), "suits": int((own["three"] * own["count"]).sum()), **means})
        table = _best(pd.DataFrame(rows))
        return table.astype({"first": "Int64", "second": "Int64"})

    @cached_property
    def best(self) -> pd.DataFrame:
        """One row a kind of call and length of its suit (0 for none): how often it is the best.

        Columns: players, kind, length, n (deals), share of deals (mean of both halves of the worlds), and net, what it is then worth: chosen on one
        half, valued on the other; both with their intervals.
        """
        rows = []
        for number, players in enumerate(self.players):
            for (kind, length), own in groups(self._rows(at.KIND, number), "one", "two"):
                halves = int((own["three"] * own["count"]).sum())
                squares = int((own["three"] ** 2 * own["count"]).sum())
                share = bounded("share", mean_over_deals(self.deals, halves, squares, 2))
                net = mean_over_members(own, "net", self.worlds / 2)
                head = {"players": players, "kind": at.KINDS[kind], "length": length, "n": int(own["count"].sum())}
                rows.append(head | dict(zip(SHARE, share, strict=True)) | dict(zip(NET, bounded("net", net), strict=True)))
        return pd.DataFrame(rows)

    @cached_property
    def regret(self) -> pd.DataFrame:
        """One row a caller, best first: what it is worth and how far it is behind the best call.

        Columns: players, caller, n (deals); net, win, tie, capot of what it calls; lost, how far net is behind the call that is best on one half of a
        deal's worlds, valued on the other half (both ways round); most, how far it is behind the best of all worlds; best, how often it calls what
        a half says is best; each with its 95 % interval. The regret against the truly best call is between ``lost`` and ``most``.
        """
        rows = []
        for number, players in enumerate(self.players):
            own = []
            for who, caller in enumerate(self.study.names):
                found = self._rows(at.CALLER, number, who)
                means = self._ends(found, "net", *self.rates, "lost", "most", "right")
                own.append({"players": players, "caller": caller, "n": int(found["count"].sum()), **means})
            rows += sorted(own, key=lambda row: -row["net"])
        return _best(pd.DataFrame(rows))

    @cached_property
    def by_caller(self) -> pd.DataFrame:
        """One row a caller and call: players, caller, call, n (deals), share of its calls, and net, win, tie, capot, lost, with their intervals."""
        rows = []
        for number, players in enumerate(self.players):
            for who, caller in enumerate(self.study.names):
                for (call,), found in groups(self._rows(at.CALLER, number, who), "two"):
                    n = int(found["count"].sum())
                    means = self._ends(found, "net", *self.rates, "lost")
                    head = {"players": players, "caller": caller, "call": self.study.calls[call], "n": n}
                    rows.append({**head, "share": n / self.deals, **means})
        return pd.DataFrame(rows)

    @cached_property
    def versus(self) -> pd.DataFrame:
        """One row for two callers: what the first is worth more than the second on the same deals and worlds, points a deal, with 95 % interval."""
        rows, names = [], self.study.names
        for number, players in enumerate(self.players):
            for (one, other), own in groups(self._rows(at.PAIR, number), "one", "two"):
                rows.append([players, names[one], names[other], *self.mean_of(own, "net")])
        return pd.DataFrame(rows, columns=["players", "caller", "other", "n", "mean", "sd", "low", "high"])

    @cached_property
    def agreement(self) -> list[float]:
        """On which share of deals both halves of the worlds have the same best call, by who plays the cards."""
        return [float(self._rows(at.BEST, number)["sum_right"].sum()) / self.deals for number in range(len(self.players))]

    def worth(self, players: int = 0) -> tuple[Estimate, Estimate]:
        """Return what the best call is worth: chosen on one half of the worlds and valued on the other, too little; best of all worlds, too much."""
        rows = self._rows(at.BEST, players)
        return self.mean_of(rows, "net"), self.mean_of(rows, "most")

    @cached_property
    def yardsticks(self) -> pd.DataFrame:
        """One row for two who play the cards: how far their values of the same hands agree.

        Columns: players, others, n (deals); same, the share of deals on which the best call of the players (of one half of the worlds) is that of the
        others (of the other half); lost, what the best call by the others is behind the best by the players, valued by the players, with its
        interval; correlation_<place>, the correlation over deals of what a call is worth. Products are taken across halves, so that what worlds
        have in common and what is chance in a mean does not count (Spearman's correction for attenuation); it can exceed 1 by chance.
        """
        rows = []
        for one in range(len(self.players)):
            for other in range(len(self.players)):
                if one != other:
                    own = self._rows(at.OTHER, one, other)
                    head = {"players": self.players[one], "others": self.players[other], "n": self.deals, "same": self.mean_of(own, "right").mean}
                    places = {f"correlation_{PLACES[p].replace(' ', '_')}": self.correlation(one, other, p) for p in range(len(self.study.calls))}
                    rows.append(head | self._ends(own, "lost") | places)
        return pd.DataFrame(rows)

    def correlation(self, one: int, other: int, place: int) -> float:
        """Return how the values of hands by two who play the cards correlate, noise taken out."""
        first, second = min(one, other), max(one, other)
        across = self._covariance(first, second, place)
        spread = self._covariance(first, first, place) * self._covariance(second, second, place)
        return across / math.sqrt(spread) if spread > 0 else math.nan

    def _covariance(self, one: int, other: int, place: int) -> float:
        """Return the covariance over deals of two values of a call, in squared sums over half the worlds: exact until the last division."""
        product = int(self._rows(at.CROSS, one, other, place)["sum_product"].sum())
        means = [int(self._rows(at.VOIDS, who, place)["sum_net"].sum()) for who in (one, other)]
        return (2 * self.deals * product - means[0] * means[1]) / (4 * self.deals**2)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row a quantity: quantity, unit, n (deals), mean, sd, low, high (95 %); for those who play the cards first."""
        best, most = self.worth()
        rows: list[list[Any]] = [["best call, of half the worlds", "points a deal", *best], ["best call, of all worlds", "points a deal", *most]]
        for call, name in enumerate(self.study.calls):
            own = self._rows(at.CALL, 0, call)
            rows.append([f"calling {name}", "points a deal", *self.mean_of(own, "net")])
            rows.append([f"calling {name} wins", "share of worlds", *self.mean_of(own, "win")])
        for who, caller in enumerate(self.study.names):
            own = self._rows(at.CALLER, 0, who)
            rows.append([f"calls of {caller}", "points a deal", *self.mean_of(own, "net")])
            rows.append([f"regret of {caller}, at least", "points a deal", *self.mean_of(own, "lost")])
            rows.append([f"regret of {caller}, at most", "points a deal", *self.mean_of(own, "most")])
        return pd.DataFrame(rows, columns=["quantity", "unit", "n", "mean", "sd", "low", "high"])

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables of the result."""
        found = {"summary": self.summary, "calls": self.by_call, "features": self.by_feature, "best": self.best, "regret": self.regret}
        found |= {"callers": self.by_caller, "versus": self.versus}
        return found | ({"yardsticks": self.yardsticks} if len(self.players) > 1 else {})

    def text(self) -> str:
        """Return what was found as a person reads it."""
        from trickbench.studies.calls_telling import calls_text

        return calls_text(self)

    def figures(self) -> dict[str, Figure]:
        """Return the figures by name."""
        from trickbench.plotting.calls import calls_figures

        return calls_figures(self)

    def facts(self) -> dict[str, Any]:
        """Return what was found as JSON holds it."""
        tables = {name: json.loads(table.to_json(orient="records")) for name, table in self.tables().items()}
        agreement = dict(zip(self.players, self.agreement, strict=True))
        return {**self.study.as_dict(), "deals_played": self.deals, "agreement_of_halves": agreement, **tables, "digest": self.digest}


def groups(rows: pd.DataFrame, *labels: str) -> Iterator[tuple[tuple[int, ...], pd.DataFrame]]:
    """Yield the values of labels and the rows that have them, in ascending order."""
    for values, own in rows.groupby(list(labels)):
        found: Any = values
        yield tuple(int(value) for value in found), own


def bounded(quantity: str, estimate: Estimate) -> tuple[float, float, float]:
    """Return mean, low and high; those of a rate within 0 and 1."""
    low, high = estimate.low, estimate.high
    if quantity in BOUNDED:
        low, high = (min(max(end, 0.0), 1.0) if end == end else end for end in (low, high))
    return estimate.mean, low, high


def _best(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which "how often it is right" is called "best"."""
    return table.rename(columns={f"right{end}": f"best{end}" for end in ENDS})
