"""Bidders from rollouts: the same sums as a plain second statement, the rules of choice, hands worked out, what a bidder may know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trickbench
from trickbench.agent import Agent
from trickbench.bits import members
from trickbench.cards import FRENCH
from trickbench.engine import AGENTS, PARTS, aligned
from trickbench.errors import AgentError, UsageError
from trickbench.forecasts import forecaster
from trickbench.games.manchego import bid_layout as rows
from trickbench.games.manchego import layout as at
from trickbench.games.manchego.rules import legal_bids, suit_of
from trickbench.games.rows import LANES
from trickbench.games.tricks import new_names
from trickbench.rollouts import Rollouts
from trickbench.streams import BID_WORLDS, counter, words, words_at
from trickbench.studies.rolling_bids import BidRoller, decision_of, roll_bids
from trickbench.table import Table
from trickbench_agents import either, expected_tricks
from trickbench_agents.normal import around

MANCHEGO, HOOK = trickbench.game("manchego"), trickbench.game("manchego", hook="on", scoring="gain")
ALL = FRENCH.all
SOLID = "SA SK SQ SJ ST S9 S8 S7 S6 S5 S4 S3 HA DA CA HK DK"
TWOS = "H2 H3 H4 H5 D2 D3 D4 D5 C2 C3 C4 C5 S2 C6 D6 H6 S3"
FAIR = "HA HK HQ H5 D2 DK D4 D5 CA C3 C4 C5 S2 S6 S7 SA SK"
BIDDERS = ("mode", "utility", "aware")


# A plain second statement


def dealt(decision: Any, world: int) -> tuple[int, int]:
    """Return the two hidden hands of a world: each card to the first with probability places left / cards left."""
    low, high = counter((int(decision[rows.KEY]) << 16) + world, 0)
    cards = members(ALL ^ int(decision[rows.HAND]) ^ int(decision[rows.TURNED]))
    drawn = [word for block in range(9) for word in words_at(0, low, high, BID_WORLDS, block)]
    first, places = 0, 17
    for n, card in enumerate(cards):
        if drawn[n] * (34 - n) >> 32 < places:
            first |= 1 << card
            places -= 1
    return first, ALL ^ int(decision[rows.HAND]) ^ int(decision[rows.TURNED]) ^ first


def policy_bid(game: Any, decision: Any, hand: int, place: int, bids: list[int], world: int) -> int:
    """Return the bid of ``either`` in a world."""
    low, high = counter((int(decision[rows.KEY]) << 16) + world, 0)
    around_table = [bids[(place + step) % 3] if (place + step) % 3 < place else 31 for step in range(3)]
    turned, rules = int(decision[rows.TURNED]), game.rules.values()
    known = {"hand": hand, "turned": turned, "trump": suit_of(turned), "dealer": 2 - place, "bid_left": around_table[1], "bid_right": around_table[2]}
    known |= {"legal": legal_bids(sum(bids[:place]), int(place == 2), rules), "word": words_at(0, low, high, at.BID, 0)[place]}
    view = at.View(**(dict.fromkeys(at.View._fields, 0) | known))
    none = expected_tricks.NoParameters()
    return int(either.bid(view, none, rules, expected_tricks.read_weights(none))).bit_length() - 1


def hands_at(decision: Any, place: int, first: int, second: int) -> list[int]:
    hands = [first, second]
    hands.insert(place, int(decision[rows.HAND]))
    return hands


def drawn_worlds(game: Any, decision: Any, place: int, worlds: int) -> list[tuple[int, int]]:
    """Return the hidden hands of worlds drawn by the bids made before."""
    agreement = {0: 12, 1: 8, 2: 3, 3: 1}
    pool, weights = [], []
    for world in range(max(4 * worlds, 128)):
        pool.append(dealt(decision, world))
        hands, made, weight = hands_at(decision, place, *pool[-1]), [int(bid) for bid in decision[rows.BIDS : rows.BIDS + place]], 1
        for earlier in range(place):
            weight *= agreement.get(abs(policy_bid(game, decision, hands[earlier], earlier, made, world) - made[earlier]), 0)
        weights.append(weight)
    running = np.cumsum(weights)
    return [pool[int(np.searchsorted(running, (2 * k + 1) * running[-1] // (2 * worlds), side="right"))] for k in range(worlds)]


def named_anew(decision: Any, world: int) -> Any:
    """Return what names suits anew in a world: one of the 24 orders."""
    low, high = counter((int(decision[rows.KEY]) << 16) + world, 0)
    order = new_names(words_at(0, low, high, BID_WORLDS, 9)[0] * 24 >> 32)
    assert sorted(order) == [0, 1, 2, 3]
    return lambda cards: sum(1 << (13 * order[card // 13] + card % 13) for card in members(cards))


def twin(game: Any, decision: Any, place: int, worlds: int, known: bool) -> NDArray[np.int64]:
    """Return score, square, and counts of tricks by bid, from one deal after the other."""
    hidden = drawn_worlds(game, decision, place, worlds) if known and place else [dealt(decision, world) for world in range(worlds)]
    positions = []
    for world, others in enumerate(hidden):
        hands, name = hands_at(decision, place, *others), named_anew(decision, world)
        for bid in range(18):
            bids: list[int] = []
            for seat in range(3):
                told = int(decision[rows.BIDS + seat]) if known and seat < place else None
                answer = bid if seat == place else told
                bids.append(policy_bid(game, decision, hands[seat], seat, bids, world) if answer is None else answer)
            positions.append([*map(name, hands), 0, 0, 0, 0, 0, 0, 0, 2, name(int(decision[rows.TURNED])), *bids, 0, 0, 0, 0, 0, 0])
    n = len(positions)
    ended = Rollouts(game, "heuristic").finish(np.array(positions, np.int64).T, 0, 0, np.arange(n))
    score, tricks = (ended[f"{name}_{place}"].to_numpy().reshape(worlds, 18) for name in ("score", "tricks"))
    sums = np.zeros((18, rows.SUM_COUNT), np.int64)
    sums[:, rows.SCORE], sums[:, rows.SQUARES] = score.sum(axis=0), (score**2).sum(axis=0)
    for world in range(worlds):
        sums[np.arange(18), rows.TRICKS + tricks[world]] += 1
    return sums


def decisions(game: Any, place: int, count: int, seed: int = 5) -> NDArray[np.int64]:
    """Return decisions of dealt hands with the bids of ``heuristic`` before them."""
    found = []
    for number, row in enumerate(trickbench.simulate(game, "heuristic", count, seed=seed, record="plays").deals.to_dict("records")):
        seats = [(row["dealer"] + 1 + step) % 3 for step in range(3)]
        hand, turned = FRENCH.text(int(row[f"hand_{seats[place]}"])), str(row["turned"])
        decision = decision_of(game, hand, turned, place, [row[f"bid_{seat}"] for seat in seats[:place]])
        decision[rows.KEY] = 100 + number
        found.append(decision)
    return np.array(found, np.int64).T.copy()


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_sums_are_those_of_a_plain_second_statement(place: int, known: bool) -> None:
    game = HOOK if place == 2 else MANCHEGO
    table = decisions(game, place, 3)
    sums, _ = BidRoller(game).roll(table, place, 12, known)
    for k in range(3):
        assert (sums[k] == twin(game, table[:, k], place, 12, known)).all()


# What the agents do


def view_of(decision: Any, place: int) -> at.View:
    """Return a decision as its seat sees it."""
    left, right = int(decision[rows.BIDS]), int(decision[rows.BIDS + 1])
    seen = {0: (31, 31), 1: (31, left), 2: (left, right)}[place]
    turned = int(decision[rows.TURNED])
    known = {"hand": int(decision[rows.HAND]), "turned": turned, "trump": suit_of(turned), "legal": int(decision[rows.LEGAL]), "dealer": 2 - place}
    known |= {"word": int(decision[rows.KEY]), "bid_me": 31, "bid_left": seen[0], "bid_right": seen[1]}
    return at.View(**(dict.fromkeys(at.View._fields, 0) | known))


ROWS = {"hand": at.HAND, "turned": at.TURNED, "trump": at.TRUMP, "legal": at.LEGAL, "dealer": at.DEALER, "word": at.WORD, "bid_me": at.BIDS_SEEN}
ROWS |= {"bid_left": at.BIDS_SEEN + LANES, "bid_right": at.BIDS_SEEN + 2 * LANES}


def bids_of(game: Any, agent: str, views: list[at.View], hidden: int = 0) -> list[int]:
    """Return what a bidder bids with views, one in a lane; ``hidden`` fills all that it may not see."""
    table = Table(game, f"play=heuristic,bid={agent}")
    (data, bounds), block = table.memory(), aligned(at.SIZE, np.uint64)
    block[at.VIEW_SIZE :] = hidden
    for lane, view in enumerate(views):
        for name, row in ROWS.items():
            block[row + 7 + lane] = getattr(view, name)
        block[at.MINE + 7 + lane] = 1
    size, a, b, c, d = bounds[PARTS * AGENTS : PARTS * AGENTS + PARTS]
    table.functions()[AGENTS](block[:size], data[a:b], data[b:c], data[c:d])
    chosen = block[at.CHOICE + 7 : at.CHOICE + 7 + len(views)].tolist()
    return [choice.bit_length() - 1 for choice in chosen]


def halved(sums: list[NDArray[np.int64]], bids: list[int], legal: int, rule: str) -> int:
    """Return the bid that remains: half of the bids go out each time, by the sums of a quarter, a half and all of the worlds."""
    for table in sums:
        exact = table[np.arange(18), rows.TRICKS + np.arange(18)]
        worth = {bid: (table[bid, rows.SCORE],) if rule == "utility" else (exact[bid], table[bid, rows.SCORE]) for bid in bids}
        bids = sorted(bids, key=lambda bid: (legal >> bid & 1, worth[bid]), reverse=True)
        best, bids = bids[0], bids[: max(len(bids) // 2, 1)]
    return best


@pytest.mark.parametrize("agent", ["mode", "utility"])
@pytest.mark.parametrize("place", [0, 2])
def test_the_bid_is_the_best_by_halving_in_the_same_worlds(agent: str, place: int) -> None:
    table = decisions(HOOK, place, 20)
    sums = [BidRoller(HOOK).roll(table, place, worlds, False)[0] for worlds in (4, 8, 16)]
    expected = [halved([part[k] for part in sums], list(range(18)), int(table[rows.LEGAL, k]), agent) for k in range(20)]
    assert bids_of(HOOK, f"{agent}:worlds=16,bids=18", [view_of(table[:, k], place) for k in range(20)]) == expected


@pytest.mark.parametrize("agent", BIDDERS)
def test_hands_that_anybody_can_bid(agent: str) -> None:
    solid, twos = (view_of(decision_of(MANCHEGO, hand, turned, 0), 0) for hand, turned in ((SOLID, "S2"), (TWOS, "S9")))
    assert bids_of(MANCHEGO, f"{agent}:worlds=16", [solid, twos]) == [17, 0]


@pytest.mark.parametrize("agent", BIDDERS)
def test_a_bid_depends_on_nothing_that_its_seat_may_not_know(agent: str) -> None:
    table = decisions(MANCHEGO, 2, 8)
    views = [view_of(table[:, k], 2) for k in range(8)]
    assert bids_of(MANCHEGO, f"{agent}:worlds=16", views) == bids_of(MANCHEGO, f"{agent}:worlds=16", views, hidden=0x5555555555555)


def test_only_aware_heeds_the_bids_made() -> None:
    table = decisions(MANCHEGO, 2, 12)
    views = [view_of(table[:, k], 2) for k in range(12)]
    other = [view._replace(bid_left=9, bid_right=8) for view in views]
    for agent in BIDDERS:
        same = bids_of(MANCHEGO, f"{agent}:worlds=16", views) == bids_of(MANCHEGO, f"{agent}:worlds=16", other)
        assert same == (agent != "aware")


def test_the_dealer_finds_another_bid_where_the_hook_forbids_the_best() -> None:
    hooked = trickbench.game("manchego", hook="on")
    decision = decision_of(hooked, SOLID, "S2", 2, [0, 0])
    assert bids_of(hooked, "aware:worlds=16", [view_of(decision, 2)]) == [16]
    assert roll_bids(HOOK, SOLID, "S2", 2, [0, 0], worlds=8)["bid"].tolist() == list(range(17))


@trickbench.kernel
def silent(view: Any) -> int:
    """Make no bid."""
    return view.legal & 0


silent_bidder = Agent("silent", manchego={"bid": silent})


def test_an_illegal_choice_of_the_policy_is_told() -> None:
    bidder = f"utility:worlds=8,bidder={__name__}:silent_bidder"
    with pytest.raises(AgentError, match="made an illegal choice in a rollout"):
        trickbench.simulate(MANCHEGO, f"play=heuristic,bid={bidder}", 5)
    with pytest.raises(AgentError, match="an illegal choice in a rollout of bids"):
        roll_bids(MANCHEGO, FAIR, "S9", 1, bidders=silent_bidder, worlds=8)


# roll_bids


def test_a_table_of_bids_adds_up() -> None:
    table = roll_bids(MANCHEGO, FAIR, "S9", 1, [5], worlds=300)
    tricks = table[[f"tricks_{won}" for won in range(18)]].to_numpy()
    assert table["bid"].tolist() == list(range(18))
    assert (table["count"] == 300).all()
    assert (tricks.sum(axis=1) == 300).all()
    assert table["exact"].tolist() == [tricks[bid, bid] for bid in range(18)]
    assert table["sum_distance"].tolist() == [sum(abs(bid - won) * tricks[bid, won] for won in range(18)) for bid in range(18)]
    assert 150 < table.attrs["effective"] < 1200


def test_threads_change_nothing() -> None:
    one, other = (roll_bids(MANCHEGO, FAIR, "S9", 2, [4, 5], worlds=2500, seed=3, workers=workers) for workers in (1, 2))
    assert one.equals(other)
    assert one.attrs == other.attrs
    assert not one.equals(roll_bids(MANCHEGO, FAIR, "S9", 2, [4, 5], worlds=2500, seed=4))


@pytest.mark.parametrize("order", ["DCHS", "SHDC"])
def test_renaming_the_suits_changes_no_value_beyond_chance(order: str) -> None:
    rename = str.maketrans("CDHS", order)
    one, other = (
        roll_bids(MANCHEGO, hand, turned, 0, worlds=4096, seed=seed)
        for hand, turned, seed in ((FAIR, "S9", 1), (FAIR.translate(rename), "S9".translate(rename), 2))
    )
    mean, spread = one["sum_score"] / 4096, one["sum_squares"] / 4096 - (one["sum_score"] / 4096) ** 2
    z = (mean - other["sum_score"] / 4096) / np.sqrt(2 * spread / 4096).clip(lower=0.01)
    assert z.abs().max() < 4.5


def test_what_cannot_be_is_refused() -> None:
    for hand, turned, position, bids, message in (
        ("SA SK", "S2", 0, [], "a hand has 17 cards, this one has 2"),
        (SOLID, "SA", 0, [], "the turned card cannot be 'SA'"),
        (SOLID, "S2", 3, [], "position cannot be 3"),
        (SOLID, "S2", 1, [4, 5], "2 bids were made before position 1; 1 would be right"),
        (SOLID, "S2", 1, [18], "bid cannot be '?18"),
    ):
        with pytest.raises(UsageError, match=message):
            roll_bids(MANCHEGO, hand, turned, position, bids)
    with pytest.raises(UsageError, match="manillen has no bids of tricks"):
        BidRoller(trickbench.game("manillen"))
    with pytest.raises(UsageError, match="bidders of rollouts have to be compiled"):
        roll_bids(MANCHEGO, SOLID, "S2", 0, bidders=Agent("plain", manchego={"bid": lambda view: 1}))


# Forecasts


def stacked(views: list[at.View]) -> at.View:
    return at.View(*(np.array(column, np.int64) for column in zip(*views, strict=True)))  # type: ignore[arg-type]


@pytest.mark.parametrize("agent", BIDDERS)
def test_a_forecast_is_the_histogram_of_the_bid_that_is_made(agent: str) -> None:
    """Views are rebuilt from a recorded run: the bidder bids in them what it bid, and forecasts from the same worlds."""
    run = trickbench.simulate(MANCHEGO, f"play=heuristic,bid={agent}:worlds=16", 12, seed=9, record="plays")
    views, made = [], []
    for index, row in enumerate(run.deals.to_dict("records")):
        for place in range(3):
            seats = [(row["dealer"] + 1 + step) % 3 for step in range(3)]
            hand = FRENCH.text(int(row[f"hand_{seats[place]}"]))
            decision = decision_of(MANCHEGO, hand, str(row["turned"]), place, [row[f"bid_{seat}"] for seat in seats[:place]])
            decision[rows.KEY] = words(9, index, 0, at.BID, 0)[seats[place]]
            views.append(view_of(decision, place))
            made.append(row[f"bid_{seats[place]}"])
            assert bids_of(MANCHEGO, f"{agent}:worlds=16", views[-1:]) == made[-1:]
    tell = forecaster(Table(MANCHEGO, f"play=heuristic,bid={agent}:worlds=16"), 0, "bid")
    assert tell is not None
    weights = tell(stacked(views))
    assert (weights.sum(axis=1) == 16).all()
    assert weights[np.arange(36), made].sum() > 36 * 16 / 4


@pytest.mark.parametrize("agent", ["expected-tricks", "heuristic"])
def test_a_bidder_that_computes_a_number_forecasts_around_it(agent: str) -> None:
    tell = forecaster(Table(MANCHEGO, f"play=heuristic,bid={agent}"), 0, "bid")
    assert tell is not None
    table = decisions(MANCHEGO, 0, 30)
    views = [view_of(table[:, k], 0) for k in range(30)]
    weights, bids = tell(stacked(views)), bids_of(MANCHEGO, agent, views)
    assert np.allclose(weights.sum(axis=1), 1)
    assert np.abs(weights @ np.arange(18) - bids).max() < 1.3


def test_a_normal_distribution_is_cut_into_whole_tricks() -> None:
    from scipy.stats import norm

    found = around([5.2], 0.3, 1.5)[0]
    assert found[4] == pytest.approx(norm.cdf(4.5, 5.5, 1.5) - norm.cdf(3.5, 5.5, 1.5))
    assert found[0] == pytest.approx(norm.cdf(0.5, 5.5, 1.5))
    assert found[17] == pytest.approx(norm.sf(16.5, 5.5, 1.5))


def test_forecasts_of_the_wrong_form_are_refused() -> None:
    bid = Table(MANCHEGO, "greedy,bid=fixed:n=3").seats[0].decisions["bid"].function
    with pytest.raises(UsageError, match=r"^agent 'a', forecast, bid: the function takes \(view\); it must take \(view, params, rules, tables\)"):
        Agent("a", manchego={"bid": bid}, forecast={"bid": lambda view: view})
    with pytest.raises(UsageError, match=r"^agent 'a', forecast, bid: the agent does not answer"):
        Agent("a", manchego={"play": silent}, forecast={"bid": lambda view, params, rules, tables: 0})
    with pytest.raises(UsageError, match=r"^agent 'a', forecast, bid: 7 is not a function"):
        Agent("a", manchego={"bid": silent}, forecast={"bid": 7})  # type: ignore[dict-item]
    wrong = Agent("a", manchego={"bid": silent}, forecast={"bid": lambda view, params, rules, tables: np.zeros(3)})
    tell = forecaster(Table(MANCHEGO, wrong), 1, "bid")
    assert tell is not None
    with pytest.raises(AgentError, match=r"^agent 'a' \(forecast\): it returned float64\[3\]; weights \[1, 18\] would be right"):
        tell(stacked([view_of(decision_of(MANCHEGO, SOLID, "S2", 0), 0)]))
    assert forecaster(Table(MANCHEGO, "greedy,bid=fixed:n=3"), 0, "bid") is None
