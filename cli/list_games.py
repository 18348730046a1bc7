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
    table = Table(show_lines=True)
    table.add_column("game and environment", no_wrap=True)
    table.add_column("bots")
    for row in rows:
        facts = f"{row['players']} players, {row['actions']} actions"
        table.add_row(
            f"{row['game']}\n{row['environment']}\n{facts}, {row['observation']} numbers seen",
            ", ".join(row["bots"]),  # type: ignore[arg-type]
        )
    Console().print(table)
