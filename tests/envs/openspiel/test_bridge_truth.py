"""OpenSpiel's algorithms on our games agree with our own exact solutions."""

from functools import partial

import numpy as np
import pytest
from toy_goofspiel import goofspiel
from toy_kuhn import kuhn
from toy_leduc import leduc
from toy_matrix import matrix
from toy_nim import nim
from toy_thicket import thicket

from bidarena.baselines.solvers.generic.respond import index_of, responses_to
from bidarena.baselines.solvers.generic.solve import Limits, solve_anew
from bidarena.baselines.solvers.probabilities import Asker, with_probabilities
from bidarena.envs import make_bot, make_game
from bidarena.evaluate.exploit import exploit

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import cfr, exploitability, ismcts, mcts, minimax  # noqa: E402

from bidarena.envs import openspiel  # noqa: E402

GAMES = {
    "raj": lambda: make_game("raj", cards=[1, 2, 3], items=[-1, 2, 3]),
    "raj, discard": lambda: make_game("raj", cards=[1, 2, 4], items=[1, 2, 3], tie="discard"),
    "raj, margin": lambda: make_game("raj", cards=[1, 2], items=[1, 3], reward="margin"),
    "scotch": lambda: make_game("scotch", money=3, length=4),
    "scotch, coin": lambda: make_game("scotch", money=(3, 2), length=4, tie="coin"),
    "scotch, secret": lambda: make_game("scotch", money=3, length=4, know_opponent_money=False),
    "richman": lambda: make_game("richman", graph="line4", money=2, max_rounds=3),
    "coins": lambda: make_game("coins", board="triangle3"),
    "coins, values": lambda: make_game("coins", board="*/**", values=[2, -1, 3]),
    "kuhn": kuhn,
    "leduc": leduc,
    "goofspiel, hidden": lambda: goofspiel(cards=3, shuffled=True),
    **{f"thicket {seed}": partial(thicket, seed=seed) for seed in range(6)},
}


def turns(game):
    """Return a game of ours as OpenSpiel's algorithms for turns want it."""
    loaded = openspiel.load(game)
    together = pyspiel.GameType.Dynamics.SIMULTANEOUS
    if loaded.get_type().dynamics == together:
        return pyspiel.convert_to_turn_based(loaded)
    return loaded


def first_legal(views, masks):
    """Always take the legal action with the lowest number."""
    chances = np.zeros(masks.shape)
    chances[np.arange(len(masks)), masks.argmax(axis=1)] = 1.0
    return chances


@pytest.mark.parametrize("name", GAMES)
def test_exploitability__is_ours(name):
    game = GAMES[name]()
    theirs = turns(game)
    for ours, other in (
        (make_bot(game, "random"), policy.UniformRandomPolicy(theirs)),
        (with_probabilities(first_legal), policy.FirstActionPolicy(theirs)),
    ):
        expected = responses_to(Asker(index_of(game), ours)).nash_conv
        assert exploitability.nash_conv(theirs, other) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["raj", "scotch", "richman", "coins", "leduc"])
def test_exploitability__is_that_of_the_command(name):
    game = GAMES[name]()
    theirs = turns(game)
    found = exploitability.exploitability(theirs, policy.UniformRandomPolicy(theirs))
    assert found == pytest.approx(exploit(game, "random").best_response_value, abs=1e-9)


@pytest.mark.parametrize(
    ("game", "rounds", "near"),
    [
        (kuhn(), 200, 2e-3),
        (matrix(first=((80, -40), (-40, 20))), 200, 5e-3),
        (make_game("raj", cards=[1, 2, 3], items=[-1, 2, 3]), 20, 2e-2),
        (make_game("scotch", money=3, length=4, know_opponent_money=False), 50, 2e-2),
    ],
    ids=str,
)
def test_cfr__comes_to_our_value(game, rounds, near):
    theirs = turns(game)
    solver = cfr.CFRPlusSolver(theirs)
    for _ in range(rounds):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert exploitability.exploitability(theirs, average) < near
    start = theirs.new_initial_state()
    value = exploitability._state_values(start, 2, average)[0]
    assert value == pytest.approx(solve_anew(game, Limits()).value, abs=near)


@pytest.mark.parametrize("rules", [{"board": "triangle3"}, {"board": "*/**", "values": [2, -1, 3]}])
def test_alpha_beta__finds_our_value_where_nothing_is_hidden(rules):
    game = make_game("coins", **rules)
    value, _ = minimax.alpha_beta_search(openspiel.load(game))
    assert value == solve_anew(game, Limits()).value


