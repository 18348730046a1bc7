"""Every algorithm learns, keeps to the rules, and goes on exactly where it was."""

import numpy as np
import pytest
import torch

from bidarena.baselines.learned.bots import network_bot
from bidarena.evaluate.match import play_match
from bidarena.train.algorithms import hyperparameters, make_learner
from bidarena.train.settings import changed
from bidarena.train.task import Task

SMALL = {"cards": [1, 2, 3, 4], "items": [1, 2, 3, 4]}
SB3 = ("maskable_ppo", "ppo", "a2c", "dqn")
QUICK = {
    "maskable_ppo": {"envs": 64, "n_steps": 16, "batch_size": 256},
    "ppo": {"envs": 64, "n_steps": 16, "batch_size": 256},
    "a2c": {"envs": 32},
    "dqn": {"envs": 32, "learning_starts": 1000, "buffer_size": 20_000},
}


def small_task(algorithm, steps, *, opponent="value", **more):
    settings = hyperparameters(algorithm, "raj")
    for other in ("steps", "rules"):
        settings.pop(other, None)
    settings = changed(settings, {**QUICK[algorithm], "net_arch": [32, 32], "round": 2000, **more})
    return Task("raj", SMALL, algorithm, steps, 1, {"opponent": opponent}, settings)


def learned(task):
    learner = make_learner(task)
    while learner.steps < task.steps:
        learner.learn()
    return learner


@pytest.mark.parametrize("algorithm", SB3)
def test_learner__beats_a_bot_that_chance_does_not_beat(algorithm):
    task = small_task(algorithm, 60_000)
    game = task.make_game()
    learner = make_learner(task)
    before = play_match(game, [network_bot(game, learner.network(), "new"), "value"], 4000)
    assert before.scores[0].mean < -0.2
    while learner.steps < task.steps:
        learner.learn()
    after = play_match(game, [network_bot(game, learner.network(), "learned"), "value"], 4000)
    assert after.scores[0].mean > 0.8  # a best response wins all games


@pytest.mark.parametrize("algorithm", SB3)
def test_learner__never_chooses_an_illegal_action(algorithm):
    learner = make_learner(small_task(algorithm, 10_000))
    played = []
    step = learner.env.step_async

    def watched(actions):
        masks = learner.env.action_masks()
        played.append(masks[np.arange(len(actions)), np.asarray(actions).ravel()].all())
        step(actions)

    learner.env.step_async = watched
    while learner.steps < 6000:
        learner.learn()
    assert len(played) > 50
    assert all(played)


@pytest.mark.parametrize("algorithm", SB3)
@pytest.mark.parametrize("opponent", ["value", "self"])
def test_learner__goes_on_exactly_where_it_was(algorithm, opponent):
    pool = {"pool_every": 3000, "pool_size": 2, "pool_bots": ["random"], "pool_bot_share": 0.2}
    task = small_task(algorithm, 12_000, opponent=opponent, **pool)
    whole = make_learner(task)
    while whole.steps < 6000:
        whole.learn()
    kept = whole.state()
    kept = {**kept, "policy": {name: part.clone() for name, part in kept["policy"].items()}}
    kept["optimizer"] = _copied(kept["optimizer"])
    while whole.steps < task.steps:
        whole.learn()
    torch.manual_seed(99)
    np.random.seed(99)  # noqa: NPY002
    again = make_learner(task)
    again.restore(kept)
    assert again.steps >= 6000
    while again.steps < task.steps:
        again.learn()
    pairs = zip(whole.network().weights, again.network().weights, strict=True)
    assert all((one == other).all() for one, other in pairs)


def _copied(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value


@pytest.mark.parametrize("algorithm", SB3)
def test_learner__same_seed_same_policy(algorithm):
    one, other = (learned(small_task(algorithm, 4000)).network() for _ in range(2))
    assert all((a == b).all() for a, b in zip(one.weights, other.weights, strict=True))


def test_learner__schedules_are_those_of_the_whole_run():
    learner = make_learner(small_task("maskable_ppo", 8192))
    rates = [learner.learn()["train/learning_rate"] for _ in range(4)]
    assert rates == pytest.approx([2.25e-3, 1.5e-3, 0.75e-3, 0.0])


def test_learner__tells_the_time_of_the_environment():
    told = learned(small_task("maskable_ppo", 4096)).learn()
    assert 0 < told["env_seconds"] < told["seconds"]
