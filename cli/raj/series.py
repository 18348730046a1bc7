"""`bidarena series`: play the games that a Raj `settings.py` describes."""

from __future__ import annotations

from dataclasses import dataclass

import tyro
from rich.console import Console
from rich.table import Table

from bidarena.baselines.adapters.raj.series import play_settings
from bidarena.cli.options import parse, show_json
from bidarena.envs.progress import progress_bars


@dataclass
class Arguments:
    """Play the games of a Raj settings.py as the original program would.

    The agent files are in the folder of settings.py. Each agent runs in a process of its own, with
    limits of time and memory.

    Example: bidarena series settings.py
    """

    settings: tyro.conf.Positional[str] = "settings.py"
    """The Python file with the dict game_settings."""

    json: bool = False
    """Print one JSON object instead of a table."""


def main(argv: list[str]) -> None:
    """Run the command."""
    args = parse("series", Arguments, argv)
    with progress_bars() as progress:
        series = play_settings(args.settings, progress=progress)
    if args.json:
        show_json(
            {
                "rules": series.settings.options,
                "seed": series.seed,
                "agents": series.names,
                "games": len(series.banks),
                "mean_banks": series.means,
                "wins": series.wins,
                "fault": series.fault or None,
                "banks": series.banks,
            }
        )
        return
    table = Table("player", "agent", "average score", "games won")
    for seat, (name, mean, won) in enumerate(
        zip(series.names, series.means, series.wins, strict=True), 1
    ):
        table.add_row(str(seat), name, f"{mean:.2f}", str(won))
    console = Console()
    console.print(table)
    console.print(f"{len(series.banks)} games, seed {series.seed}")
    if series.fault:
        console.print(f"ended early: {series.fault}", markup=False)
