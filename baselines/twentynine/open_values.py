"""What every card is worth with all hands open: a teacher for learners, by the double-dummy solver.

A learner that plays games with itself may look into all hands while it learns; the policy that it
learns may not. So the solver can say of each card what it would bring in the deal as it really is.
Averaged over the deals in which a player sees the same, that is what `pimc` reckons with guesses.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.twentynine.double_dummy.layout import (
    COLUMNS,
    PLIES,
    REST,
    Codes,
    Hands,
    Memory,
    Stack,
)
from bidarena.baselines.twentynine.double_dummy.memory import begin_deal
from bidarena.baselines.twentynine.double_dummy.search import ALL, points_after
from bidarena.baselines.twentynine.guesses import set_root
from bidarena.envs.bits import count
from bidarena.envs.compile import apart, borrow
from bidarena.envs.game import Cfg, State
from bidarena.envs.twentynine.rules.layout import (
    ALL_CARDS,
    MARGIN,
    NOBODY,
    PLAYING,
    SEATS,
    A,
    C,
    S,
)
from bidarena.envs.twentynine.rules.play import play_options, reveal

MOST_CARDS = 5  # in the hand of the player to move; with more, solving takes too long
SLOTS = 1 << 13  # positions that the solver remembers at most
DOUBT = 5.0  # points by which real play misses what perfect play with open hands would bring


def open_values(
    cfg: Cfg,
    states: NDArray[np.int64],
    rows: NDArray[np.int64],
    movers: NDArray[np.int64],
    values: NDArray[np.float32],
    known: NDArray[np.bool_],
) -> None:
    """Write what each legal action is worth to the mover with all hands open; compiled.

    The largest result of the game counts 1. Nobody plays as well without seeing all cards, so a
    contract made by a point counts little more than one that fails by a point. Asking for the trump
    is worth as much as the best card after it, and a trump that is still hidden is treated as by
    `pimc`.

    Args:
        cfg: the rules in force.
        states: (all rows, state_size) the games.
        rows: (k,) the games to look at.
        movers: (k,) the seat to move in each of them.
        values: (k, actions) where to write; other rows and actions keep what they hold.
        known: (k,) where to write whether the values of this row were written.
    """
    cfg, states, values = borrow(cfg), borrow(states), borrow(values)
    hands = np.zeros(SEATS, np.int64)
    stack = np.zeros((PLIES, COLUMNS), np.int64)
    codes = np.empty((4, 256), np.int64)
    memory = np.empty((1 + SLOTS, 2), np.int64)
    asked = np.zeros(states.shape[1], np.int64)
    for k in range(len(rows)):
        state, mover = states[rows[k]], movers[k]
        known[k] = False
        if state[S.phase] != PLAYING or state[S.single] != NOBODY:
            continue
        allowed = play_options(cfg, state)
        few = count(state[S.hands + mover]) <= MOST_CARDS
        if not few or allowed >> (A.reveal + 1):  # a marriage is not for the solver
            continue
        known[k] = True
        for seat in range(SEATS):
            hands[seat] = state[S.hands + seat]
        begin_deal(hands, codes, memory)
        cards = allowed & ALL_CARDS
        _judge(cfg, state, mover, cards, hands, stack, codes, memory, values[k])
        if (allowed >> A.reveal) & 1:
            for i in range(len(asked)):
                asked[i] = state[i]
            reveal(asked)
            after = play_options(cfg, asked) & ALL_CARDS
            kept = values[k].copy()
            _judge(cfg, asked, mover, after, hands, stack, codes, memory, values[k])
            best = np.float32(-1.0)
            for card in range(32):
                if (after >> card) & 1:
                    best = max(best, values[k, card])
            for card in range(32):
                values[k, card] = kept[card]
            values[k, A.reveal] = best


@apart
def _judge(
    cfg: Cfg,
    state: State,
    mover: int,
    cards: int,
    hands: Hands,
    stack: Stack,
    codes: Codes,
    memory: Memory,
    values: NDArray[np.float32],
) -> None:
    """Write what each of `cards` is worth to the side of `mover`."""
    root = np.zeros(COLUMNS, np.int64)
    set_root(cfg, state, mover, hands, cards, root)
    trump, last = state[S.trump], cfg[C.last_trick]
    bidding = state[S.bidder] & 1
    missing = state[S.target] - state[S.points + bidding]  # points that the bidding side needs
    points = max(missing, 1) if bidding == 0 else root[REST] - max(missing, 1) + 1
    for card in range(32):
        if (cards >> card) & 1:
            points = points_after(hands, root, card, stack, trump, last, codes, memory, points, ALL)
            taken = points if bidding == 0 else root[REST] - points
            above = taken - missing
            if cfg[C.reward] == MARGIN:
                value = above / 28.0
            else:
                value = math.tanh((above + 0.5) / DOUBT)
            values[card] = value if mover & 1 == bidding else -value
