"""The names of algorithms, as strings that are resolved when one of them is used.

An algorithm in somebody's own file is on a par with ours:

    register_algorithm("climb", "my_algorithm:learner", hyperparameters={"default": {"steps": 1e5}})

It is then known as `--algo my_algorithm:climb` and as `start("raj", "my_algorithm:climb")`. What
stands before the colon is a module that is imported first, so that it can register its algorithms.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bidarena.envs.arguments import choice, unknown
from bidarena.envs.registry import load
from bidarena.envs.registry.trust import check_module
from bidarena.train.settings import FOLDER, SettingsTable, settings_of
from bidarena.train.task import Learner, Task

ENGINES = ("native", "rllib")


@dataclass(frozen=True)
class Algorithm:
    """A registered algorithm; `register_algorithm` explains the fields."""

    name: str
    learner: str
    engine: str
    algo: str
    self_play: bool
    hyperparameters: str | Path | SettingsTable


_algorithms: dict[str, Algorithm] = {}


def register_algorithm(
    name: str,
    learner: str,
    *,
    engine: str = "native",
    algo: str | None = None,
    self_play: bool = False,
    hyperparameters: str | Path | SettingsTable | None = None,
) -> None:
    """Make an algorithm known; an algorithm of the same name is replaced.

    Args:
        name: under which `start` and the folders of runs know the algorithm.
        learner: "module:function"; the function takes a `Task` and returns its `Learner`.
        engine: "native" learns in this process; "rllib" learns while a Ray is running that has room
            for as many processes as the hyperparameter `env_runners` says.
        algo: what `--algo` calls it in its engine; by default its name.
        self_play: whether the algorithm plays all seats if no opponent is named.
        hyperparameters: the path of a YAML file, or a dict of the same form, see
            `bidarena.train.settings`; None: the algorithm has none.
    """
    choice("engine", engine, ENGINES)
    if not name.isidentifier():
        raise ValueError(f"name={name!r}: expected letters, digits and underscores")
    table = {"default": {}} if hyperparameters is None else hyperparameters
    _algorithms[name] = Algorithm(name, learner, engine, algo or name, self_play, table)


def algorithms() -> list[str]:
    """Return the names of all known algorithms."""
    return list(_algorithms)


def find_algorithm(name: str) -> Algorithm:
    """Return a registered algorithm; "module:name" imports a module first.

    Raise ValueError with all known names if there is no such algorithm.
    """
    short = _registered(name)
    if short not in _algorithms:
        raise unknown("algo", short, _algorithms)
    return _algorithms[short]


def algorithm_name(engine: str, algo: str | None) -> str:
    """Return the name of an algorithm from what `--engine` and `--algo` say.

    The first algorithm of an engine is its usual one.
    """
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    short = None if algo is None else _registered(algo)
    known = {one.algo: one.name for one in _algorithms.values() if one.engine == engine}
    if short is None:
        return next(iter(known.values()))
    if short in known:
        module = algo.rpartition(":")[0] if algo else ""
        return f"{module}:{known[short]}" if module else known[short]
    elsewhere = [one.engine for one in _algorithms.values() if one.algo == short]
    if not elsewhere:
        raise unknown("algo", short, known)
    raise ValueError(
        f"algo={algo!r}: engine={engine!r} has no such algorithm, only {', '.join(known)}; leave "
        f"--algo out, or type --engine {elsewhere[0]}"
    )


def make_learner(task: Task) -> Learner:
    """Return a fresh learner of a task."""
    return load(find_algorithm(task.algorithm).learner)(task)


def hyperparameters(algorithm: str, game: str) -> dict[str, Any]:
    """Return the hyperparameters of an algorithm for a game, see `bidarena.train.settings`."""
    return settings_of(find_algorithm(algorithm).hyperparameters, game)


def _registered(name: str) -> str:
    """Return the name after the colon, once the module before it has been imported."""
    module, _, short = name.rpartition(":")
    if module:
        check_module("algorithm", name)
        look_in_present_folder()
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as missing:
            if missing.name != module:
                raise
            raise ValueError(f"algo={name!r}: there is no module {module!r}") from None
    return short


def look_in_present_folder() -> None:
    """Let modules be found in the present folder, where a user's own ones usually are."""
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))


for _name in ("maskable_ppo", "ppo", "a2c", "dqn"):
    register_algorithm(
        _name, f"bidarena.train.sb3.{_name}:learner", hyperparameters=FOLDER / f"{_name}.yml"
    )
register_algorithm(
    "fast_ppo",
    "bidarena.train.ppo.fast_ppo:learner",
    self_play=True,
    hyperparameters=FOLDER / "fast_ppo.yml",
)
for _name in ("mmd", "minimax_q", "minimax_td", "td"):
    register_algorithm(
        _name,
        f"bidarena.train.selfplay.{_name}:learner",
        self_play=True,
        hyperparameters=FOLDER / f"{_name}.yml",
    )
register_algorithm(
    "rllib_ppo",
    "bidarena.train.rllib.ppo:learner",
    engine="rllib",
    algo="ppo",
    hyperparameters=FOLDER / "rllib_ppo.yml",
)
