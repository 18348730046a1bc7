"""Jobs in processes: each is done once, and what goes wrong is told with its job."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bidarena.baselines.adapters.faults import Breakdown
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


def spin(folder: str) -> None:
    """Leave the own process id in a folder, and be busy."""
    (Path(folder) / str(os.getpid())).touch()
    while True:
        pass


def running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("thread", [False, True])
def test_workers__end_with_their_parent_in_the_middle_of_a_job(tmp_path, number, thread):
    call = "list(in_processes(spin, [sys.argv[1]] * 2, 2))"
    if thread:
        call = f"t = threading.Thread(target=lambda: {call}, daemon=True); t.start(); t.join()"
    code = (
        "import sys, threading\n"
        "from test_processes import spin, in_processes\n"
        f"if __name__ == '__main__': {call}"
    )
    script = tmp_path / "parent.py"
    script.write_text(code)
    folder = tmp_path / "pids"
    folder.mkdir()
    parent = subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        env={
            **os.environ,
            "PYTHONPATH": f"{Path(__file__).parent}:{os.environ.get('PYTHONPATH', '')}",
        },
        stderr=subprocess.DEVNULL,
        # A background job of a shell ignores SIGINT, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    until = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    pids = [int(path.name) for path in folder.iterdir()]
    assert len(pids) == 2 and all(map(running, pids))
    parent.send_signal(number)
    parent.wait(timeout=30)
    until = time.monotonic() + 30
    while any(map(running, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    left = [pid for pid in pids if running(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


def refuse(job: int) -> int:
    if job == 1:
        raise ValueError("folder='here': another run is writing there")
    raise OSError(28, "No space left on device")


def test_workers__wrong_arguments_and_a_full_disk_are_told_without_a_traceback():
    with pytest.raises(ValueError, match=r"^folder='here': another run is writing there$"):
        list(in_processes(refuse, [1], 2))
    with pytest.raises(Breakdown, match=r"No space left on device$"):
        list(in_processes(refuse, [2], 2))
