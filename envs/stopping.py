"""Stop signals: SIGTERM means the same as Ctrl-C, save and go.

Python raises KeyboardInterrupt at Ctrl-C, but ends at once, and saves nothing, at SIGTERM, which is
what `kill`, service managers and containers send. Commands run inside of `stop_at_sigterm`, where
SIGTERM raises `Terminated`, a KeyboardInterrupt. What must not be cut off in the middle handles the
signals itself, with `stop_signal` or `finish_first`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]


class Terminated(KeyboardInterrupt):
    """SIGTERM was received."""


@contextmanager
def _handled(handlers: dict[int, Handler]) -> Iterator[None]:
    """Context manager with handlers of signals; those from before come back afterwards.

    Only the main thread of a process can handle signals; elsewhere nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def stop_at_sigterm() -> Iterator[None]:
    """Context manager in which SIGTERM raises `Terminated`, as Ctrl-C raises KeyboardInterrupt."""

    def stop(*_: Any) -> None:
        raise Terminated

    with _handled({signal.SIGTERM: stop}):
        yield


@contextmanager
def stop_signal() -> Iterator[Callable[[], KeyboardInterrupt | None]]:
    """Context manager that yields a function: what to raise because of a signal, None as yet.

    A loop that asks it can end its round and save. Ctrl-C pressed a second time raises at once.
    """
    asked: list[KeyboardInterrupt] = []

    def ask(number: int, _: FrameType | None) -> None:
        if asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        asked.append(Terminated() if number == signal.SIGTERM else KeyboardInterrupt())

    with _handled({signal.SIGINT: ask, signal.SIGTERM: ask}):
        yield lambda: asked[0] if asked else None


@contextmanager
def finish_first() -> Iterator[None]:
    """Context manager at whose end SIGTERM takes effect, if it came inside; Ctrl-C acts at once."""
    came: list[int] = []
    with _handled({signal.SIGTERM: lambda number, _: came.append(number)}):
        yield
    if came:
        raise Terminated
