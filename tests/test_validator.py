"""Recorded deals of every profile pass the independent check; deals with something changed in them do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import trickbench
from tests import validator as v
from tests.twins import manchego, manille
from trickbench.bits import lowest, pick_of_hand

BUSY = "play=random,call=random,double=threshold:points=16,redouble=threshold:points=16"
SPARING = "play=greedy,call=longest,double=threshold,redouble=threshold"
POINTS = "play=greedy,call=points,double=threshold:points=20,redouble=threshold:points=18"
BLIND = "play=random,call=no-trump:blind=1,double=threshold:points=18,redouble=threshold:points=20"
MIXED = ["greedy", "random", "play=random,bid=fixed:n=5"]

# Name, game, options, agents.
PROFILES: dict[str, tuple[str, dict[str, Any], Any]] = {
    "manillen": ("manillen", {}, BUSY),
    "manillen, greedy against random": ("manillen", {}, [SPARING, BUSY]),
    "manillen, four agents": ("manillen", {}, [SPARING, BUSY, POINTS, "random"]),
    "manille": ("manille", {}, BUSY),
    "manille, greedy against random": ("manille", {}, [BUSY, POINTS]),
    "undertrump=forced": ("manillen", {"undertrump": "forced"}, BUSY),
    "undertrump=forced, overruff=free": ("manillen", {"undertrump": "forced", "overruff": "free", "undertrump_under_partner": "allowed"}, BUSY),
    "undertrump=allowed": ("manillen", {"undertrump": "allowed", "undertrump_under_partner": "allowed"}, BUSY),
    "must_beat=always": ("manillen", {"must_beat": "always"}, BUSY),
    "must_beat=off": ("manillen", {"must_beat": "off"}, BUSY),
    "trump_lead_over_partner=must_beat": ("manillen", {"trump_lead_over_partner": "must_beat"}, BUSY),
    "ruff=free": ("manillen", {"ruff": "free"}, BUSY),
    "blind_no_trump=on": ("manillen", {"blind_no_trump": "on"}, [BUSY, BLIND]),
    "en_face=on": ("manillen", {"en_face": "on"}, BUSY),
    "everything that may be said": ("manille", {"blind_no_trump": "on", "stacking": "add", "capot_factor": 2}, BUSY),
    "stacking=cap4": ("manillen", {"stacking": "cap4", "blind_no_trump": "on"}, BUSY),
    "capot_by=points, doubling=off": ("manillen", {"capot_by": "points", "doubling": "off"}, [SPARING, BUSY]),
    "manchego": ("manchego", {}, "random"),
    "manchego, three agents": ("manchego", {}, MIXED),
    "manchego, hook=on": ("manchego", {"hook": "on"}, ["random", "play=greedy,bid=random", "play=random,bid=fixed:n=6"]),
    "manchego, scoring=gain": ("manchego", {"scoring": "gain"}, ["greedy", "greedy", "random"]),
}
each_profile = pytest.mark.parametrize("profile", PROFILES)


def played(profile: str, deals: int, **arguments: Any) -> Any:
    name, options, agents = PROFILES[profile]
    return trickbench.simulate(trickbench.game(name, **options), agents, deals, record="plays", **arguments)


def assert_fine(run: Any) -> None:
    faults = v.validate(run)
    assert len(faults) == run.count
    assert not faults.any(), v.report(run, faults)


@each_profile
def test_twenty_thousand_deals_of_each_profile(profile: str) -> None:
    assert_fine(played(profile, 20_000, seed=3))


@pytest.mark.slow
@each_profile
def test_a_million_deals_of_each_profile(profile: str) -> None:
    assert_fine(played(profile, 1_000_000, seed=4, first=1 << 33))


def test_every_combination_of_obligations() -> None:
    names = [name for name in v.VALUES if name not in ("en_face", "blind_no_trump", "doubling", "capot_by", "stacking")]
    for values in product(*(v.VALUES[name] for name in names)):
        game = trickbench.game("manillen", **dict(zip(names, values, strict=True)))
        for agents in (BUSY, SPARING):
            assert_fine(trickbench.simulate(game, agents, 500, seed=5, record="plays"))


@each_profile
def test_what_a_run_counts_is_what_its_deals_say(profile: str) -> None:
    run = played(profile, 20_000, seed=3)
    if run.game.family == "manille":
        by = ["dealer", "caller", "en_face", "blind", "call", "doubled", "redoubled", "factor"]
        by += ["points_0", "tricks_0", "score_0", "score_1", "winner", "capot"]
        assert counted(run.outcomes, by, "count") == counted(run.deals, by)
        return
    by = ["bid", "tricks", "distance", "score"]
    seats = [run.deals.rename(columns={f"{name}_{seat}": name for name in by})[by].assign(seat=seat) for seat in range(3)]
    assert counted(run.outcomes, ["seat", *by], "count") == counted(pd.concat(seats), ["seat", *by])


def counted(table: pd.DataFrame, by: list[str], count: str | None = None) -> dict[Any, int]:
    """Return how often every combination of values stands in a table whose rows count ``count`` times."""
    groups = table.astype(dict.fromkeys(by, str)).groupby(by)
    return dict(groups.size() if count is None else groups[count].sum())


def test_the_profiles_bring_about_everything_that_can_happen() -> None:
    deals = played("everything that may be said", 20_000, seed=3).deals
    for name in ("en_face", "blind", "doubled", "redoubled"):
        assert 0 < deals[name].sum() < len(deals), name
    assert set(deals["call"]) == {"C", "D", "H", "S", "NT"}
    assert set(deals["winner"]) == {0, 1, -1}
    assert deals["factor"].max() >= 5
    assert played("manillen, greedy against random", 20_000, seed=3).deals["capot"].any()
    bids = played("manchego, hook=on", 20_000, seed=3).deals
    assert (bids[["bid_0", "bid_1", "bid_2"]].sum(axis=1) == 16).any()


# The check itself: it follows the game in its own way, and finds what was changed.


@trickbench.kernel
def sometimes_illegal(view):  # type: ignore[no-untyped-def]
    """Play any legal card, but now and then one of the hand that is not legal."""
    wrong = view.hand & ~view.legal
    return lowest(wrong) if (view.word < 1 << 27) & (wrong != 0) else pick_of_hand(view.legal, view.word)


FORGETFUL = trickbench.Agent(name="forgetful", manille={"play": sometimes_illegal})


def test_forfeited_deals_score_thirty_for_the_other_side() -> None:
    run = trickbench.simulate(trickbench.game("manillen"), [FORGETFUL, BUSY], 20_000, seed=6, record="plays", on_illegal="forfeit")
    assert_fine(run)
    forfeited = run.deals["forfeit"]
    assert set(forfeited) == {-1, 0, 2}
    assert 200 < (forfeited != -1).sum() < 10_000


class Play(NamedTuple):
    """A card of a recorded deal and what it was played to."""

    number: int
    seat: int
    hand: frozenset[str]
    trick: tuple[str, ...]
    card: str
    trump: str


def text_of(card: int, twin: Any) -> str:
    return twin.SUITS[card // len(twin.RANKS)] + twin.RANKS[card % len(twin.RANKS)]


def index_of(card: str, twin: Any) -> int:
    return twin.SUITS.index(card[0]) * len(twin.RANKS) + twin.RANKS.index(card[1])


def plays_of(row: Any, twin: Any) -> Iterator[Play]:
    """Yield the plays of a recorded deal in order."""
    seats = 4 if twin is manille else 3
    hands = [{text_of(card, twin) for card in range(52) if row[f"hand_{seat}"] >> card & 1} for seat in range(seats)]
    trump, leader, trick = str(row["call"] if twin is manille else row["trump"]), int(row["leader"]), list[str]()
    for number in range(len(hands[0]) * seats):
        seat = (leader + len(trick)) % seats
        card = text_of(int(row[f"card_{number:02d}"]), twin)
        yield Play(number, seat, frozenset(hands[seat]), tuple(trick), card, trump)
        hands[seat].remove(card)
        trick.append(card)
        if len(trick) == seats:
            leader, trick = (leader + twin.winner(trick, trump)) % seats, []


@cache
def recorded(name: str) -> Any:
    agents = {"manillen": BUSY, "manchego": "random"}[name]
    return trickbench.simulate(trickbench.game(name), agents, 3000, seed=8, record="plays")


def caught(name: str, place: int, table: pd.DataFrame) -> str:
    """Return what the check finds wrong with deal ``place`` of a table, and that it finds nothing else."""
    faults = v.validate(recorded(name), table)
    assert not np.delete(faults, place).any()
    return v.FAULTS[faults[place]]


def with_cards(name: str, place: int, **changes: Any) -> pd.DataFrame:
    """Return the recorded deals with some values of one deal changed."""
    table = recorded(name).deals
    for column, value in changes.items():
        if isinstance(value, bool):
            table[column] = table[column].astype(bool)
        table.loc[place, column] = value
    return table


def exchanged(name: str, place: int, first: int, second: int) -> pd.DataFrame:
    """Return the recorded deals with two cards of one deal played in each other's place."""
    row = recorded(name).deals.loc[place]
    one, other = f"card_{first:02d}", f"card_{second:02d}"
    return with_cards(name, place, **{one: row[other], other: row[one]})


