"""Threads that share the rows of a batch.

A call cuts its rows into pieces. The calling thread and its helpers take one piece after another
until none is left, so nobody waits for a helper that wakes up late. Handing work to a helper must
take microseconds, because a step of a thousand games takes some fifty. Therefore a helper stays
awake for a moment after its work: to wake a thread that sleeps takes far longer. Calls that are too
short for that are not shared. What the rows hold in the end never depends on any of
this: a row is worked on by one thread alone, and no row reads another.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from queue import SimpleQueue
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs import system
from bidarena.envs.compile import borrow, compiled, seconds

AWAKE = 1e-3  # seconds that a helper without work stays awake, if work came that soon before
PATIENCE = 1e-4  # seconds that a caller waits awake for a helper to end its last piece
WAY_BACK = 2e-5  # seconds that it waits for a helper to rest when all is done
HAND_OVER = 5e-6  # seconds that a caller waits for a helper that is awake to take a piece
DISPATCH = 1e-6  # seconds from then until the helper is in compiled code, and Python is free
SHORTEST = 5e-5  # seconds of work from which a call is shared
PIECE = 2e-4  # seconds of work in a piece, about
MOST_PIECES = 16  # for each thread
LONGEST_ALONE = 256  # calls that are not shared after several that did not pay
LINE = 64  # rows by which large batches are cut, so that two threads rarely write to one cache line

Work = Callable[..., int | None]  # function(*args, first, last)
Pieces = list[tuple[int, int]]  # the first row of each, and the one after its last


class Threads:
    """Up to `count` threads that share the rows of a call; the calling thread is one of them.

    The others are made when they are needed first. They end with this object and with the program,
    are made anew after a fork, and are not pickled. Two calls at the same time follow one another.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._crew: _Crew | None = None
        self._paces: dict[Any, _Pace] = {}  # of each function
        self._lock = threading.Lock()

    def over(self, rows: int, function: Work, *args: Any) -> int:
        """Call function(*args, first, last) for pieces of the rows; return the sum of the results.

        A result of None counts as 0. If a piece raises, no other is begun, and the error of the
        first is raised when those under way have ended.
        """
        if self.count == 1:
            return function(*args, 0, rows) or 0
        with self._lock:
            pace = self._paces.setdefault(function, _Pace())
            count = pace.pieces(rows, self.count)
            if count > 1:
                return self._share(_Job(_cut(rows, count), function, args), pace)
            began = perf_counter()
            total = function(*args, 0, rows) or 0
            pace.learn(perf_counter() - began, rows)
            return total

    def _share(self, job: _Job, pace: _Pace) -> int:
        """Do a job together with the helpers; return the sum of its results."""
        crew = self._crew
        if crew is None or crew.process != os.getpid():
            crew = self._crew = _Crew(self.count - 1)
            weakref.finalize(self, crew.end)
        try:
            began = perf_counter()
            awake = crew.begin(job)
            job.work()
            crew.finish(job)
            spent = perf_counter() - began
        except BaseException:  # Ctrl-C: a helper may still be at work, so leave it alone
            crew.end()
            self._crew = None
            raise
        if job.errors:
            raise job.errors[0]
        pace.learn(*min(job.shares, key=lambda share: share[0] / share[1]))
        if awake:
            pace.judge(spent, job.rows)
        return sum(job.results)

    def __reduce__(self) -> tuple[Any, ...]:
        return Threads, (self.count,)


