"""The parts of a search: its tree, its random draws, and how much memory it reserves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bidarena.baselines.search.bandits import LOGS, beta, learn_regret, select, select_regret
from bidarena.baselines.search.bots import sizes
from bidarena.baselines.search.explore import pick_eights
from bidarena.baselines.search.layout import UCB1
from bidarena.baselines.search.tree import (
    ACTION,
    CHANCES,
    COUNT,
    EDGE_SIZE,
    MOST_NODES,
    OWED,
    SLOT_SIZE,
    SQUARES,
    STAMP,
    SUM,
    USED_EDGES,
    USED_NODES,
    USED_SIZE,
    add_edge,
    edge_count,
    exists,
    find,
    first_edge,
    is_alone,
    mark_alone,
    row_of,
)
from bidarena.envs.compile import compiled
from bidarena.envs.rng import pick, seeded


def key_of(number):
    """Return a key that belongs into one of three rows, so that keys collide often."""
    return np.uint64((number % 3 << 1 | 1) + (number << 32))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9), st.booleans()), max_size=200))
def test_tree__behaves_like_a_dict_of_lists(entries):
    table = np.zeros(64 * SLOT_SIZE, np.uint64)
    edges = np.full(512 * EDGE_SIZE, np.nan)
    used = np.zeros(USED_SIZE, np.int64)
    used[MOST_NODES] = 32
    model: dict[int, dict[int, int]] = {}
    alone: set[int] = set()
    for step, (number, action, lonely) in enumerate(entries):
        node = find(table, key_of(number))
        assert exists(table, node) == (number in model)
        if action not in model.setdefault(number, {}):
            edge = add_edge(table, edges, used, node, key_of(number), action)
            edges[row_of(edge) + COUNT] = step
            model[number][action] = step
        if lonely:
            mark_alone(table, node)
            alone.add(number)
    assert used[USED_NODES] == len(model)
    assert used[USED_EDGES] <= 4 * max(1, sum(map(len, model.values())))
    for number, actions in model.items():
        node = find(table, key_of(number))
        assert is_alone(table, node) == (number in alone)
        first, count = first_edge(table, node), edge_count(table, node)
        rows = edges.reshape(-1, EDGE_SIZE)[first : first + count]
        assert dict(zip(rows[:, ACTION], rows[:, COUNT], strict=True)) == actions


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=100), st.integers(1, 40))
def test_tree__says_so_when_it_is_full_and_stays_whole(entries, capacity):
    table = np.zeros(16 * SLOT_SIZE, np.uint64)
    edges = np.zeros(capacity * EDGE_SIZE)
    used = np.zeros(USED_SIZE, np.int64)
    used[MOST_NODES] = 8
    model: set[tuple[int, int]] = set()
    for number, action in entries:
        node = find(table, key_of(number))
        if (number, action) not in model:
            edge = add_edge(table, edges, used, node, key_of(number), action)
            assert -1 <= edge < capacity
            if edge >= 0:
                model.add((number, action))
    found = set()
    for number in range(51):
        node = find(table, key_of(number))
        first, count = first_edge(table, node), edge_count(table, node)
        rows = edges.reshape(-1, EDGE_SIZE)[first : first + count]
        found |= {(number, int(a)) for a in rows[:, ACTION]}
    assert found == model
    assert used[USED_NODES] <= 8


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
    assert slots & (slots - 1) == 0 and capacity <= slots
    assert capacity <= 2 * wanted
    # Stopping short of what is wanted needs a reason: the memory is mostly used.
    assert capacity == 2 * wanted or 16 * slots + 64 * capacity > memory / 3


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=70), st.integers(0, 99))
def test_pick_eights__draws_what_pick_draws(legal, seed):
    eights = np.zeros((len(legal) + 7) // 8, np.int64)
    mask = eights.view(np.int8)[: len(legal)]
    mask[:] = legal
    one, two = (seeded(np.random.default_rng(seed), 2) for _ in range(2))
    found = compiled(pick_eights, {}, "test")(one, eights)
    assert found == compiled(pick, {}, "test")(two, mask)
    assert np.array_equal(one, two)


def test_select__takes_the_largest_sum_of_mean_and_bonus_also_beyond_the_table_of_logarithms():
    choose = compiled(select, {}, "test")
    for chances in (50, LOGS - 2, LOGS - 1, 10 * LOGS):
        edges = np.zeros((5, EDGE_SIZE))
        edges[:, ACTION] = np.arange(5)
        edges[:, COUNT], edges[:, SUM] = (9, 4, 30, 8, 2), (6, 2, 21, 4, 1)
        edges[:, CHANCES] = chances
        means = edges[:, SUM] / edges[:, COUNT]
        worth = means + 0.7 * np.sqrt(np.log(chances + 1) / edges[:, COUNT])
        worth[4] = 0.0  # not available
        mask = np.array([1, 1, 1, 1, 0], np.int8)
        rng = seeded(np.random.default_rng(0), 2)
        assert choose(edges.reshape(-1), 0, 5, mask, UCB1, 0.7, rng) == worth.argmax()
        assert edges[:, CHANCES].tolist() == [chances + 1] * 4 + [chances]
        assert not mask.any()


def test_select_regret__settles_what_the_last_visit_owes_to_the_moves_that_were_available():
    edges = np.zeros((3, EDGE_SIZE))
    flat = edges.reshape(-1)
    edges[:, ACTION], edges[:, COUNT], edges[:, SUM] = np.arange(3), 2.0, 1.0
    edges[:, STAMP] = -1.0
    rng = seeded(np.random.default_rng(3), 2)
    choose, learn = compiled(select_regret, {}, "test"), compiled(learn_regret, {}, "test")
    drawn, probability, usual = choose(
        edges.reshape(-1), 0, 3, np.array([1, 1, 0], np.int8), 0.1, rng
    )
    assert (probability, usual) == (0.5, 0.5)
    learn(flat, 0, drawn, probability, usual, 1.0)
    choose(flat, 0, 3, np.ones(3, np.int8), 0.1, rng)
    # The result was 0.5 above the usual one; the drawn move counts 1 / probability times.
    expected = [-0.5, -0.5, 0.0]
    expected[drawn] += 0.5 / 0.5
    assert edges[:, SQUARES].tolist() == expected
    assert edges[0, OWED] == 0.0
