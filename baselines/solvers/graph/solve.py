"""Solve a game in which nothing is hidden, or respond best to a given player, on its graph.

A game that ends by itself is valued in one sweep. A game that may last until its clock cuts it
short is valued for 1, 2, 3, ... ticks that are left. Values change less and less from one number of
ticks to the next, never more than the time before. So if they changed by d at most, and n ticks are
not reckoned yet, the value of the whole game is known up to n * d, and the choices of the last tick
that was reckoned lose no more than that either. That is the gap that is told.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.graph.facts import F, facts_of
from bidarena.baselines.solvers.graph.order import Order
from bidarena.baselines.solvers.graph.sweep import TINY, cell_value, sweep
from bidarena.baselines.solvers.graph.tables import Tables
from bidarena.envs.compile import compiled
from bidarena.envs.game import Game

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Graph:
    """The positions of a game, in order."""

    game: Game
    tables: Tables
    order: Order

    @cached_property
    def sides(self) -> Integers:
        """The side of each player, 0 or 1."""
        return facts_of(self.game)[F.sides :]

    @cached_property
    def plan_first(self) -> Integers:
        """Where the choices of each position begin in a plan; the last number is its length."""
        both = self.tables.movers[:, 1] >= 0
        sizes = self.tables.rows + np.where(both, self.tables.columns, 0)
        sizes[self.tables.rows == 0] = 0
        return np.concatenate([[0], np.cumsum(sizes)])


class Layer(NamedTuple):
    """Choices that hold from a number of ticks left on, where they differ from those before."""

    since: int
    position: int
    part: int  # 0: the choice of a row, 1: of a column
    chances: Floats  # the probability of each


@dataclass(frozen=True)
class Valued:
    """What is known after all sweeps.

    Attributes:
        value: what side 0 wins on average from the deal on.
        gap: the most by which `value` can be wrong, and by which either side's choices win less.
        values: what side 0 wins from each position, with as many ticks left as were reckoned.
        plan: the choices of both sides there.
        layers: the free choices, by the ticks that must be left; 0 if the clock does not matter.
        ticks: the number of ticks reckoned; 0 if the clock does not matter.
        seconds: how long it took.
    """

    value: float
    gap: float
    values: Floats
    plan: Floats
    layers: list[Layer]
    ticks: int
    seconds: float


def value_graph(
    graph: Graph,
    *,
    plan: Floats | None = None,
    given: tuple[int, ...] = (),
    gap: float = 1e-9,
    seconds: float = np.inf,
    keep_layers: bool = True,
    turn: Callable[[int, Floats], None] | None = None,
    turns: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Valued:
    """Value all positions.

    Args:
        graph: the positions.
        plan: the given choices; free ones are 0 in it. It is not changed.
        given: the sides whose choices are given.
        gap: sweeps end when the value is known this well.
        seconds: sweeps end after this time, even if the gap is larger.
        keep_layers: whether to keep choices for every number of ticks left.
        turn: `turn(ticks, plan)` writes the given choices for a number of ticks left, where they
            depend on it; None: they do not.
        turns: it is called for 1, 2, ... up to so many ticks. Those are reckoned however little
            changes; from then on the given choices stay as they are.
        progress: called with the number of ticks reckoned.
    """
    began = time.perf_counter()
    tables, order, game = graph.tables, graph.order, graph.game
    first = graph.plan_first
    plan = np.zeros(first[-1]) if plan is None else plan.copy()
    flags = np.array([side in given for side in range(2)], np.int8)
    once = compiled(sweep, {}, "exact solver")
    changed = np.zeros((len(tables.rows), 2), np.int8)

    def reckon(before: Floats, values: Floats) -> float:
        args = (tables, order.positions, graph.sides, flags, before, values, first, plan, changed)
        return float(once(*args))

    values = tables.ends.copy()
    layers: list[Layer]
    if not order.endless:
        error = reckon(values, values) * (order.longest + 1)
        layers = _layers(graph, 0, changed, plan) if keep_layers else []
        spent = time.perf_counter() - began
        return Valued(_at_deal(graph, values, values), error, values, plan, layers, 0, spent)
    layers = []
    worst, left = 0.0, np.inf
    for ticks in range(1, game.limit + 1):
        later, values = values, values.copy()
        changed[:] = 0
        if turn is not None and ticks <= turns:
            turn(ticks, plan)
        worst = max(worst, reckon(later, values))
        if keep_layers and changed.any():
            layers += _layers(graph, ticks, changed, plan)
        if progress is not None:
            progress(ticks)
        step = np.abs(values - later)
        # positions that are never entered by a tick have no value before the first sweep
        moved = float(np.nanmax(step)) if ticks == 1 else float(step.max())
        left = (game.limit - ticks) * moved
        settled = left <= gap and (turn is None or ticks >= turns)
        if settled or time.perf_counter() - began > seconds:
            break
    error = left + (worst + TINY) * ticks * (order.longest + 1)
    spent = time.perf_counter() - began
    return Valued(_at_deal(graph, values, values), error, values, plan, layers, ticks, spent)


def _layers(graph: Graph, since: int, changed: NDArray[np.int8], plan: Floats) -> list[Layer]:
    """Return the choices that have changed."""
    tables, first = graph.tables, graph.plan_first
    found = []
    for position, part in np.argwhere(changed):
        begin = first[position] + (tables.rows[position] if part else 0)
        size = (tables.columns if part else tables.rows)[position]
        found.append(Layer(since, int(position), int(part), plan[begin : begin + size].copy()))
    return found


def _at_deal(graph: Graph, before: Floats, values: Floats) -> float:
    """Return the mean value over all deals."""
    return float(compiled(cell_value, {}, "exact solver")(graph.tables, -1, before, values))
