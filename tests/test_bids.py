"""Studies of bids: against a plain second statement of what they count, for any cut, in a folder and on the command line."""

from __future__ import annotations

import json
import math
import threading
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trickbench
from tests.test_plots import error_bars, saved, words
from tests.test_study_plots import check_texts
from trickbench.agent import Agent
from trickbench.cli import main
from trickbench.errors import AgentError, UsageError
from trickbench.experiment import find_experiment, parse_experiment, read_experiment
from trickbench.games.manchego.outcomes import bids_and_tricks
from trickbench.registry import find, strategy
from trickbench.studies import asking, playing
from trickbench.studies import bids as study_of_bids
from trickbench.studies.bids import bids
from trickbench.studies.bids_result import EVERY, BidsResult
from trickbench.studies.crossing import answering, crossed
from trickbench.studies.duels import duel
from trickbench.studies.folder import load_studies, play_studies
from trickbench.table import Table
from trickbench.worker import Worker

ROOT = Path(__file__).resolve().parent.parent
GAME = trickbench.game("manchego")
BIDDERS = ("sure-tricks", "fixed:n=6", "heuristic")
DEALS, SEED = 300, 5
QUANTITIES = ("score", "exact", "distance", "bias", "bid", "tricks", "total")


def forecaster(name: str, forecast: Any, bidder: str = "expected-tricks") -> Agent:
    """Return an agent that bids as another does, and forecasts."""
    own = find(bidder)
    return Agent(name, manchego={"bid": own.manchego["bid"]}, parameters=own.parameters, tables=own.tables, forecast={"bid": forecast})


def by_trumps(view: Any, params: Any, rules: Any, tables: Any) -> Any:
    """Forecast about as many tricks as there are trumps in the hand: badly, and with no tables."""
    trumps = np.array([(hand & trump).bit_count() for hand, trump in zip(view.hand.tolist(), view.trump.tolist(), strict=True)])
    return np.exp(-((np.arange(18) - trumps[:, None] - 1) ** 2) / 8)


@pytest.fixture(scope="module")
def found() -> BidsResult:
    """Return a study of three bidders."""
    return bids(GAME, BIDDERS, ("heuristic", "greedy"), DEALS, SEED, workers=1)


@pytest.fixture(scope="module")
def forecasts() -> BidsResult:
    """Return a study with forecasts."""
    return bids(GAME, ["random", forecaster("trumps", by_trumps), "fixed:n=5"], "greedy", 400, SEED, workers=1, forecasts=250)


