"""Search and choose a move: in compiled code, or from Python with threads or a kept tree."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.books import book_move
from bidarena.baselines.search.explore import explore
from bidarena.baselines.search.layout import (
    AUTO,
    AVAILABLE,
    BELIEF_END,
    BY_POLICY,
    CAPACITY,
    DROPPED,
    FINAL,
    MIXED,
    MOST,
    OUT_COLUMNS,
    PLAYERS,
    POLICY_END,
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
    EDGE_SIZE,
    SLOT_SIZE,
    USED_EDGES,
    USED_SIZE,
    Edges,
    Table,
    Used,
)
from bidarena.envs.compile import apart, borrow, seconds
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, legal
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS, pick, uniform, word
from bidarena.envs.rows.threads import Threads
from bidarena.envs.stopping import interruptible

NO_LIMIT = 1e9  # seconds of a search without a limit of time
FEWEST = 0.25  # share of the average weight that a move needs to be drawn

# --- compiled for each game ----------------------------------------------------------------------


def search_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Search, then return the chosen action: the `act` of all search bots.

    Allocates all memory of the search, once per move.
    """
    began = seconds()
    legal(cfg, state, scratch)
    known = known_move(cfg, params, state, player, scratch)
    if known >= 0:
        return known
    actions, choices, action = len(scratch), 0, -1
    for i in range(actions):
        choices += scratch[i]
    if choices > 1 and params[SECONDS] != 0.0:
        out = np.zeros((actions, OUT_COLUMNS))
        report = np.zeros(REPORT_SIZE, np.int64)
        table = np.zeros(int(params[SLOTS]) * SLOT_SIZE, np.uint64)
        edges = np.empty(int(params[CAPACITY]) * EDGE_SIZE)
        used = np.zeros(USED_SIZE, np.int64)
        for i in range(actions):
            out[i, AVAILABLE] = scratch[i]
        explore(cfg, params, state, player, rng, actions, table, edges, used, began, out, report)
        action = decide(params, out, report, rng)
    return action if action >= 0 else pick(rng, scratch)


@apart
def decide(params: Params, out: NDArray[np.float64], report: NDArray[np.int64], rng: Rng) -> int:
    """Return the move that a search chooses; -1 if it had no time to try any.

    With `final=visits` that is the most visited move, and of equals the one with the better mean.
    `sample` draws a move in proportion to its visits. `auto` is `sample` where others decide at the
    same time, else `visits`. With the rule `regret`, the sums of its probabilities take the place
    of the visits. Moves with less than a quarter of an equal share are never drawn: most of these
    are leftovers from the beginning of the search.
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
    total, most, best_mean, chosen, tried = 0.0, 0.0, 0.0, -1, 0
    for i in range(len(out)):
        weight = out[i, column] if out[i, DROPPED] == 0.0 else 0.0
        mean = out[i, TOTAL] / max(out[i, VISITS], 1.0)
        if weight > 0.0 and (weight > most or (weight == most and mean > best_mean)):
            most, best_mean, chosen = weight, mean, i
        total += weight
        tried += out[i, VISITS] > 0.0
    if final == SAMPLE and chosen >= 0:
        least = FEWEST * total / tried
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
    """Run the searches `first` to `last` - 1 for one move, each with a generator of its own."""
    for k in range(first, last):
        for i in range(len(mask)):
            outs[k, i, AVAILABLE] = mask[i]
        explore(
            *(cfg, params, state, player, borrow(rngs)[k], len(mask)),
            *(borrow(tables)[k], borrow(edges)[k], borrow(used)[k], began),
            *(borrow(outs)[k], borrow(reports)[k]),
        )


def known_move(cfg: Cfg, params: Params, state: State, player: int, mask: Mask) -> int:
    """Return the move that needs no search, or -1; `mask` holds the legal moves."""
    policy = params[int(params[BELIEF_END]) + int(params[PLAYERS]) : int(params[POLICY_END])]
    return book_move(cfg, policy, params[BY_POLICY] != 0.0, state, player, mask)


def next_word(rng: Rng) -> Any:
    """Return the next 64 random bits; compiled, this is how Python draws from a generator."""
    return word(rng)


# --- from Python ---------------------------------------------------------------------------------


class Thinker:
    """A search that is called from Python: runs one search per thread and adds up their results.

    Args:
        game: the game.
        bot: a bot of the search family; only its `params` and `more` are used.
        threads: how many independent searches run in parallel.
        reuse: keep the trees for the next move. This needs nodes that are found by the whole
            state: then all that was learned below a position still holds when the game gets
            there. When a tree is more than half full, all trees start empty again.
    """

    def __init__(self, game: Game, bot: Bot, threads: int = 1, reuse: bool = False) -> None:
        self.game, self.bot, self.reuse = game, bot, reuse
        self._threads = Threads(threads)
        self._memory: tuple[Table, Edges, Used] | None = None

    def __call__(self, state: State, player: int, rng: Rng) -> int:
        """Return the move of `player`; see `Bot.outside`."""
        return self.think(state, player, rng)[0]

    def forget(self) -> None:
        """Start the next search with an empty tree."""
        self._memory = None

    def think(
        self, state: State, player: int, rng: Rng
    ) -> tuple[int, NDArray[np.float64], NDArray[np.int64]]:
        """Return the move, the sum of `out` over all searches, and `report` of each search."""
        began = time.monotonic()
        game, params, count = self.game, self.bot.params, self._threads.count
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        ask = game.compiled(known_move, **self.bot.more)
        known = int(ask(game.cfg, params, state, player, mask))
        if known >= 0:
            mask[:] = 0
            mask[known] = 1
        outs = np.zeros((count, game.actions, OUT_COLUMNS))
        reports = np.zeros((count, REPORT_SIZE), np.int64)
        if mask.sum() > 1 and params[SECONDS] != 0.0:
            rngs = np.empty((count, WORDS), np.uint64)
            draw = game.compiled(next_word)
            for k in range(count * WORDS):
                rngs.flat[k] = max(int(draw(rng)), 1)
            run = game.compiled(search_each, **self.bot.more)
            tables, edges, used = self._trees(count)
            limited = params.copy()
            if limited[SECONDS] < 0.0:
                limited[SECONDS] = NO_LIMIT
            args = (game.cfg, limited, state, player, rngs, mask, tables, edges, used)
            try:
                interruptible(self._threads.over, count, run, *args, began, outs, reports)
            except BaseException:
                limited[SECONDS] = 0.0  # the search, which goes on alone, stops soon
                self._memory = None
                raise
        out = outs.sum(axis=0)
        action = int(game.compiled(decide)(params, out, reports[0], rng))
        if action < 0:
            action = int(game.compiled(pick)(rng, mask))
        return action, out, reports

    def _trees(self, count: int) -> tuple[Table, Edges, Used]:
        """Return memory for the trees: the kept trees while they have room, else empty ones."""
        params = self.bot.params
        if (
            self._memory is not None
            and self._memory[2][:, USED_EDGES].max() <= params[CAPACITY] / 2
        ):
            return self._memory
        made = (
            np.zeros((count, int(params[SLOTS]) * SLOT_SIZE), np.uint64),
            np.empty((count, int(params[CAPACITY]) * EDGE_SIZE)),
            np.zeros((count, USED_SIZE), np.int64),
        )
        self._memory = made if self.reuse else None
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_memory": None}  # trees are not pickled


def reserved_bytes(params: Params) -> int:
    """Return how many bytes one search may use for its tree."""
    return int(params[SLOTS]) * BYTES_PER_SLOT + int(params[CAPACITY]) * BYTES_PER_EDGE
