"""Figures of runs: what they say, that they draw the tables' numbers, that no text is in the way of another, and edge cases."""

from __future__ import annotations

import dataclasses
import io
import itertools
import subprocess
import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import trickbench
from trickbench import plots
from trickbench.cards import CALLS
from trickbench.errors import UsageError
from trickbench.games.manille.ending import FORFEITED, SHAPE
from trickbench.plotting.text import cleaned, percent, shortened, signed, width_of, wrapped
from trickbench.stats.summary import SIDES, by_bid, by_call, histogram, side_agents

RANDOM = "play=random,call=random"
DOUBLING = "play=greedy,call=no-trump,double=threshold,redouble=threshold"
SLOPPY = {"undertrump": "allowed", "ruff": "free", "overruff": "free", "stacking": "add", "capot_by": "points", "must_beat": "off"}
KINDS = {"manille": ["scores", "calls", "points"], "manchego": ["scores", "bids", "score_by_bid"]}


def simulated(game: str, agents: list[str], deals: int, seed: int = 7, **rules: Any) -> trickbench.Run:
    """Return a run on one thread."""
    return trickbench.simulate(trickbench.game(game, **rules), agents, deals, seed=seed, workers=1)


@pytest.fixture(scope="module")
def manille() -> trickbench.Run:
    return simulated("manillen", ["greedy", RANDOM], 5000)


@pytest.fixture(scope="module")
def manchego() -> trickbench.Run:
    return simulated("manchego", ["sure-tricks", "play=greedy,bid=sure-tricks", "random"], 5000)


@pytest.fixture(scope="module")
def runs(manille: trickbench.Run, manchego: trickbench.Run) -> dict[str, trickbench.Run]:
    """Return runs of all sorts."""
    forfeits = manille.counts.reshape(SHAPE).copy()
    forfeits[FORFEITED, :4, 0, 0, 0, 0, 0] = 3
    only_forfeits = np.zeros_like(forfeits)
    only_forfeits[FORFEITED, 1, 2, 0, 0, 3, 0] = 5
    return {
        "Manille": manille,
        "Manchego": manchego,
        "a million deals": dataclasses.replace(manille, counts=200 * manille.counts, count=200 * manille.count),
        "a million deals of Manchego": dataclasses.replace(manchego, counts=200 * manchego.counts, count=200 * manchego.count),
        "one deal": simulated("manillen", ["greedy", "random"], 1),
        "one deal of Manchego": simulated("manchego", ["random"], 1),
        "a hundred deals": simulated("manille", ["random", "greedy"], 100),
        "same agent on both sides": simulated("manille", ["greedy"], 3000),
        "high factors": simulated("manillen", [DOUBLING, f"{RANDOM},double=threshold,redouble=threshold"], 5000, blind_no_trump="on"),
        "long names": simulated("manillen", [DOUBLING, RANDOM, "random", f"{RANDOM},double=threshold"], 500, 2**64 - 1, **SLOPPY),
        "bids apart": simulated("manchego", ["fixed:n=2", "fixed:n=9", "fixed:n=15"], 300, scoring="gain"),
        "forfeits": dataclasses.replace(manille, counts=forfeits.ravel(), count=int(forfeits.sum())),
        "forfeits alone": dataclasses.replace(manille, counts=only_forfeits.ravel(), count=5),
    }


SORTS = [
    "Manille", "Manchego", "a million deals", "a million deals of Manchego", "one deal", "one deal of Manchego", "a hundred deals",
    "same agent on both sides", "high factors", "long names", "bids apart", "forfeits", "forfeits alone",
]  # fmt: skip


def words(figure: Figure) -> str:
    """Return all that a figure says, without line breaks."""
    return " ".join(text.get_text() for text in figure.findobj(Text)).replace("\n", " ")


