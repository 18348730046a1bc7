"""The generic solver on hundreds of random games, each against a method that shares no code."""

import numpy as np
import pytest
from brute_force import matrix_value
from toy_thicket import normal_form, open_value, thicket

from bidarena.baselines.solvers.generic.respond import index_of, responses_to
from bidarena.baselines.solvers.generic.solve import Limits, solve_anew
from bidarena.baselines.solvers.probabilities import Asker
from bidarena.baselines.solvers.tree.regret import solve_by_regret
from bidarena.envs import make_bot
from bidarena.envs.testing import check_bot, check_game


@pytest.mark.parametrize("hidden", [True, False])
def test_random_games__keep_the_promises_of_a_game(hidden):
    check_game(thicket(seed=3, hidden=hidden), games=5)


def test_random_games__with_hidden_information_against_the_normal_form():
    checked = 0
    for seed in range(260):
        game = thicket(seed=seed)
        table = normal_form(game, most=150)
        if table is None:
            continue
        answer = solve_anew(game, Limits())
        assert answer.value == pytest.approx(matrix_value(table), abs=1e-9), seed
        assert answer.gap < 1e-9 and answer.playable, seed
        checked += 1
    assert checked >= 200


def test_random_games__in_the_open_against_recursion():
    for seed in range(150):
        game = thicket(seed=seed, hidden=False, depth=4)
        answer = solve_anew(game, Limits())
        assert answer.value == pytest.approx(open_value(game), abs=1e-9), seed
        assert answer.gap < 1e-9, seed


def test_random_games__the_tree_finds_the_values_of_the_graph():
    """Games without hidden information, looked at by their information sets."""
    from bidarena.baselines.solvers.tree.build import build_tree
    from bidarena.baselines.solvers.tree.linear import solve_linear
    from bidarena.baselines.solvers.tree.sequences import merged, nash_gap

    for seed in range(40):
        game = thicket(seed=seed, hidden=False, depth=3)
        tree = merged(build_tree(game, 1 << 28, opposed=True))
        low, high, _ = nash_gap(tree, solve_linear(tree))
        assert low == pytest.approx(open_value(game), abs=1e-9), seed
        assert high - low < 1e-9
        settled = solve_by_regret(tree, 1e-4)
        assert settled.low - 1e-12 <= open_value(game) <= settled.high + 1e-12
        assert settled.high - settled.low <= 1e-4


def test_random_games__best_responses_to_random_play_against_all_pure_strategies():
    checked = 0
    for seed in range(60):
        game = thicket(seed=seed)
        table = normal_form(game, most=150)
        if table is None:
            continue
        found = responses_to(Asker(index_of(game), make_bot(game, "random")))
        # all pure strategies alike are a behaviour in which all actions are alike
        best = table.mean(axis=1).max(), -table.mean(axis=0).min()
        assert found.values == pytest.approx(best, abs=1e-9), seed
        assert found.nash_conv == pytest.approx(sum(best), abs=1e-9), seed
        checked += 1
    assert checked >= 40


def test_random_games__nobody_gains_more_than_the_gap_from_exact_and_it_does_not_peek():
    for seed in range(12):
        game = thicket(seed=seed)
        exact = make_bot(game, "exact")
        found = responses_to(Asker(index_of(game), exact))
        assert found.nash_conv < 1e-8, seed
        check_bot(game, exact, games=3)
        check_bot(game, "best_response:of=random", games=3)
        assert np.isfinite(found.values).all()
