"""What the doubler ``calibrated`` sees in a hand when trump is known."""

from __future__ import annotations

import trickbench
from trickbench.bits import popcount
from trickbench.cards import MANILLE
from trickbench.games.manille.rules import CLUBS, DIAMONDS, HEARTS, SPADES, points
from trickbench.games.manille.sets import shadow

TENS, ACES, KINGS = (MANILLE.rank(letter) for letter in "TAK")
PACK = MANILLE.all
FEATURES = (
    "one", "trumps", "trump points", "trump ten", "trump ace", "trump king", "tens", "aces", "kings", "ten with ace", "masters", "voids",
    "singletons", "voids with trumps", "longest", "en face", "kept",
)  # fmt: skip
"""What the weights belong to, in order. From tens on, of suits that are not trump; masters: cards that nobody can beat in suit before the first
trick; longest: cards of the longest of these suits; en face: 1 if the dealer handed the call to its partner; kept: 1 if it could have and did not."""


@trickbench.kernel
def plain_suit(hand: int, suit: int, trump: int) -> tuple[int, int, int]:
    """Return length, void (0 or 1) and singleton (0 or 1) of a suit; zeros for trump."""
    counts = 0 if suit == trump else 1
    length = popcount(hand & suit) * counts
    return length, (counts if length == 0 else 0), (1 if length == 1 else 0)


@trickbench.kernel
def features(
    hand: int, trump: int, asked: int, may_pass: int
) -> tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int]:
    """Return the features of a hand, in the order of ``FEATURES``; ``may_pass``: 1 if the rules have en face."""
    trumps, plain = hand & trump, hand & ~trump
    c, d = plain_suit(hand, CLUBS, trump), plain_suit(hand, DIAMONDS, trump)
    h, s = plain_suit(hand, HEARTS, trump), plain_suit(hand, SPADES, trump)
    voids = c[1] + d[1] + h[1] + s[1]
    longest = c[0] if c[0] > d[0] else d[0]
    longest = h[0] if h[0] > longest else longest
    return (
        1,
        popcount(trumps),
        points(trumps),
        popcount(trumps & TENS),
        popcount(trumps & ACES),
        popcount(trumps & KINGS),
        popcount(plain & TENS),
        popcount(plain & ACES),
        popcount(plain & KINGS),
        popcount(plain & TENS & ((plain & ACES) << 1)),
        popcount(plain & ~shadow(PACK & ~hand)),
        voids,
        c[2] + d[2] + h[2] + s[2],
        voids if trumps != 0 else 0,
        s[0] if s[0] > longest else longest,
        asked,
        may_pass & (asked ^ 1),
    )
