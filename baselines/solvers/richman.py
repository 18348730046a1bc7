"""Richman games: how much money a player needs to win a bidding game on a graph.

A token stands on a vertex of a finite directed graph. Each round both players bid, and the higher
bidder moves the token along an edge. Player 0 wants it on `targets[0]`, player 1 on `targets[1]`.
With payment "opponent" (Richman) the winner of a bid pays the loser; with "bank" (poorman) they pay
the bank. Every vertex has a threshold f(v): the share of all money that player 0 needs there.
Write f- and f+ for the smallest and the largest f among the successors of v; then f = F(f-, f+):

    opponent   R = (R- + R+) / 2           this file
    bank       P = P+ / (1 + P+ - P-)      derived and solved in `poorman.py`

With f = 0 and f = 1 on the targets there is exactly one solution. Proof: let f and g be two
solutions, D = max(f - g) > 0, and A the vertices where f - g = D. F is monotone and F(a + D, b + D)
<= F(a, b) + D, so at v in A equality holds, and each successor with the smallest g is in A. Take v
in A with the smallest g(v). Then g- = g = g+ there, so all successors of v have this smallest g
and are in A. The token can never leave these vertices, and none of them is a target; but every
vertex reaches a target, a contradiction.

So any vector that satisfies the equation is the answer, however it was found. A self loop changes
nothing: F(a, b) lies between a and b, so the vertex's own value changes neither extreme.

A graph is a list of successor lists over the vertices 0..n-1. All functions take the side of player
0; for player 1 swap the targets (thresholds become 1 - f).

References: Lazarus, Loeb, Propp, Ullman, "Richman games" (1996), and "Combinatorial games under
auction play" (1999).
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

Graph = Sequence[Sequence[int]]
Targets = tuple[int, int]
Payment = Literal["opponent", "bank"]
Number = TypeVar("Number", Fraction, float)


# --- graphs -------------------------------------------------------------------------------------


def check_graph(graph: Graph, targets: Targets) -> tuple[tuple[int, ...], ...]:
    """Return the successor lists as tuples, those of the targets empty, or raise ValueError.

    A vertex may be its own successor if it has another one too; see the module docstring. Every
    vertex must reach a target, or the thresholds would not be unique.
    """
    n = len(graph)
    known = range(n)
    if len(targets) != 2 or targets[0] == targets[1] or any(t not in known for t in targets):
        raise ValueError(f"targets={targets!r} must be two different vertices of 0..{n - 1}")
    for v, successors in enumerate(graph):
        unknown = [u for u in successors if u not in known]
        if unknown:
            raise ValueError(f"graph[{v}] names {unknown[0]!r}; vertices are 0..{n - 1}")
        if len(set(successors)) < len(successors):
            raise ValueError(f"graph[{v}]={list(successors)} must name each successor once")
        if not successors and v not in targets:
            raise ValueError(
                f"graph[{v}]=[] needs a successor; only targets {targets} may have none"
            )
    checked = tuple(() if v in targets else tuple(map(int, graph[v])) for v in known)
    lost = sorted(set(known) - distances(checked, targets).keys())
    if lost:
        raise ValueError(
            f"graph[{lost[0]}]={list(graph[lost[0]])} reaches neither target of {targets}; "
            "every vertex needs a path to one of them"
        )
    return checked


def distances(graph: Graph, goals: Iterable[int]) -> dict[int, int]:
    """Return the number of steps to the nearest goal, for every vertex that reaches a goal."""
    before: list[list[int]] = [[] for _ in graph]
    for v, successors in enumerate(graph):
        for u in successors:
            before[u].append(v)
    steps = dict.fromkeys(goals, 0)
    queue = deque(steps)
    while queue:
        u = queue.popleft()
        for v in before[u]:
            if v not in steps:
                steps[v] = steps[u] + 1
                queue.append(v)
    return steps


def line(length: int) -> tuple[Graph, Targets]:
    """Return a line of vertices 0..length, joined to their neighbours; its ends are the targets."""
    if length < 2:
        raise ValueError(f"length={length} must be at least 2")
    return [[], *([k - 1, k + 1] for k in range(1, length)), []], (0, length)


def world_series(wins_needed: int) -> tuple[Graph, Targets]:
    """Return the graph of a series of games that the first player with `wins_needed` wins takes.

    The score i:j is vertex i * wins_needed + j; the last two vertices are the targets.
    """
    k = wins_needed
    if k < 1:
        raise ValueError(f"wins_needed={k} must be at least 1")
    won, lost = k * k, k * k + 1
    scores = [
        [(i + 1) * k + j if i + 1 < k else won, i * k + j + 1 if j + 1 < k else lost]
        for i in range(k)
        for j in range(k)
    ]
    return [*scores, [], []], (won, lost)


# --- Richman costs ------------------------------------------------------------------------------


def richman_costs(graph: Graph, targets: Targets) -> list[Fraction]:
    """Return the exact R(v): the share of all money player 0 needs at v under payment "opponent".

    Solves acyclic graphs by backward induction, others by strategy iteration on the game in which a
    fair coin decides who moves. Random graphs with three successors per vertex take half a second
    at 400 vertices and 10 seconds at 1000; for larger graphs use `richman_bounds`.
    """
    successors = check_graph(graph, targets)
    try:  # with successors in place of predecessors, every vertex comes after its successors
        order = list(TopologicalSorter(dict(enumerate(successors))).static_order())
    except CycleError:
        costs = [1 - x for x in _reach_values(successors, targets)]
    else:
        costs = [Fraction(int(v == targets[1])) for v in range(len(graph))]
        for v in order:
            if successors[v]:
                values = [costs[u] for u in successors[v]]
                costs[v] = (min(values) + max(values)) / 2
    for v, ways in enumerate(successors):
        values = [costs[u] for u in ways] or [Fraction(int(v == targets[1]))]
        if 2 * costs[v] != min(values) + max(values):
            raise ArithmeticError(
                f"R({v})={costs[v]} is not the average of {min(values)}, {max(values)}"
            )
    return costs


def _reach_values(successors: tuple[tuple[int, ...], ...], targets: Targets) -> list[Fraction]:
    """Return the probability x(v) that the token reaches targets[0] if a coin decides who moves.

    Play that never ends counts as not reaching it: for fixed choices, x is the least solution of
    x = (x[up] + x[down]) / 2. A choice changes only to a strictly better one.

    Player 0 improves `up` against `down`: x does not fall. Under the new choices the old x is a
    submartingale. On a set of vertices that is never left it is constant, so no choice was changed
    there; so the old choices stayed in that set as well, and x = 0 there: nothing is lost.
    Then player 1 improves `down`: x does not rise. For the new `down` the old x still satisfies
    x >= (max x + x[down]) / 2, and the value of the best reply is the least such x.

    Each change moves x strictly, and there are finitely many choices. So this ends, with
    x = (max x + min x) / 2.
    """
    # Any first choices will do; good ones save nearly all of the exact solutions.
    guess = richman_bounds(successors, targets, 1e-6, max_steps=1000).middle.round(6).tolist()
    home, away = distances(successors, targets[:1]), distances(successors, targets[1:])
    inner = [v for v, ways in enumerate(successors) if ways]
    up = {v: min(successors[v], key=lambda u: (guess[u], home.get(u, 0))) for v in inner}
    down = {v: min(successors[v], key=lambda u: (-guess[u], away.get(u, 0))) for v in inner}
    while True:
        x = _chain_values(up, down, targets)
        best = {v: max(successors[v], key=x.__getitem__) for v in inner}
        worst = {v: min(successors[v], key=x.__getitem__) for v in inner}
        if any(x[best[v]] > x[up[v]] for v in inner):
            up = {v: best[v] if x[best[v]] > x[up[v]] else up[v] for v in inner}
        elif any(x[worst[v]] < x[down[v]] for v in inner):
            down = {v: worst[v] if x[worst[v]] < x[down[v]] else down[v] for v in inner}
        else:
            return [x[v] for v in range(len(successors))]


def _chain_values(
    up: dict[int, int], down: dict[int, int], targets: Targets
) -> dict[int, Fraction]:
    """Return the probabilities of reaching targets[0] if a coin chooses between `up` and `down`."""
    chain = [[up[v], down[v]] if v in up else [] for v in range(len(up) + 2)]
    alive = distances(chain, targets[:1]).keys() - set(targets)
    rows = {v: {u: Fraction(chain[v].count(u), 2) for u in chain[v]} for v in alive}
    values = {v: Fraction(int(v == targets[0])) for v in range(len(chain)) if v not in alive}
    return values | _solve(rows, values)


def _solve(
    rows: dict[int, dict[int, Fraction]], values: Mapping[int, Fraction]
) -> dict[int, Fraction]:
    """Return the solution of x(v) = sum of rows[v][u] * x(u); `values` holds the known x(u).

    Eliminates one vertex after another: its row is put in wherever another row uses the vertex.
    Every row leads to a known vertex in the end, so the divisor 1 - p(stay) is never zero.
    """
    constant = {
        v: sum((p * values[u] for u, p in rows[v].items() if u in values), Fraction(0))
        for v in rows
    }
    rows = {v: {u: p for u, p in row.items() if u in rows} for v, row in rows.items()}
    users: dict[int, set[int]] = {v: set() for v in rows}
    for v, row in rows.items():
        for u in row:
            users[u].add(v)
    left: list[tuple[int, dict[int, Fraction]]] = []
    while rows:
        v = min(rows, key=lambda w: len(users[w]) * len(rows[w]))
        row = rows.pop(v)
        for u in row:
            users[u].discard(v)
        scale = 1 / (1 - row.pop(v, Fraction(0)))
        row = {u: p * scale for u, p in row.items()}
        constant[v] *= scale
        for w in users[v]:
            weight = rows[w].pop(v)
            constant[w] += weight * constant[v]
            for u, p in row.items():
                rows[w][u] = rows[w].get(u, Fraction(0)) + weight * p
                users[u].add(w)
        left.append((v, row))
    solution: dict[int, Fraction] = {}
    for v, row in reversed(left):
        solution[v] = constant[v] + sum((p * solution[u] for u, p in row.items()), Fraction(0))
    return solution


@dataclass(frozen=True)
class Bounds:
    """Two vectors with lower <= threshold <= upper at every vertex."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @property
    def middle(self) -> NDArray[np.float64]:
        """The mean of both bounds, at most `width / 2` away from the thresholds."""
        return 0.5 * (self.lower + self.upper)

    @property
    def width(self) -> float:
        """The largest distance between the bounds, over all vertices."""
        return float(np.max(self.upper - self.lower))


