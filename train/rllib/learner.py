"""RLlib's PPO as a `Learner`: one round of playing and learning at a time.

Inside of `ray.ray_running` it has processes that play (RLlib's EnvRunners), and it learns in the
process of the caller. It uses RLlib's new API stack.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.tune.registry import register_env

from bidarena.baselines.learned.network import Network
from bidarena.envs.files import write_whole
from bidarena.envs.learner import SELF
from bidarena.envs.registry.paths import bring_policy, found_policies
from bidarena.envs.rllib import MaskedBatch, self_play
from bidarena.evaluate.workers.preparing import machine_folder
from bidarena.train.folder import read_checkpoint
from bidarena.train.rllib.module import MaskedModule, network_of
from bidarena.train.rllib.ray import alive, check_room, quieten
from bidarena.train.task import Task

SELF_PLAY = "bidarena-self-play"  # the name under which RLlib finds that environment
SHARED = "shared"  # the policy of all seats; any name but RLlib's default means multi-agent
CPU = "cpu_seconds"
FILES = "files"  # the keyword of an environment that holds files of policies
# settings that are read here; all others go to RLlib's `training` as they are
OWN = (
    *("env_runners", "envs", "torch_threads", "train_batch_size"),
    *("net_arch", "activation", "lr", "falling"),
)
# result of RLlib -> our column
TOLD = {
    "policy_loss": "policy_loss",
    "vf_loss": "value_loss",
    "vf_explained_var": "explained_variance",
    "entropy": "entropy",
    "default_optimizer_learning_rate": "learning_rate",
}


class RunnerClock(RLlibCallback):  # type: ignore[misc]
    """Measures the CPU time of a process that plays, which the learner's own clock does not see."""

    def __init__(self) -> None:
        super().__init__()
        self._before = time.process_time()

    def on_sample_end(self, *, env_runner: Any, metrics_logger: Any, **_: Any) -> None:
        """Log the CPU time of a round of playing; RLlib calls this after each round."""
        now = time.process_time()
        spent = now - self._before if env_runner.worker_index else 0.0  # 0 is the learner's own
        metrics_logger.log_value(CPU, spent, reduce="sum")
        self._before = now


