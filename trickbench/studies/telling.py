"""What studies found, as a person reads it in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trickbench.reading import grid, shorten, with_interval
from trickbench.stats.pentanomial import normalised_elo

if TYPE_CHECKING:
    from trickbench.studies.duel_result import DuelResult
    from trickbench.studies.tournament_result import TournamentResult

WHAT_FACTORS_ARE = "(factor: plays of independent deals that one play replaces; rollouts not counted)"


def estimate_text(estimate: Any) -> str:
    """Return a mean with half the width of its interval."""
    return with_interval(estimate.mean, estimate.low, estimate.high)


def percent_text(estimate: Any) -> str:
    """Return a rate in per cent with half the width of its interval."""
    return f"{100 * estimate.mean:.2f} ± {50 * (estimate.high - estimate.low):.2f} %"


def duel_text(result: DuelResult) -> str:
    """Return what a duel found."""
    study, edge = result.study, result.edge
    first, second = study.names
    lines = [
        f"{study.game.described()}, seed {study.seed}: A = {first} against B = {second}",
        f"{edge.n:,} deals, each in {result.plays} seatings with the same cards and random words: {edge.n * result.plays:,} plays",
        "",
        f"A's edge: {estimate_text(edge)} points a deal (paired t; bootstrap {_span(result.bootstrap)})",
    ]
    if result.decision is not None:
        lines += ["", *result.decision.lines()]
    rows = [[name, f"{rate.n:,}", percent_text(rate)] for name, rate in result.rates.items()]
    lines += ["", grid(["A's plays", "deals", "share"], rows)]
    if study.game.family == "manille":
        shown = ", ".join(f"{text}: {count:,}" for text, count in zip(("0", "½", "1", "1½", "2"), result.pairs.tolist(), strict=True))
        lines.append(f"deals by A's wins in both seatings: {shown}; normalised Elo {estimate_text(normalised_elo(result.pairs))}")
    lines += ["", grid(["A's edge in one seating", "deals", "points"], [[name, f"{e.n:,}", estimate_text(e)] for name, e in result.effects.items()])]
    if result.games is not None:
        lines += ["", f"whole games: A wins {percent_text(result.games)} of them more than B ({result.games.n:,} games in every seating)"]
    precision = [
        [str(row["method"]), f"{row['sigma']:.2f}", str(row["plays"]), f"{row['factor']:.2f}"] for row in result.precision().to_dict("records")
    ]
    lines += ["", grid(["method", "sigma (points)", "plays a deal", "factor"], precision), WHAT_FACTORS_ARE]
    if result.control is not None:
        lines += [_control_line(result), ""]
    return "\n".join([*lines, "(means with 95 % intervals; deals are the unit of evidence)", f"digest: {result.digest}"])


def tournament_text(result: TournamentResult) -> str:
    """Return what a tournament found."""
    study, ratings = result.study, result.ratings
    pairings, seatings = len(result.by_pairing), 2 if study.size == 2 else 6
    deals = f"{pairings} pairings of {study.size}, {study.deals:,} deals each in {seatings} seatings"
    lines = [f"{study.game.described()}, seed {study.seed}: {len(result.names)} agents, {deals}", ""]
    shares = {name: title for name, title in (("nash", "Nash"), ("alpha_rank", "alpha-rank")) if name in ratings}
    rows = [
        [
            short(row["agent"]), _ends(row, "rating", ("low", "high"), 3), _ends(row, "elo", ("elo_low", "elo_high"), 0),
            with_interval(row["edge"], row["edge_low"], row["edge_high"]), *(f"{100 * row[name]:.1f} %" for name in shares),
        ]
        for row in ratings.to_dict("records")
    ]  # fmt: skip
    lines.append(grid(["agent", "rating", "Elo", "points a deal", *shares.values()], rows))
    model = "Bradley-Terry-Davidson" if study.size == 2 else "Plackett-Luce"
    lines.append(f"(rating: {model}, {result.names[study.anchored]} 0, 95 % by bootstrap over deals; points more than the others at the table)")
    return "\n".join([*lines, "", _payoff_grid(result), "(95 % intervals)", f"digest: {result.digest}"])


def _payoff_grid(result: TournamentResult) -> str:
    """Return the payoffs of pairs, agents in the order of their ratings."""
    order = [result.names.index(str(name)) for name in result.ratings["agent"]]
    rows = []
    for one in order:
        means = ["-" if one == other else estimate_text(result.payoff(one, other)) for other in order]
        rows.append([short(result.names[one]), *means])
    return grid(["points a deal against", *(short(result.names[one]) for one in order)], rows)


def _ends(row: Any, name: str, ends: tuple[str, str], digits: int) -> str:
    """Return a number with the ends of its interval."""
    return f"{row[name]:.{digits}f} ({row[ends[0]]:.{digits}f} .. {row[ends[1]]:.{digits}f})"


def _span(estimate: Any) -> str:
    return f"{estimate.low:.3f} .. {estimate.high:.3f}"


def _control_line(result: DuelResult) -> str:
    control = result.control
    assert control is not None
    deals = f"{control.plain.n:,} deals in one seating, {result.study.rollouts} rollouts of each policy"
    return f"control variate ({deals}): {estimate_text(control.controlled)} instead of {estimate_text(control.plain)}, R² {control.r_squared:.3f}"


def short(agent: str) -> str:
    """Return an agent's name as tables show it."""
    return shorten(agent, 30)
