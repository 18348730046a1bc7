"""The plan of a search of Coins, and its table of positions.

A plan is one flat array, the parameters of a compiled bot. The table holds positions below which
all games have been counted; symmetric positions are one entry, under the smallest of their numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.coins.shapes import Shapes
from bidarena.envs.arguments import whole
from bidarena.envs.coins.env import board_of
from bidarena.envs.coins.lines import symmetries
from bidarena.envs.coins.rules import POINTS, SEEDED, C
from bidarena.envs.game import Game

Plan = NDArray[np.int64]  # the parameters of a search

# the plan: ten numbers, then the turned boards, then the shapes
MICROSECONDS, NODES = 0, 1  # limits of time and of positions visited; -1: no limit
SURE = 2  # 1: look for sure wins, and stop where one is found
BOUNDED = 3  # 1: leave out moves while many coins are on the board
GREEDY = 4  # 1: go by points instead of counted games
TABLE = 5  # the table has 2**TABLE entries; 0: no table
TURNS, CHUNKS = 6, 7  # how many symmetries there are; how many chunks of coins
TURNS_AT, SHAPES_AT = 8, 9  # where the turned boards and the shapes begin
_HEAD = 10

DEFAULT_MS = 50
CHUNK = 6  # so many coins are turned together

# the table of positions: columns of `entries` and of `sums`
KEY, MARGIN, VERDICT = 0, 1, 2
WINS, LOSSES = 0, 1
# what a search reports: entries in the table, positions visited, whether it was finished
FILLED, VISITED, FINISHED = 0, 1, 2

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def make_plan(
    game: Game,
    ms: float | None,
    nodes: int | None,
    *,
    sure: bool = False,
    bounded: bool = False,
    greedy: bool = False,
    table: int = 0,
    shapes: Shapes | None = None,
) -> Plan:
    """Return the parameters of a search; raise ValueError for wrong limits.

    Args:
        game: Coins.
        ms: milliseconds per move; 50 if neither `ms` nor `nodes` is given.
        nodes: positions per move.
        sure: look for sure wins, and stop where one is found.
        bounded: leave out moves while many coins are on the board.
        greedy: go by points instead of counted games.
        table: the table has 2**table entries; 0: no table.
        shapes: known shapes, see `known_shapes`.
    """
    if ms is None and nodes is None:
        ms = DEFAULT_MS
    clock = -1
    if ms is not None:
        if isinstance(ms, bool) or not isinstance(ms, int | float) or not 0 <= ms <= 3_600_000:
            raise ValueError(f"ms={ms!r}: expected milliseconds from 0 to 3600000")
        clock = int(1000 * ms)
    limit = -1 if nodes is None else whole("nodes", nodes, 0, 10**15)
    turned = turn_table(game)
    head = [clock, limit, int(sure), int(bounded), int(greedy), table, *turned.shape[:2]]
    shapes_at = _HEAD + turned.size
    return np.concatenate(
        [[*head, _HEAD, shapes_at], turned.ravel(), [0] if shapes is None else shapes],
        dtype=np.int64,
    )


def turn_table(game: Game) -> NDArray[np.int64]:
    """Return where each set of six coins goes under each symmetry, (symmetries, sixes, 64)."""
    board = board_of(game)
    by_points = game.cfg[C.score] == POINTS
    ways = symmetries(board, game.options["values"] if by_points else None)
    if by_points and game.cfg[C.colours] == SEEDED:
        ways = [tuple(range(len(board.cells)))]  # the next game has other colours
    sixes = -(-len(board.cells) // CHUNK)
    table = np.zeros((len(ways), sixes, 1 << CHUNK), np.int64)
    for way, goes in enumerate(ways):
        for coin, to in enumerate(goes):
            part = np.arange(1 << CHUNK) >> (coin % CHUNK) & 1
            table[way, coin // CHUNK] |= part << to
    return table


# --- compiled ------------------------------------------------------------------------------------


def turned(plan: Plan, board: int) -> int:
    """Return the smallest number among a position and all that are symmetric to it."""
    best = board
    chunks = plan[CHUNKS]
    for way in range(1, plan[TURNS]):
        at = plan[TURNS_AT] + way * chunks * (1 << CHUNK)
        other = 0
        for chunk in range(chunks):
            other |= plan[at + (board >> (CHUNK * chunk) & ((1 << CHUNK) - 1))]
            at += 1 << CHUNK
        best = min(best, other)
    return best


def find(entries: NDArray[np.int64], key: int, margin: int) -> int:
    """Return where a position is in the table, or the free place where it would be."""
    size = len(entries)
    mixed = (np.uint64(key) ^ np.uint64(margin & 0xFFFF) << np.uint64(47)) * _SPREAD
    slot: Any = np.int64(mixed >> np.uint64(20)) & (size - 1)
    while entries[slot, KEY] != 0:
        if entries[slot, KEY] == key and entries[slot, MARGIN] == margin:
            break
        slot = (slot + 1) & (size - 1)
    return slot


def enter(
    entries: NDArray[np.int64],
    sums: NDArray[np.float64],
    report: NDArray[np.int64],
    key: int,
    margin: int,
    verdict: int,
    wins: float,
    losses: float,
) -> None:
    """Enter a position into the table, unless the table is nearly full."""
    if 4 * report[FILLED] > 3 * len(entries):
        return
    slot = find(entries, key, margin)
    if entries[slot, KEY] == 0:
        report[FILLED] += 1
    entries[slot, KEY], entries[slot, MARGIN], entries[slot, VERDICT] = key, margin, verdict
    sums[slot, WINS], sums[slot, LOSSES] = wins, losses
