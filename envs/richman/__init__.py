"""RichmanGraph: a token on any graph; the winner of each bid chooses where it moves.

Importing this registers the game, its bots and its tools; nothing is compiled or loaded yet.
"""

from bidarena.envs.registry import Progress, register_bot, register_game, register_tools

register_game(
    "richman",
    "bidarena.envs.richman.env:richman",
    "bidarena/RichmanGraph-v0",
    entry_point="bidarena.envs.richman.env:RichmanGraphEnv",
    vector_entry_point="bidarena.envs.richman.env:RichmanGraphVectorEnv",
)
register_bot("richman/random", "bidarena.baselines.richman.bots:random")
register_bot("richman/richman", "bidarena.baselines.richman.bots:richman")
register_bot("richman/safety", "bidarena.baselines.richman.bots:safety")
register_bot("richman/learned", "bidarena.baselines.learned.policy_file:learned")
register_tools(
    "richman",
    opponent="richman",
    strongest="learned",
    strongest_search="exact",
    view="bidarena.envs.richman.view:view",
    board="graph",
    progress=Progress("decision"),
)