def saved(figure: Figure) -> bytes:
    """Return a figure as PNG."""
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def shown_texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """Return the texts of a figure that can be seen, with their places in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    panels = [*figure.axes, *(child for panel in figure.axes for child in panel.child_axes)]
    texts = [text for text in figure.findobj(Text) if text not in {label for panel in panels for label in tick_labels(panel)}]
    for panel in panels:
        texts += [label for axis in (panel.xaxis, panel.yaxis) for label in seen_labels(axis)]
    return [(text.get_text(), text.get_window_extent(renderer)) for text in texts if text.get_text() and text.get_visible()]


def tick_labels(panel: Any) -> list[Text]:
    """Return the texts of all ticks, seen or not."""
    ticks = [tick for axis in (panel.xaxis, panel.yaxis) for tick in (*axis.majorTicks, *axis.minorTicks)]
    return [label for tick in ticks for label in (tick.label1, tick.label2)]


def seen_labels(axis: Any) -> list[Text]:
    """Return the labels of the ticks inside the limits of an axis."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if tick.label1.get_visible() and low <= tick.get_loc() <= high]


def bars_by_place(panel: Axes) -> dict[float, float]:
    """Return the height of all bars together that stand at a place."""
    found: dict[float, float] = {}
    for bar in panel.patches:
        if hasattr(bar, "get_height"):
            place = round(bar.get_x() + bar.get_width() / 2, 6)
            found[place] = found.get(place, 0) + bar.get_height()
    return {place: height for place, height in found.items() if height > 0}


def error_bars(panel: Axes) -> list[ErrorbarContainer]:
    return [container for container in panel.containers if isinstance(container, ErrorbarContainer)]


def ends(lines: LineCollection, axis: int) -> np.ndarray[Any, Any]:
    """Return where the lines of error bars begin and end."""
    return np.array([segment[:, axis] for segment in lines.get_segments() if len(segment)])


@pytest.mark.parametrize("sort", SORTS)
def test_every_kind_says_what_it_shows_of_what(runs: dict[str, trickbench.Run], sort: str) -> None:
    run = runs[sort]
    made = plots.figures(run)
    assert list(made) == plots.kinds(run) == KINDS[run.game.family]
    for kind, figure in made.items():
        text = words(figure)
        assert isinstance(figure, Figure)
        assert figure.findobj(lambda artist: hasattr(artist, "get_suptitle") and artist.get_suptitle() != "")
        assert f"{run.count:,} deal" in text
        assert f"seed {run.seed}" in text
        assert "95 % interval" in text or kind == "bids"
        assert run.game.name in text
        labels = {" ".join(label.split()) for panel in figure.axes for label in (panel.get_xlabel(), panel.get_ylabel())} - {""}
        assert len(labels) >= 2
        for label in labels - {"trump call"}:
            assert label.endswith(("(points)", "(tricks)", "(%)", "(log scale)", "(%), bars 5 points wide")), label
            assert "(log scale)" not in label or "deals" in label
        assert saved(figure).startswith(b"\x89PNG")


@pytest.mark.parametrize("sort", ["Manille", "Manchego", "same agent on both sides", "one deal", "one deal of Manchego"])
def test_agents_are_named_with_their_seats(runs: dict[str, trickbench.Run], sort: str) -> None:
    run = runs[sort]
    places = [f"seats {side}" for side in SIDES] if run.game.family == "manille" else [f"seat {seat}" for seat in range(3)]
    for figure in plots.figures(run).values():
        for place, agent in zip(places, side_agents(run), strict=True):
            assert f"{place}: {agent}" in words(figure)


def test_changed_rules_first_deal_and_forfeits_are_told(runs: dict[str, trickbench.Run]) -> None:
    run = simulated("manille", ["greedy", "random"], 50, undertrump="forbidden")
    assert "manille (undertrump=forbidden)" in words(run.plot())
    later = trickbench.simulate(trickbench.game("manille"), ["greedy", "random"], 50, first=1200, workers=1)
    assert "50 deals from number 1,200" in words(later.plot("calls"))
    assert "(12 forfeited" in words(runs["forfeits"].plot("points"))


