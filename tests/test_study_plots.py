"""Figures of studies: what they say, that they draw the results' numbers, and that no text is outside or in the way of another."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

import trickbench
from tests.test_plots import bars_by_place, ends, error_bars, saved, shown_texts, words
from trickbench.plotting.duels import duel_figures, whole_points
from trickbench.plotting.payoffs import luminance
from trickbench.plotting.tournaments import ladder_figure, tournament_figures
from trickbench.studies.duel_result import DuelResult
from trickbench.studies.duels import duel
from trickbench.studies.tournaments import from_table

LONG = "play=greedy,call=no-trump,double=threshold,redouble=threshold"
DUELS = ["Manille", "Manchego", "one deal", "long names", "far tails"]


@pytest.fixture(scope="module")
def duels() -> dict[str, DuelResult]:
    """Return duels of all sorts."""
    manillen, manchego = trickbench.game("manillen"), trickbench.game("manchego")
    return {
        "Manille": duel(manillen, "heuristic", "greedy", 4000, seed=7, workers=1, games=20, control=60, rollouts=2),
        "Manchego": duel(manchego, "sure-tricks", "random", 500, seed=7, workers=1),
        "one deal": duel(manillen, "heuristic", "greedy", 1, workers=1),
        "long names": duel(trickbench.game("manillen", undertrump="allowed"), LONG, "play=random,call=random", 200, 2**64 - 1, workers=1),
        "far tails": duel(trickbench.game("manillen", blind_no_trump="on"), LONG, "random", 4000, seed=1, workers=1, games=5),
    }


def rated(agents: list[str], measured: int, deals: int = 1000) -> Any:
    """Return what figures need of a tournament, of agents that gain 1.5 points on the next; times of the first so many are measured."""
    study = from_table("tournament", trickbench.game("manillen"), list(agents), 3, {"deals": deals})
    n = len(agents)
    rank = np.arange(n)
    matrix = 1.5 * (rank[:, None] - rank[None])
    rows = [[agents[i], agents[j], deals, matrix[i, j], 9.0, matrix[i, j] - 0.25, matrix[i, j] + 0.25] for i in rank for j in rank if i != j]
    rating, reach, edge = 0.3 * (rank - study.anchored), 0.02 * abs(rank - study.anchored), matrix.sum(axis=1) / (n - 1)
    ratings = pd.DataFrame(
        {
            "agent": agents, "rating": rating, "low": rating - reach, "high": rating + 2 * reach, "elo": rating * 400 / math.log(10),
            "edge": edge, "edge_low": edge - 0.5, "edge_high": edge + 0.4, "microseconds": np.where(rank < measured, 0.05 * 3.0**rank, np.nan),
        }
    )  # fmt: skip
    payoffs = pd.DataFrame(rows, columns=["row", "column", "n", "mean", "sd", "low", "high"])
    timed = ratings.sort_values("rating", ascending=False, ignore_index=True)
    return SimpleNamespace(study=study, names=agents, matrix=matrix, payoffs=payoffs, ratings=ratings, timed=timed)


PLAYERS = ["random", "greedy", "heuristic", "longest"]
CALLERS = ["random", "longest", "points", "no-trump"]
MANY = [f"play={play},call={call},double=threshold" for play in ("random", "greedy", "heuristic") for call in CALLERS]
TOURNAMENTS = {"two": rated(PLAYERS[:2], 2), "four": rated(PLAYERS, 3), "twelve": rated(MANY, 12), "not measured": rated(PLAYERS, 0)}
STEPS = pd.DataFrame(
    [
        ["greedy over random", "greedy", "random", "manillen", 1, 5.0, np.nan, np.nan],
        ["a study with a name that is much longer than others are", LONG, f"{LONG},x=1", "manille", 2_000_000, 0.25, -0.125, 0.625],
    ],
    columns=["study", "A", "B", "game", "n", "edge", "low", "high"],
)


def check_texts(name: str, figure: Figure) -> None:
    """Fail if a text is cut off, too small, or in the way of another."""
    texts = shown_texts(figure)
    for (one, box), (other, second) in itertools.combinations(texts, 2):
        shared = Bbox.intersection(box, second)
        assert shared is None or min(shared.width, shared.height) < 3, f"{name}: '{one}' and '{other}'"
    for text, box in texts:
        assert figure.bbox.x0 - 1 <= box.x0, f"{name}: '{text}'"
        assert box.x1 <= figure.bbox.x1 + 1, f"{name}: '{text}'"
        assert figure.bbox.y0 - 1 <= box.y0, f"{name}: '{text}'"
        assert box.y1 <= figure.bbox.y1 + 1, f"{name}: '{text}'"


@pytest.mark.parametrize("sort", DUELS)
def test_figures_of_duels_say_what_they_show_of_what(duels: dict[str, DuelResult], sort: str) -> None:
    result = duels[sort]
    figures = duel_figures(result)
    assert list(figures) == ["differences", "effects"] + ["precision"] * (sort == "Manille")
    for name, figure in figures.items():
        text = words(figure)
        assert f"{result.edge.n:,} deal" in text
        assert f"in {result.plays} seatings · seed {result.study.seed}" in text
        assert all(f"{letter}: {agent}" in text for letter, agent in zip("AB", result.study.names, strict=True))
        assert "95 % interval" in text
        assert result.study.game.name in text
        labels = {label for panel in figure.axes for label in (panel.get_xlabel(), panel.get_ylabel())} - {""}
        assert all(label.endswith(("(points)", "(%)", "wide", "(rollouts not counted)")) for label in labels), labels
        check_texts(name, figure)
        assert saved(figure).startswith(b"\x89PNG")


@pytest.mark.parametrize(("x", "unit", "points"), [(0, 2, 0), (1, 2, 1), (-1, 2, -1), (3, 2, 2), (1, 9, 1), (13, 9, 1), (14, 9, 2), (-14, 9, -2)])
def test_only_ties_are_in_the_middle(x: int, unit: int, points: int) -> None:
    assert whole_points(np.array([x]), unit).tolist() == [points]


def test_differences_are_the_tables(duels: dict[str, DuelResult]) -> None:
    result = duels["Manille"]
    (panel,) = duel_figures(result)["differences"].axes
    table = result.tables()["differences"]
    bars = bars_by_place(panel)
    assert sum(bars.values()) == pytest.approx(100)
    for point in range(1, 60):
        for sign in (1, -1):
            inside = table.loc[(sign * table["x"]).between(point - 0.5, point), "count"].sum()
            assert bars.get(sign * point, 0) == pytest.approx(100 * inside / result.edge.n)
    favouring = table.loc[table["x"] > 0, "count"].sum() / result.edge.n
    assert f"{100 * favouring:.1f} % of deals favour A: heuristic" in panel.get_title("right")


def test_the_edge_is_drawn_with_its_interval(duels: dict[str, DuelResult]) -> None:
    for sort in ("Manille", "Manchego"):
        edge = duels[sort].edge
        (panel,) = duel_figures(duels[sort])["differences"].axes
        points, _, (interval,) = error_bars(panel)[-1]
        assert points.get_xdata() == pytest.approx([edge.mean])
        np.testing.assert_allclose(ends(interval, 0), [[edge.low, edge.high]])
        assert f"A's edge {edge.mean:+.2f} ± {(edge.high - edge.low) / 2:.2f} points a deal" in words(panel.figure.figure)


@pytest.mark.parametrize("sort", ["Manille", "Manchego"])
def test_effects_are_the_tables(duels: dict[str, DuelResult], sort: str) -> None:
    result = duels[sort]
    panel, *more = duel_figures(result)["effects"].axes
    found = {"all seatings": result.edge, **result.effects}
    assert [label.get_text() for label in panel.get_yticklabels()] == list(found)
    (points, _, (intervals,)), = error_bars(panel)  # fmt: skip
    np.testing.assert_allclose(points.get_xdata(), [one.mean for one in found.values()])
    np.testing.assert_allclose(ends(intervals, 0), [[one.low, one.high] for one in found.values()])
    assert len(more) == (result.games is not None)
    if result.games is not None:
        (_, _, (interval,)), = error_bars(more[0])  # fmt: skip
        np.testing.assert_allclose(ends(interval, 0), [[100 * result.games.low, 100 * result.games.high]])


def test_one_deal_has_no_intervals(duels: dict[str, DuelResult]) -> None:
    figure = duel_figures(duels["one deal"])["effects"]
    assert "none for 1 deal" in words(figure)
    assert not any("±" in text.get_text() for text in figure.axes[0].texts)


def test_precision_is_the_table(duels: dict[str, DuelResult]) -> None:
    result = duels["Manille"]
    (panel,) = duel_figures(result)["precision"].axes
    table = result.precision()
    widths = {round(float(bar.get_y() + bar.get_height() / 2)): bar.get_width() for bar in panel.patches}  # type: ignore[attr-defined]
    assert [widths[row] for row in range(len(table))] == pytest.approx(table["factor"].tolist())
    plays = (1.959964 * result.single.sd / 0.1) ** 2
    assert panel.texts[0].get_text() == f"1.00: {plays:,.0f} plays"


@pytest.mark.parametrize("sort", TOURNAMENTS)
def test_figures_of_tournaments_say_what_they_show_of_what(sort: str) -> None:
    result = TOURNAMENTS[sort]
    figures = tournament_figures(result)
    assert list(figures) == ["payoffs", "ratings"] + ["speed"] * (sort != "not measured")
    for name, figure in figures.items():
        text = words(figure)
        assert f"manillen · {len(result.names)} agents · 1,000 deals for every two agents, each in 2 seatings · seed 3" in text
        assert "95 % interval" in text
        check_texts(name, figure)
        assert saved(figure).startswith(b"\x89PNG")
    assert f"{result.names[result.study.anchored]} is 0" in words(figures["ratings"])


@pytest.mark.parametrize("sort", ["two", "four", "twelve"])
def test_payoffs_are_the_tables_best_agent_first(sort: str) -> None:
    result = TOURNAMENTS[sort]
    panel, bar = tournament_figures(result)["payoffs"].axes
    (image,) = panel.images
    drawn = image.get_array()
    assert drawn is not None
    n = len(result.names)
    np.testing.assert_allclose(np.ma.filled(drawn, 0), result.matrix[::-1, ::-1])
    assert image.get_clim() == (-1.5 * (n - 1), 1.5 * (n - 1))
    assert bar.get_ylabel() == "points a deal"
    cells = {text.get_position(): text.get_text() for text in panel.texts}
    assert len(cells) == n * (n - 1)
    assert cells[1, 0] == ("+1.5\n± 0.2" if n > 8 else "+1.50\n± 0.25")
    rows = [label.get_text().replace("\n", "") for label in panel.get_yticklabels()]
    columns = [label.get_text() for label in panel.get_xticklabels()]
    assert columns == (rows if n < 12 else [str(number) for number in range(1, 13)])
    if n < 12:
        assert rows == result.names[::-1]


def test_ratings_are_the_tables_with_elo_above() -> None:
    result = TOURNAMENTS["four"]
    (panel,) = tournament_figures(result)["ratings"].axes
    table = result.ratings[::-1]
    assert [label.get_text() for label in panel.get_yticklabels()] == table["agent"].tolist()
    (points, _, (intervals,)), = error_bars(panel)  # fmt: skip
    np.testing.assert_allclose(points.get_xdata(), table["rating"])
    np.testing.assert_allclose(ends(intervals, 0), table[["low", "high"]])
    (elo,) = panel.child_axes
    assert elo.get_xlabel() == "Elo"
    np.testing.assert_allclose(elo.get_xlim(), np.array(panel.get_xlim()) * 400 / math.log(10))


def test_speed_is_the_table_of_agents_that_were_measured() -> None:
    result = TOURNAMENTS["four"]
    (panel,) = tournament_figures(result)["speed"].axes
    table = result.ratings.dropna()[::-1]
    (points, _, (intervals,)), = error_bars(panel)  # fmt: skip
    np.testing.assert_allclose(points.get_xdata(), table["microseconds"])
    np.testing.assert_allclose(ends(intervals, 1), table[["edge_low", "edge_high"]])
    assert panel.get_xscale() == "log"
    assert [text.get_text() for text in panel.texts] == table["agent"].tolist()
    assert not any("$" in label for label, _ in shown_texts(panel.figure.figure))  # type: ignore[arg-type]
    many = tournament_figures(TOURNAMENTS["twelve"])["speed"]
    assert [text.get_text() for text in many.axes[0].texts] == [str(number) for number in range(1, 13)]
    assert all(agent in words(many) for agent in MANY)


def test_ladders_are_the_tables() -> None:
    figure = ladder_figure(STEPS)
    (panel,) = figure.axes
    (points, _, (intervals,)), = error_bars(panel)  # fmt: skip
    np.testing.assert_allclose(points.get_xdata(), STEPS["edge"])
    np.testing.assert_allclose(ends(intervals, 0)[-1], [-0.125, 0.625])
    assert [text.get_text() for text in panel.texts] == ["+5.00\n1 deal", "+0.25 ± 0.38\n2,000,000 deals"]
    assert panel.get_xlabel() == "A's edge in a deal (points)"
    assert "manillen, manille · 2 duels, 2,000,001 deals" in words(figure)
    assert "greedy over random, manillen A: greedy B: random" in words(figure)
    assert "99 % interval, simultaneous" in words(figure)
    check_texts("ladder", figure)
    check_texts("long ladder", ladder_figure(pd.concat([STEPS] * 6)))


def test_luminance_is_that_of_the_standard() -> None:
    assert [luminance(np.array(colour)) for colour in ([0.0, 0, 0], [1.0, 1, 1], [1.0, 0, 0])] == pytest.approx([0, 1, 0.2126])
