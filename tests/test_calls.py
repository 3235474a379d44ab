"""Studies of trump calls: against a plain statement deal by deal, for any cut, stopped and resumed; and what to call with a hand."""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, pearsonr, t

import trickbench
from trickbench.cards import CALLS, MANILLE
from trickbench.cli import main
from trickbench.errors import AgentError, UsageError
from trickbench.experiment import find_experiment, parse_experiment, read_experiment
from trickbench.games.manille import hands
from trickbench.games.manille.call_sums import CAPOTS, DOUBLED, NET, REDOUBLED, TIES, WINS
from trickbench.games.manille.rules import points
from trickbench.studies import book_reading, calls, playing
from trickbench.studies.book import values
from trickbench.studies.call_asking import Asker, caller
from trickbench.studies.calls import from_table, trump_calls
from trickbench.studies.calls_counting import read_hands
from trickbench.studies.calls_result import CallsResult, mean_over_members
from trickbench.studies.folder import load_studies, play_studies
from trickbench.studies.hand_calls import Nets, chances, judge_hand
from trickbench.studies.rolling_calls import Roller, roll_table

MANILLEN = trickbench.game("manillen")
ROOT = Path(__file__).parent.parent
CALLERS = ["longest", "book", "random"]
DEALS, WORLDS, SEED = 40, 10, 5
EIGHT_TRUMPS, MASTERS = "ST SA SK SQ SJ S9 S8 S7", "ST HT DT CT SA HA DA CA"


@trickbench.kernel
def call_clubs(view: Any) -> int:
    """Call clubs."""
    return 1


class Plain:
    """A study deal by deal, from the text of the deals and the rollouts of single hands: [deals][call] in the dealer's own suits."""

    def __init__(self, players: Any = "heuristic") -> None:
        dealt = [MANILLEN.deal(SEED, number) for number in range(DEALS)]
        self.hands = [MANILLE.set(deal.hands[deal.dealer]) for deal in dealt]
        roller = Roller(roll_table(MANILLEN, players), SEED, threading.Event())
        self.halves: list[list[list[int]]] = []
        self.win, self.tie, self.capot = [], [], []
        for number, hand in enumerate(self.hands):
            form = int(hands.hands_of(hands.ranks_of([hand]))[0])
            sums = roller.roll_hands(np.array([form]), np.array([number]), WORLDS)[0]
            back = [hands.calls_from_canonical(hand).index(name) for name in CALLS]
            self.halves.append([[int(half[NET + k]) for k in back] for half in sums])
            for kept, begin in ((self.win, WINS), (self.tie, TIES), (self.capot, CAPOTS)):
                kept.append([int(sums[:, begin + k].sum()) for k in back])
        self.net = [[sum(both) for both in zip(*halves, strict=True)] for halves in self.halves]

    def suit(self, deal: int, suit: int) -> int:
        return self.hands[deal] >> 8 * suit & 0xFF

    def best(self, deal: int, half: int) -> int:
        """Return the best call of a half: of suits with the same cards any, here the first."""
        nets = self.halves[deal][half]
        return max(range(5), key=lambda call: (nets[call], call == 4, -self.suit(deal, call) if call < 4 else 0))


def over_deals(values: Any, unit: float) -> list[float]:
    """Return mean and the ends of Student's interval."""
    own = np.array(values, np.float64) / unit
    reach = t.ppf(0.975, len(own) - 1) * own.std(ddof=1) / np.sqrt(len(own))
    return [own.mean(), own.mean() - reach, own.mean() + reach]


def ends(row: Any, name: str) -> list[float]:
    return [row[name], row[f"{name}_low"], row[f"{name}_high"]]


@pytest.fixture(scope="module")
def plain() -> Plain:
    return Plain()


@pytest.fixture(scope="module")
def found() -> CallsResult:
    return trump_calls(MANILLEN, CALLERS, deals=DEALS, worlds=WORLDS, seed=SEED, yardsticks=["random"])