class _Pace:
    """What is known of the time that calls of a function take, and whether sharing them pays."""

    def __init__(self) -> None:
        self.cost: float | None = None  # seconds for a row, in the last calls
        self._alone = 0  # how many more calls are not shared
        self._penalty = 0  # how many they were the last time

    def pieces(self, rows: int, threads: int) -> int:
        """Return into how many pieces to cut the rows; 1 if sharing them does not pay.

        Rows that are no more than the threads are always shared: such rows are searches, which may
        end by the clock and must not follow one another.
        """
        if rows <= threads or self.cost is None:
            return max(1, min(threads, rows))
        self._alone -= 1
        if self._alone >= 0 or self.cost * rows < SHORTEST:
            return 1
        rounds = min(max(1, round(self.cost * rows / PIECE / threads)), MOST_PIECES)
        return min(rounds * threads, rows)

    def learn(self, spent: float, rows: int) -> None:
        """Keep what a row costs, at most twice or half as much as before.

        A call may have few rows to play, or be interrupted by another program.
        """
        if rows:
            cost = spent / rows
            self.cost = cost if self.cost is None else min(max(cost, self.cost / 2), self.cost * 2)

    def judge(self, spent: float, rows: int) -> None:
        """Do not share for a while if a shared call took as long as the caller alone would have.

        So it is where other programs keep the helpers from working. Each time in a row the while is
        twice as long.
        """
        if self.cost is not None and spent > 0.9 * self.cost * rows:
            self._penalty = min(max(1, 2 * self._penalty), LONGEST_ALONE)
            self._alone = self._penalty
        else:
            self._penalty //= 2


