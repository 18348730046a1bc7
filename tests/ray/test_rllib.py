"""PPO of RLlib on our environments: it learns, keeps to the rules, and is exported as it is."""

import numpy as np
import pytest
import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.core.columns import Columns

from bidarena.baselines.learned.bots import network_bot
from bidarena.envs.batch import Batch
from bidarena.envs.registry import make_game
from bidarena.envs.rllib import MASK, OBSERVATIONS
from bidarena.evaluate.match import play_match
from bidarena.train.algorithms import hyperparameters
from bidarena.train.folder import write_checkpoint
from bidarena.train.rllib.learner import RLlibLearner, unpack
from bidarena.train.rllib.ray import ray_running
from bidarena.train.settings import changed
from bidarena.train.task import Task

SMALL = {"cards": [1, 2, 3, 4], "items": [1, 2, 3, 4]}
QUICK = {"env_runners": 0, "envs": 32, "train_batch_size": 1024, "minibatch_size": 256}


@pytest.fixture(scope="module", autouse=True)
def _ray():
    with ray_running(runners=2):
        yield
    assert not ray.is_initialized()


def small_task(steps=10_000, *, game="raj", rules=SMALL, opponent="value", **more):
    settings = hyperparameters("rllib_ppo", game)
    settings.pop("steps")
    settings = changed(settings, {**QUICK, "net_arch": [32, 32], **more})
    return Task(game, rules, "rllib_ppo", steps, 1, {"opponent": opponent}, settings)


def mean_result(game, learner, rival):
    bots = [network_bot(game, learner.network(), "learned"), rival]
    return play_match(game, bots, 4000).scores[0].mean


def test_learner__beats_a_bot_that_chance_does_not_beat():
    task = small_task(16_000, env_runners=2)
    game, learner = task.make_game(), RLlibLearner(task)
    assert mean_result(game, learner, "value") < -0.2
    rates = []
    while learner.steps < task.steps:
        told = learner.learn()
        rates.append(told["learning_rate"])
        assert 0 < told["env_seconds"] < told["seconds"]
        assert told["other_cpu_seconds"] > 0
    assert mean_result(game, learner, "value") > 0.8  # a best response wins all games
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0.0, abs=1e-9)


def test_learner__plays_all_seats_by_self_play():
    task = small_task(12_000, opponent="self")
    game, learner = task.make_game(), RLlibLearner(task)
    assert abs(mean_result(game, learner, "random")) < 0.1
    while learner.steps < task.steps:
        told = learner.learn()
    assert "return" not in told
    assert mean_result(game, learner, "random") > 0.35


@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("raj", {"players": 3, **SMALL}),
        ("coins", {"board": "triangle4"}),
        ("scotch", {"money": (20, 20)}),
        ("richman", {}),
        ("twentynine", {}),
    ],
)
def test_learner__a_round_of_self_play_in_every_game(game, rules):
    settings = {"envs": 4, "train_batch_size": 400, "minibatch_size": 100}
    learner = RLlibLearner(small_task(game=game, rules=rules, opponent="self", **settings))
    before = learner.network().weights[0]
    told = learner.learn()
    assert learner.steps >= 400
    assert np.isfinite([told["policy_loss"], told["value_loss"]]).all()
    assert not np.array_equal(before, learner.network().weights[0])


def test_learner__never_chooses_an_illegal_action():
    learner = RLlibLearner(small_task())
    learner.learn()
    episodes = learner._built().env_runner.sample(num_timesteps=2000)
    for episode in episodes:
        masks = episode.get_observations(slice(0, len(episode)))[MASK]
        actions = episode.get_actions()
        assert all(mask[action] for mask, action in zip(masks, actions, strict=True))
    assert sum(map(len, episodes)) >= 2000


def decisions(game, rows, seed):
    """What the movers of many games see, and may do, move by move."""
    batch, luck = Batch(game, rows, seed=seed), np.random.default_rng(seed)
    while (batch.movers >= 0).all():
        yield batch.observations.copy(), batch.masks.copy()
        drawn = luck.random(batch.masks.shape) * batch.masks
        batch.step(drawn.argmax(axis=1))


def module_probabilities(module, name, views, masks):
    seen = {name: torch.from_numpy(views), MASK: torch.from_numpy(masks)}
    logits = module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
    return torch.softmax(logits.double(), 1).numpy()


@pytest.mark.filterwarnings("ignore:.*already in registry.*")
@pytest.mark.parametrize(("activation", "opponent"), [("relu", "value"), ("tanh", "self")])
def test_export__gives_the_probabilities_of_the_module(activation, opponent, tmp_path):
    rules = {"cards": list(range(1, 7)), "items": list(range(1, 7))}
    learner = RLlibLearner(small_task(rules=rules, activation=activation, opponent=opponent))
    learner.learn()
    network = learner.network()
    write_checkpoint(tmp_path, {"learner": learner.state(), "steps": learner.steps})
    again = Algorithm.from_checkpoint(str(unpack(tmp_path, tmp_path / "rllib")))
    module = again.get_module("shared" if opponent == "self" else None)
    name = "observation" if opponent == "self" else OBSERVATIONS
    compared = 0
    for views, masks in decisions(make_game("raj", **rules), 500, seed=2):
        wanted = module_probabilities(module, name, views, masks)
        ours = network.probabilities(views, masks)
        assert np.abs(ours - wanted).max() < 1e-5
        assert (ours[masks == 0] == 0).all()
        compared += len(views)
    assert compared >= 5000
    again.stop()


def test_learner__goes_on_where_it_was(tmp_path):
    task = small_task(20_000)
    whole = RLlibLearner(task)
    whole.learn()
    told = whole.learn()
    again = RLlibLearner(task)
    again.restore(whole.state())
    assert again.steps == whole.steps
    ours, theirs = again.network(), whole.network()
    assert all((a == b).all() for a, b in zip(ours.weights, theirs.weights, strict=True))
    one, other = (
        learner._built().learner_group.get_state(components="learner")["learner"]["optimizer"]
        for learner in (again, whole)
    )
    assert repr(one) == repr(other)
    following = again.learn()
    assert 0 < following["learning_rate"] < told["learning_rate"]


def test_unpack__refuses_other_runs(tmp_path):
    write_checkpoint(tmp_path, {"learner": {"policy": 1}, "steps": 1})
    with pytest.raises(ValueError, match="no checkpoint of RLlib"):
        unpack(tmp_path, tmp_path / "rllib")


def test_learner__refuses_more_processes_than_there_is_room_for():
    learner = RLlibLearner(small_task(env_runners=64, envs=1))
    with pytest.raises(ValueError, match=r"env_runners=64: this Ray has \d+ cores"):
        learner.learn()
