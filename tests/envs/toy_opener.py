"""An opener for tests: players that are named by what stands after a prefix."""

import numpy as np

from bidarena.baselines.common import random

calls = []


def counting(game, rest):
    """`count:N` plays the Nth legal action; 'count:random' is a compiled bot."""
    calls.append((game.name, rest))
    if rest == "random":
        return random(game)
    if not rest.isdigit():
        raise ValueError(f"expected a number, got {rest!r}")
    return lambda observation, mask: np.flatnonzero(mask)[int(rest) % mask.sum()]


def address(game, rest):
    """Remembers the address and plays the first legal action."""
    calls.append((game.name, rest))
    return lambda observation, mask: int(np.argmax(mask))
