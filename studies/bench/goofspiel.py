"""Goofspiel with hidden bids: prizes from high to low, and after a round players see only who won.

A small game that other programs have too, by which solvers are compared. It is not registered. As
in OpenSpiel's `goofspiel(imp_info=True,points_order=descending)` a tie loses the prize, the last
card is played without a decision, and the result is 1, 0 or -1.
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
from bidarena.envs.rng import shuffle

MOST = 8  # cards
DIGIT = 16  # bids and winners of all rounds are digits of one number each

STATE = layout(round=1, mover=1, points=2, hands=2, bids=2, winners=1)
S = starts(STATE)
VIEW = layout(round=1, bids=MOST, winners=MOST)
V = starts(VIEW)
TIED = 2


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Give all cards to both players."""
    state[:] = 0
    state[S.hands] = state[S.hands + 1] = (1 << cfg[0]) - 1


def to_move(cfg: Cfg, state: State) -> int:
    """Return who is to bid; OVER when one card is left."""
    return state[S.mover] if state[S.round] < cfg[0] - 1 else OVER


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Mark the cards in the hand."""
    hand = state[S.hands + state[S.mover]]
    for card in range(cfg[0]):
        mask[card] = (hand >> card) & 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Commit a bid; the second one settles the round."""
    mover = state[S.mover]
    state[S.hands + mover] ^= 1 << action
    state[S.bids + mover] = DIGIT * state[S.bids + mover] + action + 1
    state[S.mover] = 1 - mover
    if mover == 0:
        return
    _settle(cfg, state, state[S.bids] % DIGIT, action + 1)
    if state[S.round] == cfg[0] - 1:  # one card is left
        winner, prize = _winner(state[S.hands], state[S.hands + 1]), 1
        if winner != TIED:
            state[S.points + winner] += prize


def _settle(cfg: Cfg, state: State, one: int, two: int) -> None:
    """Give the prize of the round to the higher bid."""
    winner = _winner(one, two)
    if winner != TIED:
        state[S.points + winner] += cfg[0] - state[S.round]
    state[S.winners] = DIGIT * state[S.winners] + winner + 1
    state[S.round] += 1


def _winner(one: int, two: int) -> int:
    """Return who bids more, or TIED."""
    if one == two:
        return TIED
    return 0 if one > two else 1


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write 1 for the player with more points and -1 for the other."""
    margin = state[S.points] - state[S.points + 1]
    out[0] = float(np.sign(margin))
    out[1] = -out[0]


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write the round, the own bids and who won each round, the last one first."""
    out[V.round] = state[S.round] / MOST
    bids, winners = state[S.bids + player], state[S.winners]
    for at in range(MOST):
        out[V.bids + at] = (bids % DIGIT) / MOST
        out[V.winners + at] = (winners % DIGIT) / 3.0
        bids //= DIGIT
        winners //= DIGIT


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Draw other bids for the other player, all sequences that fit who has won being as likely."""
    other = 1 - player
    bids = np.zeros(MOST, np.int64)  # of the player in each round
    winners = np.zeros(MOST, np.int64)
    own, seen = state[S.bids + player], state[S.winners]
    for at in range(MOST):  # the last digits are those of the latest round
        bids[at], winners[at] = own % DIGIT, seen % DIGIT
        own //= DIGIT
        seen //= DIGIT
    made = 0  # bids of the other player
    for card in range(cfg[0]):
        made += 1 - ((state[S.hands + other] >> card) & 1)
    rounds = state[S.round]
    mine = rounds  # bids of the player: one more while the other has not answered yet
    if bids[rounds] > 0:
        mine = rounds + 1
    order = np.arange(cfg[0])
    fits = False
    while not fits:
        shuffle(rng, order)
        fits = True
        for at in range(rounds):
            card = order[at] + 1
            against = bids[mine - 1 - at]
            winner = TIED
            if card != against:
                winner = other if card > against else player
            if winner + 1 != winners[rounds - 1 - at]:
                fits = False
                break
    state[S.bids + other] = 0
    state[S.hands + other] = (1 << cfg[0]) - 1
    for at in range(made):
        state[S.bids + other] = DIGIT * state[S.bids + other] + order[at] + 1
        state[S.hands + other] ^= 1 << order[at]


def goofspiel(cards: int = 5) -> Game:
    """Return the game with `cards` cards for each player, 2 to 8."""
    return Game(
        name="goofspiel",
        options={"cards": cards},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.array([cards], np.int64),
        players=2,
        actions=cards,
        longest=2 * (cards - 1),
        state=STATE,
        observation=VIEW,
        simultaneous="round",
    )
