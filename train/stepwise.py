"""An algorithm as a generator: the shortest way to run one's own loop here.

    def learner(task):
        return Stepwise(task, climb)        # climb(task) yields (decisions so far, Network)

    register_algorithm("climb", "my_algorithm:learner")

The generator learns for a while, about a second, and yields how many decisions it has learned from
so far and the present policy, over and over. What it yields first may be the policy with which it
begins, after 0 decisions. All that it draws must come from `task.seed`: a run
that is resumed calls it anew and lets it repeat what it did before. An algorithm whose runs are
long is better written as a `Learner` with a state of its own, see `bidarena.train.task`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from bidarena.baselines.learned.network import Network
from bidarena.train.task import Task

Rounds = Iterator[tuple[int, Network]]


class Stepwise:
    """A generator as a `Learner`.

    Args:
        task: what to learn.
        rounds: called with the task; returns the generator.
    """

    def __init__(self, task: Task, rounds: Callable[[Task], Rounds]) -> None:
        self.steps = 0
        self._count = 0  # rounds so far
        self._rounds = rounds(task)
        self._network: Network | None = None

    def learn(self) -> dict[str, float]:
        """Let the generator learn for one round, and return the metrics."""
        began = time.perf_counter()
        before = self.steps
        try:
            steps, self._network = next(self._rounds)
        except StopIteration:
            raise ValueError(
                f"the generator has ended after {self._count} rounds and {before} decisions; "
                "expected it to go on for as long as it is asked"
            ) from None
        self.steps = int(steps)
        self._count += 1
        if self.steps < before or (self.steps == before and self._count > 1):
            raise ValueError(
                f"the generator has yielded {steps!r} decisions after {before}; expected all "
                "decisions so far, more in every round"
            )
        return {"seconds": max(time.perf_counter() - began, 1e-9), "env_seconds": 0.0}

    def network(self) -> Network:
        """Return the present policy; the first one that is yielded if there was none yet."""
        if self._network is None:
            self.learn()
        assert self._network is not None
        return self._network

    def state(self) -> dict[str, Any]:
        """Return the number of rounds, from which all else follows."""
        return {"rounds": self._count}

    def restore(self, state: dict[str, Any]) -> None:
        """Repeat as many rounds as `state` says; this takes as long as they took."""
        while self._count < int(state["rounds"]):
            self.learn()
