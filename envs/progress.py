"""Progress bars on stderr, which disappear when they are done.

with progress_bar(total=1000, what="games") as advance:
    for _ in range(10):
        advance(100)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

Advance = Callable[[int], None]  # how much more is done


class ShowProgress(Protocol):
    """Shows how far something has come."""

    def __call__(self, what: str, done: int, total: int, news: str = "") -> None:
        """Move the bar of `what` to `done` of `total`, with `news` behind it."""


@contextmanager
def progress_bars() -> Iterator[ShowProgress]:
    """Yield a function that shows bars, one for each `what` it is called with.

    Nothing is shown before its first call.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[news]}"),
    )
    tasks: dict[str, Any] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:

        def show(what: str, done: int, total: int, news: str = "") -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total, count="", news="")
            # news takes the room, so the count is short beside it
            done = min(done, total)
            count = f"{100 * done / max(total, 1):.0f} %" if news else f"{done}/{total}"
            bars.update(tasks[what], completed=done, count=count, news=news)

        yield show


@contextmanager
def progress_bar(total: int, what: str) -> Iterator[Advance]:
    """Show one bar and yield the function that advances it."""
    done = 0
    with progress_bars() as show:
        show(what, done, total)

        def advance(count: int) -> None:
            nonlocal done
            done += count
            show(what, done, total)

        yield advance


@contextmanager
def one_bar_at_a_time() -> Iterator[Callable[[int, str], Advance]]:
    """Yield `begin(total, what)`, which shows a new bar and returns what advances it.

    The bar before it disappears.
    """
    with ExitStack() as shown:

        def begin(total: int, what: str) -> Advance:
            shown.close()
            return shown.enter_context(progress_bar(total, what))

        yield begin
