"""An algorithm of SB3 as a `Learner`: one round of playing and learning at a time.

SB3's `learn` is meant to be called once for a whole run. Here it is called for one round, over and
over, so that a run can be measured, stopped and resumed between two rounds. `Paced` keeps the
schedules (learning rate, exploration) those of the whole run.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger

from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import network_from_sb3
from bidarena.envs.game import Game
from bidarena.envs.learner import SELF
from bidarena.envs.sb3 import SB3Env
from bidarena.train.devices import find_device
from bidarena.train.pool import Pool
from bidarena.train.settings import layer_sizes
from bidarena.train.task import Task

# settings that are read here; all others go to the algorithm as they are
ROUNDS = ("envs", "threads", "round", "torch_threads", "device")
POOL = ("pool_size", "pool_rule", "pool_bots", "pool_bot_share", "pool_every")
NETWORK = ("net_arch", "activation")
OWN = (*ROUNDS, *POOL, *NETWORK, "learning_rate", "falling", "steps", "rules")


class TimedEnv(SB3Env):
    """The batched environment, with a clock of the time it takes.

    With `masks_last` the mask of legal actions stands at the end of each observation (masked.py).
    """

    def __init__(self, game: Game, num_envs: int, *, masks_last: bool, **players: Any) -> None:
        super().__init__(game, num_envs, **players)
        self.seconds = 0.0
        self._masks_last = masks_last
        if masks_last:
            low, high = game.observation_range
            size = game.observation_size + game.actions
            box: Any = type(self.observation_space)
            self.observation_space = box(min(low, 0.0), max(high, 1.0), (size,), np.float32)

    def reset(self) -> NDArray[np.float32]:
        """Deal new games in all rows and return the observations."""
        return self._with_masks(super().reset())

    def step_wait(self) -> Any:
        """Play the actions, then everybody else up to the learner's next decisions."""
        began = time.perf_counter()
        observations, rewards, dones, infos = super().step_wait()
        if self._masks_last:
            all_legal = np.ones(self.game.actions, np.float32)
            for row in np.flatnonzero(dones):
                seen = infos[row]["terminal_observation"]
                infos[row]["terminal_observation"] = np.concatenate([seen, all_legal])
        observations = self._with_masks(observations)
        self.seconds += time.perf_counter() - began
        return observations, rewards, dones, infos

    def _with_masks(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        if not self._masks_last:
            return observations
        return np.concatenate([observations, self.action_masks().astype(np.float32)], axis=1)


class Paced:
    """Mixed into an algorithm of SB3, whose schedules then follow the progress of the whole run."""

    planned = 1  # decisions of the whole run

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        self._current_progress_remaining = max(0.0, 1.0 - num_timesteps / self.planned)


class SB3Learner:
    """Steps an algorithm of SB3 through a task.

    Args:
        task: what to learn.
        make: called with the environment and the keywords of the algorithm; returns the algorithm,
            a subclass of `Paced`.
        masks_last: whether masks stand at the end of the observations.
    """

    def __init__(self, task: Task, make: Callable[..., Any], *, masks_last: bool = False) -> None:
        self.task, self.game = task, task.make_game()
        settings = task.settings
        torch.set_num_threads(int(settings["torch_threads"]))
        self._self_play = task.players.get("opponent") == SELF
        first = dict(task.players)
        if self._self_play:
            first["opponent"] = "random"  # until there is a snapshot to play with
        self.env = TimedEnv(
            self.game,
            settings["envs"],
            threads=settings["threads"],
            masks_last=masks_last,
            **first,
        )
        rate, falling = float(settings["learning_rate"]), bool(settings["falling"])
        activation = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}[settings["activation"]]
        self.model: Any = make(
            self.env,
            {key: value for key, value in settings.items() if key not in OWN},
            learning_rate=(lambda left: rate * left) if falling else rate,
            policy_kwargs={
                "net_arch": layer_sizes("net_arch", settings["net_arch"]),
                "activation_fn": activation,
            },
            seed=task.seed,
            device=find_device(settings.get("device", "cpu")),  # older runs say nothing
        )
        self.model.planned = task.steps  # see `Paced`
        self._round = int(float(settings["round"]))
        self.model.set_logger(Logger(None, []))
        self._pool: Pool | None = None
        self._next_snapshot = 0
        if self._self_play:
            pool = [settings[name] for name in POOL[:-1]]
            self._pool = Pool(self.game, *pool)
            self._snapshot()

    @property
    def steps(self) -> int:
        """How many decisions it has learned from so far."""
        return int(self.model.num_timesteps)

    def learn(self) -> dict[str, float]:
        """Learn for one round and return its metrics.

        A round is `round` decisions or, if that is more, the decisions between two updates.
        """
        began, env_before = time.perf_counter(), self.env.seconds
        self.model.learn(self._round, reset_num_timesteps=False, log_interval=None)
        if self._pool is not None and self.steps >= self._next_snapshot:
            self._snapshot()
        logged = self.model.logger.name_to_value
        metrics = {
            key: float(value) for key, value in logged.items() if isinstance(value, int | float)
        }
        logged.clear()
        results = [episode["r"] for episode in self.model.ep_info_buffer]
        metrics["return"] = float(np.mean(results)) if results else float("nan")
        metrics["env_seconds"] = self.env.seconds - env_before
        metrics["seconds"] = time.perf_counter() - began
        return metrics

    def network(self) -> Network:
        """Return the present policy."""
        return network_from_sb3(self.model)

    def _snapshot(self) -> None:
        assert self._pool is not None
        self._pool.add(self.network())
        self._next_snapshot = self.steps + int(float(self.task.settings["pool_every"]))
        self._seat_pool()

    def _seat_pool(self) -> None:
        assert self._pool is not None
        partner = self.task.players.get("partner")
        self.env.set_opponents(opponent=self._pool.wheel(), partner=partner)

    # --- checkpoints ---------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return all that is needed to go on exactly here."""
        model = self.model
        kept: dict[str, Any] = {
            "policy": model.policy.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "counters": {name: getattr(model, name) for name in _counters(model)},
            "last_obs": model._last_obs,
            "last_episode_starts": model._last_episode_starts,
            "returns": [float(episode["r"]) for episode in model.ep_info_buffer or ()],
            "rows": self.env.rows(),
            "luck": _luck(),
        }
        if getattr(model, "replay_buffer", None) is not None:
            kept["replay"] = _replay(model.replay_buffer)
        if self._pool is not None:
            kept["next_snapshot"] = self._next_snapshot
            kept["snapshots"] = [
                {"weights": list(one.weights), "biases": list(one.biases), "head": one.head}
                for one in self._pool.snapshots
            ]
        return kept

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        model = self.model
        model.policy.load_state_dict(state["policy"])
        model.policy.optimizer.load_state_dict(state["optimizer"])
        for name, value in state["counters"].items():
            setattr(model, name, value)
        model._last_obs = np.asarray(state["last_obs"])
        model._last_episode_starts = np.asarray(state["last_episode_starts"])
        model._setup_learn(0, None, reset_num_timesteps=False)  # makes the buffer of results
        model.ep_info_buffer.extend({"r": value} for value in state["returns"])
        if "replay" in state:
            _restore_replay(model.replay_buffer, state["replay"])
        if self._pool is not None:
            activation = self.task.settings["activation"]
            self._pool.empty()
            for one in state["snapshots"]:
                layers = [tuple(map(np.asarray, one[part])) for part in ("weights", "biases")]
                self._pool.add(Network(layers[0], layers[1], activation, one["head"]))
            self._next_snapshot = state["next_snapshot"]
            self._seat_pool()
        self.env.go_on({name: np.asarray(rows) for name, rows in state["rows"].items()})
        _restore_luck(state["luck"])


