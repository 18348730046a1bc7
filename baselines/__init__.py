"""The fixed opponents: classical bots of each game, search, exact solvers."""

import bidarena.envs.moved  # noqa: F401  lets old import paths work
