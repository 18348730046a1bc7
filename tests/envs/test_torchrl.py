"""TorchRL's own checker on every registered id: single, with masks, and the native batch."""

from __future__ import annotations

import warnings

import gymnasium as gym
import pytest
from our_games import OUR_GAMES

from bidarena.envs.registry import env_id
from bidarena.envs.wrappers import MaskInObservation, VectorMaskInObservation

torchrl_envs = pytest.importorskip("torchrl.envs")


def check(env):
    from torchrl.envs.utils import check_env_specs

    with warnings.catch_warnings():
        warnings.filterwarnings("error", module="bidarena")
        check_env_specs(env)


@pytest.mark.parametrize("name", OUR_GAMES)
def test_torchrl__makes_every_id(name):
    check(torchrl_envs.GymEnv(env_id(name)))
    check(torchrl_envs.GymEnv(env_id(name), categorical_action_encoding=True))


class Strict(gym.Wrapper):
    """Fails at the first illegal action, and counts steps."""

    steps = 0

    def step(self, action):
        result = self.env.step(action)
        assert not result[4]["illegal_action"]
        self.steps += 1
        return result


@pytest.mark.parametrize("name", OUR_GAMES)
def test_torchrl__masks_its_random_actions(name):
    made = Strict(MaskInObservation(gym.make(env_id(name))))
    env = torchrl_envs.GymWrapper(made, categorical_action_encoding=True)
    env = torchrl_envs.TransformedEnv(env, torchrl_envs.ActionMask())
    for _ in range(5):
        env.rollout(made.spec.max_episode_steps)
    assert made.steps > 5
    check(torchrl_envs.GymWrapper(MaskInObservation(gym.make(env_id(name)))))


@pytest.mark.parametrize("name", OUR_GAMES)
@pytest.mark.parametrize("mode", ["Disabled", "SameStep"])
def test_torchrl__takes_the_native_batch(name, mode):
    check(torchrl_envs.GymWrapper(gym.make_vec(env_id(name), 4, autoreset_mode=mode)))


@pytest.mark.parametrize("name", OUR_GAMES)
def test_torchrl__takes_the_native_batch_with_masks(name):
    # TorchRL cannot read dicts of last observations, so SameStep is not for it: not in
    # Gymnasium's own SyncVectorEnv either.
    made = VectorMaskInObservation(gym.make_vec(env_id(name), 4, autoreset_mode="Disabled"))
    env = torchrl_envs.GymWrapper(made, categorical_action_encoding=True)
    check(torchrl_envs.TransformedEnv(env, torchrl_envs.ActionMask()))