def _counters(model: Any) -> list[str]:
    names = ("num_timesteps", "_n_updates", "_episode_num", "_current_progress_remaining")
    return [name for name in (*names, "_n_calls", "exploration_rate") if hasattr(model, name)]


def _luck() -> dict[str, Any]:
    """Return the states of the random generators that SB3 draws from."""
    kind, words, place, has_spare, spare = np.random.get_state()  # noqa: NPY002
    own = random.getstate()
    return {
        "torch": torch.get_rng_state(),
        "numpy": [kind, words, place, has_spare, spare],
        "python": [own[0], list(own[1]), own[2]],
    }


def _restore_luck(luck: dict[str, Any]) -> None:
    torch.set_rng_state(luck["torch"])
    kind, words, *rest = luck["numpy"]
    np.random.set_state((kind, np.asarray(words), *rest))  # noqa: NPY002
    version, numbers, spare = luck["python"]
    random.setstate((version, tuple(numbers), spare))


REPLAYED = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")


def _replay(buffer: Any) -> dict[str, Any]:
    size = buffer.buffer_size if buffer.full else buffer.pos
    arrays = {name: getattr(buffer, name)[:size] for name in REPLAYED}
    return {**arrays, "pos": buffer.pos, "full": buffer.full}


def _restore_replay(buffer: Any, kept: dict[str, Any]) -> None:
    for name in REPLAYED:
        array = np.asarray(kept[name])
        getattr(buffer, name)[: len(array)] = array
    buffer.pos, buffer.full = kept["pos"], kept["full"]
