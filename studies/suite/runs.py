"""One run of the suite: an algorithm learns a cell within the budget, then its policy is measured.

A run lies in a folder of its own, as every run does (`bidarena.train.folder`), with one file more:
`measured.json`, which is written last. A run that has it is finished and not repeated; a run
without it goes on from its checkpoint, with the number of decisions that was planned at first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bidarena.baselines.learned.policy_file import load_policy
from bidarena.envs.files import write_json
from bidarena.envs.learner import SELF
from bidarena.evaluate.workers import Do
from bidarena.evaluate.workers.preparing import turn
from bidarena.studies.suite.budget import GRACE, Budget, pace_of, planned_steps
from bidarena.studies.suite.cells import Cell
from bidarena.studies.suite.measuring import measure_network
from bidarena.train.algorithms import find_algorithm, hyperparameters, make_learner
from bidarena.train.folder import CONFIG, LAST, read_config, versions
from bidarena.train.run import Evaluation, run
from bidarena.train.task import Task
from bidarena.train.travelling import read_files, unpack

MEASURED = "measured.json"
UNMEASURED = Evaluation(rivals=(), evaluations=0)  # on the way: only the last policy counts


@dataclass(frozen=True)
class Job:
    """One run: a cell, an algorithm and a seed.

    Attributes:
        suite: the name of the suite, with its version.
        cell: what to learn, and how it is measured.
        algorithm: the name of the algorithm; "module:name" imports a module first.
        seed: seeds everything that is drawn.
        budget: how much it may learn.
        folder: the folder of all runs.
        files: the files of the run so far, if they are sent to another machine.
    """

    suite: str
    cell: Cell
    algorithm: str
    seed: int
    budget: Budget
    folder: Path
    files: dict[str, bytes] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """The name of the algorithm without its module."""
        return self.algorithm.rpartition(":")[2]

    @property
    def run(self) -> Path:
        """The folder of the run."""
        return self.folder / f"{self.cell.name}__{self.short}__{self.seed}"

    def __str__(self) -> str:
        return f"{self.algorithm} on {self.cell.name} with seed {self.seed}"


def do_all(do: Do, jobs: list[Job], away: bool) -> Iterator[tuple[Job, dict[str, Any]]]:
    """Yield each job with its result, which `learn` returns, made on this machine or away."""
    for job in jobs:
        _check_folder(job)
    waiting = [job for job in jobs if not is_finished(job)]
    yield from ((job, read_measured(job.run)) for job in jobs if is_finished(job))
    if not away:
        yield from do(learn, waiting)
        return
    sent = (replace(job, files=read_files(job.run)) for job in waiting)
    for job, (result, files) in do(_learn_away, sent):
        unpack(job.run, {name: data for name, data in files.items() if name != MEASURED})
        if "refused" not in result:
            write_json(job.run / MEASURED, result)  # last: now the run is finished
        yield job, result


def learn(job: Job) -> dict[str, Any]:
    """Do one run to its end, and return what was measured, as it stands in `measured.json`.

    If the algorithm cannot learn this cell: {"refused": its reason}; nothing is written then.
    """
    _check_folder(job)
    if is_finished(job):
        return read_measured(job.run)
    begun = (job.run / CONFIG).is_file()
    if not begun:
        planned = _plan(job)
        if isinstance(planned, str):
            return {"refused": planned}
        job.run.mkdir(parents=True, exist_ok=True)
        write_json(job.run / CONFIG, planned)
    config = read_config(job.run)
    task = Task(**config["task"])
    found = run(
        make_learner(task),
        task,
        UNMEASURED,
        job.run,
        command=config["command"],
        resume=begun,
        cpu_seconds=GRACE * job.budget.cpu_seconds,
    )
    network = load_policy(job.run / LAST).network
    measured = measure_network(job.cell, task.make_game(), network, job.short)
    result = {
        "suite": job.suite,
        "cell": job.cell.name,
        "algorithm": job.short,
        "seed": job.seed,
        "budget": job.budget.as_dict(),
        "figure": measured.figure,
        "measure": job.cell.measure,
        "value": measured.value,
        "half_width": measured.half_width,
        "exact": measured.exact,
        "how": measured.how,
        "against": task.players["opponent"],
        "decisions": found["steps"],
        "planned_decisions": task.steps,
        "pace": config["suite"]["pace"],
        "cpu_seconds": found["cpu_seconds"],
        "ended_by": _ended_by(found["steps"], task.steps, job.budget),
        "versions": config["versions"],
    }
    write_json(job.run / MEASURED, result)
    return result


def is_finished(job: Job) -> bool:
    """Return whether a run has come to its end and was measured."""
    return (job.run / MEASURED).is_file()


def read_measured(folder: Path) -> dict[str, Any]:
    """Return what was measured at the end of a run; ValueError if the file is none of ours."""
    path = folder / MEASURED
    try:
        return dict(json.loads(path.read_text()))
    except (ValueError, TypeError) as wrong:
        raise ValueError(f"{path}: not the result of a run ({wrong!r:.200})") from None


def _learn_away(job: Job) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Do one run on another machine; return what was measured and the files of its folder.

    A run that was begun on this machine and lost with its process is resumed at its checkpoint.
    """
    from bidarena.evaluate.workers.ray import scratch

    here = replace(job, folder=scratch() / "runs", files={})
    if not (here.run / CONFIG).is_file():
        unpack(here.run, job.files)
    with turn(f"learning {job.cell.name} by {job.algorithm}"):  # one compiles, the others load it
        refused = None if here.run.is_dir() else _refusal(here)
    if refused is not None:
        return {"refused": refused}, {}
    return learn(here), read_files(here.run)


