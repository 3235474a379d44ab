"""What to bid with one hand: what is typed, what bidders are shown, how sure the best bid is."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import trickbench
from trickbench.agent import Agent
from trickbench.cli import main
from trickbench.errors import AgentError, UsageError
from trickbench.studies import asking
from trickbench.studies.bid_hand import HandBids, bid_hand, read_hand, what_bidders_bid
from trickbench.studies.crossing import answering
from trickbench.studies.hand_worlds import Hand, Played, deal_worlds, misses, play_bids, worlds_for
from trickbench.studies.rolling_bids import roll_bids

GAME = trickbench.game("manchego")
CARDS = "SA SK SQ S9 S4 HA HK H7 H3 DQ DT D5 D2 CK CJ C8 C3"
TURNED = "S6"
RENAMED = str.maketrans("SHDC", "DSCH")


def drawn(means: dict[int, float], seed: int, worlds: int = 1600) -> Played:
    """Return worlds in which each bid scores so much on average; most of the noise is that of the world, and a little the bid's own."""
    draw = np.random.default_rng(seed)
    common = draw.normal(0, 4, worlds)
    bids = np.array(list(means))
    scores = np.array([np.round(mean + common + draw.normal(0, 1, worlds)) for mean in means.values()]).astype(np.int64)
    return Played(bids, scores, np.clip(bids[:, None] + draw.integers(-1, 2, (len(bids), worlds)), 0, 17))


def of_worlds(played: Played) -> HandBids:
    facts = {"worlds": 1600, "player": "heuristic", "others": "heuristic", "off": 0, "kept": 1.0}
    bidders = pd.DataFrame({"bidder": ["a", "b", "b"], "bid": [6, 5, 7], "share": [1, 0.75, 0.25]})
    return HandBids(GAME, read_hand(GAME, CARDS, TURNED), played, bidders, facts)


def test_means_and_leads_are_those_of_the_worlds() -> None:
    played = drawn({5: 1.0, 6: 1.2}, 2)
    found = of_worlds(played)
    for number, row in enumerate(found.table.to_dict("records")):
        assert row["n"] == 1600
        assert row["score"] == pytest.approx(played.scores[number].mean())
        assert row["exact"] == pytest.approx((played.tricks[number] == played.bids[number]).mean())
        assert row["distance"] == pytest.approx(np.abs(played.tricks[number] - played.bids[number]).mean())
    leads = played.scores[1] - played.scores[0]
    row = found.table.set_index("bid").loc[5]
    assert (row["behind_low"], row["behind_high"]) == pytest.approx(stats.t.interval(0.95, 1599, leads.mean(), stats.sem(leads)))
    # The noise of the world is in both bids: as if they were independent, it would hide the lead.
    assert row["behind_high"] - row["behind_low"] < (row["score_high"] - row["score_low"]) / 2
    assert (found.best, found.clear) == (6, True)


def test_bids_that_are_worth_the_same_are_not_clear_and_not_overvalued() -> None:
    values, clear = [], 0
    for seed in range(200):
        found = of_worlds(drawn(dict.fromkeys(range(3, 9), 1.0), seed, 300))
        values.append((found.value, found.table["score"].max()))
        clear += found.clear
    apart, highest = np.mean(values, axis=0)
    error = np.std(values, axis=0) / np.sqrt(200)
    assert apart == pytest.approx(1, abs=4 * error[0])
    assert highest - apart > 0.05
    assert clear <= 10


def test_the_answer_is_told_and_written() -> None:
    found = of_worlds(drawn({5: 1.0, 6: 2.0}, 3))
    said = found.text()
    assert "bidding first; cards played by heuristic" in said
    assert "1,600 worlds, the same for each bid\n" in said
    assert "best: 6, ahead of 5 by " in said
    assert "(clear); worth " in said
    assert "a bids 6\nb bids 5 (75.00 %), 7 (25.00 %)" in said
    facts = json.loads(json.dumps(found.facts()))
    assert (facts["best"], facts["clear"], len(facts["bids"])) == (6, True, 2)


def test_a_world_plays_as_the_engine_does() -> None:
    game, seed = trickbench.game("manchego", hook="on"), 4
    dealt = asking.deal_out(game, seed, 0, 90)
    some = np.flatnonzero(dealt.dealers == 2)
    for position, made in enumerate(((), (6,), (6, 6))):
        bids_made = [f"play=heuristic,bid=fixed:n={6 if seat != position else 4}" for seat in range(3)]
        deals = trickbench.simulate(game, bids_made, 90, seed=seed, record="deals").deals
        others = asking.bid_table(game, answering("fixed:n=6", "bid", game))
        for deal in some[:8].tolist():
            hand = Hand(int(dealt.hands[deal, position]), int(dealt.turned[deal]), position, made)
            found = play_bids(game, "heuristic", others, hand, asking.Dealt(*(array[[deal]] for array in dealt)), 0, 1)
            number = found.bids.tolist().index(4)
            assert found.scores[number, 0] == deals[f"score_{position}"][deal]
            assert found.tricks[number, 0] == deals[f"tricks_{position}"][deal]


