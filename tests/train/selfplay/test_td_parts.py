"""Self-play that judges positions part by part: perfect play, exact resumption, errors."""

import numpy as np
import pytest
import torch
import toy_nim  # noqa: F401 - registers the game

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.parts import judged
from bidarena.envs import make_game
from bidarena.evaluate.coins.exploit import exploit_coins
from bidarena.train.selfplay.td_parts import TDParts

SMALL = {
    "rows": 32,
    "positions": 128,
    "memory": 4096,
    "hidden": [32, 16],
    "top": [16],
    "minibatch": 64,
}


def trained(game, total, **settings):
    learner = TDParts(game, {**SMALL, **settings}, seed=1, total=total)
    while learner.steps < total:
        learner.learn()
    return learner


def test_td_parts__learns_a_board_to_perfection():
    game = make_game("coins", board="triangle4")
    untrained = TDParts(game, SMALL, seed=1, total=1).network()
    before = exploit_coins(game, network_bot(game, untrained, "untrained"))
    assert before.kept_where_it_matters < 0.8
    network = trained(game, 30_000, hidden=[64, 64, 16]).network()
    after = exploit_coins(game, network_bot(game, network, "td_parts"))
    assert after.kept_where_it_matters == 1
    assert after.best_response_value == 0  # one seat wins, and that is all there is to win


def test_td_parts__goes_on_exactly_from_a_saved_state():
    game = make_game("coins", board="triangle4")
    one = TDParts(game, SMALL, seed=3, total=3000)
    for _ in range(2):
        one.learn()
    saved = one.state()
    for part in saved.values():
        assert isinstance(part, torch.Tensor | np.ndarray | int | float)
    other = TDParts(game, SMALL, seed=99, total=3000)
    other.learn()  # whatever it was before is forgotten
    other.restore(saved)
    for _ in range(3):
        first, second = one.learn(), other.learn()
        for name in ("value_loss", "certainty", "met", "learning_rate", "decisions"):
            assert first[name] == second[name]
    mine, its = one.state(), other.state()
    assert mine.keys() == its.keys()
    for name, part in mine.items():
        assert np.array_equal(np.asarray(part), np.asarray(its[name])), name
    assert not np.array_equal(saved["learning.0"], mine["learning.0"])


def test_td_parts__the_network_judges_as_the_learner_does():
    game = make_game("coins", board="square3")
    learner = TDParts(game, SMALL, seed=3, total=1000)
    learner.learn()
    states = np.unique(learner._memory[learner._used], axis=0)
    sums, _, kinds = learner._splitter.positions(states)
    with torch.no_grad():
        told = learner._logits(learner._judge, sums).numpy()
    for state, kind in zip(states, kinds, strict=True):
        parts = [sums.views[k] for k in sums.parts[kind] if k]
        assert judged(learner.network(), parts) == pytest.approx(told[kind], abs=1e-4), state


def test_td_parts__positions_of_equal_parts_are_kept_once():
    game = make_game("coins", board="square3")
    learner = trained(game, 3000, opening=0, explore=1.0)
    keys = learner._splitter.positions(learner._memory[learner._used])[1]
    assert len(np.unique(keys)) == learner._used.sum() < 60  # of 511 positions


def test_td_parts__what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="fall into parts"):
        TDParts(make_game("toy_nim"), SMALL, seed=0, total=10)
    with pytest.raises(ValueError, match="hides nothing"):
        TDParts(make_game("raj"), SMALL, seed=0, total=10)
    game = make_game("coins", board="triangle3")
    with pytest.raises(ValueError, match="widest=0"):
        TDParts(game, {"widest": 0}, seed=0, total=10)
    with pytest.raises(ValueError, match="hidden"):
        TDParts(game, {"hidden": []}, seed=0, total=10)
    other = TDParts(game, {**SMALL, "memory": 9}, seed=0, total=10).state()
    with pytest.raises(ValueError, match="places=9"):
        TDParts(game, SMALL, seed=0, total=10).restore(other)
