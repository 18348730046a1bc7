"""How fast policies are learned, beside SB3 with its defaults in the same run."""

from __future__ import annotations

import time
from typing import Any

from bidarena.envs.registry import env_id
from bidarena.train.task import Task, hyperparameters, make_learner

DUMMY_ENVS = 8  # of SB3's usual way: single environments in a loop
ROUNDS = 3  # at least so many, after one that warms up


def train_speed(game: str, seconds: float) -> dict[str, Any]:
    """MaskablePPO with our settings against the random bot.

    The keys: `train_steps_per_s`, decisions learned from per second of wall time on as many cores
    as the network may use; `env_share`, the environment's share of that time.
    """
    settings = hyperparameters("maskable_ppo", game)
    for other in ("steps", "rules"):
        settings.pop(other, None)
    settings["torch_threads"] = 2
    task = Task(game, {}, "maskable_ppo", 10**9, 0, {"opponent": "random"}, settings)
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
    """MaskablePPO as SB3 sets it up by default, on a few single environments in a loop."""
    import gymnasium as gym
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    envs = DummyVecEnv([lambda: gym.make(env_id(game)) for _ in range(DUMMY_ENVS)])
    model = MaskablePPO("MlpPolicy", envs, n_steps=256, device="cpu", seed=0)
    round_of = 256 * DUMMY_ENVS
    model.learn(round_of)
    spent, steps = 0.0, 0
    while spent < seconds or not steps:
        began = time.perf_counter()
        model.learn(round_of, reset_num_timesteps=False)
        spent += time.perf_counter() - began
        steps += round_of
    return steps / spent