def test_worlds_are_those_in_which_others_bid_so() -> None:
    hand, others = read_hand(GAME, CARDS, TURNED, 2, "5 4"), asking.bid_table(GAME, answering("heuristic", "bid", GAME))
    found = worlds_for(GAME, others, hand, 300, 1, 1)
    assert (found.off, len(found.dealt.hands)) == (0, 300)
    assert 0.01 < found.kept < 0.2
    assert (found.dealt.hands[:, 2] == hand.cards).all()
    assert ((found.dealt.hands.sum(axis=1) + hand.turned) == (1 << 52) - 1).all()
    assert misses(GAME, others, hand, found.dealt, 1).max() == 0
    # By the engine: deals of the same hands, told by their own bids.
    known = asking.bids_of(GAME, [others], np.zeros((1, 3), np.int64), found.dealt, 1)[0]
    assert (known[:, :2] == [5, 4]).all()
    fixed = asking.bid_table(GAME, answering("fixed:n=5", "bid", GAME))
    far = worlds_for(GAME, fixed, hand, 50, 1, 1)
    assert (far.off, far.kept) == (1, 1)
    before = worlds_for(GAME, others, read_hand(GAME, CARDS, TURNED), 200, 1, 1)
    assert (before.off, before.kept, len(np.unique(before.dealt.hands[:, 1]))) == (0, 1, 200)


def test_hidden_cards_are_dealt_evenly() -> None:
    hand = read_hand(GAME, CARDS, TURNED, 1, "6")
    hands = deal_worlds(hand, 20_000, np.random.default_rng(1)).hands
    hidden = [card for card in range(52) if not (hand.cards | hand.turned) >> card & 1]
    counts = np.array([((hands[:, 0] >> card) & 1).sum() for card in hidden])
    assert ((counts - 10_000) ** 2 / 5_000).sum() * 33 / 34 < stats.chi2.ppf(0.999, 33)


def test_rollouts_in_lanes_say_the_same() -> None:
    found = bid_hand(GAME, CARDS, TURNED, worlds=3000, seed=5, workers=1).table.set_index("bid")
    rolled = roll_bids(GAME, CARDS, TURNED, 0, bidders="heuristic", worlds=3000, seed=6, workers=1).set_index("bid")
    for name, column in (("score", "sum_score"), ("distance", "sum_distance"), ("exact", "exact")):
        error = np.maximum((found[f"{name}_high"] - found[f"{name}_low"]) / 3.92, 1e-3)
        apart = (found[name] - rolled[column] / rolled["count"]) / (error * np.sqrt(2))
        assert apart.abs().max() < 4, (name, apart)


def test_a_hand_that_wins_every_trick() -> None:
    # Twelve trumps, the thirteenth is turned; the other five cards are the highest of their suits.
    hand = "SA SK SQ SJ ST S9 S8 S7 S6 S5 S4 S3 HA HK DA DK CA"
    found = bid_hand(GAME, hand, "S2", bidders=["sure-tricks", "fixed:n=17"], others="fixed:n=6", worlds=50, workers=1)
    assert found.best == 17
    table = found.table.set_index("bid")
    assert table.loc[17, ["exact", "distance", "tricks"]].tolist() == [1, 0, 17]
    assert found.bidders["bid"].tolist() == [17, 17]
    # The two others take nothing, so they are off by six each; a bid of ten is off by seven, and loses one to either.
    assert table.loc[[17, 10], "score"].tolist() == [12, -2]
    assert found.clear


def test_renaming_suits_changes_nothing_but_by_chance() -> None:
    found = [bid_hand(GAME, hand, up, made="6", worlds=600, seed=seed, workers=1).table for hand, up, seed in (
        (CARDS, TURNED, 1), (CARDS.translate(RENAMED), TURNED.translate(RENAMED), 2))]  # fmt: skip
    for name in ("score", "distance", "tricks"):
        errors = [(table[f"{name}_high"] - table[f"{name}_low"]) / 3.92 for table in found]
        apart = (found[0][name] - found[1][name]) / np.hypot(*errors)
        assert apart.abs().max() < 4, name


