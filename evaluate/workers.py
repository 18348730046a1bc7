"""Jobs in processes of their own: what comes back is handed over as each of them ends.

`workers` chooses between processes of this machine and a Ray (see ray_workers.py).

Processes are started afresh (`spawn`), because threads do not survive a fork. Each has a pipe of
its own: it ends when the pipe does, so that none outlives a parent that was killed, and a process
that dies is noticed at once, because its end of the pipe closes.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

Job = TypeVar("Job")
Work = Callable[[Any], Any]
Do = Callable[[Work, Iterable[Any]], Iterator[tuple[Any, Any]]]  # each job with its result


@contextmanager
def workers(processes: int, ray: str | None = None) -> Iterator[Do]:
    """What does jobs: `with workers(2) as do: for job, result in do(work, jobs): ...`.

    Args:
        processes: how many at the same time, on this machine.
        ray: instead of that, the address of a Ray, or "local" to start one for the time being.
    """
    if ray is None:
        yield partial(in_processes, processes=processes)
        return
    from bidarena.evaluate.ray_workers import ray_team

    with ray_team(ray) as do:
        yield do


def in_processes(
    work: Callable[[Job], Any], jobs: Iterable[Job], processes: int
) -> Iterator[tuple[Job, Any]]:
    """Each job with its result, in the order in which they end.

    Args:
        work: a function of a module, so that other processes can import it.
        jobs: what it is called with; an iterator is asked for the next one when a process is idle.
        processes: how many to start; with 1 the jobs are done here, one after another.
    """
    if processes == 1:
        for job in jobs:
            yield job, work(job)
        return
    context = multiprocessing.get_context("spawn")
    waiting = iter(jobs)
    first = list(islice(waiting, processes))
    team: dict[Connection, Any] = {}
    doing: dict[Connection, Job] = {}
    try:
        with _interrupts_ignored():  # also by the processes started here, which inherit that
            for _ in first:
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(work, theirs), daemon=True)
                process.start()
                theirs.close()
                team[ours] = process
        for ours, job in zip(team, first, strict=True):
            doing[ours] = job
            ours.send(job)
        while doing:
            for ready in wait(list(doing)):
                assert isinstance(ready, Connection)
                job = doing.pop(ready)
                done, result = _receive(ready, team[ready], job)
                if not done:
                    raise RuntimeError(f"{job} failed:\n{result}")
                for following in islice(waiting, 1):  # before the result is dealt with: no idling
                    doing[ready] = following
                    ready.send(following)
                yield job, result
    finally:
        for process in team.values():
            process.terminate()
        for ours, process in team.items():
            process.join()
            ours.close()


def _receive(ours: Connection, process: Any, job: Any) -> tuple[bool, Any]:
    try:
        answer: tuple[bool, Any] = ours.recv()
    except (EOFError, ConnectionResetError):
        process.join()
        raise RuntimeError(f"a process died with exit code {process.exitcode} on {job}") from None
    return answer


def _serve(work: Callable[[Any], Any], pipe: Connection) -> None:
    """The life of a process: do what comes through the pipe until it closes."""
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            job = pipe.recv()
            try:
                answer = (True, work(job))
            except Exception:  # it is the parent who must hear of it, whatever it is
                answer = (False, traceback.format_exc())
            pipe.send(answer)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ctrl-C reaches all processes of a terminal; only the parent is to act on it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
