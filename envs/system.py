"""What differs between operating systems, in one place: the clock, locks, processes, memory.

Names that only some systems have, such as those of `fcntl`, `resource` and a part of `os` and
`time`, are used here and nowhere else, except by what runs on Linux only (bots in processes of
their own) and by what asks for the name first. Every function works, with less where there is less,
on a system that has none of them; each says what that means.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import sys
import time
from typing import IO, Any

CLOCK: int | None = getattr(time, "CLOCK_MONOTONIC", None)  # None: only Python can read one
_LOCKED_BYTE = 1 << 30  # where Windows locks a file: nobody reads or writes there
_PR_SET_PDEATHSIG = 1  # of prctl: the signal at the end of the parent, or rather of its thread


def _module(name: str) -> Any:
    """Return a module of the standard library, or None if this system does not have it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def read_clock() -> float:
    """Return the time of a monotonic clock in seconds, the one that compiled code reads too."""
    return time.perf_counter() if CLOCK is None else time.clock_gettime(CLOCK)


# --- locks ---------------------------------------------------------------------------------------


def try_lock(file: IO[Any]) -> bool:
    """Lock an open file for this process unless another one has; return whether that went well.

    The lock ends with `unlock`, when the file is closed, and when the process ends in whatever way.
    On a system without such locks every process gets it.

    Raises:
        OSError: the folder of the file cannot hold locks, as on some networks.
    """
    posix, windows = _module("fcntl"), _module("msvcrt")
    try:
        if posix is not None:
            posix.flock(file, posix.LOCK_EX | posix.LOCK_NB)
        elif windows is not None:
            _lock_byte(file, windows, windows.LK_NBLCK)
    except (BlockingIOError, PermissionError):  # the second one on Windows
        return False
    return True


def unlock(file: IO[Any]) -> None:
    """End a lock that `try_lock` took, for children that have inherited the file as well."""
    posix, windows = _module("fcntl"), _module("msvcrt")
    if posix is not None:
        posix.flock(file, posix.LOCK_UN)
    elif windows is not None:
        _lock_byte(file, windows, windows.LK_UNLCK)


def _lock_byte(file: IO[Any], windows: Any, how: int) -> None:
    """Lock or unlock one byte far behind the end of a file; its position stays."""
    number = file.fileno()
    position = os.lseek(number, 0, os.SEEK_CUR)
    os.lseek(number, _LOCKED_BYTE, os.SEEK_SET)
    try:
        windows.locking(number, how, 1)
    finally:
        os.lseek(number, position, os.SEEK_SET)


# --- processes -----------------------------------------------------------------------------------


def may_run(process: int) -> bool:
    """Return whether a process with this id may still run; True where the system does not tell.

    On Windows `os.kill(process, 0)` is no question: it sends Ctrl-C.
    """
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # of another user, or no id of a process
        return True
    return True


def end_with_parent(parent: int) -> None:
    """Have Linux kill this process when its parent ends; do nothing on other systems."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended before
        os._exit(1)


def usable_cores() -> int:
    """Return the number of cores that this process may use; where nobody tells, all of them."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def user_id() -> int | None:
    """Return the number of this user, which owns its files; None where users have no numbers."""
    return os.getuid() if hasattr(os, "getuid") else None


def most_memory() -> int | None:
    """Return the most bytes of memory that this process ever had; None where nobody tells."""
    resource = _module("resource")
    if resource is None:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