def test_the_command_answers(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["bids", "heuristic", "random", "--hand", CARDS, "--turned", TURNED, "--bids", "5 4", "--worlds", "200", "--seed", "3", "--workers", "1"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "bidding last, after 5 and 4; cards played by heuristic, the others bid as heuristic" in said
    assert "heuristic bids 10" in said
    assert main([*asked, "--json", "--players", "greedy", "--reference", "expected-tricks", "--rule", "hook=on"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["player"], facts["others"], facts["position"], facts["made"]) == ("greedy", "expected-tricks", 2, [5, 4])
    assert 8 not in [row["bid"] for row in facts["bids"]]
    assert facts["worlds"] == 200


@pytest.mark.parametrize(
    ("more", "right"),
    [
        ([], "--turned is missing"), (["--turned", "SA"], "turned card"), (["--turned", TURNED, "--position", "2"], "there are 2 bids before, not 0"),
        (["--turned", TURNED, "--players", "greedy", "random"], "one card player"), (["--turned", TURNED, "--worlds", "none"], "worlds"),
        (["--turned", TURNED, "--game", "manillen"], "nobody bids"), (["--turned", TURNED, "--reference", "greedy"], "'bid'"),
    ],
)  # fmt: skip
def test_wrong_use_gets_one_line(more: list[str], right: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bids", "--hand", CARDS, *more]) == 2
    said = capsys.readouterr().err
    assert right in said
    assert said.count("\n") == 1


def test_what_belongs_to_a_hand_wants_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bids", "random", "--bids", "7 5"]) == 2
    assert "--bids belongs to --hand" in capsys.readouterr().err


def test_bidders_are_shown_the_hand() -> None:
    seen: list[Any] = []

    @trickbench.batch
    def bid(view: Any) -> Any:
        seen.append(view)
        return 1 << (view.word % 2)

    hand = read_hand(trickbench.game("manchego", hook="on"), CARDS, TURNED, 2, "7 5")
    found = what_bidders_bid(trickbench.game("manchego", hook="on"), hand, [Agent("watcher", manchego={"bid": bid}), "heuristic"])
    (view,) = seen
    assert GAME.pack.text(int(view.hand[0])).split() == CARDS.split()
    assert (view.bid_left[0], view.bid_right[0], view.bid_me[0], view.dealer[0]) == (7, 5, 31, 0)
    assert view.legal[0] == (1 << 18) - 1 - (1 << 5)
    assert view.trump[0] == GAME.pack.suit(3)
    assert len(set(view.word.tolist())) == 128
    own = found[found["bidder"] == "watcher"]
    assert set(own["bid"]) == {0, 1}
    assert own["share"].sum() == 1
    assert found[found["bidder"] == "heuristic"]["share"].tolist() == [1]
    first = what_bidders_bid(GAME, read_hand(GAME, CARDS, TURNED, 1, [4]), [Agent("watcher", manchego={"bid": bid})])
    assert len(first) == 2
    assert (seen[1].bid_left[0], seen[1].bid_right[0], seen[1].dealer[0]) == (31, 4, 1)


def test_a_bid_that_is_not_legal_is_told() -> None:
    bad = Agent("bad", manchego={"bid": lambda view: 1 << 18})
    with pytest.raises(AgentError, match=r"agent 'bad' \(bid\): it made a bid that is not one of the legal ones"):
        what_bidders_bid(GAME, read_hand(GAME, CARDS, TURNED), [bad])
    with pytest.raises(UsageError, match="looks at more than a view holds"):
        what_bidders_bid(GAME, read_hand(GAME, CARDS, TURNED), [Agent("oracle", manchego={"bid": lambda view: 1})])


def test_renaming_suits_changes_no_bid() -> None:
    bidders = ["heuristic", "expected-tricks", "sure-tricks"]
    one = what_bidders_bid(GAME, read_hand(GAME, CARDS, TURNED, 1, "6"), bidders)
    other = what_bidders_bid(GAME, read_hand(GAME, CARDS.translate(RENAMED), TURNED.translate(RENAMED), 1, "6"), bidders)
    pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((CARDS[:-3], TURNED), "the hand has 16 cards"), ((CARDS, "SA"), "turned card cannot be 'SA'"), ((CARDS, "S6 S7"), "turned card"),
        ((CARDS, TURNED, 3), "position cannot be '3'"), ((CARDS, TURNED, 1), "at position 1 there are 1 bids before, not 0"),
        ((CARDS, TURNED, None, "7 18"), "a bid cannot be '18'"), ((CARDS, TURNED, None, "7 5 3"), "position cannot be '3'"),
        ((CARDS, "XX"), "XX"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_hand(GAME, *arguments)
    with pytest.raises(UsageError, match="nobody bids in manillen"):
        read_hand(trickbench.game("manillen"), *arguments)
