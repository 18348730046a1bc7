"""Cells of the tables that commands print: results of games, and values of any kind."""

from __future__ import annotations

import math
from typing import Any, Protocol

from rich.table import Table

SHOWN = 16  # items of a long list in a cell
SHORTEST = 12  # characters of a line of a bot's name


class Results(Protocol):
    """What is counted of some games, by a match or a tournament."""

    @property
    def games(self) -> int:
        """Return the number of games."""

    @property
    def wins(self) -> int:
        """Return how many were won."""

    @property
    def draws(self) -> int:
        """Return how many were drawn."""

    @property
    def losses(self) -> int:
        """Return how many were lost."""


def named_table(name: str, *columns: str, title: str | None = None) -> Table:
    """Return a table whose first column has names of bots: they are folded, never cut.

    Two servers may differ in the last character only.
    """
    table = Table(title=title)
    table.add_column(name, overflow="fold", min_width=SHORTEST)
    for column in columns:
        table.add_column(column)
    return table


def percents(found: Results) -> list[str]:
    """Return the shares of games won, drawn and lost, a cell each."""
    counts = (found.wins, found.draws, found.losses)
    return [percent(count / found.games) for count in counts]


def percent(share: float | None) -> str:
    """Return a share as a percentage; a dash if there is none, as where no game was decided."""
    return "-" if share is None else f"{100 * share:.1f} %"


def shares(found: Results, between: str = " / ") -> str:
    """Return the percentages of games won, drawn and lost in one cell."""
    counts = (found.wins, found.draws, found.losses)
    return between.join(f"{100 * count / found.games:.0f}" for count in counts)


def with_interval(mean: float, half_width: float, digits: int = 3) -> str:
    """Return a mean with the half width of its interval; a single deal gives no interval."""
    if not math.isfinite(half_width):
        return f"{mean:+.{digits}f}"
    return f"{mean:+.{digits}f} ± {half_width:.{digits}f}"


def cell(value: Any, digits: int = 4) -> str:
    """Return any value as a cell: numbers with commas, dicts and nested lists a line per item."""
    if isinstance(value, dict):
        return "\n".join(f"{spaced(key)}: {cell(item, digits)}" for key, item in value.items())
    if isinstance(value, bool) or not isinstance(value, int | float | list | tuple):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if not any(isinstance(item, list | tuple) for item in value):
        return " ".join(cell(item, digits) for item in value) or "none"
    rest = [f"... and {len(value) - SHOWN} more"] if len(value) > SHOWN else []
    return "\n".join([cell(item, digits) for item in value[:SHOWN]] + rest)


def spaced(name: str) -> str:
    """Return the name of a result in words."""
    return name.replace("_", " ")
