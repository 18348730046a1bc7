"""The bots of Coins that need no search: random moves, and exact play from a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.coins import LOW, table_of
from bidarena.envs.coins.rules import (
    BOARD,
    BONUS,
    COINS,
    COLOURS,
    PLAIN,
    POINTS,
    SCORE,
    SEGMENTS,
    TAKES,
    VALUES,
)
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, legal
from bidarena.envs.registry import Bot
from bidarena.envs.rng import below, pick

TRIES = 24

_ONE = np.uint64(1)


def count(coins: int) -> int:
    """How many coins are in a position or a segment."""
    found = 0
    while coins:
        coins &= coins - 1
        found += 1
    return found


def points_of(cfg: Cfg, state: State, take: int) -> int:
    """The points of the coins in `take`; 0 on a plain board."""
    if cfg[COLOURS] == PLAIN:
        return 0
    points = 0
    for coin in range(cfg[COINS]):
        points += (take >> coin & 1) * state[VALUES + coin]
    return points


def random(game: Game) -> Bot:
    """Every legal move equally likely."""
    return Bot("random", _random_act, distribution=_random_distribution)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    # While many moves are legal, drawing until one is found is faster than listing them all.
    taken = ~state[BOARD]
    for _ in range(TRIES):
        action = below(rng, cfg[SEGMENTS])
        if cfg[TAKES + action] & taken == 0:
            return action
    legal(cfg, state, scratch)
    return pick(rng, scratch)


def _random_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    legal(cfg, state, scratch)
    allowed = scratch.sum()
    for action in range(len(scratch)):
        out[action] = scratch[action] / allowed


def exact(game: Game) -> Bot:
    """Perfect play from the table of the solved board, for boards whose table takes up to 1 GiB.

    Draws among all moves that keep the best result; where points only guide the play, among those
    of them that take the most points. When every move loses it takes as few coins as it can, and
    leaves the opponent the longest way to go.
    """
    table = table_of(game)
    if game.cfg[SCORE] == POINTS:
        return Bot("exact", _best_difference_act, table, distribution=_best_difference_distribution)
    return Bot("exact", _leave_lost_act, table, distribution=_leave_lost_distribution)


_ILLEGAL = -(1 << 62)


def _leave_lost_worth(cfg: Cfg, params: Params, state: State, action: int) -> int:
    take = cfg[TAKES + action]
    if take & ~state[BOARD] != 0:
        return _ILLEGAL
    after = state[BOARD] ^ take
    if (params[after >> LOW] >> np.uint64(after & 63)) & _ONE == _ONE:  # lost for the other
        return points_of(cfg, state, take)
    return -(1 << 40) - count(take)


def _leave_lost_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    best = _ILLEGAL
    found = 0
    chosen = -1
    for action in range(cfg[SEGMENTS]):
        worth = _leave_lost_worth(cfg, params, state, action)
        if worth > best:
            best = worth
            found = 0
        if worth == best and worth != _ILLEGAL:
            found += 1
            if below(rng, found) == 0:
                chosen = action
    return chosen


def _leave_lost_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    best = _ILLEGAL
    found = 0
    for action in range(cfg[SEGMENTS]):
        worth = _leave_lost_worth(cfg, params, state, action)
        found = found + 1 if worth == best else (1 if worth > best else found)
        best = max(best, worth)
    for action in range(cfg[SEGMENTS]):
        equal = _leave_lost_worth(cfg, params, state, action) == best
        out[action] = 1.0 / found if equal else 0.0


def _difference_worth(cfg: Cfg, params: Params, state: State, action: int) -> int:
    take = cfg[TAKES + action]
    if take & ~state[BOARD] != 0:
        return _ILLEGAL
    after = state[BOARD] ^ take
    worth = points_of(cfg, state, take) - params[after]
    return worth + cfg[BONUS] if after == 0 else worth


def _best_difference_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    best = _ILLEGAL
    found = 0
    chosen = -1
    for action in range(cfg[SEGMENTS]):
        worth = _difference_worth(cfg, params, state, action)
        if worth > best:
            best = worth
            found = 0
        if worth == best and worth != _ILLEGAL:
            found += 1
            if below(rng, found) == 0:
                chosen = action
    return chosen


def _best_difference_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    best = _ILLEGAL
    found = 0
    for action in range(cfg[SEGMENTS]):
        worth = _difference_worth(cfg, params, state, action)
        found = found + 1 if worth == best else (1 if worth > best else found)
        best = max(best, worth)
    for action in range(cfg[SEGMENTS]):
        equal = _difference_worth(cfg, params, state, action) == best
        out[action] = 1.0 / found if equal else 0.0
