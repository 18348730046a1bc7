"""Speeds of training, beside SB3 with its defaults, and where the time of each learner goes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from bidarena.envs import games
from bidarena.envs.learner import SELF
from bidarena.envs.registry import env_id, tools_of
from bidarena.train.algorithms import (
    algorithms,
    find_algorithm,
    hyperparameters,
    make_learner,
)
from bidarena.train.task import Task

DUMMY_ENVS = 8  # single environments in a loop, as SB3 runs them by default
ROUNDS = 3  # the fewest rounds that are timed, after one that warms up
ALIKE = "fast_ppo, alike"  # fast_ppo with the hyperparameters of maskable_ppo

# settings of fast_ppo -> those of maskable_ppo that mean the same
SAME_SETTINGS = {
    "rows": "envs",
    "n_steps": "n_steps",
    "hidden": "net_arch",
    "minibatch": "batch_size",
    "epochs": "n_epochs",
    "gae_lambda": "gae_lambda",
    "clip_range": "clip_range",
    "max_grad_norm": "max_grad_norm",
    "pool_size": "pool_size",
    "pool_every": "pool_every",
}


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


def learner_costs(seconds: float, say: Callable[[str], None]) -> dict[str, list[dict[str, Any]]]:
    """Return what every native algorithm costs, on each game that asks for it.

    Each is measured with our hyperparameters in one thread, in CPU seconds, which other work on the
    machine hardly changes: against the random bot and against itself, where it can do both. The
    last rows are fast_ppo with the settings of maskable_ppo, so that only the loops differ.

    Args:
        seconds: about how many CPU seconds each is measured, after one round that warms up.
        say: called with what is measured next.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for game in [name for name in games() if tools_of(name).bench.learners]:
        rows: list[dict[str, Any]] = []
        for algorithm in algorithms():
            if find_algorithm(algorithm).engine != "native":
                continue
            for opponent in ("random", SELF):
                task = _usual_task(game, algorithm, opponent)
                try:
                    learner = make_learner(task)
                except ValueError:  # the algorithm is not made for this game, or these opponents
                    continue
                say(f"{algorithm} on {game} against {opponent}")
                costs = _costs(learner, seconds)
                rows.append({"algorithm": algorithm, "opponent": opponent, **costs})
        for opponent in ("random", SELF):
            say(f"{ALIKE} on {game} against {opponent}")
            costs = _costs(make_learner(_task_like_sb3(game, opponent)), seconds)
            rows.append({"algorithm": ALIKE, "opponent": opponent, **costs})
        first = {row["opponent"]: row["decisions_per_cpu_s"] for row in reversed(rows)}
        for row in rows:
            row["times_first"] = row["decisions_per_cpu_s"] / first[row["opponent"]]
        found[game] = rows
    return found


def _usual_task(game: str, algorithm: str, opponent: str) -> Task:
    """Return a task with the hyperparameters of a game, so long that no schedule comes far."""
    values = hyperparameters(algorithm, game)
    values.pop("steps", None)
    rules = values.pop("rules", {})
    return Task(game, rules, algorithm, 10**9, 0, {"opponent": opponent}, values)


def _task_like_sb3(game: str, opponent: str) -> Task:
    """Return a task of fast_ppo with the hyperparameters of maskable_ppo, snapshots included."""
    theirs = hyperparameters("maskable_ppo", game)
    values = {own: theirs[name] for own, name in SAME_SETTINGS.items()}
    return Task(game, {}, "fast_ppo", 10**9, 0, {"opponent": opponent}, values)


def _costs(learner: Any, seconds: float) -> dict[str, float]:
    """Return the decisions per CPU second of a learner, and the shares of its time.

    `environment` is spent in the simulator and in opponents, `update` in gradient steps, and
    `inference` in all the rest: asking networks, drawing actions, looking ahead, finding targets.
    """
    learner.learn()  # compiles, and warms up
    if hasattr(learner, "model"):  # SB3, which measures wall time
        environment = _Watch(learner.env, "step_wait")
        update = _Watch(learner.model, "train")
    else:
        environment, update = None, _Watch(learner, "_update")
    began, first, inside = time.process_time(), learner.steps, 0.0
    while True:
        inside += learner.learn()["env_seconds"]
        spent = time.process_time() - began
        if spent >= seconds:
            break
    env = (inside if environment is None else environment.seconds) / spent
    learning = update.seconds / spent
    return {
        "decisions_per_cpu_s": (learner.steps - first) / spent,
        "environment": env,
        "inference": 1.0 - env - learning,
        "update": learning,
    }


class _Watch:
    """Replaces a method of an object by one that adds up the CPU seconds spent in it."""

    def __init__(self, owner: Any, name: str) -> None:
        self.seconds = 0.0
        method = getattr(owner, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            began = time.process_time()
            try:
                return method(*args, **kwargs)
            finally:
                self.seconds += time.process_time() - began

        setattr(owner, name, watched)


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
