"""Environments for RLlib: masks inside the observation, everything else as in `SoloEnv`."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bidarena.envs.rllib import MASK, OBSERVATIONS, MaskedBatch, MaskedSolo
from bidarena.envs.solo import SoloEnv

RAJ = {"game": "raj", "opponent": "value", "seat": 1}
CLEAN = {"illegal_action": False, "opponent_illegal_action": False}


def first_legal(view):
    return int(np.argmax(view[MASK]))


@pytest.mark.filterwarnings("ignore:.*render mode.*")
def test_solo__is_a_gymnasium_environment():
    check_env(MaskedSolo(RAJ), skip_render_check=True)


def test_solo__has_the_mask_inside_the_observation():
    ours, other = MaskedSolo(RAJ), SoloEnv(**RAJ)
    view, info = ours.reset(seed=3)
    seen, known = other.reset(seed=3)
    assert info == CLEAN
    over = False
    while not over:
        assert ours.observation_space.contains(view)
        assert (view[OBSERVATIONS] == seen).all()
        assert (view[MASK] == known[MASK]).all()
        action = first_legal(view)
        view, reward, over, _, info = ours.step(action)
        seen, wanted, *_, known = other.step(action)
        assert reward == wanted
    assert info == CLEAN


def test_solo__tells_of_an_illegal_action():
    env = MaskedSolo(RAJ)
    view, _ = env.reset(seed=3)
    first = first_legal(view)
    env.step(first)
    _, reward, over, _, info = env.step(first)  # that card is gone
    assert (reward, over, info) == (-1.0, True, {**CLEAN, "illegal_action": True})


def test_batch__plays_the_games_of_the_single_environments():
    rows = 3
    batch = MaskedBatch({**RAJ, "num_envs": rows})
    singles = [MaskedSolo(RAJ) for _ in range(rows)]
    views, info = batch.reset(seed=5)
    single_views = [env.reset(seed=5 + i)[0] for i, env in enumerate(singles)]
    assert batch.observation_space.contains(views)
    assert set(info) == {*CLEAN, *("_" + key for key in CLEAN)}
    for _ in range(4):
        for i, view in enumerate(single_views):
            assert batch.single_observation_space.contains(view)
            assert all((views[name][i] == view[name]).all() for name in (OBSERVATIONS, MASK))
        actions = [first_legal(view) for view in single_views]
        views, *_ = batch.step(actions)
        single_views = [env.step(action)[0] for env, action in zip(singles, actions, strict=True)]
