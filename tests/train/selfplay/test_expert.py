"""Search in the loop: what the network learns from it, what the search gains by the network."""

import numpy as np
import pytest
import torch
import toy_nim

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.guide import guide_by
from bidarena.baselines.search import mcts
from bidarena.envs import make_game
from bidarena.evaluate.match import play_match
from bidarena.train.selfplay.expert import Expert

SMALL = {"rows": 16, "iterations": 16, "memory": 2000, "hidden": [16], "minibatch": 64}


def test_expert__learns_the_heaps_of_nim_that_are_lost_and_shortens_the_search():
    game = make_game("toy_nim", heap=9, most=3, random_heap=True)
    settings = {**SMALL, "hidden": [64, 64], "iterations": 30, "epochs": 8, "learning_rate": 3e-3}
    learner = Expert(game, settings, seed=1, total=6000)
    untrained = learner.network()
    while learner.steps < 6000:
        learner.learn()
    network = learner.network()

    def right_moves(bot):
        act = game.compiled(bot.act, **bot.more)
        mask, luck = np.zeros(game.actions, np.int8), np.ones(2, np.uint64)
        found = 0
        for stones in (1, 2, 3, 5, 6, 7, 9):  # leave a multiple of 4
            state = np.zeros(game.state_size, np.int64)
            state[toy_nim.STONES] = stones
            found += act(game.cfg, bot.params, state, 0, luck, mask) == stones % 4
        return found

    alone = [network_bot(game, one, "net", deterministic=True) for one in (untrained, network)]
    assert right_moves(alone[0]) < 6
    assert right_moves(alone[1]) == 7
    guided = mcts(game, iterations=5, policy=guide_by(game, network))
    assert right_moves(guided) == 7


def test_expert__goes_on_exactly_from_a_saved_state():
    game = make_game("coins", board="triangle3")
    one = Expert(game, SMALL, seed=3, total=3000)
    for _ in range(2):
        one.learn()
    saved = one.state()
    for part in saved.values():
        assert isinstance(part, torch.Tensor | np.ndarray | int | float)
    other = Expert(game, SMALL, seed=99, total=3000)
    other.learn()  # whatever it was before is forgotten
    other.restore(saved)
    for _ in range(3):
        first, second = one.learn(), other.learn()
        for name in ("policy_loss", "value_loss", "met", "learning_rate", "decisions"):
            assert first[name] == second[name]
    mine, its = one.state(), other.state()
    assert mine.keys() == its.keys()
    for name, part in mine.items():
        assert np.array_equal(np.asarray(part), np.asarray(its[name])), name
    assert not np.array_equal(saved["learning.0"], mine["learning.0"])


@pytest.mark.parametrize("name", ["raj", "twentynine"])
def test_expert__learns_where_moves_or_cards_are_hidden(name):
    game = make_game(name)
    learner = Expert(game, {**SMALL, "rows": 4, "iterations": 4}, seed=1, total=100)
    told = learner.learn()
    assert learner.steps == told["decisions"] > 0
    assert np.isfinite([told["policy_loss"], told["value_loss"]]).all()
    bot = network_bot(game, learner.network(), "expert")
    sides = len(set(game.teams))
    assert play_match(game, [bot, *["random"] * (sides - 1)], 4, seed=1).scores[0].games > 0


def test_expert__the_state_of_another_learner_is_refused():
    game = make_game("coins", board="triangle3")
    other = Expert(game, {**SMALL, "memory": 9}, seed=0, total=10).state()
    with pytest.raises(ValueError, match="places=9"):
        Expert(game, SMALL, seed=0, total=10).restore(other)
    with pytest.raises(ValueError, match="noise=2"):
        Expert(game, {"noise": 2}, seed=0, total=10)
