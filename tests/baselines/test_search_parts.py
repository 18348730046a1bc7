"""The parts of a search: its table, its random draws, its room."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bidarena.baselines.search.bandits import beta
from bidarena.baselines.search.bots import sizes
from bidarena.baselines.search.tree import (
    ACTION,
    EDGE_COLUMNS,
    NEXT,
    add_edge,
    add_node,
    exists,
    find,
    first_edge,
    is_alone,
    mark_alone,
)
from bidarena.envs.compile import compiled
from bidarena.envs.rng import seeded


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5), st.booleans()), max_size=100))
def test_tree__behaves_like_a_dict_of_lists(entries):
    """Keys that fall into few places, so that they get into each other's way."""
    table = np.zeros((128, 2), np.uint64)
    edges = np.empty((128, EDGE_COLUMNS))
    used = np.zeros(2, np.int64)
    model: dict[int, list[int]] = {}
    alone: set[int] = set()
    for number, action, lonely in entries:
        key = np.uint64((number % 3 << 1 | 1) + (number << 32))
        node = find(table, key)
        if not exists(table, node):
            assert number not in model
            add_node(table, used, node, key)
            model[number] = []
        if action not in model[number]:
            add_edge(table, edges, used, node, action)
            model[number].insert(0, action)
        if lonely:
            mark_alone(table, node)
            alone.add(number)
    assert used.tolist() == [sum(map(len, model.values())), len(model)]
    for number, actions in model.items():
        node = find(table, np.uint64((number % 3 << 1 | 1) + (number << 32)))
        assert is_alone(table, node) == (number in alone)
        found, edge = [], first_edge(table, node)
        while edge >= 0:
            found.append(int(edges[edge, ACTION]))
            edge = int(edges[edge, NEXT])
        assert found == actions


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.0, 30.0), (2.5, 1.5), (400.0, 250.0)])
def test_beta__is_drawn_from_the_beta_distribution(a, b):
    rng = seeded(np.random.default_rng(0), 2)
    draw = compiled(beta, {}, "tests")
    sample = [draw(rng, a, b) for _ in range(4000)]
    assert stats.kstest(sample, stats.beta(a, b).cdf).pvalue > 1e-3


@given(st.integers(1, 10**7), st.integers(200, 10**8))
def test_sizes__fill_the_memory_or_all_that_is_wanted(wanted, memory):
    slots, capacity = sizes(wanted, memory)
    assert 16 * slots + 64 * capacity <= memory
    assert slots & (slots - 1) == 0 and capacity <= slots // 2
    # Nothing smaller than a third of the memory is enough reason to stop short.
    assert capacity == min(wanted, capacity) and (
        capacity == wanted or 16 * slots + 64 * capacity > memory / 3
    )
