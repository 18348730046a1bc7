"""Games with hidden information: linear programs, regret and brute force in plain Python agree."""

import numpy as np
import pytest
from sequence_form import sequence_value
from toy_goofspiel import goofspiel
from toy_kuhn import kuhn

from bidarena.baselines.solvers.tree.build import build_tree
from bidarena.baselines.solvers.tree.linear import solve_linear
from bidarena.baselines.solvers.tree.regret import solve_by_regret
from bidarena.baselines.solvers.tree.sequences import (
    action_values,
    expected,
    merged,
    nash_gap,
    respond,
    slot_players,
    uniform,
)
from bidarena.envs import make_game

SEEN = {"know_opponent_money": False, "length": 4}
GAMES = [
    kuhn(),
    goofspiel(cards=3, shuffled=True),
    make_game("scotch", money=(3, 2), **SEEN),
    make_game("scotch", money=(2, 3), tie="coin", max_rounds=3, **SEEN),
    make_game("scotch", money=2, payment="opponent", max_rounds=3, **SEEN),
]


def tree_of(game):
    return merged(build_tree(game, 1 << 28, opposed=True))


def test_sequence_value__is_that_of_kuhn_poker():
    assert sequence_value(kuhn()) == pytest.approx(-1 / 36)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_linear__has_the_value_of_brute_force(game):
    tree = tree_of(game)
    low, high, _ = nash_gap(tree, solve_linear(tree))
    assert low == pytest.approx(sequence_value(game), abs=1e-9)
    assert high - low < 1e-9


@pytest.mark.parametrize("game", GAMES[:3], ids=str)
def test_regret__bounds_enclose_the_value_and_the_gap_is_reached(game):
    tree = tree_of(game)
    value = nash_gap(tree, solve_linear(tree))[0]
    told = []
    settled = solve_by_regret(tree, 1e-4, progress=lambda done, gap: told.append((done, gap)))
    assert settled.low - 1e-12 <= value <= settled.high + 1e-12
    assert settled.high - settled.low <= 1e-4
    assert told[-1] == (settled.iterations, pytest.approx(settled.high - settled.low))
    sums = np.add.reduceat(settled.strategy, tree.first[:-1])
    assert sums == pytest.approx(1.0) and settled.strategy.min() >= 0.0


def test_regret__stops_in_time():
    tree = tree_of(goofspiel(cards=3))
    settled = solve_by_regret(tree, 0.0, seconds=0.05)
    assert settled.seconds < 20.0 and settled.high - settled.low < 1.0


def test_merged__ends_give_the_same_values():
    raw = build_tree(kuhn(), 1 << 28, opposed=True)
    tree = merged(raw)
    assert tree.gains[:, -1].sum() == pytest.approx(raw.gains[:, -1].sum())
    assert expected(raw, uniform(raw)) == pytest.approx(expected(tree, uniform(tree)))


@pytest.mark.parametrize("game", GAMES[:3], ids=str)
def test_sequences__worths_of_actions_and_responses_fit_the_mean(game):
    tree = tree_of(game)
    strategy = uniform(tree)
    mean = expected(tree, strategy)[0]
    owners = slot_players(tree)
    for player, sign in ((0, 1.0), (1, -1.0)):
        best = respond(tree, strategy, player)
        assert best.value >= sign * mean - 1e-12
        mixed = np.where(owners == player, best.choices, strategy)
        assert sign * expected(tree, mixed)[0] == pytest.approx(best.value)
        worths = action_values(tree, strategy, player)[owners == player]
        assert np.isfinite(worths).all() and worths.max() <= 1.0 + 1e-12


def test_tree__keeps_every_players_results_where_they_do_not_add_to_0():
    one, two = (build_tree(kuhn(), 1 << 28, opposed=opposed) for opposed in (True, False))
    assert (one.gains.shape[1], two.gains.shape[1]) == (2, 3)
    both = expected(two, uniform(two))
    assert both[0] == pytest.approx(expected(one, uniform(one))[0])
    assert both.sum() == pytest.approx(0.0)
