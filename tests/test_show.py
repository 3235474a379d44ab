"""One deal told: what text and data say, where they come from, and the lines for what cannot be shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import trickbench
from trickbench.cli import main
from trickbench.errors import AgentError, RunError, UsageError
from trickbench.experiment import parse_experiment
from trickbench.results import play_experiment

WILD = "play=random,call=random,double=threshold:points=16,redouble=threshold:points=16"
MANILLEN, MANILLE, MANCHEGO = (trickbench.game(name) for name in ("manillen", "manille", "manchego"))

RENEGES = """
def play(view):
    '''Choose a card that has been played, in the third trick.'''
    return view.played & -view.played if view.trick == 2 else view.legal & -view.legal
"""


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what ``trickbench show`` prints when it succeeds."""
    code = main(["show", *words])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    assert captured.err == ""
    return captured.out.rstrip("\n")


def refused(capsys: pytest.CaptureFixture[str], *words: str, code: int = 2) -> str:
    """Return the one line of ``trickbench show`` when it fails."""
    assert main(["show", *words]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("trickbench: ")
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.fixture
def reneges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of an agent that does not follow the rules."""
    monkeypatch.chdir(tmp_path)
    Path("reneges.py").write_text(RENEGES)
    return "reneges.py:play"


def experiment(record: Any, deals: int = 200) -> Any:
    """Return a small experiment of both games."""
    matches = [
        {"name": "free", "game": "manille", "stacking": "add", "agents": [WILD], "deals": deals, "record": record},
        {"name": "three", "game": "manchego", "agents": ["greedy", "random", "greedy"], "deals": deals, "record": record},
    ]
    return parse_experiment({"name": "small", "seed": 7, "match": matches}, "small")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Path]:
    """Return folders of the same run, with everything, the deals and nothing kept."""
    found = {record: tmp_path_factory.mktemp("show") / "run" for record in ("plays", "deals", False)}
    for record, folder in found.items():
        play_experiment(experiment(record), folder, workers=1, figures=False)
    return found


# What is told


def test_a_deal_of_manille_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "--game", "manille", "--seed", "7", "--deal", "17", "--agents", WILD)
    assert text == str(trickbench.show(MANILLE, WILD, seed=7, deal=17)) == trickbench.show(MANILLE, WILD, 7, 17).text
    lines = text.splitlines()
    assert lines[0] == "deal 17 of manille, seed 7"
    for line in (
        f"seats 0+1+2+3  {WILD}",
        "seat 1 dealer  S Q 9     H 8       D A K 9   C A 8",
        "auction  seat 1 says en face; seat 3 calls S; seat 2 passes; seat 0 doubles; seat 1 passes; seat 3 redoubles",
        "3      seat 0  SJ  SQ  SK* S8   seat 2       6   12    7",
        "count    seats 0+2: 29 points in 4 tricks; seats 1+3: 31 points in 4 tricks",
        "score    seats 1+3 win 4: (31 - 30) x 4 for doubled, redoubled",
    ):
        assert line in lines, line


def test_a_deal_of_manille_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(told(capsys, "--game", "manille", "--seed", "7", "--deal", "17", "--agents", WILD, "--rule", "stacking=add", "--json"))
    assert (data["game"], data["rules"], data["seed"], data["deal"], data["source"]) == ("manille", {"stacking": "add"}, 7, 17, "played")
    assert data["hands"][1] == ["SQ", "S9", "H8", "DA", "DK", "D9", "CA", "C8"]
    assert (data["dealer"], data["caller"], data["call"], data["en_face"], data["blind"]) == (1, 3, "S", True, False)
    assert data["auction"][:2] == [{"seat": 1, "decision": "call", "answer": "EN_FACE"}, {"seat": 3, "decision": "call after en face", "answer": "S"}]
    assert data["auction"][-1] == {"seat": 3, "decision": "redouble", "answer": "yes"}
    assert data["tricks"][2] == {"leader": 0, "cards": ["SJ", "SQ", "SK", "S8"], "winner": 2, "points": 6}
    assert (data["points"], data["tricks_won"], data["scores"], data["winner"]) == ([29, 31], [4, 4], [0, 3], 1)
    assert (data["factor"], data["factors"], data["capot"], data["forfeit"]) == (3, ["doubled", "redoubled"], False, None)


def test_a_deal_of_manchego_in_words_and_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    agents = ["play=greedy,bid=sure-tricks", "random", "play=greedy,bid=fixed:n=5"]
    words = ["--game", "manchego", "--seed", "7", "--deal", "0", "--agents", *agents]
    lines = told(capsys, *words).splitlines()
    for line in (
        "turned         HT, trump H",
        "auction  seat 1 bids 2; seat 2 bids 5; seat 0 bids 0",
        "1      seat 1  HQ  HK* H7      seat 2       0       0       1",
        "seat 1   bid 2, took 11: 9 away, scores -17",
        "score    seat 0 scores most (transfer)",
    ):
        assert line in lines, line
    data = json.loads(told(capsys, *words, "--json"))
    assert (data["turned"], data["trump"], data["dealer"], data["bids"], data["tricks_won"]) == ("HT", "H", 0, [0, 2, 5], [0, 11, 6])
    assert (data["distances"], data["scores"], data["winners"]) == ([0, 9, 1], [10, -17, 7], [0])
    assert data["tricks"][0] == {"leader": 1, "cards": ["HQ", "HK", "H7"], "winner": 2}
    assert len(data["tricks"]) == 17


def test_blind_no_trump_and_what_made_the_factor() -> None:
    game = trickbench.game("manillen", blind_no_trump="on", stacking="cap4")
    text = trickbench.show(game, WILD, seed=7, deal=1).text
    assert "auction  seat 1 calls NT before looking; seat 2 passes; seat 0 doubles; seat 1 passes; seat 3 redoubles" in text
    assert "score    seats 1+3 win 72: (48 - 30) x 4 for blind no-trump, doubled, redoubled; at most 4" in text
    deals = trickbench.simulate(game, WILD, 50, seed=7, record=True).deals
    looked = int(deals.index[~deals["blind"]][0])
    assert "looks first; seat" in trickbench.show(game, WILD, seed=7, deal=looked).text


@pytest.mark.parametrize("game", [MANILLEN, MANILLE])
def test_ties_and_capots_are_called_so(game: trickbench.Game) -> None:
    run = trickbench.simulate(game, ["greedy", WILD], 500, seed=7, record="plays")
    tie, capot = (int(run.deals.index[chosen][0]) for chosen in (run.deals["winner"] == -1, run.deals["capot"]))
    story = run.show(tie)
    assert story.data["winner"] is None
    assert story.data["points"] == [30, 30]
    assert "score    a tie: nobody scores" in story.text
    assert ("the next deal would count 2 times" in story.text) == (game is MANILLEN)
    story = run.show(capot)
    assert "by a capot: " in story.text
    assert ("capot" in story.data["factors"]) == (game is MANILLEN)


def test_a_tie_of_two_in_manchego() -> None:
    run = trickbench.simulate(MANCHEGO, "greedy", 300, seed=7, record="plays")
    scores = run.deals[["score_0", "score_1", "score_2"]].to_numpy()
    tie = int(((scores == scores.max(axis=1, keepdims=True)).sum(axis=1) == 2).argmax())
    story = run.show(tie)
    assert len(story.data["winners"]) == 2
    assert f"score    a tie: seats {' and '.join(map(str, story.data['winners']))} score most" in story.text


@pytest.mark.parametrize("deal", ["42", "38"])
def test_a_forfeit_ends_before_the_card_that_was_illegal(capsys: pytest.CaptureFixture[str], reneges: str, deal: str) -> None:
    words = ["--game", "manillen", "--seed", "7", "--deal", deal, "--agents", reneges, "random", "--on-illegal", "forfeit"]
    data = json.loads(told(capsys, *words, "--json"))
    forfeit = data["forfeit"]
    seat = forfeit["seat"]
    assert seat in (0, 2)
    assert forfeit["trick"] == 3
    assert set(forfeit["legal"]) <= set(data["hands"][seat])
    assert forfeit["chosen"] in [card for trick in data["tricks"] for card in trick["cards"]]
    whole, cut = ([trick for trick in data["tricks"] if (trick["winner"] is None) == short] for short in (False, True))
    assert len(whole) == 2
    assert [(len(trick["cards"]) < 4, trick["points"]) for trick in cut] == [(True, None)] * (deal == "38")
    assert (data["points"], data["tricks_won"], data["scores"], data["winner"], data["factors"]) == (None, None, [0, 30], 1, [])
    text = told(capsys, *words)
    assert f"forfeit  by seat {seat} in trick 3: it chose {forfeit['chosen']}; legal: {' '.join(forfeit['legal'])}" in text
    assert text.endswith("score    seats 1+3 win 30")


def test_a_forfeit_of_which_only_the_record_speaks_says_so() -> None:
    def play(view: Any) -> int:
        return int(view.legal & -view.legal) if view.trick < 2 else 0

    run = trickbench.simulate(MANILLEN, [play, "random"], 1, record="plays", on_illegal="forfeit")
    seat = run.show(0).data["forfeit"]["seat"]
    assert run.show(0).data["forfeit"] == {"seat": seat, "trick": None, "chosen": None, "legal": None}
    assert f"forfeit  by seat {seat}, with an illegal card; the record does not say which" in run.show(0).text
    forfeit = trickbench.show(MANILLEN, [play, "random"], on_illegal="forfeit").data["forfeit"]
    assert (forfeit["seat"], forfeit["trick"], forfeit["chosen"]) == (seat, 3, "0x0")


def test_a_kernel_that_raises_in_lanes_of_others_is_told_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["from trickbench import kernel", "@kernel", "def play(view):", "    if view.hand == 0 or view.dealer == 1:", "        raise ValueError"]
    Path("raises.py").write_text("\n".join([*lines, "    return view.legal & -view.legal", ""]))
    dealer = MANILLEN.deal(7, 5).dealer
    agents = ["raises.py:play" if (dealer - seat) % 4 != 1 else "random" for seat in range(4)]
    assert len(trickbench.show(MANILLEN, agents, seed=7, deal=5).data["auction"]) == 3


def test_without_forfeits_an_illegal_card_is_an_error(capsys: pytest.CaptureFixture[str], reneges: str) -> None:
    line = refused(capsys, "--game", "manillen", "--seed", "7", "--deal", "42", "--agents", reneges, "random", code=1)
    assert "deal 42" in line
    assert "card to trick 2" in line
    with pytest.raises(AgentError, match="not one legal choice"):
        trickbench.show(MANILLEN, [reneges, "random"], seed=7, deal=42)


def test_agents_that_are_functions_are_told_too() -> None:
    def play(view: Any) -> int:
        return int(view.legal & -view.legal)

    story = trickbench.show(MANILLEN, [play, "random"], deal=3)
    kept = trickbench.simulate(MANILLEN, [play, "random"], 1, first=3, record="plays").show(3)
    assert story.data["tricks"] == kept.data["tricks"]
    assert story.data["scores"] == kept.data["scores"]
    # The run does not know the function, so it tells the auction as far as its record goes.
    assert len(story.data["auction"]) == 3
    assert len(kept.data["auction"]) == 1


def test_an_agent_that_does_not_repeat_itself_is_told_as_it_played_first() -> None:
    asked = []

    def play(view: Any) -> int:
        asked.append(view)
        return int(view.legal & -view.legal) if len(asked) <= 16 else 1 << (view.legal.bit_length() - 1)

    story = trickbench.show(MANILLEN, [play, "random"], deal=3)
    asked.clear()
    assert story.data["tricks"] == trickbench.simulate(MANILLEN, [play, "random"], 1, first=3, record="plays").show(3).data["tricks"]


def test_who_doubled_is_left_open_where_only_the_record_speaks() -> None:
    caller = trickbench.Agent("unknown to the registry", manille={"double": lambda view: 2, "redouble": lambda view: 2})
    run = trickbench.simulate(MANILLEN, caller, 1, record="plays")
    data = run.show(0).data
    dealer = data["dealer"]
    assert [answer.get("side", answer.get("seat")) for answer in data["auction"]] == [dealer, (dealer + 1) % 2, dealer % 2]
    assert f"; seats {(dealer + 1) % 2}+{(dealer + 1) % 2 + 2} double; seats {dealer % 2}+{dealer % 2 + 2} redouble" in run.show(0).text


# Where it comes from


@pytest.mark.parametrize("match", ["free", "three"])
@pytest.mark.parametrize("deal", [0, 17, 199])
def test_recorded_and_played_again_are_the_same(capsys: pytest.CaptureFixture[str], folders: dict[Any, Path], match: str, deal: int) -> None:
    words = ["--match", match, "--deal", str(deal), "--json"]
    recorded, *again = (json.loads(told(capsys, str(folders[record]), *words)) for record in ("plays", "deals", False))
    assert recorded.pop("source") == "recorded"
    for data in again:
        assert data.pop("source") == "played again"
        assert data == recorded
    run = trickbench.load(folders["plays"])[match]
    assert trickbench.show(run.game, run.agents, run.seed, deal).data | {"source": None} == recorded | {"source": None}


def test_a_note_says_that_a_deal_was_played_again(capsys: pytest.CaptureFixture[str], folders: dict[Any, Path]) -> None:
    text = {record: told(capsys, str(folder), "--match", "free", "--deal", "3") for record, folder in folders.items()}
    assert "deal 3 of manille (stacking=add), seed 7" in text[False]
    note = "(the run kept no cards: played again with its seed, agents and rules)"
    assert note in text[False].splitlines()
    assert text[False] == text["deals"]
    assert text["plays"] == text[False].replace(f"{note}\n", "")


def test_a_deal_that_comes_out_differently_is_not_told(reneges: str) -> None:
    Path("mine.py").write_text("def play(view):\n    return view.legal & -view.legal\n")
    run = trickbench.simulate(MANILLEN, ["mine.py:play", "random"], 20, seed=7, record="deals")
    Path("mine.py").unlink()
    other = trickbench.simulate(MANILLEN, ["greedy", "random"], 20, seed=7, record="deals")
    deal = int((run.codes != other.codes).argmax())
    run.agents = ["greedy", "random"]
    with pytest.raises(RunError, match=f"deal {deal} of .* comes out differently"):
        run.show(deal)


def test_a_run_of_rules_of_another_version_is_not_played_again(capsys: pytest.CaptureFixture[str], folders: dict[Any, Path]) -> None:
    for record, code in ((False, 1), ("plays", 0)):
        path = folders[record] / "manifest.json"
        before = path.read_text()
        path.write_text(before.replace('"rules_version": 1', '"rules_version": 0'))
        assert main(["show", str(folders[record]), "--match", "free", "--deal", "0"]) == code
        path.write_text(before)
    assert "version 0 of the rules" in capsys.readouterr().err


def test_a_run_that_kept_nothing_of_agents_without_names_is_refused() -> None:
    run = trickbench.simulate(MANILLEN, trickbench.Agent("nameless", manille={"play": lambda view: view.legal & -view.legal}), 5)
    with pytest.raises(UsageError, match="kept no cards"):
        run.show(0)


def test_part_of_a_run_is_shown_by_the_numbers_of_its_deals() -> None:
    run = trickbench.simulate(MANCHEGO, "random", 5, seed=7, record="plays", first=100)
    assert run.show(104).data["hands"] == trickbench.show(MANCHEGO, "random", seed=7, deal=104).data["hands"]
    assert run.show(104).data["hands"][0] == MANCHEGO.deal(7, 104).hands[0].split()
    for deal in (99, 105, True, "100"):
        with pytest.raises(UsageError, match="has deals 100 to 104"):
            run.show(deal)  # type: ignore[arg-type]


# What cannot be shown


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--game", "manillen", "--agents", "random"], ["--deal"]),
        (["--deal", "3"], ["--game is missing", "folder"]),
        (["--deal", "3", "--game", "manillen"], ["--agents is missing"]),
        (["--deal", "x", "--game", "manillen", "--agents", "random"], ["--deal", "'x'"]),
        (["--deal", "-1", "--game", "manillen", "--agents", "random"], ["deal cannot be -1", "2^48 - 1"]),
        (["--deal", str(1 << 48), "--game", "manillen", "--agents", "random"], [f"deal cannot be {1 << 48}"]),
        (["--deal", "3", "--game", "manilen", "--agents", "random"], ["'manilen'", "'manillen'"]),
        (["--deal", "3", "--game", "manillen", "--agents", "randon"], ["'randon'", "'random'"]),
        (["--deal", "3", "--game", "manillen", "--agents", "random", "--seed", "x"], ["seed cannot be 'x'"]),
        (["--deal", "3", "--game", "manillen", "--agents", "random", "--rule", "undertrump"], ["OPTION=VALUE"]),
        (["--deal", "3", "--game", "manillen", "--agents", "random", "greedy", "random"], ["1 or 2 or 4 agents"]),
        (["--deal", "3", "--game", "manchego", "--agents", "random", "--on-illegal", "forfeit"], ["on_illegal cannot be 'forfeit'"]),
        (["--deal", "3", "--match", "free"], ["--match belongs to a finished run"]),
        (["nowhere", "--deal", "3"], ["'nowhere' is not a results folder"]),
        (["DIR", "--deal", "3"], ["--match is missing", "free, three"]),
        (["DIR", "--match", "fre", "--deal", "3"], ["unknown match 'fre'", "'free'"]),
        (["DIR", "--match", "free", "--deal", "200"], ["deal cannot be 200", "free has deals 0 to 199"]),
        (["DIR", "--match", "free", "--deal", "-1"], ["deal cannot be -1"]),
        (["DIR", "--match", "free", "--deal", "3", "--seed", "4"], ["--seed does not belong to a finished run"]),
        (["DIR", "--match", "free", "--deal", "3", "--on-illegal", "raise"], ["--on-illegal does not belong"]),
        (["DIR", "--match", "free", "--deal", "3", "--rule", "ruff=free"], ["--rule does not belong"]),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_gets_one_line(capsys: pytest.CaptureFixture[str], folders: dict[Any, Path], words: list[str], parts: list[str]) -> None:
    line = refused(capsys, *(str(folders["plays"]) if word == "DIR" else word for word in words))
    for part in parts:
        assert part in line, line


def test_the_help_names_what_show_takes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["show", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    for word in ("--match", "--deal", "--game", "--rule", "--seed", "--agents", "--on-illegal", "--json", "--deal 42 --agents greedy random"):
        assert word in text
    main([])
    assert "one deal, card by card" in capsys.readouterr().out


def test_the_story_is_public_and_says_which_deal_it_is() -> None:
    story = trickbench.show(MANCHEGO, "random", seed=7, deal=5)
    assert isinstance(story, trickbench.Story)
    assert repr(story) == "<Story of deal 5 of manchego, seed 7>"
    assert story.text == f"{story.title}\n\n{story.body}"
