"""A progress bar on stderr for what an adapter does before it can play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, int, int], None]  # what is done, how many games of how many


@contextmanager
def bar() -> Iterator[Progress]:
    """Yields the function that says how far it is; nothing is shown before its first call."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    tasks = {}
    with Bar(
        *columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as shown:

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done)

        yield progress
