"""Goofspiel in which bids are not shown: players learn who won each prize, and nothing else.

Prizes are 1, 2, 3, ..., in falling order or shuffled; a tied prize is lost. Who has more points
wins.
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
    starts,
)
from bidarena.envs.rng import below, shuffle

CARDS, SHUFFLED = 0, 1  # cfg
MOST = 6
TIE, NONE = 2, -1

STATE = layout(prizes=MOST, bids=2 * MOST, winners=MOST, round=1, pending=1)
S = starts(STATE)
VIEW = layout(prizes=MOST, own=MOST, winners=MOST, seat=1)
V = starts(VIEW)


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    state[:] = NONE
    state[S.round] = 0
    left = np.arange(cfg[CARDS], 0, -1)
    for round_ in range(cfg[CARDS]):
        state[S.prizes + round_] = left[round_] if not cfg[SHUFFLED] else 0
    if cfg[SHUFFLED]:
        _next_prize(cfg, state, rng)


def _next_prize(cfg: Cfg, state: State, rng: Rng) -> None:
    """Draw the next prize from those that are left."""
    wanted = below(rng, cfg[CARDS] - state[S.round])
    for prize in range(1, cfg[CARDS] + 1):
        free = True
        for round_ in range(state[S.round]):
            if state[S.prizes + round_] == prize:
                free = False
        if free:
            if wanted == 0:
                state[S.prizes + state[S.round]] = prize
                return
            wanted -= 1


def to_move(cfg: Cfg, state: State) -> int:
    if state[S.round] == cfg[CARDS]:
        return OVER
    return 0 if state[S.pending] == NONE else 1


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    player = 0 if state[S.pending] == NONE else 1
    mask[:] = 0
    mask[: cfg[CARDS]] = 1
    for round_ in range(state[S.round]):
        mask[state[S.bids + player * MOST + round_]] = 0


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    if state[S.pending] == NONE:
        state[S.pending] = action
        return
    round_ = state[S.round]
    state[S.bids + round_] = state[S.pending]
    state[S.bids + MOST + round_] = action
    state[S.winners + round_] = _compare(state[S.pending], action)
    state[S.pending] = NONE
    state[S.round] += 1
    if cfg[SHUFFLED] and state[S.round] < cfg[CARDS]:
        _next_prize(cfg, state, rng)


def _compare(first: int, second: int) -> int:
    if first == second:
        return TIE
    return 0 if first > second else 1


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    points = 0
    for round_ in range(cfg[CARDS]):
        if state[S.winners + round_] == 0:
            points += state[S.prizes + round_]
        elif state[S.winners + round_] == 1:
            points -= state[S.prizes + round_]
    out[0] = float(np.sign(points))
    out[1] = -out[0]


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    out[:] = 0.0
    for round_ in range(cfg[CARDS]):
        out[V.prizes + round_] = max(state[S.prizes + round_], 0) / MOST
    for round_ in range(state[S.round]):
        out[V.own + round_] = (1 + state[S.bids + player * MOST + round_]) / MOST
        winner = state[S.winners + round_]
        told = 1 if winner == TIE else 2 if winner == player else 3
        out[V.winners + round_] = told / 3
    out[V.seat] = player


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Shuffle the other's cards until the bids fit to who won."""
    other, rounds = 1 - player, state[S.round]
    cards = np.arange(cfg[CARDS])
    while True:
        shuffle(rng, cards)
        fits = True
        for round_ in range(rounds):
            own = state[S.bids + player * MOST + round_]
            first, second = (own, cards[round_]) if player == 0 else (cards[round_], own)
            if _compare(first, second) != state[S.winners + round_]:
                fits = False
        if fits:
            break
    for round_ in range(rounds):
        state[S.bids + other * MOST + round_] = cards[round_]
    if player == 1 and state[S.pending] != NONE:
        state[S.pending] = cards[rounds]


def goofspiel(*, cards: int = 3, shuffled: bool = False) -> Game:
    return Game(
        name="toy_goofspiel",
        options={"cards": cards, "shuffled": shuffled},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.array([cards, shuffled], np.int64),
        players=2,
        actions=cards,
        longest=2 * cards,
        state=STATE,
        observation=VIEW,
        simultaneous="round",
    )


register_game("toy_goofspiel", "toy_goofspiel:goofspiel", "toy/Goofspiel-v0")
