"""What follows many positions, and the matrix game of each: for learners that judge positions.

Nothing here is done row by row in Python, and nothing needs torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.successors import (
    EARLY,
    SHAPE,
    M,
    N,
    Successors,
    expand,
    fill_matrix,
    settle,
    undo_moves,
)
from bidarena.baselines.solvers.graph.facts import facts_of, idle_of, optional
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, legal, observe, step
from bidarena.envs.outcomes import SCRIPT, check_listed
from bidarena.envs.rng import WORDS

Floats = NDArray[np.float32]
States = NDArray[np.int64]  # (rows, state_size)
Judge = Callable[[Floats], Floats]  # (positions, 2, observation_size) -> what player 0 expects

ROOM = 1 << 21  # cells that are listed at once


class Judged(NamedTuple):
    """What is known of some positions.

    Attributes:
        views: (rows, 2, observation_size) what each player sees.
        worths: (rows,) what player 0 expects, the largest result of the game being 1.
        movers: (rows, 2) who moves, and who moves at the same time or -1.
        chances: (rows, 2, actions) how these two choose; -1 for actions that are not legal.
    """

    views: Floats
    worths: NDArray[np.float64]
    movers: NDArray[np.int64]
    chances: NDArray[np.float64]


class Matrices:
    """Looks one move ahead in positions of a game."""

    def __init__(self, game: Game, slack: float) -> None:
        """Make room for what can follow.

        Args:
            game: a zero-sum game of two players that hides nothing but moves at the same time.
            slack: see `settle`.
        """
        self.game, self._slack = game, slack
        self._scale = 1.0 / np.abs(game.return_range).max()
        self._make_room(ROOM)
        rules = optional(game)
        self._expand = game.compiled(expand_all, **rules)
        self._settle, self._show = game.compiled(settle_all), game.compiled(show_both)

    def _make_room(self, room: int) -> None:
        game, positions = self.game, room // 4
        self._found = Successors(
            np.zeros(4, np.int64),
            np.zeros((positions, game.state_size), np.int64),
            np.zeros(positions),
            np.zeros(1 << (2 * positions - 1).bit_length(), np.int64),
            np.zeros(room + 1, np.int64),
            np.zeros(room, np.int64),
            np.zeros(room),
            facts_of(game),
            idle_of(game),
            np.zeros((3, game.state_size), np.int64),
            np.zeros((2, game.actions), np.int8),
            np.zeros(game.players),
            np.zeros(SCRIPT, np.uint64),
        )

    def __call__(self, states: States, judge: Judge) -> Judged:
        """Judge positions by those that follow them.

        Args:
            states: positions in which the game is not over.
            judge: judges what both players see.
        """
        game, rows = self.game, len(states)
        shapes = np.zeros((rows, SHAPE), np.int64)
        worths, chances = np.zeros(rows), np.full((rows, 2, game.actions), -1.0)
        done = 0
        while done < rows:
            listed = self._expand(game.cfg, states[done:], self._found, shapes[done:])
            if trouble := int(self._found.counts[N.trouble]):
                self._refuse(trouble)
            if listed == 0:
                self._make_room(2 * len(self._found.codes))
                continue
            part = slice(done, done + listed)
            self._settle(
                game.cfg,
                states[part],
                self._found,
                self._values(judge),
                self._slack,
                shapes[part],
                worths[part],
                chances[part],
            )
            done += listed
        return Judged(self.views(states), worths, shapes[:, [M.mover, M.second]], chances)

    def views(self, states: States) -> Floats:
        """Return what both players see in each position."""
        seen = np.zeros((len(states), 2, self.game.observation_size), np.float32)
        self._show(self.game.cfg, states, seen)
        return seen

    def _values(self, judge: Judge) -> NDArray[np.float64]:
        """Return what player 0 expects in each of the positions that were listed."""
        count = int(self._found.counts[N.positions])
        values = self._found.ends[:count] * self._scale
        going_on = np.flatnonzero(np.isnan(values))
        if len(going_on) > 0:
            values[going_on] = judge(self.views(self._found.states[going_on]))
        return values

    def _refuse(self, trouble: int) -> None:
        if trouble == EARLY:
            raise ValueError(
                f"game={self.game!r}: expected no chance before both players have moved"
            )
        check_listed(self.game, trouble)


# --- compiled for each game ----------------------------------------------------------------------


def expand_all(cfg: Cfg, states: States, found: Successors, shapes: NDArray[np.int64]) -> int:
    """List what follows the first positions, as many as there is room for; return their number."""
    cfg, states = borrow(cfg), borrow(states)
    lent = Successors(
        borrow(found.counts),
        borrow(found.states),
        borrow(found.ends),
        borrow(found.slots),
        borrow(found.first),
        borrow(found.codes),
        borrow(found.weights),
        borrow(found.facts),
        borrow(found.idle),
        borrow(found.work),
        borrow(found.masks),
        borrow(found.results),
        borrow(found.script),
    )
    for at in range(len(lent.counts)):
        lent.counts[at] = 0
    for slot in range(len(lent.slots)):
        lent.slots[slot] = 0
    moment = lent.work[2]
    for k in range(len(states)):
        undo_moves(cfg, states[k], moment)
        if not expand(cfg, moment, lent, shapes[k]):
            return k
    return len(states)


def settle_all(
    cfg: Cfg,
    states: States,
    found: Successors,
    values: NDArray[np.float64],
    slack: float,
    shapes: NDArray[np.int64],
    worths: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> None:
    """Write what player 0 expects in each position, and how both players choose."""
    mask = np.zeros(chances.shape[2], np.int8)
    one = np.zeros(states.shape[1], np.int64)
    luck = np.ones(WORDS, np.uint64)
    for k in range(len(states)):
        shape = shapes[k]
        matrix = np.empty((shape[M.rows], shape[M.columns]))
        fill_matrix(found, values, shape, matrix)
        row, column = np.empty(shape[M.rows]), np.empty(shape[M.columns])
        value = settle(matrix, slack, row, column)
        worths[k] = value if shape[M.mover] == 0 else -value
        legal(cfg, states[k], mask)
        first, at = -1, 0
        for action in range(len(mask)):
            if mask[action]:
                first = action if first < 0 else first
                chances[k, 0, action] = row[at]
                at += 1
        if shape[M.second] >= 0:
            for i in range(len(one)):
                one[i] = states[k, i]
            step(cfg, one, first, luck)
            legal(cfg, one, mask)
            at = 0
            for action in range(len(mask)):
                if mask[action]:
                    chances[k, 1, action] = column[at]
                    at += 1
    keep(mask)


def show_both(cfg: Cfg, states: States, views: Floats) -> None:
    """Write what both players see in each position."""
    cfg, states, views = borrow(cfg), borrow(states), borrow(views)
    for k in range(len(states)):
        for player in range(2):
            observe(cfg, states[k], player, views[k, player])
