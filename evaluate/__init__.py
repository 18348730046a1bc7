"""Matches between bots, and benchmarks."""

import bidarena.envs.moved  # noqa: F401  lets old import paths work
