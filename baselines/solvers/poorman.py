"""Poorman games: thresholds of the bidding game in which the winner of a bid pays the bank.

P(v) is the share of all money that player 0 needs at v. Let player 0 have m and player 1 have y,
and let q = P / (1 - P) be the ratio m / y that player 0 needs; q- and q+ belong to the best and the
worst successor. If player 0 bids b, then (m - b) / y >= q- must hold after winning, and
m / (y - b) >= q+ after losing to an equal bid. With the best b both are equalities: b = m - q- y,
and m = q+ (y - b) gives

    q = q+ (1 + q-) / (1 + q+) = P+ / (1 - P-),    that is    P = P+ / (1 + P+ - P-),

and, in shares of the total, the critical bid b = 1 - P / P+ = (P+ - P-) / (1 + P+ - P-).
Written as P = P P- + (1 - P) P+, this too is a game in which a coin decides who moves, but at v
player 0 moves with probability P(v): the coin favours the player who needs more.

The docstring of `richman.py` proves that P is unique. F(a, b) = b / (1 + b - a) is monotone. So if
F(U) <= U, the iterates of U fall to the only solution, and U >= P; likewise L <= F(L) gives L <= P.
Bounds are certified in this way, in exact rationals.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.richman import (
    Bounds,
    Graph,
    Targets,
    check_graph,
    distances,
    padded_successors,
)

Vector = NDArray[np.float64]

_SHIFTS = (1e-13, 1e-14, 1e-15)  # F is exact to a few 1e-16: smaller shifts would be lost
_TIE = 1e-13  # values closer than this count as equal when choosing a successor
_SWEEPS = 2**12  # steps of plain iteration before giving up


def poorman_thresholds(graph: Graph, targets: Targets, tolerance: float = 1e-12) -> list[float]:
    """Return P(v) for every vertex, to within `tolerance`: the middle of `poorman_bounds`."""
    return [float(p) for p in poorman_bounds(graph, targets, tolerance).middle]


def poorman_bounds(graph: Graph, targets: Targets, tolerance: float = 1e-12) -> Bounds:
    """Return certified bounds on P(v), at most `tolerance` apart.

    The solutions of p = F(p) + s and p = F(p) - s for a tiny s > 0 are an upper and a lower bound.
    Their distance is about 2 s times the rounds that a game lasts. Newton's method finds both: each
    step solves a linear system for the current best and worst successors. It starts from some steps
    of plain iteration p <- F(p), which alone would take about length**2 steps on a line. Raises
    ArithmeticError if floats cannot give the tolerance, e.g. 1e-12 on a line longer than 80.
    """
    successors = check_graph(graph, targets)
    home, away = distances(successors, targets[:1]), distances(successors, targets[1:])
    nearest = distances(successors, targets)
    # With the successors nearest to a target first, ties break towards the end of the game.
    ways = padded_successors([sorted(s, key=nearest.__getitem__) for s in successors])
    # P is 0 or 1 exactly where one target cannot be reached; elsewhere 0 < P < 1.
    free = np.array([v in home and v in away and nearest[v] > 0 for v in range(len(graph))])
    start = np.array([0.5 if free[v] else float(v not in home) for v in range(len(graph))])
    sweeps, width = 0, np.inf
    while sweeps < _SWEEPS:
        for _ in range(max(16, sweeps)):
            start = _threshold(start[ways])
            sweeps += 1
        for shift in _SHIFTS:
            upper = np.minimum(_shifted(ways, free, start, shift), 1.0)
            lower = np.maximum(_shifted(ways, free, start, -shift), 0.0)
            if _certified(successors, upper, 1) and _certified(successors, lower, -1):
                bounds = Bounds(lower, upper)
                if bounds.width <= tolerance:
                    return bounds
                width, start = min(width, bounds.width), bounds.middle
    raise ArithmeticError(f"tolerance={tolerance} is too small; the best certified is {width}")


def poorman_line(length: int) -> list[float]:
    """Return P(0), ..., P(length) on `line(length)`, by a closed form.

    There P / (1 - P) = P+ / (1 - P-) says that P(k+1) (1 - P(k)) is a constant c along the line.
    With c = 1 / (2 cos x)**2 the solution is P(k) = sin(kx) / (2 cos(x) sin((k+1)x)). It is 0 at
    k = 0, and 1 at k = length if x = pi / (length + 2).
    """
    if length < 2:
        raise ValueError(f"length={length} must be at least 2")
    x, k = np.pi / (length + 2), np.arange(length + 1)
    values = np.sin(k * x) / (2 * np.cos(x) * np.sin((k + 1) * x))
    return [float(p) for p in values]


def _threshold(values: Vector) -> Vector:
    """Return F of each row of values: a row has the values of the successors of a vertex."""
    low, high = values.min(axis=1), values.max(axis=1)
    return np.asarray(high / (1.0 + (high - low)))


def _shifted(
    ways: NDArray[np.intp], free: NDArray[np.bool_], start: Vector, shift: float
) -> Vector:
    """Solve p = F(p) + shift on the free vertices by Newton's method; may fail to converge.

    The caller must certify the result.
    """
    p = start.copy()
    rows, index = np.flatnonzero(free), np.cumsum(free) - 1
    for _ in range(50):
        values = p[ways[rows]]
        low, high = values.min(axis=1), values.max(axis=1)
        spread = 1.0 + (high - low)
        residual = high / spread + shift - p[rows]
        if np.max(np.abs(residual), initial=0.0) <= abs(shift) / 2:
            break
        lowest = ways[rows, (values <= low[:, None] + _TIE).argmax(axis=1)]
        highest = ways[rows, (values >= high[:, None] - _TIE).argmax(axis=1)]
        system = np.eye(len(rows))
        for successor, slope in ((lowest, high / spread**2), (highest, (1.0 - low) / spread**2)):
            inside = free[successor]
            np.subtract.at(
                system, (np.flatnonzero(inside), index[successor[inside]]), slope[inside]
            )
        try:
            step = np.linalg.solve(system, residual)
        except np.linalg.LinAlgError:
            break
        p[rows] = np.clip(p[rows] + step, 0.0, 1.0)
    return p


def _certified(successors: Graph, bound: Vector, sign: int) -> bool:
    """Return whether F(bound) <= bound (sign 1) or F(bound) >= bound (sign -1), exactly."""
    exact = [Fraction(float(p)) for p in bound]
    for v, ways in enumerate(successors):
        if ways:
            low, high = min(exact[u] for u in ways), max(exact[u] for u in ways)
            if sign * (high - exact[v] * (1 + high - low)) > 0:
                return False
    return True
