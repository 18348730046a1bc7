"""`bidarena solve`: the exact value of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse_with_game, show_json
from bidarena.cli.tables import cell, spaced
from bidarena.envs.progress import one_bar_at_a_time
from bidarena.envs.registry import find_tool, games_with


@dataclass
class Arguments:
    """Compute the exact value of a game and its best openings, and tell the time it took.

    Example: bidarena solve coins --board triangle5 --last-coin wins
    """

    memory: float = 1.0
    """How many GiB the table of the solver may take."""

    seed: int = 0
    """Not used, because nothing is left to chance."""

    json: bool = False
    """Print one JSON object instead of a table."""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("solve", Arguments, argv)
    solve = find_tool(game.name, "solve")
    if solve is None:
        known = ", ".join(games_with("solve"))
        raise ValueError(f"no solver for {game.name!r}; solved can be {known}")
    if not 0 < args.memory <= 1 << 20:
        raise ValueError(f"memory={args.memory!r}: expected GiB, more than 0")
    with one_bar_at_a_time() as begin:
        found: dict[str, Any] = solve(game, int(args.memory * 2**30), begin)
    if args.json:
        show_json({"game": game.name, "rules": game.options, **found})
        return
    table = Table("", game.name)
    for rule, value in game.options.items():
        if value is not None and value is not False:
            table.add_row(rule, cell(value))
    table.add_section()
    for key, value in found.items():
        if value is not None:
            table.add_row(spaced(key), cell(value))
    Console().print(table)
