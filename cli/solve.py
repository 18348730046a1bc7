"""`bidarena solve`: the exact value of a game."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from bidarena.baselines.solvers.generic.bots import limits_from, report
from bidarena.cli.options import parse_with_game, show_json
from bidarena.cli.tables import cell, spaced
from bidarena.envs.progress import one_bar_at_a_time
from bidarena.envs.registry import find_tool


@dataclass
class Arguments:
    """Compute the exact value of a game and its best openings, and tell the time it took.

    Example: bidarena solve coins --board triangle5 --last-coin wins
    """

    memory: float = 1.0
    """How many GiB the tables of the solver may take."""

    seconds: float = float("inf")
    """How many seconds the generic solver may take. Solvers of single games take as long as they
    need."""

    gap: float = 1e-4
    """How much best responses to the solution may win, where the generic solver finds it by
    approximation. The gap that was reached is shown."""

    generic: bool = False
    """Use the solver that serves every game, even if this game has a faster one of its own."""

    seed: int = 0
    """Not used, because nothing is left to chance."""

    json: bool = False
    """Print one JSON object instead of a table."""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("solve", Arguments, argv)
    limits = limits_from(args.memory, args.seconds, args.gap)
    solve = find_tool(game.name, "solve")
    found: dict[str, Any]
    with one_bar_at_a_time() as begin:

        def solve_any() -> dict[str, Any]:
            return report(game, limits, begin, lambda cost: print(cost, file=sys.stderr))

        if solve is None or args.generic:
            found = solve_any()
        else:
            try:
                found = solve(game, limits.memory, begin)
            except ValueError as refusal:  # rules that only the generic solver knows
                try:
                    found = solve_any()
                except ValueError:
                    raise refusal from None
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
