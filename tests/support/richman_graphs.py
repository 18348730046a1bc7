"""Graphs to test the theory of bidding games on: some chosen by hand, others random."""

import math
import random
from fractions import Fraction

from hypothesis import settings
from hypothesis import strategies as st

from bidarena.baselines.solvers.richman import (
    Graph,
    Targets,
    distances,
)

Game = tuple[Graph, Targets]
few = settings(max_examples=50, deadline=None)  # no deadline: the machine may be busy
GOLDEN = (math.sqrt(5) - 1) / 2
# Vertex 1 has three successors, 1 and 2 form a circle, 3 has a self loop.
TANGLE: Game = ([[], [0, 2, 4], [1, 3], [3, 2, 4], []], (0, 4))
# From 1 both targets can be reached; 2 and 3 lead to target 0 only, after any number of circles.
CIRCLE_AT_HOME: Game = ([[], [2, 4], [3, 2], [2, 0], []], (0, 4))


@st.composite
def games(draw: st.DrawFn, most: int = 6, degree: int = 4, acyclic: bool = False) -> Game:
    """Draw graphs with targets 0 and 1 and at least one more vertex, mostly with cycles."""
    n = draw(st.integers(3, most + 2))
    graph: list[list[int]] = [[], []]
    for v in range(2, n):
        vertices = st.integers(0, (v if acyclic else n) - 1)
        graph.append(draw(st.lists(vertices, min_size=1, max_size=degree, unique=True)))
    for v in range(2, n):  # vertices that reach no target get an edge to one
        if v not in distances(graph, (0, 1)):
            graph[v].append(draw(st.integers(0, 1)))
    return graph, (0, 1)


def start_ahead(
    costs: list[Fraction], lead: Fraction, rng: random.Random
) -> tuple[int, Fraction] | None:
    """Return a vertex and a share of money that wins there; None if there is no such vertex."""
    winnable = [v for v in range(2, len(costs)) if 0 < costs[v] < 1]
    if not winnable:
        return None
    v = rng.choice(winnable)
    return v, costs[v] + (1 - costs[v]) * lead


leads = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)


def extremes(graph: Graph, values: list[float], v: int) -> tuple[float, float]:
    """Return the smallest and the largest value among the successors of v."""
    return min(values[u] for u in graph[v]), max(values[u] for u in graph[v])
