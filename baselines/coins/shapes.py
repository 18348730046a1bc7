"""Shapes that the bot `patterns` of Coins knows: boards that have fallen apart into straight runs.

Runs that share no line do not affect each other, so only the lengths of its runs describe such a
board. For each such set of runs the winner is computed once. (Without `max_take` this is Nim with
the runs as heaps, because splitting a heap helps nobody. The table does not use that: it is right
for every `max_take`, and with gaps too.)

Every length of a run has a random number, and a set of runs is identified by the sum of its
numbers. This sum can be computed without finding the runs: it is a sum over all segments on the
board, with a weight for each length. A run of 4 has four segments of 1 coin, three of 2, two of 3
and one of 4; with the numbers 0 for no coins and r1, r2, ... for runs, segments of n coins weigh
r(n) - 2 r(n-1) + r(n-2). With gaps the segments are all choices of coins, and their weights are
found in a similar way.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.coins.env import board_of
from bidarena.envs.coins.lines import Board, Coins, mask_of, segments
from bidarena.envs.coins.rules import POINTS, C
from bidarena.envs.game import Game

Shapes = NDArray[np.int64]
Runs = tuple[int, ...]  # lengths, ascending

MOST_COINS = 16  # the most coins of a known shape, all runs together

# The array of shapes: four numbers (most coins, weight of a single coin, how many segments, how
# many sums), then for each segment of two or more coins its bits, weight and direction (-1: more
# than two coins), then the known sums in ascending order, then for each sum who wins.
MOST, SINGLE, LINES, KNOWN = 0, 1, 2, 3
_HEAD = 4


def known_shapes(game: Game) -> Shapes | None:
    """Return the array that `recognise` reads; None where points decide."""
    if game.cfg[C.score] == POINTS:
        return None
    board, gaps, diagonals = board_of(game), game.options["gaps"], game.options["diagonals"]
    try:
        lines = segments(board, gaps, diagonals, None)[len(board.cells) :]
    except ValueError:  # with gaps and without max_take there are too many choices of coins
        return None
    longest = max(map(len, lines), default=1)
    weigh, sums, verdicts = _table(
        min(len(board.cells), MOST_COINS),
        longest,
        gaps,
        game.options["max_take"] or longest,
        game.options["last_coin"] == "loses",
    )
    segment_rows = [
        (mask_of(line), weigh[len(line)], _direction(board, line) if len(line) == 2 else -1)
        for line in lines
    ]
    head = (min(len(board.cells), MOST_COINS), weigh[1], len(lines), len(sums))
    flat = [number for row in segment_rows for number in row]
    return np.array([*head, *flat, *sums, *verdicts], np.int64)


def _direction(board: Board, pair: Coins) -> int:
    """Return the direction of two neighbours: 0 row, 1 column, 2 falling, 3 rising."""
    (row, column), (lower, other) = board.cells[pair[0]], board.cells[pair[1]]
    if row == lower:
        return 0
    return 1 if column == other else 2 if column < other else 3


@lru_cache(maxsize=16)
def _table(
    coins: int, longest: int, gaps: bool, max_take: int, misere: bool
) -> tuple[list[int], list[int], list[int]]:
    """Return weights of segments by length, sums of all sets of runs, and 1 (won) or -1 (lost)."""
    source = np.random.default_rng(7)
    number = [0, *source.integers(1, 2**62, longest).tolist()]
    weigh = [0]
    for size in range(1, longest + 1):
        if gaps:
            smaller = sum(weigh[k] * comb(size, k) for k in range(size))
        else:
            smaller = sum(weigh[k] * (size - k + 1) for k in range(size))
        weigh.append(number[size] - smaller)
    won: dict[Runs, bool] = {(): misere}
    for total in range(1, coins + 1):
        for runs in _partitions(total, longest):
            won[runs] = any(not won[after] for after in _moves(runs, gaps, max_take))
    found = sorted((_signed(sum(number[run] for run in runs)), won[runs]) for runs in won)
    verdicts = [1 if wins else -1 for _, wins in found]
    return [_signed(weight) for weight in weigh], [total for total, _ in found], verdicts


def _partitions(total: int, largest: int) -> list[Runs]:
    """Return all sets of runs with `total` coins, each run at most `largest` long."""
    if total == 0:
        return [()]
    parts = range(1, min(total, largest) + 1)
    return [(*rest, part) for part in parts for rest in _partitions(total - part, part)]


def _moves(runs: Runs, gaps: bool, max_take: int) -> set[Runs]:
    """Return all sets of runs that one move can leave."""
    after = set()
    for at, run in enumerate(runs):
        if at and runs[at - 1] == run:
            continue
        others = runs[:at] + runs[at + 1 :]
        for take in range(1, min(run, max_take) + 1):
            left = run - take
            splits = [(left,)] if gaps else [(a, left - a) for a in range(left // 2 + 1)]
            after |= {tuple(sorted(filter(None, others + split))) for split in splits}
    return after


def _signed(number: int) -> int:
    """Return the number as a signed 64-bit integer that wraps around."""
    return (number + 2**63) % 2**64 - 2**63


# --- compiled ------------------------------------------------------------------------------------


def recognise(shapes: Shapes, at: int, board: int, coins: int) -> int:
    """Return 1 if the player to move wins, -1 if they lose, 0 if the shape is not known.

    The shapes begin at index `at` of a longer array; a 0 there means that no shape is known.
    """
    if coins > shapes[at + MOST]:
        return 0
    taken = ~board
    total = coins * shapes[at + SINGLE]
    rows, columns, falling, rising = 0, 0, 0, 0  # coins that have a neighbour in this direction
    lines_at = at + _HEAD
    for k in range(shapes[at + LINES]):
        line = shapes[lines_at + 3 * k]
        if line & taken == 0:
            total += shapes[lines_at + 3 * k + 1]
            direction = shapes[lines_at + 3 * k + 2]
            if direction == 0:
                rows |= line
            elif direction == 1:
                columns |= line
            elif direction == 2:
                falling |= line
            elif direction == 3:
                rising |= line
    if rows & columns or (rows | columns) & falling or (rows | columns | falling) & rising:
        return 0
    known = shapes[at + KNOWN]
    sums_at = lines_at + 3 * shapes[at + LINES]
    low, high = 0, known
    while low < high:
        middle = (low + high) // 2
        if shapes[sums_at + middle] < total:
            low = middle + 1
        else:
            high = middle
    if low < known and shapes[sums_at + low] == total:
        return shapes[sums_at + known + low]
    return 0
