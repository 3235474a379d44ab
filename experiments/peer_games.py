"""Ways of playing whole deals at random, with trickbench and with other toolkits; peers.py measures them.

A builder imports a toolkit and returns a function that plays so many deals. It checks, once a measurement and outside of the loop over
deals, that what it played was a whole deal.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import trickbench
from trickbench.errors import RunError

SEED = 7
OH_HELL = "oh_hell(players=3,num_suits=4,num_cards_per_suit=13,num_tricks_fixed=17)"
OH_HELL_CHANCES = 54
"""Draws before the first bid of Oh Hell: number of tricks, dealer, 51 cards, the card turned."""
LOWEST_BELOTE_SUM = 242
"""Both sides' scores in a finished deal of Belote at a contract of 80: 162 for the cards and 80. Bonuses only add to it."""
BATCH = 10_000
"""Rollouts in one call to colver."""
CLUB_CONTRACT = (1, 36, 36, 36)
"""rlcard's numbers for one club and three passes."""

Play = Callable[[int], None]
"""Plays so many deals; raises RunError if they were not whole deals."""


class Contender(NamedTuple):
    """What is measured: a way of playing a game with a toolkit."""

    toolkit: str
    game: str
    how: str
    cards: int
    nearest: str
    build: Callable[[], Play]


def expect(found: Any, wanted: Any, what: str) -> None:
    """Raise RunError if something counted is not what a whole deal gives."""
    if found != wanted:
        raise RunError(f"not whole deals: {found} {what}, expected {wanted}")


def lanes(name: str, agents: str) -> Callable[[], Play]:
    """Return the builder of trickbench's own work: whole deals on one thread, with dealing, auction, scores and counts."""

    def build() -> Play:
        played = trickbench.game(name)
        return lambda deals: expect(trickbench.simulate(played, agents, deals, seed=SEED, workers=1).count, deals, "deals")

    return build


def belote(colver: Any, seed: int) -> Any:
    """Return a new deal of Belote, at a contract of 80 in the third suit, before the first card."""
    env = colver.Env.deal(dealer=seed % 4, seed=seed)
    env.set_contract(trump=2, value=80, team=0, coinche=0)
    env.set_phase_playing()
    return env


def colver_rollouts() -> Play:
    """Compiled rollouts, very many from one deal before the next."""
    import colver

    seeds = itertools.count(SEED)

    def play(deals: int) -> None:
        # A rollout shows no cards, only the mean score of each side, which loses digits over half a million: hence batches.
        for done in range(0, deals, BATCH):
            scores = belote(colver, next(seeds)).rollout(min(BATCH, deals - done))
        expect(sum(scores) > LOWEST_BELOTE_SUM - 0.5, True, "for scores of finished deals")

    return play


def colver_deals() -> Play:
    """Deal, fix the contract, one compiled rollout: every deal another one."""
    import colver

    seeds = itertools.count(SEED)

    def play(deals: int) -> None:
        for _ in range(deals):
            scores = belote(colver, next(seeds)).rollout(1)
        expect(sum(scores) > LOWEST_BELOTE_SUM - 0.5, True, "for scores of finished deals")

    return play


def colver_steps() -> Play:
    """A Python loop over the environment's steps, which also return observations."""
    import colver

    seeds, choose = itertools.count(SEED), random.Random(SEED).choice

    def play(deals: int) -> None:
        for _ in range(deals):
            env, done = belote(colver, next(seeds)), False
            legal = env.legal_actions()
            while not done:
                _, _, done, legal = env.step(choose(legal))
        expect(len(env.get_play_order()), 32, "cards")

    return play


def spiel_rollouts() -> Play:
    """Compiled rollouts from one deal before the bids, another one in every measurement.

    The wheel offers the random evaluator to its tree search alone; a search of one simulation is one evaluation at the root.
    """
    import pyspiel

    played, choose = pyspiel.load_game(OH_HELL), random.Random(SEED).choice

    def play(deals: int) -> None:
        state = played.new_initial_state()
        while state.is_chance_node():
            state.apply_action(choose(state.legal_actions()))
        expect(len(state.history()), OH_HELL_CHANCES, "draws before the bids")
        bot = pyspiel.MCTSBot(played, pyspiel.RandomRolloutEvaluator(deals, SEED), 2.0, 1, 10, False, SEED, False)
        expect(bot.mcts_search(state).explore_count, 1, "evaluations")

    return play


def spiel_bots() -> Play:
    """Whole deals between compiled random bots: a call from Python a deal."""
    import pyspiel

    played, seeds = pyspiel.load_game(OH_HELL), itertools.count(SEED)
    bots = [pyspiel.make_uniform_random_bot(seat, SEED + seat) for seat in range(3)]

    def play(deals: int) -> None:
        for _ in range(deals):
            state = played.new_initial_state()
            pyspiel.evaluate_bots(state, bots, next(seeds))
        expect((state.is_terminal(), len(state.history())), (True, OH_HELL_CHANCES + 3 + 51), "actions")

    return play


