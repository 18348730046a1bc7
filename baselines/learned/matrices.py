"""What follows many positions, and the matrix game of each: for learners, and for exact measures.

Positions that follow several of them are judged once, and all by one product of matrices. So this
is many times faster than to ask the bot of positions.py in one position after the other. Nothing
here is done row by row in Python, and nothing needs torch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.network import GAINS, POSITIONS, Network
from bidarena.baselines.learned.successors import (
    EARLY,
    SHAPE,
    M,
    N,
    Successors,
    expand,
    fill_matrix,
    points_at,
    settle,
    undo_moves,
)
from bidarena.baselines.solvers.graph.facts import facts_of, idle_of, optional
from bidarena.envs.compile import borrow, compiled, keep
from bidarena.envs.game import Cfg, Game, legal, observe, step
from bidarena.envs.outcomes import SCRIPT, check_listed
from bidarena.envs.rng import WORDS

Floats = NDArray[np.float32]
States = NDArray[np.int64]  # (rows, state_size)
Judge = Callable[[Floats], Floats]  # (views, observation_size) -> one number for each

ROOM = 1 << 21  # cells that are listed at once
ROWS = 1 << 15  # positions that are judged at once

_MIX, _S29, _ONE = np.uint64(0x9E3779B97F4A7C15), np.uint64(29), np.uint64(1)


class Judged(NamedTuple):
    """What is known of some positions.

    Attributes:
        views: (rows, 2, observation_size) what each player sees.
        worths: (rows,) what player 0 expects, the largest result of the game being 1.
        points: (rows,) how much of that player 0 has already; 0 unless points count.
        movers: (rows, 2) who moves, and who moves at the same time or -1.
        chances: (rows, 2, actions) how these two choose; -1 for actions that are not legal.
    """

    views: Floats
    worths: NDArray[np.float64]
    points: NDArray[np.float64]
    movers: NDArray[np.int64]
    chances: NDArray[np.float64]


class Matrices:
    """Looks one move ahead in positions of a game."""

    def __init__(
        self,
        game: Game,
        slack: float,
        *,
        pure: bool = False,
        head: str = POSITIONS,
        seen: Floats | None = None,
        scale: float | None = None,
    ) -> None:
        """Make room for what can follow.

        Args:
            game: a zero-sum game of two players that hides nothing but moves at the same time.
            slack: see `settle`.
            pure: see `settle`.
            head: how the numbers of a network are read, see `positions.py` of learned bots.
            seen: (observation_size,) 1 for what the network sees and 0 for the rest; None: all.
            scale: what results, or points, are multiplied with; None: the largest result is then 1.
        """
        self._seen = np.ones(game.observation_size, np.float32) if seen is None else seen
        self.game, self._slack, self._pure = game, slack, pure
        self._scale = 1.0 / np.abs(game.return_range).max() if scale is None else scale
        self._points = points_at(game) if head == GAINS else -1
        self._make_room(ROOM)
        rules = optional(game)
        self._expand = game.compiled(expand_all, **rules)
        self._settle, self._show = game.compiled(settle_all, **rules), game.compiled(show_both)
        self._distinct = compiled(find_distinct, {}, "positions")

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
            states: positions in which the game is not over; moves of this moment are taken back.
            judge: gives the number of the network for what a player sees.
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
                self._pure,
                shapes[part],
                worths[part],
                chances[part],
            )
            done += listed
        movers = shapes[:, [M.mover, M.second]]
        return Judged(self.views(states), worths, self.points(states), movers, chances)

    def views(self, states: States) -> Floats:
        """Return what both players see in each position, with 0 for what the network does not."""
        views = np.zeros((len(states), 2, self.game.observation_size), np.float32)
        self._show(self.game.cfg, states, self._seen, views)
        return views

    def points(self, states: States) -> NDArray[np.float64]:
        """Return by how much player 0 is ahead in each position; 0 unless points count."""
        if self._points < 0:
            return np.zeros(len(states))
        ahead = states[:, self._points] - states[:, self._points + 1]
        return np.asarray(ahead * (self.game.score_unit * self._scale), np.float64)

    def _values(self, judge: Judge) -> NDArray[np.float64]:
        """Return what player 0 expects in each of the positions that were listed."""
        count = int(self._found.counts[N.positions])
        values = self._found.ends[:count] * self._scale
        going_on = np.flatnonzero(np.isnan(values))
        if self._points >= 0:
            values = self.points(self._found.states[:count])
        if len(going_on) > 0:
            views = self.views(self._found.states[going_on]).reshape(2 * len(going_on), -1)
            kinds = np.empty(len(views), np.int64)
            slots = np.zeros(1 << (2 * len(views) - 1).bit_length(), np.int64)
            numbers = judge(views[: self._distinct(views, kinds, slots)])[kinds].reshape(-1, 2)
            ahead = 0.5 * (numbers[:, 0] - numbers[:, 1]).astype(np.float64)
            if self._points < 0:
                values[going_on] = np.tanh(ahead)
            else:
                values[going_on] += ahead
        return values

    def _refuse(self, trouble: int) -> None:
        if trouble == EARLY:
            raise ValueError(
                f"game={self.game!r}: expected no chance before both players have moved"
            )
        check_listed(self.game, trouble)


@lru_cache(maxsize=2)
def _matrices(game: Game, slack: float, pure: bool, head: str, scale: float) -> Matrices:
    return Matrices(game, slack, pure=pure, head=head, scale=scale)


def distributions(
    game: Game, network: Network, states: States, seat: int, *, greedy: bool = False
) -> NDArray[np.float64]:
    """Return how the bot of positions.py chooses in many positions, (rows, actions).

    Args:
        game: the game.
        network: a network with the head "positions" or "gains".
        states: positions in which the player in `seat` is to move.
        seat: the player.
        greedy: always take the most probable action.
    """
    scale = game.score_unit if network.head == GAINS else 1.0 / np.abs(game.return_range).max()
    look = _matrices(game, network.slack, network.pure, network.head, float(scale))
    chances = np.zeros((len(states), game.actions))
    for at in range(0, len(states), ROWS):
        known = look(states[at : at + ROWS], lambda views: network(views)[:, 0])
        for place in range(2):
            own = known.movers[:, place] == seat
            chances[at : at + ROWS][own] = np.maximum(known.chances[own, place], 0.0)
    if greedy:
        chances = np.eye(game.actions)[chances.argmax(axis=1)]
    return chances


# --- compiled for each game ----------------------------------------------------------------------


def expand_all(cfg: Cfg, states: States, found: Successors, shapes: NDArray[np.int64]) -> int:
    """List what follows the first positions, as many as there is room for; return their number."""
    cfg, states = borrow(cfg), borrow(states)
    for at in range(len(found.counts)):
        found.counts[at] = 0
    for slot in range(len(found.slots)):
        found.slots[slot] = 0
    moment = found.work[2]
    for k in range(len(states)):
        undo_moves(cfg, states[k], moment)
        if not expand(cfg, moment, found, shapes[k]):
            return k
    return len(states)


def settle_all(
    cfg: Cfg,
    states: States,
    found: Successors,
    values: NDArray[np.float64],
    slack: float,
    pure: bool,
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
        value = settle(matrix, slack, pure, row, column)
        worths[k] = value if shape[M.mover] == 0 else -value
        undo_moves(cfg, states[k], one)
        legal(cfg, one, mask)
        first, at = -1, 0
        for action in range(len(mask)):
            if mask[action]:
                first = action if first < 0 else first
                chances[k, 0, action] = row[at]
                at += 1
        if shape[M.second] >= 0:
            step(cfg, one, first, luck)
            legal(cfg, one, mask)
            at = 0
            for action in range(len(mask)):
                if mask[action]:
                    chances[k, 1, action] = column[at]
                    at += 1
    keep(mask)


def show_both(cfg: Cfg, states: States, seen: Floats, views: Floats) -> None:
    """Write what both players see in each position, where `seen` is 1."""
    cfg, states, seen, views = borrow(cfg), borrow(states), borrow(seen), borrow(views)
    for k in range(len(states)):
        for player in range(2):
            observe(cfg, states[k], player, views[k, player])
            for at in range(len(seen)):
                views[k, player, at] *= seen[at]


def find_distinct(views: Floats, kinds: NDArray[np.int64], slots: NDArray[np.int64]) -> int:
    """Move the different rows of `views` to its front and return how many there are.

    Args:
        views: (rows, size); rows behind the different ones are no longer of use.
        kinds: (rows,) gets for each row which of the different ones it is.
        slots: a hash table, 0 everywhere; its length is a power of 2.
    """
    views, kinds, slots = borrow(views), borrow(kinds), borrow(slots)
    mask, size, count = len(slots) - 1, views.shape[1], 0
    bits = views.view(np.uint32)
    for k in range(len(views)):
        mixed = _MIX
        for at in range(size):
            mixed = (mixed ^ np.uint64(bits[k, at])) * _MIX
            mixed ^= mixed >> _S29
        slot = np.int64(mixed >> _ONE) & mask
        while slots[slot] > 0:
            same = True
            for at in range(size):
                same &= bits[slots[slot] - 1, at] == bits[k, at]
            if same:
                break
            slot = (slot + 1) & mask
        if slots[slot] == 0:
            for at in range(size):
                bits[count, at] = bits[k, at]
            count += 1
            slots[slot] = count
        kinds[k] = slots[slot] - 1
    return count
