"""`bidarena match`: games between bots."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bidarena.cli.options import parse_with_game, progress_bar, show_json
from bidarena.evaluate.match import play_match


@dataclass
class Arguments:
    """Games between bots, one for each seat; every deal is played from all seats.

    A bot that raises an exception, answers illegally or takes too long loses that game.

    Example: bidarena match scotch dp uniform --games 10000 --money 50
    """

    bots: tyro.conf.Positional[tuple[str, ...]]
    """names with options, such as dp or uniform:high=30"""

    games: int = 1000
    """how many games"""

    seed: int = 0
    """of deals and bots"""

    processes: int = 1
    """how many play at the same time; the result is the same"""

    seconds_per_move: float | None = None
    """a bot that takes longer loses that game"""

    record: Path | None = None
    """a file to write every game to, a line of JSON each"""

    json: bool = False
    """print one JSON object instead of a table"""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("match", Arguments, argv)
    with progress_bar(args.games, game.name) as advance:
        match = play_match(
            *(game, args.bots, args.games),
            seed=args.seed,
            progress=advance,
            processes=args.processes,
            seconds_per_move=args.seconds_per_move,
            record=args.record,
        )
    if args.json:
        show_json(
            {
                "game": game.name,
                "rules": game.options,
                "seed": args.seed,
                "games": match.games,
                "moves": match.moves,
                "seconds": match.seconds,
                "scores": [score.as_dict() for score in match.scores],
            }
        )
        return
    table = Table("bot", "won", "drawn", "lost", "of decided", "mean return (95 %)")
    counted = game.score is not None
    if counted:
        table.add_column("mean points")
    for score in match.scores:
        cells = [score.bot]
        cells += [f"{100 * n / score.games:.1f} %" for n in (score.wins, score.draws, score.losses)]
        cells += [
            f"{100 * score.decided_rate:.1f} %",
            f"{score.mean:+.4f} ± {score.half_width:.4f}",
        ]
        if counted:
            cells.append("-" if score.points is None else f"{score.points:.3f}")
        table.add_row(*cells)
    console = Console()
    console.print(table)
    for score in match.scores:
        for reason, count in score.faults.items():
            console.print(f"{score.bot} lost {count} games by a fault: {escape(reason)}")
    speed = match.games / match.seconds
    console.print(f"{match.games} games in {match.seconds:.2f} s ({speed:,.0f} games/s)")
