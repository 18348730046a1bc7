"""Positions, their order and their values: clocks, chance that is merged, and given players."""

import numpy as np
import pytest
from toy_thicket import open_value, thicket
from toy_tictactoe import tictactoe

from bidarena.baselines.solvers.graph.explore import explore_game
from bidarena.baselines.solvers.graph.facts import idle_of
from bidarena.baselines.solvers.graph.order import order_positions
from bidarena.baselines.solvers.graph.solve import Graph, value_graph
from bidarena.baselines.solvers.graph.tables import N
from bidarena.envs import make_game


def graph_of(game):
    tables = explore_game(game, 1 << 28)
    return Graph(game, tables, order_positions(game, tables))


def test_order__every_position_comes_after_those_that_follow_it():
    graph = graph_of(tictactoe())
    place = np.full(len(graph.tables.rows), -1)
    place[graph.order.positions] = np.arange(len(graph.order.positions))
    for here in graph.order.positions:
        cells = graph.tables.cells[graph.tables.first[here] : graph.tables.first[here + 1]]
        assert (place[cells >> 1] < place[here]).all()
    assert (len(graph.order.positions), graph.order.longest) == (5478 - 958, 9)


def test_graph__idle_parts_and_the_clock_are_0_in_positions():
    game = make_game("scotch", length=4, money=4, payment="opponent", max_rounds=30)
    graph = graph_of(game)
    left_out = idle_of(game) == 1
    assert left_out.sum() == 4 and not graph.tables.states[:, left_out].any()
    assert graph.order.endless
    kept = idle_of(game, timeless=False) == 1
    assert kept.sum() == 3


def test_graph__branches_of_every_draw_add_up_to_1():
    for seed in range(20):
        tables = explore_game(thicket(seed=seed, hidden=False, depth=4), 1 << 28)
        if tables.counts[N.branches]:
            sums = np.add.reduceat(tables.branch_weights, tables.branch_first[:-1])
            assert sums == pytest.approx(1.0)


@pytest.mark.parametrize("rounds", [1, 2, 3, 7, 40, 41])
def test_value__of_a_game_with_a_clock_by_plain_recursion_over_rounds(rounds):
    """The same game without its clock declared is a longer one, which ends by itself."""
    from dataclasses import replace

    rules = {"length": 4, "money": (2, 3), "payment": "opponent", "max_rounds": rounds}
    game = make_game("scotch", **rules)
    plain = replace(game, clock=None, limit=0)
    found, longer = value_graph(graph_of(game)), value_graph(graph_of(plain))
    assert found.value == pytest.approx(longer.value, abs=1e-9)
    assert found.gap < 1e-8 and longer.ticks == 0


def test_value__that_is_not_known_in_time_tells_how_wrong_it_may_be():
    game = make_game("scotch", length=6, money=5, payment="opponent", max_rounds=1000)
    graph = graph_of(game)
    exact = value_graph(graph)
    hasty = value_graph(graph, seconds=0.0)
    assert hasty.ticks == 1 and hasty.gap > 1.0
    assert abs(exact.value - hasty.value) <= hasty.gap


def test_value__of_given_choices_is_that_of_those_who_made_them():
    for seed in range(10):
        game = thicket(seed=seed, hidden=False, depth=4)
        graph = graph_of(game)
        found = value_graph(graph)
        assert found.value == pytest.approx(open_value(game), abs=1e-9)
        both = value_graph(graph, plan=found.plan, given=(0, 1))
        assert both.value == pytest.approx(found.value, abs=1e-9)