def number_of(row: Any, card: str, twin: Any) -> int:
    """Return when a card was played."""
    return next(number for number in range(51) if row[f"card_{number:02d}"] == index_of(card, twin))


def standing(play: Play) -> tuple[str, bool]:
    """Return the card that is winning a Manille trick, and whether it is partner's."""
    place = manille.winner(play.trick, play.trump)
    return play.trick[place], place == len(play.trick) - 2


def breaks_suit(play: Play, card: str) -> bool:
    return card[0] != play.trick[0][0] and any(other[0] == play.trick[0][0] for other in play.hand)


def stays_below(play: Play, card: str) -> bool:
    best, partner = standing(play)
    return not partner and card[0] == play.trick[0][0] == best[0] and card not in manille.higher(play.hand, best)


def void(play: Play) -> bool:
    return all(other[0] != play.trick[0][0] for other in play.hand)


def does_not_ruff(play: Play, card: str) -> bool:
    return void(play) and standing(play)[0][0] != play.trump and card[0] != play.trump


def does_not_overruff(play: Play, card: str) -> bool:
    return void(play) and standing(play)[0][0] == play.trump and card[0] != play.trump


def undertrumps(play: Play, card: str, partners: bool) -> bool:
    best, partner = standing(play)
    return partner == partners and void(play) and best[0] == play.trump == card[0] and manille.height(card) < manille.height(best)


