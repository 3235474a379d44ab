"""The rows of a Manille block and the view that agents read.

"Trick order" is the order of play in the trick at hand: place 0 leads. During the auction place 0 is the seat left of
the dealer, so the dealer is place 3, the dealer's partner place 1, and the opponents speak as places 0 and 2.
"""

from __future__ import annotations

from typing import NamedTuple

from trickbench.games.rows import LANES, READS_FEW, READS_REST, READS_WORD, Rows

PLAYERS = 4
TRICKS = 8
CARDS = 32

# Decisions
CALL_BLIND, CALL_DEALER, CALL_PARTNER = 2, 0, 1
DOUBLE_LEFT, DOUBLE_RIGHT = 3, 4
REDOUBLE_DEALER, REDOUBLE_PARTNER = 5, 6
PLAY = 16

# Call bits: 0..3 suits, then
NT_CALL, EN_FACE, LOOK = 4, 5, 6
NO_CALL = 31

_rows = Rows()

# What a seat may know. Numbers that are the same for all lanes stand in the header: HEADER + 0, 1, 2.
HEADER = _rows.one()
DECISION, TRICK, POSITION = 0, 1, 2
HAND, LEGAL, PARTNER_WINNING = _rows.one(), _rows.one(), _rows.one()
TRUMP, PLAYED, LED, BEST, TRICK_POINTS = _rows.one(), _rows.one(), _rows.one(), _rows.one(), _rows.one()
TABLE = _rows.many(3)
"""The cards of this trick of left, partner, right."""
CANNOT = _rows.many(3)
"""The cards that plays exclude for left, partner, right."""
DEALER, CALLER, CALL, FACTOR = _rows.one(), _rows.one(), _rows.one(), _rows.one()
ASKED, DOUBLED, REDOUBLED = _rows.one(), _rows.one(), _rows.one()
POINTS_US, POINTS_THEM, TRICKS_US, TRICKS_THEM = _rows.one(), _rows.one(), _rows.one(), _rows.one()
SCORE_US, SCORE_THEM, CARRY = _rows.one(), _rows.one(), _rows.one()
WORD = _rows.one()
MINE, CHOICE = _rows.one(), _rows.one()
HISTORY = _rows.many(CARDS)
"""The cards in order of play (kept only when something reads them)."""
LEADERS = _rows.many(TRICKS)
"""Who led each trick, by absolute seat (kept with the cards); relative to the seat that is asked: (LEADERS - SEAT) mod 4."""
SEAT = _rows.one()
VIEW_SIZE = _rows.size

# Only oracles are handed this slice too.
OTHER_HANDS = _rows.many(3)
"""The hands of left, partner, right."""
ORACLE_SIZE = _rows.size

# The deal, in trick order
HANDS = _rows.many(4)
WORDS = _rows.many(4)
LEADER = _rows.one()
"""Absolute seat of place 0."""
ON_TABLE = _rows.many(4)
WINNER = _rows.one()
"""Place of the winning card."""
EXCLUDED = _rows.many(4)
POINTS = _rows.many(2)
"""Of the leader's side, of the other side."""
TRICKS_WON = _rows.many(2)
SCORES = _rows.many(2)
BLIND = _rows.one()
"""1: no-trump was called blind."""
FORFEIT = _rows.one()
"""1 + the seat that forfeited; 0: nobody."""

# The deal, by absolute seat
DEALT = _rows.many(4)
"""The hands as dealt."""
PLACES = _rows.one()
"""While dealing: how many cards each seat still gets, 8 bits a seat."""
DEALER_SEAT = _rows.one()
DEAL_SCORES = _rows.many(2)
"""Of this deal, by side: seats 0+2, then 1+3."""
NEXT_CARRY = _rows.one()
"""The factor that this deal leaves to the next."""
CELL = _rows.one()

# The game and the match that the deal belongs to
TOTALS = _rows.many(2)
"""Scores of the game before this deal, by side."""
WON = _rows.many(2)
"""Games of the match that each side has won."""
FIRST_DEALER, DEALS_PLAYED, GAMES_PLAYED = _rows.one(), _rows.one(), _rows.one()
"""Who dealt first in this game; its deals before this one; the games of the match before this one."""

# The engine's
COUNTER = _rows.many(2)
"""Which deal this is, as the first two words of a random word's counter: index, and above its 48 bits the number within the game."""
LIVE = _rows.one()
"""1: this lane counts."""
NEEDED = _rows.one()
"""1: this lane asks the decision at hand."""
TAKEN = _rows.one()
"""The choice of whoever is asked."""
SIZE = _rows.size


class View(NamedTuple):
    """What a Manille seat may know when it is asked; integers, sets as bits (0 for none).

    Seats are relative: left plays next after me, then partner, then right.
    """

    hand: int
    legal: int
    """the legal choices; return one bit of it"""
    played: int
    """all cards played in this deal, this trick's included"""
    led: int
    """the suit led as a set; 0 when leading"""
    trump: int
    """the trump suit as a set; 0 at no-trump and before the call"""
    best: int
    """the winning card; 0 when leading"""
    partner_winning: int
    """0 or 1"""
    card_left: int
    """left's card in this trick; 0 if not played"""
    card_partner: int
    card_right: int
    position: int
    """0..3: how many cards lie in this trick"""
    trick: int
    """0..7"""
    trick_points: int
    """card points in this trick so far"""
    cannot_left: int
    """cards that left's plays exclude from its hand"""
    cannot_partner: int
    cannot_right: int
    dealer: int
    """0 me, 1 left, 2 partner, 3 right"""
    caller: int
    """who names the trump: the dealer, or the dealer's partner after en face"""
    asked: int
    """1: en face was said"""
    call: int
    """0 C, 1 D, 2 H, 3 S, 4 NT; 31 before the call"""
    doubled: int
    """0 or 1"""
    redoubled: int
    """0 or 1"""
    factor: int
    """combined factor so far, carry included"""
    points_us: int
    """card points won so far"""
    points_them: int
    tricks_us: int
    tricks_them: int
    score_us: int
    """of the game, before this deal"""
    score_them: int
    carry: int
    """factor that ties carried to this deal; 1 for none"""
    target: int
    """points that end a game; 0 for none"""
    word: int
    """a random number of 32 bits, this seat's own for this decision"""


_FEW = ("hand", "cannot_left", "cannot_partner", "cannot_right", "dealer", "caller")
_REST = ("card_left", "card_partner", "card_right", "points_us", "points_them", "tricks_us", "tricks_them", "score_us", "score_them")
GROUPS = {"word": READS_WORD} | dict.fromkeys(_FEW, READS_FEW) | dict.fromkeys(_REST, READS_REST)
"""Fields of the view that are copied for whoever is to play; the other fields are the same for all seats, or needed by the engine."""

__all__ = [name for name in dir() if name.isupper()] + ["View", "LANES"]