def test_every_call_is_the_mean_over_deals_of_rolled_out_hands(plain: Plain, found: CallsResult) -> None:
    table = found.by_call[found.by_call["players"] == "heuristic"].set_index("call")
    assert table["n"].tolist() == [DEALS] * 9
    for number, name in enumerate(CALLS):
        row = table.loc[name]
        assert ends(row, "net") == pytest.approx(over_deals([nets[number] for nets in plain.net], WORLDS))
        for quantity in ("tie", "capot"):
            assert row[quantity] == pytest.approx(np.mean([counts[number] for counts in getattr(plain, quantity)]) / WORLDS)
        low, high = over_deals([wins[number] for wins in plain.win], WORLDS)[1:]
        assert ends(row, "win")[1:] == pytest.approx([low, high])
        right = [sum(plain.best(deal, half) == number for half in (0, 1)) for deal in range(DEALS)]
        assert row["best"] == pytest.approx(np.mean(right) / 2)
    longest = [max(range(4), key=lambda suit: (plain.suit(deal, suit).bit_count(), points(plain.suit(deal, suit)), suit)) for deal in range(DEALS)]
    assert ends(table.loc["longest suit"], "net") == pytest.approx(over_deals([plain.net[deal][suit] for deal, suit in enumerate(longest)], WORLDS))


def test_callers_are_asked_about_the_hands_that_are_dealt(plain: Plain, found: CallsResult) -> None:
    for name in CALLERS:
        run = trickbench.simulate(MANILLEN, f"play=random,call={name}", DEALS, seed=SEED, record="deals").deals
        called = run["call"].cat.codes.tolist()
        table = found.regret[found.regret["players"] == "heuristic"].set_index("caller")
        assert ends(table.loc[name], "net") == pytest.approx(over_deals([nets[call] for nets, call in zip(plain.net, called, strict=True)], WORLDS))
        lost = [
            sum(plain.halves[deal][1 - half][plain.best(deal, half)] - plain.halves[deal][1 - half][call] for half in (0, 1))
            for deal, call in enumerate(called)
        ]  # fmt: skip
        most = [max(nets) - nets[call] for nets, call in zip(plain.net, called, strict=True)]
        assert ends(table.loc[name], "lost") == pytest.approx(over_deals(lost, WORLDS))
        assert ends(table.loc[name], "most") == pytest.approx(over_deals(most, WORLDS))
        own = found.by_caller[(found.by_caller["players"] == "heuristic") & (found.by_caller["caller"] == name)]
        assert dict(zip(own["call"], own["n"], strict=True)) == run["call"].value_counts().loc[lambda counts: counts > 0].to_dict()
    versus = found.versus.set_index(["players", "caller", "other"]).loc[("heuristic", "longest", "book")]
    nets = table["net"]
    assert versus["mean"] == pytest.approx(nets["longest"] - nets["book"])


