"""Wait for compiled code so that Ctrl-C is heard meanwhile.

Python acts on Ctrl-C only between two of its own instructions, so a bot that thinks for a minute in
compiled code would keep the keyboard dead for a minute. `interruptible` lets the code run in a
thread of its own, while this one waits in a way that a signal ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")

LOOK = 0.5  # seconds between two looks where a signal does not end the waiting by itself


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
