"""How many deals it takes to show an edge, and which edge deals can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trickbench.errors import UsageError
from trickbench.stats.paired import deals_for, edge_for

if TYPE_CHECKING:
    from trickbench.studies.duel_result import DuelResult


def power_facts(
    sigma: float, edge: float | None, deals: int | None, power: float = 0.8, level: float = 0.95, measured: DuelResult | None = None
) -> dict[str, Any]:
    """Return the deals that show an edge, or the edge that deals show.

    Parameters
    ----------
    sigma : float
        Standard deviation of a deal in all its seatings, points.
    edge : float or None
        Points a deal.
    deals : int or None
        The deals there are, if no edge is given.
    power, level : float
        Chance that the two-sided interval of this level excludes 0.
    measured : DuelResult, optional
        Where sigma comes from; adds what independent deals would need.

    Raises
    ------
    UsageError
        For numbers that cannot be.
    """
    if not 0 < sigma < float("inf"):
        raise UsageError(f"sigma cannot be {sigma:g}; a number of points above 0 would be right")
    facts: dict[str, Any] = {"sigma": sigma, "power": power, "level": level}
    if edge is not None:
        facts |= {"edge": edge, "deals": deals_for(edge, sigma, power, level)}
    else:
        assert deals is not None
        facts |= {"deals": deals, "edge": edge_for(deals, sigma, power, level)}
    if measured is not None:
        edge_seen = measured.edge
        facts["measured"] = {"agents": list(measured.study.names), "deals": edge_seen.n, "edge": edge_seen.mean, "plays_a_deal": measured.plays}
        facts["sigma_single"] = measured.single.sd
        facts["independent_deals"] = deals_for(facts["edge"], measured.single.sd, power, level)
    return facts


def power_text(facts: dict[str, Any]) -> str:
    """Return the same as a person reads it."""
    chance = f"with {100 * facts['power']:g} % power at the {100 * facts['level']:g} % level, two-sided"
    lines = [f"an edge of {facts['edge']:.3g} points a deal takes {facts['deals']:,} deals in all seatings, {chance} (sigma {facts['sigma']:.2f})"]
    if "measured" in facts:
        told = facts["measured"]
        first, second = told["agents"]
        lines.append(f"sigma measured on {told['deals']:,} deals of {first} against {second}; their edge was {told['edge']:.3f}")
        paired, independent = facts["deals"] * told["plays_a_deal"], facts["independent_deals"]
        lines.append(f"that is {paired:,} plays; independent deals would take {independent:,} (sigma {facts['sigma_single']:.2f})")
    return "\n".join(lines)
