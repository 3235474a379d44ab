"""Whole games and matches, against a plain statement of what begins, carries over and ends them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trickbench
from tests.twins import manchego as manchego_twin
from tests.twins import manille as manille_twin
from trickbench import UsageError
from trickbench.bits import pick
from trickbench.cli import main
from trickbench.errors import AgentError, RunError
from trickbench.game_story import GameStory, show_game
from trickbench.match import GameRun, play_games
from trickbench.streams import first_dealer, words

SEED = 5
FULL = "play=heuristic,call=heuristic,double=heuristic,redouble=heuristic"
GAMES = {
    "manillen": ("manillen", {}),
    "one game": ("manillen", {"best_of": 1}),
    "accumulate, best of five": ("manillen", {"tie_carry": "accumulate", "best_of": 5, "target": 60}),
    "no carry, added up": ("manillen", {"tie_carry": "none", "stacking": "add"}),
    "added up, carry": ("manillen", {"tie_carry": "accumulate", "stacking": "add", "best_of": 1}),
    "eight deals, best of three": ("manille", {"game_deals": 8, "best_of": 3, "tie_carry": "flat"}),
    "four deals, can be drawn": ("manille", {"game_deals": 4}),
    "whichever comes first": ("manille", {"game_deals": 6, "target": 30}),
    "manchego": ("manchego", {}),
    "manchego, target": ("manchego", {"target": 20}),
    "manchego, gain, target": ("manchego", {"target": 25, "scoring": "gain"}),
    "manchego, time": ("manchego", {"minutes": 7, "seconds_per_deal": 100}),
}


def agents_for(name: str) -> list[str]:
    return ["play=random,call=random", "greedy"] if name != "manchego" else ["greedy", "play=random,bid=sure-tricks", "heuristic"]


def scores_of(game: Any, row: dict[str, Any], carry: int) -> list[int]:
    """Return the scores of a deal by the plain rules."""
    options = game.rules.as_dict()
    if game.family == "manchego":
        return manchego_twin.scores([row[f"bid_{s}"] for s in range(3)], [row[f"tricks_{s}"] for s in range(3)], options)
    doubles = int(row["doubled"]) + int(row["redoubled"])
    sides = ((row["points_0"], row["tricks_0"]), (row["points_1"], row["tricks_1"]))
    return [manille_twin.score(p, t, row["call"] == "NT", bool(row["blind"]), doubles, carry, options) for p, t in sides]


def limit_of(options: dict[str, Any]) -> int:
    """Return after how many deals a game ends, or a number it does not reach."""
    limits = [options["game_deals"] or 10**9]
    if options.get("minutes"):
        deals = 0
        while deals * options["seconds_per_deal"] < options["minutes"] * 60:
            deals += 1
        limits.append(deals)
    return min(limits)


def follow(game: Any, deals: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the games of a match as the plain rules see its deals; fails where a deal should not have been."""
    options, sides = game.rules.as_dict(), game.sides
    totals, won, carry, begun = [0] * sides, [0] * sides, 1, 0
    rows = deals.to_dict("records")
    for number, row in enumerate(rows):
        assert int(row["dealer"]) == (int(rows[0]["dealer"]) + number) % game.players
        scores = scores_of(game, row, carry)
        assert scores == [row[f"score_{side}"] for side in range(sides)]
        totals = [total + score for total, score in zip(totals, scores, strict=True)]
        if game.family == "manille":
            assert row["carry"] == carry
            carry = manille_twin.next_carry(int(row["points_0"]), carry, options)
        if (options["target"] and max(totals) >= options["target"]) or number - begun + 1 == limit_of(options):
            winners = [side for side in range(sides) if totals[side] == max(totals)]
            yield {"dealer": int(rows[begun]["dealer"]), "deals": number - begun + 1, "scores": totals, "winners": winners}
            if len(winners) == 1:
                won[winners[0]] += 1
            over = options.get("best_of", 1) == 1 or max(won) > options["best_of"] // 2
            assert over == (number == len(rows) - 1), "the match ends when it is won"
            totals, carry, begun = [0] * sides, 1, number + 1


