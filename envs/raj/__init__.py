"""Raj: players bid cards, all at once, for items that come up in random order.

Importing this registers the game, its bots and its tools; nothing is compiled or loaded yet.
"""

from bidarena.envs.registry import Bench, Progress, register_bot, register_game, register_tools

register_game(
    "raj",
    "bidarena.envs.raj.env:raj",
    "bidarena/Raj-v0",
    entry_point="bidarena.envs.raj.env:RajEnv",
    vector_entry_point="bidarena.envs.raj.env:RajVectorEnv",
)
register_bot("raj/random", "bidarena.baselines.raj.bots:random")
register_bot("raj/value", "bidarena.baselines.raj.bots:value")
register_bot("raj/valueplus", "bidarena.baselines.raj.bots:valueplus")
register_bot("raj/minimax", "bidarena.baselines.raj.minimax:minimax")
register_bot("raj/published", "bidarena.baselines.raj.minimax:published")
register_bot("raj/greedy", "bidarena.baselines.raj.bots:greedy")
register_bot("raj/exact", "bidarena.baselines.raj.exact:exact")
register_bot("raj/best_response", "bidarena.baselines.solvers.best_response:bot")
register_bot("raj/learned", "bidarena.baselines.learned.policy_file:learned")
register_bot("raj/ppo", "bidarena.baselines.learned.policy_file:ppo")
register_tools(
    "raj",
    opponent="minimax",
    strongest="learned",
    strongest_search="exact",
    solve="bidarena.baselines.raj.exact:report",
    positions="bidarena.baselines.raj.solver:index_positions",
    hint="bidarena.baselines.raj.hint:exact_hint",
    serve="bidarena.baselines.adapters.raj.server:serve",
    python_file="bidarena.baselines.adapters.raj.agents:agent_bot",
    view="bidarena.envs.raj.view:view",
    board="auction_table",
    progress=Progress("round"),
    bench=Bench(
        openspiel="goofspiel(num_cards=6,imp_info=False,points_order=random)",
        solve="bidarena.baselines.raj.exact:solve",
        learners=True,
    ),
    commands={
        "series": (
            "bidarena.cli.raj.series",
            "the games of a Raj settings.py, played as in the original program",
        )
    },
)
