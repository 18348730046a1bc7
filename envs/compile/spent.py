"""The CPU time that this process has spent on compiling, so that measured times can leave it out.

It is counted from the first call of `compiling_seconds` on, and includes loading from the cache.
"""

from __future__ import annotations

import time
from typing import Any

_LOCK = "numba:compiler_lock"  # Numba holds it while it compiles or loads, nested calls included


class _Stopwatch:
    """Counts the CPU seconds between the outermost start and end; one thread holds the lock."""

    def __init__(self) -> None:
        self.seconds, self._depth, self._began = 0.0, 0, 0.0

    def notify(self, event: Any) -> None:
        """Hear of a start or an end, as Numba's listeners do."""
        if event.is_start:
            if self._depth == 0:
                self._began = time.thread_time()
            self._depth += 1
        elif event.is_end and self._depth > 0:
            self._depth -= 1
            if self._depth == 0:
                self.seconds += time.thread_time() - self._began


_stopwatch: list[_Stopwatch] = []


def compiling_seconds() -> float:
    """Return the CPU seconds spent on compiling since this was first called in the process."""
    if not _stopwatch:
        from numba.core import event

        event.Listener.register(_Stopwatch)  # a listener, though numba is imported only now
        _stopwatch.append(_Stopwatch())
        event.register(_LOCK, _stopwatch[0])
    return _stopwatch[0].seconds
