"""Wait for an answer only so long: whatever a bot does, somebody else can answer in time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable


class Patience:
    """Runs functions in threads of their own, at most one for each core at a time.

    A function that is given up is not stopped, because nothing can stop it; its place is taken
    until it ends. When all places are taken, nobody is asked.
    """

    def __init__(self) -> None:
        self._places = threading.BoundedSemaphore(os.cpu_count() or 1)

    def ask(self, think: Callable[[], int], end: float) -> int | None:
        """Return what `think` returns, or None at the time `end` of `time.monotonic`.

        What `think` raises before is raised here.
        """
        if not self._places.acquire(timeout=max(0.0, end - time.monotonic())):
            return None
        answers: list[int] = []
        errors: list[Exception] = []

        def run() -> None:
            try:
                answers.append(think())
            except Exception as wrong:
                errors.append(wrong)
            finally:
                self._places.release()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(max(0.0, end - time.monotonic()))
        if errors:
            raise errors[0]
        return answers[0] if answers else None