def rows_of(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Return the rows of a table that have these values."""
    for name, value in values.items():
        table = table[table[name] == value]
    return table


def plain_rows(player: str, one: str, other: str) -> list[pd.DataFrame]:
    """Return of the seat of one bidder against two of another, for each seat, what single runs recorded."""
    rows = []
    for seat in range(3):
        names = [f"play={player},bid={one if own == seat else other}" for own in range(3)]
        table = trickbench.simulate(GAME, names, DEALS, seed=SEED, record="deals").deals
        own = pd.DataFrame({name: table[f"{name}_{seat}"].astype(int) for name in ("bid", "tricks", "score", "distance")})
        own["position"] = (seat - table["dealer"].astype(int) - 1) % 3
        own["total"] = sum(table[f"bid_{k}"].astype(int) for k in range(3))
        rows.append(own.assign(exact=(own["distance"] == 0).astype(int), bias=own["bid"] - own["tricks"]))
    return rows


def test_quantities_are_those_of_single_runs(found: BidsResult) -> None:
    every: dict[tuple[str, str], Any] = {}
    for player, one, other in product(found.players, BIDDERS, BIDDERS):
        rows = plain_rows(player, one, other)
        own = rows_of(found.summary, player=player, bidder=one, against=other).set_index("quantity")
        for quantity in QUANTITIES:
            deal = np.mean([table[quantity] for table in rows], axis=0)
            assert own.loc[quantity, "mean"] == pytest.approx(deal.mean(), abs=1e-12)
            assert own.loc[quantity, "sd"] == pytest.approx(deal.std(ddof=1), abs=1e-12)
            every.setdefault((player, one), {}).setdefault(quantity, []).append(deal)
        assert own["n"].eq(DEALS).all()
    for (player, one), quantities in every.items():
        own = rows_of(found.summary, player=player, bidder=one, against=EVERY).set_index("quantity")
        for quantity, deals in quantities.items():
            assert own.loc[quantity, "mean"] == pytest.approx(np.mean(deals))
            assert own.loc[quantity, "sd"] == pytest.approx(np.mean(deals, axis=0).std(ddof=1))


def test_bids_against_tricks_positions_and_sums_are_those_of_single_runs(found: BidsResult) -> None:
    rows = pd.concat(plain_rows("greedy", "heuristic", "fixed:n=6"))
    some = {"player": "greedy", "bidder": "heuristic", "against": "fixed:n=6"}
    joint = rows_of(found.joint, **some).set_index(["position", "bid", "tricks"])
    names = dict(enumerate(("first", "second", "last")))
    plain = rows.assign(position=rows["position"].map(names)).groupby(["position", "bid", "tricks"])["score"].agg(["size", "sum"])
    assert joint["count"].to_dict() == plain["size"].to_dict()
    assert joint["score"].to_dict() == plain["sum"].to_dict()
    positions = rows_of(found.by_position, **some).set_index(["quantity", "position"])
    for (quantity, position), row in positions.iterrows():
        values = rows.loc[rows["position"].map(names) == position, quantity]
        assert row["n"] == len(values) == DEALS
        assert row["mean"] == pytest.approx(values.mean())
        assert row["sd"] == pytest.approx(values.std(ddof=1), rel=2e-3)
    sums = rows_of(found.bid_sums, **some).set_index("sum")
    assert sums["count"].to_dict() == rows["total"].value_counts().to_dict()
    alike = rows_of(found.bid_sums, bidder="heuristic", against="heuristic", player="greedy").set_index("sum")
    assert alike["count"].to_dict() == plain_rows("greedy", "heuristic", "heuristic")[0]["total"].value_counts().to_dict()
    assert alike["share"].sum() == pytest.approx(1)


def test_tricks_given_the_bid_have_intervals_over_deals(found: BidsResult) -> None:
    rows = pd.concat([table.assign(deal=np.arange(DEALS)) for table in plain_rows("heuristic", "heuristic", "heuristic")])
    own = rows_of(found.given_bid, player="heuristic", bidder="heuristic", against="heuristic").set_index("bid")
    assert own["n"].sum() == 3 * DEALS
    assert own["share"].sum() == pytest.approx(1)
    for bid, row in own.iterrows():
        some = rows[rows["bid"] == bid]
        n, t = (some.groupby("deal")["tricks"].agg(how).reindex(range(DEALS), fill_value=0) for how in ("size", "sum"))
        mean = t.sum() / n.sum()
        error = math.sqrt(((t - mean * n) ** 2).sum() * DEALS / (DEALS - 1)) / n.sum()
        assert row["tricks"] == pytest.approx(mean)
        assert row["tricks_high"] - row["tricks"] == pytest.approx(1.968 * error, rel=0.01)
        assert row["exact"] == pytest.approx(some["exact"].mean())
        assert row["tricks_sd"] == pytest.approx(some["tricks"].std(ddof=1), nan_ok=True)
        assert row["score"] == pytest.approx(some["score"].mean())
        assert 0 <= row["exact_low"] <= row["exact"] <= row["exact_high"] <= 1


def test_the_edge_of_a_step_is_that_of_a_duel(found: BidsResult) -> None:
    met = duel(GAME, "play=greedy,bid=heuristic", "play=greedy,bid=fixed:n=6", DEALS, SEED).edge
    step = rows_of(found.steps, player="greedy", bidder="heuristic", quantity="edge").iloc[0]
    assert step["before"] == "fixed:n=6"
    assert step["mean"] == pytest.approx(met.mean)
    assert step["sd"] == pytest.approx(met.sd)
    assert step["high"] - step["mean"] > met.high - met.mean


def test_best_responses_are_ahead_of_all_others_on_the_same_deals(found: BidsResult) -> None:
    scores = {one: np.mean([table["score"] for table in plain_rows("heuristic", one, "fixed:n=6")], axis=0) for one in BIDDERS}
    order = sorted(scores, key=lambda one: -scores[one].mean())
    row = rows_of(found.best_responses, player="heuristic", against="fixed:n=6").iloc[0]
    assert [row["best"], row["second"]] == order[:2]
    assert row["ahead"] == pytest.approx((scores[order[0]] - scores[order[1]]).mean())
    own = rows_of(found.payoffs, player="heuristic", against="fixed:n=6").set_index("bidder")
    assert own["best"].to_dict() == {one: one == order[0] for one in BIDDERS}
    assert (found.best_responses["to_itself"] == (found.best_responses["best"] == found.best_responses["against"])).all()
    assert found.best_responses.loc[found.best_responses["clear"], "ahead_low"].gt(0).all()


def test_everybody_meets_the_reference_as_a_whole_strategy() -> None:
    met = bids(GAME, BIDDERS[:2], ("greedy", "random"), 200, SEED, reference="play=random,bid=heuristic", workers=1)
    scores = []
    for seat in range(3):
        seats = ["play=random,bid=heuristic"] * 3
        seats[seat] = "play=greedy,bid=fixed:n=6"
        scores.append(trickbench.simulate(GAME, seats, 200, seed=SEED, record="deals").deals[f"score_{seat}"])
    row = rows_of(met.crossed, player="greedy", bidder="fixed:n=6", quantity="score").iloc[0]
    assert row["mean"] == pytest.approx(np.mean(scores))
    assert row["sd"] == pytest.approx(np.mean(scores, axis=0).std(ddof=1))


def test_equals_win_nothing_from_each_other_unless_points_come_from_nobody(found: BidsResult) -> None:
    alike = found.payoffs[found.payoffs["bidder"] == found.payoffs["against"]]
    assert (alike[["mean", "sd"]] == 0).all(axis=None)
    gain = bids(trickbench.game("manchego", scoring="gain"), ["heuristic"], deals=100, workers=1).payoffs
    assert (gain["mean"] > 0).all()


def renamed(cards: np.ndarray) -> np.ndarray:
    """Return sets of cards with each suit called as the next one: 13 bits further."""
    return ((cards << 13) | (cards >> 39)) & ((1 << 52) - 1)


def test_renaming_suits_changes_no_bid_and_no_result_but_by_chance() -> None:
    dealt = asking.deal_out(GAME, SEED, 0, 500)
    other = dealt._replace(hands=renamed(dealt.hands), turned=renamed(dealt.turned))
    bidders = [asking.bid_table(GAME, answering(name, "bid", GAME)) for name in ("heuristic", "expected-tricks", "sure-tricks")]
    who = np.array([[0, 1, 2], [0, 0, 0], [2, 1, 0]])
    assert np.array_equal(*(asking.bids_of(GAME, bidders, who, one, 1) for one in (dealt, other)))
    deals = trickbench.simulate(GAME, ["heuristic", "play=greedy,bid=expected-tricks", "greedy"], 20_000, seed=3, record="deals").deals
    for column in ("score_0", "distance_1", "tricks_2"):
        groups = deals.groupby("trump", observed=True)[column].agg(["mean", "sem"])
        apart = (groups["mean"] - deals[column].mean()) / groups["sem"]
        assert apart.abs().max() < 4, column


def test_a_case_worked_by_hand() -> None:
    result = bids(GAME, ["fixed:n=5", "fixed:n=7"], deals=100, seed=3, workers=1)
    own = result.summary.set_index(["bidder", "against", "quantity"])["mean"]
    # Three bid five: 15 of the 17 tricks, two too few at the table, two thirds of one each.
    assert own["fixed:n=5", "fixed:n=5", "total"] == 15
    assert own["fixed:n=5", "fixed:n=5", "bias"] == pytest.approx(-2 / 3)
    assert own["fixed:n=5", "fixed:n=7", "total"] == 19
    assert own["fixed:n=7", "fixed:n=5", "total"] == 17
    deals = trickbench.simulate(GAME, "play=heuristic,bid=fixed:n=5", 100, seed=3, record="deals").deals
    exact = np.mean([deals[f"tricks_{seat}"] == 5 for seat in range(3)])
    assert own["fixed:n=5", "fixed:n=5", "exact"] == pytest.approx(exact)
    assert result.bid_sums.query("bidder == against")["sum"].tolist() == [15, 21]


def test_the_digest_depends_neither_on_threads_nor_on_the_cut(monkeypatch: pytest.MonkeyPatch, forecasts: BidsResult) -> None:
    def digest(workers: int) -> str:
        agents = ["random", forecaster("trumps", by_trumps), "fixed:n=5"]
        return bids(GAME, agents, "greedy", 400, SEED, workers=workers, forecasts=250).digest

    digests = {forecasts.digest, digest(3)}
    monkeypatch.setattr(playing, "MOST", 128)
    monkeypatch.setattr(study_of_bids, "SPAN", 50)
    assert digests | {digest(1), digest(2)} == {forecasts.digest}


def never() -> threading.Event:
    """Return a flag that nobody sets."""
    return threading.Event()


def test_views_built_again_are_those_that_were_shown() -> None:
    game, seed, first, seen = trickbench.game("manchego", hook="on", target=300), 2**63 + 9, 2**33 + 5, []

    @trickbench.batch
    def bid(view: Any) -> Any:
        seen.append(view)
        return view.legal & -view.legal if len(seen) % 2 else 1 << np.array([int(own).bit_length() - 1 for own in view.legal])

    chunk = Worker(Table(game, Agent("watcher", manchego={"bid": bid})), seed, "plays", never()).play(first, 200)
    dealt, bids_made = asking.deal_out(game, seed, first, 200), bids_and_tricks(chunk.codes)[0].astype(np.int64)
    assert len(seen) == 3
    assert np.array_equal(dealt.hands, chunk.plays[:, :3])
    assert np.array_equal(dealt.dealers, game.deal_scores(chunk.codes)[0])
    for place, shown in enumerate(seen):
        view, seats = asking.bid_view(game, dealt, bids_made, place)
        for name in shown._fields:
            assert np.array_equal(np.asarray(getattr(shown, name)), getattr(view, name)), name
        assert ((view.legal >> bids_made[np.arange(200), seats]) & 1).all()


@trickbench.kernel
def by_word(view: Any) -> Any:
    """Bid by the word, the hand and the bids before."""
    return 1 << ((view.word + view.hand + 5 * view.bid_left + view.bid_right) % 17)


@pytest.mark.parametrize("tier", ["kernel", "batch", "plain"])
def test_bidders_asked_apart_from_play_bid_what_they_bid_at_the_table(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bidders = {
        "kernel": by_word,
        "batch": trickbench.batch(lambda view: 1 << ((view.word + view.hand + 5 * view.bid_left + view.bid_right) % 17)),
        "plain": lambda view: 1 << ((view.word + view.hand + 5 * view.bid_left + view.bid_right) % 17),
    }
    agents = ["heuristic", Agent("words", manchego={"bid": bidders[tier]}), "random"]
    asked = []
    monkeypatch.setattr(asking, "BLOCKS", 1)
    monkeypatch.setattr(study_of_bids, "bids_of", lambda *arguments: asked.append(1) or asking.bids_of(*arguments))
    apart = bids(GAME, agents, "random", 300, SEED, workers=2)
    assert asked
    monkeypatch.setattr(study_of_bids.Bids, "_knowing", lambda *arguments: None)
    assert bids(GAME, agents, "random", 300, SEED, workers=1).digest == apart.digest


def test_the_same_decision_is_asked_once() -> None:
    seen: list[int] = []

    @trickbench.batch
    def bid(view: Any) -> Any:
        seen.append(len(view.hand))
        return 1 << np.full(len(view.hand), 5)

    bids(GAME, [Agent("five", manchego={"bid": bid}), "fixed:n=5", "fixed:n=4"], ("greedy", "random"), 60, workers=1, reference="greedy")
    # First of all: one a deal; then after a 5 or a 4 or the reference's bid, then after two of them.
    assert seen[0] == 60
    assert seen[1] <= 3 * 60
    assert seen[2] <= 7 * 60
    assert len(seen) == 3


def test_a_bidder_that_fails_fails_at_its_table() -> None:
    def bid(view: Any) -> int:
        return int(view.legal) + 1

    with pytest.raises(AgentError, match=r"agent 'bad' \(bid\), deal 0, seat \d, legal: 0 1 2"):
        bids(GAME, ["fixed:n=5", Agent("bad", manchego={"bid": bid})], deals=40, workers=1)
    sees_all = Agent("oracle of words", manchego={"bid": by_word})
    one, other = (bids(GAME, ["fixed:n=5", agent], deals=40, workers=1).digest for agent in (sees_all, Agent("words", manchego={"bid": by_word})))
    assert one == other
    with pytest.raises(UsageError, match="at a table alone"):
        asking.ask(asking.bid_table(GAME, answering(sees_all, "bid", GAME)), None, np.zeros(1, np.int64), 1)
    dealt = asking.deal_out(GAME, 1, 0, 2)
    with pytest.raises(UsageError, match="two hands"):
        asking.bidding(dealt._replace(hands=dealt.hands[[0, 0]]), np.zeros((2, 3), np.int64))


def test_forecasts_are_scored_as_their_definitions_say(forecasts: BidsResult) -> None:
    table = Table(GAME, crossed(answering("greedy", "play", GAME), answering(forecaster("trumps", by_trumps), "bid", GAME)))
    chunk = Worker(table, SEED, "deals", never()).play(0, 250)
    plain: dict[str, list[float]] = {name: [] for name in ("crps", "log_score", "brier", "miss", "distance")}
    exact, dealt = [], asking.deal_out(GAME, SEED, 0, 250)
    made, taken = (values.astype(np.int64) for values in bids_and_tricks(chunk.codes))
    for place in range(3):
        view, seats = asking.bid_view(GAME, dealt, made, place)
        weights = by_trumps(view, None, None, None)
        own, won_there = made[np.arange(250), seats], taken[np.arange(250), seats]
        for p, bid, won in zip(weights / weights.sum(axis=1, keepdims=True), own.tolist(), won_there.tolist(), strict=True):
            plain["crps"].append(sum((p[: k + 1].sum() - (won <= k)) ** 2 for k in range(18)))
            plain["log_score"].append(-math.log(p[won]))
            plain["brier"].append((p[bid] - (bid == won)) ** 2)
            plain["miss"].append((p * np.arange(18)).sum() - won)
            plain["distance"].append(abs(bid - won))
            exact.append((p[bid], bid == won))
    row = forecasts.calibration.set_index("bidder").loc["trumps"]
    assert row["n"] == 750
    assert row["impossible"] == 0
    for name, values in plain.items():
        assert row[name] == pytest.approx(np.mean(values), abs=6e-5)
        deals = np.reshape(values, (3, 250)).mean(axis=0)
        assert row[f"{name}_high"] - row[f"{name}_low"] == pytest.approx(2 * 1.9695 * deals.std(ddof=1) / math.sqrt(250), rel=2e-2)
    assert row["brier"] == pytest.approx(row["reliability"] - row["resolution"] + row["uncertainty"] + row["within"])
    bins = rows_of(forecasts.reliability, event="exact")
    for line in bins.to_dict("records"):
        some = [(p, hit) for p, hit in exact if line["lower"] <= p < line["upper"]]
        assert line["n"] == len(some)
        assert (line["predicted"], line["observed"]) == pytest.approx(np.mean(some, axis=0), abs=6e-5)
    assert rows_of(forecasts.reliability, event="at least")["n"].sum() == 17 * 750
    assert forecasts.pit["share"].sum() == pytest.approx(1, abs=1e-3)


def test_bids_alone_are_shown_with_their_distance(forecasts: BidsResult) -> None:
    row = forecasts.calibration.set_index("bidder").loc["fixed:n=5"]
    assert math.isnan(row["crps"])
    assert row["n"] == 1200
    assert row["distance"] == pytest.approx(forecasts.found(0, 2, "distance", 2).mean)
    assert set(forecasts.pit["bidder"]) == {"trumps"}


def test_who_forecasts_how_often_each_number_is_taken_is_calibrated_and_knows_nothing_of_its_hand() -> None:
    first = bids(GAME, [forecaster("blind", lambda view, params, rules, tables: np.ones((len(view.hand), 18)))], deals=200, seed=4, workers=1)
    counted = first.joint.groupby("tricks")["count"].sum().reindex(range(18), fill_value=0).to_numpy()
    blind = forecaster("blind", lambda view, params, rules, tables: np.tile(counted, (len(view.hand), 1)))
    found = bids(GAME, [blind], deals=200, seed=4, workers=1)
    row = found.calibration.iloc[0]
    assert row["crps"] == pytest.approx(row["crps_blind"], abs=1e-4)
    assert row["skill"] == pytest.approx(0, abs=1e-4)
    assert row["miss"] == pytest.approx(0, abs=1e-4)
    assert found.pit["share"].tolist() == pytest.approx([0.1] * 10, abs=1e-4)
    bins = rows_of(found.reliability, event="at least")
    assert bins["observed"].tolist() == pytest.approx(bins["predicted"].tolist(), abs=1e-4)
    assert bins["n"].sum() == 600 * 17


def test_what_had_probability_0_makes_the_log_score_infinite() -> None:
    never = forecaster("sure", lambda view, params, rules, tables: np.tile(np.eye(18, dtype=np.int64)[6], (len(view.hand), 1)), "heuristic")
    found = bids(GAME, [never], deals=100, workers=1)
    row = found.calibration.iloc[0]
    joint = found.joint
    assert row["impossible"] == joint.loc[joint["tricks"] != 6, "count"].sum()
    assert row["crps"] == pytest.approx((abs(joint["tricks"] - 6) * joint["count"]).sum() / 300)
    assert row["log_score"] == 0
    assert f"infinite ({int(row['impossible'])} bids)" in found.text()


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (lambda n: np.ones((n, 17)), "weights"), (lambda n: np.zeros((n, 18)), "at least one above 0"), (lambda n: -np.ones((n, 18)), "from 0 up"),
        (lambda n: n // 0, "ZeroDivisionError"), (lambda n: None, "weights"),
    ],
)  # fmt: skip
def test_forecasts_that_are_none_are_refused(weights: Any, said: str) -> None:
    bad = forecaster("bad", lambda view, params, rules, tables: weights(len(view.hand)))
    with pytest.raises(AgentError, match=said) as caught:
        bids(GAME, [bad], deals=60, workers=1)
    assert "agent 'bad' (forecast)" in str(caught.value)


def test_bidders_are_what_bids_and_players_what_plays() -> None:
    lowest = answering(lambda view: view.legal & -view.legal, "bid", GAME)
    assert (lowest.bound.kind, lowest.typed) == ("bid", False)
    assert answering("play=random,bid=fixed:n=3", "bid", GAME).name == "fixed:n=3"
    assert answering("greedy", "play", GAME).name == "greedy"
    both = crossed(answering("greedy", "play", GAME), answering("play=random,bid=fixed:n=3", "bid", GAME))
    assert both.text == "play=greedy,bid=fixed:n=3"
    assert strategy(both, GAME) is both
    assert strategy(both.text, GAME).resolved() == both.resolved()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"bidders": []}, "no bidder"), ({"bidders": ["greedy"]}, "'bid'"), ({"bidders": ["play=heuristic"]}, "says nothing of the decision 'bid'"),
        ({"bidders": ["random", "play=greedy,bid=random"]}, "bidder 'random' is named twice"), ({"players": ["sure-tricks"]}, "'play'"),
        ({"players": []}, "no card player"), ({"bidders": ["heuristik"]}, "did you mean 'heuristic'"), ({"deals": 0}, "deals"),
        ({"bidders": ["fixed:n=20"]}, "n"), ({"reference": "nobody"}, "nobody"), ({"forecasts": -1}, "forecasts"),
        ({"game": trickbench.game("manillen")}, "nobody bids in manillen"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        bids(arguments.pop("game", GAME), **{"deals": 10, **arguments})


def experiment(deals: int = 600) -> Any:
    tables = [{"name": "some", "game": "manchego", "agents": ["random", "heuristic"], "players": ["greedy"], "deals": deals, "hook": "on"}]
    tables.append({"game": "manchego", "agents": ["fixed:n=4"], "deals": 200, "reference": "greedy", "forecasts": 0})
    return parse_experiment({"name": "both", "seed": 2, "bids": tables}, "both")


def test_a_folder_reads_back_and_resumes_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play_studies(experiment(), tmp_path / "whole", figures=False)
    read = trickbench.load(tmp_path / "whole")
    assert read.digest == load_studies(tmp_path / "whole").digest == whole.digest
    assert read["bids-2"].study.opponent.text == "greedy"
    assert read["some"].study.game.rules.hook == "on"
    assert (tmp_path / "whole" / "some" / "best_responses.csv").exists()
    monkeypatch.setattr(playing, "MOST", 128)
    kept, written = playing.Store.keep, []

    def stop_after_three(store: Any, part: Any, piece: Any) -> None:
        kept(store, part, piece)
        written.append(piece)
        if len(written) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(playing.Store, "keep", stop_after_three)
        with pytest.raises(KeyboardInterrupt):
            play_studies(experiment(), tmp_path / "cut", figures=False)
    again = play_studies(experiment(), tmp_path / "cut", workers=1, figures=False, resume=True)
    assert again.digest == whole.digest
    for name in ("summary.csv", "some/joint.csv", "some/result.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_experiments_are_checked_before_they_are_played() -> None:
    with pytest.raises(UsageError, match="bids 1: nobody bids in manillen"):
        parse_experiment({"bids": [{"game": "manillen", "agents": ["random"]}]}, "x")
    with pytest.raises(UsageError, match="unknown key 'player'"):
        parse_experiment({"bids": [{"game": "manchego", "agents": ["random"], "player": "greedy"}]}, "x")
    with pytest.raises(UsageError, match="bids 1: agent 'int'"):
        parse_experiment({"bids": [{"game": "manchego", "agents": ["random"], "players": [3]}]}, "x")
    (study,) = read_experiment(find_experiment("bids")).changed(50).studies
    assert (study.kind, study.parts()[0].count) == ("bids", 50)


def test_the_command_tells_and_answers_in_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ["bids", *BIDDERS, "--deals", str(DEALS), "--seed", str(SEED), "--players", "heuristic", "greedy"]
    assert main([*asked, "--figures", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "3 bidders under heuristic and greedy" in said
    assert "best against two of fixed:n=6: heuristic" in said
    assert (tmp_path / "payoffs-2.png").exists()
    assert main([*asked, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["digest"] in said
    assert facts["players"] == ["heuristic", "greedy"]
    assert {row["quantity"] for row in facts["summary"]} == set(QUANTITIES)


@pytest.mark.parametrize(
    ("more", "right"),
    [
        (["--game", "manille"], "nobody bids in manille"), (["--deals", "0"], "a whole number from 1"), (["--resume"], "--out is missing"),
        (["--players", "sure-tricks"], "play"), (["--rule", "hook=maybe"], "hook"), (["--forecasts", "few"], "forecasts"),
    ],
)  # fmt: skip
def test_wrong_use_gets_one_line(more: list[str], right: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bids", "random", *more]) == 2
    said = capsys.readouterr().err
    assert right in said
    assert said.count("\n") == 1


def test_the_public_name_is_the_function() -> None:
    assert trickbench.bids is bids
    assert trickbench.BidsResult is BidsResult


def test_figures_say_what_they_show_of_what(found: BidsResult, forecasts: BidsResult) -> None:
    for result, more in ((found, ["payoffs-1", "tricks-1", "steps-1", "payoffs-2"]), (forecasts, ["payoffs", "reliability", "pit"])):
        figures = result.figures()
        assert {"scores", "sums", *more} <= set(figures)
        for name, figure in figures.items():
            text = words(figure)
            of_forecasts = name.startswith(("reliability", "pit"))
            count = min(result.study.forecasts, result.study.deals) if of_forecasts else result.study.deals
            assert f"{count:,} deals" in text
            assert f"seed {SEED}" in text
            assert "manchego" in text
            assert "interval" in text or name.startswith("tricks")
            shown = result.study.forecasters if of_forecasts else range(len(result.names))
            assert all(result.names[bidder] in text for bidder in shown), name
            check_texts(name, figure)
            assert saved(figure).startswith(b"\x89PNG")


def test_figures_draw_the_tables(found: BidsResult) -> None:
    left, right = found.figures()["scores"].axes
    table = rows_of(found.summary, quantity="score", against=EVERY)
    for player, bars in zip(found.players, error_bars(left), strict=True):
        np.testing.assert_allclose(bars.lines[0].get_xdata(), table.loc[table["player"] == player, "mean"])
    crossed_rows = rows_of(found.crossed, quantity="score")
    for player, bars in zip(found.players, error_bars(right), strict=True):
        np.testing.assert_allclose(bars.lines[0].get_xdata(), crossed_rows.loc[crossed_rows["player"] == player, "mean"])
    panel = found.figures()["payoffs-1"].axes[0]
    own = found.payoffs[found.payoffs["player"] == "heuristic"]
    np.testing.assert_allclose(panel.images[0].get_array().ravel(), own["mean"])
    framed = {(round(patch.get_x() + 0.48), round(patch.get_y() + 0.46)) for patch in panel.patches}
    best = found.best_responses[found.best_responses["player"] == "heuristic"]["best"]
    assert framed == {(column, BIDDERS.index(name)) for column, name in enumerate(best)}


def test_bidders_that_would_look_the_same_are_named_in_full() -> None:
    agents = [Agent(f"a bidder with a name that is {kind} and has a long end of words", manchego={"bid": by_word}) for kind in ("long", "longer")]
    said = bids(GAME, [*agents, "random"], deals=20, workers=1).text()
    assert all(agent.name in said for agent in agents)
    assert "\nrandom " in said


def test_the_page_shows_what_the_reference_run_found() -> None:
    page, reference = (ROOT / "docs" / "bids.md").read_text(encoding="utf-8"), ROOT / "results" / "reference" / "bids"
    rows, lines = pd.read_csv(reference / "steps.csv"), page.splitlines()
    for (_, bidder, before), step in rows.groupby(["player", "bidder", "before"]):
        line = step.set_index("quantity").loc["edge"]
        shown = f"{line['mean']:.3f} ± {(line['high'] - line['low']) / 2:.3f}"
        assert any(text.startswith(str(bidder)) and f" {before} " in text and shown in text for text in lines), (bidder, shown)
    assert rows_of(rows, player="heuristic", quantity="edge")["low"].gt(0).all()
    best = pd.read_csv(reference / "best_responses.csv")
    itself = rows_of(best, player="heuristic", against="aware").iloc[0]
    assert (itself["best"], itself["clear"], itself["to_itself"]) == ("aware", True, True)


def test_one_deal_of_one_bidder_is_told_and_drawn() -> None:
    result = bids(GAME, ["heuristic"], deals=1, workers=1)
    assert "1 bidder under heuristic\n1 deal, the same for all" in result.text()
    assert result.steps.empty
    for name, figure in result.figures().items():
        check_texts(name, figure)
