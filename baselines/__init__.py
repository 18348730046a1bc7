"""The fixed opponents: classical bots of each game, search, exact solvers."""
