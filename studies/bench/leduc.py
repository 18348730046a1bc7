"""Leduc poker in its usual form: six cards, ante 1, raises of 2 and 4, at most two a round.

A small game with a known solution, by which solvers are compared. It is not registered.
"""

from __future__ import annotations

import sys

import numpy as np

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

FOLD, CALL, RAISE = 0, 1, 2
CARDS = 6  # card // 2 is its rank
MOVES = 8  # the most in both rounds together

STATE = layout(
    hands=2, board=1, chips=2, round=1, mover=1, raises=1, calls=1, winner=1, moves=1, log=MOVES
)
S = starts(STATE)
RUNNING, TIED = -1, 2
VIEW = layout(hand=CARDS, board=CARDS + 1, seat=1, log=MOVES)
V = starts(VIEW)


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Deal a card to each player."""
    state[:] = 0
    first, second = below(rng, CARDS), below(rng, CARDS - 1)
    state[S.hands] = first
    state[S.hands + 1] = second + (second >= first)
    state[S.board] = -1
    state[S.chips] = state[S.chips + 1] = 1
    state[S.winner] = RUNNING


def to_move(cfg: Cfg, state: State) -> int:
    """Return who is to move; OVER after a fold or the last call."""
    return state[S.mover] if state[S.winner] == RUNNING else OVER


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Mark the legal actions: no fold without a raise, two raises a round."""
    mask[FOLD] = 1 if state[S.chips] != state[S.chips + 1] else 0
    mask[CALL] = 1
    mask[RAISE] = 1 if state[S.raises] < 2 else 0


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Fold, call or raise; the second call of the first round opens the board."""
    player = state[S.mover]
    other = 1 - player
    state[S.log + state[S.moves]] = action + 1
    state[S.moves] += 1
    state[S.mover] = other
    if action == FOLD:
        state[S.winner] = other
        return
    state[S.chips + player] = state[S.chips + other]
    if action == RAISE:
        state[S.chips + player] += 2 if state[S.round] == 0 else 4
        state[S.raises] += 1
        state[S.calls] = 1
        return
    state[S.calls] += 1
    if state[S.calls] < 2:
        return
    if state[S.round] == 0:
        _open_board(state, rng)
    else:
        state[S.winner] = _winner(state)


def _open_board(state: State, rng: Rng) -> None:
    """Draw the card of the board, and begin the second round."""
    low = min(state[S.hands], state[S.hands + 1])
    high = max(state[S.hands], state[S.hands + 1])
    card = below(rng, CARDS - 2)
    card += card >= low
    card += card >= high
    state[S.board] = card
    state[S.round] = 1
    state[S.mover] = state[S.raises] = state[S.calls] = 0


def _winner(state: State) -> int:
    """Return who has the pair or the higher card, or TIED."""
    ranks = state[S.hands] // 2, state[S.hands + 1] // 2
    board = state[S.board] // 2
    if ranks[0] == ranks[1]:
        return TIED
    if ranks[0] == board or ranks[1] == board:
        return 0 if ranks[0] == board else 1
    return 0 if ranks[0] > ranks[1] else 1


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write what each player wins: the chips of the player who folds or has the lower hand."""
    out[0] = out[1] = 0.0
    if state[S.winner] in (0, 1):
        loser = 1 - state[S.winner]
        out[loser] = -float(state[S.chips + loser])
        out[1 - loser] = float(state[S.chips + loser])


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write the own card, the board and all moves."""
    out[:] = 0.0
    out[V.hand + state[S.hands + player]] = 1.0
    out[V.board + state[S.board] + 1] = 1.0
    out[V.seat] = player
    for at in range(MOVES):
        out[V.log + at] = state[S.log + at] / 3


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Draw another card for the other player."""
    own, board = state[S.hands + player], state[S.board]
    card = below(rng, CARDS - (2 if board >= 0 else 1))
    for taken in (min(own, board), max(own, board)):
        card += taken >= 0 and card >= taken
    state[S.hands + 1 - player] = card


def leduc() -> Game:
    """Return the game."""
    return Game(
        name="leduc",
        options={},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.zeros(1, np.int64),
        players=2,
        actions=3,
        longest=MOVES,
        state=STATE,
        observation=VIEW,
        return_range=(-13.0, 13.0),
    )
