"""What a study of bids found, as a person reads it in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from trickbench.reading import grid, percent, with_interval
from trickbench.studies.bids_counts import POSITIONS
from trickbench.studies.telling import estimate_text, percent_text, short

if TYPE_CHECKING:
    from trickbench.studies.bids_result import BidsResult

NOTES = (
    "(means a seat and deal with 95 % intervals over deals; differences are of the same deals)",
    "(clear: ahead of every other, in intervals that hold for all bidders and opponents together with 95 %; steps hold together with 99 %)",
)


def bids_text(result: BidsResult) -> str:
    """Return what a study of bids found."""
    study = result.study
    plays = sum(part.count * part.plays for part in study.parts())
    lines = [
        f"{study.game.described()}, seed {study.seed}: {_number(len(result.names), 'bidder')} under {' and '.join(result.players)}",
        f"{_number(study.deals, 'deal')}, the same for all, every bidder in every seat against two of every bidder: {plays:,} plays",
    ]
    for player, name in enumerate(result.players):
        lines += ["", f"== cards played by {name}", overview(result, player), "", payoff_grid(result, player), *responses(result, player)]
        lines += ["", position_grid(result, player)]
        if len(result.names) > 1:
            lines += ["", step_grid(result, name)]
    lines += ["", cross_grid(result)]
    if result.calibration["crps"].notna().any():
        lines += ["", calibration_grid(result)]
    return "\n".join([*lines, "", *NOTES, f"digest: {result.digest}"])


def _number(count: int, of: str) -> str:
    return f"{count:,} {of}{'s' * (count != 1)}"


def label(result: BidsResult, name: str) -> str:
    """Return a bidder's name as tables show it: shortened, unless another one would look the same."""
    shown = [short(one) for one in result.names]
    return short(name) if shown.count(short(name)) == 1 else name


def overview(result: BidsResult, player: int) -> str:
    """Return each bidder's quantities, and the sum of bids where all bid like it."""
    rows = []
    for bidder, name in enumerate(result.names):
        means = [estimate_text(result.found(player, bidder, quantity)) for quantity in ("distance", "bias", "bid")]
        own = [percent_text(result.found(player, bidder, "exact", bidder)), estimate_text(result.found(player, bidder, "total", bidder))]
        exact = percent_text(result.found(player, bidder, "exact"))
        rows.append([label(result, name), estimate_text(result.found(player, bidder, "score")), exact, *means, *own])
    return grid(["against each bidder in turn", "points a deal", "exact", "distance", "bid - tricks", "bid", "alike: exact", "sum of bids"], rows)


def payoff_grid(result: BidsResult, player: int) -> str:
    """Return points a deal of each bidder against two of each, with a star where it is best."""
    own = result.payoffs[result.payoffs["player"] == result.players[player]]
    rows = []
    for bidder in result.names:
        cells = own[own["bidder"] == bidder].to_dict("records")
        rows.append(
            [label(result, bidder), *(f"{with_interval(cell['mean'], cell['low'], cell['high'])}{'*' if cell['best'] else ' '}" for cell in cells)]
        )
    return grid(["points a deal against two of", *(f"{label(result, name)} " for name in result.names)], rows)


def responses(result: BidsResult, player: int) -> list[str]:
    """Return the best response to each bidder in words, and which are best against themselves."""
    own = result.best_responses[result.best_responses["player"] == result.players[player]].to_dict("records")
    lines = []
    for row in own:
        if row["second"] is not None:
            ahead = with_interval(row["ahead"], row["ahead_low"], row["ahead_high"])
            sure = "clear" if row["clear"] else "not clear"
            against, best, second = (label(result, row[key]) for key in ("against", "best", "second"))
            lines.append(f"best against two of {against}: {best}, ahead of {second} by {ahead} ({sure})")
    selves = [f"{label(result, row['against'])}{'' if row['clear'] else ' (not clear)'}" for row in own if row["to_itself"]]
    return [*lines, f"a best response to itself: {', '.join(selves) or 'none of these'}"]


def position_grid(result: BidsResult, player: int) -> str:
    """Return score and exact bids at each position, where all three bid alike."""
    table = result.by_position[result.by_position["player"] == result.players[player]]
    alike = table[table["bidder"] == table["against"]]
    own = {(row.bidder, row.quantity, row.position): row for row in alike.itertuples()}
    rows = []
    for name in result.names:
        scores = [estimate_text(own[name, "score", position]) for position in POSITIONS]
        rows.append([label(result, name), *scores, *(percent(own[name, "exact", position].mean) for position in POSITIONS)])
    heads = [f"{what}, {position}" for what in ("points", "exact") for position in POSITIONS]
    return grid(["all alike, by position", *heads], rows)


def step_grid(result: BidsResult, player: str) -> str:
    """Return the difference of each bidder and the one named before it."""
    rows = []
    own = result.steps[result.steps["player"] == player]
    for (bidder, before), step in own.groupby(["bidder", "before"], sort=False):
        cells = [_difference(row) for row in step.to_dict("records")]
        rows.append([label(result, str(bidder)), label(result, str(before)), *cells])
    return grid(["bidder", "less the one before", "edge (points a deal)", "points against each", "alike: exact", "alike: distance"], rows, 2)


def _difference(row: Any) -> str:
    exact = row["quantity"] == "exact"
    scale = 100 if exact else 1
    return f"{with_interval(scale * row['mean'], scale * row['low'], scale * row['high'])}{' %' if exact else ''}"


def cross_grid(result: BidsResult) -> str:
    """Return the scores of all bidders with all card players against the reference."""
    own = {(row.bidder, row.player): row for row in result.crossed.itertuples() if row.quantity == "score"}
    rows = [[label(result, name), *(estimate_text(own[name, player]) for player in result.players)] for name in result.names]
    head = f"points a deal against two of {short(result.study.opponent.text)}, cards by"
    return grid([head, *(short(player) for player in result.players)], rows)


def calibration_grid(result: BidsResult) -> str:
    """Return how well each bidder knows its hand, where all bid alike."""
    rows = [
        [short(row["player"]), label(result, row["bidder"]), f"{row['n']:,}", *(_span(row, name) for name in ("distance", "crps")),
         percent(row["skill"]), _logs(row), _span(row, "brier"), _span(row, "miss")]
        for row in result.calibration.to_dict("records")
    ]  # fmt: skip
    heads = ["bids", "distance of the bid", "CRPS of the forecast", "skill", "log score", "Brier score of exact", "forecast - tricks"]
    return grid(["cards by", "how well it knows its hand", *heads], rows, 2)


def _span(row: Any, name: str) -> str:
    return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _logs(row: Any) -> str:
    """Return the log score; it is infinite if something happened that had probability 0."""
    if pd.isna(row["crps"]):
        return "-"
    return f"infinite ({int(row['impossible']):,} bids)" if row["impossible"] else _span(row, "log_score")
