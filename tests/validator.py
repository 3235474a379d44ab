"""An independent check of recorded deals: every card, every trick, and what the deal came to.

A recorded deal is replayed card by card from the hands as they were dealt, with the rules stated here once more: cards are
suit and rank, hands are arrays of yes and no, and everything is found by looking at one card after the other. Nothing
comes from the package under test, neither its sets of bits nor its legal cards, winners or scores. Compiled, because a
million deals should take seconds.

    faults = validate(run)          # an array with one number a deal, 0 for a deal in which all is well
    report(run, faults)             # the first faulty deals in words
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numba import njit
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

FAULTS = (
    "nothing is wrong",
    "the hands are not a deal of the pack",
    "the dealer is not the one whose turn it is",
    "the seat left of the dealer does not lead first",
    "a card is played that the seat does not hold",
    "a card is played that is not legal",
    "the tricks are not those that were won",
    "the points are not those that were won",
    "the call or the bids are not allowed",
    "the doubles are not allowed",
    "the factor is wrong",
    "the scores are wrong",
    "the winner is wrong",
    "the capot is wrong",
    "the distances are wrong",
)
FINE, NOT_A_DEAL, DEALER, FIRST_LEADER, NOT_HELD, NOT_LEGAL, TRICKS, POINTS = range(8)
CALL, DOUBLES, FACTOR, SCORES, WINNER, CAPOT, DISTANCES = range(8, len(FAULTS))

NO_TRUMP = 4


class Rules(NamedTuple):
    """The options of Manille that play and score depend on, as numbers: 0 for the first value named."""

    must_beat: int
    """opponent, always, off"""
    ruff: int
    """must, free"""
    overruff: int
    """must, free"""
    undertrump: int
    """forbidden, allowed, forced"""
    undertrump_under_partner: int
    """forbidden, allowed"""
    trump_lead_over_partner: int
    """free, must_beat"""
    en_face: int
    """off, on"""
    blind_no_trump: int
    """off, on"""
    doubling: int
    """on, off"""
    capot_factor: int
    capot_by: int
    """tricks, points"""
    stacking: int
    """multiply, add, cap4"""


OPPONENT, ALWAYS, OFF = 0, 1, 2
MUST, FREE = 0, 1
FORBIDDEN, ALLOWED, FORCED = 0, 1, 2
MULTIPLY, ADD, CAP4 = 0, 1, 2

VALUES = {
    "must_beat": ("opponent", "always", "off"),
    "ruff": ("must", "free"),
    "overruff": ("must", "free"),
    "undertrump": ("forbidden", "allowed", "forced"),
    "undertrump_under_partner": ("forbidden", "allowed"),
    "trump_lead_over_partner": ("free", "must_beat"),
    "en_face": ("off", "on"),
    "blind_no_trump": ("off", "on"),
    "doubling": ("on", "off"),
    "capot_by": ("tricks", "points"),
    "stacking": ("multiply", "add", "cap4"),
}


def manille_rules(options: dict[str, Any]) -> Rules:
    """Return the options, given as plain values, as numbers."""
    numbers = {name: values.index(options[name]) for name, values in VALUES.items()}
    return Rules(capot_factor=int(options["capot_factor"]), **numbers)


class Manille(NamedTuple):
    """Recorded deals of Manille: columns of the table of deals, a row or an element a deal."""

    hands: Numbers
    """deals x 4, sets as bits"""
    cards: Numbers
    """deals x 32, indices of cards in order of play"""
    leader: Numbers
    dealer: Numbers
    caller: Numbers
    en_face: Numbers
    blind: Numbers
    call: Numbers
    """0 C, 1 D, 2 H, 3 S, 4 NT"""
    doubled: Numbers
    redoubled: Numbers
    factor: Numbers
    points: Numbers
    """deals x 2; -1 for a deal that was forfeited"""
    tricks: Numbers
    scores: Numbers
    net_0: Numbers
    winner: Numbers
    capot: Numbers
    forfeit: Numbers


class Manchego(NamedTuple):
    """Recorded deals of Manchego."""

    hands: Numbers
    """deals x 3"""
    cards: Numbers
    """deals x 51"""
    leader: Numbers
    dealer: Numbers
    trump: Numbers
    turned: Numbers
    """index of the turned card"""
    bids: Numbers
    tricks: Numbers
    distances: Numbers
    scores: Numbers


def column(table: pd.DataFrame, name: str) -> Numbers:
    """Return a column as whole numbers: codes of categories, -1 for what is missing."""
    values = table[name]
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.cat.codes.to_numpy().astype(np.int64)
    return values.fillna(-1).to_numpy().astype(np.int64)


def columns(table: pd.DataFrame, *names: str) -> Numbers:
    """Return columns side by side."""
    return np.ascontiguousarray(np.stack([column(table, name) for name in names], axis=1))


def card_columns(table: pd.DataFrame, number: int) -> Numbers:
    """Return the cards in order of play."""
    return columns(table, *(f"card_{place:02d}" for place in range(number)))


def read_manille(table: pd.DataFrame) -> Manille:
    """Return the table of recorded deals in the form that is checked."""
    assert list(table["call"].cat.categories) == ["C", "D", "H", "S", "NT"]
    plain = {name: column(table, name) for name in Manille._fields if name in table.columns}
    for_sides = {name: columns(table, f"{name}_0", f"{name}_1") for name in ("points", "tricks")}
    hands, scores = columns(table, "hand_0", "hand_1", "hand_2", "hand_3"), columns(table, "score_0", "score_1")
    return Manille(hands=hands, cards=card_columns(table, 32), scores=scores, **plain, **for_sides)


def read_manchego(table: pd.DataFrame) -> Manchego:
    """Return the table of recorded deals in the form that is checked."""
    assert list(table["trump"].cat.categories) == ["C", "D", "H", "S"]
    assert list(table["turned"].cat.categories) == [suit + rank for suit in "CDHS" for rank in "23456789TJQKA"]
    by_seat = {name: columns(table, *(f"{name}_{seat}" for seat in range(3))) for name in ("hand", "bid", "tricks", "distance", "score")}
    return Manchego(
        by_seat["hand"], card_columns(table, 51), column(table, "leader"), column(table, "dealer"), column(table, "trump"), column(table, "turned"),
        by_seat["bid"], by_seat["tricks"], by_seat["distance"], by_seat["score"],
    )  # fmt: skip


def validate(run: Any, table: pd.DataFrame | None = None) -> Numbers:
    """Return the first fault of every recorded deal of a run, as an index into ``FAULTS``.

    Parameters
    ----------
    run : Run
        Made with ``record="plays"``.
    table : DataFrame, optional
        The deals to check in place of the run's own.
    """
    deals = run.deals if table is None else table
    options = run.game.rules.as_dict()
    faults = np.zeros(len(deals), np.int64)
    if run.game.family == "manille":
        check_manille(read_manille(deals), manille_rules(options), faults)
    else:
        check_manchego(read_manchego(deals), int(options["hook"] == "on"), int(options["scoring"] == "gain"), faults)
    return faults


def report(run: Any, faults: Numbers, most: int = 3) -> str:
    """Return the number of faulty deals, and the first of them in words."""
    wrong = np.flatnonzero(faults)
    lines = [f"{len(wrong)} of {len(faults)} deals of {run.name} are faulty"]
    return "\n".join(lines + [f"deal {run.first + place}: {FAULTS[faults[place]]}" for place in wrong[:most]])


@njit
def suit_of(card: int, ranks: int) -> int:
    return card // ranks


@njit
def rank_of(card: int, ranks: int) -> int:
    return card % ranks


@njit
def worth(card: int) -> int:
    """Return the card points of a Manille card; its ranks are 7 8 9 J Q K A 10, from 0."""
    rank = rank_of(card, 8)
    if rank < 3:
        return 0
    return rank - 2


@njit
def place_winning(trick: Numbers, count: int, trump: int, ranks: int) -> int:
    """Return the place of the winning card among the first ``count`` of a trick."""
    best = 0
    for place in range(1, count):
        same_suit = suit_of(trick[place], ranks) == suit_of(trick[best], ranks)
        if same_suit and rank_of(trick[place], ranks) > rank_of(trick[best], ranks):
            best = place
        if not same_suit and suit_of(trick[place], ranks) == trump:
            best = place
    return best


@njit
def take_hands(bits: Numbers, hands: NDArray[np.bool_], size: int, left_out: int) -> bool:
    """Write hands as yes and no for each card; return whether they are a deal of the pack, without the card left out."""
    for card in range(hands.shape[1]):
        holders = 0
        for seat in range(hands.shape[0]):
            hands[seat, card] = (bits[seat] >> card) % 2 == 1
            if hands[seat, card]:
                holders += 1
        if holders != (0 if card == left_out else 1):
            return False
    for seat in range(hands.shape[0]):
        held = 0
        for card in range(hands.shape[1]):
            if hands[seat, card]:
                held += 1
        if held != size or bits[seat] >> hands.shape[1] != 0:
            return False
    return True


@njit
def may_play(card: int, hand: NDArray[np.bool_], trick: Numbers, count: int, trump: int, rules: Rules) -> bool:
    """Return whether a card that is held may be played to a Manille trick in which ``count`` cards lie."""
    if count == 0:
        return True
    led = suit_of(trick[0], 8)
    best_place = place_winning(trick, count, trump, 8)
    best = trick[best_place]
    partner = best_place == count - 2
    of_led, of_led_higher, over, under, plain = 0, 0, 0, 0, 0
    for other in range(32):
        if hand[other]:
            suit = suit_of(other, 8)
            higher = suit == suit_of(best, 8) and rank_of(other, 8) > rank_of(best, 8)
            if suit == led:
                of_led += 1
                of_led_higher += 1 if higher else 0
            if suit != trump:
                plain += 1
            elif higher or suit_of(best, 8) != trump:
                over += 1
            else:
                under += 1
    higher = suit_of(card, 8) == suit_of(best, 8) and rank_of(card, 8) > rank_of(best, 8)
    if of_led > 0:
        return may_follow(card, led, higher, of_led_higher, suit_of(best, 8), partner, trump, rules)
    if over + under == 0:
        return True
    return may_play_void(suit_of(card, 8) == trump, higher, over, plain, suit_of(best, 8) == trump, partner, rules)


@njit
def may_follow(card: int, led: int, higher: bool, can_go_higher: int, best_suit: int, partner: bool, trump: int, rules: Rules) -> bool:
    """Return whether a seat that holds the suit led may play a card."""
    if suit_of(card, 8) != led:
        return False
    if best_suit != led or can_go_higher == 0:
        return True
    duty = rules.must_beat == ALWAYS or (rules.must_beat == OPPONENT and not partner)
    if led == trump and partner and rules.trump_lead_over_partner == 1:
        duty = True
    return higher or not duty


@njit
def may_play_void(is_trump: bool, higher: bool, over: int, plain: int, trumped: bool, partner: bool, rules: Rules) -> bool:
    """Return whether a seat with trumps and without the suit led may play a card."""
    if not trumped:
        return is_trump or partner or rules.ruff == FREE
    goes_over, goes_under = is_trump and higher, is_trump and not higher
    nothing_else = plain == 0 and over == 0
    if partner:
        return not goes_under or nothing_else or rules.undertrump_under_partner == ALLOWED
    if rules.ruff == FREE:
        banned = rules.undertrump == FORBIDDEN or (rules.overruff == MUST and over > 0)
        return not (goes_under and banned) or nothing_else
    if over > 0:
        return goes_over or (is_trump and rules.overruff == FREE and rules.undertrump != FORBIDDEN)
    if rules.undertrump == FORBIDDEN:
        return not is_trump or plain == 0
    return is_trump or (rules.overruff == MUST and rules.undertrump == ALLOWED)


@njit
def replay_manille(deal: int, d: Manille, rules: Rules, hands: NDArray[np.bool_], trick: Numbers, points: Numbers, tricks: Numbers) -> int:
    """Play a recorded deal again, counting; return the fault of its cards."""
    trump = d.call[deal] if d.call[deal] != NO_TRUMP else -1
    leader = (d.dealer[deal] + 1) % 4
    if d.leader[deal] != leader:
        return FIRST_LEADER
    for number in range(8):
        for place in range(4):
            card = d.cards[deal, 4 * number + place]
            seat = (leader + place) % 4
            if card < 0 or card >= 32 or not hands[seat, card]:
                return NOT_HELD
            if not may_play(card, hands[seat], trick, place, trump, rules):
                return NOT_LEGAL
            hands[seat, card] = False
            trick[place] = card
        leader = (leader + place_winning(trick, 4, trump, 8)) % 4
        tricks[leader % 2] += 1
        for place in range(4):
            points[leader % 2] += worth(trick[place])
    return FINE


@njit
def factor_of(deal: int, d: Manille, capot: bool, rules: Rules) -> int:
    """Return by what the excess of an independent deal is multiplied."""
    doubles = d.doubled[deal] + d.redoubled[deal]
    no_trump = 1 if d.call[deal] == NO_TRUMP else 0
    counts_capot = capot and rules.capot_factor == 2
    if rules.stacking == ADD:
        return 1 + doubles + (3 if d.blind[deal] else no_trump) + (1 if counts_capot else 0)
    product = 1
    for _ in range(doubles):
        product *= 2
    product *= 4 if d.blind[deal] else 1 + no_trump
    product *= 2 if counts_capot else 1
    return min(product, 4) if rules.stacking == CAP4 else product


@njit
def auction_fault(deal: int, d: Manille, rules: Rules) -> int:
    """Return the fault of what was said before the play."""
    call, faced, blind = d.call[deal], d.en_face[deal], d.blind[deal]
    if call < 0 or call > NO_TRUMP or (faced and not rules.en_face) or (blind and not rules.blind_no_trump):
        return CALL
    if blind and (call != NO_TRUMP or faced):
        return CALL
    if d.caller[deal] != (d.dealer[deal] + (2 if faced else 0)) % 4:
        return CALL
    if (d.doubled[deal] and rules.doubling != 0) or (d.redoubled[deal] and not d.doubled[deal]):
        return DOUBLES
    return FINE


@njit
def forfeit_fault(deal: int, d: Manille) -> int:
    """Return the fault of the result of a deal that a seat forfeited: 30 points to the other side and nothing else."""
    loser = d.forfeit[deal] % 2
    for side in range(2):
        if d.points[deal, side] != -1 or d.tricks[deal, side] != -1:
            return POINTS
        if d.scores[deal, side] != (0 if side == loser else 30):
            return SCORES
    if d.net_0[deal] != d.scores[deal, 0] - d.scores[deal, 1]:
        return SCORES
    if d.winner[deal] != 1 - loser:
        return WINNER
    return CAPOT if d.capot[deal] else FINE


@njit
def result_fault(deal: int, d: Manille, rules: Rules, points: Numbers, tricks: Numbers) -> int:
    """Return the fault of a deal's result, given what was won."""
    winner, capot = -1, False
    for side in range(2):
        if d.tricks[deal, side] != tricks[side]:
            return TRICKS
        if d.points[deal, side] != points[side]:
            return POINTS
        if points[side] > 30:
            winner = side
            capot = points[side] == 60 if rules.capot_by == 1 else tricks[side] == 8
    if d.capot[deal] != capot:
        return CAPOT
    factor = factor_of(deal, d, capot, rules)
    if d.factor[deal] != factor:
        return FACTOR
    for side in range(2):
        if d.scores[deal, side] != (factor * (points[side] - 30) if side == winner else 0):
            return SCORES
    if d.net_0[deal] != d.scores[deal, 0] - d.scores[deal, 1]:
        return SCORES
    return FINE if d.winner[deal] == winner else WINNER


