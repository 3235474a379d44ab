"""Doubling: the doubler calibrated, views rebuilt from records, and the study of doubles against plain statements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickbench
from tests.test_plots import words
from trickbench.cli import main
from trickbench.errors import AgentError, UsageError
from trickbench.experiment import parse_experiment
from trickbench.games.manille.layout import View
from trickbench.stats.thresholds import even_point
from trickbench.studies import playing
from trickbench.studies.auction_views import DOUBLES, auction_view
from trickbench.studies.crossing import answering, crossed
from trickbench.studies.doubles import doubles, from_table
from trickbench.studies.folder import load_studies, play_studies
from trickbench_agents import calibrated
from trickbench_agents.calibrated_features import FEATURES, features

MANILLEN, MANILLE = trickbench.game("manillen"), trickbench.game("manille")
PACK = MANILLEN.pack
BLIND = trickbench.game("manillen", blind_no_trump="on", stacking="add", target=50)


def hands_at_random(count: int, seed: int = 1) -> list[int]:
    draw = np.random.default_rng(seed)
    return [sum(1 << int(card) for card in draw.permutation(32)[:8]) for _ in range(count)]


def plain_features(hand: int, call: int, asked: int, may_pass: int) -> list[int]:
    """Return the features as one reads them off a hand."""
    worth = {"T": 5, "A": 4, "K": 3, "Q": 2, "J": 1}
    suits = [[PACK.ranks[rank] for rank in range(8) if hand >> (8 * suit + rank) & 1] for suit in range(4)]
    trumps = suits[call] if call < 4 else []
    plain = [cards for suit, cards in enumerate(suits) if suit != call]
    masters = 0
    for cards in plain:
        for rank in "TAKQJ987":
            if rank not in cards:
                break
            masters += 1
    voids = sum(not cards for cards in plain)
    return [
        1, len(trumps), sum(worth.get(rank, 0) for rank in trumps), *("TAK"[k] in trumps for k in range(3)),
        *(sum("TAK"[k] in cards for cards in plain) for k in range(3)), sum("T" in cards and "A" in cards for cards in plain), masters, voids,
        sum(len(cards) == 1 for cards in plain), voids if trumps else 0, max(len(cards) for cards in plain), asked, may_pass * (1 - asked),
    ]  # fmt: skip


def suit_set(call: int) -> int:
    return 0xFF << (8 * call) if call < 4 else 0


def test_features_are_those_that_one_reads_off_a_hand() -> None:
    draw = np.random.default_rng(3)
    for hand in hands_at_random(400):
        call, asked, may_pass = int(draw.integers(5)), int(draw.integers(2)), int(draw.integers(2))
        assert list(features(hand, suit_set(call), asked, may_pass)) == plain_features(hand, call, asked, may_pass)
    assert len(FEATURES) == 17


def view_of(hand: int, call: int, dealer: int, asked: int = 0) -> View:
    fields = dict.fromkeys(View._fields, 0) | {"hand": hand, "legal": 3, "trump": suit_set(call), "dealer": dealer, "asked": asked, "call": call}
    return View(**fields)


def speaks(hand: int, call: int, who: str, game: Any = MANILLEN, asked: int = 0, **given: int) -> bool:
    """Return what calibrated says, called as the plain function that it is."""
    params, rules = calibrated.Parameters(**given), game.rules.values()
    dealer = {"left": 3, "right": 1, "dealer": 0, "partner": 2}[who]
    decide = calibrated.double if who in ("left", "right") else calibrated.redouble
    return decide(view_of(hand, call, dealer, asked), params, rules, calibrated.read_weights(params)) == trickbench.YES


def test_calibrated_speaks_where_the_sum_of_the_file_reaches_the_threshold() -> None:
    lines = [line.split(",") for line in Path(calibrated.WEIGHTS).read_text().splitlines()]
    columns = {name: {line[0]: int(line[k]) for line in lines[1:]} for k, name in enumerate(lines[0]) if k}
    draw = np.random.default_rng(4)
    spoken = 0
    for hand in hands_at_random(500, 5):
        call, asked = int(draw.integers(5)), int(draw.integers(2))
        for who in ("left", "right", "dealer", "partner"):
            column = columns[f"{who} {'suit' if call < 4 else 'no-trump'}"]
            value = sum(column[name] * x for name, x in zip(FEATURES, plain_features(hand, call, asked, 1), strict=True))
            expected = value >= column["threshold"] if who in ("left", "right") else value <= column["threshold"]
            assert speaks(hand, call, who, MANILLE, asked) == expected
            spoken += expected
    assert 100 < spoken < 1900


def test_what_calibrated_says_does_not_depend_on_the_names_of_suits() -> None:
    for hand in hands_at_random(100, 6):
        for call in range(5):
            said = {who: speaks(hand, call, who) for who in DOUBLES}
            turned, named = ((hand << 8) | (hand >> 24)) & PACK.all, (call + 1) % 4 if call < 4 else 4
            assert said == {who: speaks(turned, named, who) for who in DOUBLES}


@pytest.mark.parametrize("who", ["left", "right"])
def test_known_hands(who: str) -> None:
    # Four trumps from the top and three tens with aces behind two of them lose to nobody; sevens and eights win nothing.
    best, worst = PACK.set("ST SA SK SQ HT HA DT DA"), PACK.set("S7 H7 H8 D7 D8 C7 C8 C9")
    assert speaks(best, 3, who)
    assert speaks(best, 4, who)
    assert not speaks(worst, 3, who)
    assert not speaks(worst, 4, who)
    weights = calibrated.forecast(auction_like(best, 3, who), calibrated.Parameters(), MANILLEN.rules.values(), None)
    assert weights[0, 0] > 0.9
    assert weights[0].sum() == pytest.approx(1)


def auction_like(hand: int, call: int, who: str) -> Any:
    view = view_of(hand, call, {"left": 3, "right": 1, "dealer": 0, "partner": 2}[who])
    return View(*(np.array([value]) for value in view))  # type: ignore[arg-type]


@pytest.mark.parametrize("who", DOUBLES)
@pytest.mark.parametrize("call", [2, 4])
def test_a_threshold_in_percent_is_that_of_the_forecast(who: str, call: int) -> None:
    rules, chances, said = MANILLEN.rules.values(), [], []
    for hand in hands_at_random(200, 7):
        below, _, above = calibrated.forecast(auction_like(hand, call, who), calibrated.Parameters(), rules, None)[0]
        # Of whoever may redouble, the other side is the one that doubled.
        chances.append((below if who in ("left", "right") else above) / (below + above))
        said.append(speaks(hand, call, who, percent=40, back=40))
    clear = np.abs(np.array(chances) - 0.4) > 0.002
    assert np.array_equal(np.array(chances)[clear] >= 0.4, np.array(said)[clear])


@pytest.mark.parametrize("game", [MANILLEN, MANILLE, BLIND], ids=["manillen", "manille", "blind"])
def test_views_from_records_are_those_the_engine_showed(game: Any) -> None:
    seen: dict[tuple[int, int, int], tuple[int, ...]] = {}

    @trickbench.batch
    def double(view: Any) -> Any:
        for k in range(len(view.hand)):
            row = tuple(int(getattr(view, name)[k]) for name in View._fields)
            seen[int(view.hand[k]), int(view.doubled[k]), int(view.dealer[k])] = row
        return np.where(view.word % 3 == 0, trickbench.YES, trickbench.NO)

    agent = trickbench.Agent("curious", manille={"double": double, "redouble": double})
    cards = [answering("heuristic", kind, game) for kind in ("play", "call")]
    strategy = crossed(*cards, answering(agent, "double", game), answering(agent, "redouble", game))
    deals = trickbench.simulate(game, [strategy], 600, seed=2**63 + 5, record="plays").deals
    found = 0
    for decision in DOUBLES.values():
        view = auction_view(game, deals, decision, 2**63 + 5)
        for k in range(len(deals)):
            row = tuple(int(getattr(view, name)[k]) for name in View._fields)
            shown = seen.get((int(view.hand[k]), int(view.doubled[k]), int(view.dealer[k])))
            assert shown in (None, row)
            found += shown is not None
    assert found == len(seen) > 1000


DEALS = 1500


@pytest.mark.parametrize("game", [MANILLEN, MANILLE], ids=["manillen", "manille"])
def test_gains_are_those_of_single_runs(game: Any) -> None:
    found = doubles(game, ["threshold", "calibrated"], "greedy,call=heuristic", DEALS, 3, forecasts=10)
    runs = {}
    for one in ("never", "threshold", "calibrated"):
        for back in ("never", "threshold", "calibrated"):
            strategy = f"play=greedy,call=heuristic,double={one},redouble={back}"
            table = trickbench.simulate(game, strategy, DEALS, seed=3, record="deals").deals
            sign = 1 - 2 * (table["dealer"].to_numpy(int) % 2)
            runs[one, back] = (sign * table["net_0"].to_numpy(int), table["doubled"].to_numpy(), table["redoubled"].to_numpy())
    quiet = runs["never", "never"][0]
    for row in found.gains.to_dict("records"):
        net, doubled, redoubled = runs[row["doubler"], row["redoubler"]]
        gains = quiet - net
        assert row["gain"] == pytest.approx(gains.mean())
        assert (row["high"] - row["low"]) / 2 == pytest.approx(1.959964 * gains.std(ddof=1) / np.sqrt(DEALS))
        assert row["doubled"] == pytest.approx(doubled.mean())
        assert row["redoubled"] == pytest.approx(redoubled.sum() / doubled.sum())
        assert row["gain_doubled"] == pytest.approx(gains[doubled].mean())
    for row in found.answers.to_dict("records"):
        assert row["gain"] == pytest.approx((runs[row["doubler"], row["redoubler"]][0] - runs[row["doubler"], "never"][0]).mean())
    for row in found.differences.to_dict("records"):
        gap = runs[row["second"], row["redoubler"]][0] - runs[row["first"], row["redoubler"]][0]
        assert row["difference"] == pytest.approx(gap.mean())


def test_a_forecast_is_asked_for_where_the_engine_asks() -> None:
    asked: dict[tuple[int, int], int] = {}

    @trickbench.batch
    def counting(view: Any) -> Any:
        for dealer in range(4):
            asked[dealer, int(view.doubled.max())] = asked.get((dealer, int(view.doubled.max())), 0) + int((view.dealer == dealer).sum())
        return np.where(view.word % 4 == 0, trickbench.YES, trickbench.NO)

    def even(view: Any, params: Any, rules: Any, tables: Any) -> Any:
        return np.ones((len(view.hand), 3), np.int64)

    agent = trickbench.Agent("even", manille={"double": counting, "redouble": counting}, forecast={"double": even, "redouble": even})
    found = doubles(MANILLEN, [agent], deals=10, seed=5, forecasts=800)
    table = found.forecasts(0)
    sizes = table.groupby("decision")["count"].sum().to_dict()
    asked.clear()
    cards = [answering("heuristic", kind, MANILLEN) for kind in ("play", "call")]
    strategy = crossed(*cards, answering(agent, "double", MANILLEN), answering(agent, "redouble", MANILLEN))
    run = trickbench.simulate(MANILLEN, [strategy], 800, seed=5, first=10, record="deals").deals
    assert [sizes[number] for number in range(4)] == [asked[3, 0], asked[1, 0], asked[0, 1], asked[2, 1]]
    assert sizes[2] == run["doubled"].sum()
    assert set(table["below"]) == {500}
    assert set(table["tie"]) == {333}
    times = 1 << (run["doubled"].to_numpy(int) + run["redoubled"].to_numpy(int))
    net = (1 - 2 * (run["dealer"].to_numpy(int) % 2)) * run["net_0"].to_numpy(int) // times
    redoubles = table[table["decision"] == 2]
    assert redoubles["sum_gain"].sum() == 2 * net[run["doubled"].to_numpy()].sum()


def test_calibrated_knows_its_chances() -> None:
    for game in (MANILLEN, MANILLE):
        found = doubles(game, ["calibrated"], deals=10, seed=8, forecasts="20k")
        first = found.calibration[found.calibration["decision"].isin(["left", "right"])]
        assert (first["reliability"] < 0.003).all()
        assert (first["skill"] > 0.05).all()
        assert (abs(first["tie_said"] - first["tie_seen"]) < 0.01).all()
        near = found.thresholds[found.thresholds["n"] > 2000]
        assert near["threshold"].between(0.4, 0.7).all()
        assert (near["high"] > near["low"]).all()
        for decision in range(2):
            bins = found.reliability(0, decision)
            large = bins[bins["n"] > 500]
            assert (abs(large["predicted"] - large["observed"]) < 0.06).all()


def test_the_same_totals_for_any_cut_and_number_of_threads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    options = {"deals": 3000, "forecasts": 1500, "seed": 6}
    whole = doubles(MANILLE, ["heuristic", "calibrated"], workers=1, **options)
    monkeypatch.setattr(playing, "MOST", 700)
    assert doubles(MANILLE, ["heuristic", "calibrated"], workers=2, **options).digest == whole.digest
    table = {"game": "manille", "agents": ["heuristic", "calibrated"], "deals": 3000, "forecasts": 1500}
    experiment = parse_experiment({"seed": 6, "doubles": [table]}, "mine")
    out = tmp_path / "mine"
    played = play_studies(experiment, out, workers=2, figures=False)
    assert played["doubles-1"].digest == whole.digest
    removed = sorted((out / "doubles-1").glob("forecasts*.parquet"))[1]
    removed.unlink()
    assert play_studies(experiment, out, figures=False, resume=True)["doubles-1"].digest == whole.digest
    assert load_studies(out)["doubles-1"].gains.equals(whole.gains)
    assert trickbench.load(out)["doubles-1"].text() == whole.text()


def test_what_the_command_prints_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["doubles", "threshold", "calibrated", "--game", "manillen", "--deals", "2k", "--forecasts", "2k", "--seed", "1"]
    assert main([*line, "--figures", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "what doubling wins" in text
    assert "P(below 30) at which" in text
    assert text.count("figure:") == 3
    assert {path.name for path in tmp_path.glob("*.png")} == {"gains.png", "reliability.png", "thresholds.png"}
    assert main([*line, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["kind"] == "doubles"
    assert facts["digest"] in text
    assert len(facts["gains"]) == 6
    assert main(["doubles", "threshold", "--game", "manillen", "--deals", "100"]) == 0
    assert "forecast" not in capsys.readouterr().out


def test_a_figure_names_game_deals_players_and_seed() -> None:
    found = doubles(MANILLEN, ["calibrated"], "greedy,call=points", 500, 12, forecasts=500)
    for figure in found.figures().values():
        written = words(figure)
        assert "manillen" in written
        assert "seed 12" in written
        assert "500 deals" in written
        assert "greedy" in written


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((MANILLEN, ["never"]), "doubler 'never' is always compared with"),
        ((MANILLEN, []), "there is no doubler"),
        ((MANILLEN, ["calibrated", "calibrated"]), "named twice"),
        ((MANILLEN, ["longest"]), "agent 'double=longest'|no decision 'double'"),
        ((trickbench.game("manillen", doubling="off"), ["calibrated"]), "nobody doubles in manillen"),
        ((trickbench.game("manchego"), ["calibrated"]), "nobody doubles in manchego"),
        ((MANILLEN, ["calibrated:percent=120"]), "from 0 to 99"),
    ],
)
def test_what_cannot_be_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        doubles(*arguments, deals=10)


@pytest.mark.parametrize(
    ("forecast", "message"),
    [
        (lambda view, params, rules, tables: np.ones((len(view.hand), 2)), r"returned float64\[.*, 2\]; weights"),
        (lambda view, params, rules, tables: -np.ones((len(view.hand), 3)), "finite numbers from 0 up"),
        (lambda view, params, rules, tables: 1 // 0, "it raised ZeroDivisionError"),
    ],
)
def test_a_forecast_that_is_none_stops_the_study(forecast: Any, message: str) -> None:
    decisions, own = calibrated.agent.manille, {"parameters": calibrated.Parameters, "tables": calibrated.read_weights}
    agent = trickbench.Agent("wrong", manille=decisions, forecast={"double": forecast}, **own)
    with pytest.raises(AgentError, match=message):
        doubles(MANILLEN, [agent], deals=10, forecasts=100)


def test_agents_that_cannot_forecast_are_refused() -> None:
    def forecast(view: Any, params: Any, rules: Any, tables: Any) -> Any:
        return None

    with pytest.raises(UsageError, match="the agent does not answer 'double'"):
        trickbench.Agent("mute", manille={"play": lambda view: 0}, forecast={"double": forecast})
    with pytest.raises(UsageError, match="unknown decision 'play'"):
        trickbench.Agent("mute", manille={"play": lambda view: 0}, forecast={"play": forecast})


def test_even_points_are_those_of_a_straight_line_through_single_cases() -> None:
    draw = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        x = draw.integers(30, 71, 400) / 100
        y = np.round(20 * (x - 0.55) + draw.normal(0, 4, 400)).astype(np.int64)
        levels, place = np.unique(x, return_inverse=True)
        sums = [np.bincount(place, weights).astype(np.int64) for weights in (np.ones(400), y, y * y)]
        found = even_point(levels, *sums)
        slope, offset = np.polyfit(x, y, 1)
        assert found.mean == pytest.approx(-offset / slope)
        covered += found.low <= 0.55 <= found.high
    assert 180 <= covered <= 198
    assert np.isnan(even_point(np.array([0.5]), *(np.array([9]) for _ in range(3))).mean)


def test_a_study_of_an_experiment_names_what_is_wrong() -> None:
    with pytest.raises(UsageError, match="doubles 1"):
        parse_experiment({"doubles": [{"game": "manillen", "agents": ["calibrated"], "deal": 3}]}, "mine")
    assert from_table("x", MANILLEN, ["calibrated"], 0, {}).settings()["players"] == "heuristic"
