"""The games as environments. Importing this registers them with Gymnasium and compiles nothing."""

from bidarena.envs.batch import Batch
from bidarena.envs.game import Game
from bidarena.envs.learner import batched
from bidarena.envs.registry import (
    Belief,
    Bot,
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
)

__all__ = [
    "Batch",
    "Belief",
    "Bot",
    "Game",
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
]

register_game(
    "scotch",
    "bidarena.envs.scotch.env:scotch",
    "bidarena/Scotch-v0",
    entry_point="bidarena.envs.scotch.env:ScotchEnv",
    vector_entry_point="bidarena.envs.scotch.env:ScotchVectorEnv",
)
register_game(
    "richman",
    "bidarena.envs.richman.env:richman",
    "bidarena/RichmanGraph-v0",
    entry_point="bidarena.envs.richman.env:RichmanGraphEnv",
    vector_entry_point="bidarena.envs.richman.env:RichmanGraphVectorEnv",
)
register_bot("*/random", "bidarena.baselines.common:random")
# Where all bots of a game meet, two of these are enough, and they must not take all the time.
register_bot("*/mcts", "bidarena.baselines.search:mcts", modest="iterations=100")
register_bot("*/ismcts", "bidarena.baselines.search:ismcts", modest="iterations=100")
for _search in ("dmcts", "mom", "pom", "bandit"):
    register_bot(f"*/{_search}", f"bidarena.baselines.search:{_search}", modest=None)
register_bot("scotch/random", "bidarena.baselines.scotch:random")
register_bot("scotch/uniform", "bidarena.baselines.scotch:uniform")
register_bot("richman/richman", "bidarena.baselines.richman:richman")
register_bot("richman/safety", "bidarena.baselines.richman:safety")

register_game(
    "raj",
    "bidarena.envs.raj.env:raj",
    "bidarena/Raj-v0",
    entry_point="bidarena.envs.raj.env:RajEnv",
    vector_entry_point="bidarena.envs.raj.env:RajVectorEnv",
)
register_bot("raj/random", "bidarena.baselines.raj:random")
register_bot("raj/value", "bidarena.baselines.raj:value")
register_bot("raj/valueplus", "bidarena.baselines.raj:valueplus")
register_bot("raj/minimax", "bidarena.baselines.raj_minimax:minimax")
register_bot("raj/published", "bidarena.baselines.raj_minimax:published")
register_bot("raj/greedy", "bidarena.baselines.raj:greedy")
register_bot("raj/exact", "bidarena.baselines.raj_exact:exact")
register_bot("raj/best_response", "bidarena.baselines.solvers.best_response:bot")
register_bot("scotch/dp", "bidarena.baselines.scotch:dp")
register_bot("scotch/exact", "bidarena.baselines.scotch_exact:exact")
register_bot("scotch/best_response", "bidarena.baselines.solvers.best_response:bot")
register_bot("scotch/richman", "bidarena.baselines.scotch:richman")

register_game(
    "coins",
    "bidarena.envs.coins.env:coins",
    "bidarena/Coins-v0",
    entry_point="bidarena.envs.coins.env:CoinsEnv",
    vector_entry_point="bidarena.envs.coins.env:CoinsVectorEnv",
)
register_bot("coins/random", "bidarena.baselines.coins:random")
register_bot("coins/exact", "bidarena.baselines.coins:exact")
register_bot("coins/counting", "bidarena.baselines.coins_bots:counting")
register_bot("coins/patterns", "bidarena.baselines.coins_bots:patterns")
register_bot("coins/surewin", "bidarena.baselines.coins_bots:surewin")
register_bot("coins/bounded", "bidarena.baselines.coins_bots:bounded")
register_bot("coins/greedy", "bidarena.baselines.coins_bots:greedy")
register_bot("coins/memo", "bidarena.baselines.coins_memo:memo")

register_game(
    "twentynine",
    "bidarena.envs.twentynine.env:twentynine",
    "bidarena/TwentyNine-v0",
    entry_point="bidarena.envs.twentynine.env:TwentyNineEnv",
    vector_entry_point="bidarena.envs.twentynine.env:TwentyNineVectorEnv",
)
register_bot("twentynine/random", "bidarena.baselines.twentynine:random")
register_bot("twentynine/rules", "bidarena.baselines.twentynine:rules")
register_bot("twentynine/cheater", "bidarena.baselines.twentynine:cheater")
register_bot("twentynine/pimc", "bidarena.baselines.twentynine_pimc:pimc", modest="samples=2")
register_bot(
    "twentynine/local_response",
    "bidarena.baselines.solvers.local_response:local_response",
    modest=None,
)
register_book("twentynine/formula", "bidarena.baselines.twentynine:formula")
register_belief("twentynine/throws", "bidarena.baselines.twentynine_beliefs:throws")
register_belief("twentynine/trump", "bidarena.baselines.twentynine_beliefs:trump")
register_belief("twentynine/both", "bidarena.baselines.twentynine_beliefs:both")
for _web in ("http", "https"):
    register_opener(_web, "bidarena.baselines.adapters.twentynine_http:opener")

# Policies that were learned with this package and come with it.
for _game in ("scotch", "richman", "raj", "coins", "twentynine"):
    register_bot(f"{_game}/learned", "bidarena.baselines.policy_file:learned")
register_bot("raj/ppo", "bidarena.baselines.policy_file:ppo")

# Bots from outside, each in a process of its own: a program that is run for every move, a Python
# file, and any program that speaks the protocol of docs/protocol.md.
register_opener("cmd", "bidarena.baselines.adapters.openers:command")
register_opener("file", "bidarena.baselines.adapters.openers:python_file")
register_opener("json", "bidarena.baselines.adapters.openers:lines")
