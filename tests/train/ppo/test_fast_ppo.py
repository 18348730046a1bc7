"""Our PPO: it learns against bots and itself, keeps to its schedules, and goes on exactly."""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
import toy_pennies
import yaml
from our_games import OUR_GAMES

from bidarena import train
from bidarena.baselines.learned.bots import network_bot
from bidarena.envs import make_game
from bidarena.envs.registry import env_id
from bidarena.evaluate.exploit import exploit
from bidarena.evaluate.match import play_match
from bidarena.train import resume, start
from bidarena.train.folder import read_checkpoint, write_checkpoint
from bidarena.train.ppo.fast_ppo import FastPPO, FastPPOSettings

TINY_RAJ = {"cards": [1, 2, 3], "items": [1, 2, 3], "reward": "margin"}
FOUR = {"cards": [1, 2, 3, 4], "items": [1, 2, 3, 4]}
SMALL = {"rows": 64, "n_steps": 16, "hidden": [16], "minibatch": 256}
POOL = {"pool_size": 2, "pool_every": 1500, "pool_bots": ["random"], "pool_bot_share": 0.2}


def trained(game, total, players=None, **settings):
    learner = FastPPO(game, settings, seed=1, total=total, players=players)
    while learner.steps < total:
        learner.learn()
    return learner


def worst_loss(game, learner):
    return exploit(game, network_bot(game, learner.network(), "ppo")).best_response_value


def heads(learner, seat):
    logits = learner.network()(np.array([[0.0, seat]], np.float32))[0].astype(float)
    return 1 / (1 + np.exp(logits[1] - logits[0]))


def test_fast_ppo__beats_a_bot_that_chance_does_not_beat():
    game = make_game("raj", **FOUR)
    players = {"opponent": "value", "seat": "random"}
    quick = {"rows": 64, "n_steps": 16, "hidden": [32, 32], "minibatch": 256}
    new = FastPPO(game, quick, seed=1, total=60_000, players=players)
    before = play_match(game, [network_bot(game, new.network(), "new"), "value"], 4000)
    assert before.scores[0].mean < -0.2
    learner = trained(game, 60_000, players, **quick)
    after = play_match(game, [network_bot(game, learner.network(), "learned"), "value"], 4000)
    assert after.scores[0].mean > 0.8  # a best response wins all games
    assert learner.learn()["return"] > 0.8


def test_fast_ppo__against_itself_comes_close_to_equilibrium_with_enough_entropy_only():
    game = make_game("raj", **TINY_RAJ)
    assert worst_loss(game, FastPPO(game, {}, seed=1, total=1)) > 0.5
    settings = {"rows": 512, "hidden": [32, 32], "minibatch": 1024, "average": 8.0}
    usual = trained(game, 200_000, ent_coef=1.0, ent_coef_end=0.1, explore=0.3, **settings)
    assert worst_loss(game, usual) < 0.2
    bare = trained(game, 200_000, ent_coef=1e-6, ent_coef_end=1e-6, explore=0.3, **settings)
    assert worst_loss(game, bare) > 0.3


def test_fast_ppo__uneven_pennies_are_shown_as_often_as_they_should():
    game = toy_pennies.pennies()  # heads one time in three, for both
    learner = trained(
        *(game, 150_000),
        **{"rows": 1024, "hidden": [16], "minibatch": 512},
        **{"epochs": 1, "ent_coef": 1.0, "ent_coef_end": 0.1, "average": 8.0},
    )
    for seat in range(2):
        assert heads(learner, seat) == pytest.approx(1 / 3, abs=0.1)


def test_fast_ppo__entropy_falls_with_its_coefficient():
    game = make_game("raj", **TINY_RAJ)
    settings = {**SMALL, "rows": 256, "ent_coef": 2.0, "ent_coef_end": 0.002}
    learner = FastPPO(game, settings, seed=1, total=60_000)
    told = []
    while learner.steps < learner.total:
        at = learner.steps / learner.total
        told.append(learner.learn())
        assert told[-1]["ent_coef"] == pytest.approx(2.0 * 0.001**at)
        assert told[-1]["learning_rate"] == pytest.approx(3e-3 * (1 - at))
    third = len(told) // 3
    early, late = (np.mean([one["entropy"] for one in part]) for part in (told[:third], told[-5:]))
    constant = trained(game, 60_000, **{**settings, "ent_coef_end": 2.0}).learn()["entropy"]
    assert constant > 0.95 * early  # without annealing it stays where it was
    assert late < 0.8 * early


def test_fast_ppo__the_policy_that_plays_is_the_last_one_or_an_average():
    game = make_game("raj", **TINY_RAJ)
    last = trained(game, 5000, **SMALL)
    assert np.array_equal(last.network().weights[0], last._policy[0].detach().numpy())
    averaged = trained(game, 5000, **SMALL, average=8.0)
    assert np.array_equal(averaged._policy[0].detach(), last._policy[0].detach())
    assert np.array_equal(averaged.network().weights[0], averaged._average[0].numpy())
    assert not np.array_equal(averaged.network().weights[0], last.network().weights[0])


