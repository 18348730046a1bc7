"""Scotch solved: against brute force over the rules, against LPs, and in matches of the bot."""

import numpy as np
import pytest
from brute_force import Tree, matrix_value

from bidarena.baselines.scotch.exact import safe_openings, solutions, solve
from bidarena.baselines.scotch.solver import bids_matrix, find, index_positions, put, rounds_into
from bidarena.baselines.solvers.best_response import best_response, policy_value
from bidarena.baselines.solvers.probabilities import Asker
from bidarena.envs import make_bot, make_game
from bidarena.envs.compile import compiled
from bidarena.envs.testing import random_states
from bidarena.evaluate.match import play_match

SMALL = [
    {},
    {"tie": "coin"},
    {"tie": "holder"},
    {"broke": "lose"},
    {"broke": "lose", "tie": "coin"},
    {"both_broke": "play_on"},
    {"both_broke": "play_on", "tie": "holder"},
    {"max_rounds": 4},
    {"payment": "opponent", "max_rounds": 5},
    {"payment": "opponent", "tie": "coin", "broke": "lose", "max_rounds": 4},
]
FORGET = ("last_bids", "last_winner", "low", "high")


def small(**rules):
    return make_game("scotch", **{"length": 4, "money": (3, 2), **rules})


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_scotch__every_position_agrees_with_brute_force_over_the_rules(rules):
    game = small(**rules)
    solution = solutions.find(game)
    tree = Tree(game, FORGET)
    look = solution.index.compiled(find)
    compared = 0
    for state, mover, _ in random_states(game, 25, 0):
        if mover == 0:
            position = look(game.cfg, solution.index.numbers, state)
            assert solution.values[position] == pytest.approx(tree.value(state), abs=1e-9)
            compared += 1
    assert compared > 25


def test_scotch__a_coin_that_walks_for_players_without_money():
    """The limit of rounds is so far that the value is that of an endless random walk."""
    game = small(both_broke="play_on", tie="coin", money=(2, 1))
    solution = solve(game)
    tree = Tree(game, (*FORGET, "round"))
    # brute force, in which the known value of the walk replaces the walk
    step_by_step = tree.result

    def result(state):
        money, at = state[game.state["money"]], int(state[game.state["position"].start])
        if step_by_step(state) is None and not money.any():
            return 1 - 2 * at / 4
        return step_by_step(state)

    tree.result = result
    assert solution.value == pytest.approx(tree.value(tree.starts()[0]), abs=1e-12)


@pytest.mark.parametrize("rules", [{}, {"tie": "coin"}, {"broke": "lose"}, {"tie": "holder"}])
def test_scotch__full_size_agrees_with_linear_programs_on_samples(rules):
    game = make_game("scotch", **rules)
    solution = solutions.find(game)
    index, rng = solution.index, np.random.default_rng(0)
    most = 203
    for position in rng.integers(0, index.positions, 25):
        won, lost, tied = np.zeros((3, most))
        args = (game.cfg, index.numbers, solution.values, int(position), won, lost, tied)
        own, other = compiled(rounds_into, {}, "scotch")(*args)
        if own == 0 or other == 0:
            continue
        matrix = compiled(bids_matrix, {}, "scotch")(own, other, won, lost, tied)
        assert solution.values[position] == pytest.approx(matrix_value(matrix), abs=1e-8)


def test_scotch__perfect_play_of_the_default_game_is_a_draw():
    solution = solutions.find(make_game("scotch"))
    assert solution.value == 0.0 and solution.figure == 0
    assert safe_openings(solution) == [list(range(10, 17)), list(range(11, 17))]


@pytest.mark.parametrize("rules", [{}, {"tie": "coin"}, {"broke": "lose"}], ids=str)
def test_scotch__swapping_the_players_negates_every_value(rules):
    game = make_game("scotch", money=30, **rules)
    solution = solutions.find(game)
    holders = 1 if rules.get("tie") == "coin" else 2
    table = solution.values.reshape(31, 31, 9, holders)
    swapped = -table.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
    over = np.zeros((31, 31), bool)
    over[0, 0] = True  # never reached with broke="lose": both cannot have lost
    assert np.allclose(table[~over], swapped[~over], atol=1e-12)


@pytest.mark.parametrize(
    "rules", [{}, {"tie": "coin"}, {"broke": "lose"}, {"payment": "opponent", "max_rounds": 9}]
)
def test_scotch__nobody_gains_against_exact(rules):
    game = make_game("scotch", money=(25, 22), length=6, **rules)
    value = solutions.find(game).value
    index = index_positions(game)
    asker = Asker(index, make_bot(game, "exact"))
    assert asker.exact
    assert best_response(asker, 0).value == pytest.approx(value, abs=1e-9)
    assert best_response(asker, 1).value == pytest.approx(-value, abs=1e-9)
    assert policy_value(index, asker, asker) == pytest.approx(value, abs=1e-9)


def test_scotch__exact_never_loses_and_beats_the_classical_bots():
    for rival in ("random", "uniform", "dp", "richman"):
        score = play_match("scotch", ["exact", rival], 400, seed=1).scores[0]
        assert score.losses == 0, rival
        assert score.wins > 0 or rival == "richman", rival  # richman reaches a draw


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_scotch__positions_and_states_belong_together(rules):
    game = small(**rules)
    index = index_positions(game)
    state = np.zeros(game.state_size, np.int64)
    for position in range(index.positions):
        index.compiled(put)(game.cfg, index.numbers, position, state)
        assert index.compiled(find)(game.cfg, index.numbers, state) == position


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"know_opponent_money": False}, "know_opponent_money"),
        ({"money": 10_000}, "positions"),
        ({"payment": "opponent", "money": 10_000}, "positions"),
    ],
)
def test_scotch__what_cannot_be_solved_is_named(rules, message):
    with pytest.raises(ValueError, match=message):
        solutions.find(make_game("scotch", **rules))
