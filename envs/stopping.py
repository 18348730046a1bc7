"""Stop signals: SIGTERM means the same as Ctrl-C, save and go.

Python raises KeyboardInterrupt at Ctrl-C, but ends at once, and saves nothing, at SIGTERM, which is
what `kill`, service managers and containers send. Commands run inside of `stop_at_sigterm`, where
SIGTERM raises `Terminated`, a KeyboardInterrupt. What must not be cut off in the middle handles the
signals itself, with `stop_signal` or `finish_first`.

Python acts on a signal only between two of its own instructions, so a bot that thinks for a minute
in compiled code would keep Ctrl-C dead for a minute. `interruptible` lets such code run in a thread
of its own, while this one waits in a way that a signal ends.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

LOOK = 0.5  # seconds between two looks where a signal does not end the waiting by itself

Result = TypeVar("Result")
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


def interruptible(function: Callable[..., Result], *args: Any) -> Result:
    """Call a function and return its result; a signal that raises ends the waiting at once.

    The function then goes on alone until it ends or the program does, so nobody may use again what
    it writes to. Threads other than the main one get no signals: there it is simply called.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*args)
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function(*args))
        except BaseException as wrong:  # raised again by the one who waits
            errors.append(wrong)

    thread = threading.Thread(target=run, name="bidarena thinks", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(LOOK)
    if errors:
        raise errors[0]
    return results[0]
