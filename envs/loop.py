"""The loop from one decision of the learner to the next, compiled for each game.

Where one compiled bot plays all other seats it is compiled into the loop. Otherwise the loop stops
in front of every decision of an opponent and goes on when it is called again with the answers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import borrow
from bidarena.envs.game import (
    OVER,
    Cfg,
    Mask,
    Params,
    Rng,
    State,
    act,
    legal,
    observe,
    reset,
    returns,
    step,
    to_move,
)
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS, below

# columns of `meta`, what the loop knows of a row beside the game
SEAT = 0  # the learner's
WAITING = 1  # for whom the row waits
EPISODE = 2  # games begun since the row was seeded
ACTED = 3  # has the learner moved in this game?
REDEALS = 4  # games before this one, in a row, that ended before his first move
DECIDER = 5  # the seat of the learner's present decision: his own, or a partner's he plays too
LINEUP = 6  # from here on: which of its candidates plays in each other seat

FOR_LEARNER, FOR_OPPONENT, FOR_RESET, STUCK = 0, 1, 2, 3
FOR_DEAL = 4  # to be dealt in this very call; a row that waits for a reset may wait longer

# rows of `flags`, what happened in a row during the last step
TERMINATED, TRUNCATED, ILLEGAL, OPPONENT_ILLEGAL = 0, 1, 2, 3

# why the loop is entered
DEAL, MOVE, ANSWER = 0, 1, 2

ASK = -9  # what `act` returns when the opponent is not part of the loop
RANDOM_SEAT, ALTERNATE_SEAT = -1, -2
MOST_REDEALS = 1000  # games in a row that may end before the learner's first move


def _ask(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Stands where a compiled bot would: the opponent has to be asked outside."""
    return ASK


OUTSIDE = Bot("outside", _ask)


def run_rows(
    cfg: Cfg,
    params: Params,
    lineup_sizes: NDArray[np.int64],
    own: NDArray[np.bool_],
    forfeits: NDArray[np.float64],
    states: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    meta: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    rewards: NDArray[np.float64],
    flags: NDArray[np.bool_],
    final_observations: NDArray[np.float32],
    seat_rule: int,
    autoreset: bool,
    entry: int,
    actions: NDArray[np.int64],
    first: int,
    last: int,
) -> int:
    """Take every row to the learner's next decision; how many rows wait for an opponent.

    `own` says how many places after the learner's seat he decides too: True at 0, and at his
    partner's place if one policy plays both.
    """
    cfg, params, states, rngs = borrow(cfg), borrow(params), borrow(states), borrow(rngs)
    meta, masks, observations = borrow(meta), borrow(masks), borrow(observations)
    final_observations, lineup_sizes = borrow(final_observations), borrow(lineup_sizes)
    rewards, flags, actions = borrow(rewards), borrow(flags), borrow(actions)
    results = np.empty(len(forfeits))
    open_rows = 0
    for i in range(first, last):
        row = meta[i]
        waiting = row[WAITING]
        if entry == ANSWER:
            if waiting != FOR_OPPONENT:
                continue
        elif entry == DEAL and waiting != FOR_DEAL:
            continue
        else:
            rewards[i] = 0.0
            flags[TERMINATED, i] = False
            flags[TRUNCATED, i] = False
            flags[ILLEGAL, i] = False
            flags[OPPONENT_ILLEGAL, i] = False

        state = states[i]
        chance = rngs[i, :WORDS]
        luck = rngs[i, WORDS:]
        mask = masks[i]
        loser = -1
        if waiting in (FOR_RESET, FOR_DEAL):
            _begin(cfg, state, chance, luck, row, lineup_sizes, seat_rule)
        else:
            action = actions[i]
            if action < 0 or action >= masks.shape[1] or mask[action] == 0:
                loser = to_move(cfg, state)
            else:
                step(cfg, state, action, chance)
            if waiting == FOR_LEARNER:
                row[ACTED] = 1

        while True:
            mover = to_move(cfg, state)
            seat = row[SEAT]
            if mover >= 0 and loser < 0:
                if own[mover - seat]:  # a negative index counts from the end, as seats do
                    observe(cfg, state, mover, observations[i])
                    legal(cfg, state, mask)
                    row[WAITING] = FOR_LEARNER
                    row[DECIDER] = mover
                    break
                action = act(cfg, params, state, mover, luck, mask)
                if action == ASK:
                    observe(cfg, state, mover, observations[i])
                    legal(cfg, state, mask)
                    row[WAITING] = FOR_OPPONENT
                    open_rows += 1
                    break
                legal(cfg, state, mask)
                if 0 <= action < masks.shape[1] and mask[action] == 1:
                    step(cfg, state, action, chance)
                else:
                    loser = mover
                continue

            if row[ACTED] == 0:  # over before the learner had a say: no episode of his
                row[REDEALS] += 1
                if row[REDEALS] > MOST_REDEALS:
                    row[WAITING] = STUCK
                    open_rows += 1
                    break
                if loser >= 0:
                    flags[OPPONENT_ILLEGAL, i] = True
                loser = -1
                _begin(cfg, state, chance, luck, row, lineup_sizes, seat_rule)
                continue

            if loser >= 0:
                results[:] = forfeits[loser]
                flags[TERMINATED, i] = True
                if own[loser - seat]:
                    flags[ILLEGAL, i] = True
                else:
                    flags[OPPONENT_ILLEGAL, i] = True
                loser = -1
            else:
                returns(cfg, state, results)
                if mover == OVER:
                    flags[TERMINATED, i] = True
                else:
                    flags[TRUNCATED, i] = True
            rewards[i] = results[seat]
            row[REDEALS] = 0
            if autoreset:
                observe(cfg, state, seat, final_observations[i])
                _begin(cfg, state, chance, luck, row, lineup_sizes, seat_rule)
            else:
                observe(cfg, state, seat, observations[i])
                mask[:] = 1
                row[WAITING] = FOR_RESET
                break
    return open_rows


def _begin(
    cfg: Cfg,
    state: State,
    chance: Rng,
    luck: Rng,
    row: NDArray[np.int64],
    lineup_sizes: NDArray[np.int64],
    seat_rule: int,
) -> None:
    """Deal a game, and draw the learner's seat and his opponents."""
    reset(cfg, state, chance)
    players = len(lineup_sizes) + 1
    if seat_rule >= 0:
        row[SEAT] = seat_rule
    elif seat_rule == RANDOM_SEAT:
        row[SEAT] = below(luck, players)
    else:
        row[SEAT] = row[EPISODE] % players
    for other in range(players - 1):
        size = lineup_sizes[other]
        row[LINEUP + other] = below(luck, size) if size > 1 else 0
    row[EPISODE] += 1
    row[ACTED] = 0


def movers_of(cfg: Cfg, states: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The player to move in each of `rows`."""
    cfg, states = borrow(cfg), borrow(states)
    movers = np.empty(len(rows), np.int64)
    for k in range(len(rows)):
        movers[k] = to_move(cfg, states[rows[k]])
    return movers
