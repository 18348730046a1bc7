"""Estimate how large a game is before it is solved, by random games.

Histories are counted by Knuth's method: the product of all numbers of choices along a random game
is, on average, the number of histories of its length. Situations, what a player knows at a
decision, are counted by Chao's method: if most situations after n moves were met once only, there
are many more that were not met. It gives a lower bound, on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.generic.plan import knowledge, situation_key
from bidarena.baselines.solvers.graph.facts import idle_of
from bidarena.baselines.solvers.graph.tables import clear_row
from bidarena.envs.compile import Function, borrow, keep
from bidarena.envs.game import Cfg, Game, legal, reset, step, to_move
from bidarena.envs.rng import WORDS, Words, word

GAMES = 2000  # random games that are played
DECISIONS = 400_000  # decisions in all games together, where games are long

STEP_SECONDS = 4e-7  # of one try of an action, about
NODE_SECONDS = 1e-6  # of one history, about
SWEEP_SECONDS = 1.2e-8  # of valuing one choice once, about
TICKS = 60  # ticks after which the values of a game with a clock mostly stand still


@dataclass(frozen=True)
class Size:
    """How large a game is, about."""

    situations: float  # what players can know at their decisions; a lower bound
    histories: float
    width: float  # cells per position: actions, times actions made at the same time


def counted_below(rng: Words, n: int) -> int:
    """Return a number from 0 to n-1, and multiply the count of outcomes by n."""
    rng[WORDS : WORDS + 1].view(np.float64)[0] *= n
    return np.int64(word(rng) % np.uint64(n))  # type: ignore[return-value]


def counted_draw(rng: Words, chances: NDArray[np.float64]) -> int:
    """Return any index of positive probability, and multiply the count by their number."""
    possible = 0
    for index in range(len(chances)):
        possible += chances[index] > 0.0
    left = counted_below(rng, max(possible, 1))
    found = -1
    for index in range(len(chances)):
        if chances[index] > 0.0:
            found = index
            if left == 0:
                break
            left -= 1
    return found


COUNTED: dict[str, Function] = {"below": counted_below, "draw": counted_draw}


@lru_cache(maxsize=64)
def _measured(game: Game) -> Size:
    depth = min(game.longest, max(10, DECISIONS // 50))
    games = int(np.clip(DECISIONS // depth, 50, GAMES))
    keys = np.zeros((games, depth))
    widths, histories = np.zeros((games, depth)), np.zeros(games)
    moment = slice(0, 0) if game.simultaneous is None else game.state[game.simultaneous]
    luck = np.random.default_rng(0).integers(1, 2**63, (games, WORDS + 1), dtype=np.uint64)
    play = game.compiled(play_randomly, **COUNTED, **knowledge(game))
    idle = idle_of(game, timeless=not game.hidden).astype(np.float64)
    args = (game.cfg, luck, idle, game.state_size, game.actions)
    play(*args, moment.start, moment.stop, keys, widths, histories)
    situations = 0.0
    for column in keys.T:
        met = column[column != 0.0]
        _, counts = np.unique(met, return_counts=True)
        once, twice = int((counts == 1).sum()), int((counts == 2).sum())
        situations += len(counts) + once * max(once - 1, 0) / (2 * (twice + 1))
    shown = widths[widths > 0.0]
    return Size(situations, float(histories.mean()), float(shown.mean()) if len(shown) else 1.0)


def size_of(game: Game) -> Size:
    """Return an estimate of the size of a game."""
    return _measured(game)


def play_randomly(
    cfg: Cfg,
    luck: NDArray[np.uint64],
    idle: NDArray[np.float64],
    size: int,
    actions: int,
    moment: int,
    moment_end: int,
    keys: NDArray[np.float64],
    widths: NDArray[np.float64],
    histories: NDArray[np.float64],
) -> None:
    """Play one random game per row; write the key and the width of each of its decisions.

    The width of the second of two decisions made at the same time is the product of both; that of
    the first is 0 then. `histories` becomes the estimate of each game.
    """
    made, masks, key = np.zeros(size, np.int64), np.zeros(actions, np.int8), np.zeros(2)
    state, mask = borrow(made), borrow(masks)
    before = np.zeros(moment_end - moment, np.int64)
    for game in range(len(keys)):
        rng = luck[game]
        product: Any = rng[WORDS : WORDS + 1].view(np.float64)
        product[0] = 1.0
        clear_row(state)
        reset(cfg, state, rng)
        earlier, width = -1, 0
        for depth in range(keys.shape[1]):
            mover = to_move(cfg, state)
            if mover < 0:
                break
            legal(cfg, state, mask)
            allowed = mask.sum()
            situation_key(cfg, state, mover, idle, key)
            keys[game, depth] = key[0] + 1.0
            same = moment_end > moment and earlier >= 0 and mover != earlier
            for at in range(moment, moment_end):
                same = same and before[at - moment] == state[at]
                before[at - moment] = state[at]
            width = width * allowed if same else allowed
            if same:
                widths[game, depth - 1] = 0.0
            widths[game, depth] = width
            earlier = mover
            product[0] *= allowed
            histories[game] += product[0]
            left = np.int64(word(rng) % np.uint64(allowed))
            for action in range(actions):
                if mask[action]:
                    if left == 0:
                        step(cfg, state, action, rng)
                        break
                    left -= 1
    keep(made)
    keep(masks)
