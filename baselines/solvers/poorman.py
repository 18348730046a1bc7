"""Poorman games: thresholds of the bidding game in which the winner of a bid pays the bank.

P(v) is the share of the money of both that player 0 needs at v. Let him have m against y, and let
q = P / (1 - P) be the ratio m / y he needs; q- and q+ belong to the best and the worst successor.
If he bids b, winning must leave (m - b) / y >= q-, and losing to an equal bid m / (y - b) >= q+.
The best b makes both tight: b = m - q- y, and m = q+ (y - b) gives

    q = q+ (1 + q-) / (1 + q+) = P+ / (1 - P-),    that is    P = P+ / (1 + P+ - P-),

and, in shares of the total, the critical bid b = 1 - P / P+ = (P+ - P-) / (1 + P+ - P-).
Written P = P P- + (1 - P) P+ it is a game of coins once more, but at v player 0 moves with
probability P(v): the coin favours whoever needs more.

Why P is unique stands in `richman.py`. As F(a, b) = b / (1 + b - a) is monotone, F(U) <= U implies
that the iterates of U fall to a solution, the only one, so U >= P; likewise L <= F(L) gives L <= P.
That is how bounds are certified here, in exact rationals.
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

_SHIFTS = (1e-13, 1e-14, 1e-15)  # F is computed to a few 1e-16: less would not show
_TIE = 1e-13  # values closer than this count as equal when choosing a successor
_SWEEPS = 2**12  # value iteration before giving up


def poorman_thresholds(graph: Graph, targets: Targets, tolerance: float = 1e-12) -> list[float]:
    """P(v) to within `tolerance`: the middle of `poorman_bounds`."""
    return [float(p) for p in poorman_bounds(graph, targets, tolerance).middle]


def poorman_bounds(graph: Graph, targets: Targets, tolerance: float = 1e-12) -> Bounds:
    """Certified bounds on P(v), at most `tolerance` apart.

    The solutions of p = F(p) + s and p = F(p) - s for a tiny s > 0 are an upper and a lower bound,
    and their distance is about 2 s times the rounds a game lasts. Newton's method solves them, each
    step a linear system for the current best and worst successors, from a start by plain iteration
    p <- F(p), which alone would take about length**2 steps on a line. Raises ArithmeticError if
    floats cannot give the tolerance, e.g. 1e-12 on a line longer than 80.
    """
    successors = check_graph(graph, targets)
    home, away = distances(successors, targets[:1]), distances(successors, targets[1:])
    nearest = distances(successors, targets)
    # With the successors nearest to a target first, ties break towards the end of the game.
    ways = padded_successors([sorted(s, key=nearest.__getitem__) for s in successors])
    # P is 0 or 1 just where one target is out of reach; elsewhere 0 < P < 1.
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
    """P(0..length) on `line(length)` in closed form.

    There P / (1 - P) = P+ / (1 - P-) says that P(k+1) (1 - P(k)) = c is the same along the line.
    With c = 1 / (2 cos x)**2 this is solved by P(k) = sin(kx) / (2 cos(x) sin((k+1)x)), which
    starts at 0 and is 1 at k = length if x = pi / (length + 2).
    """
    if length < 2:
        raise ValueError(f"length={length} must be at least 2")
    x, k = np.pi / (length + 2), np.arange(length + 1)
    values = np.sin(k * x) / (2 * np.cos(x) * np.sin((k + 1) * x))
    return [float(p) for p in values]


def _threshold(values: Vector) -> Vector:
    low, high = values.min(axis=1), values.max(axis=1)
    return np.asarray(high / (1.0 + (high - low)))


def _shifted(
    ways: NDArray[np.intp], free: NDArray[np.bool_], start: Vector, shift: float
) -> Vector:
    """Newton's method for p = F(p) + shift on the free vertices; the caller checks the outcome."""
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
    """Whether F(bound) <= bound (sign 1) or F(bound) >= bound (sign -1), without rounding."""
    exact = [Fraction(float(p)) for p in bound]
    for v, ways in enumerate(successors):
        if ways:
            low, high = min(exact[u] for u in ways), max(exact[u] for u in ways)
            if sign * (high - exact[v] * (1 + high - low)) > 0:
                return False
    return True
