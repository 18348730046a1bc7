"""A compiled bot with a network that judges pairs of moves made at the same time.

The network gives a number for every pair of an own action and an action of the other player: the
expected result of the pair, where the largest result of the game counts 1. These numbers are a
matrix game, and the bot plays an optimal strategy of it. So it mixes its actions where that is
right, although it learned only expected results.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.network import (
    GREEDY,
    SIZES,
    Network,
    as_params,
    choose_act,
    forward,
)
from bidarena.baselines.solvers.matrix import solve_into
from bidarena.envs.compile import fill_in
from bidarena.envs.game import (
    Cfg,
    Game,
    Mask,
    Params,
    State,
    legal,
    observe,
    step,
    to_move,
    withdraw,
)
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS


def pairs_bot(game: Game, network: Network, name: str, *, deterministic: bool = False) -> Bot:
    """Return the bot of a network that fits the game.

    Args:
        game: the game whose observations and actions the network is for.
        network: a network with the head "matrix"; `check_sizes` must have accepted it.
        name: the name of the bot.
        deterministic: always take the most probable action instead of drawing one.
    """
    params = as_params(network, deterministic)
    return Bot(
        *(name, pairs_act, params, game.key),
        deterministic=deterministic,
        distribution=_distribution,
        foresight=0,  # neither observations nor legal actions depend on the clock
    )


# --- compiled for each game ----------------------------------------------------------------------


def _distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write the probability of each action in an equilibrium of the network's matrix."""
    seen = np.empty(int(params[SIZES]), np.float32)
    observe(cfg, state, player, seen)
    numbers = forward(params, seen)
    # Both players know the legal actions of both. They are read from the state in which neither
    # has moved yet.
    moment = state.copy()
    withdraw(cfg, moment)
    first_is_own = to_move(cfg, moment) == player
    legal(cfg, moment, scratch)
    own = np.flatnonzero(scratch)
    step(cfg, moment, own[0], np.ones(WORDS, np.uint64))
    legal(cfg, moment, scratch)
    other = np.flatnonzero(scratch)
    if not first_is_own:
        own, other = other, own
    row, column = np.empty(len(own), np.float64), np.empty(len(other), np.float64)
    solve_into(submatrix(numbers, own, other, len(scratch)), row, column)
    out[:] = 0.0
    for i in range(len(own)):
        out[own[i]] = row[i]
    if params[GREEDY]:
        best = int(np.argmax(out))
        out[:] = 0.0
        out[best] = 1.0


pairs_act = fill_in(choose_act, __name__, "pairs_act", distribution=_distribution)


def submatrix(
    numbers: Params, own: NDArray[np.int64], other: NDArray[np.int64], actions: int
) -> NDArray[np.float64]:
    """Return the matrix of legal pairs, a row per own action, from the outputs of a network."""
    matrix = np.empty((len(own), len(other)), np.float64)
    for i in range(len(own)):
        for j in range(len(other)):
            matrix[i, j] = numbers[own[i] * actions + other[j]]
    return matrix
