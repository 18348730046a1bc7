"""The clock of compiled code, where the system has none that it can read."""

import os
import subprocess
import sys
import textwrap
import time

from bidarena.envs.compile import compiled, seconds
from bidarena.envs.compile.clock import description

WAIT = """
    import sys, time
    sys.path.insert(0, ".")
    del time.CLOCK_MONOTONIC
    from numba.core import event
    recorder = event.RecordingListener()
    event.register("numba:compile", recorder)
    from bidarena.envs.compile import compiled, digest, seconds
    from waiting import wait
    ready = compiled(wait, {}, "test")
    ready(0.0)
    began = time.perf_counter()
    rounds = ready(began + 0.2)
    print(rounds > 10, 0.2 <= time.perf_counter() - began < 2.0, abs(seconds() - began) < 2.0)
    print(digest(wait, {}), len(recorder.buffer))
"""


def wait(until):
    rounds = 0
    while seconds() < until:
        rounds += 1
    return rounds


def test_clock__compiled_code_asks_python_where_the_system_has_none(tmp_path):
    (tmp_path / "waiting.py").write_text(
        "from bidarena.envs.compile import seconds\n\n\n"
        "def wait(until):\n    rounds = 0\n    while seconds() < until:\n        rounds += 1\n"
        "    return rounds\n"
    )
    told = []
    for _ in range(2):  # the second process finds the function in the cache
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(WAIT)],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        told.append(done.stdout.split())
    assert [words[:3] for words in told] == [["True"] * 3] * 2
    assert told[0][3] == told[1][3]
    assert int(told[0][4]) > 0 and told[1][4] == "0"


def test_clock__usual_one_is_read_without_python():
    assert description() == ""  # so that digests are as they were
    ready = compiled(wait, {}, "test")
    ready(0.0)
    began = time.monotonic()
    assert ready(seconds() + 0.05) > 100
    assert 0.04 <= time.monotonic() - began < 1.0