def undertrumps_opponent(play: Play, card: str) -> bool:
    return undertrumps(play, card, partners=False)


def undertrumps_partner(play: Play, card: str) -> bool:
    return undertrumps(play, card, partners=True)


@pytest.mark.parametrize("breach", [breaks_suit, stays_below, does_not_ruff, does_not_overruff, undertrumps_opponent, undertrumps_partner])
def test_an_illegal_card_of_each_kind_is_caught_in_manillen(breach: Callable[[Play, str], bool]) -> None:
    options = recorded("manillen").game.rules.as_dict()
    place, play, card = breach_in("manillen", breach, lambda play: manille.legal(play.hand, play.trick, play.trump, options))
    row = recorded("manillen").deals.loc[place]
    table = exchanged("manillen", place, play.number, number_of(row, card, manille))
    assert caught("manillen", place, table) == "a card is played that is not legal"


def test_a_revoke_is_caught_in_manchego() -> None:
    place, play, card = breach_in("manchego", breaks_suit, lambda play: manchego.legal(play.hand, play.trick))
    row = recorded("manchego").deals.loc[place]
    table = exchanged("manchego", place, play.number, number_of(row, card, manchego))
    assert caught("manchego", place, table) == "a card is played that is not legal"


def breach_in(name: str, breach: Callable[[Play, str], bool], legal: Callable[[Play], set[str]]) -> tuple[int, Play, str]:
    """Return a deal, a play of it, and an illegal card that breaks the rules in the way asked for."""
    twin = manille if name == "manillen" else manchego
    for place, row in recorded(name).deals.iterrows():
        for play in plays_of(row, twin):
            for card in sorted(play.hand - legal(play)) if play.trick else ():
                if breach(play, card):
                    return int(place), play, card
    raise AssertionError("no such play in the record")


