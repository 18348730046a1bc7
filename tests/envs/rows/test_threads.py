"""Threads share the rows of a call: each row once, errors told, nobody left awake or behind."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidarena.envs.rows.threads import LONGEST_ALONE, SHORTEST, Threads, _cut, _Pace

WAIT = 20.0  # seconds after which a test that hangs fails


def helpers() -> set[threading.Thread]:
    """Return the helpers of all `Threads` that are alive."""
    return {thread for thread in threading.enumerate() if thread.name == "bidarena"}


def meeting(parties: int) -> Callable[..., int]:
    """Return work that ends only when so many threads are at it at the same time."""
    barrier = threading.Barrier(parties)

    def work(first: int, last: int) -> int:
        barrier.wait(WAIT)
        return last - first

    return work


# --- which pieces --------------------------------------------------------------------------------


@given(st.integers(1, 100_000), st.integers(1, 40))
def test_cut__pieces_follow_one_another_and_hold_every_row_once(rows, count):
    pieces = _cut(rows, min(rows, count))
    assert len(pieces) == min(rows, count)
    assert [row for first, last in pieces for row in (first, last - 1)] == sorted(
        row for first, last in pieces for row in (first, last - 1)
    )
    assert sum(last - first for first, last in pieces) == rows
    assert all(first < last for first, last in pieces)


@pytest.mark.parametrize(
    ("rows", "threads", "cost", "count"),
    [
        (8192, 2, None, 2),  # nothing is known yet
        (1, 2, None, 1),
        (0, 2, None, 1),
        (8192, 2, 1e-9, 1),  # too short
        (1000, 2, 1.01 * SHORTEST / 1000, 2),
        (8192, 2, 1e-6, 32),
        (65_536, 4, 1e-6, 64),  # enough to take turns
        (2, 2, 1.0, 2),  # a row is never cut
        (1, 4, 1.0, 1),
        (3, 4, 1e-9, 3),  # searches are always shared
        (3, 2, 1.0, 3),
    ],
)
def test_pace__as_many_pieces_as_pay(rows, threads, cost, count):
    pace = _Pace()
    pace.cost = cost
    assert pace.pieces(rows, threads) == count


def test_pace__a_call_among_others_changes_little():
    pace = _Pace()
    pace.learn(1.0, 1000)
    pace.learn(0.0, 1000)
    assert pace.cost == 0.5e-3
    pace.learn(9.0, 1000)
    assert pace.cost == 1e-3
    pace.learn(0.5, 1000)
    assert pace.cost == 0.5e-3
    pace.learn(0.0, 0)  # the helpers were faster: nothing is learned
    assert pace.cost == 0.5e-3
    for _ in range(20):
        pace.learn(0.0, 1000)
    assert pace.pieces(1000, 2) == 1


def test_pace__a_call_that_was_slower_for_being_shared_is_followed_by_some_that_are_not():
    pace = _Pace()
    pace.cost = 1e-6
    lengths = []
    for _ in range(12):
        pace.judge(1.0, 1000)  # a second, and alone it would have been a millisecond
        alone = 0
        while pace.pieces(1000, 2) == 1:
            alone += 1
        lengths.append(alone)
    assert lengths[:5] == [1, 2, 4, 8, 16]
    assert lengths[-1] == LONGEST_ALONE
    for _ in range(12):
        pace.judge(0.5e-3, 1000)
    pace.judge(1.0, 1000)
    assert [pace.pieces(1000, 2) > 1 for _ in range(2)] == [False, True]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 3000), st.integers(1, 4), st.integers(1, 4))
def test_over__works_on_every_row_once_and_adds_up_the_results(rows, count, calls):
    threads, marks = Threads(count), np.zeros(rows, np.int64)

    def mark(weight: int, first: int, last: int) -> int | None:
        marks[first:last] += weight
        return last - first if weight == 3 else None

    for _ in range(calls):
        assert threads.over(rows, mark, 3) == rows
        assert threads.over(rows, mark, 4) == 0
    assert (marks == 7 * calls).all()


# --- who works -----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3])
def test_over__threads_work_at_the_same_time(count):
    threads, work = Threads(count), meeting(count)
    for _ in range(3):
        assert threads.over(count, work) == count


def test_over__a_helper_that_slept_works_again():
    threads, work = Threads(2), meeting(2)
    before = helpers()
    assert threads.over(2, work) == 2
    own = helpers() - before
    for pause in (0.0, 0.05, 0.0, 0.05):
        time.sleep(pause)
        assert threads.over(2, work) == 2
    assert helpers() - before == own
    assert len(own) == 1


def test_over__short_work_is_done_by_the_caller_alone():
    threads, seen = Threads(2), []
    work = lambda first, last: seen.append((first, last, threading.current_thread()))  # noqa: E731
    threads.over(9, work)
    assert len(seen) == 2
    for _ in range(100):  # a busy machine may make the first ones look long
        seen.clear()
        threads.over(9, work)
        if seen == [(0, 9, threading.current_thread())]:
            return
    pytest.fail(f"still shared: {seen}")


def test_over__one_thread_calls_the_function_itself():
    before = helpers()
    assert Threads(1).over(5, lambda first, last: 10 * first + last) == 5
    assert helpers() == before


def test_over__calls_from_several_threads_do_not_mix():
    threads, totals = Threads(2), []

    def work(weight: int, first: int, last: int) -> int:
        time.sleep(0.001)
        return weight * (last - first)

    def call(weight: int) -> None:
        for _ in range(20):
            totals.append(threads.over(4, work, weight) == 4 * weight)

    callers = [threading.Thread(target=call, args=(weight,)) for weight in (1, 10, 100)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(WAIT)
    assert totals == [True] * 60


# --- errors and Ctrl-C ---------------------------------------------------------------------------


@pytest.mark.parametrize("helper_fails", [False, True])
def test_over__an_error_of_any_thread_reaches_the_caller(helper_fails):
    threads, caller, together = Threads(2), threading.current_thread(), meeting(2)

    def fail(first: int, last: int) -> None:
        together(first, last)
        if (threading.current_thread() is not caller) == helper_fails:
            raise ArithmeticError("this one")

    for _ in range(3):
        with pytest.raises(ArithmeticError, match="this one"):
            threads.over(2, fail)
    assert threads.over(2, together) == 2


def test_over__an_error_waits_for_pieces_under_way_and_begins_no_other():
    threads, caller, together, ended = Threads(2), threading.current_thread(), meeting(2), []

    def work(first: int, last: int) -> None:
        if first >= 2:
            ended.append(first)
            return
        together(first, last)
        if threading.current_thread() is caller:
            raise ArithmeticError
        time.sleep(0.05)
        ended.append("helper")

    threads._paces[work] = _Pace()
    threads._paces[work].cost = 1.0  # so that four rows are four pieces
    with pytest.raises(ArithmeticError):
        threads.over(4, work)
    assert ended == ["helper"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_over__ctrl_c_ends_the_waiting_and_leaves_the_helper_alone():
    threads, caller, together = Threads(2), threading.current_thread(), meeting(2)
    go_on, ended = threading.Event(), threading.Event()

    def work(first: int, last: int) -> None:
        together(first, last)
        if threading.current_thread() is not caller:
            go_on.wait(WAIT)
            ended.set()

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    kept = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            threads.over(2, work)
    finally:
        signal.signal(signal.SIGALRM, kept)
    assert threads.over(2, together) == 2  # while the old helper is still at work
    go_on.set()
    assert ended.wait(WAIT)


# --- idle helpers, and their end -----------------------------------------------------------------


def test_helpers__without_work_take_no_time():
    threads = Threads(2)
    threads.over(2, meeting(2))
    time.sleep(0.05)
    began = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - began < 0.15


def test_helpers__end_with_their_threads():
    before = helpers()
    threads = Threads(3)
    threads.over(3, meeting(3))
    own = helpers() - before
    assert len(own) == 2
    del threads
    gc.collect()
    for helper in own:
        helper.join(WAIT)
        assert not helper.is_alive()


def test_helpers__keep_no_arrays():
    threads, array = Threads(2), np.zeros(4)
    together = meeting(2)
    threads.over(2, lambda rows, first, last: together(first, last), array)
    for _ in range(200):  # the helper lets go a moment after its work
        if sys.getrefcount(array) == 2:
            return
        time.sleep(0.01)
    pytest.fail(f"{sys.getrefcount(array)} references are left")


PROGRAM = """
import sys, time, threading
from bidarena.envs.rows.threads import Threads
threads = Threads(2)
barrier = threading.Barrier(2)
def work(first, last):
    barrier.wait(20)
    return last - first
for _ in range(3):
    assert threads.over(2, work) == 2
time.sleep(float(sys.argv[1]))
print("ended")
"""


@pytest.mark.parametrize("jit", ["0", "1"])
@pytest.mark.parametrize("idle", ["0", "0.05"])
def test_helpers__do_not_hold_up_the_end_of_a_program(jit, idle):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, idle],
        env={**os.environ, "NUMBA_DISABLE_JIT": jit},
        timeout=120,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("idle", [0.0, 0.05])
def test_threads__work_in_a_forked_child_and_on_in_the_parent(idle):
    threads = Threads(2)
    threads.over(2, meeting(2))
    time.sleep(idle)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if threads.over(2, meeting(2)) == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert threads.over(2, meeting(2)) == 2


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda own: pickle.loads(pickle.dumps(own))])
def test_threads__copies_have_helpers_of_their_own(twin):
    threads = Threads(2)
    threads.over(2, meeting(2))
    before = helpers()
    other = twin(threads)
    assert other.count == 2
    assert other.over(2, meeting(2)) == 2
    assert len(helpers() - before) == 1
