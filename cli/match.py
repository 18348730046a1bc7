"""`bidarena match`: games between bots."""

from __future__ import annotations

from dataclasses import dataclass

import tyro
from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse_with_game, progress_bar, show_json
from bidarena.evaluate.match import play_match


@dataclass
class Arguments:
    """Games between bots, one for each seat; every deal is played from all seats.

    Example: bidarena match scotch dp uniform --games 10000 --money 50
    """

    bots: tyro.conf.Positional[tuple[str, ...]]
    """names with options, such as dp or uniform:high=30"""

    games: int = 1000
    """how many games"""

    seed: int = 0
    """of deals and bots"""

    json: bool = False
    """print one JSON object instead of a table"""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("match", Arguments, argv)
    with progress_bar(args.games, game.name) as advance:
        match = play_match(game, args.bots, args.games, seed=args.seed, progress=advance)
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
    counted = match.scores[0].points is not None
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
            cells.append(f"{score.points:.3f}")
        table.add_row(*cells)
    console = Console()
    console.print(table)
    speed = match.games / match.seconds
    console.print(f"{match.games} games in {match.seconds:.2f} s ({speed:,.0f} games/s)")