@pytest.mark.parametrize("rules", [{"board": "triangle3"}, {"board": "triangle4"}])
def test_mcts_bot__plays_a_game_to_its_end(rules):
    loaded = openspiel.load("coins", **rules)
    rng = np.random.RandomState(0)
    rollout = mcts.RandomRolloutEvaluator(1, rng)
    bots = [mcts.MCTSBot(loaded, 1.4, 30, rollout, random_state=rng) for _ in range(2)]
    state = loaded.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bots[state.current_player()].step(state))
    assert sorted(state.returns()) == [-1.0, 1.0]


def test_mcts_bot__keeps_a_won_game():
    """The first player wins triangle3; the bot that sees far enough finds each winning move."""
    game = make_game("coins", board="triangle3")
    assert abs(solve_anew(game, Limits()).value) == 1.0
    winner = 0 if solve_anew(game, Limits()).value > 0 else 1
    loaded = openspiel.load(game)
    rng = np.random.RandomState(1)
    bot = mcts.MCTSBot(
        loaded, 1.4, 500, mcts.RandomRolloutEvaluator(1, rng), solve=True, random_state=rng
    )
    state = loaded.new_initial_state()
    while not state.is_terminal():
        mine = state.current_player() == winner
        state.apply_action(bot.step(state) if mine else int(rng.choice(state.legal_actions())))
    assert state.returns()[winner] == 1.0


@pytest.mark.parametrize("name", ["twentynine", "toy_leduc"])
def test_ismcts_bot__plays_games_with_hidden_cards(name):
    loaded = openspiel.load(name)
    rng = np.random.RandomState(0)
    bot = ismcts.ISMCTSBot(loaded, mcts.RandomRolloutEvaluator(1, rng), 2.0, 5, random_state=rng)
    state = loaded.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        elif state.current_player() == 0:
            state.apply_action(int(bot.step(state)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
    assert sum(state.returns()) == pytest.approx(0.0)


def test_ismcts_bot__knows_what_to_do_with_the_best_card():
    """With a king it never folds to a bet: whatever the other holds, calling wins."""
    loaded = openspiel.load(kuhn())
    state = loaded.new_initial_state()
    state.apply_action(0)  # a jack for the first player
    state.apply_action(1)  # a king for the second
    state.apply_action(1)  # the first bets
    assert state.information_state_string(1).startswith("player 1: card=0,0,1")
    words = {state.action_to_string(action): action for action in state.legal_actions()}
    rng = np.random.RandomState(0)
    bot = ismcts.ISMCTSBot(loaded, mcts.RandomRolloutEvaluator(1, rng), 2.0, 50, random_state=rng)
    assert bot.step(state) == 2, words  # CALL


def test_cpp_algorithms__run_on_a_game_with_hidden_cards():
    loaded = openspiel.load(leduc())
    uniform = pyspiel.UniformRandomPolicy(loaded)
    ours = exploit(leduc(), "random").best_response_value
    assert pyspiel.exploitability(loaded, uniform) == pytest.approx(ours, abs=1e-9)


def test_reinforcement_learning__an_agent_of_open_spiel_learns_a_game_of_ours():
    """Tabular Q-learning wins nearly all games of nim against random play; random play half."""
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import random_agent, tabular_qlearner

    env = rl_environment.Environment(openspiel.load(nim(heap=6)))
    learner = tabular_qlearner.QLearner(0, env.action_spec()["num_actions"])
    agents = [learner, random_agent.RandomAgent(1, env.action_spec()["num_actions"])]
    np.random.seed(0)  # noqa: NPY002 - the agents of OpenSpiel draw from it
    won = []
    for episode in range(1500):
        now = env.reset()
        training = episode < 1200
        while not now.last():
            player = now.observations["current_player"]
            output = agents[player].step(now, is_evaluation=not training)
            now = env.step([output.action])
        if training:
            for agent in agents:
                agent.step(now)
        else:
            won.append(now.rewards[0] > 0)
    assert np.mean(won) > 0.95


def test_simultaneous_nodes__are_served_to_the_agents_of_open_spiel():
    from open_spiel.python import rl_environment

    env = rl_environment.Environment(openspiel.load("raj", cards=[1, 2, 3], items=[1, 2, 3]))
    now, rng = env.reset(), np.random.default_rng(0)
    while not now.last():
        now = env.step([rng.choice(legal) for legal in now.observations["legal_actions"]])
    assert sum(now.rewards) == 0
