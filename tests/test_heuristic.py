"""The heuristic: positions worked by hand, and that it beats greedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trickbench
from trickbench.cards import FRENCH, MANILLE
from trickbench.games.manchego.layout import View as ManchegoView
from trickbench.games.manchego.rules import suit_of as french_suit
from trickbench.games.manille.layout import View
from trickbench.games.manille.rules import suit_of, trump_suit
from trickbench_agents import heuristic, heuristic_auction, heuristic_manchego

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


@pytest.mark.parametrize(
    ("view", "card"),
    [
        (three("SA HA H3", bid_me=1), "SA"),
        (three("HA HK C2", bid_me=1), "HA"),
        (three("HJ H3 C9", bid_me=0), "HJ"),
        (three("HA HJ H3", trick="HQ", best="HQ", bid_me=0), "HJ"),
        (three("HA HJ H3", trick="HQ H5", best="HQ", bid_me=1), "HA"),
        (three("HA HK", trick="HQ H5", best="HQ", bid_me=0), "HA"),
        (three("SA HK H3", trick="HQ H5", best="HQ", bid_me=1), "H3"),
    ],
    ids=["sure trump first", "then a master", "sheds a covered card", "highest that loses", "takes", "forced: sheds it", "trumps are enough"],
)  # fmt: skip
def test_positions_of_manchego(view: ManchegoView, card: str) -> None:
    assert FRENCH.text(heuristic_manchego.play(view)) == card


def test_it_beats_greedy_in_both_games() -> None:
    deals = 20_000
    game = trickbench.game("manillen")
    first, second = (
        trickbench.simulate(game, agents, deals, seed=3, record="deals").deals["net_0"].to_numpy(float)
        for agents in (["play=heuristic", "greedy"], ["greedy", "play=heuristic"])
    )
    edge = (first - second) / 2
    assert edge.mean() - 5 * edge.std() / np.sqrt(deals) > 2
    summary = trickbench.simulate(trickbench.game("manchego"), ["heuristic", "greedy", "greedy"], deals, seed=3).summary
    scores = summary[summary["quantity"] == "score"].set_index("who")
    assert scores.loc["0", "low"] > 0
