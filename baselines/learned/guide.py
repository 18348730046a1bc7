"""What a learned policy tells a search: how likely moves are, and what positions are worth.

A search (baselines/search) takes this in with `policy=`. By the head of the network:

    logits          priors of moves; positions are played out
    policy_value    priors of moves, and the value of a position for the player who sees it
    values          the value of the best legal move; all moves are equally likely before
    afterstates, parts, positions    the value of a position; all moves are equally likely before

Values are read as the largest result of the game times a number from -1 to 1. The network sees what
the player to move sees in the position that the search has guessed, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.afterstates import scale_of
from bidarena.baselines.learned.network import (
    AFTERSTATES,
    MATRIX,
    PARTS,
    POLICY_VALUE,
    POSITIONS,
    SIZES,
    Network,
    as_params,
    check_sizes,
    forward,
)
from bidarena.baselines.learned.parts import H, judge_parts, parts_params
from bidarena.baselines.learned.policy_file import check_fits, shipped_file
from bidarena.baselines.learned.policy_format import SUFFIX, load_policy
from bidarena.envs.compile import Function
from bidarena.envs.game import Cfg, Game, Mask, Params, State, legal, observe
from bidarena.envs.registry.parts import needed_parts
from bidarena.envs.registry.paths import find_policy

SHIPPED = ("learned", "ppo")  # bots that are policies of this package


@dataclass(frozen=True, eq=False)
class Guide:
    """What a search takes in of a policy.

    Args:
        params: the largest result, then the network; flat float64.
        priors: a plain function like the stub `priors` of the search; None: the policy has none.
        judge: a plain function like the stub `judge` of the search; None: the policy cannot.
        more: functions for further stubs that these use.
    """

    params: Params
    priors: Function | None = None
    judge: Function | None = None
    more: Mapping[str, Function] = field(default_factory=dict)


def guide_of(game: Game, policy: str) -> Guide:
    """Return what a policy tells a search of this game.

    Args:
        game: the game that is searched.
        policy: the path of a policy file or of the folder of a run, or the name of a bot that is a
            policy of this package.

    Raises:
        ValueError: there is no such policy, it is for another game, or it has neither priors nor
            values.
    """
    try:
        if policy in SHIPPED:
            return guide_by(game, shipped_file(game, policy).network)
        found = find_policy(policy)
        if found is None or found[1] or found[0].suffix != SUFFIX:
            raise ValueError(
                f"expected a policy file ({SUFFIX}), the folder of a run, or {' or '.join(SHIPPED)}"
            )
        file = load_policy(found[0])
        check_fits(file, game)
        return guide_by(game, file.network)
    except ValueError as wrong:
        raise ValueError(f"policy={policy!r}: {wrong}") from None


def guide_by(game: Game, network: Network) -> Guide:
    """Return what a network tells a search of this game."""
    check_sizes(game, network)
    largest = np.array([1.0 / scale_of(game)])
    head = network.head
    if head == PARTS:
        params = np.concatenate([largest, parts_params(game, network)])
        return Guide(params, judge=_judge_parts, more={"split": needed_parts(game).split})
    guide = Guide(np.concatenate([largest, as_params(network, False)]))
    if head == MATRIX:
        raise ValueError(f"head={head!r}: a search can use neither priors nor values of it")
    if head == "logits":
        return replace(guide, priors=_softmax)
    if head == POLICY_VALUE:
        return replace(guide, priors=_softmax, judge=_judge_last)
    if head == AFTERSTATES:
        return replace(guide, judge=_judge_last)
    return replace(guide, judge=_judge_both if head == POSITIONS else _judge_best)


# --- compiled for each game ----------------------------------------------------------------------


def _told(cfg: Cfg, params: Params, state: State, player: int) -> Any:
    """Return the outputs of the network for what a player sees."""
    network = params[1:]
    seen = np.empty(int(network[SIZES]), np.float32)
    observe(cfg, state, player, seen)
    return forward(network, seen)


def _softmax(
    cfg: Cfg, params: Params, state: State, player: int, mask: Mask, out: NDArray[np.float64]
) -> None:
    """Write how likely the network takes each of the actions in `mask`."""
    numbers = _told(cfg, params, state, player)
    highest, total = -np.inf, 0.0
    for action in range(len(mask)):
        if mask[action]:
            highest = max(highest, numbers[action])
    for action in range(len(mask)):
        out[action] = np.exp(numbers[action] - highest) if mask[action] else 0.0
        total += out[action]
    for action in range(len(mask)):
        out[action] /= total


def _judge_last(cfg: Cfg, params: Params, state: State, player: int) -> float:
    """Return tanh(x / 2) for the last output x."""
    numbers = _told(cfg, params, state, player)
    return params[0] * np.tanh(0.5 * numbers[len(numbers) - 1])


def _judge_best(cfg: Cfg, params: Params, state: State, player: int) -> float:
    """Return the value of the best legal action, at most the largest result."""
    numbers = _told(cfg, params, state, player)
    mask = np.empty(len(numbers), np.int8)
    legal(cfg, state, mask)
    best = -1.0
    for action in range(len(mask)):
        if mask[action]:
            best = max(best, numbers[action])
    return params[0] * min(best, 1.0)


def _judge_both(cfg: Cfg, params: Params, state: State, player: int) -> float:
    """Return tanh of half the difference of what the network says of both players' views."""
    mine, other = _told(cfg, params, state, player), _told(cfg, params, state, 1 - player)
    return params[0] * np.tanh(0.5 * (mine[0] - other[0]))


def _judge_parts(cfg: Cfg, params: Params, state: State, player: int) -> float:
    """Return tanh(x / 2) for what the network says of all parts together."""
    own = params[1:]
    network = own[int(own[H.network_at]) :]
    views = np.empty((int(own[H.most]), int(network[SIZES])), np.float32)
    memo_keys = np.zeros(1, np.uint64)
    memo = np.empty((1, int(network[SIZES + int(own[H.part_layers])])), params.dtype)
    return params[0] * np.tanh(0.5 * judge_parts(cfg, own, state, views, memo_keys, memo))
