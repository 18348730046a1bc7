"""Decisions against opponents: what came of them, also across the ends of games and rounds."""

import numpy as np
import pytest

from bidarena.envs import make_game
from bidarena.train.ppo.rollouts import OpponentRows

GAME = {"cards": [1, 2, 3], "items": [1, 2, 3], "reward": "margin"}  # 3 decisions, the last forced


def judge(observations, legal):
    """The uniform policy; the critic says something that depends on the observation."""
    logs = np.where(legal, -np.log(legal.sum(axis=1, keepdims=True)), -np.inf)
    return logs.astype(np.float32), observations.sum(axis=1) / 100


def rows(**more):
    game = make_game("raj", **GAME)
    return game, OpponentRows(
        game, 16, ["value"], **{"seat": "random", "seed": 5, "threads": 1, **more}
    )


def test_opponent_rows__targets_are_lambda_returns():
    for decay in (0.0, 0.3, 1.0):
        game, games = rows()
        told = games.play(judge, np.random.default_rng(0), steps=6, decay=decay)
        _, again = rows()
        last = again.play(judge, np.random.default_rng(0), steps=6, decay=1.0)
        assert np.array_equal(told.actions, last.actions)
        scale = np.abs(game.return_range).max()
        result = last.targets.reshape(4, 16)  # lambda 1: of two games, two choices each
        assert np.array_equal(result[0], result[1]) and np.array_equal(result[2], result[3])
        assert np.isin(np.round(result * scale, 4), np.arange(-6, 7)).all()
        if decay == 1.0:
            assert told.mean_return == pytest.approx(result.mean() * scale, abs=1e-5)
            continue
        value, target = told.values.reshape(4, 16), told.targets.reshape(4, 16)
        # the second choice looks at the forced move, the first one at the second
        first = (1 - decay) * value[1] + decay * target[1]
        assert target[0] == pytest.approx(first, abs=1e-6)
        if decay == 0.0:
            assert not np.array_equal(target[1], result[1])


def test_opponent_rows__a_game_that_goes_on_is_worth_what_the_critic_says():
    _, games = rows()
    luck = np.random.default_rng(0)
    told = games.play(judge, luck, steps=1, decay=1.0)
    follows = games.play(judge, luck, steps=1, decay=1.0)
    assert told.games == follows.games == 0 and np.isnan(told.mean_return)
    assert np.array_equal(told.targets, follows.values)  # that of the decision after the last


def test_opponent_rows__only_choices_are_learned_from():
    _, games = rows()
    told = games.play(judge, np.random.default_rng(0), steps=30, decay=0.9)
    assert told.games == 16 * 10 and len(told.actions) == 16 * 20
    assert np.array_equal(told.log_chances, -np.log(told.legal.sum(axis=1)).astype(np.float32))


def test_opponent_rows__threads_change_nothing():
    one, two = (
        rows(threads=n)[1].play(judge, np.random.default_rng(1), steps=9, decay=0.5) for n in (1, 2)
    )
    for name in ("observations", "actions", "targets", "values"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
