"""Groups of coins that no move connects, seen alike wherever they lie and however they are turned.

A move takes neighbouring coins of one line, so it stays inside a group of coins that hang together
by pairs which could be taken. Where only the last coin decides, what a position is worth depends on
these groups alone. A group may be moved, turned and mirrored on its lattice: the lines of a square
board have 8 symmetries, those of a triangular one 12.

This is a fact about the rules, as symmetry is; who wins is not told here.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.bits import count
from bidarena.envs.coins.env import board_of
from bidarena.envs.coins.lines import Board
from bidarena.envs.coins.rules import PLAIN, C, S
from bidarena.envs.game import Cfg, Game, Params, State, layout, starts
from bidarena.envs.registry.parts import Parts

MOST_CELLS = 62  # of the smallest rectangle around the board: a group is one integer

# params: rows and columns of that rectangle, the number of pairs that can be taken, the number of
# symmetries; then for each symmetry the row of every coin, and its column
P = starts(layout(rows=1, columns=1, pairs=1, turns=1, places=1))


def parts_of(game: Game) -> Parts | None:
    """Return the groups of a board; None where coins have points or the board is too large."""
    board = board_of(game)
    coins = len(board.cells)
    if game.cfg[C.colours] != PLAIN or board.rows * board.columns > MOST_CELLS:
        return None
    takes = game.cfg[C.takes : C.takes + game.cfg[C.segments]].tolist()
    pairs = sum(take.bit_count() == 2 for take in takes)
    turns = _turns(board)
    places = [
        [a * row + b * column for row, column in board.cells]
        for one in turns
        for a, b in (one[:2], one[2:])
    ]
    params = [board.rows, board.columns, pairs, len(turns), *np.ravel(places)]
    return Parts(split, np.array(params, np.float64), coins, board.rows * board.columns)


def _turns(board: Board) -> list[tuple[int, ...]]:
    """Return the symmetries of the lattice, each as a matrix for (row, column)."""
    steps = set(board.directions(False))
    steps |= {(-down, -right) for down, right in steps}
    return [
        (a, b, c, d)
        for a, b, c, d in product((1, 0, -1), repeat=4)
        if {(a * r + b * k, c * r + d * k) for r, k in steps} == steps
    ]


# --- compiled ------------------------------------------------------------------------------------


def split(cfg: Cfg, params: Params, state: State, views: NDArray[np.float32]) -> int:
    """Write the cells of each group, moved and turned into its least form; return how many."""
    lying = np.empty(64, np.int64)  # the numbers of a group's coins
    pairs = cfg[C.coins] + int(params[P.pairs])  # pairs follow on the single coins
    rest = state[S.board]
    found = 0
    while rest != 0:
        group, before = rest & -rest, 0
        while group != before:
            before = group
            for action in range(cfg[C.coins], pairs):
                take = cfg[C.takes + action]
                if take & group != 0 and take & ~rest == 0:
                    group |= take
        rest ^= group
        form = _least_form(cfg, params, group, lying)
        for cell in range(views.shape[1]):
            views[found, cell] = form >> cell & 1
        found += 1
    return found


def _least_form(cfg: Cfg, params: Params, group: int, lying: NDArray[np.int64]) -> int:
    """Return the smallest number that a group becomes by moving and turning it."""
    coins, size = cfg[C.coins], 0
    while group != 0:
        lowest = group & -group
        lying[size] = count(lowest - 1)
        size += 1
        group ^= lowest
    rows, columns = int(params[P.rows]), int(params[P.columns])
    least = np.int64(1) << MOST_CELLS
    for turn in range(int(params[P.turns])):
        row_at = P.places + 2 * turn * coins
        column_at = row_at + coins
        top, left, bottom, right = 1000, 1000, -1000, -1000
        for k in range(size):
            row, column = int(params[row_at + lying[k]]), int(params[column_at + lying[k]])
            top, bottom = min(top, row), max(bottom, row)
            left, right = min(left, column), max(right, column)
        if bottom - top >= rows or right - left >= columns:
            continue
        form = np.int64(0)
        for k in range(size):
            row, column = int(params[row_at + lying[k]]), int(params[column_at + lying[k]])
            form |= np.int64(1) << ((row - top) * columns + column - left)
        least = min(least, form)
    return least  # type: ignore[return-value]
