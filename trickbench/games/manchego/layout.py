"""The rows of a Manchego block and the view that agents read.

"Trick order" is the order of play in the trick at hand: place 0 leads. While bidding place 0 is the seat left of the dealer,
so the dealer is place 2.
"""

from __future__ import annotations

from typing import NamedTuple

from trickbench.games.rows import READS_FEW, READS_REST, READS_WORD, Rows

PLAYERS = 3
TRICKS = 17
CARDS = 51
PACK = 52

# Decisions
BID = 8
PLAY = 16

NO_BID = 31

_rows = Rows()

# What a seat may know. Numbers that are the same for all lanes stand in the header: HEADER + 0, 1, 2.
HEADER = _rows.one()
DECISION, TRICK, POSITION = 0, 1, 2
HAND, LEGAL, PLAYED, TURNED = _rows.one(), _rows.one(), _rows.one(), _rows.one()
LED, TRUMP, BEST = _rows.one(), _rows.one(), _rows.one()
TABLE = _rows.many(2)
"""The cards of this trick of left, right."""
CANNOT = _rows.many(2)
"""The cards that plays exclude for left, right."""
DEALER = _rows.one()
BIDS_SEEN = _rows.many(3)
"""Of me, left, right; NO_BID before it is made."""
TRICKS_SEEN = _rows.many(3)
SCORES_SEEN = _rows.many(3)
WORD = _rows.one()
MINE, CHOICE = _rows.one(), _rows.one()
HISTORY = _rows.many(CARDS)
"""The cards in order of play (kept only when something reads them)."""
LEADERS = _rows.many(TRICKS)
"""Who led each trick, by absolute seat (kept with the cards); relative to the seat that is asked: (LEADERS - SEAT) mod 3."""
SEAT = _rows.one()
VIEW_SIZE = _rows.size

# Only oracles are handed this slice too.
OTHER_HANDS = _rows.many(2)
"""The hands of left, right."""
ORACLE_SIZE = _rows.size

# The deal, in trick order
HANDS = _rows.many(3)
WORDS = _rows.many(3)
EXCLUDED = _rows.many(3)
ON_TABLE = _rows.many(3)
BIDS = _rows.many(3)
TRICKS_WON = _rows.many(3)
SCORES = _rows.many(3)
LEADER = _rows.one()
"""Absolute seat of place 0."""
WINNER = _rows.one()
"""Place of the winning card."""

# The deal, by absolute seat
DEALT = _rows.many(4)
"""The hands as dealt; the fourth "hand" is the turned card."""
PLACES = _rows.one()
"""While dealing: how many cards each seat still gets, 8 bits a seat."""
DEALER_SEAT = _rows.one()
DEAL_SCORES = _rows.many(3)
"""Of this deal."""
CELLS = _rows.many(3)
"""Where each seat's result is counted."""
BID_SUM = _rows.one()
CODE = _rows.one()
"""The deal's result as one number."""

# The game that the deal belongs to
TOTALS = _rows.many(3)
"""Scores of the game before this deal, by seat."""
WON = _rows.many(3)
"""Games of the match that each seat has won."""
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
    """What a Manchego seat may know when it is asked; integers, sets as bits (0 for none).

    Seats are relative: left plays next after me, then right.
    """

    hand: int
    legal: int
    """the legal choices; return one bit of it: a card, or 1 << bid"""
    played: int
    """all cards played in this deal, this trick's included"""
    turned: int
    """the turned card, which is nobody's"""
    led: int
    """the suit led as a set; 0 when leading"""
    trump: int
    """the trump suit as a set"""
    best: int
    """the winning card; 0 when leading"""
    card_left: int
    """left's card in this trick; 0 if not played"""
    card_right: int
    position: int
    """0..2: how many cards lie in this trick"""
    trick: int
    """0..16"""
    cannot_left: int
    """cards that left's plays exclude from its hand"""
    cannot_right: int
    dealer: int
    """0 me, 1 left, 2 right"""
    bid_me: int
    """31 before it is made"""
    bid_left: int
    bid_right: int
    tricks_me: int
    tricks_left: int
    tricks_right: int
    score_me: int
    """of the game, before this deal"""
    score_left: int
    score_right: int
    target: int
    """points that end a game; 0 for none"""
    word: int
    """a random number of 32 bits, this seat's own for this decision"""


_FEW = ("bid_me", "bid_left", "bid_right", "tricks_me", "tricks_left", "tricks_right")
_REST = ("hand", "card_left", "card_right", "cannot_left", "cannot_right", "dealer", "score_me", "score_left", "score_right")
GROUPS = {"word": READS_WORD} | dict.fromkeys(_FEW, READS_FEW) | dict.fromkeys(_REST, READS_REST)
"""Fields of the view that are copied for whoever is to play; the other fields are the same for all seats, or needed by the engine."""
