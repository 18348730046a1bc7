"""Reviews: exact losses where a game is solved, estimates with their spread elsewhere."""

import numpy as np
import pytest

from bidarena.envs import make_game
from bidarena.evaluate.review import accuracy, judge


def deal(name, **rules):
    game = make_game(name, **rules)
    return game, game.new_state(np.array([3, 5], np.uint64))


def test_review__a_move_that_throws_the_win_away_is_a_blunder():
    game, state = deal("coins", board="*/**")
    found = judge(game, state)
    worth = {advice.action: advice.value for advice in found.hint.moves}
    assert set(worth.values()) == {-1.0, 1.0} and found.value == 1.0 and found.spread == 0.0
    for action, value in worth.items():
        judged = judge(game, state, action)
        assert judged.hint.exact and judged.loss == 1.0 - value
        assert judged.mark == ("blunder" if value < 0 else "")


def test_review__moves_of_a_mixed_equilibrium_lose_nothing():
    game, state = deal("raj")
    found = judge(game, state)
    mixed = [advice for advice in found.hint.moves if advice.share > 0.01]
    assert len(mixed) > 1
    for advice in mixed:
        judged = judge(game, state, advice.action)
        assert judged.loss == pytest.approx(0, abs=1e-6) and not judged.mark
    assert found.value == pytest.approx(0, abs=1e-6)


def test_review__a_search_tells_its_iterations_and_spread_and_marks_only_what_it_is_sure_of():
    game, state = deal("twentynine")
    few = judge(game, state, 0, "ismcts:iterations=100,book=none")
    many = judge(game, state, 0, "ismcts:iterations=5000,book=none")
    assert not many.hint.exact and many.hint.iterations == 5000
    assert 0 < many.spread < few.spread
    told = many.as_dict(game, state)
    assert sum(move["visits"] for move in told["hint"]["moves"]) == 5000
    rare = [move for move in told["hint"]["moves"] if 0 < move["visits"] < 20]
    for move in rare:
        assert judge(game, state, move["action"], "ismcts:iterations=5000,book=none").loss is None


def test_review__accuracy_falls_with_the_loss():
    assert accuracy([]) is None
    assert accuracy([(0.0, 1.0)]) == pytest.approx(100, abs=0.01)
    assert accuracy([(0.2, 1.0)]) == pytest.approx(63.6, abs=0.1)
    assert accuracy([(2.0, 2.0)]) == accuracy([(1.0, 1.0)])
    assert accuracy([(0.0, 1.0), (2.0, 1.0)]) == pytest.approx(50, abs=1)
