"""A network as a compiled bot, compared with the network in NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from networks import random_network

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import save_policy
from bidarena.baselines.solvers.probabilities import with_probabilities
from bidarena.envs import Batch, make_bot, make_game
from bidarena.envs.rng import seeded
from bidarena.envs.testing import check_bot
from bidarena.evaluate.exploit import exploit
from bidarena.evaluate.match import play_match
from bidarena.evaluate.twentynine.exploit import exploit_twentynine


def expected_chances(network, observations, masks):
    numbers = np.where(masks == 1, network(observations).astype(np.float64), -np.inf)
    weights = np.exp(numbers - numbers.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("hidden", [(), (16, 8)])
def test_network_bot__draws_what_the_network_says(activation, hidden):
    game = make_game("raj")
    network = random_network(game, hidden, activation)
    batch = Batch(game, 4000, seed=3)
    batch.rngs[:, :2] = batch.rngs[0, :2]  # so that all rows have one deal
    batch.reset()
    expected = expected_chances(network, batch.observations[:1], batch.masks[:1])[0]
    actions = np.zeros(4000, np.int64)
    batch.ask(network_bot(game, network, "net"), np.ones(4000, bool), actions)
    found = np.bincount(actions, minlength=game.actions) / 4000
    assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / 4000)
    assert expected.max() < 0.999  # else there would be nothing to compare


@pytest.mark.parametrize("head", ["logits", "values"])
def test_network_bot__deterministic_takes_the_highest_legal_number(head):
    game = make_game("coins", board="triangle4")
    network = random_network(game, head=head)
    bot = network_bot(game, network, "net", deterministic=head == "logits")
    batch = Batch(game, 200, seed=0)
    everywhere = np.ones(200, bool)
    actions = np.zeros(200, np.int64)
    luck = np.random.default_rng(0)
    for _ in range(4):
        alive = batch.movers >= 0
        batch.ask(bot, everywhere, actions)
        best = expected_chances(network, batch.observations, batch.masks).argmax(axis=1)
        assert (actions == best)[alive].all()
        random = [luck.choice(np.flatnonzero(mask)) for mask in batch.masks]
        batch.step(np.array(random))
    assert bot.deterministic


@pytest.mark.parametrize("name", ["scotch", "raj", "twentynine"])
def test_network_bot__plays_by_the_rules_and_does_not_peek(name):
    game = make_game(name)
    check_bot(game, network_bot(game, random_network(game), "net"))


def test_network_bot__refuses_a_network_of_another_size():
    network = random_network(make_game("raj"))
    with pytest.raises(ValueError, match="expected 5 inputs and 101 outputs for scotch"):
        network_bot(make_game("scotch"), network, "net")


def test_network__refuses_layers_that_do_not_fit():
    one, two = np.zeros((3, 4), np.float32), np.zeros((5, 2), np.float32)
    with pytest.raises(ValueError, match="layer 1"):
        Network((one, two), (np.zeros(4, np.float32), np.zeros(2, np.float32)))
    with pytest.raises(ValueError, match="finite"):
        Network((one * np.nan,), (np.zeros(4, np.float32),))


@pytest.mark.parametrize(("name", "search"), [("raj", "ismcts"), ("coins", "mcts")])
def test_network_bot__plays_out_the_games_of_a_search(name, search, tmp_path):
    game = make_game(name, **({"board": "triangle4"} if name == "coins" else {}))
    path = save_policy(tmp_path / "net.safetensors", game, random_network(game))
    bot = make_bot(game, f"{search}:iterations=50,playout={path}:deterministic=true")
    assert play_match(game, [bot, "random"], 20, seed=1).games == 20


def test_network_bot__says_the_same_with_weights_of_64_bits():
    """Searches pass the weights of their playout bot on as float64."""
    game = make_game("raj")
    bot = network_bot(game, random_network(game), "net")
    wide = replace(bot, params=bot.params.astype(np.float64))
    found = [np.zeros(game.actions) for _ in range(2)]
    rng = seeded(np.random.default_rng(0), 2)
    for _ in range(20):
        state = game.new_state(rng)
        for one, out in zip((bot, wide), found, strict=True):
            assert one.distribution is not None
            law = game.compiled(one.distribution)
            law(game.cfg, one.params, state, 0, np.zeros(game.actions, np.int8), out)
        assert np.allclose(*found, atol=1e-5) and found[0].max() < 1


def test_local_response__knows_a_network(tmp_path):
    game = make_game("twentynine")
    path = save_policy(tmp_path / "net.safetensors", game, random_network(game, (4,)))
    found = exploit_twentynine(game, str(path), samples=5, games=200, seed=0)
    assert found.model == str(path)
    assert found.best_response_value > 0.1  # it plays at random


@pytest.mark.parametrize("head", ["logits", "values"])
def test_network__probabilities_are_those_of_the_bot(head):
    game = make_game("raj", cards=[1, 2, 3], items=[1, 2, 3])
    network = random_network(game, head=head)
    by_bot = exploit(game, network_bot(game, network, "net"))
    by_rows = exploit(game, with_probabilities(network.probabilities))
    assert by_bot.exact
    assert by_rows.best_response_value == pytest.approx(by_bot.best_response_value, abs=1e-5)
