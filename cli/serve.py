"""`bidarena serve`: our bots behind other people's protocols."""

from __future__ import annotations

from dataclasses import dataclass

from bidarena.cli.options import parse_with_game
from bidarena.envs.registry import load

# game -> the function that serves it as others expect, and which of the options it takes
SERVERS = {
    "scotch": ("bidarena.baselines.adapters.scotch_server:serve", ("seed",)),
    "raj": ("bidarena.baselines.adapters.raj_server:serve", ("write", "seed")),
    "twentynine": (
        "bidarena.baselines.adapters.twentynine_server:serve",
        ("host", "port", "seed"),
    ),
}
LINES = "bidarena.baselines.adapters.lines_server:serve"


@dataclass
class Arguments:
    """Answers the protocols in which bots of other people are asked.

    scotch: the bid for the four lines on stdin. raj: a file with a RajAgent. twentynine: an HTTP
    server. Any other game, or any with --lines: lines of JSON on stdin and stdout.

    Example: bidarena serve raj --bot minimax --write my_agent.py
    """

    bot: str = "random"
    """the bot that answers, with its options"""

    lines: bool = False
    """speak lines of JSON (docs/protocol.md) instead of the protocol of the game"""

    write: str | None = None
    """raj: the file to write, such as my_agent.py"""

    host: str = "127.0.0.1"
    """twentynine: the address to listen at; 0.0.0.0 for all of this machine"""

    port: int = 8001
    """twentynine: the port to listen at"""

    seed: int = 0
    """of the bot's random numbers"""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("serve", Arguments, argv)
    if args.write is not None and (game.name != "raj" or args.lines):
        raise ValueError(f"write={args.write!r}: only agents for raj are written to a file")
    if args.lines or game.name not in SERVERS:
        load(LINES)(argv[0], args.bot, seed=args.seed)
    else:
        path, options = SERVERS[game.name]
        load(path)(game, args.bot, **{option: getattr(args, option) for option in options})
