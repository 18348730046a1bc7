"""The loop of a run: learn, measure, keep; the same for every algorithm.

What is learned depends on the task alone. When checkpoints are written depends on the clock, and
changes nothing: a run that was killed goes on from the last one to the same end.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bidarena.baselines.network import Network, network_bot
from bidarena.baselines.policy_file import save_policy
from bidarena.envs.files import lock
from bidarena.envs.game import Game
from bidarena.evaluate.strength import against, asked, truth_of
from bidarena.train.folder import (
    BEST,
    CONFIG,
    EVALUATIONS,
    LAST,
    METRICS,
    Sheet,
    read_checkpoint,
    write_checkpoint,
)
from bidarena.train.task import Learner, Task


@dataclass(frozen=True)
class Evaluation:
    """How a run is measured on the way.

    Attributes:
        rivals: bots to play matches against.
        games: of each match.
        evaluations: how many times in the run, evenly spread; the last one at its end.
        exact: also by the exact measure, where the rules have one.
    """

    rivals: tuple[str, ...]
    games: int = 1000
    evaluations: int = 20
    exact: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Progress:
    """What a run tells while it goes on."""

    steps: int
    steps_per_s: float
    env_share: float
    measured: dict[str, float]  # rival -> share of decided games won; the exact measure by its name


def run(
    learner: Learner,
    task: Task,
    evaluation: Evaluation,
    folder: Path,
    *,
    command: str,
    resume: bool = False,
    checkpoint_seconds: float = 30.0,
    tell: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Learn to the end of a task, or to a Ctrl-C; what the last evaluation found.

    Args:
        learner: what learns it, fresh from `make_learner(task)`.
        task: what to learn.
        evaluation: how it is measured.
        folder: where it is kept; see folder.py.
        command: what to write into the policies: the line that makes this run.
        resume: go on from the checkpoint in the folder.
        checkpoint_seconds: at least so long between two of them.
        tell: called after every round.
    """
    with (folder / CONFIG).open("rb") as claimed:
        lock(claimed, folder)
        return _run(learner, task, evaluation, folder, command, resume, checkpoint_seconds, tell)


def _run(
    learner: Learner,
    task: Task,
    evaluation: Evaluation,
    folder: Path,
    command: str,
    resume: bool,
    checkpoint_seconds: float,
    tell: Callable[[Progress], None] | None,
) -> dict[str, Any]:
    game = task.make_game()
    book = _Book(task, evaluation, game, folder, command)
    kept = read_checkpoint(folder) if resume else None
    if kept is not None:
        learner.restore(kept["learner"])
        book.restore(kept)
    else:
        book.keep_to(-1)  # what a run left that was killed before its first checkpoint
        if evaluation.evaluations:
            book.evaluate(learner.network(), 0)  # where the curves begin
    last_kept = time.monotonic()
    with _stop_signal() as stopped:
        while learner.steps < task.steps and not stopped():
            book.note(learner)
            if tell is not None:
                tell(book.progress)
            if checkpoint_seconds <= time.monotonic() - last_kept:
                book.keep(learner)
                last_kept = time.monotonic()
    book.finish(learner, whole=not stopped())
    if stopped():
        raise KeyboardInterrupt
    return book.found


class _Book:
    """Writes down what a run finds."""

    def __init__(
        self, task: Task, evaluation: Evaluation, game: Game, folder: Path, command: str
    ) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.task, self.evaluation, self.game = task, evaluation, game
        self.folder, self.command = folder, command
        self.metrics, self.evaluations = Sheet(folder / METRICS), Sheet(folder / EVALUATIONS)
        self.curves: Any = SummaryWriter(str(folder / "tensorboard"))
        self.seconds, self.cpu_seconds, self.env_seconds = 0.0, 0.0, 0.0  # of learning only
        self.evaluated, self.best = 0, float("-inf")
        self.found: dict[str, Any] = {}
        self.progress = Progress(0, 0.0, 0.0, {})

    def note(self, learner: Learner) -> None:
        """Let the learner learn for a round and write down what it tells."""
        before, cpu = learner.steps, time.process_time()
        told = learner.learn()
        self.cpu_seconds += time.process_time() - cpu + told.pop("other_cpu_seconds", 0.0)
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
        measured = self.progress.measured
        share = self.env_seconds / self.seconds
        self.progress = Progress(learner.steps, learner.steps / self.seconds, share, measured)
        planned = self.evaluation.evaluations
        if learner.steps * planned >= (self.evaluated + 1) * self.task.steps and planned:
            self.evaluated = learner.steps * planned // self.task.steps
            self.evaluate(learner.network(), learner.steps)

    def evaluate(self, network: Network, steps: int) -> None:
        """Measure a policy, and keep it as the last and perhaps as the best."""
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
        self.progress = Progress(
            steps, self.progress.steps_per_s, self.progress.env_share, measured
        )
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
        """Keep all there is; a run that came to its end is measured there."""
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
        """Take back what was written after so many steps."""
        self.metrics.keep_to(steps)
        self.evaluations.keep_to(steps)


_KEPT = ("seconds", "cpu_seconds", "env_seconds", "evaluated", "best", "found")
_COLUMNS = ("steps", "measure", "value", "half_width", "won", "drawn", "lost")


@contextmanager
def _stop_signal() -> Iterator[Callable[[], bool]]:
    """Ctrl-C ends the run after the present round; a second one ends it at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return

    def ask(*_: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
