"""Asks bots that are not compiled for their moves; whatever goes wrong costs them that game alone.

A bot has three ways to lose a game by itself: it raises, it answers with something that is not a
legal action, or it takes longer than it may. Ctrl-C is not one of them and stops everything.
"""

from __future__ import annotations

import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.adapters import faults
from bidarena.envs.batch import as_action, as_actions

RAISED, ILLEGAL, TIME = "raised", "illegal", "time"  # the kinds of faults
LONGEST_REASON = 200  # characters

Fault = tuple[str, str]  # the kind, and what happened
Answer = int | Fault


class OutOfTime(BaseException):
    """Raised inside a bot that takes too long; no Exception, so that few bots catch it."""


class Clock:
    """The limit on the time of a move. Without one, nothing is measured or interrupted.

    Where signals can be used (the main thread of a process, not on Windows) Python code is
    interrupted at its limit. Elsewhere, and in code that Python cannot interrupt, a move that took
    too long is noticed when it is over.
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self._armed = False
        self._signals = False

    @contextmanager
    def ready(self) -> Iterator[None]:
        """Within this, `ask` interrupts."""
        here = threading.current_thread() is threading.main_thread()
        self._signals = self.limit is not None and here and hasattr(signal, "setitimer")
        if not self._signals:
            yield
            return
        before = signal.signal(signal.SIGALRM, self._ring)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)
            self._signals = False

    def _ring(self, *_: Any) -> None:
        if self._armed:  # else the bot has answered in the meantime
            self._armed = False
            raise OutOfTime

    def ask(self, bot: Callable[[], Any], moves: int = 1) -> tuple[Any, Fault | None]:
        """What the bot answers, or what it did instead; it has the time of so many moves."""
        limit = None if self.limit is None else self.limit * moves
        began = time.perf_counter()
        try:
            if self._signals and limit is not None:
                self._armed = True
                signal.setitimer(signal.ITIMER_REAL, limit)
            answer = bot()
            self._armed = False
        except OutOfTime:
            return None, self.too_long()
        except (Exception, SystemExit) as reason:
            self._armed = False
            return None, (RAISED, _told(reason))
        finally:
            self._armed = False
            if self._signals:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        if limit is not None and time.perf_counter() - began > limit:
            return None, self.too_long()
        return answer, None

    def too_long(self) -> Fault:
        """The fault of a move over the limit."""
        return TIME, f"took longer than {self.limit:g} s for a move"


def ask_rows(
    policy: Callable[[Any, Any], Any],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    clock: Clock,
) -> list[Answer]:
    """The answers of a callable: an action for each row, or the fault that it commits there.

    A batched policy is asked for all rows at once, in the time that it has for all of them. If that
    goes wrong it is asked again row by row, and only the rows that go wrong by themselves are
    faults.
    """
    if getattr(policy, "batched", False):
        together, wrong = clock.ask(lambda: policy(observations, masks), len(masks))
        if wrong is None:
            try:
                return as_actions(together, len(masks)).tolist()
            except (TypeError, ValueError):
                pass  # the shape, or what is in it: row by row it is seen which
    return [
        ask_row(policy, view, mask, clock) for view, mask in zip(observations, masks, strict=True)
    ]


def ask_row(policy: Callable[[Any, Any], Any], view: Any, mask: Any, clock: Clock) -> Answer:
    """The answer of a callable for one row."""
    if getattr(policy, "batched", False):
        answer, wrong = clock.ask(lambda: policy(view[None], mask[None]))
        if wrong is not None:
            return wrong
        try:
            return int(as_actions(answer, 1)[0])
        except (TypeError, ValueError):
            return not_an_action(answer)
    answer, wrong = clock.ask(lambda: policy(view, mask))
    return wrong if wrong is not None else as_answer(answer)


def as_answer(answer: Any) -> Answer:
    """What a bot said as an action, if it is one."""
    try:
        return as_action(answer)
    except (TypeError, ValueError):
        return not_an_action(answer)


def not_an_action(answer: Any) -> Fault:
    """The fault of an answer that is no action at all."""
    try:
        shown = repr(answer)
    except Exception:  # it is the bot's own object
        shown = f"a {type(answer).__name__}"
    return ILLEGAL, _short(f"answered {shown}")


def _told(reason: BaseException) -> str:
    """An exception in one line, with the place where it was raised."""
    if isinstance(
        reason, faults.Fault
    ):  # of a bot in another process: it says what there is to say
        return _short(str(reason))
    try:
        text = f"{type(reason).__name__}: {reason}".removesuffix(": ")
    except Exception:  # it is the bot's own exception
        text = type(reason).__name__
    frames = traceback.extract_tb(reason.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if len(frames) > 1 else ""
    return _short(text, LONGEST_REASON - len(place)) + place


def raised(reason: BaseException) -> Fault:
    """The fault of an exception."""
    return RAISED, _told(reason)


def _short(text: str, longest: int = LONGEST_REASON) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
