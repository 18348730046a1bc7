"""Solve zero-sum matrix games exactly: the row player wins `matrix[i, j]` from the column player.

`solve_into` is for compiled loops that solve many small games; `solve_matrix` calls it from Python.
It first looks for a saddle point in pure strategies. If there is none, it strikes out dominated
rows and columns, and solves the rest by the simplex method. The result is checked against the whole
matrix: the value lies between what the row strategy guarantees and what the column strategy
concedes, and these two may differ by rounding only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidarena.envs.compile import compiled

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

GAP = 1e-10  # most between guarantee and concession, relative to the spread of the matrix
TINY = 1e-12  # smaller entries of the tableau are rounding errors
STEEPEST, BLAND = 0, 1  # pivot rules: the first is fast, the second always ends


class MatrixSolution(NamedTuple):
    """A solved matrix game."""

    value: float
    row: Vector  # an optimal strategy of the row player: probabilities
    column: Vector  # an optimal strategy of the column player
    gap: float  # what the column strategy concedes beyond what the row strategy guarantees


def solve_matrix(matrix: ArrayLike) -> MatrixSolution:
    """Return the value of a matrix game and a pair of optimal strategies.

    Args:
        matrix: (rows, columns) what the row player wins; finite numbers.
    """
    entries = np.array(matrix, np.float64, order="C")
    if entries.ndim != 2 or entries.size == 0:
        raise ValueError(f"matrix: expected rows and columns, got shape {entries.shape}")
    if not np.isfinite(entries).all():
        raise ValueError("matrix: expected finite numbers only")
    row, column = np.zeros(entries.shape[0]), np.zeros(entries.shape[1])
    value, gap = compiled(solve_into, {}, "matrix games")(entries, row, column)
    return MatrixSolution(float(value), row, column, float(gap))


def solve_into(matrix: Matrix, row: Vector, column: Vector) -> tuple[float, float]:
    """Write optimal strategies into `row` and `column`; return the value and its largest error.

    At a saddle point the value is exactly the entry of the matrix, with error 0.
    """
    low, low_at, high, high_at = saddle(matrix)
    row[:] = 0.0
    column[:] = 0.0
    if low == high:
        row[low_at] = 1.0
        column[high_at] = 1.0
        return low, 0.0

    rows, columns = undominated(matrix)
    least, most = np.inf, -np.inf
    for i in rows:
        for j in columns:
            least = min(least, matrix[i, j])
            most = max(most, matrix[i, j])
    spread = most - least
    best_row, best_column = row.copy(), column.copy()
    best_gap, best_value = np.inf, low
    for rule in (STEEPEST, BLAND):
        row[:] = 0.0
        column[:] = 0.0
        _simplex(matrix, rows, columns, least, spread, rule, row, column)
        floor, ceiling = bounds(matrix, row, column)
        if ceiling - floor < best_gap:
            best_gap = ceiling - floor
            best_value = 0.5 * (floor + ceiling)
            best_row[:] = row
            best_column[:] = column
        if best_gap <= GAP * spread:
            break
    row[:] = best_row
    column[:] = best_column
    return best_value, max(best_gap, 0.0)


def saddle(matrix: Matrix) -> tuple[float, int, float, int]:
    """Return the most that a row guarantees, that row, the least a column concedes, that column.

    If both numbers are equal, the entry at that row and column is a saddle point.
    """
    low, low_at = -np.inf, 0
    for i in range(matrix.shape[0]):
        worst = np.inf
        for j in range(matrix.shape[1]):
            worst = min(worst, matrix[i, j])
        if worst > low:
            low, low_at = worst, i
    high, high_at = np.inf, 0
    for j in range(matrix.shape[1]):
        best = -np.inf
        for i in range(matrix.shape[0]):
            best = max(best, matrix[i, j])
        if best < high:
            high, high_at = best, j
    return low, low_at, high, high_at


def bounds(matrix: Matrix, row: Vector, column: Vector) -> tuple[float, float]:
    """Return the least that the row strategy wins, and the most that the column strategy pays."""
    floor, ceiling = np.inf, -np.inf
    for j in range(matrix.shape[1]):
        won = 0.0
        for i in range(matrix.shape[0]):
            won += row[i] * matrix[i, j]
        floor = min(floor, won)
    for i in range(matrix.shape[0]):
        paid = 0.0
        for j in range(matrix.shape[1]):
            paid += column[j] * matrix[i, j]
        ceiling = max(ceiling, paid)
    return floor, ceiling


def undominated(matrix: Matrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows and columns that are left after striking out dominated ones repeatedly.

    A row is dominated if another row is nowhere worse for the row player, a column if another
    column is nowhere better for the row player; of equal ones the first stays. An equilibrium of
    what is left is an equilibrium of the whole game.
    """
    height, width = matrix.shape
    row_stays = np.ones(height, np.bool_)
    column_stays = np.ones(width, np.bool_)
    changed = True
    while changed:
        changed = False
        for i in range(height):
            for other in range(height):
                if not row_stays[i]:
                    break
                if other == i or not row_stays[other]:
                    continue
                nowhere_better, equal = True, True
                for j in range(width):
                    if column_stays[j]:
                        if matrix[i, j] > matrix[other, j]:
                            nowhere_better = False
                            break
                        if matrix[i, j] < matrix[other, j]:
                            equal = False
                if nowhere_better and (not equal or other < i):
                    row_stays[i] = False
                    changed = True
        for j in range(width):
            for other in range(width):
                if not column_stays[j]:
                    break
                if other == j or not column_stays[other]:
                    continue
                nowhere_better, equal = True, True
                for i in range(height):
                    if row_stays[i]:
                        if matrix[i, j] < matrix[i, other]:
                            nowhere_better = False
                            break
                        if matrix[i, j] > matrix[i, other]:
                            equal = False
                if nowhere_better and (not equal or other < j):
                    column_stays[j] = False
                    changed = True
    return np.nonzero(row_stays)[0], np.nonzero(column_stays)[0]


