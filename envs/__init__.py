"""The games as environments.

Importing this package registers the games with Gymnasium, and the bots. It compiles nothing.
"""

import importlib

import bidarena.envs.moved  # noqa: F401  lets old import paths work
from bidarena.envs.batch import Batch
from bidarena.envs.game import Game
from bidarena.envs.learner import batched
from bidarena.envs.registry import (
    Belief,
    Bench,
    Bot,
    Progress,
    beliefs,
    bots,
    games,
    make_bot,
    make_game,
    register_belief,
    register_book,
    register_bot,
    register_game,
    register_opener,
    register_tools,
)

__all__ = [
    "Batch",
    "Belief",
    "Bench",
    "Bot",
    "Game",
    "Progress",
    "batched",
    "beliefs",
    "bots",
    "games",
    "make_bot",
    "make_game",
    "register_belief",
    "register_book",
    "register_bot",
    "register_game",
    "register_opener",
    "register_tools",
]

# Bots that play every game. Two searches are enough for a tournament of all bots, and they are
# made fast there.
register_bot("*/random", "bidarena.baselines.common:random")
register_bot("*/exact", "bidarena.baselines.solvers.generic.bots:exact", tournament_options=None)
register_bot(
    "*/best_response",
    "bidarena.baselines.solvers.generic.bots:best_response",
    tournament_options=None,
)
register_bot("*/mcts", "bidarena.baselines.search:mcts", tournament_options="iterations=100")
register_bot("*/ismcts", "bidarena.baselines.search:ismcts", tournament_options="iterations=100")
for _search in ("dmcts", "mom", "pom", "bandit"):
    register_bot(f"*/{_search}", f"bidarena.baselines.search:{_search}", tournament_options=None)

# Bots from outside this package, each in a process of its own: a program that is run for every
# move, a Python file, and a program that speaks the protocol in docs/protocol.md, in numbers or in
# words.
register_opener("cmd", "bidarena.baselines.adapters.openers:command")
register_opener("file", "bidarena.baselines.adapters.openers:python_file")
register_opener("json", "bidarena.baselines.adapters.openers:lines")
register_opener("text", "bidarena.baselines.adapters.openers:words")

# The folders of games beside this file: importing one registers its game.
for _game in ("scotch", "richman", "raj", "coins", "twentynine"):
    importlib.import_module(f"bidarena.envs.{_game}")
