"""The index of all positions of a game in which both players move at the same time.

A position is what is known before both choose. A `PositionIndex` numbers the positions of a game so
that every move leads to a lower number: positions near the end come first. Four small functions per
game, the rule stubs below, tell the rest. Best responses and the evaluation of policies
(best_response.py) need nothing else of a game. A value is what player 0 will win from a position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import Function, borrow, keep, rule
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, legal, step
from bidarena.envs.rng import WORDS

Numbers = NDArray[Any]  # `PositionIndex.numbers`: whole numbers, sometimes in an array of floats
Values = NDArray[np.float64]


@rule
def put_position(cfg: Cfg, index: Numbers, position: int, state: State) -> None:
    """Write into `state` the state of a position; nobody has committed a move in it."""
    raise NotImplementedError


@rule
def find_position(cfg: Cfg, index: Numbers, state: State) -> int:
    """Return the position of a state; player 0 may or may not have committed a move in it."""
    raise NotImplementedError


@rule
def worths(
    cfg: Cfg,
    index: Numbers,
    values: Values,
    position: int,
    player: int,
    replies: Values,
    out: Values,
) -> None:
    """Write into `out` the value to player 0 of each action of `player`; NaN if not legal.

    The other player draws from the probabilities `replies`.
    """
    raise NotImplementedError


@rule
def spread(
    cfg: Cfg, index: Numbers, position: int, player: int, replies: Values, reached: Mask
) -> None:
    """Mark in `reached` the positions that can follow this one.

    `player` may take any legal action; the other player draws from the probabilities `replies`.
    """
    raise NotImplementedError


@dataclass(frozen=True, eq=False)
class PositionIndex:
    """The index of the positions of one game.

    Attributes:
        game: the game with its rules.
        numbers: a table of the game's own, which its functions below read.
        layers: layer i holds the positions layers[i] .. layers[i + 1] - 1. A move leads to a lower
            position.
        starts: the first positions of a game, and the probability of each.
        put: the game's `put_position`.
        find: the game's `find_position`.
        worths: the game's `worths`.
        spread: the game's `spread`; None: all positions count as reached.
    """

    game: Game
    numbers: NDArray[np.int64]
    layers: tuple[int, ...]
    starts: tuple[tuple[int, float], ...]
    put: Function
    find: Function
    worths: Function
    spread: Function | None = None

    @property
    def positions(self) -> int:
        """The number of positions."""
        return self.layers[-1]

    def states(self, positions: NDArray[np.int64], seat: int) -> NDArray[np.int64]:
        """Return the states (positions, size) in which `seat` is to move."""
        game = self.game
        found = np.zeros((len(positions), game.state_size), np.int64)
        put = self.compiled(put_states)
        put(game.cfg, self.numbers, positions, seat, game.actions, found)
        return found

    def deciding(self, seat: int) -> NDArray[np.int64]:
        """Return all positions, because both players move in each of them."""
        return np.arange(self.positions)

    def compiled(self, body: Function, **more: Function) -> Function:
        """Return `body` compiled for the game, with the functions of this index and `more`."""
        own = {"put_position": self.put, "find_position": self.find, "worths": self.worths}
        if self.spread is not None:
            own["spread"] = self.spread
        return self.game.compiled(body, **own, **more)


def pack(index: Numbers, values: Values) -> Values:
    """Return the numbers of an index and values as the params of a bot.

    `index_in` and `values_of` take the two parts out again.
    """
    return np.concatenate([[len(index)], index, values]).astype(np.float64)


def index_in(params: Params) -> Numbers:
    """Return the numbers of the index in the params of a bot; see `pack`."""
    return params[1 : 1 + int(params[0])]


def values_of(params: Params) -> Values:
    """Return the values in the params of a bot; see `pack`."""
    return params[1 + int(params[0]) :]


def _put_before(
    cfg: Cfg,
    index: Numbers,
    position: int,
    seat: int,
    state: NDArray[np.int64],
    mask: NDArray[np.int8],
    rng: Rng,
) -> None:
    """Write the state in which `seat` is to move; for seat 1, player 0 first commits any move."""
    put_position(cfg, index, position, state)
    if seat == 1:
        legal(cfg, state, mask)
        for action in range(len(mask)):
            if mask[action]:
                step(cfg, state, action, rng)
                break


def put_states(
    cfg: Cfg,
    index: Numbers,
    positions: NDArray[np.int64],
    seat: int,
    actions: int,
    states: NDArray[np.int64],
) -> None:
    """Write the state of each position in which `seat` is to move."""
    cfg, index, states = borrow(cfg), borrow(index), borrow(states)
    masks, luck = np.zeros(actions, np.int8), np.ones(WORDS, np.uint64)
    mask, rng = borrow(masks), borrow(luck)
    for k in range(len(positions)):
        _put_before(cfg, index, positions[k], seat, states[k], mask, rng)
    keep(masks)
    keep(luck)