def test_features_have_intervals_over_deals_not_over_suits(plain: Plain, found: CallsResult) -> None:
    table = found.by_feature[(found.by_feature["players"] == "heuristic") & (found.by_feature["feature"] == "length, ten")]
    members: dict[Any, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for deal in range(DEALS):
        for suit in range(4):
            mask = plain.suit(deal, suit)
            members[mask.bit_count(), mask >> 7][deal].append(plain.net[deal][suit])
    assert len(table) == len(members)
    for row in table.to_dict("records"):
        own = members[row["first"], row["second"]]
        y, m = np.array([sum(nets) for nets in own.values()]) / WORLDS, np.array([len(nets) for nets in own.values()])
        mean, n = y.sum() / m.sum(), len(m)
        assert (row["n"], row["suits"]) == (n, m.sum())
        assert row["net"] == pytest.approx(mean)
        if n > 1:
            error = np.sqrt(((y - mean * m) ** 2).sum() / (n - 1) * n) / m.sum()
            assert row["net_high"] - mean == pytest.approx(t.ppf(0.975, n - 1) * error, abs=1e-9)
    hand = found.by_feature[(found.by_feature["feature"] == "hand points") & (found.by_feature["call"] == "no-trump")]
    hand = hand[hand["players"] == "heuristic"].set_index("first")
    for low, row in hand.iterrows():
        own = [plain.net[deal][4] for deal in range(DEALS) if points(plain.hands[deal]) // 4 * 4 == low]
        assert row["net"] == pytest.approx(np.mean(own) / WORLDS)


def test_the_best_call_is_chosen_on_one_half_and_valued_on_the_other(plain: Plain, found: CallsResult) -> None:
    worth = [sum(plain.halves[deal][1 - half][plain.best(deal, half)] for half in (0, 1)) for deal in range(DEALS)]
    least, most = found.worth()
    assert [least.mean, least.low, least.high] == pytest.approx(over_deals(worth, WORLDS))
    assert most.mean == pytest.approx(np.mean([max(nets) for nets in plain.net]) / WORLDS)
    assert found.agreement[0] == pytest.approx(np.mean([plain.best(deal, 0) == plain.best(deal, 1) for deal in range(DEALS)]))
    best = found.best[found.best["players"] == "heuristic"]
    assert best["share"].sum() == pytest.approx(1)
    assert (best["share"] * best["net"]).sum() == pytest.approx(least.mean)


def test_yardsticks_are_valued_on_the_same_deals(plain: Plain, found: CallsResult) -> None:
    other = Plain("random")
    row = found.yardsticks.set_index(["players", "others"]).loc[("heuristic", "random")]
    same = [plain.best(deal, half) == other.best(deal, 1 - half) for deal in range(DEALS) for half in (0, 1)]
    lost = [
        sum(plain.halves[deal][1 - half][plain.best(deal, half)] - plain.halves[deal][1 - half][other.best(deal, half)] for half in (0, 1))
        for deal in range(DEALS)
    ]  # fmt: skip
    assert row["same"] == pytest.approx(np.mean(same))
    assert ends(row, "lost") == pytest.approx(over_deals(lost, WORLDS))
    many = trump_calls(MANILLEN, ["longest"], deals=600, worlds=400, seed=1)
    exact = many.yardsticks["correlation_no-trump"]
    assert exact.nunique() == 1
    roller = [Roller(roll_table(MANILLEN, players), 1, threading.Event()) for players in ("heuristic", "random")]
    forms = read_hands(np.array([MANILLE.set(deal.hands[deal.dealer]) for deal in (MANILLEN.deal(1, k) for k in range(600))])).forms
    nets = [one.roll_hands(forms, np.arange(600), 4000)[:, :, NET + 4].sum(axis=1) for one in roller]
    assert exact.iloc[0] == pytest.approx(pearsonr(*nets)[0], abs=0.01)


def test_the_digest_depends_neither_on_threads_nor_on_the_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"deals": 700, "worlds": 4, "seed": 3}
    digests = [trump_calls(MANILLEN, CALLERS, workers=workers, **asked).digest for workers in (1, 2, 3)]
    monkeypatch.setattr(playing, "MOST", 128)
    monkeypatch.setattr(calls, "CHUNK", 50)
    digests.append(trump_calls(MANILLEN, CALLERS, workers=2, **asked).digest)
    assert len(set(digests)) == 1
    assert trump_calls(MANILLEN, CALLERS, deals=700, worlds=4, seed=4).digest != digests[0]


def rolled(study: calls.Calls, texts: list[str], called: list[list[int]]) -> CallsResult:
    """Return a result over given hands."""
    rollers = [valuer.roller(study.seed, threading.Event()) for valuer in study.valuers]
    held = read_hands(np.array([MANILLE.set(text) for text in texts]))
    return study.result({"deals": study.count(rollers, held, 0, np.array(called))})


def test_eight_trumps_and_all_masters() -> None:
    study = from_table("calls", MANILLEN, ["longest", "no-trump"], 0, {"deals": 3, "worlds": 20})
    trumps = rolled(study, [EIGHT_TRUMPS] * 3, [[3] * 3, [4] * 3])
    table = trumps.by_call[trumps.by_call["players"] == "heuristic"].set_index("call")
    assert table.loc["S", ["net", "win", "tie", "capot", "best"]].tolist() == [60, 1, 0, 1, 1]
    regret = trumps.regret[trumps.regret["players"] == "heuristic"].set_index("caller")
    assert regret.loc["longest", ["net", "lost", "most", "best"]].tolist() == [60, 0, 0, 1]
    assert regret.loc["no-trump", "lost"] > 60
    masters = rolled(study, [MASTERS] * 3, [[3] * 3, [4] * 3])
    table = masters.by_call[masters.by_call["players"] == "heuristic"].set_index("call")
    assert table.loc["NT", ["net", "win", "capot", "best"]].tolist() == [120, 1, 1, 1]
    assert masters.best[masters.best["players"] == "heuristic"][["kind", "share", "net"]].to_numpy().tolist() == [["no-trump", 1, 120]]


def test_renaming_suits_changes_nothing_but_the_names() -> None:
    study = from_table("calls", MANILLEN, ["longest"], 0, {"deals": 3, "worlds": 20, "yardsticks": []})
    first = rolled(study, ["ST SK HA HQ HJ DK D8 C9", "SA SK S9 HT H7 DJ C9 C8"], [[2, 3]])
    renamed = rolled(study, ["CT CK DA DQ DJ HK H8 S9", "CA CK C9 DT D7 HJ S9 S8"], [[1, 0]])
    pd.testing.assert_frame_equal(first.by_feature, renamed.by_feature)
    pd.testing.assert_frame_equal(first.best, renamed.best)
    pd.testing.assert_frame_equal(first.regret, renamed.regret)
    nets = [result.by_call.set_index("call")["net"] for result in (first, renamed)]
    assert nets[0][["S", "H", "D", "C", "NT"]].tolist() == nets[1][["C", "D", "H", "S", "NT"]].tolist()


def test_suits_are_worth_the_same_within_chance() -> None:
    found = trump_calls(MANILLEN, ["longest"], deals=4000, worlds=16, seed=6, yardsticks=[])
    table = found.by_call.set_index("call").loc[list("CDHS")]
    errors = (table["net_high"] - table["net_low"]) / 4
    assert (abs(table["net"] - table["net"].mean()) < 3 * errors).all()


def test_a_regret_lies_between_its_bounds() -> None:
    few, many = (trump_calls(MANILLEN, ["heuristic"], deals=2000, worlds=worlds, seed=2, yardsticks=[]).regret.iloc[0] for worlds in (16, 2048))
    assert few["lost_high"] < many["lost"] < many["most"] < few["most_low"]


def test_callers_may_be_functions_of_python() -> None:
    def clubs(view: Any) -> int:
        return 1

    plain, compiled = (trump_calls(MANILLEN, [who], deals=200, worlds=2, yardsticks=[]) for who in (clubs, call_clubs))
    assert plain.digest == compiled.digest
    assert plain.study.names == ["clubs"]

    def wrong(view: Any) -> int:
        return 64

    with pytest.raises(AgentError, match=r"agent 'wrong' .*which is not one legal choice"):
        trump_calls(MANILLEN, [wrong], deals=200, worlds=2)


def test_en_face_is_a_call_where_the_rules_have_it() -> None:
    game = trickbench.game("manille")
    found = trump_calls(game, ["heuristic", "longest"], deals=300, worlds=8, seed=1, partner="longest", yardsticks=[])
    table = found.by_call.set_index("call")
    assert list(table.index[:6]) == [*CALLS, "EN_FACE"]
    dealt = [MANILLE.set(deal.hands[deal.dealer]) for deal in (game.deal(1, number) for number in range(300))]
    roller = Roller(roll_table(game, "heuristic", "longest"), 1, threading.Event())
    net = roller.roll_hands(read_hands(np.array(dealt)).forms, np.arange(300), 8)[:, :, NET + 5].sum(axis=1)
    assert ends(table.loc["EN_FACE"], "net") == pytest.approx(over_deals(net, 8))
    run = trickbench.simulate(game, "heuristic", 300, seed=1, record="deals").deals
    own = found.by_caller.set_index(["caller", "call"])
    assert own.loc[("heuristic", "EN_FACE"), "n"] == run["en_face"].sum()
    assert own.loc[("heuristic", "EN_FACE"), "net"] == pytest.approx(net[run["en_face"]].mean() / 8)
    assert set(found.best["kind"]) >= {"en face", "no-trump", "longest suit"}


def test_doublers_are_asked_if_that_is_wanted() -> None:
    asked: dict[str, Any] = {"deals": 100, "worlds": 8, "seed": 1, "yardsticks": []}
    found = trump_calls(MANILLEN, ["longest"], doublers=True, **asked)
    dealt = [MANILLE.set(deal.hands[deal.dealer]) for deal in (MANILLEN.deal(1, number) for number in range(100))]
    roller = Roller(roll_table(MANILLEN, "heuristic", None, True), 1, threading.Event())
    net = roller.roll_hands(read_hands(np.array(dealt)).forms, np.arange(100), 8)[:, :, NET + 4].sum(axis=1)
    table = found.by_call.set_index("call")
    assert ends(table.loc["NT"], "net") == pytest.approx(over_deals(net, 8))
    sums = roller.roll_hands(read_hands(np.array(dealt)).forms, np.arange(100), 8)
    for name, begin in (("doubled", DOUBLED), ("redoubled", REDOUBLED)):
        assert ends(table.loc["NT"], name) == pytest.approx(over_deals(sums[:, :, begin + 4].sum(axis=1), 8))
    assert "doubled" not in trump_calls(MANILLEN, ["longest"], **asked).by_call
    assert "redoubled" in found.text()
    assert found.digest != trump_calls(MANILLEN, ["longest"], **asked).digest
    assert "they double" in found.text()


def test_a_blind_call_is_not_asked_for() -> None:
    game = trickbench.game("manillen", blind_no_trump="on")
    asker = Asker(game, [caller(game, "no-trump"), caller(game, "longest")], 1, 200)
    asker.deal(0, 200)
    found = asker.ask()
    assert set(found[0]) == {4}
    assert set(found[1]) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("rows", "expected"), [([(1, 1, 3, 9)], (3, np.nan)), ([(1, 2, 6, 20), (2, 1, 8, 64)], (3.5, np.sqrt((20 - 2 * 3.5 * 6 + 2 * 3.5**2 + 1) / 2)))]
)
def test_means_over_members_are_ratios(rows: list[tuple[int, int, int, int]], expected: tuple[float, float]) -> None:
    table = pd.DataFrame(rows, columns=["three", "count", "sum_net", "sum_net_squares"])
    found = mean_over_members(table, "net", 1)
    assert [found.mean, found.sd] == pytest.approx(list(expected), nan_ok=True)


