"""Regret of recorded games: checked by hand, by another solver, and where there is none."""

import numpy as np
import pytest
from toy_kuhn import kuhn
from toy_matrix import matrix
from toy_nim import constant, nim, one_by_one

from bidarena.baselines.solvers.generic.bots import exact_hint
from bidarena.envs import make_game
from bidarena.envs.phrases import legal_actions, mover_of
from bidarena.evaluate.match import play_match
from bidarena.evaluate.match.record import read_records, replay
from bidarena.evaluate.match.regret import check_solved, regrets


def regrets_of(tmp_path, game, bots, games=20, **options):
    path = tmp_path / "games.jsonl"
    play_match(game, bots, games, record=path, **options)
    return regrets(game, read_records(path), len(bots))


def test_nim__losses_are_those_counted_by_hand(tmp_path):
    """From 7 stones one by one: 7, 6, 3 and 2 are won and given away, 5 is kept, 4 is lost."""
    game = nim(heap=7, most=3)
    both = regrets_of(tmp_path, game, [one_by_one(game), one_by_one(game)], 6)
    for regret in both:
        assert regret.decisions == 3 * 6  # in both seats together six a deal; the last is forced
        assert regret.mean == pytest.approx(8 / 6)
        assert regret.half_width == pytest.approx(0.0)


def test_nim__perfect_play_has_no_regret_and_the_other_seat_has(tmp_path):
    perfect, other = regrets_of(tmp_path, nim(), ["perfect", "random"], 100)
    assert perfect.mean == 0.0 and other.mean > 0.1
    assert other.as_dict()["mean_95"][0] > 0.0


def test_simultaneous_moves__a_dominated_row_loses_its_difference(tmp_path):
    game = matrix(first=((100, 100), (25, 25)), rounds=3)
    one, two = regrets_of(tmp_path, game, [constant(1), constant(0)], 10)
    # As the first player (in half of the games) each round with row 1 loses 0.75; columns are equal
    assert one.decisions == two.decisions == 30
    assert one.mean == pytest.approx(0.75 / 2) and two.mean == pytest.approx(0.0)


def test_hidden_cards__the_exact_bot_has_no_regret(tmp_path):
    exact, random = regrets_of(tmp_path, kuhn(), ["exact", "random"], 400)
    assert exact.mean == pytest.approx(0.0, abs=1e-9)
    assert random.mean > 0.02


def test_raj__agrees_with_the_generic_solver(tmp_path):
    """The game's own solution gave the hints; the generic one values the same moves again."""
    game = make_game("raj", cards=[1, 2, 3], items=[-1, 2, 3])
    found = regrets_of(tmp_path, game, ["value", "random"], 40)
    lost = {name: [] for name in ("value", "random")}
    for record in read_records(tmp_path / "games.jsonl"):
        before = None
        for moment in replay(record):
            if before is not None and len(legal_actions(game, before)) > 1:
                worths = {a.action: a.value for a in exact_hint(game, before, True).moves}
                name = record["seats"][mover_of(game, before)]
                lost[name].append(max(worths.values()) - worths[moment.action])
            before = moment.state
    assert found[0].decisions == len(lost["value"]) == 80
    for regret, name in zip(found, lost, strict=True):
        assert regret.mean == pytest.approx(np.mean(lost[name]), abs=1e-9)
    assert found[1].mean > 0.01


def test_faults__moves_before_one_count(tmp_path):
    """The constant bot takes three stones, and then cannot."""
    game = nim(heap=5, most=3)
    stubborn, other = regrets_of(tmp_path, game, [constant(3), one_by_one(game)], 2)
    assert stubborn.decisions == 2 and other.decisions >= 1


def test_nothing_to_decide__is_no_regret(tmp_path):
    game = nim(heap=1)
    for regret in regrets_of(tmp_path, game, ["random", "random"], 2):
        assert (regret.decisions, regret.mean, regret.half_width) == (0, None, None)
        assert regret.as_dict() == {"decisions": 0, "mean": None, "mean_95": None}


@pytest.mark.parametrize(("name", "rules"), [("twentynine", {}), ("raj", {"players": 3})])
def test_check_solved__refuses_a_game_without_a_solution(name, rules):
    with pytest.raises(ValueError, match="regret: there is no exact solution to compare with"):
        check_solved(make_game(name, **rules))