@pytest.mark.parametrize("sort", SORTS)
def test_no_text_is_in_the_way_of_another_or_cut_off(runs: dict[str, trickbench.Run], sort: str) -> None:
    for kind, figure in plots.figures(runs[sort]).items():
        texts = shown_texts(figure)
        for (one, box), (other, second) in itertools.combinations(texts, 2):
            shared = Bbox.intersection(box, second)
            assert shared is None or min(shared.width, shared.height) < 3, f"{kind}: '{one}' and '{other}'"
        for text, box in texts:
            assert figure.bbox.x0 - 1 <= box.x0, f"{kind}: '{text}'"
            assert box.x1 <= figure.bbox.x1 + 1, f"{kind}: '{text}'"
        assert min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text()) >= 9


def test_net_scores_are_the_tables(manille: trickbench.Run) -> None:
    (panel,) = plots.plot(manille, "scores").axes
    bars = bars_by_place(panel)
    counted = histogram(manille.outcomes, "net_0")
    for net in range(-60, 61):
        assert bars.get(net, 0) == pytest.approx(100 * counted.get(net, 0) / manille.count)
    beyond = counted[counted.index > 60].sum(), counted[counted.index < -60].sum()
    drawn = sum(height for place, height in bars.items() if place > 60), sum(height for place, height in bars.items() if place < -60)
    assert drawn == pytest.approx([100 * count / manille.count for count in beyond])
    assert sum(bars.values()) == pytest.approx(100)


def test_few_deals_share_bars_that_mirror_each_other(runs: dict[str, trickbench.Run]) -> None:
    run = runs["a hundred deals"]
    bars = bars_by_place(plots.plot(run, "scores").axes[0])
    counted = histogram(run.outcomes, "net_0")
    for start in range(1, 60, 5):
        for sign in (1, -1):
            inside = counted[(counted.index * sign >= start) & (counted.index * sign < start + 5)].sum()
            assert bars.get(sign * (start + 2), 0) == pytest.approx(100 * inside / run.count)
    assert bars.get(0, 0) == pytest.approx(100 * counted.get(0, 0) / run.count)


def test_bars_of_high_scores_are_in_doubling_ranges(runs: dict[str, trickbench.Run]) -> None:
    run = runs["high factors"]
    (panel,) = plots.plot(run, "scores").axes
    bars, counted = bars_by_place(panel), histogram(run.outcomes, "net_0")
    assert counted.index.max() > 240
    far = sorted(place for place in bars if place > 60)
    ranges = [(61, 120), (121, 240), (241, 480), (481, 960)]
    labels = [label.get_text().replace("\n", "") for label in panel.get_xticklabels()]
    for place, (low, high) in zip(far, ranges, strict=False):
        assert bars[place] == pytest.approx(100 * counted[(counted.index >= low) & (counted.index <= high)].sum() / run.count)
        assert labels.count(f"{low}–{high}") == 2


def test_card_points_are_the_tables(manille: trickbench.Run) -> None:
    (panel,) = plots.plot(manille, "points").axes
    first, second = (histogram(manille.outcomes, f"points_{side}").reindex(range(61), fill_value=0) for side in (0, 1))
    assert bars_by_place(panel) == pytest.approx({point: 100 * count / manille.count for point, count in first.items() if count})
    (steps,) = panel.findobj(StepPatch)
    assert isinstance(steps, StepPatch)
    np.testing.assert_allclose(steps.get_data().values, 100 * second / manille.count)
    assert any(np.allclose(line.get_xdata(), 30) for line in panel.lines), "the line that a side must pass"
    mean = manille.summary.query("quantity == 'points'")["mean"].to_numpy()
    assert f"mean {mean[0]:.2f}, wins" in words(panel.figure.figure)


