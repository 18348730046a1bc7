"""Coins: two players take coins in lines, and nobody wants the last one.

Importing this registers the game, its bots and its tools; nothing is compiled or loaded yet.
"""

from bidarena.envs.registry import Bench, Progress, register_bot, register_game, register_tools

register_game(
    "coins",
    "bidarena.envs.coins.env:coins",
    "bidarena/Coins-v0",
    entry_point="bidarena.envs.coins.env:CoinsEnv",
    vector_entry_point="bidarena.envs.coins.env:CoinsVectorEnv",
)
register_bot("coins/random", "bidarena.baselines.coins.bots:random")
register_bot("coins/exact", "bidarena.baselines.coins.exact:exact")
register_bot("coins/counting", "bidarena.baselines.coins.bots:counting")
register_bot("coins/patterns", "bidarena.baselines.coins.bots:patterns")
register_bot("coins/surewin", "bidarena.baselines.coins.bots:surewin")
register_bot("coins/bounded", "bidarena.baselines.coins.bots:bounded")
register_bot("coins/greedy", "bidarena.baselines.coins.bots:greedy")
register_bot("coins/memo", "bidarena.baselines.coins.memo:memo")
register_bot("coins/learned", "bidarena.baselines.learned.policy_file:learned")
register_tools(
    "coins",
    opponent="surewin",
    strongest="learned",
    strongest_search="exact:memory=8",  # 8 GiB for the default board
    solve="bidarena.baselines.coins.solver:report",
    hint="bidarena.baselines.coins.hint:exact_hint",
    exploit="bidarena.evaluate.coins.exploit:exploit_coins",
    exploit_note=(
        "Also the share of positions in which the player keeps the value of the game; where its "
        "probabilities are not known, that share in positions of --games games, without --samples. "
        "On boards of more than 33 coins: the share in endings of up to 24 coins, in its games."
    ),
    measure="bidarena.evaluate.coins.exploit:measure",
    parts="bidarena.baselines.coins.parts:parts_of",
    view="bidarena.envs.coins.view:view",
    board="coins",
    progress=Progress("bidarena.envs.coins.env:coins_gone"),
    bench=Bench(
        solve="bidarena.baselines.coins.solver:solve",
        solve_rules={"board": "triangle6"},  # takes little memory
        learners=True,
        search_rules={"board": "triangle5"},
    ),
)
