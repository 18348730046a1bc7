"""Runs jobs in processes of their own and yields each result as soon as its job ends.

Processes are started afresh (`spawn`), because threads do not survive a fork. Each has a pipe of
its own. A process ends when its pipe closes, so none outlives a parent that was killed. A process
that dies is noticed at once, because its end of the pipe closes.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

Job = TypeVar("Job")
Work = Callable[[Any], Any]
Do = Callable[[Work, Iterable[Any]], Iterator[tuple[Any, Any]]]  # yields (job, result)


def in_processes(
    work: Callable[[Job], Any], jobs: Iterable[Job], processes: int
) -> Iterator[tuple[Job, Any]]:
    """Yield each job with its result, in the order in which the jobs end.

    Args:
        work: function of a module, so that other processes can import it; called with each job.
        jobs: an iterator is asked for the next job when a process is idle.
        processes: number of processes to start; 1: the jobs run in this one, one after another.
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
        with _interrupts_ignored():  # the processes started here inherit that
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
                for following in islice(waiting, 1):  # before the caller uses the result: no idling
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
    """Return (True, result) or (False, traceback) of a job; raise if its process has died."""
    try:
        answer: tuple[bool, Any] = ours.recv()
    except (EOFError, ConnectionResetError):
        process.join()
        raise RuntimeError(f"a process died with exit code {process.exitcode} on {job}") from None
    return answer


def _serve(work: Callable[[Any], Any], pipe: Connection) -> None:
    """Do the jobs that come through the pipe until it closes; the main loop of a process."""
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            job = pipe.recv()
            try:
                answer = (True, work(job))
            except Exception:  # the parent must hear of any error
                answer = (False, traceback.format_exc())
            pipe.send(answer)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Context manager that ignores Ctrl-C, which reaches all processes of a terminal.

    Only the parent is to act on it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
