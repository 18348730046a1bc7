"""From a search to a move: inside compiled code, and from Python with threads or a memory."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.explore import book, explore
from bidarena.baselines.search.layout import (
    AUTO,
    AVAILABLE,
    CAPACITY,
    DROPPED,
    FINAL,
    MIXED,
    MOST,
    OUT_COLUMNS,
    REGRET,
    REPORT_SIZE,
    SAMPLE,
    SECONDS,
    SELECTION,
    SLOTS,
    TOGETHER,
    TOTAL,
    VISITS,
    WEIGHT,
)
from bidarena.baselines.search.tree import (
    BYTES_PER_EDGE,
    BYTES_PER_SLOT,
    EDGE_COLUMNS,
    USED_EDGES,
    USED_SIZE,
    Edges,
    Table,
    Used,
)
from bidarena.envs.batch import Threads
from bidarena.envs.compile import borrow, keep, seconds
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, legal
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS, pick, uniform, word

FEWEST = 0.25  # of an equal share: what a move needs to be drawn

# --- compiled for each game ----------------------------------------------------------------------


def search_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """The `act` of all search bots: search, then choose. All memory is taken here, once a move."""
    began = seconds()
    known = book(cfg, state, player)
    if known >= 0:
        return known
    legal(cfg, state, scratch)
    choices = 0
    for i in range(len(scratch)):
        choices += scratch[i]
    if choices == 1 or params[SECONDS] == 0.0:
        return pick(rng, scratch)
    out = np.zeros((len(scratch), OUT_COLUMNS))
    report = np.zeros(REPORT_SIZE, np.int64)
    table = np.zeros((int(params[SLOTS]), 2), np.uint64)
    edges = np.empty((int(params[CAPACITY]), EDGE_COLUMNS))
    used = np.zeros(USED_SIZE, np.int64)
    for i in range(len(scratch)):
        out[i, AVAILABLE] = scratch[i]
    explore(cfg, params, state, player, rng, scratch, table, edges, used, began, out, report)
    action = decide(params, out, report, rng)
    if action < 0:
        legal(cfg, state, scratch)
        action = pick(rng, scratch)
    return action


def decide(params: Params, out: NDArray[np.float64], report: NDArray[np.int64], rng: Rng) -> int:
    """The move that a search speaks for; -1 if it had no time to look at any.

    `visits` takes the one looked at most, of equals that with the better mean; `sample` draws one
    in proportion. Under the rule `regret` the probabilities with which moves were meant to be
    played take the place of the visits. `auto` draws where others decide at the same time. Moves
    with less than a quarter of an equal share are never drawn: they are mostly leftovers from the
    beginning of the search.
    """
    mixed = report[MIXED] != 0
    by_plan = int(params[TOGETHER if mixed else SELECTION]) == REGRET
    planned = 0.0
    for i in range(len(out)):
        planned += out[i, WEIGHT]
    column = WEIGHT if by_plan and planned > 0.0 else VISITS
    final = int(params[FINAL])
    if final == AUTO:
        final = SAMPLE if mixed else MOST
    total, most, best_mean, chosen, looked_at = 0.0, 0.0, 0.0, -1, 0
    for i in range(len(out)):
        weight = out[i, column] if out[i, DROPPED] == 0.0 else 0.0
        mean = out[i, TOTAL] / max(out[i, VISITS], 1.0)
        if weight > 0.0 and (weight > most or (weight == most and mean > best_mean)):
            most, best_mean, chosen = weight, mean, i
        total += weight
        looked_at += out[i, VISITS] > 0.0
    if final == SAMPLE and chosen >= 0:
        least = FEWEST * total / looked_at
        kept = 0.0
        for i in range(len(out)):
            if out[i, DROPPED] == 0.0 and out[i, column] >= least:
                kept += out[i, column]
        left = uniform(rng) * kept
        for i in range(len(out)):
            if out[i, DROPPED] == 0.0 and out[i, column] >= least:
                if left < out[i, column]:
                    return i
                left -= out[i, column]
    return chosen


def search_each(
    cfg: Cfg,
    params: Params,
    state: State,
    player: int,
    rngs: NDArray[np.uint64],
    mask: Mask,
    tables: NDArray[np.uint64],
    edges: NDArray[np.float64],
    used: NDArray[np.int64],
    began: float,
    outs: NDArray[np.float64],
    reports: NDArray[np.int64],
    first: int,
    last: int,
) -> None:
    """Independent searches for the same move, one with each of the generators."""
    scratch = mask.copy()
    for k in range(first, last):
        for i in range(len(mask)):
            outs[k, i, AVAILABLE] = mask[i]
        explore(
            *(cfg, params, state, player, borrow(rngs)[k], scratch),
            *(borrow(tables)[k], borrow(edges)[k], borrow(used)[k], began),
            *(borrow(outs)[k], borrow(reports)[k]),
        )
    keep(scratch)


def ask_book(cfg: Cfg, state: State, player: int) -> int:
    """What the book says, for Python."""
    return book(cfg, state, player)


def next_word(rng: Rng) -> Any:
    """The next 64 random bits of a generator, for Python."""
    return word(rng)


# --- from Python ---------------------------------------------------------------------------------


class Thinker:
    """Asked from Python: independent searches in threads, whose results are added up.

    With `reuse` the trees are kept for the next move. That is sound only where a node is found by
    the whole state: whatever was learned below a position still holds when the game gets there.
    When less than half of a tree's room is left it starts anew.
    """

    def __init__(self, game: Game, bot: Bot, threads: int = 1, reuse: bool = False) -> None:
        self.game, self.bot, self.reuse = game, bot, reuse
        self._threads = Threads(threads)
        self._memory: tuple[Table, Edges, Used] | None = None

    def __call__(self, state: State, player: int, rng: Rng) -> int:
        """The move of `player`."""
        return self.think(state, player, rng)[0]

    def forget(self) -> None:
        """Start the next search with an empty tree."""
        self._memory = None

    def think(
        self, state: State, player: int, rng: Rng
    ) -> tuple[int, NDArray[np.float64], NDArray[np.int64]]:
        """The move, and what the searches found: `out` added up, `report` for each of them."""
        began = time.monotonic()
        game, params, count = self.game, self.bot.params, self._threads.count
        known = int(game.compiled(ask_book, **self.bot.more)(game.cfg, state, player))
        mask = np.zeros(game.actions, np.int8)
        if known >= 0:
            mask[known] = 1
        else:
            game.call("legal")(game.cfg, state, mask)
        outs = np.zeros((count, game.actions, OUT_COLUMNS))
        reports = np.zeros((count, REPORT_SIZE), np.int64)
        if mask.sum() > 1 and params[SECONDS] != 0.0:
            rngs = np.empty((count, WORDS), np.uint64)
            draw = game.compiled(next_word)
            for k in range(count * WORDS):
                rngs.flat[k] = max(int(draw(rng)), 1)
            run = game.compiled(search_each, **self.bot.more)
            tables, edges, used = self._trees(count)
            args = (game.cfg, params, state, player, rngs, mask, tables, edges, used)
            self._threads.over(count, run, *args, began, outs, reports)
        out = outs.sum(axis=0)
        action = int(game.compiled(decide)(params, out, reports[0], rng))
        if action < 0:
            action = int(game.compiled(pick)(rng, mask))
        return action, out, reports

    def _trees(self, count: int) -> tuple[Table, Edges, Used]:
        """Room for the trees: what is remembered, or new."""
        params = self.bot.params
        if (
            self._memory is not None
            and self._memory[2][:, USED_EDGES].max() <= params[CAPACITY] / 2
        ):
            return self._memory
        made = (
            np.zeros((count, int(params[SLOTS]), 2), np.uint64),
            np.empty((count, int(params[CAPACITY]), EDGE_COLUMNS)),
            np.zeros((count, USED_SIZE), np.int64),
        )
        self._memory = made if self.reuse else None
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_memory": None}


def reserved_bytes(params: Params) -> int:
    """The memory that one search may use for its tree."""
    return int(params[SLOTS]) * BYTES_PER_SLOT + int(params[CAPACITY]) * BYTES_PER_EDGE
