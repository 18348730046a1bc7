"""`bidarena match`: games between bots."""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro
from rich.console import Console
from rich.markup import escape

from bidarena.baselines.adapters.sandbox import jail_name
from bidarena.cli.options import parse_with_game, show_json
from bidarena.cli.tables import named_table, percent, percents, with_interval
from bidarena.envs.game import Game
from bidarena.envs.progress import progress_bar
from bidarena.envs.registry.bot_names import starts_something
from bidarena.evaluate.match import Match, play_match
from bidarena.evaluate.match.record import read_records

if TYPE_CHECKING:
    from bidarena.evaluate.match.regret import Regret

MOST_SHOWN = 10  # different faults of a bot in the table


@dataclass
class Arguments:
    """Play games between bots, one for each seat. Every deal is played from all seats.

    A bot that raises an exception, answers illegally or takes too long loses that game.

    Example: bidarena match scotch dp uniform --games 10000 --money 50
    """

    bots: tyro.conf.Positional[tuple[str, ...]]
    """One bot for each seat, with its options after a colon: dp, uniform:high=30. The path of a
    policy is a bot too."""

    games: int = 1000
    """How many games to play."""

    seed: int = 0
    """Seeds the deals and the bots."""

    processes: int = 1
    """How many processes play at the same time. The result does not depend on it."""

    seconds_per_move: float | None = None
    """The time limit for one move. A bot that takes longer loses that game. Without it there is no
    limit."""

    record: Path | None = None
    """The file to write all games to, one line of JSON for each."""

    regret: bool = False
    """Compare every decision with perfect play, in games that are solved: what it lost on average.
    It takes about a millisecond for each new position."""

    json: bool = False
    """Print one JSON object instead of a table."""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("match", Arguments, argv)
    if args.regret:
        from bidarena.evaluate.match.regret import check_solved, regrets  # with all solvers

        check_solved(game)
    with tempfile.TemporaryDirectory(prefix="bidarena-match-") as folder:
        record = args.record
        if args.regret and record is None:
            record = Path(folder, "games.jsonl")
        with progress_bar(args.games, game.name) as advance:
            match = play_match(
                *(game, args.bots, args.games),
                seed=args.seed,
                progress=advance,
                processes=args.processes,
                seconds_per_move=args.seconds_per_move,
                record=record,
                keep_on_interrupt=True,
            )
        found = None
        if args.regret and record is not None and match.stopped is None:
            with progress_bar(match.games, "regret") as advance:
                records = read_records(record)
                found = regrets(game, records, len(args.bots), progress=advance)
    show(game, args, match, found)
    if match.stopped is not None:
        told = f"stopped after {match.games} of {match.wanted} games"
        print(f"bidarena: {told}", file=sys.stderr)
        raise match.stopped


def show(game: Game, args: Arguments, match: Match, found: list[Regret] | None) -> None:
    """Print the result of a match, with the regret of each bot if it was found."""
    each: list[Regret | None] = [None] * len(match.scores) if found is None else [*found]
    if args.json:
        show_json(
            {
                "game": game.name,
                "rules": game.options,
                "seed": args.seed,
                "games": match.games,
                "moves": match.moves,
                "seconds": match.seconds,
                "scores": [
                    {
                        **score.as_dict(),
                        "regret": regret and regret.as_dict(),
                        "moves": match.asked[k],
                        "decisions": match.decisions[k],
                        "thinking_seconds": match.thinking[k],
                        "cpu_seconds": match.cpu[k],
                    }
                    for k, (score, regret) in enumerate(zip(match.scores, each, strict=True))
                ],
                "jail": jail_name() or None,
            }
        )
        return
    table = named_table("bot", "won", "drawn", "lost", "of decided", "mean return (95 %)")
    counted = game.score is not None
    if counted:
        table.add_column("mean points")
    for score in match.scores:
        decided = percent(None if score.none_decided else score.decided_rate)
        cells = [escape(score.bot), *percents(score), decided]
        cells.append(with_interval(score.mean, score.half_width, digits=4))
        if counted:
            cells.append("-" if score.points is None else f"{score.points:.3f}")
        table.add_row(*cells)
    console = Console()
    console.print(table)
    for score, regret in zip(match.scores, each, strict=True):
        if regret is not None:
            console.print(escape(f"{score.bot} {_told(regret)}"), soft_wrap=True)
    for score in match.scores:
        shown = list(score.faults.items())[:MOST_SHOWN]
        for reason, count in shown:
            told = f"{score.bot} lost {count} games by a fault: {reason}"
            console.print(escape(told), soft_wrap=True)
        rest = list(score.faults.values())[len(shown) :]
        if rest:
            told = f"{score.bot} lost {sum(rest)} games by {len(rest)} other faults; --json has all"
            console.print(escape(told), soft_wrap=True)
    if any(starts_something(bot) for bot in args.bots):
        console.print(f"Programs of others run in {_jail()}.", soft_wrap=True)
    speed = match.games / match.seconds
    console.print(f"{match.games} games in {match.seconds:.2f} s ({speed:,.0f} games/s)")


def _told(regret: Regret) -> str:
    """Return the regret of a bot in words, with the interval unless all is from one deal."""
    if regret.mean is None or regret.half_width is None:
        return "took no decision that could be compared with perfect play"
    near = f" ± {regret.half_width:.5f}" if math.isfinite(regret.half_width) else ""
    decisions = f"{regret.decisions} decisions"
    return f"lost {regret.mean:.5f}{near} per decision against perfect play ({decisions})"


def _jail() -> str:
    """Return what keeps the programs of others from our files, in words."""
    name = jail_name()
    return f"a jail ({name})" if name else "no jail: this system has no Landlock"
