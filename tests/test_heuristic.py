"""The heuristic: positions worked by hand, properties of its bids, and that it beats greedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trickbench
from trickbench.cards import FRENCH, MANILLE
from trickbench.games.manchego.layout import View as ManchegoView
from trickbench.games.manchego.rules import suit_of as french_suit
from trickbench.games.manchego.sets import winners, without_tops
from trickbench.games.manille.layout import View
from trickbench.games.manille.rules import suit_of, trump_suit
from trickbench_agents import heuristic, heuristic_auction, heuristic_manchego, heuristic_sets

NOTHING = dict.fromkeys(View._fields, 0) | {"call": 31, "factor": 1, "carry": 1}


def manille(hand: str, legal: str | None = None, trick: str = "", trump: str = "NT", best: str = "", **fields: Any) -> View:
    """Return a view of Manille; the trick's cards are those of right, partner, left, counted back from the seat."""
    cards = MANILLE.cards(trick)
    table = {f"card_{who}": 1 << card for who, card in zip(("right", "partner", "left"), reversed(cards), strict=False)}
    led = suit_of(1 << cards[0]) if cards else 0
    own = {"hand": MANILLE.set(hand), "legal": MANILLE.set(legal or hand), "led": led, "position": len(cards), "best": MANILLE.set(best)}
    own["trump"] = trump_suit("CDHS".index(trump)) if trump != "NT" else 0
    own["played"] = MANILLE.set(trick)
    return View(**{**NOTHING, **table, **own, **{key: MANILLE.set(value) if isinstance(value, str) else value for key, value in fields.items()}})


def played(view: View, without: int = 0) -> str:
    """Return the heuristic's card."""
    return MANILLE.text(heuristic.play(view, heuristic.Parameters(without)))


def test_it_cashes_a_master_that_both_opponents_can_follow() -> None:
    assert played(manille("HT H7 D9 C8 S7", trump="S", caller=1)) == "HT"


def test_it_does_not_cash_into_a_void_while_trumps_are_out() -> None:
    assert played(manille("HT H7 D9 C8 S7", trump="S", caller=1, cannot_left=MANILLE.suit(2))) != "HT"


def test_it_draws_with_a_master_trump_when_its_side_called() -> None:
    assert played(manille("ST S8 HT D9 C8", trump="S", caller=2)) == "ST"
    assert played(manille("ST S8 HT D9 C8", trump="S", caller=1)) == "HT"
    assert played(manille("ST S8 HT D9 C8", trump="S", caller=2), heuristic.DRAW) == "HT"


def test_it_leads_a_singleton_to_ruff_later() -> None:
    view = manille("S7 S8 D9 C8 C7 HJ H7", trump="S", caller=1)
    assert played(view) == "D9"
    assert played(view, heuristic.SINGLETON) in ("C7", "H7")


def test_it_does_not_lead_away_from_a_king() -> None:
    view = manille("CK C7 D9 D8", trump="S", caller=1)
    assert played(view) == "D8"
    assert played(view, heuristic.GUARD) == "C7"


def test_it_gives_points_to_partner_only_when_the_trick_is_safe() -> None:
    last = manille("HK H8", trick="H9 HT H7", best="HT", trump="S", partner_winning=1)
    assert played(last) == "HK"
    falls = manille("HK H8", trick="HQ H7", best="HQ", trump="S", partner_winning=1)
    assert played(falls) == "H8"
    assert played(falls, heuristic.SAFE_GIFT) == "HK"


def test_it_wins_high_while_trumps_are_out_and_low_after_that() -> None:
    view = manille("HT HA H7", legal="HT HA", trick="HK", best="HK", trump="S")
    assert played(view) == "HT"
    gone = MANILLE.text(MANILLE.suit(3) | MANILLE.set("HK"))
    assert played(view._replace(played=MANILLE.set(gone))) == "HA"


def test_it_discards_low_when_it_cannot_win() -> None:
    assert played(manille("DA D7 CK", trick="HT", best="HT", trump="S")) == "D7"


def test_it_calls_a_long_suit_and_no_trump_with_tens_and_aces() -> None:
    legal = 0b11111
    longest = manille("ST SA SK S8 S7 H9 D8 C7")._replace(legal=legal)
    assert heuristic_auction.call(longest) == 1 << 3
    strong = manille("ST SA HT HA DT DA CT C7")._replace(legal=legal)
    assert heuristic_auction.call(strong) == trickbench.NT
    weak = manille("S9 S8 H9 H8 D9 D8 C9 C8")._replace(legal=legal | trickbench.EN_FACE)
    assert heuristic_auction.call(weak) == trickbench.EN_FACE
    assert heuristic_auction.call(weak._replace(legal=legal)) != trickbench.EN_FACE
    assert heuristic_auction.call(weak._replace(hand=0, legal=trickbench.NT | trickbench.LOOK)) == trickbench.LOOK


