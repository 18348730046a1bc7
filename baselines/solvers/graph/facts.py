"""Facts of a game that solvers of positions need as numbers, and rules that it may leave out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import Function
from bidarena.envs.game import Cfg, Game, State, layout, starts

# where the clock is or -1, its limit, first and last number of the moment, the side of each player
FACTS = layout(clock=1, limit=1, moment=2, sides=1)
F = starts(FACTS)


def nothing(cfg: Cfg, state: State) -> None:
    """Do nothing: the rule `withdraw` of a game that does not define it."""


def facts_of(game: Game) -> NDArray[np.int64]:
    """Return the facts of a game for compiled code; sides are one number per player."""
    clock = -1
    if game.clock is not None and game.limit > 1:
        clock = game.state[game.clock].start
    moment = slice(0, 0) if game.simultaneous is None else game.state[game.simultaneous]
    first = game.teams[0]
    sides = [int(team != first) for team in game.teams]
    return np.array([clock, game.limit, moment.start, moment.stop, *sides], np.int64)


def idle_of(game: Game, *, timeless: bool = True) -> NDArray[np.int8]:
    """Return 1 for each number of the state that does not matter.

    Args:
        game: the game.
        timeless: whether the clock is one of them, as in a graph of positions.
    """
    idle = np.zeros(game.state_size, np.int8)
    for part in game.idle:
        idle[game.state[part]] = 1
    if game.clock is not None:
        idle[game.state[game.clock]] = timeless and game.limit > 1
    return idle


def optional(game: Game) -> dict[str, Function]:
    """Return what stands in for the optional rules that a game does not define."""
    return {} if "withdraw" in game.rules else {"withdraw": nothing}