@pytest.mark.parametrize(
    ("players", "more"),
    [
        (None, {"average": 8.0, "explore": 0.3}),
        ({"opponent": "value"}, {}),
        ({"opponent": ["value", "random"], "seat": "alternate"}, {}),
        ({"opponent": "self"}, POOL),
    ],
)
def test_fast_ppo__goes_on_exactly_from_a_checkpoint(players, more, tmp_path):
    game = make_game("raj", **FOUR)
    settings = {**SMALL, **more, "ent_coef": 0.1, "ent_coef_end": 0.01}
    one = FastPPO(game, settings, seed=3, total=12_000, players=players)
    for _ in range(4):
        one.learn()
    write_checkpoint(tmp_path, one.state())
    other = FastPPO(game, settings, seed=99, total=12_000, players=players)
    other.learn()  # whatever it was before is forgotten
    other.restore(read_checkpoint(tmp_path))
    for _ in range(4):
        first, second = one.learn(), other.learn()
        for name in ("entropy", "kl", "clipped", "value_loss", "ent_coef", "decisions"):
            assert first[name] == second[name]
    assert one.steps == other.steps
    for mine, its in zip(one._tensors().items(), other._tensors().items(), strict=True):
        assert mine[0] == its[0] and torch.equal(mine[1], its[1])
    if players == {"opponent": "self"}:
        assert len(one._pool.snapshots) == 2 and one._next_snapshot == other._next_snapshot


def test_fast_ppo__a_run_that_was_stopped_ends_with_the_same_weights(tmp_path):
    wanted = {"opponent": "self", "steps": 8000, "settings": SMALL, "folder": tmp_path, **FOUR}
    wanted |= {"rivals": ["value"], "games": 100, "evaluations": 1}
    whole = start("raj", "fast_ppo", **wanted)

    def stop_early(progress):
        if progress.steps > 3000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start("raj", "fast_ppo", **wanted, checkpoint_seconds=0, progress=stop_early)
    (stopped,) = set(tmp_path.iterdir()) - {whole.folder}
    again = resume(stopped)
    assert again.scores == whole.scores and again.truth == whole.truth


def test_fast_ppo__never_plays_or_learns_an_illegal_action():
    game = make_game("raj", **FOUR)
    for players in (None, {"opponent": "value"}):
        learner = FastPPO(game, SMALL, seed=1, total=10_000, players=players)
        for _ in range(3):
            with torch.no_grad():
                rollout = learner._play()
            assert rollout.legal[np.arange(len(rollout.actions)), rollout.actions].all()
            assert (rollout.legal.sum(axis=1) > 1).all()  # and only from choices
            learner._update(rollout, 0.01)


def test_fast_ppo__partners_play_together():
    game = make_game("twentynine")
    tiny = {**SMALL, "rows": 8, "n_steps": 8}
    players = {"opponent": "random", "partner": "self", "seat": "random"}
    told = FastPPO(game, tiny, seed=0, total=1000, players=players).learn()
    assert 0 < told["decisions"] <= 64
    told = FastPPO(game, tiny, seed=0, total=1000).learn()  # all four seats
    assert told["decisions"] > 8 * 20 and "return" not in told


def test_fast_ppo__many_players_may_play_with_themselves():
    told = FastPPO(make_game("raj", players=3), SMALL, seed=0, total=1000).learn()
    assert told["decisions"] == 64 * 3 * 5


@pytest.mark.parametrize(
    ("settings", "players", "message"),
    [
        ({"gamma": 0.9}, None, "'gamma' is unknown; expected rows, hidden"),
        ({"ent_coef_end": 0.0}, None, "ent_coef_end=0.0"),
        ({"gae_lambda": 1.5}, None, "gae_lambda=1.5"),
        ({"n_steps": 0}, None, "n_steps=0"),
        ({"average": -1}, None, "average=-1"),
        ({"pool_size": -1}, None, "pool_size=-1"),
        ({"pool_size": 2, "pool_rule": "newest"}, None, "pool_rule='newest'"),
        ({"explore": 0.5}, {"opponent": "value"}, "explore=0.5: against opponents expected 0"),
        ({}, {"opponent": "nobody"}, "nobody"),
        ({}, {"partner": "random"}, "partner='random'.*leave --partner out"),
        ({"device": "gpu"}, None, "device='gpu': torch knows no such device; expected .*'cpu'"),
    ],
)
def test_fast_ppo__refuses_bad_settings(settings, players, message):
    with pytest.raises(ValueError, match=message):
        FastPPO(make_game("raj", **FOUR), settings, seed=0, total=1000, players=players)


def test_fast_ppo__refuses_to_explore_where_that_would_mislead():
    with pytest.raises(ValueError, match=r"explore=0.5.*hidden"):
        FastPPO(make_game("twentynine"), {"explore": 0.5}, seed=0, total=1000)
    with pytest.raises(ValueError, match=r"explore=0.5.*two sides"):
        FastPPO(make_game("raj", players=3), {"explore": 0.5}, seed=0, total=1000)


def test_hyperparameters__of_every_environment_are_settings_that_fit():
    text = (Path(train.__file__).parent / "hyperparameters" / "fast_ppo.yml").read_text()
    chosen = yaml.safe_load(text)
    defaults = chosen.pop("default")
    assert defaults.pop("steps") > 0
    told = {**asdict(FastPPOSettings()), "hidden": [64, 64], "pool_bots": []}
    assert defaults == told  # both say the same
    names = {env_id(name): name for name in OUR_GAMES}
    assert set(chosen) <= set(names)
    for entry, settings in chosen.items():
        game = make_game(names[entry], **settings.pop("rules", {}))
        settings.pop("steps", None)
        assert FastPPOSettings(**settings).explore == 0 or not game.hidden
