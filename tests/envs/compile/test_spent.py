"""The time of compiling is counted, nothing else is."""

import time

import numba

from bidarena.envs.compile import compiling_seconds


def test_compiling_seconds__grow_by_compiling_and_not_by_running():
    before = compiling_seconds()

    @numba.njit
    def total(n):
        found = 0.0
        for i in range(n):
            found += i % 7
        return found

    began = time.thread_time()
    total(10)
    spent = time.thread_time() - began
    compiled = compiling_seconds()
    assert 0 < compiled - before <= spent
    total(10**6)
    sum(range(10**6))
    assert compiling_seconds() == compiled
