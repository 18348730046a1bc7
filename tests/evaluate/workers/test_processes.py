"""Jobs in processes: each is done once, and what goes wrong is told with its job."""

from __future__ import annotations

import os
import signal

import pytest

from bidarena.evaluate.workers import in_processes


def die(job: int) -> int:
    if job == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return job * job


def fail(job: int) -> int:
    raise LookupError(f"no {job}")


def test_workers__a_process_that_dies_is_noticed():
    with pytest.raises(RuntimeError, match="exit code -9 on 3"):
        list(in_processes(die, range(6), 2))


def test_workers__an_error_in_a_process_is_told_with_its_job():
    with pytest.raises(RuntimeError, match=r"(?s)0 failed.*LookupError: no 0"):
        list(in_processes(fail, [0], 2))


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_workers__every_job_is_done_once(processes):
    assert sorted(in_processes(abs, [-1, -2, -3], processes)) == [(-3, 3), (-2, 2), (-1, 1)]
