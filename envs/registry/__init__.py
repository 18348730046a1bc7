"""Everything that is registered by name: games, bots, openers, tools of games, aids of searches.

A name stands for a string "module:function", which is imported when it is first used. So generic
code imports neither games nor bots, and a game in your own file can do all that ours can.

    game_names.py    games and their Gymnasium ids
    pettingzoo_ids.py    the same ids in the registry of PettingZoo
    bot_names.py     bots, and openers: prefixes such as "cmd:" for bots that come from elsewhere
    paths.py         bots that are named by the path of a policy file or of a training run
    meanings.py      what the options of a game mean
    tools.py         what a game has besides rules and bots: its solver, exact hints, a server, ...
    trust.py         names that come from files, which may start and import nothing
    aids.py          what searches may use in a game: beliefs and opening books
"""

from bidarena.envs.registry.aids import (
    Belief,
    beliefs,
    load_book,
    make_belief,
    register_belief,
    register_book,
)
from bidarena.envs.registry.bot_names import (
    PROGRAM,
    SEARCH,
    Bot,
    Outside,
    bot_factory,
    bots,
    has_opener,
    invited,
    make_bot,
    playing,
    register_bot,
    register_opener,
)
from bidarena.envs.registry.game_names import (
    env_id,
    factory,
    games,
    load,
    make_game,
    register_game,
    register_old_version,
)
from bidarena.envs.registry.tools import (
    Bench,
    Progress,
    Tools,
    extra_commands,
    find_tool,
    games_with,
    register_tools,
    tools_of,
)

__all__ = [
    "PROGRAM",
    "SEARCH",
    "Belief",
    "Bench",
    "Bot",
    "Outside",
    "Progress",
    "Tools",
    "beliefs",
    "bot_factory",
    "bots",
    "env_id",
    "extra_commands",
    "factory",
    "find_tool",
    "games",
    "games_with",
    "has_opener",
    "invited",
    "load",
    "load_book",
    "make_belief",
    "make_bot",
    "make_game",
    "playing",
    "register_belief",
    "register_book",
    "register_bot",
    "register_game",
    "register_old_version",
    "register_opener",
    "register_tools",
    "tools_of",
]
