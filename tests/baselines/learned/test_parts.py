"""Networks that judge positions part by part: the compiled bot against NumPy, files, errors."""

from itertools import pairwise

import numpy as np
import pytest
import toy_nim  # noqa: F401 - registers the game

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.parts import judged
from bidarena.baselines.learned.policy_file import load_policy, policy_bot, save_policy
from bidarena.envs import make_game
from bidarena.envs.registry.parts import needed_parts
from bidarena.envs.rng import seeded
from bidarena.envs.testing import check_bot, random_states

GAME = make_game("coins", board="square4")


def by_parts(game=GAME, activation="relu", seed=0):
    luck = np.random.default_rng(seed)
    pairs = list(pairwise([needed_parts(game).size, 12, 6, 8, 1]))
    weights = tuple(luck.normal(size=pair).astype(np.float32) for pair in pairs)
    biases = tuple(luck.normal(size=out).astype(np.float32) for _, out in pairs)
    return Network(weights, biases, activation, "parts", part_layers=2)


def plain_worths(game, network, state):
    """Return the worth of each action by looking one move ahead, with the network in NumPy."""
    parts = needed_parts(game)
    views = np.zeros((parts.most, parts.size), np.float32)
    mask, worth = np.zeros(game.actions, np.int8), np.full(game.actions, -np.inf)
    game.call("legal")(game.cfg, state, mask)
    for action in np.flatnonzero(mask):
        after = state.copy()
        game.call("step")(game.cfg, after, int(action), np.ones(2, np.uint64))
        if game.call("to_move")(game.cfg, after) < 0:
            worth[action] = -1  # the last coin loses
            continue
        count = game.compiled(parts.split)(game.cfg, parts.params, after, views)
        worth[action] = -np.tanh(judged(network, list(views[:count])) / 2)
    return worth


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_parts__the_bot_looks_one_move_ahead(activation):
    network = by_parts(activation=activation)
    bot = network_bot(GAME, network, "net")
    choose = GAME.compiled(bot.act, **bot.more)
    mask, luck = np.zeros(GAME.actions, np.int8), seeded(np.random.default_rng(0), 2)
    seen = set()
    for state, mover, _ in random_states(GAME, games=10, seed=1):
        action = choose(GAME.cfg, bot.params, state, mover, luck, mask)
        worth = plain_worths(GAME, network, state)
        assert worth[action] == pytest.approx(worth.max(), abs=1e-4)
        seen.add(action)
    assert len(seen) > 10
    check_bot(GAME, bot, games=3)


@pytest.mark.parametrize("half", [False, True])
def test_parts__a_file_gives_the_network_back(tmp_path, half):
    network = by_parts()
    path = save_policy(tmp_path / "parts.safetensors", GAME, network, half=half)
    back = load_policy(path).network
    assert back.head == "parts" and back.part_layers == 2
    for mine, its in zip(network.weights, back.weights, strict=True):
        assert its == pytest.approx(mine, rel=1e-3, abs=1e-3)
    check_bot(GAME, policy_bot(GAME, path), games=1)
    with pytest.raises(ValueError, match="another game"):
        policy_bot(make_game("coins", board="square3"), path)


def test_parts__what_does_not_fit_is_refused(tmp_path):
    good = by_parts()
    with pytest.raises(ValueError, match="part_layers=0"):
        Network(good.weights, good.biases, head="parts")
    with pytest.raises(ValueError, match="part_layers=4"):
        Network(good.weights, good.biases, head="parts", part_layers=4)
    with pytest.raises(ValueError, match="part_layers=2"):
        Network(good.weights, good.biases, part_layers=2)
    with pytest.raises(ValueError, match="expected 9 inputs"):
        network_bot(make_game("coins", board="square3"), good, "net")
    with pytest.raises(ValueError, match="fall into parts"):
        network_bot(make_game("toy_nim"), good, "net")
    with pytest.raises(ValueError, match="parts of positions"):
        good(np.zeros((1, 16), np.float32))
