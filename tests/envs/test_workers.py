"""Ids in worker processes, which have not imported the package: the prefix of the id imports it."""

import gymnasium as gym
import numpy as np
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

ID = "bidarena.envs:bidarena/Raj-v0"
RULES = {"opponent": "value", "cards": (1, 2, 3), "items": (1, 2, 3)}


class Make:
    """Makes an environment from nothing but its id; it can be sent to a spawned process."""

    def __init__(self, name):
        self.name = name

    def __call__(self):
        return gym.make(self.name, **RULES)


def test_spawned_worker__knows_an_id_with_the_module_before_it():
    env = SubprocVecEnv([Make(ID)], start_method="spawn")
    try:
        assert env.reset().shape == (1, *gym.make(ID, **RULES).observation_space.shape)
        legal = env.env_method("action_masks")[0]
        _, _, done, _ = env.step(np.array([np.argmax(legal)]))
        assert not done[0]
    finally:
        env.close()


def test_make_vec_env__of_sb3_takes_the_id_into_its_processes():
    env = make_vec_env(
        ID,
        n_envs=2,
        seed=1,
        env_kwargs=RULES,
        vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": "spawn"},
    )
    try:
        assert len(env.reset()) == 2
    finally:
        env.close()


def test_async_vector_env__of_gymnasium_takes_the_id_into_its_processes():
    envs = gym.make_vec(
        ID, num_envs=2, vectorization_mode="async", vector_kwargs={"context": "spawn"}, **RULES
    )
    try:
        _, infos = envs.reset(seed=1)
        assert infos["action_mask"].shape == (2, 3)
    finally:
        envs.close()
