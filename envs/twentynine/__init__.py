"""Twenty-nine: four players in two sides, an auction, a hidden trump, eight tricks.

Importing this registers the game, its bots and its tools; nothing is compiled or loaded yet.
"""

from bidarena.envs.registry import (
    Bench,
    Progress,
    register_belief,
    register_book,
    register_bot,
    register_game,
    register_old_version,
    register_opener,
    register_tools,
)

register_game(
    "twentynine",
    "bidarena.envs.twentynine.env:twentynine",
    "bidarena/TwentyNine-v1",
    entry_point="bidarena.envs.twentynine.env:TwentyNineEnv",
    vector_entry_point="bidarena.envs.twentynine.env:TwentyNineVectorEnv",
)
register_old_version(
    "bidarena/TwentyNine-v0",
    "bidarena.envs.twentynine.v0:twentynine_v0",
    entry_point="bidarena.envs.twentynine.v0:TwentyNineV0Env",
    vector_entry_point="bidarena.envs.twentynine.v0:TwentyNineV0VectorEnv",
)
register_bot("twentynine/random", "bidarena.baselines.twentynine.bots:random")
register_bot("twentynine/rules", "bidarena.baselines.twentynine.bots:rules")
register_bot("twentynine/cheater", "bidarena.baselines.twentynine.bots:cheater")
register_bot(
    "twentynine/pimc", "bidarena.baselines.twentynine.pimc:pimc", tournament_options="samples=2"
)
register_bot(
    "twentynine/local_response",
    "bidarena.baselines.twentynine.local_response:local_response",
    tournament_options=None,
)
register_bot("twentynine/learned", "bidarena.baselines.learned.policy_file:learned")
register_book("twentynine/formula", "bidarena.baselines.twentynine.bots:formula", usual=True)
register_belief("twentynine/throws", "bidarena.baselines.twentynine.beliefs:throws")
register_belief("twentynine/trump", "bidarena.baselines.twentynine.beliefs:trump")
register_belief("twentynine/both", "bidarena.baselines.twentynine.beliefs:both")
for _web in ("http", "https"):  # bots of the competition
    register_opener(_web, "bidarena.baselines.adapters.twentynine.http:opener")
register_tools(
    "twentynine",
    opponent="ismcts:iterations=2000",
    strongest="learned",
    strongest_search="pimc:samples=30,policy=learned",
    exploit="bidarena.evaluate.twentynine.exploit:exploit_twentynine",
    exploit_note=(
        "A lower bound only: what a local best response wins in a match of --games games, 2,000 "
        "by default, with --samples guesses of the hidden cards for each of its decisions."
    ),
    serve="bidarena.baselines.adapters.twentynine.server:serve",
    view="bidarena.envs.twentynine.render.view:view",
    board="tricks",
    open_values="bidarena.baselines.twentynine.open_values:open_values",
    exchange="bidarena.envs.twentynine.rules.exchange:exchange",
    progress=Progress(
        "bidarena.baselines.adapters.twentynine.progress:calls_and_cards", strict=False
    ),
    bench=Bench(
        openspiel="euchre",
        search_below=32,  # cards; bids and trumps come before them
        figures="bidarena.baselines.twentynine.double_dummy.bench:figures",
    ),
)
