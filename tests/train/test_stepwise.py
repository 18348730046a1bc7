"""Generators as learners: what they yield is what plays, and a resumed run repeats them."""

import numpy as np
import pytest

from bidarena.baselines.learned.network import Network
from bidarena.train import Stepwise, Task
from bidarena.train.task import Learner

TASK = Task("raj", {}, "own", 100, seed=7)


def wander(task):
    luck = np.random.default_rng(task.seed)
    for steps in range(10, 51, 10):
        yield steps, Network((luck.random((22, 6), np.float32),), (np.zeros(6, np.float32),))


def test_stepwise__goes_on_exactly_from_its_state():
    straight: Learner = Stepwise(TASK, wander)
    for _ in range(3):
        told = straight.learn()
    assert straight.steps == 30 and told["seconds"] > 0
    again = Stepwise(TASK, wander)
    again.restore(straight.state())
    assert again.steps == 30
    np.testing.assert_array_equal(again.network().weights[0], straight.network().weights[0])
    assert straight.learn() and again.learn()
    np.testing.assert_array_equal(again.network().weights[0], straight.network().weights[0])


def test_stepwise__has_a_policy_before_it_learns():
    fresh = Stepwise(TASK, wander)
    first = fresh.network()
    assert first is fresh.network() and fresh.steps == 10


def test_stepwise__says_what_is_wrong_with_a_generator():
    ended = Stepwise(TASK, wander)
    with pytest.raises(ValueError, match="ended after 5 rounds and 50 decisions"):
        for _ in range(6):
            ended.learn()

    def stands(task):
        while True:
            yield 5, next(wander(task))[1]

    still = Stepwise(TASK, stands)
    still.learn()
    with pytest.raises(ValueError, match="yielded 5 decisions after 5"):
        still.learn()