def test_it_doubles_and_redoubles_with_trumps_and_points() -> None:
    strong = manille("ST SA SK S8 HT HA D8 C7", trump="S")
    weak = manille("S7 H9 H8 H7 D9 D8 D7 C7", trump="S")
    for answer in (heuristic_auction.double, heuristic_auction.redouble):
        assert answer(strong) == trickbench.YES
        assert answer(weak) == trickbench.NO


def three(hand: str, trick: str = "", trump: str = "S", best: str = "", **fields: Any) -> ManchegoView:
    """Return a view of Manchego."""
    cards = FRENCH.cards(trick)
    led = french_suit(1 << cards[0]) if cards else 0
    held = FRENCH.set(hand)
    own = {"hand": held, "legal": held & led or held, "led": led, "position": len(cards), "best": FRENCH.set(best), "played": FRENCH.set(trick)}
    own["trump"] = FRENCH.suit("CDHS".index(trump))
    return ManchegoView(**{**dict.fromkeys(ManchegoView._fields, 0), **own, **fields})


def card_of(view: ManchegoView, without: int = 0) -> str:
    """Return the heuristic's card in Manchego."""
    return FRENCH.text(heuristic.play_manchego(view, heuristic.Parameters(without)))


@pytest.mark.parametrize(
    ("view", "card"),
    [
        (three("HJ H3 C9"), "HJ"),
        (three("HA H3 C2"), "H3"),
        (three("HA HJ H3", trick="HQ", best="HQ"), "HJ"),
        (three("HA HK", trick="HQ H5", best="HQ"), "HA"),
        (three("HA HK", trick="HQ", best="HQ"), "HK"),
        (three("CK DK D4 D3 D2", trick="HQ H5", best="HQ"), "CK"),
        (three("SA SJ C2", trick="HQ SK", best="SK"), "SJ"),
    ],
    ids=["leads a covered card", "leads no master", "highest that loses", "forced: sheds the highest", "forced, not last", "short suit", "trump"],
)  # fmt: skip
def test_with_its_bid_made_it_sheds_what_would_win(view: ManchegoView, card: str) -> None:
    assert card_of(view) == card
    assert card_of(view._replace(bid_me=3, tricks_me=5)) == card


@pytest.mark.parametrize(
    ("view", "card"),
    [
        (three("HA HJ H3", trick="HQ H5", best="HQ"), "HA"),
        (three("SA S3 C2", trick="HQ H5", best="HQ"), "SA"),
        (three("HJ C4 D3", trick="HQ H5", best="HQ"), "HJ"),
        (three("HJ H8 H3", trick="HT H5", best="HT"), "HJ"),
    ],
)
def test_when_it_needs_every_trick_that_is_left_it_takes_what_it_can(view: ManchegoView, card: str) -> None:
    late = view._replace(trick=14, bid_me=9, tricks_me=6, bid_left=4, tricks_left=4, bid_right=4, tricks_right=4)
    takes = late.legal & winners(late.legal, late.best, late.led, late.trump)
    assert (FRENCH.set(card_of(late)) & takes != 0) == (takes != 0)


def test_with_the_winners_that_it_needs_it_ducks_and_without_weighing_takes() -> None:
    view = three("SA SK SQ C3", trick="HQ H5", best="HQ", bid_me=8, tricks_me=5)
    view = view._replace(trick=13, bid_left=5, tricks_left=4, bid_right=4, tricks_right=4)
    assert card_of(view) == "C3"
    assert card_of(view, heuristic_manchego.WEIGH)[0] == "S"


