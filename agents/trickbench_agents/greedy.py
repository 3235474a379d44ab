"""greedy: looks at the trick at hand and no further."""

from __future__ import annotations

import trickbench
from trickbench.games.manchego import sets as french
from trickbench.games.manchego.layout import View as ManchegoView
from trickbench.games.manille import sets as manille
from trickbench.games.manille.layout import View as ManilleView


@trickbench.kernel
def play_manille(view: ManilleView) -> int:
    """Win as cheaply as possible, give points to partner, discard low; lead the highest card."""
    winners = manille.winners(view.legal, view.best, view.led, view.trump)
    plain = view.legal & ~view.trump
    by_plain = manille.lowest_rank(winners & ~view.trump)
    win = by_plain if by_plain != 0 else manille.lowest_rank(winners)
    give = manille.highest_rank(plain) if plain != 0 else manille.lowest_rank(view.legal)
    duck = manille.lowest_rank(plain) if plain != 0 else manille.lowest_rank(view.legal)
    follow = win if winners != 0 else duck
    follow = give if view.partner_winning != 0 else follow
    return manille.highest_rank(view.legal) if view.led == 0 else follow


@trickbench.kernel
def play_manchego(view: ManchegoView) -> int:
    """Take tricks while the bid is not reached, duck after that."""
    winners = french.winners(view.legal, view.best, view.led, view.trump)
    losers = view.legal & ~winners
    low, high = french.lowest_rank(view.legal), french.highest_rank(view.legal)
    last = view.position == 2
    take = french.lowest_rank(winners) if last else french.highest_rank(winners)
    take = take if winners != 0 else low
    duck = french.highest_rank(losers) if losers != 0 else (high if last else low)
    take = high if view.led == 0 else take
    duck = low if view.led == 0 else duck
    return take if view.bid_me > view.tricks_me else duck


agent = trickbench.Agent(
    name="greedy",
    summary="wins what it can cheaply, gives points to partner, discards low; Manchego: takes while it needs tricks, ducks after",
    manille={"play": play_manille},
    manchego={"play": play_manchego},
    uses_word=False,
)
