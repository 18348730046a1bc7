"""`bidarena tournament`: every bot against every other, resumable, with ratings and a report."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import tyro
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bidarena.cli.options import parse_with_game, progress_bar, show_json
from bidarena.envs.registry import playing
from bidarena.evaluate.standings import Standings, standings
from bidarena.evaluate.tournament import run_tournament
from bidarena.evaluate.tournament_plan import Tournament, check
from bidarena.evaluate.tournament_report import duration, write_report


@dataclass
class Arguments:
    """Every bot against every other, each deal from all seats: results, ratings and a report.

    In games of three or more players, each for himself, every set of so many different bots plays.
    What is played is kept in a folder as it goes. A run that was stopped goes on when the same
    command is given again, and more games go on from fewer.

    Example: bidarena tournament scotch --games 10000
    """

    bots: tyro.conf.Positional[tuple[str, ...]] = ()
    """names with options, or files of policies; none: all fair bots of the game"""

    also: tuple[str, ...] = ()
    """more bots or policies, beside all fair bots of the game"""

    games: int = 2000
    """games per pair or line-up"""

    seed: int = 0
    """of deals and bots"""

    processes: int = 1
    """how many play at the same time; the result is the same"""

    ray: str | None = None
    """play on a Ray instead of processes: [ADDRESS], without one a Ray of this machine's own"""

    seconds_per_move: float | None = None
    """a bot that takes longer loses that game"""

    folder: Path | None = None
    """where to keep what was played; by default runs/tournament-GAME-..., which stands for the
    game, its rules, the bots, the seed and the time limit"""

    html: Path | None = None
    """the report to write; by default report.html in the folder"""

    json: bool = False
    """print one JSON object instead of tables"""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("tournament", Arguments, argv)
    names = list(args.bots)
    if not names:
        fair, refused = playing(game)
        names = [*fair, *args.also]
        for why in refused.values():
            print(f"left out: {why}", file=sys.stderr)
    elif args.also:
        raise ValueError(f"--also {' '.join(args.also)}: name these with the other bots")
    plan = Tournament(game, tuple(names), args.games, args.seed, args.seconds_per_move)
    check(plan)
    folder = Path("runs") / plan.name if args.folder is None else args.folder
    with progress_bar(plan.deals * plan.seats * len(plan.lineups), game.name) as advance:
        met = run_tournament(plan, folder, processes=args.processes, ray=args.ray, progress=advance)
    found = standings(plan, met)
    report = folder / "report.html" if args.html is None else args.html
    write_report(found, report, command=shlex.join(["bidarena", "tournament", *argv]))
    if args.json:
        show_json({**found.as_dict(), "folder": str(folder), "report": str(report)})
        return
    console = Console()
    wide = 24 + 17 * len(found.bots) <= console.width
    for table in (matrix(found) if wide else pairs(found), ratings(found), moves(found)):
        console.print(table)
    for standing in found.bots:
        for fault in standing.faults:
            told = f"{fault['games']} games by a fault: {fault['kind']}, {fault['reason']}"
            console.print(f"{escape(standing.bot)} lost {escape(told)}")
    console.print(f"kept in {folder}; report: {report}", soft_wrap=True)


def matrix(found: Standings) -> Table:
    """Who did how well against whom."""
    names = [standing.bot for standing in found.bots]
    numbers = [str(place) for place in range(1, len(names) + 1)]
    title = "row against column: won / drawn / lost in %, mean return of the row ± 95 %"
    table = Table("", *numbers, title=title, show_lines=True)
    for number, name in zip(numbers, names, strict=True):
        cells = []
        for rival in names:
            if rival == name:
                cells.append("·")
                continue
            pair = found.pairs[name, rival]
            shares = (100 * n / pair.games for n in (pair.wins, pair.draws, pair.losses))
            parts = "/".join(f"{share:.0f}" for share in shares)
            cells.append(f"{parts}\n{pair.mean:+.2f} ± {pair.half_width:.2f}")
        table.add_row(f"{number} {escape(name)}", *cells)
    return table


def pairs(found: Standings) -> Table:
    """The same as a list, where the matrix would not fit."""
    title = "won / drawn / lost in %, mean return of the first ± 95 %"
    table = Table("", "", "", "mean return", title=title)
    names = [standing.bot for standing in found.bots]
    for one, two in combinations(names, 2):
        pair = found.pairs[one, two]
        shares = (100 * n / pair.games for n in (pair.wins, pair.draws, pair.losses))
        parts = " / ".join(f"{share:.0f}" for share in shares)
        table.add_row(escape(one), escape(two), parts, f"{pair.mean:+.3f} ± {pair.half_width:.3f}")
    return table


def ratings(found: Standings) -> Table:
    """Ratings and averages."""
    table = Table("", "bot", "rating ± 95 %", "openskill", "mean return ± 95 %")
    if found.tournament.game.score is not None:
        table.add_column("mean points")
    for place, standing in enumerate(found.bots, 1):
        cells = [str(place), escape(standing.bot)]
        cells.append(f"{standing.rating:+.0f} ± {standing.rating_half_width:.0f}")
        cells.append(f"{standing.mu:.1f} ± {standing.sigma:.1f}")
        cells.append(f"{standing.mean:+.3f} ± {standing.half_width:.3f}")
        if found.tournament.game.score is not None:
            cells.append("-" if standing.points is None else f"{standing.points:.3f}")
        table.add_row(*cells)
    return table


def moves(found: Standings) -> Table:
    """Games, times and faults."""
    table = Table("bot", "games", "won", "drawn", "lost", "time a move", "faults")
    for standing in found.bots:
        shares = (standing.wins, standing.draws, standing.losses)
        table.add_row(
            escape(standing.bot),
            f"{standing.games:,}",
            *(f"{100 * n / standing.games:.1f} %" for n in shares),
            duration(standing.seconds / max(standing.moves, 1)),
            str(sum(fault["games"] for fault in standing.faults)),
        )
    return table