@pytest.mark.parametrize("name", ["manillen", "manchego"])
def test_cards_that_a_seat_does_not_hold_are_caught(name: str) -> None:
    seats = recorded(name).game.players
    row = recorded(name).deals.loc[7]
    not_held = "a card is played that the seat does not hold"
    assert caught(name, 7, exchanged(name, 7, 0, 1)) == not_held
    assert caught(name, 7, exchanged(name, 7, 2 * seats, 2 * seats + 1)) == not_held
    assert caught(name, 7, with_cards(name, 7, card_05=row["card_04"])) == not_held
    assert caught(name, 7, with_cards(name, 7, card_05=-1)) == not_held
    last = seats * (8 if seats == 4 else 17) - 1
    assert caught(name, 7, with_cards(name, 7, **{f"card_{last:02d}": row["card_00"]})) == not_held


@pytest.mark.parametrize("name", ["manillen", "manchego"])
def test_hands_that_are_not_a_deal_are_caught(name: str) -> None:
    row = recorded(name).deals.loc[9]
    first, second = int(row["hand_0"]), int(row["hand_1"])
    card = first & -first
    not_a_deal = "the hands are not a deal of the pack"
    assert caught(name, 9, with_cards(name, 9, hand_0=first ^ card)) == not_a_deal
    assert caught(name, 9, with_cards(name, 9, hand_0=first ^ card, hand_1=second | card)) == not_a_deal
    assert caught(name, 9, with_cards(name, 9, hand_1=second | card)) == not_a_deal
    # Two seats' hands exchanged are a deal still, but then somebody plays what another holds.
    assert caught(name, 9, with_cards(name, 9, hand_0=second, hand_1=first)) == "a card is played that the seat does not hold"


def test_a_turned_card_that_somebody_holds_is_caught() -> None:
    row = recorded("manchego").deals.loc[9]
    table = recorded("manchego").deals
    table.loc[9, "turned"] = text_of(int(row["card_00"]), manchego)
    assert caught("manchego", 9, table) == "the hands are not a deal of the pack"
    other = next(suit for suit in "CDHS" if suit != row["trump"])
    assert caught("manchego", 9, with_cards("manchego", 9, trump=other)) == "the hands are not a deal of the pack"


@pytest.mark.parametrize("name", ["manillen", "manchego"])
def test_wrong_dealers_and_leaders_are_caught(name: str) -> None:
    seats = recorded(name).game.players
    row = recorded(name).deals.loc[11]
    turned = {"dealer": (row["dealer"] + 1) % seats, "leader": (row["leader"] + 1) % seats}
    assert caught(name, 11, with_cards(name, 11, **turned)) == "the dealer is not the one whose turn it is"
    assert caught(name, 11, with_cards(name, 11, leader=turned["leader"])) == "the seat left of the dealer does not lead first"


def place_where(name: str, condition: Callable[[pd.DataFrame], Any]) -> int:
    return int(np.flatnonzero(condition(recorded(name).deals))[0])


@pytest.mark.parametrize(
    ("column", "change", "want"),
    [
        ("points_0", 1, "the points are not those that were won"),
        ("points_1", -1, "the points are not those that were won"),
        ("tricks_0", 1, "the tricks are not those that were won"),
        ("tricks_1", -1, "the tricks are not those that were won"),
        ("score_0", 1, "the scores are wrong"),
        ("score_1", 30, "the scores are wrong"),
        ("net_0", 1, "the scores are wrong"),
        ("factor", 1, "the factor is wrong"),
        ("caller", 1, "the call or the bids are not allowed"),
    ],
)
def test_wrong_results_of_manillen_are_caught(column: str, change: int, want: str) -> None:
    row = recorded("manillen").deals.loc[13]
    value = (row[column] + change) % 4 if column == "caller" else row[column] + change
    assert caught("manillen", 13, with_cards("manillen", 13, **{column: value})) == want


def test_a_last_trick_given_to_the_wrong_side_is_caught() -> None:
    row = recorded("manillen").deals.loc[13]
    side = 0 if row["tricks_0"] > 0 else 1
    changes = {f"tricks_{side}": row[f"tricks_{side}"] - 1, f"tricks_{1 - side}": row[f"tricks_{1 - side}"] + 1}
    assert caught("manillen", 13, with_cards("manillen", 13, **changes)) == "the tricks are not those that were won"


