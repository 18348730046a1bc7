"""How well somebody plays Coins: does he keep the value of positions, and what beats him?

Works on boards whose solution is known (`coins.py`). Positions are the sets of coins that lie; who
is to move makes no difference to what a good move is. Taking coins leads to lower numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.coins import gains_of, is_lost, table_of
from bidarena.baselines.solvers.positions import Book, Numbers, Values
from bidarena.envs.coins.rules import (
    BOARD,
    BONUS,
    COINS,
    COLOURS,
    FIXED,
    LAST_COIN,
    LAST_MOVE,
    LOSES,
    MOVER,
    PLAIN,
    POINTS,
    SCORE,
    SEEDED,
    SEGMENTS,
    TAKES,
    TOTALS,
    VALUES,
)
from bidarena.envs.compile import borrow
from bidarena.envs.game import Cfg, Game, State


def book_for(game: Game) -> Book:
    """The positions of a board, for asking somebody what he does in them as the player to move."""
    if game.cfg[COLOURS] == SEEDED:
        raise ValueError("colours='seeded': every game is another; expected values= instead")
    return Book(
        game=game,
        numbers=np.zeros(1, np.int64),
        layers=(0, 1 << int(game.cfg[COINS])),
        starts=(((1 << int(game.cfg[COINS])) - 1, 1.0),),
        put=put,
        find=find,
        worths=_no_matrix,
    )


def put(cfg: Cfg, book: Numbers, position: int, state: State) -> None:
    """A board on which player 0 is to move and nobody has points."""
    state[BOARD] = position
    state[MOVER] = 0
    state[LAST_MOVE] = -1
    if cfg[COLOURS] != PLAIN:
        state[TOTALS] = 0
        state[TOTALS + 1] = 0
        for coin in range(cfg[COINS]):
            state[VALUES + coin] = cfg[TAKES + cfg[SEGMENTS] + coin]


def find(cfg: Cfg, book: Numbers, state: State) -> int:
    """The coins that lie."""
    return state[BOARD]


def _no_matrix(
    cfg: Cfg,
    book: Numbers,
    values: Values,
    position: int,
    player: int,
    replies: Values,
    out: Values,
) -> None:
    """Nobody moves at the same time in Coins."""
    out[:] = np.nan


def gains_in(game: Game) -> NDArray[np.int64]:
    """The points of every action, as far as they count."""
    counted = game.cfg[SCORE] == POINTS and game.cfg[COLOURS] == FIXED
    return gains_of(game.cfg) if counted else np.zeros(game.actions, np.int64)


def end_of(game: Game) -> int:
    """What taking the last coin is worth to the one who does it."""
    if game.cfg[SCORE] == POINTS:
        return int(game.cfg[BONUS])
    return -1 if game.cfg[LAST_COIN] == LOSES else 1


def values_in(game: Game) -> NDArray[np.int16]:
    """The value of every position for the player to move: 1, -1, or by how much he is ahead."""
    table = table_of(game)
    if game.cfg[SCORE] == POINTS:
        values: NDArray[np.int16] = table
        return values
    bits = np.unpackbits(table.view(np.uint8), bitorder="little")[: 1 << int(game.cfg[COINS])]
    return 1 - 2 * bits.astype(np.int16)


def move_keeps(game: Game, table: Any, board: int, action: int) -> tuple[bool, bool]:
    """Does a move keep the value of a position? Is there any move that does not?"""
    takes = game.cfg[TAKES : TAKES + game.cfg[SEGMENTS]].tolist()
    gains, end = gains_in(game).tolist(), end_of(game)
    points = game.cfg[SCORE] == POINTS
    worth = {}
    for k, take in enumerate(takes):
        if take & ~board == 0:
            after = board ^ take
            if after == 0:
                worth[k] = gains[k] + end
            elif points:
                worth[k] = gains[k] - int(table[after])
            else:
                worth[k] = 1 if is_lost(table, after) else -1
    best = max(worth.values())
    return worth[action] == best, min(worth.values()) < best


# --- compiled ------------------------------------------------------------------------------------


def keep_range(
    cfg: Cfg,
    gains: NDArray[np.int64],
    end: int,
    values: NDArray[np.int16],
    policy: Values,
    first: int,
    kept: Values,
    matters: NDArray[np.bool_],
) -> None:
    """How likely the value is kept in the positions from `first` on, and whether it can be lost."""
    cfg, values, policy, kept = borrow(cfg), borrow(values), borrow(policy), borrow(kept)
    for k in range(len(policy)):
        board = first + k
        best, worst = -(1 << 30), 1 << 30
        right = 0.0
        for action in range(cfg[SEGMENTS]):
            take = cfg[TAKES + action]
            if take & ~board != 0:
                continue
            after = board ^ take
            worth = gains[action] + (end if after == 0 else -values[after])
            if worth > best:
                best = worth
                right = 0.0
            worst = min(worst, worth)
            if worth == best:
                right += policy[k, action]
        kept[board] = right
        matters[board] = worst < best


def visit_range(cfg: Cfg, policy: Values, first: int, visits: Values) -> None:
    """Pass on how often positions are visited, from the highest to `first`."""
    cfg, policy, visits = borrow(cfg), borrow(policy), borrow(visits)
    for k in range(len(policy) - 1, -1, -1):
        board = first + k
        if visits[board] == 0.0:
            continue
        for action in range(cfg[SEGMENTS]):
            if policy[k, action] > 0.0:
                visits[board ^ cfg[TAKES + action]] += visits[board] * policy[k, action]


def respond_range(
    cfg: Cfg,
    gains: NDArray[np.int64],
    end: int,
    policy: Values,
    first: int,
    own: Values,
    other: Values,
) -> None:
    """What a best responder gets if he is to move (own), and if the player is (other)."""
    cfg, policy, own, other = borrow(cfg), borrow(policy), borrow(own), borrow(other)
    for k in range(len(policy)):
        board = first + k
        best, expected = -np.inf, 0.0
        for action in range(cfg[SEGMENTS]):
            take = cfg[TAKES + action]
            if take & ~board != 0:
                continue
            after = board ^ take
            now = gains[action] + (end if after == 0 else 0)
            best = max(best, now + (0.0 if after == 0 else other[after]))
            if policy[k, action] > 0.0:
                expected += policy[k, action] * (-now + (0.0 if after == 0 else own[after]))
        own[board] = best
        other[board] = expected
