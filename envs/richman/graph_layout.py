"""Find where the vertices and edges of a graph go in a picture, once per graph.

Candidates come from stress majorization, some with the vertices placed by their Richman costs from
left to right. The best are polished, and the one with the fewest faults is drawn.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.drawing import WIDTH
from bidarena.envs.richman.env import Graph

Points = NDArray[np.float64]  # (points, 2): x and y

AREA = (76.0, 126.0, WIDTH - 76.0, 306.0)  # left, top, right, bottom of where vertices may lie
MOST_EDGES = 1500  # a graph with more edges is drawn without edges
SMALL = 7.5  # vertices with a smaller radius get no number


class Plan(NamedTuple):
    """Where the vertices and edges of a graph are drawn."""

    places: Points  # of the vertices
    radius: float
    routes: dict[tuple[int, int], Points]  # edge -> points along its curve


@lru_cache(maxsize=64)
def plan_of(graph: Graph, targets: tuple[int, int], seat: int) -> Plan:
    """Return the plan with the first of `targets`, the player's own, on the left.

    The player in seat 1 sees the mirror image of the plan of seat 0.
    """
    places = _layout(graph, targets if seat == 0 else targets[::-1]).copy()
    if seat == 1:
        places[:, 0] = WIDTH - places[:, 0]
    apart = _between(places, places)
    np.fill_diagonal(apart, np.inf)
    radius = float(np.clip(0.36 * apart.min(), 2.5, 16))
    edges = [(v, u) for v, ways in enumerate(graph) for u in ways]
    if len(edges) > MOST_EDGES:
        edges = []
    routes = {(v, u): _route(places, radius, v, u, v in graph[u]) for v, u in edges}
    return Plan(places, radius, routes)


def _between(a: Points, b: Points) -> NDArray[np.float64]:
    """Return the distance from every point of `a` to every point of `b`."""
    apart = a[:, None] - b[None]
    return np.hypot(apart[..., 0], apart[..., 1])


def _route(places: Points, radius: float, v: int, u: int, twin: bool) -> Points:
    """Return the flattest curve from v to u that keeps clear of other vertices.

    With `twin`, an edge leads back from u to v, and the two bend apart.
    """
    a, b = places[v], places[u]
    bent = math.inf
    if v == u:  # a loop on the side that faces away from the others
        away = a - places.mean(axis=0)
        middle = a + away / max(math.hypot(*away), 1e-9) * radius * 1.3
        turns = math.atan2(*(a - middle)[::-1]) + np.linspace(0, 2 * math.pi, 40)
        path = middle + 0.8 * radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    else:
        others = np.delete(places, [v, u], axis=0)
        t = np.linspace(0, 1, 40)[:, None]
        normal = np.array([a[1] - b[1], b[0] - a[0]])
        flat = min(0.18, 20 / math.hypot(*normal)) if radius >= SMALL else 0.0
        bends = (flat, 0.18, 0.3, 0.45, 0.6) if twin else (0, 0.16, -0.16, 0.32, -0.32, 0.5, -0.5)
        best = math.inf
        for bend in bends:
            curve = (1 - t) ** 2 * a + 2 * t * (1 - t) * ((a + b) / 2 + bend * normal) + t**2 * b
            blocked = np.maximum(radius + 5 - _between(others, curve).min(axis=1), 0).sum()
            outside = np.maximum(np.abs(curve[:, 1] - 216) - 118, 0).max()
            if blocked + outside + abs(bend) < best:
                best, path, bent = blocked + outside + abs(bend), curve, bend
            if not blocked and not outside:
                break
    ends = np.array([a, b])
    inner = path[(_between(path, ends) > (radius, radius + 3)).all(axis=1)]
    if len(inner) < 2:
        return np.linspace(a, b, 4)[1:3]
    return inner[np.linspace(0, len(inner) - 1, 9 if bent else 2).round().astype(int)]


@lru_cache(maxsize=64)
def _layout(graph: Graph, targets: tuple[int, int]) -> Points:
    """Return the places of the vertices in AREA, the first target left, the second right."""
    n = len(graph)
    joined = np.zeros((n, n), bool)
    for v, ways in enumerate(graph):
        joined[v, list(ways)] = joined[list(ways), v] = True
    np.fill_diagonal(joined, False)
    far = np.where(joined, 1.0, np.inf)
    np.fill_diagonal(far, 0.0)
    for v in range(n):
        far = np.minimum(far, far[:, v, None] + far[None, v])
    far[np.isinf(far)] = far[np.isfinite(far)].max() + 1
    if joined.sum() == 2 * (n - 1) and far[targets[0], targets[1]] == n - 1:
        return _folded(far[targets[0]])
    thorough = n <= 32 and joined.sum() <= 240  # on larger graphs more tries gain little
    costs = _costs(graph, targets)
    tried = [
        _fitted(_majorized(far, targets, costs, free, np.random.default_rng(seed)), targets)
        for seed in range(4 if thorough else 1)
        for free in (True, False)
    ]
    if joined.sum() > 2 * MOST_EDGES:
        return tried[0]
    tried.sort(key=lambda places: _faults(places, joined))
    if thorough:
        tried = [_polished(places, joined, targets) for places in tried[: 90 // n]]
    return min(tried, key=lambda places: _faults(places, joined))


def _folded(order: NDArray[np.float64]) -> Points:
    """Return places for a path from target to target: one row, or several if that is too dense."""
    left, top, right, bottom = AREA
    n = len(order)

    def gap(rows: int) -> float:
        return min((right - left) / (math.ceil(n / rows) - 1), (bottom - top) / max(rows - 1, 0.1))

    rows = 1 if gap(1) >= 34 else max(range(3, 12, 2), key=gap)
    heights = np.linspace(top, bottom, rows) if rows > 1 else [(top + bottom) / 2]
    places = np.empty((n, 2))
    for row, members in enumerate(np.array_split(np.argsort(order), rows)):
        along = np.linspace(left, right, len(members))
        places[members, 0] = along if row % 2 == 0 else along[::-1]
        places[members, 1] = heights[row]
    return places


def _costs(graph: Graph, targets: tuple[int, int]) -> NDArray[np.float64]:
    """Return approximate Richman costs: below 1/2 where the first target is closer."""
    widest = max(map(len, graph))
    around = np.array(
        [[*ways, *[(*ways, v)[0]] * (widest - len(ways))] for v, ways in enumerate(graph)]
    )
    costs = np.full(len(graph), 0.5)
    for _ in range(300):
        costs[list(targets)] = 0.0, 1.0
        costs = (costs[around].min(axis=1) + costs[around].max(axis=1)) / 2
    return costs


def _majorized(
    far: Points,
    targets: tuple[int, int],
    costs: NDArray[np.float64],
    free: bool,
    rng: np.random.Generator,
) -> Points:
    """Return places of low stress, the sum of ((distance - far) / far)^2, from a random start.

    The targets stay in place; the other vertices move only up and down, unless they are `free`.
    """
    n, span = len(far), float(far[targets[0], targets[1]])
    ends = np.array([[0.0, 0.0], [span, 0.0]])
    places = np.stack([span * costs, rng.normal(0, 0.3 * math.sqrt(n), n)], axis=1)
    if free:
        places[:, 0] += rng.normal(0, 0.2 * span, n)
    weight = 1 / np.maximum(far, 1e-9) ** 2
    np.fill_diagonal(weight, 0.0)
    total = weight.sum(axis=1)[:, None]
    for _ in range(min(20_000 // n, 200)):
        places[list(targets)] = ends
        apart = places[:, None] - places[None]
        length = np.maximum(_between(places, places), 1e-6)
        pull = weight[..., None] * (places[None] + apart * (far / length)[..., None])
        moved = pull.sum(axis=1) / total
        places[:, 1] = moved[:, 1]
        if free:
            places[:, 0] = np.clip(moved[:, 0], 0.1, span - 0.1)
    places[list(targets)] = ends
    return places


def _fitted(places: Points, targets: tuple[int, int]) -> Points:
    """Return the places scaled to AREA; vertices that are too close push each other apart."""
    left, top, right, bottom = AREA
    scale = (right - left) / places[targets[1], 0]
    high = np.abs(places[:, 1]).max()
    stretch = min((bottom - top) / 2 / max(high, 1e-9), 1.6 * scale)
    middle = (top + bottom) / 2
    fitted = np.stack([left + scale * places[:, 0], middle + stretch * places[:, 1]], axis=1)
    pinned = fitted[list(targets)]
    wanted = min(54.0, 0.75 * math.sqrt((right - left) * (bottom - top) / len(places)))
    for _ in range(80):
        apart = fitted[:, None] - fitted[None]
        length = _between(fitted, fitted)
        np.fill_diagonal(length, np.inf)
        push = np.maximum(wanted - length, 0) / np.maximum(length, 1e-6)
        fitted += 0.25 * (push[..., None] * apart).sum(axis=1)
        fitted = np.clip(fitted, (left + 50, top), (right - 50, bottom))
        fitted[list(targets)] = pinned
    return fitted


def _polished(places: Points, joined: NDArray[np.bool_], targets: tuple[int, int]) -> Points:
    """Return places with fewer faults, found by moving single vertices up and down."""
    best, fewest = places, _faults(places, joined)
    for _ in range(5):
        before = fewest
        for v in range(len(places)):
            for level in np.linspace(AREA[1], AREA[3], 7) if v not in targets else ():
                moved = best.copy()
                moved[v, 1] = level
                if (faults := _faults(moved, joined)) < fewest:
                    best, fewest = moved, faults
        if fewest == before:
            break
    return best


def _faults(places: Points, joined: NDArray[np.bool_]) -> float:
    """Return a penalty for edges that cross or pass close to vertices, and for crowded vertices."""
    a, b = np.nonzero(np.triu(joined))
    z = places[:, 0] + 1j * places[:, 1]
    start, along = z[a][:, None], (z[b] - z[a])[:, None]
    length = np.maximum(np.abs(along), 1e-6)
    across = np.conj(along) * (z - start)  # (edges, vertices)
    beside = across.imag[:, a] * across.imag[:, b] < 0  # the ends of one edge on both sides
    crossings = (beside & beside.T).sum() / 2
    gap = np.abs(start + np.clip(across.real / length**2, 0, 1) * along - z)
    gap[np.arange(len(a)), a] = gap[np.arange(len(a)), b] = np.inf
    between = np.abs(z[:, None] - z)
    np.fill_diagonal(between, np.inf)
    passed = (np.maximum(1 - gap / 40, 0) ** 2).sum()
    crowded = (np.maximum(1 - between / 64, 0) ** 2).sum()
    return float(crossings + 6 * passed + 4 * crowded + length.std() / length.mean())
