"""The batched environment, compared step by step with SyncVectorEnv of single ones."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import toy_sealed  # noqa: F401  registers the game
from equality import assert_equal
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st
from our_games import OUR_GAMES
from toy_nim import constant

from bidarena.envs import batched
from bidarena.envs.registry import env_id
from bidarena.envs.scotch.env import ScotchVectorEnv
from bidarena.envs.solo import SoloEnv
from bidarena.envs.vector import BatchedEnv

SMALL = {"length": 4, "money": (3, 3)}
NEXT_STEP, SAME_STEP, DISABLED = (
    AutoresetMode.NEXT_STEP,
    AutoresetMode.SAME_STEP,
    AutoresetMode.DISABLED,
)


def scotch(rows: int = 4, **kwargs: Any) -> BatchedEnv:
    return BatchedEnv("scotch", rows, **{**SMALL, **kwargs})


def sync(game: str, rows: int, mode: AutoresetMode, **kwargs: Any) -> SyncVectorEnv:
    return SyncVectorEnv([lambda: SoloEnv(game, **kwargs)] * rows, autoreset_mode=mode)


def legal(masks: np.ndarray, choice: np.random.Generator) -> np.ndarray:
    return np.array([choice.choice(np.flatnonzero(mask)) for mask in masks])


def mixed(masks: np.ndarray, choice: np.random.Generator) -> np.ndarray:
    """Return one action per row, mostly legal ones."""
    wild = choice.integers(-1, masks.shape[1] + 1, len(masks))
    return np.where(choice.random(len(masks)) < 0.1, wild, legal(masks, choice))


def roll(env: Any, steps: int, seed: int = 0, choose: Any = legal) -> list[Any]:
    """Return the results of `steps` steps; without autoreset, finished rows are reset here."""
    choice = np.random.default_rng(seed)
    out = [env.reset(seed=seed)]
    infos = out[0][1]
    for _ in range(steps):
        out.append(env.step(choose(infos["action_mask"], choice)))
        *_, terminated, truncated, infos = out[-1]
        if env.metadata["autoreset_mode"] == DISABLED and (over := terminated | truncated).any():
            out.append(env.reset(options={"reset_mask": over}))
            # Gymnasium gives the masks of the rows just reset only; the others are as before.
            masks = np.where(over[:, None], out[-1][1]["action_mask"], infos["action_mask"])
            out[-1] = (out[-1][0], masks)
            infos = {"action_mask": masks}
    return out


# --- equal to Gymnasium's ------------------------------------------------------------------------

GAMES = [
    ("scotch", {**SMALL}),
    ("scotch", {**SMALL, "tie": "coin", "max_rounds": 3, "seat": "alternate"}),
    ("scotch", {**SMALL, "opponent": ["random", "uniform:high=2"]}),
    ("scotch", {**SMALL, "opponent": lambda observation, mask: int(np.flatnonzero(mask)[0])}),
    ("scotch", {**SMALL, "opponent": lambda observation, mask: 1, "seat": 0}),  # illegal at times
    ("toy_nim", {"random_heap": True}),
    ("toy_nim", {"heap": 5, "random_heap": True, "opponent": "perfect"}),
    ("toy_sealed", {"opponents": ["highest", "random", ["highest", "random"]]}),
]


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP, DISABLED])
@pytest.mark.parametrize(("game", "kwargs"), GAMES)
@pytest.mark.parametrize("steps", [1, 3])
def test_vector__max_episode_steps_cuts_games_as_gymnasiums_time_limit_does(
    game, kwargs, mode, steps
):
    ours = BatchedEnv(game, 5, autoreset_mode=mode, max_episode_steps=steps, **kwargs)
    theirs = SyncVectorEnv(
        [lambda: gym.wrappers.TimeLimit(SoloEnv(game, **kwargs), steps)] * 5, autoreset_mode=mode
    )
    played = roll(ours, 60, 3, mixed)
    assert_equal(tuple(played), tuple(roll(theirs, 60, 3, mixed)))
    assert steps > 1 or any(step[3].any() for step in played if len(step) == 5)


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_make_vec__takes_max_episode_steps_in_every_mode(mode):
    for name in OUR_GAMES:
        env = gym.make_vec(env_id(name), 3, vectorization_mode=mode, max_episode_steps=2)
        _, infos = env.reset(seed=0)
        flags = []
        for _ in range(2):
            _, _, _, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
            flags.append(truncated.tolist())
        assert not any(flags[0]) and any(flags[1])


@pytest.mark.parametrize("name", OUR_GAMES)
def test_make_vec__spec_tells_the_longest_game_and_makes_the_environment_again(name):
    env = gym.make_vec(env_id(name), 2)
    assert env.spec.max_episode_steps == env.unwrapped.game.longest
    again = gym.make_vec(env.spec)
    assert again.num_envs == 2 and again.spec.max_episode_steps == env.spec.max_episode_steps
    assert gym.make_vec(env_id(name), 2, max_episode_steps=7).spec.max_episode_steps == 7
    unlimited = gym.make_vec(env_id(name), 2, max_episode_steps=-1)
    assert unlimited.spec.max_episode_steps == env.unwrapped.game.longest


@pytest.mark.parametrize("wrong", [0, -2, 1.5, "3"])
def test_vector__a_wrong_max_episode_steps_is_named(wrong):
    with pytest.raises(ValueError, match="max_episode_steps="):
        scotch(max_episode_steps=wrong)


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP, DISABLED])
@pytest.mark.parametrize(("game", "kwargs"), GAMES)
@pytest.mark.parametrize("choose", [legal, mixed])
def test_vector__everything_equals_gymnasiums_sync_vector_env(game, kwargs, mode, choose):
    ours = BatchedEnv(game, 5, autoreset_mode=mode, **kwargs)
    theirs = sync(game, 5, mode, **kwargs)
    assert_equal(tuple(roll(ours, 60, 3, choose)), tuple(roll(theirs, 60, 3, choose)))


def test_vector__row_equals_single_env_with_the_same_seed():
    rows = scotch(6, tie="coin")
    views, _ = rows.reset(seed=40)
    for i in range(6):
        single = SoloEnv("scotch", **SMALL, tie="coin")
        assert np.array_equal(views[i], single.reset(seed=40 + i)[0])
        assert rows.seats[i] == single.seat


def test_vector__a_game_lost_by_an_illegal_action_says_so_in_the_final_info():
    env = scotch(3, autoreset_mode=SAME_STEP)
    env.reset(seed=0)
    *_, infos = env.step([1, 0, 1])
    assert infos["illegal_action"].tolist() == [False, False, False]
    assert infos["final_info"]["illegal_action"].tolist() == [False, True, False]
    assert infos["_final_obs"].tolist() == [False, True, False]
    assert infos["final_obs"][0] is None and infos["final_obs"][1].shape == (5,)


def test_vector__next_step_ignores_the_action_of_a_finished_row():
    env = scotch(2, length=2, opponent="uniform:high=1")
    env.reset(seed=0)
    _, _, terminated, _, _ = env.step([3, 1])
    assert terminated[0]
    for nonsense in (-7, np.nan, 99):
        twin = copy.deepcopy(env)
        _, rewards, terminated, _, infos = twin.step([nonsense, 1])
        assert rewards[0] == 0.0 and not terminated[0] and not infos["illegal_action"].any()


def test_vector__same_step_deals_the_next_game_at_once():
    env = scotch(3, length=2, autoreset_mode=SAME_STEP)
    views, _ = env.reset(seed=0)
    for _ in range(20):
        fresh = views.copy()
        views, _, terminated, _, infos = env.step([3, 3, 3])
        assert np.array_equal(views[terminated][:, :4], fresh[terminated][:, :4])
        assert (infos["action_mask"][:, 0] == 0).all()


def test_vector__disabled_refuses_to_step_while_a_row_is_over():
    env = scotch(3, length=2, autoreset_mode=DISABLED, opponent="uniform:high=1")
    env.reset(seed=0)
    _, _, terminated, _, _ = env.step([3, 3, 3])
    assert terminated.all()
    with pytest.raises(ResetNeeded, match="row 0 is over"):
        env.step([1, 1, 1])


# --- gym.make_vec, arguments ---------------------------------------------------------------------


def test_make_vec__finds_the_batched_environment_and_passes_everything_on():
    env = gym.make_vec(
        "bidarena/Scotch-v0", 3, autoreset_mode=SAME_STEP, threads=2, copy=False, **SMALL
    )
    assert isinstance(env, ScotchVectorEnv)
    assert env.num_envs == 3 and env.metadata["autoreset_mode"] == SAME_STEP
    assert env._batch.threads.count == 2
    assert not env.reset(seed=0)[0].flags.writeable
    assert env.spec.id == "bidarena/Scotch-v0"


def test_make_vec__serves_a_third_partys_game():
    env = gym.make_vec("toy/Nim-v0", num_envs=4, heap=9)
    assert isinstance(env, BatchedEnv) and env.game.options["heap"] == 9
    env.reset(seed=0)
    env.step([1, 1, 1, 1])


@pytest.mark.parametrize(
    ("word", "mode"), [("NextStep", NEXT_STEP), ("SameStep", SAME_STEP), ("Disabled", DISABLED)]
)
def test_vector__autoreset_mode_may_be_a_word(word, mode):
    assert scotch(2, autoreset_mode=word).autoreset_mode is mode


def test_vector__spaces_are_batches_of_the_single_ones():
    env, single = scotch(3), SoloEnv("scotch", **SMALL)
    assert env.single_observation_space == single.observation_space
    assert env.single_action_space == single.action_space
    assert env.observation_space.shape == (3, 5)
    assert env.action_space == gym.spaces.MultiDiscrete([4, 4, 4])
    assert env.reset(seed=0)[0] in env.observation_space


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"rows": 0}, ["num_envs=0"]),
        ({"rows": -3}, ["num_envs=-3"]),
        ({"rows": 2.5}, ["num_envs=2.5"]),
        ({"threads": 0}, ["threads=0"]),
        ({"threads": "2"}, ["threads='2'"]),
        ({"copy": 1}, ["copy=1"]),
        ({"autoreset_mode": "next"}, ["autoreset_mode='next'", "'NextStep'", "'Disabled'"]),
        ({"autoreset_mode": None}, ["autoreset_mode=None"]),
        ({"render_mode": "human"}, ["render_mode='human'"]),
        ({"opponent": "nobody"}, ["opponent='nobody'"]),
        ({"seat": 5}, ["seat=5"]),
        ({"illegal_action": "skip"}, ["illegal_action='skip'"]),
    ],
)
def test_vector__wrong_arguments_are_named(kwargs, words):
    with pytest.raises(ValueError) as error:
        scotch(**kwargs)
    for word in words:
        assert word in str(error.value)


# --- arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP])
def test_vector__copied_arrays_are_not_overwritten_by_later_steps(mode):
    env = scotch(4, autoreset_mode=mode)
    kept = roll(env, 30, 1, mixed)
    snapshot = copy.deepcopy(kept)
    roll(env, 30, 2, mixed)
    assert_equal(tuple(kept), tuple(snapshot))


def test_vector__writing_into_copied_arrays_changes_nothing():
    env, twin = scotch(4), scotch(4)
    for array in (views := env.reset(seed=1))[0], views[1]["action_mask"]:
        array[:] = 0
    twin.reset(seed=1)
    assert_equal(env.step([1, 1, 1, 1]), twin.step([1, 1, 1, 1]))


@pytest.mark.parametrize("limit", [None, 2])
@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP, DISABLED])
@pytest.mark.parametrize("threads", [1, 2])
def test_vector__a_reset_of_some_rows_shows_the_others_as_they_were(threads, mode, limit):
    kwargs = {"autoreset_mode": mode, "max_episode_steps": limit, "threads": threads}
    env, views = scotch(6, **kwargs), scotch(6, copy=False, **kwargs)
    choice = np.random.default_rng(0)
    a, b = env.reset(seed=1), views.reset(seed=1)
    for count in range(40):
        actions = mixed(a[-1]["action_mask"], choice)
        a, b = env.step(actions), views.step(actions)
        assert_equal(a, b)
        where = (np.arange(6) == count % 6) | a[2] | a[3]
        a[0][:] = 7  # they are the caller's now
        a, b = (one.reset(options={"reset_mask": where}) for one in (env, views))
        assert_equal(a, b)


def test_vector__views_are_read_only_and_show_the_present():
    env = scotch(4, copy=False)
    views, infos = env.reset(seed=1)
    for array in (views, infos["action_mask"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    later, *_ = env.step([1, 1, 1, 1])
    assert np.shares_memory(views, later) and np.array_equal(views, later)


def test_vector__views_hold_the_same_values_as_copies():
    env, views = scotch(4), scotch(4, copy=False)
    choice = np.random.default_rng(0)
    a, b = env.reset(seed=1), views.reset(seed=1)
    for _ in range(30):
        assert_equal(a, b)
        actions = legal(a[-1]["action_mask"], choice)
        a, b = env.step(actions), views.step(actions)


def test_vector__action_masks_are_bools_and_agree_with_the_info():
    env = scotch(4)
    _, infos = env.reset(seed=0)
    for _ in range(20):
        masks = env.action_masks()
        assert masks.dtype == np.bool_ and np.array_equal(masks, infos["action_mask"] == 1)
        *_, infos = env.step(masks.argmax(axis=1))


# --- threads, copies -----------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 3, 20])
@pytest.mark.parametrize("opponent", ["random", ["random", "uniform:high=2"]])
def test_vector__results_do_not_depend_on_the_threads(threads, opponent):
    one = scotch(10, opponent=opponent, tie="coin")
    many = scotch(10, opponent=opponent, tie="coin", threads=threads)
    assert_equal(tuple(roll(one, 60, 4, mixed)), tuple(roll(many, 60, 4, mixed)))


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("threads", [1, 2])
def test_vector__a_copy_in_mid_game_goes_on_identically(how, threads):
    env = scotch(5, threads=threads)
    _, infos = env.reset(seed=0)
    env.step(infos["action_mask"].argmax(axis=1))
    twin = how(env)
    for _ in range(30):
        actions = env.action_masks().argmax(axis=1)
        assert_equal(env.step(actions), twin.step(actions))


# --- bad actions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("actions", [1, [1], [1, 1, 1], [[1, 1]], [[1], [1]], np.zeros((2, 0)), []])
def test_vector__wrong_shape_is_an_error_and_changes_nothing(actions):
    env, twin = scotch(2), scotch(2)
    env.reset(seed=0)
    twin.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions: expected shape \(2,\)"):
        env.step(actions)
    assert_equal(env.step([1, 1]), twin.step([1, 1]))


@pytest.mark.parametrize("actions", [["1", "1"], ["a", "b"], np.array([b"1", b"1"])])
def test_vector__text_is_a_type_error_and_changes_nothing(actions):
    env, twin = scotch(2), scotch(2)
    env.reset(seed=0)
    twin.reset(seed=0)
    with pytest.raises(TypeError, match="actions: expected whole numbers"):
        env.step(actions)
    assert_equal(env.step([1, 1]), twin.step([1, 1]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.float32, object])
def test_vector__actions_may_have_any_dtype(dtype):
    env, twin = scotch(3), scotch(3)
    env.reset(seed=0)
    twin.reset(seed=0)
    assert_equal(env.step(np.array([1, 2, 3], dtype)), twin.step([1, 2, 3]))


def test_vector__the_callers_actions_are_not_changed():
    env = scotch(3, opponent=lambda observation, mask: int(np.flatnonzero(mask)[-1]))
    env.reset(seed=0)
    actions = np.array([1, 99, 2])
    env.step(actions)
    assert actions.tolist() == [1, 99, 2]


INVALID = st.one_of(
    st.sampled_from([-1, 4, 5, 2**31, -(2**31), 2**62, -(2**63), 2**63 - 1]),
    st.floats(allow_nan=True, allow_infinity=True).filter(lambda x: not x.is_integer()),
    st.sampled_from([1e300, -1e300, -1.0, 7.0]),
    st.integers(-(10**40), -1),
    st.integers(4, 10**40),
)


@given(data=st.data(), seed=st.integers(0, 2**32), mode=st.sampled_from([NEXT_STEP, SAME_STEP]))
@settings(deadline=None, max_examples=60)
def test_vector__invalid_actions_lose_their_own_row_and_touch_no_other(data, seed, mode):
    rows = 4
    env, twin = scotch(rows, autoreset_mode=mode), scotch(rows, autoreset_mode=mode)
    a, b = env.reset(seed=seed), twin.reset(seed=seed)
    same = np.ones(rows, bool)  # rows that got legal actions only, so far
    alive = np.ones(rows, bool)
    for _ in range(4):
        good = [
            data.draw(st.sampled_from(np.flatnonzero(m).tolist())) for m in b[-1]["action_mask"]
        ]
        forbidden = [np.flatnonzero(m == 0).tolist() for m in b[-1]["action_mask"]]
        bad = {
            i: data.draw(INVALID | st.sampled_from(forbidden[i]) if forbidden[i] else INVALID)
            for i in data.draw(st.sets(st.integers(0, rows - 1)))
        }
        actions = [bad.get(i, action) for i, action in enumerate(good)]
        a, b = env.step(actions), twin.step(good)
        for i, strange in bad.items():
            if same[i] and alive[i]:
                own = a[4].get("final_info", a[4])
                assert a[1][i] == -1.0 and a[2][i] and own["illegal_action"][i], strange
                same[i] = False
        for x, y in zip(a[:4], b[:4], strict=True):
            assert np.array_equal(x[same], y[same])
        assert np.array_equal(a[4]["action_mask"][same], b[4]["action_mask"][same])
        alive = ~(b[2] | b[3]) if mode == NEXT_STEP else np.ones(rows, bool)


@given(actions=st.lists(st.one_of(INVALID, st.integers(1, 3)), min_size=0, max_size=6))
@settings(deadline=None, max_examples=60)
def test_vector__any_list_of_numbers_is_played_or_refused(actions):
    env = scotch(3)
    env.reset(seed=0)
    if len(actions) != 3:
        with pytest.raises(ValueError):
            env.step(actions)
    else:
        views, rewards, *_ = env.step(actions)
        assert views in env.observation_space and np.isfinite(rewards).all()


def test_vector__raise_mode_raises_before_anything_changes_and_names_the_row():
    env, twin = scotch(3, illegal_action="raise"), scotch(3)
    env.reset(seed=0)
    twin.reset(seed=0)
    with pytest.raises(
        ValueError, match=r"row 1: action 7 is illegal; legal actions are \[1, 2, 3\]"
    ):
        env.step([1, 7, 1])
    assert_equal(env.step([1, 1, 1]), twin.step([1, 1, 1]))


def test_vector__raise_mode_does_not_mind_the_action_of_a_finished_row():
    env = scotch(1, length=2, illegal_action="raise", opponent="uniform:high=1")
    env.reset(seed=0)
    assert env.step([3])[2].all()
    env.step([99])


# --- seeds and resets ----------------------------------------------------------------------------


def test_vector__an_int_seeds_the_rows_with_consecutive_numbers():
    a, b = scotch(3), scotch(3)
    assert_equal(a.reset(seed=7), b.reset(seed=[7, 8, 9]))
    assert_equal(a.reset(seed=np.int64(7)), b.reset(seed=np.array([7, 8, 9])))


def test_vector__a_seed_may_be_none_in_a_list():
    env = BatchedEnv("toy_nim", 3, heap=10**9, random_heap=True, seat=0)
    one, two = env.reset(seed=[5, None, 6])[0], env.reset(seed=[5, None, 6])[0]
    assert np.array_equal(one[[0, 2]], two[[0, 2]]) and not np.array_equal(one[1], two[1])


def test_vector__a_row_with_seed_none_goes_on_as_gymnasium_has_it():
    kwargs = {"heap": 1000, "random_heap": True, "seat": "alternate"}
    ours, theirs = BatchedEnv("toy_nim", 3, **kwargs), sync("toy_nim", 3, NEXT_STEP, **kwargs)
    for seed in ([1, 2, 3], [5, None, 7], None, [None, None, 9]):
        assert_equal(ours.reset(seed=seed), theirs.reset(seed=seed))


@pytest.mark.parametrize("seed", [[1, 2], [1, 2, 3, 4], []])
def test_vector__wrong_number_of_seeds_is_an_error(seed):
    with pytest.raises(ValueError, match="seeds for 3 rows"):
        scotch(3).reset(seed=seed)


@pytest.mark.parametrize("seed", [-1, [1, -2, 3], [1, 2.5, 3]])
def test_vector__an_impossible_seed_is_an_error(seed):
    with pytest.raises((ValueError, gym.error.Error), match=r"seed|Seed"):
        scotch(3).reset(seed=seed)


def test_vector__without_a_seed_the_rows_go_on():
    a, b = scotch(3), scotch(3)
    a.reset(seed=1)
    b.reset(seed=1)
    seats = []
    for _ in range(8):
        assert_equal(a.reset(), b.reset())
        seats.append(tuple(a.seats))
    assert len(set(seats)) > 1


def test_vector__rows_of_an_unseeded_environment_differ():
    views, _ = BatchedEnv("toy_nim", 8, heap=10**9, random_heap=True, seat=0).reset()
    assert len(np.unique(views[:, 0])) == 8


def test_vector__alternate_seats_begin_at_0_after_each_seeding():
    env = BatchedEnv("toy_sealed", 3, seat="alternate")
    for seed in (1, 2):
        env.reset(seed=seed)
        assert env.seats.tolist() == [0, 0, 0]
        env.reset()
        assert env.seats.tolist() == [1, 1, 1]


def test_vector__stepping_before_the_first_reset_is_an_error():
    for mode in (NEXT_STEP, SAME_STEP, DISABLED):
        with pytest.raises(ResetNeeded):
            scotch(2, autoreset_mode=mode).step([1, 1])


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP, DISABLED])
def test_vector__reset_mask_leaves_other_rows_in_their_game(mode):
    env, twin = scotch(3, autoreset_mode=mode), scotch(3, autoreset_mode=mode)
    for each in (env, twin):
        each.reset(seed=0)
        each.step([1, 1, 1])
    views, infos = env.reset(options={"reset_mask": np.array([False, True, False])})
    assert np.array_equal(infos["action_mask"], env.action_masks())
    assert views[1, 0] == 1.0  # all the money again
    a, b = env.step([1, 1, 1]), twin.step([1, 1, 1])
    for x, y in zip(a[:4], b[:4], strict=True):
        assert np.array_equal(x[[0, 2]], y[[0, 2]])


@pytest.mark.parametrize("mode", [NEXT_STEP, DISABLED])
def test_vector__reset_mask_does_not_deal_in_finished_rows_outside_it(mode):
    kwargs = {"length": 2, "money": (3, 3), "opponent": "uniform:high=1", "seat": 0}
    ours = BatchedEnv("scotch", 3, autoreset_mode=mode, **kwargs)
    theirs = sync("scotch", 3, mode, **kwargs)
    results = []
    for env in (ours, theirs):
        env.reset(seed=0)
        _, _, terminated, _, _ = env.step(np.array([3, 3, 3]))
        assert terminated.all()
        views, _ = env.reset(options={"reset_mask": np.array([True, False, False])})
        if mode == DISABLED:
            with pytest.raises((ResetNeeded, AssertionError)):
                env.step(np.array([1, 1, 1]))
            results.append(views)
        else:
            results.append((views, *env.step(np.array([3, 3, 3]))[:4]))
    assert_equal(*results)


@pytest.mark.parametrize(
    "mask", [[True], np.ones(2), np.zeros(2, bool), np.ones((2, 1), bool), [1, 0]]
)
def test_vector__a_wrong_reset_mask_is_an_error(mask):
    env = scotch(2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"reset_mask.*expected 2 bools"):
        env.reset(options={"reset_mask": mask})


def test_vector__reset_mask_cannot_be_the_first_reset():
    with pytest.raises(ResetNeeded):
        scotch(2).reset(options={"reset_mask": np.array([True, False])})


# --- opponents in batches ------------------------------------------------------------------------


def test_vector__a_batched_opponent_is_asked_for_many_rows_at_once():
    sizes = []

    @batched
    def opponent(observations, masks):
        assert observations.shape == (len(masks), 5) and masks.shape[1] == 4
        sizes.append(len(masks))
        return masks.argmax(axis=1)

    env = scotch(50, opponent=opponent)
    single = scotch(50, opponent=lambda observation, mask: int(mask.argmax()))
    assert_equal(tuple(roll(env, 10)), tuple(roll(single, 10)))
    assert max(sizes) > 20


def test_vector__opponents_answers_reach_their_own_rows():
    # Every opponent bids all its money; rows have different seats, hence different waiting times.
    env = scotch(30, opponent=lambda observation, mask: int(np.flatnonzero(mask)[-1]), length=2)
    env.reset(seed=0)
    _, rewards, terminated, _, infos = env.step([1] * 30)
    assert terminated.all() and (rewards == -1.0).all()
    assert not infos["opponent_illegal_action"].any()


def test_vector__an_opponents_illegal_answer_loses_in_its_row_only():
    env = scotch(20, seat=0, opponent=lambda observation, mask: 3, length=2, money=(3, 3))
    env.reset(seed=0)
    *_, infos = env.step([1] * 20)
    assert not infos["opponent_illegal_action"].any()
    odd = scotch(20, seat=0, length=2, opponent=["random", lambda observation, mask: -1])
    odd.reset(seed=0)
    _, rewards, terminated, _, infos = odd.step([1] * 20)
    wrong = infos["opponent_illegal_action"]
    assert wrong.any() and not wrong.all() and infos["_opponent_illegal_action"].all()
    assert (rewards[wrong] == 1.0).all() and terminated[wrong].all()


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP, DISABLED])
def test_vector__after_an_opponents_exception_only_a_reset_goes_on(mode):
    angry = [False]

    def opponent(observation, mask):
        if angry[0]:
            raise KeyError("out of ideas")
        return int(mask.argmax())

    env = scotch(4, opponent=opponent, seat=0, autoreset_mode=mode)
    env.reset(seed=0)
    angry[0] = True
    with pytest.raises(KeyError):
        env.step([1] * 4)
    angry[0] = False
    with pytest.raises(ResetNeeded):
        env.step([1] * 4)
    env.reset()
    env.step([1] * 4)


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP, DISABLED])
def test_vector__after_a_bots_illegal_move_was_raised_only_a_reset_goes_on(mode):
    env = scotch(3, opponent=constant(0), seat=0, autoreset_mode=mode, illegal_action="raise")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"constant.*illegal"):
        env.step([1] * 3)
    with pytest.raises(ResetNeeded):
        env.step([1] * 3)


def test_vector__an_endless_case_names_the_row():
    env = BatchedEnv("toy_nim", 3, heap=3, seat=1, opponent="perfect")
    with pytest.raises(RuntimeError, match="row 0: 1000 games in a row ended before the learner"):
        env.reset(seed=0)
