"""Tic-tac-toe as a third party would add it: nothing is hidden, nothing is left to chance."""

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

CELLS = 9
LINES = np.array(
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
)


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    state[:] = 0


def _winner(state: State) -> int:
    for line in LINES:
        mark = state[line[0]]
        if mark != 0 and state[line[1]] == mark and state[line[2]] == mark:
            return mark - 1
    return -1


def to_move(cfg: Cfg, state: State) -> int:
    marks = 0
    for cell in range(CELLS):
        marks += state[cell] != 0
    return OVER if marks == CELLS or _winner(state) >= 0 else marks % 2


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    for cell in range(CELLS):
        mask[cell] = 1 if state[cell] == 0 else 0


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    state[action] = to_move(cfg, state) + 1


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    winner = _winner(state)
    out[0] = 0.0 if winner < 0 else 1.0 - 2.0 * winner
    out[1] = -out[0]


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    for cell in range(CELLS):
        out[cell] = 1.0 if state[cell] == player + 1 else 0.0
        out[CELLS + cell] = 1.0 if state[cell] == 2 - player else 0.0


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    pass


def tictactoe() -> Game:
    return Game(
        name="toy_tictactoe",
        options={},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.zeros(1, np.int64),
        players=2,
        actions=CELLS,
        longest=CELLS,
        state=layout(cells=CELLS),
        observation=layout(own=CELLS, others=CELLS),
        hidden=False,
    )


register_game("toy_tictactoe", "toy_tictactoe:tictactoe", "toy/TicTacToe-v0")
