"""Wrappers: masks inside observations, and illegal actions replaced by the nearest legal one."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from equality import assert_equal
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given
from hypothesis import strategies as st
from our_games import OUR_GAMES
from stable_baselines3 import PPO

from bidarena.envs.registry import env_id
from bidarena.envs.sb3 import NearestLegalVecEnv, SB3Env
from bidarena.envs.solo import SoloEnv
from bidarena.envs.vector import BatchedEnv
from bidarena.envs.wrappers import (
    MaskInObservation,
    NearestLegalAction,
    VectorMaskInObservation,
    VectorNearestLegalAction,
    nearest_legal,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*different from the unwrapped version.*")

KEYS = [("observation", "action_mask"), ("obs", "mask"), ("observations", "action_mask")]
SMALL = {"length": 4, "money": (3, 3)}


def roll(env: Any, masks_of: Any, steps: int = 60, wild: float = 0.0) -> list[Any]:
    """Return the results of random steps, most of them legal."""
    choice = np.random.default_rng(0)
    out = [env.reset(seed=3)]
    for _ in range(steps):
        masks = masks_of(out[-1])
        actions = (choice.random(masks.shape) * masks).argmax(axis=1)
        strange = choice.integers(-2, masks.shape[1] + 2, len(actions))
        out.append(env.step(np.where(choice.random(len(actions)) < wild, strange, actions)))
    return out


# --- masks inside observations -------------------------------------------------------------------


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("name", OUR_GAMES)
def test_mask_in_observation__is_the_mask_of_the_info(name, keys):
    env, plain = MaskInObservation(gym.make(env_id(name)), keys), gym.make(env_id(name))
    (view, info), (seen, known) = env.reset(seed=2), plain.reset(seed=2)
    over = False
    while not over:
        assert view in env.observation_space and set(view) == set(keys)
        assert np.array_equal(view[keys[0]], seen)
        assert np.array_equal(view[keys[1]], known["action_mask"])
        assert set(info) == set(known) - {"action_mask"}
        action = int(view[keys[1]].argmax())
        view, reward, over, cut, info = env.step(action)
        seen, *expected, known = plain.step(action)
        assert [reward, over, cut] == expected
        over = over or cut


@pytest.mark.parametrize("name", OUR_GAMES)
def test_mask_in_observation__passes_gymnasiums_checker(name):
    check_env(MaskInObservation(gym.make(env_id(name))), skip_render_check=True)


def test_mask_in_observation__is_made_again_from_its_spec():
    env = MaskInObservation(gym.make(env_id(OUR_GAMES[0])), KEYS[1])
    again = gym.make(env.spec)
    assert isinstance(again, MaskInObservation)
    assert again.observation_space == env.observation_space


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("mode", list(AutoresetMode)[:2])
def test_vector_mask_in_observation__equals_single_ones(keys, mode):
    ours = VectorMaskInObservation(BatchedEnv("scotch", 4, autoreset_mode=mode, **SMALL), keys)
    theirs = SyncVectorEnv(
        [lambda: MaskInObservation(SoloEnv("scotch", **SMALL), keys)] * 4, autoreset_mode=mode
    )
    assert ours.observation_space == theirs.observation_space
    assert ours.single_observation_space == theirs.single_observation_space
    mine = roll(ours, lambda last: last[0][keys[1]])
    assert_equal(tuple(mine), tuple(roll(theirs, lambda last: last[0][keys[1]])))
    assert mine[0][0] in ours.observation_space


@pytest.mark.parametrize("keys", [("a",), ("a", "a"), ("a", 1), "ab", ("a", "b", "c"), None])
def test_mask_in_observation__wrong_keys_are_named(keys):
    with pytest.raises(ValueError, match="keys="):
        MaskInObservation(SoloEnv("scotch"), keys)
    with pytest.raises(ValueError, match="keys="):
        VectorMaskInObservation(BatchedEnv("scotch", 2), keys)


# --- the nearest legal action --------------------------------------------------------------------


@given(st.integers(-20, 20), st.lists(st.booleans(), min_size=1, max_size=9))
def test_nearest_legal__is_legal_and_no_legal_action_is_nearer(action, mask):
    found = int(nearest_legal(np.array([action]), np.array([mask]))[0])
    legal = np.flatnonzero(mask).tolist()
    if not legal:
        assert found == action
        return
    assert found == min(legal, key=lambda other: (abs(other - action), other))


def test_nearest_legal_action__keeps_legal_actions_and_tells_of_others():
    env = NearestLegalAction(SoloEnv("scotch", **SMALL, seat=0, opponent="uniform:high=1"))
    _, info = env.reset(seed=0)
    assert (info["replaced_action"], info["played_action"]) == (False, -1)
    assert info["action_mask"].tolist() == [0, 1, 1, 1]
    for action, played in ((0, 1), (2, 2), (99, 3), (-5, 1), (np.int64(3), 3)):
        env.reset(seed=0)
        *_, info = env.step(action)
        assert (info["replaced_action"], info["played_action"]) == (played != action, played)
        assert info["illegal_action"] is False


@pytest.mark.parametrize("name", OUR_GAMES)
def test_nearest_legal_action__no_game_is_lost_by_any_action(name):
    env = NearestLegalAction(gym.make(env_id(name)))
    env.action_space.seed(0)
    check_env(env, skip_render_check=True)
    for seed in range(5):
        env.reset(seed=seed)
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(env.action_space.sample())
            assert not info["illegal_action"]
            over = terminated or truncated


def test_nearest_legal_action__is_never_the_default():
    for name in OUR_GAMES:
        env = gym.make(env_id(name))
        env.reset(seed=0)
        assert env.step(-1)[4]["illegal_action"] is True


@pytest.mark.parametrize("mode", list(AutoresetMode)[:2])
def test_vector_nearest_legal_action__equals_single_ones(mode):
    ours = VectorNearestLegalAction(BatchedEnv("scotch", 4, autoreset_mode=mode, **SMALL))
    theirs = SyncVectorEnv(
        [lambda: NearestLegalAction(SoloEnv("scotch", **SMALL))] * 4, autoreset_mode=mode
    )
    mine = roll(ours, lambda last: last[-1]["action_mask"], wild=0.5)
    others = roll(theirs, lambda last: last[-1]["action_mask"], wild=0.5)
    assert_equal(tuple(mine), tuple(others))
    assert any(step[-1]["replaced_action"].any() for step in mine)


def test_vector_nearest_legal_action__knows_the_masks_after_a_reset_of_some_rows():
    env = VectorNearestLegalAction(
        SyncVectorEnv(
            [lambda: SoloEnv("scotch", **SMALL)] * 4, autoreset_mode=AutoresetMode.DISABLED
        )
    )
    env.reset(seed=0)
    for _ in range(30):
        _, _, terminated, truncated, info = env.step([7, -7, 2, 3])
        assert not info["illegal_action"].any()
        if (over := terminated | truncated).any():
            env.reset(options={"reset_mask": over})


def test_nearest_legal_vec_env__equals_the_single_wrapper():
    env = NearestLegalVecEnv(SB3Env("scotch", 1, **SMALL))
    single = NearestLegalAction(SoloEnv("scotch", **SMALL))
    env.seed(3)
    assert np.array_equal(env.reset()[0], single.reset(seed=3)[0])
    choice = np.random.default_rng(0)
    for _ in range(40):
        action = int(choice.integers(-2, 6))
        _, rewards, dones, infos = env.step(np.array([action]))
        _, reward, terminated, truncated, info = single.step(action)
        assert (rewards[0], dones[0]) == (reward, terminated or truncated)
        for key in ("replaced_action", "played_action", "illegal_action"):
            assert infos[0][key] == info[key]
        if terminated or truncated:
            single.reset()


def test_nearest_legal_vec_env__plain_ppo_learns_what_random_play_does_not_reach():
    torch.set_num_threads(1)
    rules: dict[str, Any] = {"length": 4, "money": (10, 10), "opponent": "uniform"}

    def play(env: Any, choose: Any, games: int = 500) -> tuple[float, float]:
        """Return wins minus losses, and the share of games that ended by an illegal action."""
        env.seed(1234)
        views, results, illegal = env.reset(), [], []
        while len(results) < games:
            views, rewards, dones, infos = env.step(choose(views))
            results += rewards[dones].tolist()
            illegal += [
                info["illegal_action"] for info, over in zip(infos, dones, strict=True) if over
            ]
        return float(np.mean(results[:games])), float(np.mean(illegal[:games]))

    choice = np.random.default_rng(0)
    by_chance = lambda views: choice.integers(0, 11, len(views))  # noqa: E731
    assert play(SB3Env("scotch", 100, **rules), by_chance)[1] > 0.5
    replaced, illegal = play(NearestLegalVecEnv(SB3Env("scotch", 100, **rules)), by_chance)
    assert illegal == 0 and replaced < 0.5
    model = PPO(
        "MlpPolicy",
        NearestLegalVecEnv(SB3Env("scotch", 64, **rules)),
        n_steps=32,
        batch_size=512,
        n_epochs=4,
        learning_rate=3e-3,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [32, 32]},
        seed=1,
        device="cpu",
    )
    model.learn(16_384)
    env = NearestLegalVecEnv(SB3Env("scotch", 100, **rules))
    learned, illegal = play(env, lambda views: model.predict(views, deterministic=True)[0])
    assert illegal == 0 and learned > 0.6
