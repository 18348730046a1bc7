"""A network that judges pairs of moves made at the same time as a compiled bot.

The network gives a number for every pair of an own action and one of the other player: the result
that he expects of it, where the largest result of the game counts 1. That is a matrix game, and the
bot plays what is optimal in it. So it draws where drawing is right, although what it learned is
plain numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.network import GREEDY, SIZES, Network, forward, packed
from bidarena.baselines.solvers.matrix import solve_into
from bidarena.envs.game import (
    Cfg,
    Game,
    Mask,
    Params,
    Rng,
    State,
    legal,
    observe,
    step,
    to_move,
    withdraw,
)
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS, draw


def pairs_bot(game: Game, network: Network, name: str, *, deterministic: bool = False) -> Bot:
    """The bot of a network that `check_sizes` has found to fit.

    Args:
        game: the game whose observations and actions the network is for.
        network: with the head "matrix".
        name: of the bot.
        deterministic: always the likeliest action instead of drawing one.
    """
    params = packed(network, deterministic)
    return Bot(
        *(name, _act, params, game.key), deterministic=deterministic, distribution=_distribution
    )


# --- compiled for each game ----------------------------------------------------------------------


def _act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    chances = np.empty(len(scratch), np.float64)
    _distribution(cfg, params, state, player, scratch, chances)
    if params[GREEDY]:
        return int(np.argmax(chances))
    return draw(rng, chances)


def _distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write how likely each action is in an equilibrium of what the network expects."""
    seen = np.empty(int(params[SIZES]), np.float32)
    observe(cfg, state, player, seen)
    numbers = forward(params, seen)
    # What both may do is known to both: it is read off the moment before anybody has moved.
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


def submatrix(
    numbers: Params, own: NDArray[np.int64], other: NDArray[np.int64], actions: int
) -> NDArray[np.float64]:
    """The pairs of legal actions of what a network gave, a row for each of one's own."""
    matrix = np.empty((len(own), len(other)), np.float64)
    for i in range(len(own)):
        for j in range(len(other)):
            matrix[i, j] = numbers[own[i] * actions + other[j]]
    return matrix