# In folders and experiments


def experiment(deals: int = 3000) -> Any:
    tables = [{"name": "one", "game": "manillen", "agents": CALLERS, "deals": deals, "worlds": 4}]
    two = {"players": "greedy", "partner": "book", "doublers": True, "yardsticks": []}
    tables.append({"name": "two", "game": "manille", "deals": deals // 2, "worlds": 4, **two})
    return parse_experiment({"name": "calls", "seed": 9, "calls": tables}, "calls")


def test_a_folder_of_calls_reads_back_and_resumes_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play_studies(experiment(), tmp_path / "whole", figures=False)
    assert trickbench.load(tmp_path / "whole").digest == whole.digest
    again = load_studies(tmp_path / "whole")["two"]
    assert again.study.names == list(calls.CALLERS)
    assert again.study.settings() == whole["two"].study.settings()
    pd.testing.assert_frame_equal(again.regret, whole["two"].regret)
    kept, written = playing.Store.keep, []
    monkeypatch.setattr(playing, "MOST", 512)

    def stop_after_three(store: Any, part: Any, piece: Any) -> None:
        kept(store, part, piece)
        written.append(piece)
        if len(written) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(playing.Store, "keep", stop_after_three)
        with pytest.raises(KeyboardInterrupt):
            play_studies(experiment(), tmp_path / "cut", figures=False)
    resumed = play_studies(experiment(), tmp_path / "cut", workers=1, figures=False, resume=True)
    assert resumed.digest == whole.digest
    for name in ("summary.csv", "one/features.csv", "two/regret.csv"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    with pytest.raises(UsageError, match="holds another run"):
        play_studies(experiment(2000), tmp_path / "cut", figures=False, resume=True)


def test_the_experiment_that_comes_with_the_package_is_about_both_games(capsys: pytest.CaptureFixture[str]) -> None:
    studies = read_experiment(find_experiment("calls")).studies
    assert [study.game.name for study in studies] == ["manillen", "manille"]
    assert main(["run", "calls", "--dry-run"]) == 0
    assert "deals: 20,000 deals\n" in capsys.readouterr().out


def test_the_docs_show_the_reference_run() -> None:
    page = (ROOT / "docs" / "calls.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", page.partition("### Manillen")[2], re.MULTILINE)
    expected = []
    for game in ("manillen", "manille"):
        table = pd.read_csv(ROOT / "results" / "reference" / "calls" / f"{game}-regret.csv")
        for row in table[table["players"] == "heuristic"].to_dict("records"):
            net, lost, most = ((row[name], (row[f"{name}_high"] - row[f"{name}_low"]) / 2) for name in ("net", "lost", "most"))
            cells = ["{:+.2f} ± {:.2f}".format(*net), f"{100 * row['win']:.1f} %", "{:.2f} ± {:.2f}".format(*lost), "{:.2f} ± {:.2f}".format(*most)]
            expected.append((row["caller"], " | ".join([*cells, f"{100 * row['best']:.1f} %"])))
    assert shown == expected


@pytest.mark.slow
def test_the_reference_run_comes_out_again() -> None:
    for study in read_experiment(find_experiment("calls")).studies:
        result = study.result(playing.play_study(study, playing.Store(None), 2, False))
        table = pd.read_csv(ROOT / "results" / "reference" / "calls" / f"{study.game.name}-regret.csv")
        pd.testing.assert_frame_equal(table, result.regret)


# A hand


def test_a_hand_is_judged_world_by_world() -> None:
    study = from_table("calls", MANILLEN, ["longest", "no-trump", "book"], 3, {"deals": 1, "worlds": 4096})
    text = "SA SK S9 HT H7 DJ C9 C8"
    facts = judge_hand(study, text)
    table = pd.DataFrame(facts["calls"]).set_index("call")
    roller = Roller(roll_table(MANILLEN, "heuristic"), 3, threading.Event())
    sums = roller.roll(hands.ranks_of([MANILLE.set(text)]), 4096)[0].sum(axis=0)
    book = values(sums, 4096)
    book["call"] = hands.calls_from_canonical(MANILLE.set(text))
    book = book.set_index("call").loc[list(table.index)]
    assert table["net"].to_numpy() == pytest.approx(book["mean"].to_numpy())
    assert table["behind"].to_numpy() == pytest.approx(book["behind"].to_numpy())
    reach = (table["behind_high"] - table["behind_low"]) / 2
    assert reach.to_numpy() == pytest.approx(1.959964 * book["behind_se"].to_numpy(), abs=1e-6)
    for name in ("win", "tie", "capot"):
        assert table[name].to_numpy() == pytest.approx(book[name].to_numpy())
    assert table["chance"].sum() == pytest.approx(1)
    assert table["chance"].idxmax() == table.index[table["best"]][0]
    called = {row["caller"]: row for row in facts["callers"]}
    assert (called["longest"]["call"], called["no-trump"]["call"]) == ("S", "NT")
    assert called["longest"]["regret"] == pytest.approx(table.loc["S", "behind"])


def test_known_hands_are_sure() -> None:
    study = from_table("calls", MANILLEN, ["longest"], 0, {"deals": 1, "worlds": 100})
    trumps = judge_hand(study, EIGHT_TRUMPS)
    best = trumps["calls"][3]
    assert [best[name] for name in ("call", "net", "win", "capot", "best", "chance")] == ["S", 60, 1, 1, True, 1]
    assert trumps["callers"][0]["regret"] == 0
    masters = judge_hand(study, MASTERS)
    assert [masters["calls"][4][name] for name in ("call", "net", "win", "capot", "chance")] == ["NT", 120, 1, 1, 1]
    alike = judge_hand(study, "SA SK SQ SJ HA HK HQ HJ")["calls"]
    assert alike[0]["net"] == alike[1]["net"]
    assert alike[2]["net"] == alike[3]["net"]
    assert alike[2]["best"] == alike[3]["best"]
    assert alike[2]["chance"] == alike[3]["chance"]


def test_the_chance_to_be_best_is_that_of_the_difference() -> None:
    covariance = np.array([[4.0, 3.0, 0.0], [3.0, 5.0, 0.0], [0.0, 0.0, 0.0]])
    nets = Nets(100, np.array([1.0, 1.1, -9.0]), covariance, {})
    found = chances(nets, np.arange(3))
    assert found[1] == pytest.approx(norm.cdf(0.1 / np.sqrt((4 + 5 - 6) / 100)), abs=0.005)
    assert found.sum() == 1
    twins = chances(Nets(100, np.array([1.0, 1.0]), np.full((2, 2), 4.0), {}), np.array([0, 0]))
    assert twins.tolist() == [1, 1]


# The command


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ([], "--game is missing"),
        (["--game", "manchego"], "has no trump calls"),
        (["longst", "--game", "manillen"], "did you mean 'longest'"),
        (["never", "--game", "manillen"], "has no decision 'call'"),
        (["play=heuristic", "--game", "manillen"], "makes no call"),
        (["longest", "call=longest", "--game", "manillen"], "named twice"),
        (["--game", "manillen", "--worlds", "3"], "worlds cannot be '3'; an even whole number"),
        (["--game", "manillen", "--deals", "0"], "a whole number from 1"),
        (["--game", "manillen", "--deals", "1M", "--worlds", "100000"], "too many for sums of 64 bits"),
        (["--game", "manillen", "--players", "nobody"], "unknown agent 'nobody'"),
        (["--game", "manillen", "--partner", "nobody", "--rule", "en_face=on"], "unknown agent 'nobody'"),
        (["--game", "manillen", "--doublers", "--rule", "doubling=off"], "doubling=off"),
        (["--game", "manillen", "--resume"], "--out is missing"),
        (["--game", "manillen", "--hand", "SA SK"], "a dealt hand has 8 cards"),
        (["--game", "manillen", "--hand", "SA", "--deals", "5"], "--deals does not go with --hand"),
        (["--book", "nothing.parquet"], "no file"),
        (["--book", "nothing.parquet", "--game", "manillen"], "--game does not go with --book"),
        (["longest", "--book", "nothing.parquet"], "CALLER does not go with --book"),
    ],
)
def test_wrong_use_gets_one_line(words: list[str], right: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calls", *words]) == 2
    said = capsys.readouterr().err
    assert right in said
    assert said.count("\n") == 1


def test_wrong_use_in_python() -> None:
    game = trickbench.game("manillen")
    with pytest.raises(UsageError, match="yardsticks cannot be"):
        from_table("calls", game, [], 0, {"yardsticks": "random"})

    def play(view: Any) -> int:
        return int(view.legal & -view.legal)

    with pytest.raises(UsageError, match="have to be compiled"):
        trump_calls(game, ["longest"], play, deals=10, worlds=2)

    study = from_table("calls", game, [], 0, {"yardsticks": ["random", "greedy", "random", "heuristic"]})
    assert [valuer.name for valuer in study.valuers] == ["heuristic", "random", "greedy"]
    with pytest.raises(UsageError, match="too many for sums of 64 bits"):
        study.changed(1 << 25, 0)
    with pytest.raises(UsageError, match="doublers cannot be 'yes'"):
        from_table("calls", game, [], 0, {"doublers": "yes"})
    with pytest.raises(UsageError, match="sees all hands"):
        trump_calls(game, [trickbench.Agent("an oracle", manille={"call": lambda view: 1})], deals=10, worlds=2)


def test_the_command_tells_and_answers_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["calls", "longest", "book", "--game", "manillen", "--deals", "300", "--worlds", "4", "--seed", "5"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "the dealer's hands of 300 deals, each in 4 worlds" in said
    assert "cards played by heuristic; nobody doubles" in said
    assert (tmp_path / "out" / "calls" / "figures" / "rules.png").is_file()
    assert main([*words, "--out", str(tmp_path / "out"), "--resume", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["digest"] in said
    assert [row["caller"] for row in facts["regret"][:2]] == ["book", "longest"]
    assert facts["deals_played"] == 300


def test_the_command_hands_a_book_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(book_reading, "calls_report", lambda *given: f"told {given}")
    monkeypatch.setattr(book_reading, "calls_record", lambda *given: {"given": given})
    assert main(["calls", "--book", "calls.parquet", "--hand", "SA", "--figures", "drawn"]) == 0
    assert capsys.readouterr().out == "told ('calls.parquet', 'SA', 'drawn')\n"
    assert main(["calls", "--book", "calls.parquet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"given": ["calls.parquet", None]}


def test_the_command_says_what_to_call(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["calls", "longest", "points", "--game", "manillen", "--hand", EIGHT_TRUMPS, "--worlds", "100", "--against", "greedy"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "call S: the best with probability 100.0 %" in said
    assert "cards played by heuristic against greedy" in said
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["hand"] == EIGHT_TRUMPS
    assert [row["players"] for row in facts["yardsticks"]] == ["random"]
