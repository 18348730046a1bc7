"""Endings of games on large boards: judged as the whole table judges them."""

import numpy as np
import pytest

from bidarena.baselines.coins.keeping import move_keeps
from bidarena.baselines.coins.solver import table_of
from bidarena.envs import batched, make_bot, make_game
from bidarena.evaluate.appraisal.strength import truth_of
from bidarena.evaluate.coins.endings import _games, _judge, judge_endings


def test_endings__perfect_play_keeps_all_and_random_play_does_not():
    game = make_game("coins", board="square4")
    assert judge_endings(game, "exact", games=20).kept_in_games_where_it_matters == 1
    found = judge_endings(game, "random", games=100)
    assert 0.1 < found.kept_in_games_where_it_matters < 0.9
    low, high = found.interval
    assert low < found.kept_in_games_where_it_matters < high
    assert found.games == 100 and set(found.kept_by_coins) == {"1-4", "5-8", "9-12", "13-16"}


@pytest.mark.parametrize("coins", [9, 16])
def test_endings__every_decision_is_judged_as_by_the_table_of_the_whole_board(coins):
    game = make_game("coins", board="square4")
    bot, table = make_bot(game, "random"), table_of(game)
    for seed in range(5):
        for decisions in _games(game, bot, bot, 4, seed, 0).values():
            wanted = []
            for board, action, own in decisions:
                kept, matters = move_keeps(game, table, board, action)
                if own and matters and board.bit_count() <= coins:
                    wanted.append((board.bit_count(), kept))
            assert _judge(game, decisions, coins) == wanted


def test_endings__against_an_opponent_only_the_own_decisions_count():
    game = make_game("coins", board="square4")
    assert judge_endings(game, "exact", opponent="random", games=20).interval == [1.0, 1.0]
    found = judge_endings(game, "random", opponent="exact", games=60)
    assert found.kept_in_games_where_it_matters < 0.9
    assert "against exact" in found.method


def test_endings__measure_boards_too_large_to_solve(monkeypatch):
    monkeypatch.setattr("bidarena.evaluate.coins.exploit.MEASURED", 20)
    game = make_game("coins", board="rectangle5x7")  # 35 coins
    rng = np.random.default_rng(0)

    @batched
    def anything(views, masks):
        return (rng.random(masks.shape) * masks).argmax(axis=1)

    truth = truth_of(game, anything)
    assert truth.name == "kept" and 0.05 < truth.value < 0.6


def test_endings__where_points_decide_nothing_is_judged():
    with pytest.raises(ValueError, match="score='points'"):
        judge_endings(make_game("coins", board="square3", colours="seeded"), "random")
