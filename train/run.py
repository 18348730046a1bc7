"""One run: learn, measure, write down, in a loop that serves every algorithm.

What is learned depends on the task alone. When checkpoints are written depends on the clock, and
changes nothing: a run that was killed goes on from its last checkpoint and ends with the same
weights.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import save_policy
from bidarena.envs.compile import compiling_seconds
from bidarena.envs.files import lock, remove_drafts
from bidarena.envs.stopping import stop_signal
from bidarena.evaluate.appraisal.strength import against, asked, truth_of
from bidarena.train.folder import (
    BEST,
    CONFIG,
    EVALUATIONS,
    LAST,
    METRICS,
    CsvTable,
    read_checkpoint,
    write_checkpoint,
)
from bidarena.train.task import Learner, Task


@dataclass(frozen=True)
class Evaluation:
    """How a run is measured while it learns.

    Attributes:
        rivals: the bots to play matches against.
        games: how many games each match has.
        evaluations: how many times the run is measured, evenly spread; the last time at its end.
            With more than one it is also measured before it has learned, where curves begin.
        exact: whether it is also measured by the exact measure of the game, if there is one.
    """

    rivals: tuple[str, ...]
    games: int = 1000
    evaluations: int = 20
    exact: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class RunProgress:
    """How far a run has come.

    Attributes:
        task: what is learned.
        steps: how many decisions it has learned from so far.
        steps_per_s: how many of them per second of learning.
        env_share: the part of that time which the environment took, from 0 to 1.
        measured: what the last evaluation found: the share of the decided games won, by rival, and
            the exact measures by their names.
    """

    task: Task
    steps: int = 0
    steps_per_s: float = 0.0
    env_share: float = 0.0
    measured: dict[str, float] = field(default_factory=dict)


def run(
    learner: Learner,
    task: Task,
    evaluation: Evaluation,
    folder: Path,
    *,
    command: str,
    resume: bool = False,
    checkpoint_seconds: float = 30.0,
    cpu_seconds: float = math.inf,
    progress: Callable[[RunProgress], None] | None = None,
) -> dict[str, Any]:
    """Learn to the end of a task and return what the last evaluation found.

    Ctrl-C and SIGTERM stop after the present round: everything is written down, then
    KeyboardInterrupt is raised, or `Terminated`, which is one.

    Args:
        learner: the learner of the task, fresh from `make_learner(task)`.
        task: what to learn.
        evaluation: how the run is measured.
        folder: where the run is kept; see folder.py.
        command: the command line that makes this run, to be written into the policies.
        resume: go on from the checkpoint in the folder.
        checkpoint_seconds: how much time passes at least between two checkpoints.
        cpu_seconds: the run also ends after the round in which learning has taken so much CPU time.
        progress: called at the beginning and after every round.
    """
    tell = progress or (lambda _: None)
    with (folder / CONFIG).open("rb") as claimed:
        lock(claimed, folder)
        remove_drafts(folder, age=0)  # of runs that were killed
        log = _RunLog(task, evaluation, folder, command)
        tell(log.progress)
        kept = read_checkpoint(folder) if resume else None
        if kept is not None:
            learner.restore(kept["learner"])
            log.restore(kept)
        else:
            log.keep_to(-1)  # a run killed before its first checkpoint left lines
            if evaluation.evaluations > 1:
                log.evaluate(learner.network(), 0)  # where the curves begin
        last_kept = time.monotonic()

        def done() -> bool:
            return learner.steps >= task.steps or log.cpu_seconds >= cpu_seconds

        with stop_signal() as stopped:
            while not done() and not stopped():
                log.note(learner)
                tell(log.progress)
                if checkpoint_seconds <= time.monotonic() - last_kept:
                    log.keep(learner)
                    last_kept = time.monotonic()
            log.finish(learner, whole=done())
        stop = stopped()
        if stop is not None and not done():
            raise stop
        return log.found


class _RunLog:
    """Writes down what happens in a run: metrics, evaluations, policies, checkpoints."""

    def __init__(self, task: Task, evaluation: Evaluation, folder: Path, command: str) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.task, self.evaluation, self.game = task, evaluation, task.make_game()
        self.folder, self.command = folder, command
        self.metrics, self.evaluations = CsvTable(folder / METRICS), CsvTable(folder / EVALUATIONS)
        self.curves: Any = SummaryWriter(str(folder / "tensorboard"))
        self.seconds, self.cpu_seconds, self.env_seconds = 0.0, 0.0, 0.0  # of learning only
        self.evaluated, self.best = 0, float("-inf")
        self.found: dict[str, Any] = {}
        self.progress = RunProgress(task)

    def note(self, learner: Learner) -> None:
        """Let the learner learn for one round, write down its metrics, and measure it when due."""
        before, cpu = learner.steps, time.process_time() - compiling_seconds()
        told = learner.learn()
        spent = time.process_time() - compiling_seconds() - cpu
        self.cpu_seconds += spent + told.pop("other_cpu_seconds", 0.0)
        seconds, env_seconds = told.pop("seconds"), told.pop("env_seconds")
        self.seconds += seconds
        self.env_seconds += env_seconds
        pace = (learner.steps - before) / seconds
        line = {
            "steps": learner.steps,
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "steps_per_s": round(pace),
            "env_share": round(env_seconds / seconds, 4),
            **{name: f"{value:.6g}" for name, value in told.items()},
        }
        self.metrics.add(line)
        for name, value in {**told, "time/steps_per_s": pace}.items():
            self.curves.add_scalar(name, value, learner.steps)
        self.progress = replace(
            self.progress,
            steps=learner.steps,
            steps_per_s=learner.steps / self.seconds,
            env_share=self.env_seconds / self.seconds,
        )
        planned = self.evaluation.evaluations
        if learner.steps * planned >= (self.evaluated + 1) * self.task.steps and planned:
            self.evaluated = learner.steps * planned // self.task.steps
            self.evaluate(learner.network(), learner.steps)

    def evaluate(self, network: Network, steps: int) -> None:
        """Measure a policy and save it as the last one, and as the best one if it is."""
        wanted = self.evaluation
        bot = network_bot(self.game, network, self.task.algorithm)
        scores = against(self.game, bot, wanted.rivals, wanted.games, seed=self.task.seed)
        truth = truth_of(self.game, asked(network, bot)) if wanted.exact else None
        measured = {rival: score.decided_rate for rival, score in scores.items()}
        goodness = sum(score.mean for score in scores.values()) / max(1, len(scores))
        for rival, score in scores.items():
            line = {
                "steps": steps,
                "measure": f"match {rival}",
                "value": round(score.mean, 6),
                "half_width": round(score.half_width, 6),
                "won": score.wins,
                "drawn": score.draws,
                "lost": score.losses,
            }
            self.evaluations.add(line)
            self.curves.add_scalar(f"won/{rival}", score.decided_rate, steps)
        if truth is not None:
            goodness = truth.goodness
            measured |= truth.measures
            for name, value in truth.measures.items():
                line = {"steps": steps, "measure": name, "value": round(value, 6)}
                self.evaluations.add({**dict.fromkeys(_COLUMNS, ""), **line})
                self.curves.add_scalar(name, value, steps)
        self.progress = replace(self.progress, steps=steps, measured=measured)
        self.found = {
            "steps": steps,
            "cpu_seconds": round(self.cpu_seconds, 1),
            "scores": {rival: score.as_dict() for rival, score in scores.items()},
            "truth": truth and {"name": truth.name, "value": truth.value, "also": truth.also},
        }
        info = {"command": self.command, **self.task.as_dict(), "measured": self.found}
        save_policy(self.folder / LAST, self.game, network, info=info)
        if goodness > self.best:
            self.best = goodness
            save_policy(self.folder / BEST, self.game, network, info=info)

    def finish(self, learner: Learner, *, whole: bool) -> None:
        """Write everything down.

        A `whole` run, one that came to its end, is measured there; one that was stopped is not.
        """
        if whole and self.found.get("steps") != learner.steps:
            self.evaluate(learner.network(), learner.steps)
        elif not whole:
            info = {"command": self.command, **self.task.as_dict(), "measured": None}
            save_policy(self.folder / LAST, self.game, learner.network(), info=info)
        self.keep(learner)
        self.curves.close()

    def keep(self, learner: Learner) -> None:
        """Write a checkpoint."""
        self.curves.flush()
        own = {name: getattr(self, name) for name in _KEPT}
        write_checkpoint(self.folder, {"learner": learner.state(), "steps": learner.steps, **own})

    def restore(self, kept: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        for name in _KEPT:
            setattr(self, name, kept[name])
        self.keep_to(kept["steps"])

    def keep_to(self, steps: int) -> None:
        """Remove the lines that were written after so many steps."""
        self.metrics.keep_to(steps)
        self.evaluations.keep_to(steps)


_KEPT = ("seconds", "cpu_seconds", "env_seconds", "evaluated", "best", "found")
_COLUMNS = ("steps", "measure", "value", "half_width", "won", "drawn", "lost")