@pytest.mark.parametrize("name", GAMES)
def test_games_go_as_the_plain_rules_say(name: str) -> None:
    family, options = GAMES[name]
    game = trickbench.game(family, **options)
    run = play_games(game, agents_for(family), 12, seed=SEED, workers=1)
    for index in range(12):
        story = show_game(game, agents_for(family), SEED, index)
        own = run.games[run.games["match"] == index]
        found = list(follow(game, story.deals))
        assert story.deals["dealer"].iloc[0] == (first_dealer(SEED, game.players) + index) % game.players
        assert len(found) == len(own)
        assert own["game"].tolist() == list(range(len(own)))
        for told, row, kept in zip(found, own.to_dict("records"), story.data["games"], strict=True):
            assert told["scores"] == [row[f"score_{side}"] for side in range(game.sides)] == kept["scores"]
            assert (told["dealer"], told["deals"]) == (row["dealer"], row["deals"])
            assert row["winner"] == (told["winners"][0] if len(told["winners"]) == 1 else -1)
            assert told["winners"] == kept["winners"]


@pytest.mark.parametrize("name", ["manillen", "manchego"])
def test_each_deal_of_a_game_has_cards_and_words_of_its_own(name: str) -> None:
    game = trickbench.game(name)
    story = show_game(game, ["play=random,call=random"] if name == "manillen" else ["random"], SEED, 3)
    assert len(story.deals) > 5
    for number, row in enumerate(story.deals.to_dict("records")):
        deal = game.deal(SEED, 3, number)
        assert deal.dealer == row["dealer"]
        assert [game.pack.text(int(row[f"hand_{seat}"])) for seat in range(game.players)] == list(deal.hands)
        leader = int(row["leader"])
        word = words(SEED, 3, number, 16, 0)[leader]
        assert 1 << int(row["card_00"]) == pick(int(row[f"hand_{leader}"]), word)


@pytest.mark.parametrize("name", ["manillen", "four deals, can be drawn", "manchego, target"])
def test_results_do_not_depend_on_workers_chunks_and_tiers(name: str) -> None:
    family, options = GAMES[name]
    game = trickbench.game(family, **options)
    whole = play_games(game, agents_for(family), 500, seed=SEED, workers=1)
    for workers, chunk in ((2, None), (1, 7), (3, 64)):
        again = play_games(game, agents_for(family), 500, seed=SEED, workers=workers, chunk=chunk)
        assert again.digest == whole.digest
        assert np.array_equal(again.rows, whole.rows)
    part = play_games(game, agents_for(family), 20, seed=SEED, first=100)
    assert part.games.equals(whole.games[whole.games["match"].between(100, 119)].reset_index(drop=True))


WIDTH = """
import trickbench
for name, agents in (("manillen", ["greedy", "play=random,call=random"]), ("manchego", ["greedy"])):
    print(trickbench.play_games(trickbench.game(name), agents, 300, seed=5, workers=2).digest)
"""


def test_results_do_not_depend_on_the_width_of_a_block() -> None:
    found = [
        subprocess.run([sys.executable, "-c", WIDTH], env={**os.environ, **width}, capture_output=True, text=True, check=True).stdout
        for width in ({}, {"TRICKBENCH_LANES": "16"})
    ]
    assert found[0] == found[1]
    assert found[0].count("\n") == 2


