"""Solve a larger game with hidden information by regret: predictive CFR+ over sequences.

Both players play against each other again and again. In each information set a player keeps count
of how much better every action would have been than the own choice, and chooses in proportion to
these regrets, with the last regret counted twice as a prediction of the next one (Farina, Kroer and
Sandholm, 2021). The average of all strategies, later ones weighted more, comes ever closer to an
equilibrium. How close it is, best responses tell exactly.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.tree.sequences import (
    nash_gap,
    realize,
    slot_players,
    uniform,
)
from bidarena.baselines.solvers.tree.tables import Tables
from bidarena.envs.compile import compiled

Floats = NDArray[np.float64]

FIRST = 16  # iterations before the gap is measured first
GROWTH = 1.25  # each time so many times as many


@dataclass(frozen=True)
class Settled:
    """What the regret method has found."""

    strategy: Floats  # average strategies of both players
    low: float  # bounds of the value to player 0
    high: float
    iterations: int
    seconds: float


def solve_by_regret(
    tables: Tables,
    gap: float,
    seconds: float = np.inf,
    progress: Callable[[int, float], None] | None = None,
) -> Settled:
    """Return strategies that are worth at least the value, less the gap, to both players together.

    Args:
        tables: the tree, with merged ends.
        gap: the method ends when best responses gain no more than this, both players together.
        seconds: the method ends after this time, even if the gap is larger.
        progress: called with the number of iterations and the gap.
    """
    began = time.perf_counter()
    run = compiled(iterate, {}, "exact solver")
    size = int(tables.first[-1])
    regrets, guesses, total = np.zeros(size), np.zeros(size), np.zeros(size)
    strategy = uniform(tables)
    reach = np.zeros(size)
    compiled(realize, {}, "exact solver")(tables.first, tables.parents, strategy, reach)
    done, target = 0, FIRST
    gains, runs = np.ascontiguousarray(tables.gains[:, 0]), runs_of(tables)
    while True:
        target = max(target, done + 1)
        args = (tables.first, tables.parents, tables.players, tables.last, gains, runs)
        run(*args, regrets, guesses, strategy, reach, total, done, target)
        done = target
        average = averaged(tables, total)
        low, high, _ = nash_gap(tables, average)
        spent = time.perf_counter() - began
        if progress is not None:
            progress(done, high - low)
        if high - low <= gap or spent > seconds:
            return Settled(average, low, high, done, spent)
        # near the end of the time, measure in time
        target = int(done * GROWTH) + 1
        if np.isfinite(seconds):
            target = min(target, done + max(1, int((seconds - spent) * done / spent)))


def averaged(tables: Tables, total: Floats) -> Floats:
    """Return the strategy in proportion to summed weights; uniform where nothing was summed."""
    sums = np.repeat(np.add.reduceat(total, tables.first[:-1]), np.diff(tables.first))
    with np.errstate(invalid="ignore"):
        return np.where(sums > 0.0, total / sums, uniform(tables))


def player_slots(tables: Tables, player: int) -> NDArray[np.int64]:
    """Return the slots of a player."""
    return np.flatnonzero(slot_players(tables) == player)


def runs_of(tables: Tables) -> NDArray[np.int64]:
    """Return where the ends after each slot of player 0 begin, and where the last ones end."""
    slots = tables.last[:, 0]  # in ascending order, because ends are merged
    begins = np.flatnonzero(slots[1:] != slots[:-1]) + 1
    return np.concatenate([[0], begins, [len(slots)]])


def iterate(
    first: NDArray[np.int32],
    parents: NDArray[np.int32],
    players: NDArray[np.int8],
    last: NDArray[np.int32],
    gains: Floats,
    runs: NDArray[np.int64],
    regrets: Floats,
    guesses: Floats,
    strategy: Floats,
    reach: Floats,
    total: Floats,
    begin: int,
    end: int,
) -> None:
    """Run iterations `begin` to `end` - 1, players one after another in each of them."""
    worths = np.zeros(len(regrets))
    for iteration in range(begin, end):
        weight = float(iteration + 1) * float(iteration + 1)
        for player in range(2):
            if player == 0:
                _gather_rows(last, gains, runs, reach, worths)
            else:
                _gather_columns(last, gains, runs, reach, worths)
            for number in range(len(parents) - 1, -1, -1):
                if players[number] != player:
                    continue
                value = 0.0
                for slot in range(first[number], first[number + 1]):
                    value += strategy[slot] * worths[slot]
                for slot in range(first[number], first[number + 1]):
                    guesses[slot] = worths[slot] - value
                    regrets[slot] = max(regrets[slot] + guesses[slot], 0.0)
                if parents[number] >= 0:
                    worths[parents[number]] += value
            # at once, so that the other player meets a strategy that knows this round
            _choose(
                first, parents, players, player, regrets, guesses, weight, strategy, reach, total
            )


def _gather_rows(
    last: NDArray[np.int32], gains: Floats, runs: NDArray[np.int64], reach: Floats, worths: Floats
) -> None:
    """Write what the ends right after each slot of player 0 are worth to them."""
    worths[:] = 0.0
    for run in range(len(runs) - 1):
        slot = last[runs[run], 0]
        if slot < 0:
            continue
        worth = 0.0
        for end in range(runs[run], runs[run + 1]):
            theirs = last[end, 1]
            worth += gains[end] * reach[theirs] if theirs >= 0 else gains[end]
        worths[slot] += worth


def _gather_columns(
    last: NDArray[np.int32], gains: Floats, runs: NDArray[np.int64], reach: Floats, worths: Floats
) -> None:
    """Write what the ends right after each slot of player 1 are worth to them.

    Slots that player 0 does not play are left out. There are more of them with every iteration.
    """
    worths[:] = 0.0
    for run in range(len(runs) - 1):
        theirs = last[runs[run], 0]
        weight = reach[theirs] if theirs >= 0 else 1.0
        if weight == 0.0:
            continue
        for end in range(runs[run], runs[run + 1]):
            slot = last[end, 1]
            if slot >= 0:
                worths[slot] -= gains[end] * weight


def _choose(
    first: NDArray[np.int32],
    parents: NDArray[np.int32],
    players: NDArray[np.int8],
    player: int,
    regrets: Floats,
    guesses: Floats,
    weight: float,
    strategy: Floats,
    reach: Floats,
    total: Floats,
) -> None:
    """Write a player's strategy in proportion to predicted regrets, and add it to the sum."""
    for number in range(len(parents)):
        if players[number] != player:
            continue
        begin, end = first[number], first[number + 1]
        sum_of = 0.0
        for slot in range(begin, end):
            strategy[slot] = max(regrets[slot] + guesses[slot], 0.0)
            sum_of += strategy[slot]
        before = reach[parents[number]] if parents[number] >= 0 else 1.0
        for slot in range(begin, end):
            strategy[slot] = strategy[slot] / sum_of if sum_of > 0.0 else 1.0 / (end - begin)
            reach[slot] = before * strategy[slot]
            total[slot] += weight * reach[slot]
