"""SB3's VecEnv: compared with DummyVecEnv of single environments, its rare calls, and learning."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
import toy_nim
import toy_sealed  # noqa: F401  registers the game
from gymnasium.error import ResetNeeded
from our_games import OUR_GAMES
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from bidarena.envs.registry import env_id
from bidarena.envs.sb3 import SB3Env
from bidarena.envs.solo import SoloEnv

SMALL = {"length": 4, "money": (3, 3)}


def scotch(rows: int = 4, **kwargs: Any) -> SB3Env:
    return SB3Env("scotch", rows, **{**SMALL, **kwargs})


def random_legal(masks: np.ndarray, choice: np.random.Generator) -> np.ndarray:
    return (choice.random(masks.shape) * masks).argmax(axis=1)


def mixed(masks: np.ndarray, choice: np.random.Generator) -> np.ndarray:
    """Return one action per row, mostly legal ones."""
    actions = random_legal(masks, choice)
    return np.where(choice.random(len(masks)) < 0.1, choice.integers(-1, 9, len(masks)), actions)


# --- the contract --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "kwargs"),
    [
        ("scotch", {**SMALL}),
        ("scotch", {**SMALL, "tie": "coin", "max_rounds": 2, "seat": "alternate"}),
        ("scotch", {**SMALL, "opponent": ["random", "uniform:high=2"]}),
        ("scotch", {**SMALL, "opponent": lambda observation, mask: 1, "seat": 0}),
        ("toy_nim", {"heap": 5, "random_heap": True}),
        ("toy_sealed", {"opponents": ["highest", "random", ["highest", "random"]]}),
    ],
)
def test_sb3__everything_equals_a_dummy_vec_env_of_single_environments(game, kwargs):
    rows = 5
    ours = SB3Env(game, rows, **kwargs)
    theirs = DummyVecEnv([lambda: SoloEnv(game, **kwargs)] * rows)
    ours.seed(3)
    theirs.seed(3)
    assert np.array_equal(ours.reset(), theirs.reset())
    choice = np.random.default_rng(0)
    finished = truncated = 0
    for _ in range(60):
        masks = ours.env_method("action_masks")
        assert np.array_equal(masks, theirs.env_method("action_masks"))
        actions = mixed(np.stack(masks), choice)
        a, b = ours.step(actions), theirs.step(actions)
        for x, y in zip(a[:3], b[:3], strict=True):
            assert x.dtype == y.dtype and np.array_equal(x, y)
        for done, mine, other in zip(a[2], a[3], b[3], strict=True):
            if done:
                finished += 1
                truncated += other["TimeLimit.truncated"]
                assert np.array_equal(mine["terminal_observation"], other["terminal_observation"])
                assert mine["TimeLimit.truncated"] == other["TimeLimit.truncated"]
            else:
                assert "terminal_observation" not in mine
            for key in ("illegal_action", "opponent_illegal_action"):
                assert mine.get(key) == other.get(key)
    assert finished > 20
    assert (truncated > 0) == ("max_rounds" in kwargs)


def test_sb3__terminal_observation_is_the_single_environments_last_one():
    env, single = scotch(1, seat=0, length=2), SoloEnv("scotch", **{**SMALL, "length": 2}, seat=0)
    env.seed(0)
    env.reset()
    single.reset(seed=0)
    views, _, dones, infos = env.step(np.array([3]))
    last, *_ = single.step(3)
    assert dones[0] and np.array_equal(infos[0]["terminal_observation"], last)
    assert not np.array_equal(views[0], last)


def test_sb3__episode_info_counts_return_and_length():
    env = scotch(6)
    env.seed(1)
    env.reset()
    totals, lengths = np.zeros(6), np.zeros(6, int)
    choice = np.random.default_rng(0)
    finished = 0
    for _ in range(60):
        _, rewards, dones, infos = env.step(random_legal(env.action_masks(), choice))
        totals += rewards
        lengths += 1
        for row in np.flatnonzero(dones):
            episode = infos[row]["episode"]
            assert set(episode) == {"r", "l", "t"} and episode["t"] >= 0
            assert (episode["r"], episode["l"]) == (totals[row], lengths[row])
            assert type(episode["r"]) is float and type(episode["l"]) is int
            totals[row], lengths[row] = 0, 0
            finished += 1
        assert all(
            ("episode" in info) == bool(done) for info, done in zip(infos, dones, strict=True)
        )
    assert finished > 20


@pytest.mark.filterwarnings("ignore:The environment is already wrapped with a `Monitor`")
def test_sb3__a_monitor_around_it_counts_the_same():
    env, monitored = scotch(4), VecMonitor(scotch(4))
    for each in (env, monitored):
        each.seed(1)
        each.reset()
    choice = np.random.default_rng(0)
    for _ in range(30):
        actions = random_legal(env.action_masks(), choice)
        (*_, infos), (*_, others) = env.step(actions), monitored.step(actions)
        for mine, other in zip(infos, others, strict=True):
            assert ("episode" in mine) == ("episode" in other)
            for key in ("r", "l"):
                assert mine.get("episode", {}).get(key) == other.get("episode", {}).get(key)


def test_sb3__length_of_an_episode_starts_anew_with_a_reset():
    env = scotch(1, length=2, opponent="uniform:high=1", money=(9, 9), start=1)
    env.seed(0)
    env.reset()
    env.reset()
    _, _, dones, infos = env.step(np.array([9]))
    assert dones[0] and infos[0]["episode"]["l"] == 1


def test_sb3__returned_arrays_are_not_overwritten():
    env = scotch(4)
    env.seed(0)
    kept = [env.reset()]
    kept += env.step(np.ones(4, int))[:3]
    copies = [array.copy() for array in kept]
    for _ in range(10):
        env.step(env.action_masks().argmax(axis=1))
    assert all(np.array_equal(a, b) for a, b in zip(kept, copies, strict=True))


@pytest.mark.parametrize("opponent", ["perfect", lambda view, mask: int(np.flatnonzero(mask)[-1])])
def test_sb3__games_dealt_again_are_counted_in_a_row_only(opponent):
    env = SB3Env("toy_nim", 2, heap=5, random_heap=True, seat=1, opponent=opponent)
    env.seed(0)
    env.reset()
    finished = 0
    while finished < 3000:  # more than half of all heaps are gone before the learner moves
        _, _, dones, _ = env.step(env.action_masks().argmax(axis=1))
        finished += int(dones.sum())


# --- seeds ---------------------------------------------------------------------------------------


def run(env: SB3Env, seed: int | None, steps: int = 40) -> list[Any]:
    if seed is not None:
        env.seed(seed)
    choice = np.random.default_rng(0)
    out = [env.reset().tolist()]
    for _ in range(steps):
        views, rewards, dones, _ = env.step(random_legal(env.action_masks(), choice))
        out.append((views.tolist(), rewards.tolist(), dones.tolist()))
    return out


def test_sb3__the_seed_determines_everything():
    a, b = scotch(), scotch()
    run(b, 99)
    assert run(a, 5) == run(b, 5)
    assert run(a, 5) != run(b, 6)


def test_sb3__a_seed_is_used_once():
    a, b = scotch(), scotch()
    run(a, 5)
    run(b, 5)
    assert run(a, None) == run(b, None) != run(scotch(), 5)


def test_sb3__unseeded_environments_differ():
    views = [SB3Env("toy_nim", 3, heap=10**9, random_heap=True, seat=0).reset() for _ in "ab"]
    assert len(np.unique(np.stack(views)[:, :, 0])) == 6


def test_sb3__results_do_not_depend_on_the_threads():
    assert run(scotch(7), 1) == run(scotch(7, threads=3), 1)


def test_sb3__pickled_in_mid_game_goes_on_identically():
    env = scotch(4)
    env.seed(3)
    env.reset()
    env.step(np.ones(4, int))
    twin = pickle.loads(pickle.dumps(env))
    for _ in range(20):
        actions = env.action_masks().argmax(axis=1)
        for x, y in zip(env.step(actions)[:3], twin.step(actions)[:3], strict=True):
            assert np.array_equal(x, y)


def test_sb3__stepping_before_the_first_reset_is_an_error():
    env = scotch(2, money=(4, 4))
    with pytest.raises(ResetNeeded):
        env.step(np.ones(2, int))


# --- attributes and methods by row ---------------------------------------------------------------


def test_sb3__env_method_answers_masks_of_the_rows_asked_for():
    env = scotch(4, money=(3, 2), seat="alternate")
    env.seed(0)
    env.reset()
    env.step(np.array([1, 2, 3, 1]))
    masks = env.action_masks()
    assert masks.dtype == np.bool_ and masks.shape == (4, 4)
    assert np.array_equal(np.stack(env.env_method("action_masks")), masks)
    assert np.array_equal(env.env_method("action_masks", indices=2)[0], masks[2])
    assert np.array_equal(env.env_method("action_masks", indices=[3, 0]), masks[[3, 0]])


def test_sb3__other_methods_by_row_are_errors_that_say_what_there_is():
    with pytest.raises(AttributeError, match=r"'render'.*only 'action_masks'"):
        scotch().env_method("render")


def test_sb3__attributes_are_the_same_for_all_rows():
    env = scotch(3)
    assert env.get_attr("render_mode") == [None] * 3
    assert [game.name for game in env.get_attr("game", indices=[0, 2])] == ["scotch"] * 2
    with pytest.raises(AttributeError):
        env.get_attr("nonsense")


def test_sb3__has_attr_tells_the_truth():
    env = scotch()
    assert env.has_attr("action_masks") and env.has_attr("game")
    assert not env.has_attr("nonsense")


def test_sb3__attributes_can_be_set_for_all_rows_only():
    env = scotch(3)
    env.set_attr("label", "mine")
    assert env.get_attr("label") == ["mine"] * 3
    with pytest.raises(AttributeError, match=r"'label'.*share"):
        env.set_attr("label", "yours", indices=[0])
    assert env.get_attr("label") == ["mine"] * 3


def test_sb3__rows_count_as_monitored_and_not_as_wrapped_otherwise():
    env = scotch(3)
    assert env.env_is_wrapped(Monitor) == [True, True, True]
    assert env.env_is_wrapped(gym.wrappers.TimeLimit, indices=[0, 1]) == [False, False]


def test_sb3__evaluate_policy_does_not_ask_for_a_monitor():
    model = MaskablePPO("MlpPolicy", scotch(2), n_steps=4, batch_size=8, device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert -1.0 <= evaluate_policy(model, scotch(2), n_eval_episodes=4)[0] <= 1.0


@pytest.mark.parametrize("name", OUR_GAMES)
def test_sb3__takes_the_id_of_an_environment(name):
    by_id, by_name = SB3Env(env_id(name), 2), SB3Env(name, 2)
    for env in (by_id, by_name):
        env.seed(4)
    assert np.array_equal(by_id.reset(), by_name.reset())
    assert SB3Env(f"bidarena.envs:{env_id(name)}", 2).game.name == name


@pytest.mark.parametrize("name", OUR_GAMES)
def test_sb3__spec_makes_the_environment_of_a_row(name):
    env = SB3Env(name, 3, opponent="random", seat=0)
    specs = env.get_attr("spec")
    assert len(specs) == 3 and specs[0].id == env_id(name)
    assert specs[0].max_episode_steps == env.game.longest
    single = gym.make(specs[0])
    env.seed(7)
    assert np.array_equal(env.reset()[0], single.reset(seed=7)[0])
    assert single.unwrapped.seat == 0
    assert "seat" not in gym.spec(env_id(name)).kwargs


def test_sb3__a_game_of_ones_own_has_no_spec():
    assert SB3Env(toy_nim.nim(), 2).get_attr("spec") == [None, None]


def test_sb3__every_info_has_the_mask_of_the_next_action():
    env = scotch(3)
    env.seed(0)
    env.reset()
    infos = env.reset_infos
    for _ in range(20):
        masks = env.action_masks()
        for row, info in enumerate(infos):
            assert info["action_mask"].dtype == np.int8
            assert np.array_equal(info["action_mask"], masks[row])
        *_, infos = env.step(masks.argmax(axis=1))


def test_sb3__action_masker_finds_the_masks_of_a_made_environment():
    env = ActionMasker(gym.make(env_id(OUR_GAMES[0])), lambda env: env.action_masks())
    _, info = env.reset(seed=0)
    assert np.array_equal(env.action_masks(), info["action_mask"])


def test_sb3__wrong_arguments_are_named():
    for kwargs, word in (
        ({"rows": 0}, "num_envs=0"),
        ({"threads": 0}, "threads=0"),
        ({"seat": 9}, "seat=9"),
        ({"render_mode": "human"}, "render_mode='human'"),
    ):
        with pytest.raises(ValueError, match=word):
            scotch(**kwargs)


def test_sb3__wrong_shape_of_actions_is_an_error():
    env = scotch(3)
    env.reset()
    with pytest.raises(ValueError, match=r"actions: expected shape \(3,\)"):
        env.step(np.ones(2, int))


def test_sb3__pictures_come_one_per_row():
    env = scotch(3, render_mode="rgb_array")
    env.reset()
    images = env.get_images()
    assert len(images) == 3 and all(image.dtype == np.uint8 and image.ndim == 3 for image in images)
    assert scotch(3).get_images() == [None] * 3


# --- learning ------------------------------------------------------------------------------------


def test_sb3__maskable_ppo_learns_what_random_play_does_not_reach():
    torch.set_num_threads(1)
    rules = {"length": 4, "money": (10, 10), "opponent": "uniform"}

    def wins_minus_losses(choose: Any, games: int = 1000) -> float:
        env = SB3Env("scotch", 250, **rules)
        env.seed(1234)
        views, results = env.reset(), []
        while len(results) < games:
            views, rewards, dones, _ = env.step(choose(views, env.action_masks()))
            results += rewards[dones].tolist()
        return float(np.mean(results[:games]))

    choice = np.random.default_rng(0)
    by_chance = wins_minus_losses(lambda views, masks: random_legal(masks, choice))
    assert by_chance < 0.5

    model = MaskablePPO(
        "MlpPolicy",
        SB3Env("scotch", 64, **rules),
        n_steps=32,
        batch_size=512,
        n_epochs=4,
        learning_rate=3e-3,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [32, 32]},
        seed=1,
        device="cpu",
    )
    model.learn(16_384)

    def learned(views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return model.predict(views, action_masks=masks, deterministic=True)[0]

    assert wins_minus_losses(learned) > 0.8
