"""`bidarena series`: play the games that a Raj `settings.py` describes."""

from __future__ import annotations

from dataclasses import dataclass

import tyro
from rich.console import Console
from rich.markup import escape

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.raj.series import Series, play_settings
from bidarena.cli.options import parse, show_json
from bidarena.cli.tables import named_table
from bidarena.envs.progress import progress_bars


@dataclass
class Arguments:
    """Play the games of a Raj settings.py as the original program would.

    The agent files are in the folder of settings.py. All agents run in one process beside ours, as
    there, with limits of time and memory. The exit code is 1 if a fault ends the series early.

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
                "ties": series.ties,
                "fault": series.fault or None,
                "banks": series.banks,
            }
        )
    else:
        show(series)
    if series.fault:
        raise Fault(f"ended the series early: {series.fault}")


def show(series: Series) -> None:
    """Print a table of the agents."""
    table = named_table("agent", "average score", "games won", "shared")
    results = zip(series.names, series.means, series.wins, series.ties, strict=True)
    for seat, (name, mean, won, shared) in enumerate(results, 1):
        score = "-" if mean is None else f"{mean:.2f}"
        table.add_row(escape(f"{seat} {name}"), score, str(won), str(shared))
    console = Console()
    console.print(table)
    console.print(f"{len(series.banks)} games, seed {series.seed}")
