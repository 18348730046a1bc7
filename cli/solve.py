"""`bidarena solve`: the exact value of a game."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse_with_game, progress_bar, show_json
from bidarena.envs.registry import load

# game -> "module:function". The function is called with the Game, the bytes of memory it may use,
# and `begin(total, what)`, which shows a progress bar and returns the function that moves it on. It
# returns a JSON-able dict whose first keys are `value` and what else is worth seeing first.
SOLVERS = {
    "raj": "bidarena.baselines.raj_exact:report",
    "scotch": "bidarena.baselines.scotch_exact:report",
    "coins": "bidarena.baselines.solvers.coins:report",
}

SHOWN = 16  # items of a long list in the table


@dataclass
class Arguments:
    """The exact value of a game, its best openings, and the time it took.

    Example: bidarena solve coins --board triangle5 --last-coin wins
    """

    memory: float = 1.0
    """GiB that the solver's table may take"""

    seed: int = 0
    """not used: solving leaves nothing to chance"""

    json: bool = False
    """print one JSON object instead of a table"""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("solve", Arguments, argv)
    if game.name not in SOLVERS:
        raise ValueError(f"no solver for {game.name!r}; solved can be {', '.join(SOLVERS)}")
    if not 0 < args.memory <= 1 << 20:
        raise ValueError(f"memory={args.memory!r}: expected GiB, more than 0")
    with ExitStack() as stack:
        found: dict[str, Any] = load(SOLVERS[game.name])(
            game,
            int(args.memory * 2**30),
            lambda total, what: stack.enter_context(progress_bar(total, what)),
        )
    if args.json:
        show_json({"game": game.name, "rules": game.options, **found})
        return
    table = Table("", game.name)
    for rule, value in game.options.items():
        if value is not None and value is not False:
            table.add_row(rule, _words(value))
    table.add_section()
    for key, value in found.items():
        if value is not None:
            table.add_row(key.replace("_", " "), _words(value))
    Console().print(table)


def _words(value: Any) -> str:
    """A result as a cell: numbers with commas, lists a line per item."""
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_words(item)}" for key, item in value.items())
    if isinstance(value, bool) or not isinstance(value, int | float | list | tuple):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if not any(isinstance(item, list | tuple) for item in value):
        return " ".join(map(_words, value)) or "none"
    rest = [f"... and {len(value) - SHOWN} more"] if len(value) > SHOWN else []
    return "\n".join([_words(item) for item in value[:SHOWN]] + rest)
