"""Nim with one heap, as a third party would add it: turn by turn, nothing hidden.

Players take 1 to `most` stones in turn; the player who takes the last one wins. With `random_heap`
the heap is drawn from 1 to `heap`, so that some games are over after one move.
"""

from __future__ import annotations

import sys

import numpy as np

from bidarena.envs import Bot, register_bot, register_game
from bidarena.envs.game import (
    OVER,
    Cfg,
    Game,
    Mask,
    Observation,
    Params,
    Returns,
    Rng,
    State,
    layout,
    rules_of,
)
from bidarena.envs.rng import below

HEAP, MOST, RANDOM_HEAP = 0, 1, 2  # cfg
STONES, MOVER = 0, 1  # state


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    state[STONES] = 1 + below(rng, cfg[HEAP]) if cfg[RANDOM_HEAP] else cfg[HEAP]
    state[MOVER] = 0


def to_move(cfg: Cfg, state: State) -> int:
    return state[MOVER] if state[STONES] > 0 else OVER


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    for stones in range(len(mask)):
        mask[stones] = 1 if 1 <= stones <= min(cfg[MOST], state[STONES]) else 0


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    state[STONES] -= action
    state[MOVER] = 1 - state[MOVER]


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    out[state[MOVER]] = -1.0  # the other player took the last stone
    out[1 - state[MOVER]] = 1.0


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    out[0] = state[STONES] / cfg[HEAP]
    out[1] = 1.0 if state[MOVER] == player else 0.0


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    pass


def nim(*, heap: int = 7, most: int = 3, random_heap: bool = False) -> Game:
    return Game(
        name="toy_nim",
        options={"heap": heap, "most": most, "random_heap": random_heap},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.array([heap, most, random_heap], np.int64),
        players=2,
        actions=most + 1,
        longest=heap,
        state=layout(stones=1, mover=1),
        observation=layout(stones=1, my_turn=1),
        hidden=False,
    )


def perfect(game: Game) -> Bot:
    return Bot("perfect", _perfect_act, np.zeros(1))


def _perfect_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    return max(1, state[STONES] % (cfg[MOST] + 1))


def constant(action: int) -> Bot:
    """Return a bot for any game that always takes one action, legal or not."""
    return Bot("constant", _constant_act, np.array([action], np.float64))


def _constant_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    return int(params[0])


def one_by_one(game: Game, stones: int = 1):
    """Return a bot that is a callable; `stones` tests that options reach it."""
    return lambda observation, mask: min(stones, int(np.flatnonzero(mask)[-1]))


register_game("toy_nim", "toy_nim:nim", "toy/Nim-v0")
register_bot("toy_nim/perfect", "toy_nim:perfect")
register_bot("toy_nim/one_by_one", "toy_nim:one_by_one")
