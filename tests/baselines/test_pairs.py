"""A network of pairs of moves as a compiled bot, against a linear program over the same numbers."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog

from bidarena.baselines.network import Network, network_bot
from bidarena.baselines.policy_file import load_policy, policy_bot, save_policy
from bidarena.envs import Batch, make_game
from bidarena.envs.raj.rules import HANDS
from bidarena.envs.testing import check_bot
from bidarena.evaluate.exploit import exploit


def random_network(game, hidden=(16,), seed=0):
    luck = np.random.default_rng(seed)
    sizes = list(pairwise([game.observation_size, *hidden, game.actions**2]))
    weights = tuple(luck.normal(size=pair).astype(np.float32) for pair in sizes)
    biases = tuple(luck.normal(size=out).astype(np.float32) for _, out in sizes)
    return Network(weights, biases, head="matrix")


def value_of(matrix):
    """Of a matrix game to the row player, by a linear program."""
    rows, columns = matrix.shape
    found = linprog(
        c=[*np.zeros(rows), -1.0],
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[*np.ones(rows), 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return -found.fun


def test_pairs__the_bot_plays_an_equilibrium_of_what_its_network_expects():
    game = make_game("raj")
    network = random_network(game)
    bot = network_bot(game, network, "pairs")
    ask = game.compiled(bot.distribution)
    batch = Batch(game, 60, seed=0)
    luck = np.random.default_rng(0)
    mixed = 0
    for _ in range(2 * game.actions - 1):
        for row in range(batch.rows):
            state, player = batch.states[row], int(batch.movers[row])
            hands = state[HANDS : HANDS + 2]
            own, other = (np.flatnonzero(hand >> np.arange(6) & 1) for hand in hands)
            if player == 1:
                own, other = other, own
            expected = network(batch.observations[row : row + 1]).reshape(6, 6)
            matrix = expected[np.ix_(own, other)].astype(float)
            chances = np.zeros(game.actions)
            ask(game.cfg, bot.params, state, player, np.zeros(6, np.int8), chances)
            assert chances.sum() == pytest.approx(1.0)
            assert set(np.flatnonzero(chances)) <= set(own)
            assert (chances[own] @ matrix).min() == pytest.approx(value_of(matrix), abs=1e-5)
            mixed += chances.max() < 0.99
        batch.step([luck.choice(np.flatnonzero(mask)) for mask in batch.masks])
    assert mixed > 50


@pytest.mark.parametrize("name", ["raj", "scotch"])
def test_pairs__the_bot_plays_by_the_rules_and_does_not_peek(name):
    rules = {"money": (6, 6), "length": 4, "start": 2} if name == "scotch" else {}
    game = make_game(name, **rules)
    check_bot(game, network_bot(game, random_network(game), "pairs"))


def test_pairs__deterministic_takes_the_likeliest_action():
    game = make_game("raj")
    network = random_network(game)
    drawing, fixed = (network_bot(game, network, "x", deterministic=d) for d in (False, True))
    state = game.new_state(np.array([1, 2], np.uint64))
    likely, chosen = np.zeros(6), np.zeros(6)
    for bot, out in ((drawing, likely), (fixed, chosen)):
        game.compiled(bot.distribution)(game.cfg, bot.params, state, 0, np.zeros(6, np.int8), out)
    assert 0.0 < likely.max() < 1.0
    assert np.array_equal(chosen, np.eye(6)[likely.argmax()])


def test_pairs__policy_files_keep_them(tmp_path):
    game = make_game("raj", reward="margin")
    network = random_network(game)
    path = save_policy(tmp_path / "pairs.safetensors", game, network)
    assert load_policy(path).network.head == "matrix"
    kept = exploit(game, policy_bot(game, path)).best_response_value
    assert kept == exploit(game, network_bot(game, network, "pairs")).best_response_value


@pytest.mark.parametrize(
    ("name", "rules", "why"),
    [
        ("raj", {"players": 3}, "two players"),
        ("raj", {"reward": "bank"}, "zero-sum"),
        ("coins", {"board": "triangle3"}, "move at the same time"),
        ("twentynine", {}, "two players"),
    ],
)
def test_pairs__other_games_are_refused(name, rules, why):
    game = make_game(name, **rules)
    with pytest.raises(ValueError, match=why):
        network_bot(game, random_network(game, hidden=()), "pairs")


def test_pairs__observations_alone_do_not_tell_its_probabilities():
    game = make_game("raj")
    views = np.zeros((1, game.observation_size), np.float32)
    with pytest.raises(ValueError, match="head='matrix'"):
        random_network(game).probabilities(views, np.ones((1, 6), np.int8))