def test_calls_are_the_tables(manille: trickbench.Run) -> None:
    table = by_call(manille)
    for panel, quantity, scale in zip(plots.plot(manille, "calls").axes, ("win", "net"), (100, 1), strict=True):
        for side, (points, _, (intervals,)) in enumerate(error_bars(panel)):
            own = table[table["who"] == SIDES[side]].reset_index(drop=True)
            np.testing.assert_allclose(points.get_xdata(), scale * own[quantity])
            assert [round(float(row)) for row in points.get_ydata()] == list(range(len(CALLS)))
            seen = own[own["n"] > 0]
            np.testing.assert_allclose(ends(intervals, 0), scale * seen[[f"{quantity}_low", f"{quantity}_high"]], atol=1e-9)


def test_calls_tell_their_number_and_where_there_are_none(manille: trickbench.Run) -> None:
    table = by_call(manille)
    win, net = plots.plot(manille, "calls").axes
    notes = [text.get_text() for text in win.texts]
    assert notes == [f"{percent(row.win)} of {row.n:,}" if row.n else "no deals" for row in table.itertuples()]
    assert [text.get_text() for text in net.texts] == [signed(row.net) if row.n else "no deals" for row in table.itertuples()]
    assert "no deals" in notes, "greedy never calls no-trump"


def test_manchego_scores_are_the_tables(manchego: trickbench.Run) -> None:
    for seat, panel in enumerate(plots.plot(manchego, "scores").axes):
        counted = histogram(manchego.outcomes[manchego.outcomes["seat"] == seat], "score")
        expected = {score: 100 * count / manchego.count for score, count in counted.items()}
        drawn = {place: height for place, height in bars_by_place(panel).items() if place in expected}
        assert drawn == pytest.approx(expected)
        mean = manchego.summary.query(f"who == '{seat}' and quantity == 'score'")["mean"].item()
        assert f"mean {signed(mean)} (95 % interval" in panel.get_title(loc="left")


def test_maps_of_bids_are_the_tables(manchego: trickbench.Run) -> None:
    *panels, _ = plots.plot(manchego, "bids").axes
    table = by_bid(manchego)
    for seat, panel in enumerate(panels):
        own = table[table["who"] == str(seat)].set_index("bid")
        (image,) = panel.images
        drawn = image.get_array()
        assert drawn is not None
        assert drawn.shape == (18, 18)
        by_columns = drawn.sum(axis=0).filled(0)
        assert {bid: count for bid, count in enumerate(by_columns) if count} == own["n"].to_dict()
        exact = np.ma.diagonal(drawn).filled(0)
        np.testing.assert_allclose(exact[own.index] / own["n"], own["exact"])
        diagonal, means = panel.lines
        assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
        np.testing.assert_allclose(means.get_ydata(), own["tricks"])


def test_scores_by_bid_are_the_tables(runs: dict[str, trickbench.Run]) -> None:
    run = runs["bids apart"]
    upper, lower = plots.plot(run, "score_by_bid").axes
    table = by_bid(run)
    for seat, (points, _, (intervals,)) in enumerate(error_bars(upper)):
        own = table[table["who"] == str(seat)].set_index("bid").reindex(range(2, 16))
        np.testing.assert_allclose(points.get_ydata(), own["score"])
        np.testing.assert_allclose(points.get_xdata(), own.index + 0.2 * (seat - 1))
        np.testing.assert_allclose(ends(intervals, 1), own[["score_low", "score_high"]].dropna())
        np.testing.assert_allclose(lower.lines[seat].get_ydata(), own["n"])
    assert [text.get_text() for text in lower.texts] == ["no deals"] * 11
    assert lower.get_yscale() == "log"


def test_unknown_kinds_are_refused(manille: trickbench.Run, manchego: trickbench.Run) -> None:
    with pytest.raises(UsageError, match="unknown plot 'score'; did you mean 'scores'"):
        plots.plot(manille, "score")
    with pytest.raises(UsageError, match="unknown plot 'calls'; known: bids, score_by_bid, scores"):
        manchego.plot("calls")