@njit(nogil=True)
def check_manille(d: Manille, rules: Rules, faults: Numbers) -> None:
    """Write the first fault of every deal."""
    hands = np.zeros((4, 32), np.bool_)
    trick, points, tricks = np.zeros(4, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    for deal in range(len(faults)):
        points[:] = 0
        tricks[:] = 0
        dealer = (d.dealer[0] + deal) % 4
        if not take_hands(d.hands[deal], hands, 8, -1):
            faults[deal] = NOT_A_DEAL
        elif d.dealer[deal] != dealer or dealer < 0:
            faults[deal] = DEALER
        else:
            faults[deal] = auction_fault(deal, d, rules)
        if faults[deal] == FINE:
            faults[deal] = replay_manille(deal, d, rules, hands, trick, points, tricks)
        if faults[deal] == FINE:
            faults[deal] = result_fault(deal, d, rules, points, tricks) if d.forfeit[deal] == -1 else forfeit_fault(deal, d)


@njit
def replay_manchego(deal: int, d: Manchego, hands: NDArray[np.bool_], trick: Numbers, tricks: Numbers) -> int:
    """Play a recorded deal again, counting; return the fault of its cards."""
    leader = (d.dealer[deal] + 1) % 3
    if d.leader[deal] != leader:
        return FIRST_LEADER
    for number in range(17):
        for place in range(3):
            card = d.cards[deal, 3 * number + place]
            seat = (leader + place) % 3
            if card < 0 or card >= 52 or not hands[seat, card]:
                return NOT_HELD
            if place > 0 and suit_of(card, 13) != suit_of(trick[0], 13):
                for other in range(52):
                    if hands[seat, other] and suit_of(other, 13) == suit_of(trick[0], 13):
                        return NOT_LEGAL
            hands[seat, card] = False
            trick[place] = card
        leader = (leader + place_winning(trick, 3, d.trump[deal], 13)) % 3
        tricks[leader] += 1
    return FINE


@njit
def bids_fault(deal: int, d: Manchego, hook: int) -> int:
    """Return the fault of the bids."""
    total = 0
    for seat in range(3):
        if d.bids[deal, seat] < 0 or d.bids[deal, seat] > 17:
            return CALL
        total += d.bids[deal, seat]
    return CALL if hook and total == 17 else FINE


@njit
def scores_fault(deal: int, d: Manchego, gain: int, tricks: Numbers) -> int:
    """Return the fault of a deal's result, given the tricks won."""
    for seat in range(3):
        if d.tricks[deal, seat] != tricks[seat]:
            return TRICKS
        if d.distances[deal, seat] != abs(tricks[seat] - d.bids[deal, seat]):
            return DISTANCES
    for seat in range(3):
        score = 0
        for other in range(3):
            difference = d.distances[deal, other] - d.distances[deal, seat]
            score += difference if difference > 0 or not gain else 0
        if d.scores[deal, seat] != score:
            return SCORES
    return FINE


@njit(nogil=True)
def check_manchego(d: Manchego, hook: int, gain: int, faults: Numbers) -> None:
    """Write the first fault of every deal."""
    hands = np.zeros((3, 52), np.bool_)
    trick, tricks = np.zeros(3, np.int64), np.zeros(3, np.int64)
    for deal in range(len(faults)):
        tricks[:] = 0
        dealer = (d.dealer[0] + deal) % 3
        if not take_hands(d.hands[deal], hands, 17, d.turned[deal]) or d.trump[deal] != suit_of(d.turned[deal], 13):
            faults[deal] = NOT_A_DEAL
        elif d.dealer[deal] != dealer or dealer < 0:
            faults[deal] = DEALER
        else:
            faults[deal] = bids_fault(deal, d, hook)
        if faults[deal] == FINE:
            faults[deal] = replay_manchego(deal, d, hands, trick, tricks)
        if faults[deal] == FINE:
            faults[deal] = scores_fault(deal, d, gain, tricks)
