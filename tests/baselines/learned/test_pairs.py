"""A network that judges pairs of moves, as a compiled bot, against a linear program."""

import numpy as np
import pytest
from brute_force import matrix_value
from networks import random_network

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.policy_file import load_policy, policy_bot, save_policy
from bidarena.envs import Batch, make_game
from bidarena.envs.raj.rules import S
from bidarena.envs.testing import check_bot
from bidarena.evaluate.exploit import exploit


def pairs_network(game, hidden=(16,)):
    return random_network(game, hidden, head="matrix")


def test_pairs__the_bot_plays_an_equilibrium_of_what_its_network_expects():
    game = make_game("raj")
    network = pairs_network(game)
    bot = network_bot(game, network, "pairs")
    ask = game.compiled(bot.distribution)
    batch = Batch(game, 60, seed=0)
    luck = np.random.default_rng(0)
    mixed = 0
    for _ in range(2 * game.actions - 1):
        for row in range(batch.rows):
            state, player = batch.states[row], int(batch.movers[row])
            hands = state[S.hands : S.hands + 2]
            own, other = (np.flatnonzero(hand >> np.arange(6) & 1) for hand in hands)
            if player == 1:
                own, other = other, own
            expected = network(batch.observations[row : row + 1]).reshape(6, 6)
            matrix = expected[np.ix_(own, other)].astype(float)
            chances = np.zeros(game.actions)
            ask(game.cfg, bot.params, state, player, np.zeros(6, np.int8), chances)
            assert chances.sum() == pytest.approx(1.0)
            assert set(np.flatnonzero(chances)) <= set(own)
            assert (chances[own] @ matrix).min() == pytest.approx(matrix_value(matrix), abs=1e-5)
            mixed += chances.max() < 0.99
        batch.step([luck.choice(np.flatnonzero(mask)) for mask in batch.masks])
    assert mixed > 50


@pytest.mark.parametrize("name", ["raj", "scotch"])
def test_pairs__the_bot_plays_by_the_rules_and_does_not_peek(name):
    rules = {"money": (6, 6), "length": 4, "start": 2} if name == "scotch" else {}
    game = make_game(name, **rules)
    check_bot(game, network_bot(game, pairs_network(game), "pairs"))


def test_pairs__deterministic_takes_the_likeliest_action():
    game = make_game("raj")
    network = pairs_network(game)
    drawing, fixed = (network_bot(game, network, "x", deterministic=d) for d in (False, True))
    state = game.new_state(np.array([1, 2], np.uint64))
    likely, chosen = np.zeros(6), np.zeros(6)
    for bot, out in ((drawing, likely), (fixed, chosen)):
        game.compiled(bot.distribution)(game.cfg, bot.params, state, 0, np.zeros(6, np.int8), out)
    assert 0.0 < likely.max() < 1.0
    assert np.array_equal(chosen, np.eye(6)[likely.argmax()])


def test_pairs__policy_files_keep_them(tmp_path):
    game = make_game("raj", reward="margin")
    network = pairs_network(game)
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
        network_bot(game, pairs_network(game, hidden=()), "pairs")


def test_pairs__observations_alone_do_not_tell_its_probabilities():
    game = make_game("raj")
    views = np.zeros((1, game.observation_size), np.float32)
    with pytest.raises(ValueError, match="head='matrix'"):
        pairs_network(game).probabilities(views, np.ones((1, 6), np.int8))
