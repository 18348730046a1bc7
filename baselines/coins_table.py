"""What the searching bots of Coins are made from: the plan of a search, and a table of positions.

A plan is one flat array, the parameters of a compiled bot. The table holds positions whose games
have all been counted; symmetric positions are one entry, under the smallest of their numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.coins_shapes import Shapes
from bidarena.envs.check import whole
from bidarena.envs.coins.env import board_of
from bidarena.envs.coins.lines import symmetries
from bidarena.envs.coins.rules import COLOURS, POINTS, SCORE, SEEDED
from bidarena.envs.game import Game

Plan = NDArray[np.int64]  # the parameters of a search

# the plan: numbers, then the turned boards, then the shapes
MICROSECONDS, NODES = 0, 1  # the clock and the number of positions; -1: no limit
SURE = 2  # look for sure wins, and look no further where one is found
BOUNDED = 3  # leave out moves while many coins lie
GREEDY = 4  # most points first, counts do not matter
TABLE = 5  # the table has 2**TABLE entries; 0: no table
TURNS, CHUNKS, TURNS_AT, SHAPES_AT = 6, 7, 8, 9
_HEAD = 10

DEFAULT_MS = 50
CHUNK = 6  # coins that are turned together

# the table of positions
KEY, MARGIN, VERDICT = 0, 1, 2
WINS, LOSSES = 0, 1
# what a search reports: entries in the table, positions visited, was it finished
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
    """The parameters of a search, checked; without `ms` and `nodes` the clock is 50 ms."""
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
    """Where six coins at a time go under each symmetry: (symmetries, sixes, 64) positions."""
    board = board_of(game)
    by_points = game.cfg[SCORE] == POINTS
    ways = symmetries(board, game.options["values"] if by_points else None)
    if by_points and game.cfg[COLOURS] == SEEDED:
        ways = [tuple(range(len(board.cells)))]  # the colours of the next game are others
    sixes = -(-len(board.cells) // CHUNK)
    table = np.zeros((len(ways), sixes, 1 << CHUNK), np.int64)
    for way, goes in enumerate(ways):
        for coin, to in enumerate(goes):
            part = np.arange(1 << CHUNK) >> (coin % CHUNK) & 1
            table[way, coin // CHUNK] |= part << to
    return table


# --- compiled ------------------------------------------------------------------------------------


def turned(plan: Plan, board: int) -> int:
    """The smallest number among a position and all that are symmetric to it."""
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
    """Where a position is in the table, or the free place where it would be."""
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
    """Enter a position into the table, unless that is nearly full."""
    if 4 * report[FILLED] > 3 * len(entries):
        return
    slot = find(entries, key, margin)
    if entries[slot, KEY] == 0:
        report[FILLED] += 1
    entries[slot, KEY], entries[slot, MARGIN], entries[slot, VERDICT] = key, margin, verdict
    sums[slot, WINS], sums[slot, LOSSES] = wins, losses
