"""Chooses where jobs run: in processes of this machine, or on a Ray."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from bidarena.evaluate.workers.processes import Do, in_processes


@contextmanager
def workers(processes: int, ray: str | None = None) -> Iterator[Do]:
    """Context manager that yields `do(work, jobs)`, run in processes or on a Ray.

        with workers(2) as do:
            for job, result in do(work, jobs): ...

    Args:
        processes: number of processes of this machine.
        ray: address of a Ray to use instead, or "local" to start one until the end of the block.
    """
    if ray is None:
        yield partial(in_processes, processes=processes)
        return
    from bidarena.evaluate.workers.ray import ray_team

    with ray_team(ray) as do:
        yield do
