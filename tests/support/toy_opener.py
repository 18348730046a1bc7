"""Openers for tests: they make players from what is written after a prefix."""

import numpy as np

from bidarena.baselines.common import random

calls = []


def counting(game, rest):
    """Open "count:N", which plays the Nth legal action, or "count:random", a compiled bot."""
    calls.append((game.name, rest))
    if rest == "random":
        return random(game)
    if not rest.isdigit():
        raise ValueError(f"expected a number, got {rest!r}")
    return lambda observation, mask: np.flatnonzero(mask)[int(rest) % mask.sum()]


def address(game, rest):
    """Record the address, and return a player of the first legal action."""
    calls.append((game.name, rest))
    return lambda observation, mask: int(np.argmax(mask))