@lru_cache(maxsize=64)
def _cut(rows: int, count: int) -> Pieces:
    """Return equal pieces of the rows."""
    step = LINE if rows >= 8 * LINE * count else 1
    cuts = [rows * i // count // step * step for i in range(count)] + [rows]
    return list(pairwise(cuts))


class _Job:
    """The pieces of one call. Python's own lock makes each step of the bookkeeping atomic."""

    def __init__(self, pieces: Pieces, function: Work, args: tuple[Any, ...]) -> None:
        self.number = 0
        self.pieces, self.rows = len(pieces), pieces[-1][1]
        self.results: list[int] = []  # of the pieces that are done, in any order
        self.errors: list[BaseException] = []
        self.shares: list[tuple[float, int]] = []  # of each thread: seconds and rows
        self.helpers: list[int] = []  # those that have come to help
        self._left = iter(pieces)
        self._function, self._args = function, args

    @property
    def done(self) -> bool:
        """Return whether all pieces are done."""
        return len(self.results) == self.pieces

    def work(self, begun: NDArray[np.int64] | None = None) -> None:
        """Take pieces until none is left.

        Args:
            begun: where a helper shows the number of the job just before it begins.
        """
        rows, began = 0, perf_counter()
        for first, last in self._left:
            result = 0
            if begun is not None:
                begun[0] = self.number
            if not self.errors:
                try:
                    result = self._function(*self._args, first, last) or 0
                except BaseException as wrong:  # raised again by the caller
                    self.errors.append(wrong)
            rows += last - first
            self.results.append(result)
        if rows:
            self.shares.append((perf_counter() - began, rows))


class _Crew:
    """The helpers of a `Threads`, which they do not refer to: it may be forgotten at any time."""

    def __init__(self, helpers: int) -> None:
        self.process = os.getpid()  # after a fork the helpers are gone
        self._waiting = _waiting_awake() if helpers < system.usable_cores() else None
        self._job: _Job | None = None
        self._number = 0  # of the last job that was begun
        self._ended = False
        # Numbers of jobs, as compiled code sees them, each in a cache line of its own; for each
        # helper that of the job after which it waits again.
        cells = list(np.zeros((3 + helpers, 16), np.int64)[:, :1])
        self._called, self._begun, self._unused, *self._rested = cells
        self._finished = Sleep()
        self._calls = [Sleep() for _ in range(helpers)]
        self._helpers = [
            threading.Thread(target=self._help, args=(k,), name="bidarena", daemon=True)
            for k in range(helpers)
        ]
        for helper in self._helpers:
            helper.start()

    def begin(self, job: _Job) -> bool:
        """Hand a job to the helpers; return whether all were awake.

        Wait a moment until one that is awake has begun.
        """
        job.number = self._number = self._number + 1
        self._job = job
        slept = [call.wake() for call in self._calls]
        if self._waiting is not None and not all(slept):
            self._waiting.hand_over(self._called, job.number, self._begun, HAND_OVER, DISPATCH)
        return not any(slept)

    def finish(self, job: _Job) -> None:
        """Wait until all pieces of the job are done.

        Also until the helpers rest, if that is soon: on the way there they need Python's lock, and
        a caller that finds it taken falls asleep.
        """
        if self._waiting is not None:
            for k in job.helpers:
                patience = WAY_BACK if job.done else PATIENCE
                self._waiting.rest(self._unused, 0, self._rested[k], job.number, patience)
        self._finished.until(lambda: job.done)
        self._job = None

    def end(self) -> None:
        """Let the helpers end. Those without work are waited for, as the program may end now."""
        self._ended = True
        self._number += 1
        self._called[0] = self._number
        for call in self._calls:
            call.wake()
        for helper in self._helpers:
            if helper is not threading.current_thread() and self._job is None:
                helper.join(timeout=1.0)

    def _help(self, k: int) -> None:
        """Work on every job that is called, until the end, as the helper with the number k."""
        call, rested = self._calls[k], self._rested[k]
        seen, patience = 0, AWAKE
        while not self._ended:
            began = perf_counter()
            if self._waiting is not None:
                self._waiting.rest(rested, seen, self._called, seen + 1, patience)
            call.until(lambda: self._number > seen)  # noqa: B023
            patience = AWAKE if perf_counter() - began < AWAKE else 0.0
            seen, job = self._number, self._job
            if job is not None:
                job.helpers.append(k)
                job.work(self._begun)
                if job.done:
                    self._finished.wake()
            del job  # it holds arrays


class Sleep:
    """Lets one thread sleep until others have done something."""

    def __init__(self) -> None:
        self._asleep = False
        self._bell: SimpleQueue[None] = SimpleQueue()

    def until(self, ready: Callable[[], bool]) -> None:
        """Sleep until `ready()`; whoever makes it true calls `wake` afterwards."""
        while not ready():
            self._asleep = True
            if ready() and self._asleep:  # since before that line, so nobody rings
                self._asleep = False
            else:
                self._bell.get()

    def wake(self) -> bool:
        """Wake the thread; return whether it was asleep."""
        asleep = self._asleep
        if asleep:
            self._asleep = False
            self._bell.put(None)
        return asleep


# --- waiting awake: compiled, so that Python's lock is free meanwhile -----------------------------


class _Waiting(NamedTuple):
    """The functions below, compiled."""

    hand_over: Callable[..., None]
    rest: Callable[..., None]


def _waiting_awake() -> _Waiting | None:
    """Return the functions below, compiled; None where waiting awake would hold up other threads.

    They are compiled here, before several threads call them.
    """
    from numba import config

    if config.DISABLE_JIT or system.CLOCK is None:
        return None
    made = _Waiting(compiled(hand_over, {}, "threads"), compiled(rest, {}, "threads"))
    number = np.zeros(1, np.int64)
    made.hand_over(number, 0, number, 0.0, 0.0)
    made.rest(number, 0, number, 0, 0.0)
    return made


def hand_over(
    called: NDArray[np.int64], number: int, begun: NDArray[np.int64], patience: float, pause: float
) -> None:
    """Show the number of a job, and wait until a helper that is awake has begun it.

    Otherwise the caller would keep Python's lock, and the helper would fall asleep waiting for it.

    Args:
        called: (1,) where the number is shown.
        number: the number of the job.
        begun: (1,) where a helper shows the number just before it begins.
        patience: how many seconds to wait for that.
        pause: how many seconds to wait in any case.
    """
    called, begun = borrow(called), borrow(begun)
    called[0] = number
    now = seconds()
    end = now + patience
    while begun[0] < number and now < end:  # read anew in each round, as the clock is called
        now = seconds()
    end = now + pause
    while now < end:
        now = seconds()


def rest(
    done: NDArray[np.int64],
    finished: int,
    called: NDArray[np.int64],
    number: int,
    patience: float,
) -> None:
    """Show what is finished, then wait until a job is called, or for `patience` seconds.

    Args:
        done: (1,) where the number of the last job that is finished is shown.
        finished: that number.
        called: (1,) where the number of the next job will be.
        number: the least number to wait for.
        patience: how many seconds to wait.
    """
    done, called = borrow(done), borrow(called)
    done[0] = finished
    end = seconds() + patience
    while called[0] < number and seconds() < end:  # read anew in each round, as above
        pass
