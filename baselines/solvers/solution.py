"""Solved games: the values of all positions, kept in memory and, by store.py, on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.positions import PositionIndex, Values, pack
from bidarena.baselines.solvers.store import Arrays, save, stored
from bidarena.envs.game import Game

FORMAT = 2  # version of the arrays on disk, including the numbers of an index
MOST = 8  # solutions that a process keeps in memory


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved game.

    Attributes:
        index: the positions of the game.
        values: what player 0 will win from each position, if both play perfectly.
        figure: a number that the solver reports about its work; each solver says what it means.
        seconds: how long the solver took.
    """

    index: PositionIndex
    values: Values
    figure: float
    seconds: float

    @property
    def value(self) -> float:
        """The amount that player 0 wins on average from the start, if both play perfectly."""
        return float(sum(chance * self.values[start] for start, chance in self.index.starts))

    @property
    def params(self) -> Values:
        """The index and the values as the params of a bot; see `pack`."""
        return pack(self.index.numbers, self.values)


class Solutions:
    """The solutions that one solver has found, by game.

    Args:
        solve: solves a game anew, without looking for a kept solution.
        index_from: `(game, numbers, layers, starts) -> PositionIndex`.
        version: returns a text that changes with the solver's code, so that old solutions on disk
            are not used.
    """

    def __init__(
        self,
        solve: Callable[[Game], Solution],
        index_from: Callable[..., PositionIndex],
        version: Callable[[], str],
    ) -> None:
        self._solve, self._index_from, self._version = solve, index_from, version
        self._known: dict[bytes, Solution] = {}  # by `Game.key`, oldest first

    def find(self, game: Game) -> Solution:
        """Return the solution of a game: from memory, from disk, or computed now."""
        if game.key not in self._known:
            while len(self._known) >= MOST:
                del self._known[next(iter(self._known))]
            found = stored(game, "exact", self._label(), lambda: _arrays(self._solve(game)))
            self._known[game.key] = self._restored(game, found)
        return self._known[game.key]

    def keep(self, solution: Solution) -> None:
        """Write a solution to the disk; replaces an older one."""
        save(solution.index.game, "exact", self._label(), _arrays(solution))

    def _label(self) -> str:
        return f"{FORMAT} {self._version()}"

    def _restored(self, game: Game, found: Arrays) -> Solution:
        figure, seconds = found["summary"].tolist()
        layers = tuple(int(first) for first in found["layers"])
        starts = tuple((int(start), float(chance)) for start, chance in found["starts"])
        numbers: NDArray[np.int64] = found["index"].astype(np.int64)
        index = self._index_from(game, numbers, layers, starts)
        return Solution(index, found["values"], figure, seconds)


def _arrays(solution: Solution) -> Arrays:
    return {
        "values": solution.values,
        "summary": np.array([solution.figure, solution.seconds]),
        "index": solution.index.numbers.astype(np.float64),
        "layers": np.array(solution.index.layers, np.float64),
        "starts": np.array(solution.index.starts, np.float64),
    }


def check_memory(index: PositionIndex, memory: int) -> None:
    """Raise ValueError unless the values of all positions fit into `memory` bytes."""
    needed = 8 * index.positions
    if needed > memory:
        raise ValueError(f"memory: {needed:,} bytes are needed, {memory:,} allowed")
