"""Kuhn poker as a third party would add it: three cards, one each, one bet, nothing shown.

With `signed`, the game has the optional rule `signature`.
"""

from __future__ import annotations

import sys

import numpy as np

from bidarena.envs import Belief, register_belief, register_game
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

CHECK, BET, CALL, FOLD = 0, 1, 2, 3
JACK, QUEEN, KING = 0, 1, 2

STATE = layout(cards=2, moves=1, bettor=1, chips=2)
CARDS, MOVES, BETTOR, CHIPS = (part.start for part in STATE.values())


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    state[CARDS] = below(rng, 3)
    state[CARDS + 1] = (state[CARDS] + 1 + below(rng, 2)) % 3
    state[MOVES] = 0
    state[BETTOR] = -1
    state[CHIPS] = 0
    state[CHIPS + 1] = 0


def to_move(cfg: Cfg, state: State) -> int:
    return OVER if state[CHIPS] != 0 else state[MOVES] % 2


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    facing = state[BETTOR] >= 0
    mask[CHECK] = mask[BET] = 0 if facing else 1
    mask[CALL] = mask[FOLD] = 1 if facing else 0


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    player, stake = state[MOVES] % 2, 0
    winner = 0 if state[CARDS] > state[CARDS + 1] else 1
    state[MOVES] += 1
    if action == BET:
        state[BETTOR] = player
    elif action == CALL:
        stake = 2
    elif action == FOLD:
        winner, stake = 1 - player, 1
    elif state[MOVES] == 2:
        stake = 1
    state[CHIPS + winner] = stake
    state[CHIPS + 1 - winner] = -stake


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    out[0] = state[CHIPS] / 2
    out[1] = -out[0]


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    out[:3] = 0.0
    out[state[CARDS + player]] = 1.0
    out[3] = player
    out[4] = state[MOVES] / 3
    out[5] = 1.0 if state[BETTOR] >= 0 else 0.0


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    state[CARDS + 1 - player] = (state[CARDS + player] + 1 + below(rng, 2)) % 3


def last_move(cfg: Cfg, state: State, player: int) -> int:
    """Return what every player sees of a move: the number of moves, and whether one was a bet."""
    return 2 * state[MOVES] + (1 if state[BETTOR] >= 0 else 0)


def kuhn(*, signed: bool = False) -> Game:
    rules = rules_of(sys.modules[__name__])
    return Game(
        name="toy_kuhn",
        options={"signed": signed},
        rules={**rules, "signature": last_move} if signed else rules,
        cfg=np.zeros(1, np.int64),
        players=2,
        actions=4,
        longest=3,
        state=STATE,
        observation=layout(card=3, second=1, moves=1, bet=1),
        score="chips",
    )


def bets_are_kings(game: Game, doubt: float = 0.01) -> Belief:
    """Return the belief that a player who bets has a king, but for a little doubt."""
    return Belief("bets_are_kings", _bets_are_kings, np.array([doubt], np.float64))


def _bets_are_kings(cfg: Cfg, params: Params, state: State, player: int) -> float:
    other = 1 - player
    return 1.0 if state[BETTOR] != other or state[CARDS + other] == KING else params[0]


register_game("toy_kuhn", "toy_kuhn:kuhn", "toy/Kuhn-v0")
register_belief("toy_kuhn/bets_are_kings", "toy_kuhn:bets_are_kings")
