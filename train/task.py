"""What is to be learned, and the common face of everything that learns it.

A task is JSON-able: it is kept in the run folder, and the run goes on from it.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from bidarena.baselines.network import Network
from bidarena.envs.check import unknown
from bidarena.envs.game import Game
from bidarena.envs.registry import env_id, load, make_game

# name -> "module:function"; the function takes the task and returns its `Learner`
ALGORITHMS = {
    "maskable_ppo": "bidarena.train.maskable_ppo:learner",
    "ppo": "bidarena.train.ppo:learner",
    "a2c": "bidarena.train.a2c:learner",
    "dqn": "bidarena.train.dqn:learner",
    "mmd": "bidarena.train.mmd:learner",
    "minimax_q": "bidarena.train.minimax_q:learner",
    "td": "bidarena.train.td:learner",
    "rllib_ppo": "bidarena.train.rllib_ppo:learner",
}

# what `--engine` and `--algo` say -> one of the above; the first of an engine is its usual one
ENGINES = {
    "native": {name: name for name in ALGORITHMS if name != "rllib_ppo"},
    "rllib": {"ppo": "rllib_ppo"},
}
SELF_PLAY = ("mmd", "minimax_q", "td")  # those that play all seats themselves


@dataclass(frozen=True)
class Task:
    """One run of learning.

    Attributes:
        game: as `bidarena list` shows them.
        rules: the rules of the game, as keywords.
        algorithm: one of `ALGORITHMS`.
        steps: how many decisions to learn from.
        seed: of the network, the games and everything drawn.
        players: keywords of the environment that say who plays where: opponent, opponents,
            partner, seat. The opponent "self" is the learner's own past, see `pool.py`.
        settings: hyperparameters, complete.
    """

    game: str
    rules: dict[str, Any]
    algorithm: str
    steps: int
    seed: int = 0
    players: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def make_game(self) -> Game:
        """The game to learn."""
        return make_game(self.game, **self.rules)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class Learner(Protocol):
    """What the loop of a run needs of an algorithm."""

    steps: int  # decisions learned from so far

    def learn(self) -> dict[str, float]:
        """Play for a while and learn from it; what is worth a curve.

        Among it "seconds", the time it took, "env_seconds", what the environment had of it, and
        "other_cpu_seconds" if other processes than this one have worked.
        """

    def network(self) -> Network:
        """The policy as it is now."""

    def state(self) -> dict[str, Any]:
        """All that is needed to go on exactly here: tensors, arrays, numbers, strings."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken."""


def make_learner(task: Task) -> Learner:
    """The learner of a task."""
    return load(algorithm_path(task.algorithm))(task)


def algorithm_path(name: str) -> str:
    """Where the class of an algorithm is; a ValueError that lists them if there is none."""
    if name not in ALGORITHMS:
        raise unknown("algo", name, ALGORITHMS)
    return ALGORITHMS[name]


def algorithm_name(engine: str, algo: str | None) -> str:
    """One of `ALGORITHMS`, from an engine and what its algorithm is called there."""
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    known = ENGINES[engine]
    if algo is None:
        return next(iter(known.values()))
    if algo in known:
        return known[algo]
    elsewhere = [name for name, others in ENGINES.items() if algo in others]
    if not elsewhere:
        raise unknown("algo", algo, known)
    raise ValueError(
        f"algo={algo!r}: engine={engine!r} has no such algorithm, only {', '.join(known)}; leave "
        f"--algo out, or type --engine {elsewhere[0]}"
    )


def hyperparameters(algorithm: str, game: str) -> dict[str, Any]:
    """What `hyperparameters/ALGORITHM.yml` says for a game, on top of its defaults.

    Beside what the algorithm reads there may be `steps`, how many decisions are sensible, and
    `rules`, if another reward than the usual one is better to learn from.
    """
    algorithm_path(algorithm)
    return _table(algorithm, game)


def evaluation_settings(game: str) -> dict[str, Any]:
    """How `hyperparameters/evaluation.yml` says that a game is measured."""
    return _table("evaluation", game)


def _table(name: str, game: str) -> dict[str, Any]:
    import yaml

    folder = importlib.resources.files("bidarena.train") / "hyperparameters"
    table = yaml.safe_load((folder / f"{name}.yml").read_text())
    return {**table.get("default", {}), **table.get(env_id(game), {})}


def changed(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Hyperparameters with some of them replaced; unknown ones are refused."""
    for name in changes:
        if name not in settings:
            raise unknown("setting", name, settings)
    return {**settings, **changes}