def padded_successors(successors: Graph) -> NDArray[np.intp]:
    """Return the successors as an array (n, most successors); a target is its own successor.

    A vertex with fewer successors has its first successor several times.
    """
    width = max(map(len, successors))
    rows = [list(ways) or [v] for v, ways in enumerate(successors)]
    return np.array([row + row[:1] * (width - len(row)) for row in rows], dtype=np.intp)


def richman_bounds(
    graph: Graph, targets: Targets, tolerance: float = 1e-9, max_steps: int = 100_000
) -> Bounds:
    """Return bounds on R(v), for graphs that are too large for `richman_costs`.

    Iterates R = (R- + R+) / 2 from above and from below until the bounds are at most `tolerance`
    apart, or for `max_steps` steps: look at `.width`. Each step rounds outward and keeps the
    tighter of the old and the new bound, so the bounds hold whenever it stops. It can be slow:
    about length**2 steps on a line, exponentially many on a chain of resets.
    """
    ways = padded_successors(check_graph(graph, targets))
    lower, upper = np.zeros(len(graph)), np.ones(len(graph))
    lower[targets[1]], upper[targets[0]] = 1.0, 0.0
    for _ in range(max_steps):
        if np.max(upper - lower) <= tolerance:
            break
        above, below = upper[ways], lower[ways]
        above, below = above.min(axis=1) + above.max(axis=1), below.min(axis=1) + below.max(axis=1)
        upper = np.minimum(upper, np.nextafter(0.5 * above, 2.0))
        lower = np.maximum(lower, np.nextafter(0.5 * below, -1.0))
    return Bounds(lower, upper)


