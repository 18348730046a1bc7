"""Runs jobs in processes of their own and yields each result as soon as its job ends.

Processes are started afresh (`spawn`), because threads do not survive a fork. Each has a pipe of
its own. A process that dies is noticed at once, because its end of the pipe closes. A process ends
with its parent, also in the middle of a job and if the parent was killed: Linux kills it, and on
all systems a thread waits for the end of the parent.

A job that is stopped by SIGTERM may save what it has before it ends, as training does.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from bidarena.baselines.adapters.faults import Breakdown
from bidarena.envs import system

Job = TypeVar("Job")
Work = Callable[[Any], Any]
PATIENCE = 60.0  # seconds in which a process that was told to end may save

DONE, REFUSED, STOPPED, FAILED = range(4)  # how a job ended
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
    lasting = threading.current_thread() is threading.main_thread()
    waiting = iter(jobs)
    first = list(islice(waiting, processes))
    team: dict[Connection, Any] = {}
    doing: dict[Connection, Job] = {}
    try:
        with _interrupts_ignored():  # the processes started here inherit that
            for _ in first:
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(work, theirs, lasting), daemon=True)
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
                how, result = _receive(ready, team[ready], job)
                if how != DONE:
                    raise _error(how, result, job)
                for following in islice(waiting, 1):  # before the caller uses the result: no idling
                    doing[ready] = following
                    ready.send(following)
                yield job, result
    finally:
        for process in team.values():
            process.terminate()
        for ours, process in team.items():
            process.join(PATIENCE)
            process.kill()
            process.join()
            ours.close()


def _error(how: int, why: str, job: Any) -> Exception:
    """Return the exception for a job that ended badly."""
    if how == REFUSED:  # an argument is wrong, and the message says which
        return ValueError(why)
    if how == STOPPED:
        return Breakdown(why)
    return RuntimeError(f"{job} failed:\n{why}")


def _receive(ours: Connection, process: Any, job: Any) -> tuple[int, Any]:
    """Return how a job ended, and its result or why it has none; raise if its process has died."""
    try:
        answer: tuple[int, Any] = ours.recv()
    except (EOFError, ConnectionResetError):
        process.join()
        raise RuntimeError(f"a process died with exit code {process.exitcode} on {job}") from None
    return answer


def _serve(work: Callable[[Any], Any], pipe: Connection, lasting: bool) -> None:
    """Do the jobs that come through the pipe until it closes; the main loop of a process.

    Args:
        work: what to do with each job.
        pipe: brings the jobs, and takes the answers.
        lasting: whether the thread that started this process lasts as long as the parent.
    """
    end_with_parent(lasting)
    with suppress(EOFError, OSError, KeyboardInterrupt):  # the parent is gone, or has ended this
        while True:
            pipe.send(_answer(work, pipe.recv()))


def _answer(work: Callable[[Any], Any], job: Any) -> tuple[int, Any]:
    """Return how a job ended, and its result or why it has none."""
    try:
        return DONE, work(job)
    except ValueError as wrong:
        return REFUSED, str(wrong)
    except (Breakdown, OSError, MemoryError) as wrong:
        return STOPPED, str(wrong) or type(wrong).__name__
    except Exception:  # the parent must hear of any error
        return FAILED, traceback.format_exc()


def end_with_parent(lasting: bool) -> None:
    """Let this process end as soon as its parent has ended, in whatever way."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    threading.Thread(target=_wait_for_end, args=(parent,), daemon=True).start()
    if lasting and parent.pid is not None:  # also where compiled code lets no thread run
        system.end_with_parent(parent.pid)


def _wait_for_end(parent: Any) -> None:
    parent.join()
    os._exit(1)


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
