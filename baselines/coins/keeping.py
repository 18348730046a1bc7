"""How well a player plays Coins: how often they keep the value of positions, what beats them.

This works on boards that can be solved (`solver.py`). A position is the set of coins on the board,
as a number; a good move does not depend on which player is to move. Taking coins leads to lower
numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.coins.solver import gains_of, is_lost, table_of
from bidarena.baselines.solvers.positions import Numbers, PositionIndex, Values
from bidarena.envs.coins.rules import FIXED, LOSES, PLAIN, POINTS, SEEDED, C, S
from bidarena.envs.compile import borrow
from bidarena.envs.game import Cfg, Game, State


def index_positions(game: Game) -> PositionIndex:
    """Return the index of all positions of a board, in which a player can be asked for moves."""
    if game.cfg[C.colours] == SEEDED:
        raise ValueError("colours='seeded': every game is another; expected values= instead")
    return PositionIndex(
        game=game,
        numbers=np.zeros(1, np.int64),
        layers=(0, 1 << int(game.cfg[C.coins])),
        starts=(((1 << int(game.cfg[C.coins])) - 1, 1.0),),
        put=put,
        find=find,
        worths=_no_matrix,
    )


def put(cfg: Cfg, index: Numbers, position: int, state: State) -> None:
    """Write the state of a position in which player 0 is to move and nobody has points."""
    state[S.board] = position
    state[S.mover] = 0
    state[S.last_move] = -1
    if cfg[C.colours] != PLAIN:
        state[S.points] = 0
        state[S.points + 1] = 0
        for coin in range(cfg[C.coins]):
            state[S.values + coin] = cfg[C.takes + cfg[C.segments] + coin]


def find(cfg: Cfg, index: Numbers, state: State) -> int:
    """Return the position of a state: the coins on the board."""
    return state[S.board]


def _no_matrix(
    cfg: Cfg,
    index: Numbers,
    values: Values,
    position: int,
    player: int,
    replies: Values,
    out: Values,
) -> None:
    """Write nan: in Coins nobody moves at the same time."""
    out[:] = np.nan


def gains_in(game: Game) -> NDArray[np.int64]:
    """Return the points of every action; zeros where points do not decide."""
    counted = game.cfg[C.score] == POINTS and game.cfg[C.colours] == FIXED
    return gains_of(game.cfg) if counted else np.zeros(game.actions, np.int64)


def end_of(game: Game) -> int:
    """Return what taking the last coin is worth to the player who takes it."""
    if game.cfg[C.score] == POINTS:
        return int(game.cfg[C.last_bonus])
    return -1 if game.cfg[C.last_coin] == LOSES else 1


def values_in(game: Game) -> NDArray[np.int16]:
    """Return the value of every position for the player to move.

    It is 1 or -1 where the last coin decides, else by how much that player will be ahead.
    """
    table = table_of(game)
    if game.cfg[C.score] == POINTS:
        values: NDArray[np.int16] = table
        return values
    bits = np.unpackbits(table.view(np.uint8), bitorder="little")[: 1 << int(game.cfg[C.coins])]
    return 1 - 2 * bits.astype(np.int16)


def move_keeps(game: Game, table: Any, board: int, action: int) -> tuple[bool, bool]:
    """Return whether a move keeps the value of a position, and whether some move loses it."""
    takes = game.cfg[C.takes : C.takes + game.cfg[C.segments]].tolist()
    gains, end = gains_in(game).tolist(), end_of(game)
    points = game.cfg[C.score] == POINTS
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
    """Write for each position from `first` on how likely the value is kept, and whether it matters.

    Args:
        cfg: the rules.
        gains: the points of every action, see `gains_in`.
        end: what taking the last coin is worth, see `end_of`.
        values: the value of every position, see `values_in`.
        policy: (positions, actions) the player's probabilities in the positions from `first` on.
        first: the first of these positions.
        kept: gets the probability that the player keeps the value, by position.
        matters: gets whether some move loses the value, by position.
    """
    cfg, values, policy, kept = borrow(cfg), borrow(values), borrow(policy), borrow(kept)
    for k in range(len(policy)):
        board = first + k
        best, worst = -(1 << 30), 1 << 30
        right = 0.0
        for action in range(cfg[C.segments]):
            take = cfg[C.takes + action]
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
    """Add to `visits` how often the positions after these are visited, from the highest on.

    `policy` has the player's probabilities in the positions from `first` on.
    """
    cfg, policy, visits = borrow(cfg), borrow(policy), borrow(visits)
    for k in range(len(policy) - 1, -1, -1):
        board = first + k
        if visits[board] == 0.0:
            continue
        for action in range(cfg[C.segments]):
            if policy[k, action] > 0.0:
                visits[board ^ cfg[C.takes + action]] += visits[board] * policy[k, action]


def respond_range(
    cfg: Cfg,
    gains: NDArray[np.int64],
    end: int,
    policy: Values,
    first: int,
    own: Values,
    other: Values,
) -> None:
    """Write what a best responder gets in each position from `first` on.

    `own` gets the result if the responder is to move, `other` if the player with `policy` is. For
    `gains` and `end` see `keep_range`.
    """
    cfg, policy, own, other = borrow(cfg), borrow(policy), borrow(own), borrow(other)
    for k in range(len(policy)):
        board = first + k
        best, expected = -np.inf, 0.0
        for action in range(cfg[C.segments]):
            take = cfg[C.takes + action]
            if take & ~board != 0:
                continue
            after = board ^ take
            now = gains[action] + (end if after == 0 else 0)
            best = max(best, now + (0.0 if after == 0 else other[after]))
            if policy[k, action] > 0.0:
                expected += policy[k, action] * (-now + (0.0 if after == 0 else own[after]))
        own[board] = best
        other[board] = expected
