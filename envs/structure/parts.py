"""Games that fall apart: positions as sums of parts that do not affect each other.

In some games a position falls into parts such that every move is made in one of them and changes no
other: the heaps of Nim, or groups that no move connects. A game says so with the tool `parts`
(registry/tools.py). What a position is worth to the player to move then depends on its parts alone,
and neither on their order nor on where they lie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import Function, rule
from bidarena.envs.game import Cfg, Game, Params, State
from bidarena.envs.registry.tools import find_tool


@dataclass(frozen=True, eq=False)
class Parts:
    """How the positions of a game fall apart.

    Two positions in which the players to move see the same parts must be worth the same to them.

    Args:
        split: a plain function like the stub `split` below.
        params: the numbers that `split` reads, flat float64; all must be exact in float32 too.
        most: the most parts of a position.
        size: how many numbers show a part; they lie between 0 and 1.
    """

    split: Function
    params: Params
    most: int
    size: int


@rule
def split(cfg: Cfg, params: Params, state: State, views: NDArray[np.float32]) -> int:
    """Write what is seen of each part of a position, and return how many parts there are.

    Args:
        cfg: the options of the rules.
        params: `Parts.params`.
        state: a position in which the game is not over.
        views: (most, size) gets one row for each part.
    """
    raise NotImplementedError


def parts_of(game: Game) -> Parts | None:
    """Return how the positions of a game fall apart; None if nothing is known about that."""
    tool = find_tool(game.name, "parts")
    return None if tool is None else tool(game)


def needed_parts(game: Game) -> Parts:
    """Return how the positions of a game fall apart; ValueError if nothing is known about that."""
    found = parts_of(game)
    if found is None:
        raise ValueError(
            f"game={game!r}: expected a game whose positions fall into parts that do not affect "
            "each other (the tool `parts`, see bidarena.envs.structure.parts)"
        )
    return found
