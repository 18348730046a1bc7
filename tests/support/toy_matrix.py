"""One matrix game, both players moving at the same time: results in hundredths, one per cell.

With `second`, player 1 has results of their own, so that the results need not add to 0. With
`rounds`, the game is played several times and all results are added.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

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
    starts,
)
from bidarena.envs.rng import below

ROWS, COLUMNS, ROUNDS, CELLS = 0, 1, 2, 3  # cfg
STATE = layout(pending=1, round=1, won=2)
S = starts(STATE)
NONE = -1


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    state[:] = 0
    state[S.pending] = NONE


def to_move(cfg: Cfg, state: State) -> int:
    if state[S.round] == cfg[ROUNDS]:
        return OVER
    return 0 if state[S.pending] == NONE else 1


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    mask[:] = 0
    mask[: cfg[ROWS] if state[S.pending] == NONE else cfg[COLUMNS]] = 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    if state[S.pending] == NONE:
        state[S.pending] = action
        return
    cell = state[S.pending] * cfg[COLUMNS] + action
    for player in range(2):
        state[S.won + player] += cfg[CELLS + 2 * cell + player]
    state[S.pending] = NONE
    state[S.round] += 1


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    for player in range(2):
        out[player] = state[S.won + player] / 100


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    out[0] = state[S.round] / cfg[ROUNDS]
    out[1] = player


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    if player == 1 and state[S.pending] != NONE:
        state[S.pending] = below(rng, cfg[ROWS])


def withdraw(cfg: Cfg, state: State) -> None:
    state[S.pending] = NONE


def matrix(
    *,
    first: Sequence[Sequence[int]] = ((100, -100), (-100, 100)),
    second: Sequence[Sequence[int]] | None = None,
    rounds: int = 1,
    zero_sum: bool | None = None,
) -> Game:
    own = np.array(first, np.int64)
    theirs = -own if second is None else np.array(second, np.int64)
    cells = np.stack([own, theirs], axis=-1).ravel()
    return Game(
        name="toy_matrix",
        options={
            "first": own.tolist(),
            "second": None if second is None else theirs.tolist(),
            "rounds": rounds,
            "zero_sum": zero_sum,
        },
        rules=rules_of(sys.modules[__name__]),
        cfg=np.array([*own.shape, rounds, *cells], np.int64),
        players=2,
        actions=max(own.shape),
        longest=2 * rounds,
        state=STATE,
        observation=layout(round=1, seat=1),
        simultaneous="round",
        hidden=False,
        zero_sum=second is None if zero_sum is None else zero_sum,
        return_range=(-5.0 * rounds, 5.0 * rounds),
    )


register_game("toy_matrix", "toy_matrix:matrix", "toy/Matrix-v0")
