"""A compiled bot that looks one move ahead, with a network that judges positions part by part.

For games whose positions fall into parts that do not affect each other (envs/registry/parts.py).
The first layers of the network see each part by itself. Their outputs, squashed by tanh to numbers
from -1 to 1, are multiplied over all parts. The other layers take the products and give one number
x: the player to move expects the result tanh(x / 2), where the largest result of the game counts 1.

Products are what sums of games need: by the theory of Sprague and Grundy a part counts as a heap of
Nim, heaps are added without carry, and that is a product of signs, one for each binary digit. A
network of plain layers has to find such parities in everything at once, which it hardly does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.afterstates import CHANCE, scale_of, sides_of
from bidarena.baselines.learned.network import (
    ACTIVATION,
    LAYERS,
    RELU,
    SIZES,
    Network,
    Numbers,
    as_params,
)
from bidarena.envs.game import (
    Cfg,
    Game,
    Mask,
    Params,
    Rng,
    State,
    layout,
    legal,
    returns,
    starts,
    step,
    to_move,
)
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS
from bidarena.envs.structure.parts import needed_parts, split

MEMO = 512  # parts whose factors are remembered while the moves of a position are compared
_KEY = np.uint64(0xD6E8FEB86659FD93)
_S32 = np.uint64(32)

# params: these numbers, the side of each player, the numbers of `Parts`, then the network
H = starts(layout(scale=1, players=1, most=1, part_layers=1, network_at=1, sides=1))


def parts_params(game: Game, network: Network) -> Numbers:
    """Return the params that `judge_parts` and the bot read."""
    parts = needed_parts(game)
    head = [scale_of(game), game.players, parts.most, network.part_layers, 0, *sides_of(game)]
    head[H.network_at] = len(head) + len(parts.params)
    numbers = [np.asarray(head, np.float32), parts.params.astype(np.float32)]
    return np.concatenate([*numbers, as_params(network, True)])


def parts_bot(game: Game, network: Network, name: str) -> Bot:
    """Return the bot of a network that `check_sizes` has accepted; the bot never draws."""
    return Bot(
        name,
        parts_act,
        parts_params(game, network),
        game.key,
        {"split": needed_parts(game).split},
        deterministic=True,
        distribution=_distribution,
    )


def judged(network: Network, parts: Sequence[NDArray[np.float32]]) -> float:
    """Return what a network says of a position with these parts, in NumPy: the number x."""
    numbers = np.asarray(parts, np.float32)
    for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        if layer == network.part_layers:
            numbers = np.tanh(numbers).prod(axis=0)
        elif layer:
            numbers = np.maximum(numbers, 0) if network.activation == "relu" else np.tanh(numbers)
        numbers = numbers @ weight + bias
    return float(numbers[0])


# --- compiled for each game ----------------------------------------------------------------------


def parts_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return the action after which the player expects most: the `act` of these bots."""
    return _best(cfg, params, state, player, scratch)


def _distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write 1 for the action that the bot takes, 0 for all others."""
    out[:] = 0.0
    out[_best(cfg, params, state, player, scratch)] = 1.0


def _best(cfg: Cfg, params: Params, state: State, player: int, scratch: Mask) -> int:
    """Return the action after which `player` expects most; of equals the first."""
    legal(cfg, state, scratch)
    network = params[int(params[H.network_at]) :]
    after = np.empty(len(state), np.int64)
    views = np.empty((int(params[H.most]), int(network[SIZES])), np.float32)
    memo_keys = np.zeros(MEMO, np.uint64)
    memo = np.empty((MEMO, int(network[SIZES + int(params[H.part_layers])])), params.dtype)
    result = np.empty(int(params[H.players]), np.float64)
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
            worth = result[player] * np.float64(params[H.scale])
        else:
            worth = np.tanh(0.5 * judge_parts(cfg, params, after, views, memo_keys, memo))
            if params[H.sides + mover] != params[H.sides + player]:
                worth = -worth
        if best < 0 or worth > highest:
            best = action
            highest = worth
    return best


def judge_parts(
    cfg: Cfg,
    params: Params,
    state: State,
    views: NDArray[np.float32],
    memo_keys: NDArray[np.uint64],
    memo: Params,
) -> float:
    """Return the number x of a position in which the game is not over.

    Args:
        cfg: the options of the rules.
        params: see `parts_params`.
        state: the position.
        views: (most, size) is overwritten.
        memo_keys: keys of parts whose factors are known, 0 where none is; a power of two of them.
        memo: (memo_keys, factors) these factors; both are filled in.
    """
    at = int(params[H.network_at])
    found = split(cfg, params[H.sides + int(params[H.players]) : at], state, views)
    network = params[at:]
    seen_alone = int(params[H.part_layers])
    factors = np.ones(int(network[SIZES + seen_alone]), params.dtype)
    for k in range(found):
        key = _KEY
        for cell in range(views.shape[1]):
            key = (key ^ np.uint64(np.int64(views[k, cell] * 1024))) * _KEY
            key ^= key >> _S32
        key |= np.uint64(1)
        slot = np.int64(key >> _S32) & (len(memo_keys) - 1)
        if memo_keys[slot] != key:
            numbers = _through(network, 0, seen_alone, views[k].astype(params.dtype))
            for i in range(len(factors)):
                memo[slot, i] = np.tanh(numbers[i])
            memo_keys[slot] = key
        for i in range(len(factors)):
            factors[i] *= memo[slot, i]
    return np.float64(_through(network, seen_alone, int(network[LAYERS]), factors)[0])


def _through(network: Params, first: int, last: int, numbers: Params) -> Params:
    """Return numbers after the layers `first` to `last` - 1, without an activation at the end."""
    at = SIZES + int(network[LAYERS]) + 1
    for layer in range(last):
        inputs, outgoing = int(network[SIZES + layer]), int(network[SIZES + layer + 1])
        bias = at + inputs * outgoing
        if layer >= first:
            following = network[bias : bias + outgoing].copy()
            for i in range(inputs):
                number = numbers[i]
                if number != 0.0:
                    row = at + i * outgoing
                    for k in range(outgoing):
                        following[k] += number * network[row + k]
            if layer < last - 1:
                for k in range(outgoing):
                    if network[ACTIVATION] == RELU:
                        following[k] = max(following[k], np.float32(0.0))
                    else:
                        following[k] = np.tanh(following[k])
            numbers = following
        at = bias + outgoing
    return numbers
