"""Speeds of training, beside SB3 with its defaults, measured in the same run."""

from __future__ import annotations

import time
from typing import Any

from bidarena.envs.registry import env_id
from bidarena.train.algorithms import hyperparameters, make_learner
from bidarena.train.task import Task

DUMMY_ENVS = 8  # single environments in a loop, as SB3 runs them by default
ROUNDS = 3  # the fewest rounds that are timed, after one that warms up


def train_speed(game: str, seconds: float) -> dict[str, Any]:
    """Return the speed of MaskablePPO with our hyperparameters against the random bot.

    The keys: `train_steps_per_s`, decisions learned from per second of wall time, with two threads
    for the network; `env_share`, the environment's share of that time.
    """
    values = hyperparameters("maskable_ppo", game)
    for other in ("steps", "rules"):
        values.pop(other, None)
    values["torch_threads"] = 2
    task = Task(game, {}, "maskable_ppo", 10**9, 0, {"opponent": "random"}, values)
    learner = make_learner(task)
    learner.learn()  # compiles, and warms up
    spent = env = 0.0
    first, rounds = learner.steps, 0
    while spent < seconds or rounds < ROUNDS:
        told = learner.learn()
        spent += told["seconds"]
        env += told["env_seconds"]
        rounds += 1
    return {"train_steps_per_s": (learner.steps - first) / spent, "env_share": env / spent}


def sb3_default_speed(game: str, seconds: float) -> float:
    """Return the steps per second of MaskablePPO with SB3's defaults, on single environments."""
    import gymnasium as gym
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    envs = DummyVecEnv([lambda: gym.make(env_id(game)) for _ in range(DUMMY_ENVS)])
    model = MaskablePPO("MlpPolicy", envs, n_steps=256, device="cpu", seed=0)
    steps_per_round = 256 * DUMMY_ENVS
    model.learn(steps_per_round)
    spent, steps = 0.0, 0
    while spent < seconds or not steps:
        began = time.perf_counter()
        model.learn(steps_per_round, reset_num_timesteps=False)
        spent += time.perf_counter() - began
        steps += steps_per_round
    return steps / spent
