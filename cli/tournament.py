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

from bidarena.cli.options import parse_with_game, show_json
from bidarena.cli.tables import SHORTEST, named_table, percents, shares, with_interval
from bidarena.envs.progress import progress_bar
from bidarena.envs.registry import playing
from bidarena.evaluate.tournament import run_tournament
from bidarena.evaluate.tournament.exploited import exploitabilities
from bidarena.evaluate.tournament.meetings import replaced_games
from bidarena.evaluate.tournament.plan import Tournament, check
from bidarena.evaluate.tournament.report import duration, write_report
from bidarena.evaluate.tournament.standings import Standings, standings


@dataclass
class Arguments:
    """Play every bot against every other, each deal from all seats, and write a report.

    In games of three or more players without partners, every set of that many different bots plays.
    Games are kept in a folder as they are played. A tournament that was stopped goes on when the
    same command is given again. With a larger number of games it goes on from those played before.

    Example: bidarena tournament scotch --games 10000
    """

    bots: tyro.conf.Positional[tuple[str, ...]] = ()
    """The bots, with options after a colon, or paths of policies. Without it all fair bots of the
    game."""

    also: tuple[str, ...] = ()
    """More bots or policies, beside all fair bots of the game."""

    games: int = 2000
    """How many games each pair plays (each line-up, where there are more players)."""

    seed: int = 0
    """Seeds the deals and the bots."""

    processes: int = 1
    """How many processes play at the same time. The result does not depend on it."""

    ray: str | None = None
    """Play on a Ray instead of in processes. Its address may follow, such as 10.0.0.1:6379. Without
    an address a Ray is started on this machine."""

    seconds_per_move: float | None = None
    """The time limit for one move. A bot that takes longer loses that game. Without it there is no
    limit."""

    replay: tuple[str, ...] = ()
    """Bots whose games are played again although they seem to be the same: servers and programs
    that cannot be told from others with the same name. Bots that have changed are played again
    without it. Games played before are set aside in the folder."""

    folder: Path | None = None
    """Where to keep the games. Without it they are kept in runs/tournament-GAME-..., a name that
    stands for the game, its rules, the bots, the seed and the time limit."""

    html: Path | None = None
    """The report to write. Without it report.html in the folder."""

    exact: bool = True
    """Compute how much each bot can be exploited, for bots that tell their probabilities, if the
    game is small enough for that. It is kept in the folder."""

    json: bool = False
    """Print one JSON object instead of tables."""


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
    try:
        with progress_bar(plan.deals * plan.seats * len(plan.lineups), game.name) as advance:
            met = run_tournament(
                *(plan, folder),
                processes=args.processes,
                ray=args.ray,
                progress=advance,
                replay=args.replay,
                tell=_tell,
            )
        exploited = {}
        if args.exact:
            with progress_bar(len(plan.bots), "exploitability") as advance:
                exploited = exploitabilities(plan, folder, progress=advance, tell=_tell)
    except KeyboardInterrupt:
        print("stopped; the same command goes on where it was", file=sys.stderr)
        raise
    found = standings(plan, met, exploited)
    gone = replaced_games(plan, folder)
    report = folder / "report.html" if args.html is None else args.html
    command = shlex.join(["bidarena", "tournament", *argv])
    write_report(found, report, command=command, replaced=gone)
    if args.json:
        places = {"folder": str(folder), "report": str(report)}
        show_json({**found.as_dict(), "replaced": [one.as_dict() for one in gone], **places})
        return
    console = Console()
    wide = 24 + 17 * len(found.bots) <= console.width
    for table in (matrix(found) if wide else pairs(found), ratings(found), moves(found)):
        console.print(table)
    for standing in found.bots:
        for fault in standing.faults:
            told = f"{fault['games']} games by a fault: {fault['kind']}, {fault['reason']}"
            console.print(f"{escape(standing.bot)} lost {escape(told)}", soft_wrap=True)
    console.print(f"kept in {folder}; report: {report}", soft_wrap=True)


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def matrix(found: Standings) -> Table:
    """Return a table of all pairs: results of the bot of the row against that of the column."""
    names = [standing.bot for standing in found.bots]
    numbers = [str(place) for place in range(1, len(names) + 1)]
    title = "row against column: won / drawn / lost in %, mean return of the row ± 95 %"
    table = named_table("", *numbers, title=title)
    table.show_lines = True
    for number, name in zip(numbers, names, strict=True):
        cells = []
        for rival in names:
            if rival == name:
                cells.append("·")
                continue
            pair = found.pairs[name, rival]
            mean = with_interval(pair.mean, pair.half_width, digits=2)
            cells.append(f"{shares(pair, between='/')}\n{mean}")
        table.add_row(f"{number} {escape(name)}", *cells)
    return table


def pairs(found: Standings) -> Table:
    """Return the results of all pairs as a list, for where the matrix would not fit."""
    title = "won / drawn / lost in %, mean return of the first ± 95 %"
    table = named_table("", "", "", "mean return", title=title)
    table.columns[1].overflow = "fold"
    table.columns[1].min_width = SHORTEST
    names = [standing.bot for standing in found.bots]
    for one, two in combinations(names, 2):
        pair = found.pairs[one, two]
        mean = with_interval(pair.mean, pair.half_width)
        table.add_row(escape(one), escape(two), shares(pair), mean)
    return table


def ratings(found: Standings) -> Table:
    """Return a table of ratings and mean results."""
    table = named_table("bot", "rating ± 95 %", "openskill", "mean return ± 95 %")
    if found.tournament.game.score is not None:
        table.add_column("mean points")
    if found.exploited:
        table.add_column("exploitability")
    for place, standing in enumerate(found.bots, 1):
        cells = [f"{place} {escape(standing.bot)}"]
        cells.append(f"{standing.rating:+.0f} ± {standing.rating_half_width:.0f}")
        cells.append(f"{standing.mu:.1f} ± {standing.sigma:.1f}")
        cells.append(with_interval(standing.mean, standing.half_width))
        if found.tournament.game.score is not None:
            cells.append("-" if standing.points is None else f"{standing.points:.3f}")
        if found.exploited:
            worst = standing.exploitability
            cells.append("-" if worst is None else f"{worst:.4f}")
        table.add_row(*cells)
    return table


def moves(found: Standings) -> Table:
    """Return a table of games, times per move and faults."""
    table = named_table("bot", "games", "won", "drawn", "lost", "time a move", "faults")
    for standing in found.bots:
        table.add_row(
            escape(standing.bot),
            f"{standing.games:,}",
            *percents(standing),
            duration(standing.seconds / max(standing.moves, 1)),
            str(sum(fault["games"] for fault in standing.faults)),
        )
    return table
