"""Put the positions of a graph into an order: every position after all that may follow it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.graph.tables import Tables
from bidarena.envs.compile import compiled
from bidarena.envs.game import Game

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Order:
    """The order in which positions are valued.

    Attributes:
        positions: all positions that are not ends, each after those that may follow it; with
            `endless`, after those that may follow it without a tick of the clock.
        endless: whether the game may last until its clock cuts it short.
        longest: the most moments of a game; with `endless`, between two ticks of the clock.
    """

    positions: Integers
    endless: bool
    longest: int


def order_positions(game: Game, tables: Tables) -> Order:
    """Return the order of all positions; raise ValueError if a game can go on for ever."""
    for ticks in (True, False):
        order = np.zeros(len(tables.rows), np.int64)
        depths = np.zeros((len(tables.rows), 2), np.int64)
        if compiled(sort_positions, {}, "exact solver")(tables, ticks, order, depths):
            clocked = game.clock is not None and game.limit > 1
            if ticks and clocked and depths[:, 1].max() >= game.limit:
                continue
            running = order[tables.rows[order] > 0]
            return Order(running, not ticks, int(depths[:, 0].max()))
    raise ValueError(
        f"{game.name}: positions repeat, so the game may never end, and no clock ends it. Declare "
        "the part of the state that counts towards the limit: Game(clock=..., limit=...)"
    )


def sort_positions(tables: Tables, ticks: bool, order: Integers, depths: Integers) -> bool:
    """Write positions in the order in which a depth-first search leaves them; False at a cycle.

    Args:
        tables: the graph.
        ticks: whether to follow moves that advance the clock.
        order: where the positions are written.
        depths: (positions, 2) where the most moments, and the most ticks, that may follow each
            position are written.
    """
    number = len(tables.rows)
    seen = np.zeros(number, np.int8)  # 1: on the path; 2: left
    path = np.zeros((number, 3), np.int64)  # position, next cell, next branch in it
    written = 0
    for root in range(number):
        if seen[root]:
            continue
        seen[root] = 1
        depth = 0
        path[0, 0], path[0, 1], path[0, 2] = root, tables.first[root], 0
        while depth >= 0:
            here, cell = path[depth, 0], path[depth, 1]
            if cell == tables.first[here + 1]:
                seen[here] = 2
                order[written] = here
                written += 1
                depth -= 1
                if depth >= 0:
                    continue
                break
            code = tables.cells[cell]
            if code >= 0:
                path[depth, 1] += 1
            else:
                draw = -1 - code
                branch = tables.branch_first[draw] + path[depth, 2]
                code = tables.branch_codes[branch]
                path[depth, 2] += 1
                if branch + 1 == tables.branch_first[draw + 1]:
                    path[depth, 1] += 1
                    path[depth, 2] = 0
            if (code & 1) and not ticks:
                continue
            child = code >> 1
            if seen[child] == 1:
                return False
            if seen[child] == 0:
                seen[child] = 1
                depth += 1
                path[depth, 0], path[depth, 1], path[depth, 2] = child, tables.first[child], 0
    for at in range(number):
        _measure(tables, ticks, order[at], depths)
    return True


def _measure(tables: Tables, ticks: bool, here: int, depths: Integers) -> None:
    """Write the depths of a position whose successors have theirs."""
    for cell in range(tables.first[here], tables.first[here + 1]):
        code = tables.cells[cell]
        first, last = 0, 1
        if code < 0:
            first, last = tables.branch_first[-1 - code], tables.branch_first[-code]
        for branch in range(first, last):
            follows = code if code >= 0 else tables.branch_codes[branch]
            if (follows & 1) and not ticks:
                continue
            child = follows >> 1
            depths[here, 0] = max(depths[here, 0], depths[child, 0] + 1)
            depths[here, 1] = max(depths[here, 1], depths[child, 1] + (follows & 1))
