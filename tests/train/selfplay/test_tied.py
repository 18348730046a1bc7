"""Networks that treat exchangeable parts alike: the same to play, the same for every suit."""

import numpy as np
import pytest
import torch

from bidarena.envs import make_game
from bidarena.envs.registry import find_tool
from bidarena.envs.structure.exchange import Exchange
from bidarena.train.selfplay.mmd import MMD
from bidarena.train.selfplay.tied import Tied, with_others

# two parts: inputs 0, 3 and 4, 1; input 2 is shared. Actions 0 and 2, action 1 is shared.
PAIR = Exchange(np.array([[0, 3], [4, 1]]), np.array([[0], [2]]))
SWAPPED = [4, 3, 2, 1, 0]  # where each input goes: 0 <-> 4, 3 <-> 1


def drawn(tied, seed=0):
    """Return weights and biases that are far from 0."""
    luck = np.random.default_rng(seed)
    return [
        part + torch.from_numpy(luck.normal(size=part.shape)).float() for part in tied.draw(luck)
    ]


def test_tied__exchanged_inputs_exchange_actions():
    tied = Tied(PAIR, 5, [12, 8], 3)
    parts = drawn(tied)
    seen = np.random.default_rng(1).random((7, 5), np.float32)
    here = tied.outputs(parts, torch.from_numpy(tied.arrange(seen)))
    there = tied.outputs(parts, torch.from_numpy(tied.arrange(seen[:, SWAPPED])))
    torch.testing.assert_close(here[:, [2, 1, 0]], there)
    assert not torch.allclose(here[:, 0], here[:, 2])


def test_tied__dense_layers_give_the_same_outputs():
    tied = Tied(PAIR, 5, [12, 8], 3)
    parts = drawn(tied)
    seen = np.random.default_rng(1).random((7, 5), np.float32)
    numbers = torch.from_numpy(seen)
    dense = tied.dense(parts)
    for i in range(0, len(dense), 2):
        numbers = (numbers.relu() if i else numbers) @ dense[i] + dense[i + 1]
    torch.testing.assert_close(numbers, tied.outputs(parts, torch.from_numpy(tied.arrange(seen))))
    assert [tuple(part.shape) for part in dense[::2]] == [(5, 12), (12, 8), (8, 3)]


def test_tied__dense_layers_are_folded_back():
    tied = Tied(PAIR, 5, [12, 8], 3)
    parts = drawn(tied)
    for mine, its in zip(parts, tied.fold(tied.dense(parts)), strict=True):
        torch.testing.assert_close(its, mine)
        assert its.requires_grad


def test_tied__other_layers_than_its_own_are_refused():
    with pytest.raises(ValueError, match=r"layers of \[5, 12, 3\] units: expected \[5, 8, 3\]"):
        Tied(PAIR, 5, [8], 3).fold(Tied(PAIR, 5, [12], 3).dense(drawn(Tied(PAIR, 5, [12], 3))))


def test_with_others__parts_of_other_players_join_the_same_part():
    seen = np.array([1, 2, 4])  # of every other player
    joined = with_others(PAIR, 5, seen, 2)
    # entry 0 of the first part (input 0) is not seen of others, so its partner 4 is shared, too;
    # 3 is not seen either
    assert joined.inputs.tolist() == PAIR.inputs.tolist()
    joined = with_others(PAIR, 5, np.array([0, 2, 4]), 2)
    assert joined.inputs.tolist() == [[0, 3, 5, 8], [4, 1, 7, 10]]


def test_mmd__suits_are_treated_alike():
    game = make_game("twentynine")
    settings = {"rows": 16, "hidden": [30], "minibatch": 64, "tied": True, "oracle": ["hand"]}
    learner = MMD(game, settings, seed=0, total=10_000)
    learner.learn()
    network = learner.network()
    assert network.sizes == [373, 30, 51]
    exchange = find_tool("twentynine", "exchange")(game)
    seen = np.random.default_rng(0).random((4, game.observation_size), np.float32)
    other = seen.copy()
    other[:, exchange.inputs[[1, 0, 2, 3]]] = seen[:, exchange.inputs]
    here, there = network(seen), network(other)
    np.testing.assert_allclose(
        there[:, exchange.actions[[1, 0, 2, 3]]], here[:, exchange.actions], atol=1e-5
    )
    assert np.abs(here[:, exchange.actions[0]] - here[:, exchange.actions[1]]).max() > 1e-4


def test_mmd__with_tied_weights_goes_on_exactly_from_a_saved_state():
    game = make_game("twentynine")
    settings = {"rows": 8, "hidden": [12], "minibatch": 64, "tied": True}
    settings |= {"rivals": ["rules"], "oracle": ["hand", "trump"]}
    one, other = (MMD(game, settings, seed=seed, total=10_000) for seed in (1, 2))
    one.learn()
    other.restore(one.state())
    assert one.learn()["value_loss"] == other.learn()["value_loss"]
    for mine, its in zip(one.network().weights, other.network().weights, strict=True):
        np.testing.assert_array_equal(mine, its)


def test_mmd__tied_weights_need_parts_that_can_be_exchanged():
    with pytest.raises(ValueError, match="tied=True: raj tells of no parts"):
        MMD(make_game("raj"), {"tied": True}, seed=0, total=1000)
