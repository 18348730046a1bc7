"""Matching pennies with unequal stakes: both show a side at the same time, once.

Player 0 wins what `stakes` says in hundredths, from (heads, heads) to (tails, tails).
"""

from __future__ import annotations

import sys

import numpy as np

from bidarena.envs import register_game
from bidarena.envs.game import (
    OVER,
    Cfg,
    Game,
    Mask,
    Observation,
    Returns,
    Rng,
    State,
    layout,
    rules_of,
)
from bidarena.envs.rng import below

PENDING, ROUND, WON = 0, 1, 2  # state


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    state[PENDING] = -1
    state[ROUND] = 0
    state[WON] = 0


def to_move(cfg: Cfg, state: State) -> int:
    if state[ROUND] == 1:
        return OVER
    return 0 if state[PENDING] < 0 else 1


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    mask[:] = 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    if state[PENDING] < 0:
        state[PENDING] = action
    else:
        state[WON] = cfg[2 * state[PENDING] + action]
        state[PENDING] = -1
        state[ROUND] = 1


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    out[0] = state[WON] / 100
    out[1] = -out[0]


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    out[0] = state[ROUND]
    out[1] = player


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    if player == 1 and state[PENDING] >= 0:
        state[PENDING] = below(rng, 2)


def withdraw(cfg: Cfg, state: State) -> None:
    state[PENDING] = -1


def pennies(*, stakes: tuple[int, ...] = (80, -40, -40, 20)) -> Game:
    return Game(
        name="toy_pennies",
        options={"stakes": list(stakes)},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.array(stakes, np.int64),
        players=2,
        actions=2,
        longest=2,
        state=layout(pending=1, round=1, won=1),
        observation=layout(round=1, seat=1),
        simultaneous="round",
        hidden=False,
    )


register_game("toy_pennies", "toy_pennies:pennies", "toy/Pennies-v0")
