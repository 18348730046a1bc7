"""`exact`, the bot of Coins that plays perfectly from the table of a solved board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.coins.solver import LOW, table_of
from bidarena.envs.bits import count
from bidarena.envs.coins.rules import POINTS, C, S, points_of
from bidarena.envs.compile import fill_in, rule
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot
from bidarena.envs.rng import below

_ONE = np.uint64(1)


def exact(game: Game, memory: float = 1.0) -> Bot:
    """Play perfectly from the table of the solved board, if that table takes up to `memory` GiB.

    It draws among all moves that keep the best result. Where coins have points but the last coin
    decides, it draws only among those of them that take the most points. When every move loses, it
    takes as few coins as it can, so that the game lasts long.

    Args:
        game: Coins.
        memory: GiB that the table may take. It is worked out anew in every process.
    """
    if isinstance(memory, bool) or not isinstance(memory, int | float) or not 0 < memory <= 1 << 20:
        raise ValueError(f"memory={memory!r}: expected GiB, more than 0")
    table = table_of(game, int(memory * 2**30))
    if game.cfg[C.score] == POINTS:
        return Bot("exact", _best_difference_act, table, distribution=_best_difference_distribution)
    return Bot("exact", _leave_lost_act, table, distribution=_leave_lost_distribution)


_ILLEGAL = -(1 << 62)


@rule
def worth(cfg: Cfg, params: Params, state: State, action: int) -> int:
    """Return what an action is worth by the table in `params`; `_ILLEGAL` if it is not legal."""
    raise NotImplementedError


def _best_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Draw one of the actions that are worth most."""
    best = _ILLEGAL
    found = 0
    chosen = -1
    for action in range(cfg[C.segments]):
        value = worth(cfg, params, state, action)
        if value > best:
            best = value
            found = 0
        if value == best and value != _ILLEGAL:
            found += 1
            if below(rng, found) == 0:
                chosen = action
    return chosen


def _best_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write how likely `_best_act` takes each action."""
    best = _ILLEGAL
    found = 0
    for action in range(cfg[C.segments]):
        value = worth(cfg, params, state, action)
        found = found + 1 if value == best else (1 if value > best else found)
        best = max(best, value)
    for action in range(cfg[C.segments]):
        equal = worth(cfg, params, state, action) == best
        out[action] = 1.0 / found if equal else 0.0


# Where the last coin decides: `params` has a bit for every position that is lost for the mover.


def _leave_lost_worth(cfg: Cfg, params: Params, state: State, action: int) -> int:
    """Return the points of a winning action, a number far below 0 for a losing one."""
    take = cfg[C.takes + action]
    if take & ~state[S.board] != 0:
        return _ILLEGAL
    after = state[S.board] ^ take
    if (params[after >> LOW] >> np.uint64(after & 63)) & _ONE == _ONE:  # lost for the other
        return points_of(cfg, state, take)
    return -(1 << 40) - count(take)


_leave_lost_act = fill_in(_best_act, __name__, "_leave_lost_act", worth=_leave_lost_worth)
_leave_lost_distribution = fill_in(
    _best_distribution, __name__, "_leave_lost_distribution", worth=_leave_lost_worth
)

# Where points decide: `params` has for every position by how much the mover will be ahead.


def _difference_worth(cfg: Cfg, params: Params, state: State, action: int) -> int:
    """Return by how much the mover will be ahead after an action, from now on."""
    take = cfg[C.takes + action]
    if take & ~state[S.board] != 0:
        return _ILLEGAL
    after = state[S.board] ^ take
    value = points_of(cfg, state, take) - params[after]
    return value + cfg[C.last_bonus] if after == 0 else value


_best_difference_act = fill_in(_best_act, __name__, "_best_difference_act", worth=_difference_worth)
_best_difference_distribution = fill_in(
    _best_distribution, __name__, "_best_difference_distribution", worth=_difference_worth
)