def test_sets_of_the_heuristic() -> None:
    assert without_tops(FRENCH.set("SA SK HQ D3 D2")) == FRENCH.set("SK D2")
    draw = np.random.default_rng(4)
    for _ in range(200):
        drawn = draw.choice(52, 20, replace=False).tolist()
        tops = {max(card for card in drawn if card // 13 == suit) for suit in {card // 13 for card in drawn}}
        assert without_tops(sum(1 << card for card in drawn)) == sum(1 << card for card in drawn if card not in tops)
    hand = FRENCH.set("SA SK SQ HA HK C4")
    assert heuristic_sets.few(hand, hand) == FRENCH.set("C4")
    assert heuristic_sets.few(FRENCH.set("SA HA"), hand) == FRENCH.set("HA")
    assert heuristic_sets.few(FRENCH.set("SA"), FRENCH.set("SA SK SQ SJ")) == FRENCH.set("SA")
    one, two, three_ = FRENCH.set("SA HK"), FRENCH.set("SA HK DQ"), FRENCH.set("SA HK DQ CJ")
    assert heuristic_sets.strongest(FRENCH.set("SA HK C2"), FRENCH.set("SA"), one, two, three_) == FRENCH.set("SA")
    assert heuristic_sets.strongest(FRENCH.set("HK DQ C2"), FRENCH.set("SA"), one, two, three_) == FRENCH.set("HK")
    assert heuristic_sets.strongest(FRENCH.set("C2 D2"), FRENCH.set("SA"), one, two, three_) == FRENCH.set("C2 D2")


@pytest.mark.parametrize("bit", heuristic_manchego.RULES.values(), ids=list(heuristic_manchego.RULES))
def test_every_rule_of_manchego_can_be_left_out_and_changes_the_play(bit: int) -> None:
    game = trickbench.game("manchego", hook="on")
    whole, less = (trickbench.simulate(game, f"play=heuristic{without},bid=heuristic", 500, seed=4).digest for without in ("", f":without={bit}"))
    assert whole != less


def bidding(hand: str, dealer: int, left: int = 31, right: int = 31, forbidden: int = 32) -> int:
    """Return what the heuristic bids with spades as trump; 31 stands for no bid, as in the view."""
    legal = ((1 << 18) - 1) & ~(1 << forbidden)
    fields = {"bid_me": 31, "bid_left": left, "bid_right": right, "dealer": dealer, "turned": FRENCH.set("S4"), "legal": legal}
    return heuristic.bid(three(hand)._replace(**fields)).bit_length() - 1


HANDS = (
    "SA SK S2 HA HK H2 DQ D3 D2 CK C5 C4 C3 C2 H5 H4 H3",
    "S9 S8 S7 HJ HT H7 H5 D9 D8 D5 D4 C9 C8 C7 C3 C2 D2",
    "SA SK SQ SJ ST S9 HA HK DA DK CA CK C3 D3 H3 H4 C4",
    "HA HK HQ HJ HT H9 H8 H7 H6 H5 H4 H3 H2 D4 D3 D2 C2",
)


@pytest.mark.parametrize("hand", HANDS)
def test_the_more_the_others_bid_the_less_it_bids(hand: str) -> None:
    second = [bidding(hand, 1, right=bid) for bid in range(18)]
    last = [bidding(hand, 0, left, right) for left, right in [(bid // 2, bid - bid // 2) for bid in range(35)]]
    assert second == sorted(second, reverse=True)
    assert last == sorted(last, reverse=True)
    assert all(0 <= bid <= 17 for bid in second + last)
    assert (second[0] > second[17]) & (last[0] > last[34]) or last[0] == 0
    assert bidding(hand, 0, 4, 7) == bidding(hand, 0, 7, 4)


@pytest.mark.parametrize("hand", HANDS)
def test_the_first_bid_does_not_depend_on_what_has_not_been_bid(hand: str) -> None:
    assert len({bidding(hand, 2, left, right) for left in (0, 31) for right in (5, 31)}) == 1


@pytest.mark.parametrize("hand", HANDS)
def test_a_bid_that_the_hook_forbids_is_not_made(hand: str) -> None:
    free = bidding(hand, 0, 5, 6)
    assert bidding(hand, 0, 5, 6, forbidden=free) in (free - 1, free + 1)


def test_stronger_hands_bid_more() -> None:
    bids = [bidding(hand, 2) for hand in HANDS[:3]]
    assert bids[1] < bids[0] < bids[2]


def score_of_one(one: str, others: str, deals: int = 20_000) -> float:
    """Return the lower end of the interval for the score of one player against two others."""
    summary = trickbench.simulate(trickbench.game("manchego"), [one, others, others], deals, seed=3).summary
    return float(summary[summary["quantity"] == "score"].set_index("who").loc["0", "low"])


def test_it_beats_greedy_in_manille() -> None:
    deals = 20_000
    game = trickbench.game("manillen")
    first, second = (
        trickbench.simulate(game, agents, deals, seed=3, record="deals").deals["net_0"].to_numpy(float)
        for agents in (["play=heuristic", "greedy"], ["greedy", "play=heuristic"])
    )
    edge = (first - second) / 2
    assert edge.mean() - 5 * edge.std() / np.sqrt(deals) > 2


@pytest.mark.parametrize("bidder", ["expected-tricks", "heuristic", "sure-tricks"])
def test_it_beats_greedy_in_manchego_with_the_same_bidder(bidder: str) -> None:
    assert score_of_one(f"play=heuristic,bid={bidder}", f"play=greedy,bid={bidder}") > 0.3


def test_its_bidder_beats_expected_tricks_with_the_same_card_play() -> None:
    assert score_of_one("heuristic", "play=heuristic,bid=expected-tricks") > 0.1