class Spy:
    """A plain agent that plays its lowest card and notes what it sees of the game."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, ...]] = []

    def play(self, view: Any) -> int:
        names = [name for name in type(view)._fields if name.startswith("score_") or name in ("carry", "target", "dealer")]
        if view.trick == 0:
            self.seen.append(tuple(getattr(view, name) for name in names))
        return int(view.legal & -view.legal)


@pytest.mark.parametrize(("name", "options"), [("manillen", {"tie_carry": "accumulate"}), ("manchego", {"target": 12})])
def test_views_show_the_scores_the_carry_and_the_target(name: str, options: dict[str, Any]) -> None:
    game = trickbench.game(name, **options)
    for index in range(8):
        spy = Spy()
        story = show_game(game, spy, SEED, index)
        deals, sides = story.deals, game.sides
        seen = spy.seen[: game.players * len(deals)]
        totals, ends = [0] * sides, np.cumsum([len(part["deals"]) for part in story.data["games"]]) - 1
        for number, row in enumerate(deals.to_dict("records")):
            for place, view in enumerate(seen[game.players * number : game.players * (number + 1)]):
                seat = (int(row["dealer"]) + 1 + place) % game.players
                around = [totals[(seat + away) % sides] for away in range(sides)]
                expected = [(int(row["dealer"]) - seat) % game.players, *around, *([row["carry"]] if name == "manillen" else []), game.rules.target]
                assert list(view) == expected
            totals = [0] * sides if number in ends else [total + row[f"score_{side}"] for side, total in enumerate(totals)]


def test_an_agent_can_play_by_the_score() -> None:
    @trickbench.kernel
    def bold_when_behind(view: Any) -> int:
        return trickbench.YES if view.score_us + 20 < view.score_them else trickbench.NO

    game = trickbench.game("manillen", best_of=1)
    agent = trickbench.Agent("bold", manille={"double": bold_when_behind})
    run = play_games(game, agent, 300, seed=SEED)
    doubled = run.outcomes.groupby("doubled")["count"].sum()
    assert 0.05 < doubled[True] / run.deals < 0.5
    assert not trickbench.simulate(game, agent, 2000, seed=SEED).outcomes["doubled"].any()


def test_tables_and_summary_agree_with_the_games() -> None:
    run = play_games(trickbench.game("manillen"), [FULL, "greedy"], 400, seed=SEED)
    games, matches = run.games, run.matches
    assert len(matches) == run.count == 400
    assert matches["games"].sum() == len(games)
    assert matches["deals"].sum() == run.deals == run.counts.sum()
    assert set(matches["games"]) <= {2, 3}
    assert ((matches["won_0"] == 2) | (matches["won_1"] == 2)).all()
    assert (matches["winner"] == (matches["won_1"] == 2)).all()
    rows = {(row.who, row.quantity): row for row in run.summary.itertuples()}
    assert rows["0+2", "match"].mean == pytest.approx((matches["winner"] == 0).mean())
    assert rows["1+3", "game"].mean == pytest.approx((games["winner"] == 1).mean())
    assert rows["0+2", "net"].mean == pytest.approx((games["score_0"] - games["score_1"]).mean())
    assert rows["0+2", "net"].sd == pytest.approx((games["score_0"] - games["score_1"]).std())
    assert rows["all", "deals a game"].mean == pytest.approx(games["deals"].mean())
    assert rows["0+2", "match"].mean > rows["0+2", "game"].mean > 0.7


def test_draws_and_shared_wins_are_counted_apart() -> None:
    drawn = play_games(trickbench.game("manille", game_deals=1), "greedy", 2000, seed=SEED)
    ties = drawn.games["score_0"] == drawn.games["score_1"]
    assert 0 < ties.sum() == (drawn.games["winner"] == -1).sum()
    shared = play_games(trickbench.game("manchego", game_deals=1), "greedy", 2000, seed=SEED)
    rates = shared.summary.set_index(["who", "quantity"])["mean"]
    scores = shared.games[["score_0", "score_1", "score_2"]].to_numpy()
    best = scores == scores.max(axis=1, keepdims=True)
    for seat in range(3):
        assert rates[str(seat), "game"] == pytest.approx((best[:, seat] & (best.sum(axis=1) == 1)).mean())
        assert rates[str(seat), "shared"] == pytest.approx((best[:, seat] & (best.sum(axis=1) > 1)).mean())
    assert not {"match", "games a match"} & set(shared.summary["quantity"])


def test_a_deal_of_a_game_is_told_card_by_card() -> None:
    game = trickbench.game("manillen")
    story = show_game(game, [FULL, "greedy"], SEED, 3)
    assert isinstance(story, GameStory)
    assert "match 3 of manillen" in story.text
    assert "seats" in story.text.splitlines()[-1]
    json.dumps(story.data)
    for number in (0, len(story.deals) - 1):
        told, row = story.deal(number), story.deals.iloc[number]
        assert told.data["scores"] == [row["score_0"], row["score_1"]]
        assert told.data["auction"][0]["seat"] == row["dealer"]
        assert f"deal {number} of match 3" in told.title
    with pytest.raises(UsageError, match="deal cannot be 99"):
        story.deal(99)
    carried = next(k for index in range(20) for k in [show_game(game, "greedy", SEED, index)] if (k.deals["carry"] > 1).any())
    number = int(np.argmax(carried.deals["carry"] > 1))
    assert "carried" in carried.body
    assert "a carried tie" in carried.deal(number).text
    assert "the next deal counts 2 times" in carried.deal(number - 1).text


def bad_now_and_then(view: Any) -> int:
    """Play an illegal card at a late trick of some deals."""
    return 0 if view.trick == 6 and view.word % 50 == 0 else int(view.legal & -view.legal)


def test_a_failure_names_game_and_deal_and_how_to_see_it_again() -> None:
    game = trickbench.game("manillen", best_of=1)
    with pytest.raises(AgentError) as failure:
        play_games(game, bad_now_and_then, 50, seed=SEED)
    for chunk in (1, 7):
        with pytest.raises(AgentError) as again:
            play_games(game, bad_now_and_then, 50, seed=SEED, chunk=chunk)
        assert str(again.value) == str(failure.value)
    assert "game " in str(failure.value)
    assert ", deal " in str(failure.value)
    assert "games=1, first=" in str(failure.value)


def test_a_forfeit_costs_thirty_points_and_keeps_the_carry() -> None:
    game = trickbench.game("manillen", best_of=1)
    kept = 0
    for index in range(60):
        story = show_game(game, [bad_now_and_then, "greedy"], SEED, index, on_illegal="forfeit")
        rows = story.deals.to_dict("records")
        for row, after in pairwise(rows):
            if row["forfeit"] >= 0:
                assert (row["score_0"], row["score_1"]) == ((0, 30) if row["forfeit"] % 2 == 0 else (30, 0))
                assert after["carry"] == row["carry"]
                kept += row["carry"] > 1
    assert kept > 0, "no forfeit came after a tie; the check needs one"


def test_rules_by_which_a_game_does_not_end_are_refused() -> None:
    with pytest.raises(UsageError, match="does not end"):
        play_games(trickbench.game("manillen", target="none"), "greedy", 10)
    with pytest.raises(RunError, match="has not ended after 65,536 deals"):
        play_games(trickbench.game("manillen", target=1_000_000, best_of=1), "greedy", 1)
    with pytest.raises(UsageError, match="games cannot be '0'"):
        play_games(trickbench.game("manillen"), "greedy", 0)
    with pytest.raises(UsageError, match="first cannot be -1"):
        play_games(trickbench.game("manillen"), "greedy", 1, first=-1)


def test_what_ends_a_game_replaces_what_the_profile_says() -> None:
    assert trickbench.game("manille", game_deals=50).rules.target is None
    assert trickbench.game("manchego", target=50).rules.game_deals is None
    assert trickbench.game("manchego", minutes=30).ends().game_deals == 15
    both = trickbench.game("manchego", target=50, game_deals=20).rules
    assert (both.target, both.game_deals) == (50, 20)
    assert trickbench.game("manchego", target="none").rules.game_deals == 10
    assert trickbench.game("manillen", game_deals="none").rules.target == 101


def test_the_command_prints_rates_lengths_and_a_digest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["match", "greedy", "play=random,call=random", "--game", "manillen", "--games", "200", "--seed", "5"]
    assert main([*words, "--figures", str(tmp_path / "f")]) == 0
    assert sorted(path.name for path in (tmp_path / "f").iterdir()) == ["lengths.png", "scores.png"]
    text = capsys.readouterr().out
    assert "200 matches of manillen, best of 3" in text
    assert "matches won" in text
    assert "deals a game" in text
    assert main(["match", "greedy", "--game", "manchego", "--games", "50", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["games"] == 50
    assert {row["who"] for row in answer["summary"]} == {"0", "1", "2", "all"}
    assert main(["show", "--game", "manillen", "--agents", "greedy", "--seed", "5", "--whole-game", "2"]) == 0
    assert "match 2 of manillen, seed 5" in capsys.readouterr().out
    assert main(["show", "--game", "manillen", "--agents", "greedy", "--seed", "5", "--whole-game", "2", "--deal", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["deal"] == 4
    assert main(["show", "--game", "manillen", "--agents", "greedy"]) == 2
    assert "--deal is missing" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "options"), [("manillen", {}), ("manchego", {"target": 40}), ("manille", {"game_deals": 1})])
def test_pictures_of_games(name: str, options: dict[str, Any]) -> None:
    run: GameRun = play_games(trickbench.game(name, **options), "greedy", 100, seed=SEED)
    for kind in ("lengths", "scores"):
        figure = run.plot(kind)
        text = " ".join(label.get_text() for label in figure.findobj(lambda artist: hasattr(artist, "get_text")))
        assert "deals" in text
        assert name in text
    with pytest.raises(UsageError, match="unknown plot 'calls'"):
        run.plot("calls")
