"""Minimax-Q: it comes to equilibria, and goes on exactly from where it was saved."""

from dataclasses import asdict

import numpy as np
import pytest

from bidarena.baselines.learned.bots import network_bot
from bidarena.envs import make_game
from bidarena.evaluate.exploit import exploit
from bidarena.train.algorithms import hyperparameters
from bidarena.train.selfplay.minimax_q import MinimaxQ, MinimaxQSettings, learner
from bidarena.train.task import Task

SMALL = {"rows": 64, "hidden": [16], "minibatch": 128}
QUICK = {"rows": 256, "hidden": [64, 64], "minibatch": 128, "learning_rate": 3e-3}
TINY_RAJ = {"cards": [1, 2, 3, 4], "items": [-1, 1, 2, 3], "reward": "margin"}


def trained(game, total, **settings):
    made = MinimaxQ(game, settings, seed=1, total=total)
    while made.steps < total:
        made.learn()
    return made


def exploitability(game, network):
    return exploit(game, network_bot(game, network, "minimax_q")).best_response_value


def test_minimax_q__raj_comes_close_to_equilibrium():
    game = make_game("raj", **TINY_RAJ)
    before = exploitability(game, MinimaxQ(game, {}, seed=1, total=1).network())
    made = trained(game, 300_000, **QUICK)
    assert before > 1.0
    assert exploitability(game, made.network()) < 0.1


def test_minimax_q__scotch_with_little_money_comes_close_to_equilibrium():
    game = make_game("scotch", money=(6, 6), length=4, start=2)
    before = exploitability(game, MinimaxQ(game, {}, seed=1, total=1).network())
    made = trained(game, 200_000, **QUICK)
    assert before > 0.5
    assert exploitability(game, made.network()) < 0.1


def test_minimax_q__goes_on_exactly_from_a_saved_state():
    game = make_game("raj", **TINY_RAJ)
    one = MinimaxQ(game, SMALL, seed=3, total=6000)
    for _ in range(2):
        one.learn()
    saved = one.state()
    other = MinimaxQ(game, SMALL, seed=99, total=6000)
    other.learn()  # whatever it was before is forgotten
    other.restore(saved)
    for _ in range(3):
        first, second = one.learn(), other.learn()
        for name in ("value_loss", "learning_rate", "decisions"):
            assert first[name] == second[name]
    for ours, theirs in zip(one.network().weights, other.network().weights, strict=True):
        assert np.array_equal(ours, theirs)


def test_minimax_q__decisions_without_a_choice_are_not_counted():
    game = make_game("raj", **TINY_RAJ)
    made = MinimaxQ(game, SMALL, seed=0, total=10**6)
    told = made.learn()
    assert told["decisions"] == 64 * 2 * 3 == made.steps  # the last card is forced


def test_minimax_q__settings_are_those_of_its_file():
    kept = hyperparameters("minimax_q", "raj")
    for name in ("steps", "rules"):
        kept.pop(name)
    assert kept.keys() == asdict(MinimaxQSettings()).keys()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"explore": 2}, "explore=2"),
        ({"rows": 0}, "rows=0"),
        ({"hidden": [0]}, "hidden"),
        ({"magnet": 1}, "'magnet' is unknown; expected rows"),
    ],
)
def test_minimax_q__bad_settings_are_refused(settings, why):
    with pytest.raises(ValueError, match=why):
        MinimaxQ(make_game("raj"), settings, seed=0, total=10)


def test_minimax_q__other_games_and_opponents_are_refused():
    with pytest.raises(ValueError, match="at the same time"):
        MinimaxQ(make_game("coins", board="triangle3"), {}, seed=0, total=10)
    rules = make_game("raj").options
    task = Task("raj", rules, "minimax_q", 10, players={"opponent": "greedy"})
    with pytest.raises(ValueError, match="opponent='greedy': minimax_q plays all seats itself"):
        learner(task)
