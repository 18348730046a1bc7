"""PPO of RLlib, with several processes that play, on one machine or on many.

    bidarena train raj --engine rllib --opponent minimax
    bidarena train raj --engine rllib --opponent self --set env_runners=4
    bidarena train raj --engine rllib --opponent minimax --ray 10.0.0.1:6379

Against bots each process plays a batch of games in the learner's seat. By self-play (opponent
"self") one policy has all seats, and learns from the decisions of each. learner.py has the learner,
module.py its network, ray.py the Ray on which it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bidarena.baselines.learned.network import ACTIVATIONS
from bidarena.envs.arguments import choice, flag, whole
from bidarena.envs.learner import SELF
from bidarena.evaluate.workers.ray_connection import import_ray
from bidarena.train.settings import layer_sizes
from bidarena.train.task import Learner, Task

NUMBERS = {  # settings -> least and largest value
    "lr": (1e-12, 10.0),
    "gamma": (0.0, 1.0),
    "lambda_": (0.0, 1.0),
    "clip_param": (1e-6, 1e6),
    "entropy_coeff": (0.0, 1e6),
    "vf_loss_coeff": (0.0, 1e6),
    "grad_clip": (1e-12, 1e12),
}


def learner(task: Task) -> Learner:
    """Return a learner that learns a task by RLlib's PPO, inside of `ray.ray_running`."""
    _check(task.settings)
    _check_players(task.players)
    import_ray()  # says how to install it
    from bidarena.train.rllib.learner import RLlibLearner

    return RLlibLearner(task)


def _check_players(players: Mapping[str, Any]) -> None:
    if players.get("opponent") != SELF:
        return
    for name, usual in (("partner", (None, SELF)), ("seat", (None, "random"))):
        value = players.get(name)
        if value not in usual:
            raise ValueError(
                f"{name}={value!r}: with --opponent self one policy plays all seats; leave "
                f"--{name} out"
            )


def _check(settings: Mapping[str, Any]) -> None:
    """Raise ValueError if a setting makes no sense; RLlib would notice some only much later."""
    batch = whole("train_batch_size", settings["train_batch_size"], 1, 10**9)
    whole("minibatch_size", settings["minibatch_size"], 1, batch)
    whole("env_runners", settings["env_runners"], 0, 10**4)
    whole("envs", settings["envs"], 1, 10**6)
    rows = settings["envs"] * max(1, settings["env_runners"])
    if rows > batch:
        raise ValueError(
            f"envs={settings['envs']}: {rows} games side by side in all processes are more than "
            f"train_batch_size={batch} decisions; expected fewer, or a larger train_batch_size"
        )
    for name in ("num_epochs", "torch_threads"):
        whole(name, settings[name], 1, 10**4)
    layer_sizes("net_arch", settings["net_arch"])
    choice("activation", settings["activation"], ACTIVATIONS)
    flag("falling", settings["falling"])
    for name, (low, high) in NUMBERS.items():
        value = settings[name]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low <= value <= high:
            raise ValueError(f"{name}={value!r}: expected a number from {low:g} to {high:g}")