# --- other games with the values R(v) -------------------------------------------------------------


def coin_flip_value(graph: Graph, targets: Targets) -> list[float]:
    """Return the probability of ending on targets[1] if a fair coin decides each round who moves.

    It is equal to R(v), but computed without it, in floats: player 1 makes the best reply to player
    0's choices, and player 0 changes these while that lowers the probability.
    """
    successors = check_graph(graph, targets)
    ways, every = padded_successors(successors), np.arange(len(graph))
    mine, theirs = ways[:, 0], ways[:, -1]  # (n,) where each player now moves the token
    while True:
        chain = [
            [int(mine[v]), int(theirs[v])] if ways else [] for v, ways in enumerate(successors)
        ]
        alive = np.array(sorted(distances(chain, targets[1:]).keys() - set(targets)), dtype=np.intp)
        flow = np.zeros((len(graph), len(graph)))
        np.add.at(flow, (every, mine), 0.5)
        np.add.at(flow, (every, theirs), 0.5)
        p = (every == targets[1]).astype(float)
        p[alive] = np.linalg.solve(
            np.eye(len(alive)) - flow[np.ix_(alive, alive)], flow[alive, targets[1]]
        )
        high, low = ways[every, p[ways].argmax(axis=1)], ways[every, p[ways].argmin(axis=1)]
        if np.any(p[high] > p[theirs] + 1e-12):
            theirs = np.where(p[high] > p[theirs] + 1e-12, high, theirs)
        elif np.any(p[low] < p[mine] - 1e-12):
            mine = np.where(p[low] < p[mine] - 1e-12, low, mine)
        else:
            return [float(x) for x in p]


def random_walk_value(graph: Graph, targets: Targets) -> list[Fraction]:
    """Return the probability that a uniformly random walk ends on targets[1].

    If no vertex has more than two successors, as on a line or in a world series, their mean is the
    mean of the extremes, and the probabilities are equal to `richman_costs`.
    """
    successors = check_graph(graph, targets)
    known = {targets[0]: Fraction(0), targets[1]: Fraction(1)}
    rows = {
        v: dict.fromkeys(ways, Fraction(1, len(ways))) for v, ways in enumerate(successors) if ways
    }
    values = known | _solve(rows, known)
    return [values[v] for v in range(len(graph))]
