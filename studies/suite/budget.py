"""Equal budgets: how much every run of the suite may learn, and how long a run is planned to be.

A run ends after a number of decisions or of CPU seconds, whichever comes first. Many algorithms
let rates fall to 0 at the end of a run, so the end must be known before: the pace of the learner
is measured first, by a learner that is thrown away, and the run is planned to end in time. CPU time
is that of learning: neither measuring policies nor compiling counts.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

from bidarena.envs.compile import compiling_seconds
from bidarena.train.algorithms import make_learner
from bidarena.train.task import Task

TRIAL = 0.1  # share of the CPU seconds for which the pace is measured
GRACE = 1.1  # a run whose pace falls on the way is cut off at so many times its CPU seconds


@dataclass(frozen=True)
class Budget:
    """How much every run may learn; the first limit that is reached ends it."""

    name: str
    decisions: int
    cpu_seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the budget as plain values for JSON."""
        return asdict(self)


PRESETS = {
    budget.name: budget
    for budget in (
        Budget("tiny", 4_000, 0.2),
        Budget("small", 1_000_000, 5.0),
        Budget("medium", 10_000_000, 30.0),
        Budget("full", 100_000_000, 300.0),
    )
}


def choose_budget(preset: str, decisions: float | None, cpu_seconds: float | None) -> Budget:
    """Return a preset, with other limits if they are given; raise ValueError if one is wrong."""
    usual = PRESETS[preset]
    if decisions is None and cpu_seconds is None:
        return usual
    most = usual.decisions if decisions is None else decisions
    seconds = usual.cpu_seconds if cpu_seconds is None else cpu_seconds
    if not 1 <= most <= 1e12:
        raise ValueError(f"decisions={most!r}: expected a number from 1 to 1e12")
    if not 0 < seconds <= 1e9:
        raise ValueError(f"cpu_seconds={seconds!r}: expected a number above 0, to 1e9")
    return Budget(f"{seconds:g}s-{most:g}", int(most), float(seconds))


def pace_of(task: Task, budget: Budget) -> float:
    """Return how many decisions a learner of the task learns from in a CPU second.

    Raise ValueError, with the learner's reason, if it cannot learn this task.
    """
    learner = make_learner(task)
    learner.learn()  # compiles
    before, spent = learner.steps, 0.0
    while spent < TRIAL * budget.cpu_seconds and learner.steps - before < budget.decisions:
        began = time.process_time() - compiling_seconds()
        told = learner.learn()
        spent += time.process_time() - compiling_seconds() - began
        spent += told.get("other_cpu_seconds", 0.0)
    return (learner.steps - before) / max(spent, 1e-9)


def planned_steps(pace: float, budget: Budget) -> int:
    """Return how many decisions a run of that pace learns from."""
    return max(1, min(budget.decisions, int(pace * budget.cpu_seconds)))
