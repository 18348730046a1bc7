"""The compiled passes over the games of a match: deal, play a bot's turns, look, answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import borrow, seconds
from bidarena.envs.game import (
    OVER,
    Cfg,
    Params,
    act,
    legal,
    observe,
    reset,
    returns,
    step,
    to_move,
)
from bidarena.envs.rng import WORDS

Numbers = NDArray[np.int64]  # mostly one per row

MOVES_AND_CHOICES = 2  # counters of a pass: moves, and moves that were not forced
ILLEGALLY, LATE = 1, 2  # how a game was lost by a fault; 0: it was not


def begin_rows(
    cfg: Cfg,
    states: Numbers,
    rngs: NDArray[np.uint64],
    movers: Numbers,
    results: NDArray[np.float64],
) -> None:
    """Deal a game in every row."""
    cfg, states, rngs, results = borrow(cfg), borrow(states), borrow(rngs), borrow(results)
    for i in range(len(states)):
        reset(cfg, states[i], rngs[i, :WORDS])
        movers[i] = to_move(cfg, states[i])
        if movers[i] < 0:
            returns(cfg, states[i], results[i])


def play_rows(
    cfg: Cfg,
    params: Params,
    states: Numbers,
    rngs: NDArray[np.uint64],
    forfeits: NDArray[np.float64],
    owners: Numbers,
    rotation: Numbers,
    me: int,
    limit: float,
    movers: Numbers,
    results: NDArray[np.float64],
    losers: Numbers,
    kinds: Numbers,
    wrong: Numbers,
    log: NDArray[np.int32],
    lengths: Numbers,
    counts: Numbers,
    at: Numbers,
    width: int,
    rows: Numbers,
    first: int,
    last: int,
) -> None:
    """In each of `rows`, play on with the compiled bot number `me` until another bot's turn.

    `owners` (rotation, seat) has the bot in each seat. A move that takes longer than `limit`
    seconds loses, unless `limit` is negative; so does an illegal move. `at` holds the place in
    `rows` that is being played, so that the caller knows where the bot raised an exception. A row
    whose `log` is full waits.
    """
    cfg, params, states, rngs = borrow(cfg), borrow(params), borrow(states), borrow(rngs)
    results, owners, forfeits = borrow(results), borrow(owners), borrow(forfeits)
    scratch = np.empty(width, np.int8)
    room = log.shape[1]
    for k in range(first, last):
        i = rows[k]
        at[0] = k
        mover = movers[i]
        while mover >= 0 and owners[rotation[i], mover] == me:
            if room > 0 and lengths[i] >= room:
                break
            began = seconds() if limit >= 0.0 else 0.0
            action = act(cfg, params, states[i], mover, rngs[i, WORDS:], scratch)
            late = limit >= 0.0 and seconds() - began > limit
            legal(cfg, states[i], scratch)
            choices = 0
            for a in range(width):
                choices += scratch[a]
            counts[0] += 1
            if choices > 1:
                counts[1] += 1
            illegal = action < 0 or action >= width or scratch[action] == 0
            if illegal or late:
                kinds[i] = ILLEGALLY if illegal else LATE
                wrong[i] = action
                losers[i] = mover
                results[i, :] = forfeits[mover]
                mover = OVER
                movers[i] = OVER
                break
            if room > 0:
                log[i, lengths[i]] = action
            lengths[i] += 1
            step(cfg, states[i], action, rngs[i, :WORDS])
            mover = to_move(cfg, states[i])
            movers[i] = mover
            if mover < 0:
                returns(cfg, states[i], results[i])


def look_rows(
    cfg: Cfg,
    states: Numbers,
    movers: Numbers,
    rows: Numbers,
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
) -> None:
    """Write the observation and the mask of the mover of each of `rows`."""
    cfg, states = borrow(cfg), borrow(states)
    observations, masks = borrow(observations), borrow(masks)
    for k in range(len(rows)):
        i = rows[k]
        observe(cfg, states[i], movers[i], observations[k])
        legal(cfg, states[i], masks[k])


def answer_rows(
    cfg: Cfg,
    states: Numbers,
    rngs: NDArray[np.uint64],
    forfeits: NDArray[np.float64],
    movers: Numbers,
    results: NDArray[np.float64],
    losers: Numbers,
    kinds: Numbers,
    wrong: Numbers,
    log: NDArray[np.int32],
    lengths: Numbers,
    width: int,
    rows: Numbers,
    actions: Numbers,
) -> None:
    """Play the given action in each of `rows` that is not over; an illegal action loses."""
    cfg, states, rngs = borrow(cfg), borrow(states), borrow(rngs)
    results, forfeits = borrow(results), borrow(forfeits)
    mask = np.empty(width, np.int8)
    room = log.shape[1]
    for k in range(len(rows)):
        i = rows[k]
        mover = movers[i]
        if mover < 0:
            continue
        action = actions[k]
        legal(cfg, states[i], mask)
        if action < 0 or action >= width or mask[action] == 0:
            kinds[i] = ILLEGALLY
            wrong[i] = action
            losers[i] = mover
            results[i, :] = forfeits[mover]
            movers[i] = OVER
            continue
        if room > 0:
            log[i, lengths[i]] = action
        lengths[i] += 1
        step(cfg, states[i], action, rngs[i, :WORDS])
        movers[i] = to_move(cfg, states[i])
        if movers[i] < 0:
            returns(cfg, states[i], results[i])
