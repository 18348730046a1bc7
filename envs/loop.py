"""The loop that plays each row from one decision of the learner to the next, compiled per game.

If one compiled bot plays all other seats, it is compiled into the loop. Otherwise the loop stops
before every decision of an opponent, and goes on when it is called again with the answers.
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

# Columns of `meta`: what the loop keeps about a row besides the game.
SEAT = 0  # the learner's seat
WAITING = 1  # what the row waits for, one of the constants below
EPISODE = 2  # how many games were begun since the row was seeded
ACTED = 3  # 1 if the learner has moved in this game
REDEALS = 4  # how many games just before this one ended before the learner's first move
DECIDER = 5  # the seat the learner now decides for: their own, or their partner's
LINEUP = 6  # from here on, for each other seat, the index of the candidate who plays it

# Values of WAITING.
FOR_LEARNER, FOR_OPPONENT = 0, 1  # for an action
FOR_RESET = 2  # the game is over; the next step deals a new one
STUCK = 3  # given up: see MOST_REDEALS
FOR_DEAL = 4  # a reset was asked for; the present call deals a new game

# Rows of `flags`: what happened in a row during the last step.
TERMINATED, TRUNCATED, ILLEGAL, OPPONENT_ILLEGAL = 0, 1, 2, 3

# Why the loop is called: to deal games, to play the learner's actions, to play opponents' answers.
DEAL, MOVE, ANSWER = 0, 1, 2

ASK = -9  # returned by `act` if the opponent is not part of the loop
RANDOM_SEAT, ALTERNATE_SEAT = -1, -2  # values of `seat_rule` besides a fixed seat
MOST_REDEALS = 1000  # after so many games that end before the learner's first move, give up


def _ask(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return ASK: the opponent has to be asked outside of the loop."""
    return ASK


