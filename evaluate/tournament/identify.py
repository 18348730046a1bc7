"""Find out who plays under a bot's name, so that results are kept for exactly that bot."""

from __future__ import annotations

import inspect

from bidarena.baselines.adapters.identity import OURS, UNKNOWN, Identity, joined, of_file
from bidarena.envs.game import Game
from bidarena.envs.registry import bot_factory, bots, has_opener
from bidarena.envs.registry.paths import find_policy
from bidarena.evaluate.tournament.plan import Tournament
from bidarena.evaluate.workers.preparing import player

OWN = "bidarena."  # modules of this package: their results belong to its version


def identify(game: Game, bot: str) -> Identity:
    """Return the identity of a bot by its name.

    Bots of this package have none but their names. Policy files, Python files and commands are told
    apart by digests; servers by what they tell. Bots named in the options of others count too.
    """
    name, _, rest = bot.partition(":")
    name = name.removeprefix(f"{game.name}/")
    if name in bots(game.name):  # names come before files, as in `make_bot`
        return joined([_factory(game, name), *_named_inside(game, rest)])
    if has_opener(bot):
        asked = getattr(player(game, bot), "outside", None)
        tell = getattr(asked, "identity", None)
        found: Identity = UNKNOWN if tell is None else tell()
        return found
    policy = find_policy(bot)
    return OURS if policy is None else of_file(policy[0])


def identities(tournament: Tournament) -> dict[str, Identity]:
    """Return the identity of every bot of a tournament."""
    return {bot: identify(tournament.game, bot) for bot in tournament.bots}


def _factory(game: Game, name: str) -> Identity:
    """Return the identity of a registered bot: that of its module, unless the bot is ours."""
    make = bot_factory(game.name, name)
    if str(make.__module__).startswith(OWN):
        return OURS
    source = inspect.getsourcefile(make)
    return UNKNOWN if source is None else of_file(source)


def _named_inside(game: Game, options: str) -> list[Identity]:
    """Return the identities of bots and policies that the options of a bot name."""
    found = []
    for option in options.split(","):
        value = option.partition("=")[2].replace(";", ",")
        try:
            if has_opener(value) or find_policy(value) is not None:
                found.append(identify(game, value))
        except ValueError:  # no bot and no file: an option of another kind
            continue
    return found
