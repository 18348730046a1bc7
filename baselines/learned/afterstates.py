"""A compiled bot that looks one move ahead, with a network that judges positions.

The network takes the observation of the player to move and gives one number x: that player expects
the result tanh(x / 2), where the largest result of the game counts 1. The position after a move is
an afterstate. The bot tries each of its moves on a copy of the game and takes the one with the best
afterstate: judged by the result if the game is over, else by the network.

Tried moves draw their random numbers from a fixed generator, not from that of the game, so the bot
cannot know what the game will really draw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.network import SIZES, Network, as_params, forward
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

# params: the factor for results, the number of players, the side of each, then the network
SCALE, PLAYERS, SIDES = 0, 1, 2
CHANCE = 0x9E3779B97F4A7C15  # both words of the fixed generator for tried moves


def sides_of(game: Game) -> NDArray[np.int64]:
    """Return the side of each player, (players,) of 0 or 1."""
    return np.unique(game.teams, return_inverse=True)[1].astype(np.int64)


def scale_of(game: Game) -> float:
    """Return the factor that makes the largest result of the game 1."""
    return float(1.0 / np.abs(game.return_range).max())


def afterstates_bot(game: Game, network: Network, name: str) -> Bot:
    """Return the bot of a network that `check_sizes` has accepted; the bot never draws."""
    head = np.array([scale_of(game), game.players, *sides_of(game)], np.float32)
    params = np.concatenate([head, as_params(network, True)])
    return Bot(name, _act, params, game.key, deterministic=True, distribution=_distribution)


# --- compiled for each game ----------------------------------------------------------------------


def _act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    return _best(cfg, params, state, player, scratch)


def _distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write 1 for the action that the bot takes, 0 for all others."""
    out[:] = 0.0
    out[_best(cfg, params, state, player, scratch)] = 1.0


def _best(cfg: Cfg, params: Params, state: State, player: int, scratch: Mask) -> int:
    """Return the action with the best afterstate for `player`; of equals the first."""
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
