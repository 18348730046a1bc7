"""Value all positions of a graph once, from the end to the beginning.

One function serves three questions, because the choices of a side are either given or free. Both
free: perfect play of both sides, by the solution of a matrix game in each position. One given: the
best response to it. Both given: what the two players win from each other.

Choices are kept in one array, the plan: for every position the probability of each row, then, if
another player moves at the same time, of each column.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.graph.tables import Tables
from bidarena.baselines.solvers.matrix import solve_into

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

TINY = 1e-12  # choices that lose no more than this are kept from the sweep before


def sweep(
    tables: Tables,
    order: Integers,
    sides: Integers,
    given: NDArray[np.int8],
    before: Floats,
    values: Floats,
    plan_first: Integers,
    plan: Floats,
    changed: NDArray[np.int8],
) -> float:
    """Write the values and the free choices of all positions; return the largest matrix gap.

    Choices of an earlier sweep stay as they are wherever they are still the best ones.

    Args:
        tables: the graph.
        order: the positions, each after those that it needs.
        sides: the side of each player, 0 or 1.
        given: for each side 1 if its choices in `plan` are given, 0 if they are free.
        before: what side 0 wins after a tick of the clock, from each position.
        values: what side 0 wins from each position; ends are filled in.
        plan_first: where the plan of each position begins.
        plan: the choices.
        changed: (positions, 2) set to 1 where the free choices of rows, of columns have changed.
    """
    most_rows, most_columns, most = 0, 0, 0
    for k in range(len(order)):
        rows, columns = tables.rows[order[k]], tables.columns[order[k]]
        most_rows, most_columns = max(most_rows, rows), max(most_columns, columns)
        most = max(most, rows * columns)
    made = np.empty(most)
    strategies = np.empty((2, max(most_rows, most_columns, 1)))
    worst = 0.0
    for k in range(len(order)):
        here = order[k]
        rows, columns = tables.rows[here], tables.columns[here]
        mover = sides[tables.movers[here, 0]]
        sign = 1.0 if mover == 0 else -1.0  # the matrix holds what the row's side wins
        first = tables.first[here]
        at = plan_first[here]
        row = plan[at : at + rows]
        both = tables.movers[here, 1] >= 0
        # what a given choice never takes needs no value
        rows_given, columns_given = given[mover], both and given[1 - mover]
        for i in range(rows):
            if rows_given and row[i] == 0.0:
                continue
            for j in range(columns):
                if columns_given and plan[at + rows + j] == 0.0:
                    continue
                code = tables.cells[first + i * columns + j]
                made[i * columns + j] = sign * cell_value(tables, code, before, values)
        matrix = made[: rows * columns].reshape((rows, columns))
        if not both:
            if given[mover]:
                value = _mean_of_column(matrix, row, 0)
            else:
                value, moved = _best_row(matrix, row)
                changed[here, 0] |= moved
        else:
            column = plan[at + rows : at + rows + columns]
            if given[mover] and given[1 - mover]:
                value = 0.0
                for j in range(columns):
                    if column[j] > 0.0:
                        value += column[j] * _mean_of_column(matrix, row, j)
            elif given[mover]:
                value, moved = _answer_row(matrix, row, column)
                changed[here, 1] |= moved
            elif given[1 - mover]:
                value, moved = _answer_column(matrix, row, column)
                changed[here, 0] |= moved
            else:
                value, gap, moved = _equilibrium(matrix, row, column, strategies)
                worst = max(worst, gap)
                changed[here, 0] |= moved
                changed[here, 1] |= moved
        values[here] = sign * value
    return worst


def rate_choices(
    tables: Tables,
    order: Integers,
    sides: Integers,
    before: Floats,
    values: Floats,
    plan_first: Integers,
    plan: Floats,
    worths: Floats,
    worsts: Floats,
) -> None:
    """Write what every action is worth to its own player, as the plan is laid out.

    Args:
        tables: the graph.
        order: all positions that are not ends.
        sides: the side of each player.
        before: what side 0 wins after a tick of the clock, from each position.
        values: what side 0 wins from each position.
        plan_first: where the plan of each position begins.
        plan: the choices of all players.
        worths: the worth of each action if the other player follows the plan.
        worsts: the worth against the worst move that the other makes at the same time.
    """
    for k in range(len(order)):
        here = order[k]
        rows, columns = tables.rows[here], tables.columns[here]
        sign = 1.0 if sides[tables.movers[here, 0]] == 0 else -1.0
        at, first = plan_first[here], tables.first[here]
        both = tables.movers[here, 1] >= 0
        for i in range(rows):
            worths[at + i], worsts[at + i] = 0.0, np.inf
        if both:
            for j in range(columns):
                worths[at + rows + j], worsts[at + rows + j] = 0.0, np.inf
        for i in range(rows):
            for j in range(columns):
                code = tables.cells[first + i * columns + j]
                value = sign * cell_value(tables, code, before, values)
                worths[at + i] += value * (plan[at + rows + j] if both else 1.0)
                worsts[at + i] = min(worsts[at + i], value)
                if both:
                    worths[at + rows + j] -= value * plan[at + i]
                    worsts[at + rows + j] = min(worsts[at + rows + j], -value)


def cell_value(tables: Tables, code: int, before: Floats, values: Floats) -> float:
    """Return what side 0 wins after a cell: from its position, or on average over its branches."""
    if code >= 0:
        return before[code >> 1] if code & 1 else values[code >> 1]
    total = 0.0
    for branch in range(tables.branch_first[-1 - code], tables.branch_first[-code]):
        follows = tables.branch_codes[branch]
        worth = before[follows >> 1] if follows & 1 else values[follows >> 1]
        total += tables.branch_weights[branch] * worth
    return total


def _mean_of_column(matrix: Floats, row: Floats, column: int) -> float:
    """Return what the row strategy wins against one column."""
    total = 0.0
    for i in range(len(row)):
        if row[i] > 0.0:
            total += row[i] * matrix[i, column]
    return total


def _mean_of_row(matrix: Floats, row: int, column: Floats) -> float:
    """Return what one row wins against the column strategy."""
    total = 0.0
    for j in range(len(column)):
        if column[j] > 0.0:
            total += column[j] * matrix[row, j]
    return total


def _best_row(matrix: Floats, row: Floats) -> tuple[float, int]:
    """Choose the best row of a matrix with one column; return its value and whether it changed."""
    best = 0
    for i in range(1, len(row)):
        if matrix[i, 0] > matrix[best, 0]:
            best = i
    return matrix[best, 0], _choose(row, best, _kept(row), matrix[best, 0], matrix[:, 0])


def _answer_column(matrix: Floats, row: Floats, column: Floats) -> tuple[float, int]:
    """Choose the best row against a column strategy; return its value and whether it changed."""
    worths = np.zeros(len(row))
    for j in range(len(column)):
        if column[j] > 0.0:
            for i in range(len(row)):
                worths[i] += column[j] * matrix[i, j]
    best = int(worths.argmax())
    return worths[best], _choose(row, best, _kept(row), worths[best], worths)


def _answer_row(matrix: Floats, row: Floats, column: Floats) -> tuple[float, int]:
    """Choose the best column against a row strategy; return its value and whether it changed."""
    worths = np.zeros(len(column))
    for i in range(len(row)):
        if row[i] > 0.0:
            for j in range(len(column)):
                worths[j] -= row[i] * matrix[i, j]
    best = int(worths.argmax())
    return -worths[best], _choose(column, best, _kept(column), worths[best], worths)


def _kept(choice: Floats) -> int:
    """Return the one action of an earlier choice; -1 if there is none."""
    for at in range(len(choice)):
        if choice[at] == 1.0:
            return at
    return -1


def _choose(choice: Floats, best: int, kept: int, value: float, worths: Floats) -> int:
    """Write the best action unless the kept one is as good; return 1 if the choice changed."""
    if kept >= 0 and worths[kept] >= value - TINY:
        return 0
    choice[:] = 0.0
    choice[best] = 1.0
    return 1


def _equilibrium(
    matrix: Floats, row: Floats, column: Floats, strategies: Floats
) -> tuple[float, float, int]:
    """Write optimal strategies; return the value, its largest error and whether they changed."""
    floor, ceiling = np.inf, -np.inf
    if row.sum() > 0.5:
        for j in range(len(column)):
            floor = min(floor, _mean_of_column(matrix, row, j))
        for i in range(len(row)):
            ceiling = max(ceiling, _mean_of_row(matrix, i, column))
        if ceiling - floor <= TINY:
            return 0.5 * (floor + ceiling), ceiling - floor, 0
    new_row, new_column = strategies[0, : len(row)], strategies[1, : len(column)]
    value, gap = solve_into(matrix, new_row, new_column)
    row[:] = new_row
    column[:] = new_column
    return value, gap, 1
