"""`bidarena serve`: our bots behind other people's protocols."""

from __future__ import annotations

from dataclasses import dataclass, fields

from bidarena.cli.options import Option, options_of, parse_with_game
from bidarena.cli.resident import leave_behind
from bidarena.envs.registry import find_tool, load

LINES = "bidarena.baselines.adapters.lines.server:serve"


@dataclass
class Arguments:
    """Answer with one of our bots in the protocol that other programs use for the game.

    A game without such a protocol is served by lines of JSON on stdin and stdout, as is any game
    with --lines. `bidarena serve GAME --help` shows the options of the game's own protocol.

    Example: bidarena serve scotch --bot dp
    """

    bot: str = "random"
    """The bot that answers, with its options."""

    lines: bool = False
    """Speak lines of JSON (docs/protocol.md) instead of the protocol of the game."""

    seed: int = 0
    """Seeds the random numbers of the bot."""


def main(argv: list[str]) -> None:
    """Run the command."""
    game, args = parse_with_game("serve", Arguments, argv, more=own_options)
    serve = find_tool(game.name, "serve")
    own = {
        name: getattr(args, name)
        for name, *_ in own_options(argv[0])
        if getattr(args, name) is not None
    }
    if serve is not None and not args.lines:
        serve(game, args.bot, seed=args.seed, **own)
        if own.get("resident"):  # of a server that answers one question: the next ones are faster
            leave_behind(["serve", *argv])
        return
    for name, value in own.items():
        raise ValueError(f"{name}={value!r}: lines of JSON have no such option; leave it out")
    load(LINES)(argv[0], args.bot, seed=args.seed)


def own_options(game: str) -> list[Option]:
    """Return the options that only the server of this game has."""
    serve = find_tool(game, "serve")
    known = {field.name for field in fields(Arguments)}
    return [] if serve is None else options_of(serve, known)
