"""The small games of the suite keep the promises of every game, and their truth is known."""

import pytest

from bidarena.baselines.solvers.generic.solve import solve_game
from bidarena.envs.registry import make_game
from bidarena.envs.testing import check_game
from bidarena.evaluate.exploit import exploit

HERE = "bidarena.studies.suite.hidden_games"


@pytest.mark.parametrize("name", ["suite_leduc", "suite_dice", "suite_goofspiel"])
def test_hidden_game__keeps_every_promise(name):
    check_game(f"{HERE}:{name}", games=10)


def test_leduc__has_the_known_value():
    found = solve_game(make_game(f"{HERE}:suite_leduc"))
    assert found.value == pytest.approx(-0.0856, abs=1e-3)  # as OpenSpiel finds it


def test_hidden_game__exact_solution_cannot_be_exploited():
    game = make_game(f"{HERE}:suite_goofspiel")
    assert exploit(game, "exact").best_response_value == pytest.approx(0.0, abs=1e-3)
    assert exploit(game, "random").best_response_value > 0.3


def test_hidden_game__refuses_other_sizes():
    with pytest.raises(ValueError, match="faces=11: expected a whole number from 2 to 10"):
        make_game(f"{HERE}:suite_dice", faces=11)
