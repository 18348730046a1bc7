"""Asks bots that are not compiled for their moves; a fault costs a bot that one game.

There are three faults: a bot raises an exception, answers with something that is not a legal
action, or takes longer than the limit. Ctrl-C is no fault and stops everything. Nor is it a fault
of a bot if one of our own raises or answers illegally, or if the machine fails (a full disk, no
memory): then a `Breakdown` stops the match with the reason. Our bots lose by time only.
"""

from __future__ import annotations

import errno
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
from bidarena.envs.registry import Bot

RAISED, ILLEGAL, TIME = "raised", "illegal", "time"  # the kinds of faults
LONGEST_REASON = 200  # characters
ADAPTERS = "bidarena.baselines.adapters."  # modules that ask bots of others
# numbers of OSErrors that tell of the machine and not of a bot
OF_MACHINE = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS, errno.EIO)
)

Fault = tuple[str, str]  # (kind, reason)
Answer = int | Fault


class OutOfTime(BaseException):
    """Raised inside a bot that takes too long; not an Exception, so that few bots catch it."""


class Clock:
    """The time limit of a move. Without a limit nothing is timed or interrupted.

    Where signals can be used (the main thread of a process, not on Windows) Python code is
    interrupted at the limit. Elsewhere, and in code that Python cannot interrupt, a move that took
    too long is noticed when it is over.
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self._armed = False
        self._signals = False

    @contextmanager
    def ready(self) -> Iterator[None]:
        """Context manager in which `ask` interrupts bots that take too long."""
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
        """Raise OutOfTime in the bot that is asked; the handler of SIGALRM."""
        if self._armed:  # else the bot has answered in the meantime
            self._armed = False
            raise OutOfTime

    def ask(
        self, bot: Callable[[], Any], moves: int = 1, *, own: bool = False
    ) -> tuple[Any, Fault | None]:
        """Return (answer, None) or (None, fault) of a bot that has the time of `moves` moves.

        An exception of one of our `own` bots, or of the machine, raises `Breakdown`.
        """
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
            return None, raised(reason, own=own)
        finally:
            self._armed = False
            if self._signals:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        if limit is not None and time.perf_counter() - began > limit:
            return None, self.too_long()
        return answer, None

    def too_long(self) -> Fault:
        """Return the fault of a move over the limit."""
        return TIME, f"took longer than {self.limit:g} s for a move"


def ask_rows(
    policy: Callable[[Any, Any], Any],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    clock: Clock,
) -> list[Answer]:
    """Return the answers of a callable: an action or a fault for each row.

    A batched policy is asked for all rows at once, in the time of all of them. If it fails, it is
    asked again row by row, and only the rows in which it fails then are faults.
    """
    if getattr(policy, "batched", False):
        together, wrong = clock.ask(
            lambda: policy(observations, masks), len(masks), own=is_ours(policy)
        )
        if wrong is None:
            try:
                return as_actions(together, len(masks)).tolist()
            except (TypeError, ValueError):
                pass  # wrong shape or content: asked row by row, it is clear which
    return [
        ask_row(policy, view, mask, clock) for view, mask in zip(observations, masks, strict=True)
    ]


def ask_row(policy: Callable[[Any, Any], Any], view: Any, mask: Any, clock: Clock) -> Answer:
    """Return the answer of a callable for one row."""
    own = is_ours(policy)
    if getattr(policy, "batched", False):
        answer, wrong = clock.ask(lambda: policy(view[None], mask[None]), own=own)
        if wrong is not None:
            return wrong
        try:
            return int(as_actions(answer, 1)[0])
        except (TypeError, ValueError):
            return not_an_action(answer)
    answer, wrong = clock.ask(lambda: policy(view, mask), own=own)
    return wrong if wrong is not None else as_answer(answer)


def as_answer(answer: Any) -> Answer:
    """Return the answer of a bot as an action, or a fault if it is none."""
    try:
        return as_action(answer)
    except (TypeError, ValueError):
        return not_an_action(answer)


def not_an_action(answer: Any) -> Fault:
    """Return the fault of an answer that is not an action."""
    try:
        shown = repr(answer)
    except Exception:  # it is the bot's own object
        shown = f"a {type(answer).__name__}"
    return ILLEGAL, _short(f"answered {shown}")


def _told(reason: BaseException) -> str:
    """Return an exception in one line, with the place where it was raised."""
    if isinstance(reason, faults.Fault):  # of a bot in another process: the message says it all
        return _short(str(reason))
    try:
        text = f"{type(reason).__name__}: {reason}".removesuffix(": ")
    except Exception:  # it is the bot's own exception
        text = type(reason).__name__
    frames = traceback.extract_tb(reason.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if len(frames) > 1 else ""
    return _short(text, LONGEST_REASON - len(place)) + place


def raised(reason: BaseException, *, own: bool = False) -> Fault:
    """Return the fault of an exception; raise `Breakdown` if no outside bot is to blame for it.

    Args:
        reason: the exception.
        own: whether one of our own bots has raised it.
    """
    if isinstance(reason, faults.Fault):  # of a bot in another process
        return ILLEGAL if isinstance(reason, faults.IllegalAnswer) else RAISED, _told(reason)
    machine = isinstance(reason, MemoryError) or getattr(reason, "errno", None) in OF_MACHINE
    if machine or own:
        whose = "the machine" if machine else "one of our own bots"
        raise faults.Breakdown(f"{whose} failed, so the match was stopped: {_told(reason)}")
    return RAISED, _told(reason)


def is_ours(bot: Any) -> bool:
    """Return whether a bot is code of this package, and does not ask a program of others."""
    if isinstance(bot, Bot):
        bot = bot.act if bot.outside is None else bot.outside
    module = str(getattr(bot, "__module__", None))
    return module.startswith("bidarena.") and not module.startswith(ADAPTERS)


def _short(text: str, longest: int = LONGEST_REASON) -> str:
    """Return a text in one line of at most `longest` characters."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
