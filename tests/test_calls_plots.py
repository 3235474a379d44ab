"""Figures of studies of calls: what they say, that they draw the results' numbers, and that no text is outside or in the way of another."""

from __future__ import annotations

import numpy as np
import pytest

import trickbench
from tests.test_plots import ends, error_bars, saved, words
from tests.test_study_plots import LONG, check_texts
from trickbench.plotting.calls import BEST_FROM, calls_figures
from trickbench.studies.calls import CALLERS, trump_calls
from trickbench.studies.calls_result import CallsResult

SORTS = ["Manillen", "en face", "one deal", "long names", "nobody beside"]


@pytest.fixture(scope="module")
def results() -> dict[str, CallsResult]:
    """Return results of all sorts."""
    manillen, manille = trickbench.game("manillen"), trickbench.game("manille")
    return {
        "Manillen": trump_calls(manillen, deals=1000, worlds=16, seed=7),
        "en face": trump_calls(manille, CALLERS[:3], "greedy", "random", deals=500, worlds=8, partner="longest", doublers=True),
        "one deal": trump_calls(manillen, ["longest"], deals=1, worlds=2),
        "long names": trump_calls(
            trickbench.game("manillen", undertrump="allowed"), [f"call=longest,{LONG.replace(',call=no-trump', '')}", "random"], LONG, deals=200,
            worlds=4, yardsticks=["random", "greedy"], seed=2**64 - 1,
        ),
        "nobody beside": trump_calls(manillen, ["random", "points"], "random", deals=200, worlds=4),
    }  # fmt: skip


@pytest.mark.parametrize("sort", SORTS)
def test_figures_say_what_they_show_of_what(results: dict[str, CallsResult], sort: str) -> None:
    result = results[sort]
    figures = calls_figures(result)
    assert list(figures) == ["calls", "rules", "suits", "best"]
    for name, figure in figures.items():
        text = words(figure)
        assert f"{result.deals:,} deal{'s' * (result.deals != 1)}, the dealer's hand in {result.worlds:,} worlds with every call" in text
        assert f"seed {result.study.seed}" in text
        assert "cards played by" in text
        assert result.study.auction_text in text
        assert "interval" in text
        labels = {label for panel in figure.axes for label in (panel.get_xlabel(), panel.get_ylabel())} - {""}
        assert all(label.endswith(("(points)", "(%)", "(cards)", "ten")) for label in labels), labels
        check_texts(f"{sort}: {name}", figure)
        assert saved(figure).startswith(b"\x89PNG")


def test_calls_are_the_table_by_all_who_play_the_cards(results: dict[str, CallsResult]) -> None:
    result = results["Manillen"]
    win, net = calls_figures(result)["calls"].axes
    for panel, name, unit in ((win, "win", 100), (net, "net", 1)):
        bars = error_bars(panel)
        assert len(bars) == len(result.players) == 2
        for players, (points, _, (intervals,)) in zip(result.players, bars, strict=True):
            table = result.by_call[result.by_call["players"] == players]
            np.testing.assert_allclose(points.get_xdata(), unit * table[name].to_numpy())
            np.testing.assert_allclose(ends(intervals, 0), unit * table[[f"{name}_low", f"{name}_high"]].to_numpy())
    assert [label.get_text() for label in win.get_yticklabels()][:5] == ["C", "D", "H", "S", "NT"]


def test_rules_are_bars_from_least_to_most(results: dict[str, CallsResult]) -> None:
    result = results["Manillen"]
    panels = calls_figures(result)["rules"].axes
    order = [label.get_text() for label in panels[0].get_yticklabels()]
    for panel, players in zip(panels, result.players, strict=True):
        table = result.regret[result.regret["players"] == players].set_index("caller").loc[order]
        bars = [bar for bar in panel.patches if bar.get_height() == pytest.approx(0.56)]  # type: ignore[attr-defined]
        least, most = bars[: len(order)], bars[len(order) :]
        assert [bar.get_width() for bar in least] == pytest.approx(np.maximum(table["lost"], 0).tolist())  # type: ignore[attr-defined]
        assert [bar.get_x() + bar.get_width() for bar in most] == pytest.approx(table["most"].tolist())  # type: ignore[attr-defined]


def test_suits_are_a_map_of_the_table(results: dict[str, CallsResult]) -> None:
    result = results["Manillen"]
    panel = calls_figures(result)["suits"].axes[0]
    (image,) = panel.images
    drawn = np.ma.filled(image.get_array(), np.nan)
    table = result.by_feature
    own = table[(table["players"] == "heuristic") & (table["feature"] == "length, points")]
    for row in own.to_dict("records"):
        assert drawn[row["first"], row["second"]] == pytest.approx(row["net"])
    assert np.isfinite(drawn).sum() == len(own)


def test_the_best_are_the_table_without_what_is_rare(results: dict[str, CallsResult]) -> None:
    result = results["en face"]
    share, net = calls_figures(result)["best"].axes
    table = result.best[(result.best["players"] == result.players[0]) & (result.best["share"] >= BEST_FROM)]
    assert "en face" in [label.get_text() for label in share.get_yticklabels()]
    for panel, name, unit in ((share, "share", 100), (net, "net", 1)):
        ((points, _, _),) = error_bars(panel)
        np.testing.assert_allclose(points.get_xdata(), unit * table[name])
