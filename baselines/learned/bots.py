"""Makes the compiled bot that plays by a network.

Like any other compiled bot it plays inside batch loops, draws from the game's own generator, and
has a `distribution`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.afterstates import afterstates_bot
from bidarena.baselines.learned.network import (
    AFTERSTATES,
    GREEDY,
    LOOKING_AHEAD,
    MATRIX,
    PARTS,
    SIZES,
    Network,
    as_params,
    check_sizes,
    choose_act,
    forward,
)
from bidarena.baselines.learned.pairs import pairs_bot
from bidarena.baselines.learned.parts import parts_bot
from bidarena.baselines.learned.positions import positions_bot
from bidarena.envs.compile import fill_in
from bidarena.envs.game import Cfg, Game, Mask, Params, State, legal, observe
from bidarena.envs.registry import Bot


def network_bot(game: Game, network: Network, name: str, *, deterministic: bool = False) -> Bot:
    """Return the compiled bot that plays by a network.

    Args:
        game: the game whose observations and actions the network is for.
        network: a network with as many inputs and outputs as the game has.
        name: the name of the bot.
        deterministic: always take the most probable action instead of drawing one.
    """
    check_sizes(game, network)
    if network.head == AFTERSTATES:
        return afterstates_bot(game, network, name)
    if network.head == PARTS:
        return parts_bot(game, network, name)
    if network.head == MATRIX:
        return pairs_bot(game, network, name, deterministic=deterministic)
    if network.head in LOOKING_AHEAD:
        return positions_bot(game, network, name, deterministic=deterministic)
    greedy = deterministic or network.head == "values"
    params = as_params(network, greedy)
    return Bot(
        *(name, network_act, params, game.key),
        deterministic=bool(greedy),
        distribution=_distribution,
        foresight=0,  # observations do not show the clock
    )


# --- compiled for each game ----------------------------------------------------------------------


def _distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write the probability of each action."""
    legal(cfg, state, scratch)
    seen = np.empty(int(params[SIZES]), np.float32)
    observe(cfg, state, player, seen)
    numbers = forward(params, seen)
    best = -1
    for action in range(len(scratch)):
        out[action] = 0.0
        if scratch[action] and (best < 0 or numbers[action] > numbers[best]):
            best = action
    if params[GREEDY]:
        out[best] = 1.0
        return
    total = 0.0
    for action in range(len(scratch)):
        if scratch[action]:
            out[action] = np.exp(np.float64(numbers[action] - numbers[best]))
            total += out[action]
    for action in range(len(scratch)):
        out[action] /= total


network_act = fill_in(choose_act, __name__, "network_act", distribution=_distribution)
