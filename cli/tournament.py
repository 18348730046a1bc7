"""`bidarena tournament`: every bot against every other, for games of two players or sides."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import combinations

import tyro
from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse_with_game, progress_bar, show_json
from bidarena.envs import make_bot
from bidarena.envs.registry import playing
from bidarena.evaluate.match import Match, play_match


@dataclass
class Arguments:
    """Every bot against every other in a game of two players or sides, each deal from both.

    Example: bidarena tournament scotch --games 10000
    """

    bots: tyro.conf.Positional[tuple[str, ...]] = ()
    """names with options; none: all bots of the game"""

    games: int = 2000
    """games per pair"""

    seed: int = 0
    """of deals and bots"""

    json: bool = False
    """print one JSON object instead of a table"""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("tournament", Arguments, argv)
    sides = len(set(game.teams))
    if sides != 2:
        raise ValueError(f"tournament takes games of two players or sides, {game.name} has {sides}")
    if args.bots:
        players = {name: make_bot(game, name) for name in args.bots}
        names = list(args.bots)
    else:
        players, refused = playing(game)
        names = list(players)
        for why in refused.values():
            print(f"left out: {why}", file=sys.stderr)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"bots: expected at least two different ones, got {names}")
    pairs = list(combinations(names, 2))
    played: dict[tuple[str, str], Match] = {}
    with progress_bar(len(pairs) * args.games, game.name) as advance:
        for pair in pairs:
            both = [players[name] for name in pair]
            played[pair] = play_match(
                game, both, args.games, seed=args.seed, names=pair, progress=advance
            )
    if args.json:
        matches = [[score.as_dict() for score in match.scores] for match in played.values()]
        show_json({"game": game.name, "rules": game.options, "seed": args.seed, "matches": matches})
        return
    Console().print(_matrix(names, played))


def _matrix(names: list[str], played: dict[tuple[str, str], Match]) -> Table:
    title = "row against column: won / drawn / lost in %, and the row's mean return over all"
    table = Table("", *names, "mean", title=title, caption_justify="left")
    mean = dict.fromkeys(names, 0.0)
    cells = {name: {name: "·"} for name in names}
    for pair, match in played.items():
        for score, rival in zip(match.scores, reversed(pair), strict=True):
            shares = (100 * n / score.games for n in (score.wins, score.draws, score.losses))
            cells[score.bot][rival] = " / ".join(f"{share:.0f}" for share in shares)
            mean[score.bot] += score.mean / (len(names) - 1)
    for name in sorted(names, key=lambda name: -mean[name]):
        row = [cells[name][rival] for rival in names]
        table.add_row(name, *row, f"{mean[name]:+.3f}")
    return table
