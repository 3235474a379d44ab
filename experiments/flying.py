"""One card player of Manille in three forms, from slow to fast: trickbench check experiments/flying.py:selects --game manillen

The policy: take a trick that the opponents are winning with the cheapest card that takes it, if it holds points; else play a low card. All three
forms play the same cards; docs/fast-agents.md tells what makes the difference.
"""

from __future__ import annotations

from trickbench import kernel
from trickbench.games.manille.layout import View
from trickbench.games.manille.sets import lowest_rank, winners


def plain(view: View) -> int:
    """Play a card; called from Python, once a decision."""
    if view.trick_points > 0 and not view.partner_winning:
        takes = [1 << card for card in range(32) if winners(view.legal, view.best, view.led, view.trump) >> card & 1]
        if takes:
            return min(takes, key=lambda card: (card & view.trump != 0, (card.bit_length() - 1) % 8, card))
    return lowest_rank(view.legal)


@kernel
def branches(view: View) -> int:
    """Play a card; compiled, one lane after the other, because of the loop and the returns."""
    if view.trick_points > 0 and view.partner_winning == 0:
        takes = winners(view.legal, view.best, view.led, view.trump)
        found = 0
        while takes != 0:
            card = takes & -takes
            takes ^= card
            if found == 0 or cheaper(card, found, view.trump):
                found = card
        if found != 0:
            return found
    return lowest_rank(view.legal)


@kernel
def cheaper(card: int, than: int, trump: int) -> bool:
    """Return True if a card is a plain one and the other a trump, or of a lower rank where both are of a kind."""
    if (card & trump != 0) != (than & trump != 0):
        return than & trump != 0
    return lowest_rank(card | than) == card


@kernel
def selects(view: View) -> int:
    """Play a card; compiled, sixteen lanes at a time: everything is computed, then one value is chosen."""
    takes = winners(view.legal, view.best, view.led, view.trump)
    plain_takes = takes & ~view.trump
    cheapest = lowest_rank(plain_takes if plain_takes != 0 else takes)
    wanted = (view.trick_points > 0) & (view.partner_winning == 0) & (takes != 0)
    return cheapest if wanted else lowest_rank(view.legal)