def _simplex(
    matrix: Matrix,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    least: float,
    spread: float,
    rule: int,
    row: Vector,
    column: Vector,
) -> None:
    """Solve the game of the given rows and columns by the simplex method; write the strategies.

    Entries shifted and scaled into [1, 2] make a game of positive value v. Its optimal column
    strategy, divided by v, solves: maximise sum(y) where matrix y <= 1 and y >= 0. The tableau has
    a line and a slack variable per row of the game, and a line for the objective. At the end, the
    prices of the slack variables, scaled to sum 1, are the row strategy.
    """
    height, width = len(rows), len(columns)
    tableau = np.zeros((height + 1, width + height + 1))
    basis = np.empty(height, np.int64)
    scale = 1.0 / spread if spread > 0.0 else 1.0
    for i in range(height):
        for j in range(width):
            tableau[i, j] = 1.0 + (matrix[rows[i], columns[j]] - least) * scale
        tableau[i, width + i] = 1.0
        tableau[i, width + height] = 1.0
        basis[i] = width + i
    tableau[height, :width] = -1.0
    limit = 50 * (height + width) if rule == STEEPEST else 5000 * (height + width)
    for _ in range(limit):
        entering = _entering(tableau, rule)
        if entering < 0:
            break
        leaving = _leaving(tableau, basis, entering)
        if leaving < 0:  # only by rounding: every entry was positive
            break
        _pivot(tableau, leaving, entering)
        basis[leaving] = entering

    total = 0.0
    for i in range(height):
        if basis[i] < width:
            column[columns[basis[i]]] = max(tableau[i, width + height], 0.0)
            total += column[columns[basis[i]]]
    if total > 0.0:
        column /= total
    total = 0.0
    for i in range(height):
        row[rows[i]] = max(tableau[height, width + i], 0.0)
        total += row[rows[i]]
    if total > 0.0:
        row /= total


def _entering(tableau: Matrix, rule: int) -> int:
    """Return the variable to raise, or -1: the one that gains most; with `BLAND`, the first."""
    prices = tableau[-1]
    best, found = -TINY, -1
    for j in range(tableau.shape[1] - 1):
        if prices[j] < best:
            best, found = prices[j], j
            if rule == BLAND:
                break
    return found


def _leaving(tableau: Matrix, basis: NDArray[np.int64], entering: int) -> int:
    """Return the line that limits the entering variable most; of equals, the first variable's."""
    found, least = -1, np.inf
    for i in range(tableau.shape[0] - 1):
        if tableau[i, entering] > TINY:
            ratio = tableau[i, -1] / tableau[i, entering]
            if ratio < least - TINY or (ratio <= least + TINY and basis[i] < basis[found]):
                least, found = min(ratio, least), i
    return found


def _pivot(tableau: Matrix, leaving: int, entering: int) -> None:
    """Make `entering` the basic variable of line `leaving`, in place."""
    line = tableau[leaving]
    line /= line[entering]
    for i in range(tableau.shape[0]):
        if i != leaving:
            factor = tableau[i, entering]
            if factor != 0.0:
                for j in range(tableau.shape[1]):
                    tableau[i, j] -= factor * line[j]
                tableau[i, entering] = 0.0