class BatchAnywhere(MaskedBatch):
    """The batch of games on any machine; policies among the opponents are sent along as files."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        keywords = dict(config)
        for written, (name, content) in keywords.pop(FILES, {}).items():
            path = machine_folder(hashlib.sha256(content).hexdigest()[:24]) / name
            if not path.is_file():
                write_whole(path, content)
            bring_policy(written, path)
        super().__init__(keywords)


class RLlibLearner:
    """Steps RLlib's PPO through a task.

    Its state is RLlib's own checkpoint: weights, optimizer and counters. Games in progress are not
    part of it: a run that goes on deals new ones, and draws other numbers from then on.

    Args:
        task: what to learn.
    """

    def __init__(self, task: Task) -> None:
        quieten()
        self.task, self.steps = task, 0
        self._self_play = task.players.get("opponent") == SELF
        self._module = SHARED if self._self_play else DEFAULT_MODULE_ID
        self._algorithm: Any = None
        self._try_environment()
        self._files = {
            written: (path.name, path.read_bytes())
            for written, path in found_policies().items()
            if written in repr(task.players)
        }
        self._config(task.seed).validate()

    def _try_environment(self) -> None:
        """Raise what the environment raises, and compile it before many processes do."""
        config = _environment(self.task)
        if self._self_play:
            self_play(config)
        else:
            MaskedBatch({**config, "num_envs": 1}).reset(seed=0)

    def _config(self, seed: int) -> Any:
        settings = self.task.settings
        config = PPOConfig()
        if self._self_play:
            register_env(SELF_PLAY, self_play)
            config.environment(SELF_PLAY, env_config=_environment(self.task))
            config.multi_agent(policies={SHARED}, policy_mapping_fn=_shared)
        else:
            env_config = {**_environment(self.task), FILES: self._files}
            config.environment(BatchAnywhere, env_config=env_config)
            config.env_runners(gym_env_vectorize_mode="vector_entry_point")
        config.env_runners(
            num_env_runners=settings["env_runners"],
            num_envs_per_env_runner=settings["envs"],
        )
        config.learners(num_learners=0)  # in this process
        rate = float(settings["lr"])
        config.training(
            lr=[[0, rate], [self.task.steps, 0.0]] if settings["falling"] else rate,
            train_batch_size_per_learner=settings["train_batch_size"],
            use_kl_loss=False,
            vf_clip_param=float("inf"),  # of the loss: rewards are not always small
            **{name: value for name, value in settings.items() if name not in OWN},
        )
        shape = {"net_arch": list(settings["net_arch"]), "activation": settings["activation"]}
        config.rl_module(rl_module_spec=RLModuleSpec(MaskedModule, model_config=shape))
        config.callbacks(RunnerClock)
        config.debugging(seed=seed % 2**31, log_level="ERROR")
        return config

    def _built(self) -> Any:
        """Return the algorithm with its processes, which are started by the first call."""
        if self._algorithm is None:
            if not ray.is_initialized():
                raise RuntimeError("no Ray is running: learn inside of `with ray_running(): ...`")
            check_room(ray, self.task.settings["env_runners"])
            torch.set_num_threads(self.task.settings["torch_threads"])
            seed = self.task.seed
            if self.steps:  # a run that goes on must not play the same games again
                seed = int(np.random.SeedSequence([seed, self.steps]).generate_state(1)[0])
            config = self._config(seed)
            # On several machines a lost process is replaced; on one machine it is an error to show.
            config.fault_tolerance(restart_failed_env_runners=len(alive(ray)) > 1)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # RLlib registers its environment once more
                self._algorithm = config.build_algo()
            shutil.rmtree(self._algorithm.logdir, ignore_errors=True)  # stays empty
        return self._algorithm

    def learn(self) -> dict[str, float]:
        """Play `train_batch_size` decisions, learn from them, and return the metrics."""
        algorithm = self._built()
        began = time.perf_counter()
        result = algorithm.train()
        seconds = time.perf_counter() - began
        played, learned = result.get("env_runners", {}), result.get("learners", {})
        steps = int(played.get("num_env_steps_sampled", 0))
        if not steps or self._module not in learned:
            raise RuntimeError("RLlib: no process played a single game in this round")
        self.steps += steps
        metrics = {
            ours: float(learned[self._module][name])
            for name, ours in TOLD.items()
            if name in learned[self._module]
        }
        metrics["games"] = float(played.get("num_episodes", 0))
        if not self._self_play:  # by self-play it is 0: what one seat wins another loses
            metrics["return"] = float(played.get("episode_return_mean", float("nan")))
        settings = self.task.settings
        rounds = steps / (max(1, settings["env_runners"]) * settings["envs"])
        metrics["env_seconds"] = min(seconds, rounds * float(played.get("env_step_timer", 0.0)))
        metrics["other_cpu_seconds"] = float(played.get(CPU, 0.0))
        metrics["seconds"] = seconds
        return metrics

    def network(self) -> Network:
        """Return the present policy."""
        weights = self._built().learner_group.get_weights()[self._module]
        return network_of(weights, self.task.settings["activation"])

    # --- checkpoints ---------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return RLlib's checkpoint, which is a folder, as the bytes of its files by name."""
        with tempfile.TemporaryDirectory() as place:
            self._built().save_to_path(place)
            files = [path for path in sorted(Path(place).rglob("*")) if path.is_file()]
            return {
                "steps": self.steps,
                "files": {path.relative_to(place).as_posix(): _bytes(path) for path in files},
            }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.steps = int(state["steps"])
        with tempfile.TemporaryDirectory() as place:
            _write(state["files"], Path(place))
            self._built().restore_from_path(place)


def unpack(run: str | Path, place: str | Path) -> Path:
    """Write the checkpoint of a run as a folder for RLlib's own tools, and return the folder.

    `Algorithm.from_checkpoint(place)` reads it. Such folders hold pickled objects, which can run
    any code when they are read, so read them only from runs that you trust.

    Args:
        run: the folder of a run of `--engine rllib`.
        place: the folder to write to, made if it does not exist.
    """
    kept = read_checkpoint(Path(run))
    if kept is None or "files" not in kept["learner"]:
        raise ValueError(f"run={str(run)!r}: there is no checkpoint of RLlib in this folder")
    register_env(SELF_PLAY, self_play)
    _write(kept["learner"]["files"], Path(place))
    return Path(place)


def _bytes(path: Path) -> NDArray[np.uint8]:
    return np.frombuffer(path.read_bytes(), np.uint8).copy()


def _write(files: Mapping[str, Any], place: Path) -> None:
    for name, content in files.items():
        path = place / name
        if not path.resolve().is_relative_to(place.resolve()):
            raise ValueError(f"checkpoint: {name!r} is not a file inside of it")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(np.asarray(content).tobytes())


def _shared(*_: Any, **__: Any) -> str:
    """Return the policy of a seat: the same for all seats."""
    return SHARED


def _environment(task: Task) -> dict[str, Any]:
    """Return the keywords of the environment."""
    players = {} if task.players.get("opponent") == SELF else task.players
    return {"game": task.game, **task.rules, **players}