def spiel_steps() -> Play:
    """The Python loop of the toolkit's own benchmark: a draw from the legal actions, at chance nodes too, where all are equally likely."""
    import pyspiel

    played, choose = pyspiel.load_game(OH_HELL), random.Random(SEED).choice

    def play(deals: int) -> None:
        for _ in range(deals):
            state = played.new_initial_state()
            while not state.is_terminal():
                state.apply_action(choose(state.legal_actions()))
        expect(len(state.history()), OH_HELL_CHANCES + 3 + 51, "actions")

    return play


def spiel_example() -> Play:
    """The Python loop of the toolkit's introduction: what chance does is drawn by its probabilities, with numpy."""
    import numpy as np
    import pyspiel

    played, generator = pyspiel.load_game(OH_HELL), np.random.default_rng(SEED)

    def drawn(state: Any) -> int:
        if not state.is_chance_node():
            return int(generator.choice(state.legal_actions()))
        actions, probabilities = zip(*state.chance_outcomes(), strict=True)
        return int(generator.choice(actions, p=probabilities))

    def play(deals: int) -> None:
        for _ in range(deals):
            state = played.new_initial_state()
            while not state.is_terminal():
                state.apply_action(drawn(state))
        expect(len(state.history()), OH_HELL_CHANCES + 3 + 51, "actions")

    return play


def jass_simulation() -> Play:
    """The game simulation and its rules, without agents and observations; the first suit is trump."""
    import numpy as np
    from jass.game.game_sim import GameSim
    from jass.game.game_util import deal_random_hand
    from jass.game.rule_schieber import RuleSchieber

    rule, choose = RuleSchieber(), random.Random(SEED).choice
    simulated = GameSim(rule=rule)

    def play(deals: int) -> None:
        for number in range(deals):
            simulated.init_from_cards(hands=deal_random_hand(), dealer=number % 4)
            simulated.action_trump(0)
            while not simulated.is_done():
                simulated.action_play_card(choose(np.flatnonzero(rule.get_valid_cards_from_state(simulated.state))))
        expect((simulated.state.nr_played_cards, int(simulated.state.hands.sum())), (36, 0), "cards played and left")

    return play


def jass_arena() -> Play:
    """The arena with four of the toolkit's random agents."""
    from jass.agents.agent_random_schieber import AgentRandomSchieber
    from jass.arena.arena import Arena

    agent = AgentRandomSchieber()

    def play(deals: int) -> None:
        arena = Arena(nr_games_to_play=deals, print_every_x_games=deals + 1)
        arena.set_players(agent, agent, agent, agent)
        with contextlib.redirect_stdout(io.StringIO()):
            arena.play_all_games()
        points = arena.points_team_0 + arena.points_team_1
        expect((arena.nr_games_played, int(points.min())), (deals, 157), "deals, points in a deal")

    return play


def bridge_game() -> Play:
    """The game below the environment, without observations; the contract is one club."""
    from rlcard.games.bridge import Game
    from rlcard.games.bridge.utils.action_event import ActionEvent

    bridge, choose = Game(), random.Random(SEED).choice

    def play(deals: int) -> None:
        for _ in range(deals):
            bridge.init_game()
            for call in CLUB_CONTRACT:
                bridge.step(ActionEvent.from_action_id(call))
            while not bridge.is_over():
                bridge.step(choose(bridge.judger.get_legal_actions()))
        expect((bridge.round.play_card_count, sum(bridge.round.won_trick_counts)), (52, 13), "cards and tricks")

    return play


def bridge_environment() -> Play:
    """The environment with four of the toolkit's random agents, which draw the calls too."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make("bridge", config={"seed": SEED})
    env.set_agents([RandomAgent(num_actions=env.num_actions)] * 4)

    def play(deals: int) -> None:
        for _ in range(deals):
            env.run(is_training=False)
        # Four passes at random, one deal in two million, would end it without a card.
        expect(env.game.round.play_card_count, 52, "cards")

    return play


CONTENDERS = (
    Contender("trickbench", "manillen", "simulate: random calls and cards", 32, "manillen", lanes("manillen", "play=random,call=random")),
    Contender("trickbench", "manchego", "simulate: random bids and cards", 51, "manchego", lanes("manchego", "random")),
    Contender("colver", "Belote", "compiled rollouts, dealing left out", 32, "manillen", colver_rollouts),
    Contender("colver", "Belote", "deal, then one compiled rollout", 32, "manillen", colver_deals),
    Contender("colver", "Belote", "Python loop over steps", 32, "manillen", colver_steps),
    Contender("open-spiel", "Oh Hell", "compiled rollouts, dealing left out", 51, "manchego", spiel_rollouts),
    Contender("open-spiel", "Oh Hell", "compiled bots, whole deals", 51, "manchego", spiel_bots),
    Contender("open-spiel", "Oh Hell", "Python loop, legal actions at chance nodes", 51, "manchego", spiel_steps),
    Contender("open-spiel", "Oh Hell", "Python loop, chance by its probabilities", 51, "manchego", spiel_example),
    Contender("jass-kit", "Schieber Jass", "Python loop over its simulation", 36, "manillen", jass_simulation),
    Contender("jass-kit", "Schieber Jass", "arena with its random agents", 36, "manillen", jass_arena),
    Contender("rlcard", "Bridge", "Python loop over its game", 52, "manillen", bridge_game),
    Contender("rlcard", "Bridge", "environment with its random agents", 52, "manillen", bridge_environment),
)
