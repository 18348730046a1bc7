"""What a solver has to know of a game in which both players move at once: its positions, in a row.

A `Book` numbers the positions of a game so that play leads to earlier layers only. Four small
functions per game say the rest. Best responses and the evaluation of policies are written once
against them (`best_response.py`). Values are always those of player 0, what he will yet win.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import Function, rule
from bidarena.envs.game import Cfg, Game, Mask, Params, State

Numbers = NDArray[Any]  # of a book: whole numbers, also when they stand in an array of floats
Values = NDArray[np.float64]


@rule
def put_position(cfg: Cfg, book: Numbers, position: int, state: State) -> None:
    """Write the state of a position, in which nobody has committed a move."""
    raise NotImplementedError


@rule
def find_position(cfg: Cfg, book: Numbers, state: State) -> int:
    """The position of a state, whether player 0 has committed his move or not."""
    raise NotImplementedError


@rule
def worths(
    cfg: Cfg,
    book: Numbers,
    values: Values,
    position: int,
    player: int,
    replies: Values,
    out: Values,
) -> None:
    """What each action of `player` is worth (to player 0) if the other draws from `replies`.

    Actions that are not legal get NaN.
    """
    raise NotImplementedError


@rule
def spread(
    cfg: Cfg, book: Numbers, position: int, player: int, replies: Values, reached: Mask
) -> None:
    """Mark the positions that follow if `player` does anything and the other draws from replies."""
    raise NotImplementedError


@rule
def distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: Values
) -> None:
    """Write how likely a compiled bot takes each action: the law of what `act` draws."""
    raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Book:
    """The positions of one game."""

    game: Game
    numbers: NDArray[np.int64]  # what the functions below need to know
    # positions layers[i] .. layers[i + 1] - 1; play leads to lower numbers, with `spread` to lower
    # layers
    layers: tuple[int, ...]
    starts: tuple[tuple[int, float], ...]  # first positions and how likely each is
    put: Function
    find: Function
    worths: Function
    spread: Function | None = None  # None: all positions count as reached

    @property
    def positions(self) -> int:
        """How many."""
        return self.layers[-1]

    def compiled(self, body: Function, **more: Function) -> Function:
        """`body` compiled with the functions of this book."""
        own = {"put_position": self.put, "find_position": self.find, "worths": self.worths}
        if self.spread is not None:
            own["spread"] = self.spread
        return self.game.compiled(body, **own, **more)


def packed(book: Numbers, values: Values) -> Values:
    """Book and values as the parameters of one bot; `book_of` and `values_of` take them apart."""
    return np.concatenate([[len(book)], book, values]).astype(np.float64)


def book_of(params: Params) -> Numbers:
    """The book in the parameters of a bot."""
    return params[1 : 1 + int(params[0])]


def values_of(params: Params) -> Values:
    """The values in the parameters of a bot."""
    return params[1 + int(params[0]) :]
