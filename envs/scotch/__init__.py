"""Scotch: two players bid in secret for a bottle that moves along a line.

Importing this registers the game, its bots and its tools; nothing is compiled or loaded yet.
"""

from bidarena.envs.registry import Bench, Progress, register_bot, register_game, register_tools

register_game(
    "scotch",
    "bidarena.envs.scotch.env:scotch",
    "bidarena/Scotch-v0",
    entry_point="bidarena.envs.scotch.env:ScotchEnv",
    vector_entry_point="bidarena.envs.scotch.env:ScotchVectorEnv",
)
register_bot("scotch/random", "bidarena.baselines.scotch.bots:random")
register_bot("scotch/uniform", "bidarena.baselines.scotch.bots:uniform")
register_bot("scotch/dp", "bidarena.baselines.scotch.bots:dp")
register_bot("scotch/richman", "bidarena.baselines.scotch.bots:richman")
register_bot("scotch/exact", "bidarena.baselines.scotch.exact:exact")
register_bot("scotch/best_response", "bidarena.baselines.solvers.best_response:bot")
register_bot("scotch/learned", "bidarena.baselines.learned.policy_file:learned")
register_tools(
    "scotch",
    opponent="dp",
    strongest="learned",
    strongest_search="exact",
    solve="bidarena.baselines.scotch.exact:report",
    positions="bidarena.baselines.scotch.solver:index_positions",
    hint="bidarena.baselines.scotch.hint:exact_hint",
    serve="bidarena.baselines.adapters.scotch.server:serve",
    program="bidarena.baselines.adapters.scotch.programs:program_bot",
    python_file="bidarena.baselines.adapters.scotch.programs:function_bot",
    view="bidarena.envs.scotch.view:view",
    board="line",
    progress=Progress("round"),
    bench=Bench(solve="bidarena.baselines.scotch.exact:solve"),
)