def test_a_subplot_is_replaced_by_the_picture(manille: trickbench.Run, manchego: trickbench.Run) -> None:
    figure = Figure(figsize=(18, 5))
    left, right = figure.subplots(1, 2)
    assert plots.plot(manille, "calls", ax=left) is figure
    assert plots.plot(manchego, "bids", ax=right) is figure
    assert len(figure.axes) == 2 + 4
    assert "Trump calls" in words(figure)
    assert "Bids against tricks won" in words(figure)
    assert saved(figure)
    with pytest.raises(UsageError, match="one subplot would be right"):
        plots.plot(manille, ax=Figure().add_axes((0, 0, 1, 1)))
    with pytest.raises(UsageError, match="one subplot would be right"):
        plots.plot(manille, ax=[left, right])  # type: ignore[arg-type]


def test_size_is_in_inches(runs: dict[str, trickbench.Run]) -> None:
    assert plots.plot(runs["Manille"]).get_size_inches().tolist() == [9, 5]
    for sort in ("high factors", "long names", "bids apart"):
        for kind in plots.kinds(runs[sort]):
            figure = plots.plot(runs[sort], kind, size=(5.5, 4))
            assert figure.get_size_inches().tolist() == [5.5, 4]
            assert saved(figure)


def test_the_same_run_gives_the_same_picture_whatever_the_settings(manille: trickbench.Run, manchego: trickbench.Run) -> None:
    first = [saved(figure) for run in (manille, manchego) for figure in plots.figures(run).values()]
    theirs = {"axes.facecolor": "black", "font.size": 20, "text.color": "red", "xtick.color": "red", "lines.linewidth": 7, "axes.grid": True}
    with mpl.rc_context(theirs):
        before = mpl.rcParams.copy()
        second = [saved(figure) for run in (manille, manchego) for figure in plots.figures(run).values()]
        assert all(mpl.rcParams[key] == before[key] for key in before if key != "backend")
    assert first == second


def test_pyplot_knows_of_no_figure(manille: trickbench.Run) -> None:
    before = pyplot.get_fignums()
    plots.figures(manille)
    assert pyplot.get_fignums() == before


def test_matplotlib_is_imported_when_plotting_and_pyplot_never() -> None:
    check = """
import sys, trickbench
run = trickbench.simulate(trickbench.game("manille"), ["greedy"], 10, workers=1)
run.summary
assert "matplotlib" not in sys.modules
run.plot("calls")
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", check], check=True)


def test_odd_names_are_drawn_as_they_are(manille: trickbench.Run) -> None:
    odd = dataclasses.replace(manille, agents=["a$b_{c}$d", "日本/player.py:agent\n" + "x" * 5000])
    for figure in plots.figures(odd).values():
        assert "a$b_{c}$d" in words(figure)
        assert "□□/player.py" in words(figure)
        assert saved(figure)


def test_text_fits() -> None:
    name = "path/to/a/folder/with/agents.py:the_agent,double=threshold"
    assert shortened(name, 1000) == name
    for width in (60, 100, 200):
        assert width_of(shortened(name, width)) <= width
        lines = wrapped(name, width).split("\n")
        assert len(lines) <= 2
        assert max(map(width_of, lines)) <= width
    assert shortened(name, 100).startswith("path")
    assert "…" in shortened(name, 100)
    assert wrapped(name, 1000) == name
    assert cleaned(" a\n b ") == "a b"


@pytest.mark.parametrize(
    ("rate", "text"), [(0, "0.0 %"), (0.641, "64.1 %"), (1, "100.0 %"), (0.00235, "0.24 %"), (2e-9, "0.0000002 %"), (np.nan, "–")]
)
def test_shares_are_written_with_two_digits_at_least(rate: float, text: str) -> None:
    assert percent(rate) == text


def test_signs_are_written_as_signs() -> None:
    assert [signed(value) for value in (1.5, -1.5, 0.001, -0.001, np.nan)] == ["+1.50", "−1.50", "0.00", "0.00", "–"]
