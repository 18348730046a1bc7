"""Compile what games need before somebody waits for it, by doing a little of everything.

Code is compiled when it is first used, and kept on disk (`envs/compile`). An errand uses some of it
once: an environment, a bot, an algorithm. Errands run in several processes side by side; what two
of them need is compiled by the first and loaded by the second.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import gymnasium as gym

from bidarena.envs import Batch, games, make_bot, make_game
from bidarena.envs.compile import remove_compiled
from bidarena.envs.progress import ShowProgress
from bidarena.envs.registry import env_id, invited, load, tools_of
from bidarena.evaluate.appraisal.strength import truth_of
from bidarena.evaluate.match import play_match
from bidarena.evaluate.workers.processes import in_processes
from bidarena.train.algorithms import algorithms, find_algorithm, hyperparameters, make_learner
from bidarena.train.task import Task

ENVIRONMENT, TABLE, TRUTH, BOT, LEARNER = "environment", "table", "truth", "bot", "learner"
ROWS = 8  # games side by side: few, because only the code matters


@dataclass(frozen=True)
class Errand:
    """Something to be done once so that its code is compiled.

    Attributes:
        game: the name of a game.
        kind: one of the words above.
        name: the bot with its options, or the algorithm.
    """

    game: str
    kind: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.game}: {self.name or self.kind}"


@dataclass(frozen=True)
class Prepared:
    """How an errand ended.

    Attributes:
        errand: what was to be done.
        seconds: how long it took.
        refusal: why it cannot be done, such as a game too large to be solved; empty if it was done.
    """

    errand: Errand
    seconds: float
    refusal: str

    def as_dict(self) -> dict[str, Any]:
        """Return this as plain values for JSON."""
        errand = self.errand
        words = {"game": errand.game, "kind": errand.kind, "name": errand.name}
        return {**words, "seconds": self.seconds, "refusal": self.refusal or None}


def errands(game: str) -> Iterator[Errand]:
    """Yield all errands of a game, the longest first, so that no process is left alone with one."""
    yield from (Errand(game, BOT, spec) for spec in reversed(invited(game)))
    yield Errand(game, TRUTH)
    if find_spec("torch") is not None:
        for name in algorithms():
            algorithm = find_algorithm(name)
            if algorithm.engine == "native" and algorithm.self_play:
                yield Errand(game, LEARNER, name)
    yield from (Errand(game, ENVIRONMENT), Errand(game, TABLE))


def prepare(
    names: list[str], *, processes: int | None = None, clean: bool = False, show: ShowProgress
) -> list[Prepared]:
    """Do all errands of some games and return how each ended.

    Args:
        names: the games; none: all that are registered.
        processes: how many errands are done side by side; None: one per core.
        clean: whether to remove everything compiled earlier, that of older versions included.
        show: shows how far this is.
    """
    todo = [errand for name in names or games() for errand in errands(make_game(name).name)]
    if clean:
        remove_compiled()
    done: list[Prepared] = []
    show("compiling", 0, len(todo))
    for _, ended in in_processes(do, todo, processes or os.cpu_count() or 1):
        done.append(ended)
        show("compiling", len(done), len(todo), str(ended.errand))
    return done


def do(errand: Errand) -> Prepared:
    """Do an errand without a word; return how it ended."""
    began = time.monotonic()
    refusal = ""
    with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _KINDS[errand.kind](errand)
        except ValueError as wrong:  # a bot or a solver that refuses this game
            refusal = str(wrong)
    return Prepared(errand, time.monotonic() - began, refusal)


def _use_environment(errand: Errand) -> None:
    name = env_id(errand.game)
    env = gym.make(name)
    _, info = env.reset(seed=0)
    env.step(int(info["action_mask"].argmax()))
    rows = gym.make_vec(name, num_envs=ROWS)
    _, info = rows.reset(seed=0)
    rows.step(info["action_mask"].argmax(axis=1))


def _use_table(errand: Errand) -> None:
    batch = Batch(make_game(errand.game), ROWS, seed=0)
    batch.step(batch.masks.argmax(axis=1))
    play_match(batch.game, ["random"] * len(set(batch.game.teams)), games=2)


def _use_bot(errand: Errand) -> None:
    game = make_game(errand.game)
    bot = make_bot(game, errand.name)
    others = ["random"] * (len(set(game.teams)) - 1)
    play_match(game, [bot, *others], games=2)
    env = gym.make(env_id(errand.game), opponent=bot)
    env.reset(seed=0)


def _use_truth(errand: Errand) -> None:
    tools = tools_of(errand.game)
    game = make_game(errand.game, **tools.bench.solve_rules)
    if tools.bench.solve:
        load(tools.bench.solve)(game)
    truth_of(game, make_bot(game, "random"), seed=0)


def _use_learner(errand: Errand) -> None:
    settings = hyperparameters(errand.name, errand.game)
    rules = settings.pop("rules", {})
    settings.pop("steps", None)
    settings |= {name: ROWS for name in ("rows", "positions") if name in settings}
    task = Task(errand.game, rules, errand.name, steps=1, settings=settings)
    learner = make_learner(task)
    learner.learn()
    learner.network()


_KINDS = {
    ENVIRONMENT: _use_environment,
    TABLE: _use_table,
    BOT: _use_bot,
    TRUTH: _use_truth,
    LEARNER: _use_learner,
}
