"""`bidarena list`: games, their environments, their bots."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse, show_json
from bidarena.envs import bots, games
from bidarena.envs.registry import env_id, make_game


@dataclass
class Arguments:
    """Games, their environments, their bots. Example: bidarena list --json"""

    json: bool = False
    """print one JSON object instead of a table"""


def main(argv: list[str]) -> None:
    """Run the command."""
    args = parse("list", Arguments, argv)
    rows = []
    for name in games():
        game = make_game(name)
        rows.append(
            {
                "game": name,
                "environment": env_id(name),
                "players": game.players,
                "actions": game.actions,
                "observation": game.observation_size,
                "bots": bots(name),
            }
        )
    if args.json:
        show_json({"games": rows})
        return
    table = Table("game")
    table.add_column("environment", no_wrap=True)
    for title in ("players", "actions", "observation"):
        table.add_column(title, justify="right")
    table.add_column("bots")
    for row in rows:
        cells = [row[key] for key in ("game", "environment", "players", "actions", "observation")]
        table.add_row(*map(str, cells), ", ".join(row["bots"]))  # type: ignore[arg-type]
    Console().print(table)