def _refusal(job: Job) -> str | None:
    """Plan a run; return None or, if the algorithm cannot learn the cell, why."""
    planned = _plan(job)
    if isinstance(planned, str):
        return planned
    job.run.mkdir(parents=True)
    write_json(job.run / CONFIG, planned)
    return None


def _plan(job: Job) -> dict[str, Any] | str:
    """Return the configuration of a new run, or why the algorithm cannot learn this cell.

    An algorithm that does not play all seats is asked to learn against its own past and, if it
    refuses that, against the sparring bot of the cell.
    """
    algorithm = find_algorithm(job.algorithm)
    if algorithm.engine != "native":
        return f"learns with the engine {algorithm.engine}, in other processes than this"
    reasons = []
    for opponent in dict.fromkeys((SELF, SELF if algorithm.self_play else job.cell.sparring)):
        task = _task(job, opponent, job.budget.decisions)
        try:
            pace = pace_of(task, job.budget)
        except ValueError as refusal:
            where = "" if algorithm.self_play else f"against {opponent}: "
            reasons.append(f"{where}{refusal}")
            continue
        task = replace(task, steps=planned_steps(pace, job.budget))
        words = f"--algo {job.algorithm} --cells {job.cell.name}"
        return {
            "command": f"bidarena study suite {words} --budget {job.budget.name}",
            "task": task.as_dict(),
            "evaluation": UNMEASURED.as_dict(),
            "suite": {**_identity(job), "pace": pace},
            "versions": versions(),
        }
    return "; ".join(reasons)


def _task(job: Job, opponent: str, steps: int) -> Task:
    """Return what a run learns: the cell's rules with the algorithm's usual hyperparameters."""
    values = hyperparameters(job.algorithm, job.cell.game)
    settings = {name: value for name, value in values.items() if name not in ("steps", "rules")}
    return Task(
        game=job.cell.game,
        rules=job.cell.make_game().options,
        algorithm=job.algorithm,
        steps=steps,
        seed=job.seed,
        players={"opponent": opponent, "seat": "random"},
        settings=settings,
    )


def _identity(job: Job) -> dict[str, Any]:
    """Return what a run in a folder must share with a job to be the job's run."""
    settings = _task(job, SELF, 1).settings
    cell = job.cell.as_dict()
    del cell["title"]  # says nothing about what is learned
    return {
        "name": job.suite,
        "cell": cell,
        "budget": job.budget.as_dict(),
        "seed": job.seed,
        "settings": settings,
    }


def _check_folder(job: Job) -> None:
    """Raise ValueError if the folder of a run holds another one."""
    if not (job.run / CONFIG).is_file():
        return
    kept = read_config(job.run).get("suite")
    wanted = json.loads(json.dumps(_identity(job)))
    kept = kept if isinstance(kept, dict) else {}
    other = [name for name, value in wanted.items() if kept.get(name) != value]
    if other:
        raise ValueError(
            f"{job.run}: there is a run with another {' and '.join(other)}; choose another "
            f"--folder, or remove the folders *__{job.short}__* to run that algorithm anew"
        )


def _ended_by(steps: int, planned: int, budget: Budget) -> str:
    """Return which limit of the budget ended a run."""
    return "decisions" if steps >= planned >= budget.decisions else "cpu_seconds"