def test_wrong_flags_of_manillen_are_caught() -> None:
    plain = place_where("manillen", lambda deals: ~deals["doubled"] & ~deals["capot"] & (deals["winner"] == 0))
    assert caught("manillen", plain, with_cards("manillen", plain, winner=1)) == "the winner is wrong"
    assert caught("manillen", plain, with_cards("manillen", plain, winner=-1)) == "the winner is wrong"
    assert caught("manillen", plain, with_cards("manillen", plain, capot=True)) == "the capot is wrong"
    assert caught("manillen", plain, with_cards("manillen", plain, redoubled=True)) == "the doubles are not allowed"
    assert caught("manillen", plain, with_cards("manillen", plain, doubled=True)) == "the factor is wrong"
    assert caught("manillen", plain, with_cards("manillen", plain, en_face=True)) == "the call or the bids are not allowed"
    assert caught("manillen", plain, with_cards("manillen", plain, blind=True)) == "the call or the bids are not allowed"
    assert caught("manillen", plain, with_cards("manillen", plain, forfeit=0)) == "the points are not those that were won"
    tied = place_where("manillen", lambda deals: deals["winner"] == -1)
    assert caught("manillen", tied, with_cards("manillen", tied, winner=0)) == "the winner is wrong"


def test_another_trump_is_caught() -> None:
    called = place_where("manillen", lambda deals: deals["call"] == "H")
    assert caught("manillen", called, with_cards("manillen", called, call="S")) != "nothing is wrong"


@pytest.mark.parametrize(
    ("column", "change", "want"),
    [
        ("tricks_0", 1, "the tricks are not those that were won"),
        ("tricks_2", -1, "the tricks are not those that were won"),
        ("distance_1", 1, "the distances are wrong"),
        ("score_0", 1, "the scores are wrong"),
        ("score_2", -2, "the scores are wrong"),
        ("bid_1", 40, "the call or the bids are not allowed"),
        ("bid_1", -40, "the call or the bids are not allowed"),
    ],
)
def test_wrong_results_of_manchego_are_caught(column: str, change: int, want: str) -> None:
    row = recorded("manchego").deals.loc[13]
    assert caught("manchego", 13, with_cards("manchego", 13, **{column: row[column] + change})) == want


def test_bids_that_the_hook_forbids_are_caught() -> None:
    run = trickbench.simulate(trickbench.game("manchego"), "random", 3000, seed=8, record="plays")
    seventeen = run.deals[["bid_0", "bid_1", "bid_2"]].sum(axis=1) == 17
    run.game = trickbench.game("manchego", hook="on")
    faults = v.validate(run)
    assert seventeen.any()
    assert [v.FAULTS[fault] for fault in np.unique(faults)] == ["nothing is wrong", "the call or the bids are not allowed"]
    np.testing.assert_array_equal(faults != 0, seventeen)


@pytest.mark.parametrize(
    ("played_by", "checked_by"),
    [
        ({}, {"must_beat": "always"}),
        ({}, {"trump_lead_over_partner": "must_beat"}),
        ({"must_beat": "off"}, {}),
        ({"ruff": "free"}, {}),
        ({"undertrump": "allowed"}, {}),
        ({"undertrump": "forced"}, {}),
        ({"undertrump": "forced"}, {"undertrump": "allowed", "ruff": "free"}),
        ({}, {"undertrump": "forced"}),
        ({"undertrump_under_partner": "allowed"}, {}),
        ({"overruff": "free", "undertrump": "allowed"}, {"undertrump": "allowed"}),
        ({"en_face": "on"}, {}),
        ({"blind_no_trump": "on"}, {}),
        ({}, {"doubling": "off"}),
        ({}, {"stacking": "add"}),
        ({}, {"stacking": "cap4"}),
    ],
    ids=str,
)
def test_deals_played_by_other_rules_are_caught(played_by: dict[str, str], checked_by: dict[str, str]) -> None:
    run = trickbench.simulate(trickbench.game("manillen", **played_by), BUSY, 5000, seed=9, record="plays")
    assert_fine(run)
    table = run.deals
    run.game = trickbench.game("manillen", **checked_by)
    looser = played_by == {"undertrump": "forced"} and checked_by.get("ruff") == "free"
    assert v.validate(run, table).any() != looser
