"""A network that judges positions as a compiled bot: it looks one move ahead.

The network gives one number x for what a player sees when he is to move: he expects the result
tanh(x / 2), where the largest result of the game counts 1. The bot tries each of its moves on a
copy of the game and takes the one after which it stands best: where the game is over by the result,
otherwise by what the network thinks of whoever is to move there.

What chance does in a move that is only tried comes from a generator that is the same every time, so
the bot knows nothing of what the game will really draw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.network import SIZES, Network, forward, packed
from bidarena.envs.game import (
    Cfg,
    Game,
    Mask,
    Params,
    Rng,
    State,
    legal,
    observe,
    returns,
    step,
    to_move,
)
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS

# params: what a result is multiplied by, the side of each player, then the network
SCALE, PLAYERS, SIDES = 0, 1, 2
CHANCE = 0x9E3779B97F4A7C15  # both words of the generator for moves that are only tried


def sides_of(game: Game) -> NDArray[np.int64]:
    """(players,) 0 or 1: on which side each player is."""
    return np.unique(game.teams, return_inverse=True)[1].astype(np.int64)


def scale_of(game: Game) -> float:
    """What results are multiplied by so that the largest is 1."""
    return float(1.0 / np.abs(game.return_range).max())


def afterstates_bot(game: Game, network: Network, name: str) -> Bot:
    """The bot of a network that `check_sizes` has found to fit; it never draws."""
    head = np.array([scale_of(game), game.players, *sides_of(game)], np.float32)
    params = np.concatenate([head, packed(network, True)])
    return Bot(name, _act, params, game.key, deterministic=True, distribution=_distribution)


# --- compiled for each game ----------------------------------------------------------------------


def _act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    return _best(cfg, params, state, player, scratch)


def _distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write 1 for the action that is taken, 0 for all others."""
    out[:] = 0.0
    out[_best(cfg, params, state, player, scratch)] = 1.0


def _best(cfg: Cfg, params: Params, state: State, player: int, scratch: Mask) -> int:
    """The action after which `player` stands best, the first of several."""
    legal(cfg, state, scratch)
    players = int(params[PLAYERS])
    network = params[SIDES + players :]
    after = np.empty(len(state), np.int64)
    seen = np.empty(int(network[SIZES]), np.float32)
    result = np.empty(players, np.float64)
    luck = np.empty(WORDS, np.uint64)
    best = -1
    highest = 0.0
    for action in range(len(scratch)):
        if scratch[action] == 0:
            continue
        after[:] = state
        luck[:] = np.uint64(CHANCE)
        step(cfg, after, action, luck)
        mover = to_move(cfg, after)
        if mover < 0:
            returns(cfg, after, result)
            worth = result[player] * np.float64(params[SCALE])
        else:
            observe(cfg, after, mover, seen)
            worth = np.tanh(0.5 * np.float64(forward(network, seen)[0]))
            if params[SIDES + mover] != params[SIDES + player]:
                worth = -worth
        if best < 0 or worth > highest:
            best = action
            highest = worth
    return best