OUTSIDE = Bot("outside", _ask)  # compiled into the loop where no bot is


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
    every_mask: NDArray[np.int8],
    shown_masks: NDArray[np.int8],
    shown_rewards: NDArray[np.float64],
    shown_flags: NDArray[np.bool_],
    seat_rule: int,
    autoreset: bool,
    entry: int,
    actions: NDArray[np.int64],
    first: int,
    last: int,
) -> int:
    """Play every row on to the learner's next decision; return how many rows are not there yet.

    Those rows wait for an opponent's answer, or are stuck.

    Args:
        cfg: the options of the rules.
        params: options and tables of the bot that is compiled into the loop.
        lineup_sizes: (players - 1,) the number of candidates for each seat after the learner's.
        own: (players,) bools: True at k if the learner plays the seat k places after their own. So
            True at 0, and at the partner's place if the learner plays both.
        forfeits: (players, players) results after an illegal action, see `batch.forfeits`.
        states, rngs, meta, observations, masks, rewards, flags, final_observations: the rows, as
            attributes of `LearnerBatch`.
        every_mask: (rows * actions) the same memory as `masks`.
        shown_masks, shown_rewards, shown_flags: where `every_mask`, `rewards` and `flags` are
            copied; arrays without rows if they are not.
        seat_rule: the learner's seat, RANDOM_SEAT or ALTERNATE_SEAT.
        autoreset: whether the next game is dealt in the step in which a game ends.
        entry: DEAL, MOVE or ANSWER.
        actions: (rows,) the learner's actions or the opponents' answers.
        first, last: the rows from `first` to `last` - 1 are played.
    """
    cfg, params, states, rngs = borrow(cfg), borrow(params), borrow(states), borrow(rngs)
    meta, masks, observations = borrow(meta), borrow(masks), borrow(observations)
    final_observations, lineup_sizes = borrow(final_observations), borrow(lineup_sizes)
    rewards, flags, actions = borrow(rewards), borrow(flags), borrow(actions)
    results = np.empty(len(forfeits))
    shown_masks, every_mask = borrow(shown_masks), borrow(every_mask)
    shown_rewards, shown_flags = borrow(shown_rewards), borrow(shown_flags)
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
        action = actions[i]
        # A rule is compiled into each place that calls it, so this loop calls it in one if it can.
        acting = waiting <= FOR_OPPONENT
        dealing = not acting
        if waiting == FOR_LEARNER:
            row[ACTED] = 1

        while True:
            if dealing:
                _begin(cfg, state, chance, luck, row, lineup_sizes, seat_rule)
                dealing = False
            mover = to_move(cfg, state)
            if acting:
                if 0 <= action < masks.shape[1] and mask[action] == 1:
                    step(cfg, state, action, chance)
                    mover = to_move(cfg, state)
                else:
                    loser = mover
                acting = False
            seat = row[SEAT]
            if mover >= 0 and loser < 0:
                mine = own[mover - seat]  # a negative index counts from the end, as seats do
                if not mine:
                    action = act(cfg, params, state, mover, luck, mask)
                legal(cfg, state, mask)
                acting = not mine and action != ASK
                if acting:
                    continue
                observe(cfg, state, mover, observations[i])
                if mine:
                    row[WAITING] = FOR_LEARNER
                    row[DECIDER] = mover
                else:
                    row[WAITING] = FOR_OPPONENT
                    open_rows += 1
                break

            if row[ACTED] == 0:  # over before the learner could move: not an episode, deal again
                row[REDEALS] += 1
                if row[REDEALS] > MOST_REDEALS:
                    row[WAITING] = STUCK
                    open_rows += 1
                    break
                if loser >= 0:
                    flags[OPPONENT_ILLEGAL, i] = True
                loser = -1
                dealing = True
                continue

            if loser >= 0:
                rewards[i] = forfeits[loser, seat]
                flags[TERMINATED, i] = True
                if own[loser - seat]:
                    flags[ILLEGAL, i] = True
                else:
                    flags[OPPONENT_ILLEGAL, i] = True
                loser = -1
            else:
                returns(cfg, state, results)
                rewards[i] = results[seat]
                if mover == OVER:
                    flags[TERMINATED, i] = True
                else:
                    flags[TRUNCATED, i] = True
            row[REDEALS] = 0
            observe(cfg, state, seat, final_observations[i] if autoreset else observations[i])
            if not autoreset:
                for every in range(masks.shape[1]):
                    mask[every] = 1
                row[WAITING] = FOR_RESET
                break
            dealing = True

    if len(shown_rewards) > 0:
        # Unsigned indexes let the compiler copy many numbers at once: signed ones may be negative.
        width = masks.shape[1]
        for cell in range(first * width, last * width):
            shown_masks[np.uint64(cell)] = every_mask[np.uint64(cell)]
        for i in range(first, last):
            shown_rewards[np.uint64(i)] = rewards[np.uint64(i)]
        for kind in range(len(flags)):
            for i in range(first, last):
                shown_flags[kind, np.uint64(i)] = flags[kind, np.uint64(i)]
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
    """Deal a game in a row, and draw the learner's seat and the opponents for it."""
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
    """Return the player to move in each of `rows`."""
    cfg, states = borrow(cfg), borrow(states)
    movers = np.empty(len(rows), np.int64)
    for k in range(len(rows)):
        movers[k] = to_move(cfg, states[rows[k]])
    return movers


def show_rows(
    cfg: Cfg,
    states: NDArray[np.int64],
    meta: NDArray[np.int64],
    flags: NDArray[np.bool_],
    observations: NDArray[np.float32],
    first: int,
    last: int,
) -> None:
    """Write the observations of rows as `run_rows` has written them last."""
    cfg, states, meta = borrow(cfg), borrow(states), borrow(meta)
    flags, observations = borrow(flags), borrow(observations)
    for i in range(first, last):
        over = meta[i, WAITING] != FOR_LEARNER and (flags[TERMINATED, i] or flags[TRUNCATED, i])
        player = meta[i, SEAT] if over else meta[i, DECIDER]
        observe(cfg, states[i], player, observations[i])
