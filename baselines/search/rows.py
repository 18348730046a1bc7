"""Search in many games, one after the other, and return what was found: for learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.explore import explore
from bidarena.baselines.search.layout import (
    AVAILABLE,
    CAPACITY,
    LOW,
    OUT_COLUMNS,
    REPORT_SIZE,
    SCALE,
    SLOTS,
    TOTAL,
    VISITS,
    WEIGHT,
)
from bidarena.baselines.search.tree import EDGE_SIZE, SLOT_SIZE, USED_SIZE
from bidarena.envs.batch import LUCK, Batch
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Params
from bidarena.envs.registry import SEARCH, Bot


def search_batch(
    batch: Batch, bot: Bot, rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the plans (rows, actions) and the expected results (rows,) of the players to move.

    A plan holds the shares of the visits that each action got, or the probabilities of the rule
    `regret` where others move at the same time.

    Args:
        batch: the games; the searches draw from the generators of their bots.
        bot: a bot of the search family, without threads and without `reuse`.
        rows: the numbers of the rows to search in; their games are not over.
    """
    if bot.kind != SEARCH or bot.outside is not None:
        raise ValueError(f"bot={bot.name!r}: expected a search without threads and reuse")
    game = batch.game
    plans, expected = np.zeros((len(rows), game.actions)), np.zeros(len(rows))
    run: Any = game.compiled(search_rows, **bot.more)
    luck = np.ascontiguousarray(batch.rngs[rows][:, LUCK])
    masks, states = batch.masks[rows], batch.states[rows]
    run(game.cfg, bot.params, states, batch.movers[rows], luck, masks, plans, expected)
    batch.rngs[rows, LUCK] = luck
    return plans, expected


# --- compiled for each game ----------------------------------------------------------------------


def search_rows(
    cfg: Cfg,
    params: Params,
    states: NDArray[np.int64],
    movers: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    masks: NDArray[np.int8],
    plans: NDArray[np.float64],
    expected: NDArray[np.float64],
) -> None:
    """Search in each state, with the same memory for all; write plans and expected results."""
    cfg, params, states, rngs = borrow(cfg), borrow(params), borrow(states), borrow(rngs)
    masks, plans = borrow(masks), borrow(plans)
    actions = masks.shape[1]
    made = (
        np.empty((actions, OUT_COLUMNS)),
        np.empty(int(params[CAPACITY]) * EDGE_SIZE),
    )
    table = np.empty(int(params[SLOTS]) * SLOT_SIZE, np.uint64)
    counts = (np.zeros(USED_SIZE, np.int64), np.zeros(REPORT_SIZE, np.int64))
    out, edges = borrow(made[0]), borrow(made[1])
    used, report = borrow(counts[0]), borrow(counts[1])
    for k in range(len(states)):
        table[:] = np.uint64(0)
        used[:] = 0
        out[:] = 0.0
        for action in range(actions):
            out[action, AVAILABLE] = masks[k, action]
        explore(
            *(cfg, params, states[k], movers[k], rngs[k], actions),
            *(borrow(table), edges, used, 0.0, out, report),
        )
        planned, visits, won = 0.0, 0.0, 0.0
        for action in range(actions):
            planned += out[action, WEIGHT]
            visits += out[action, VISITS]
            won += out[action, TOTAL]
        column = WEIGHT if planned > 0.0 else VISITS
        total = planned if planned > 0.0 else visits
        for action in range(actions):
            plans[k, action] = out[action, column] / total
        expected[k] = won / visits / params[SCALE] + params[LOW]
    keep(made)
    keep(counts)
    keep(table)
