"""The single environment: spaces, masks, seats, actions, copies."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import toy_sealed
from gymnasium.error import ResetNeeded
from our_games import OUR_GAMES
from solo_games import batched_last, episode, first, last, scotch, trace
from stable_baselines3.common.monitor import Monitor

from bidarena.envs import make_bot, make_game
from bidarena.envs.solo import SoloEnv

# --- what reset and step return ------------------------------------------------------------------


def test_solo__spaces_are_flat_and_finite():
    env = scotch()
    assert env.action_space == gym.spaces.Discrete(4)
    assert env.observation_space == gym.spaces.Box(0, 1, (5,), np.float32)


def test_solo__observations_lie_in_their_space():
    env = scotch()
    for seed in range(20):
        view, _ = env.reset(seed=seed)
        assert view in env.observation_space and view.dtype == np.float32
        for step in episode(env, last, seed):
            assert step[0] in env.observation_space


def test_solo__every_array_is_fresh():
    env = scotch(length=10, money=(50, 50))
    view, info = env.reset(seed=0)
    arrays = [view, info["action_mask"]]
    kept = [array.copy() for array in arrays]
    for _ in range(4):
        view, _, over, _, info = env.step(1)
        for array in (view, info["action_mask"]):
            assert not any(np.shares_memory(array, other) for other in arrays)
            arrays.append(array)
            kept.append(array.copy())
        assert not over
    env.reset()
    assert all(np.array_equal(a, b) for a, b in zip(arrays, kept, strict=True))


def test_solo__writing_into_what_it_returned_changes_nothing():
    env, twin = scotch(), scotch()
    view, info = env.reset(seed=3)
    _, twin_info = twin.reset(seed=3)
    mask = info["action_mask"].copy()
    view[:], info["action_mask"][:] = 0, 0
    assert np.array_equal(env.action_masks(), mask)
    assert trace(env, 30, {"action_mask": mask}) == trace(twin, 30, twin_info)


def test_solo__rewards_are_floats_and_flags_are_bools_of_python():
    env = scotch(max_rounds=2)
    for seed in range(10):
        for _, reward, terminated, truncated, _ in episode(env, last, seed):
            assert type(reward) is float and type(terminated) is bool and type(truncated) is bool


def test_solo__reward_comes_at_the_end_and_is_the_result():
    env = scotch(seat=0, opponent=first)
    steps = episode(env, last, seed=0)
    assert [step[1] for step in steps[:-1]] == [0.0] * (len(steps) - 1)
    assert steps[-1][1] in (-1.0, 0.0, 1.0)


def test_solo__winner_gets_one_and_loser_minus_one():
    for seat in (0, 1):
        win = scotch(length=2, seat=seat, opponent=first)
        lose = scotch(length=2, seat=seat, opponent=last)
        assert episode(win, last, seed=0)[-1][1:4] == (1.0, True, False)
        assert episode(lose, first, seed=0)[-1][1:4] == (-1.0, True, False)


def test_solo__a_game_cut_short_is_truncated_not_terminated():
    env = scotch(length=9, money=(9, 9), max_rounds=2)
    steps = episode(env, first, seed=0)
    assert len(steps) == 2
    assert steps[-1][1:4] == (0.0, False, True)


def test_solo__mask_is_in_the_info_of_every_reset_and_step():
    env = scotch()
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [0, 1, 1, 1]
    assert info["action_mask"].dtype == np.int8
    for seed in range(10):
        for *_, info in episode(env, first, seed):
            assert info["action_mask"].dtype == np.int8 and info["action_mask"].shape == (4,)
            assert info["action_mask"].any()


def test_solo__mask_is_all_ones_when_the_game_is_over():
    env = scotch()
    for choose in (first, last, lambda view, mask: 99):
        steps = episode(env, choose, seed=1)
        assert steps[-1][4]["action_mask"].tolist() == [1, 1, 1, 1]


def test_solo__action_masks_are_bools_and_agree_with_the_info():
    env = scotch()
    _, info = env.reset(seed=0)
    for _ in range(50):
        masks = env.action_masks()
        assert masks.dtype == np.bool_ and np.array_equal(masks, info["action_mask"] == 1)
        _, _, over, _, info = env.step(last(None, info["action_mask"]))
        if over:
            _, info = env.reset()


def test_solo__info_tells_that_no_action_was_illegal_in_clean_games():
    env = scotch()
    for seed in range(5):
        for *_, info in episode(env, last, seed):
            assert not info["illegal_action"] and not info["opponent_illegal_action"]


# --- seats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1, np.int64(1)])
def test_solo__a_fixed_seat_stays(seat):
    env = scotch(seat=seat)
    for _ in range(5):
        env.reset()
        assert env.seat == seat and type(env.seat) is int


def test_solo__a_random_seat_takes_both():
    env = scotch()
    seats = []
    for seed in range(40):
        env.reset(seed=seed)
        seats.append(env.seat)
    assert 8 < sum(seats) < 32


def test_solo__alternate_begins_at_seat_0_after_each_seeding():
    env = SoloEnv("toy_sealed", seat="alternate")
    for seed in (1, 2):
        seats = []
        for number in range(6):
            env.reset(seed=seed if number == 0 else None)
            seats.append(env.seat)
        assert seats == [0, 1, 2, 3, 0, 1]


def test_solo__the_learner_sees_the_game_from_his_own_side():
    # Mirrored seats, mirrored money: the same observation.
    own = scotch(seat=0, money=(3, 1), length=4, start=1, tie="coin")
    mirrored = scotch(seat=1, money=(1, 3), length=4, start=3, tie="coin")
    assert own.reset(seed=0)[0].tolist() == mirrored.reset(seed=0)[0].tolist()


# --- actions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [0, 4, -1, 99, 10**30, -(10**30), float("nan"), float("inf"), 1.5, np.float32(2.5), np.nan],
)
def test_solo__an_illegal_action_loses_at_once(wrong):
    env = scotch()
    env.reset(seed=0)
    view, reward, terminated, truncated, info = env.step(wrong)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] is True and info["opponent_illegal_action"] is False
    assert view in env.observation_space


@pytest.mark.parametrize(
    "two", [2, 2.0, np.int64(2), np.uint8(2), np.float32(2), np.array(2), np.array(2.0)]
)
def test_solo__a_whole_number_of_any_type_is_the_same_action(two):
    env, twin = scotch(), scotch()
    env.reset(seed=4)
    twin.reset(seed=4)
    assert env.step(two)[0].tolist() == twin.step(2)[0].tolist()


@pytest.mark.parametrize("wrong", ["1", b"1", "one", None, [1], {}, 1 + 0j, np.array([1, 2])])
def test_solo__what_is_no_number_is_a_type_error_and_changes_nothing(wrong):
    env, twin = scotch(), scotch()
    _, info = env.reset(seed=4)
    twin.reset(seed=4)
    with pytest.raises(TypeError, match=r"action=.*expected a whole number"):
        env.step(wrong)
    assert trace(env, 10, info) == trace(twin, 10, info)


@pytest.mark.parametrize("wrong", [0, 4, -1, 10**30, float("nan"), 1.5])
def test_solo__raise_mode_raises_before_anything_changes(wrong):
    env, twin = scotch(illegal_action="raise"), scotch()
    _, info = env.reset(seed=4)
    twin.reset(seed=4)
    with pytest.raises(ValueError, match=r"is illegal; legal actions are \[1, 2, 3\]"):
        env.step(wrong)
    assert trace(env, 20, info) == trace(twin, 20, info)


@pytest.mark.parametrize("wrong", [0, 4, 99])
def test_solo__raise_mode_names_the_action_that_was_given(wrong):
    env = scotch(illegal_action="raise")
    env.reset(seed=4)
    with pytest.raises(ValueError, match=f"action {wrong} is illegal"):
        env.step(wrong)


def test_solo__stepping_before_the_first_reset_is_an_error():
    with pytest.raises(ResetNeeded):
        scotch().step(1)


def test_solo__stepping_a_finished_game_is_an_error_until_reset():
    env = scotch()
    episode(env, last, seed=0)
    for _ in range(2):
        with pytest.raises(ResetNeeded):
            env.step(1)
    env.reset()
    env.step(1)


def test_solo__stepping_after_an_illegal_action_is_an_error():
    env = scotch()
    env.reset(seed=0)
    env.step(-1)
    with pytest.raises(ResetNeeded):
        env.step(1)


# --- seeds, copies -------------------------------------------------------------------------------


def test_solo__the_seed_determines_everything_that_follows():
    a, b = scotch(tie="coin"), scotch(tie="coin")
    trace(b, 17, b.reset(seed=99)[1])  # a past that must not matter
    assert trace(a, 80, a.reset(seed=5)[1]) == trace(b, 80, b.reset(seed=5)[1])
    assert trace(a, 80, a.reset(seed=5)[1]) != trace(b, 80, b.reset(seed=6)[1])


def test_solo__deals_and_prizes_do_not_depend_on_the_opponents():
    prize = toy_sealed.OBSERVATION["prize"].start
    prizes = []
    for opponent in ("random", "highest", first, ["random", "highest"]):
        env = SoloEnv("toy_sealed", opponent=opponent, rounds=3)
        view, _ = env.reset(seed=11)
        prizes.append([view[prize]])
        for _ in range(5):
            for card in range(3):
                view, *_ = env.step(card)
                prizes[-1].append(view[prize])
            view, _ = env.reset()
            prizes[-1].append(view[prize])
    assert prizes[0] == prizes[1] == prizes[2] == prizes[3]
    assert len(set(prizes[0])) == 3


def test_solo__reset_without_a_seed_goes_on():
    env = SoloEnv("toy_nim", heap=1000, random_heap=True, seat=0)
    heaps = [float(env.reset(seed=3 if i == 0 else None)[0][0]) for i in range(5)]
    assert len(set(heaps)) > 1
    assert heaps == [float(env.reset(seed=3 if i == 0 else None)[0][0]) for i in range(5)]


def test_solo__unseeded_environments_differ():
    heaps = [SoloEnv("toy_nim", heap=10**9, random_heap=True, seat=0).reset()[0][0] for _ in "ab"]
    assert heaps[0] != heaps[1]


@pytest.mark.parametrize("opponent", ["random", ["random", "uniform"], first, batched_last])
@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_solo__a_copy_in_mid_game_goes_on_identically(opponent, how):
    env = scotch(length=6, money=(20, 20), opponent=opponent, tie="coin")
    _, info = env.reset(seed=8)
    *_, info = env.step(1)
    twin = how(env)
    assert trace(env, 60, info) == trace(twin, 60, info)


def test_solo__a_copy_shares_nothing_with_the_original():
    env = scotch(length=6, money=(20, 20))
    _, info = env.reset(seed=8)
    twin, untouched = copy.deepcopy(env), copy.deepcopy(env)
    trace(env, 30, info)
    assert trace(twin, 30, info) == trace(untouched, 30, info)


# --- games that end before the learner moves -----------------------------------------------------


def test_solo__games_over_before_the_learner_moves_are_dealt_again():
    env = SoloEnv("toy_nim", heap=5, most=3, random_heap=True, seat=1, opponent=last)
    for seed in range(30):
        view, info = env.reset(seed=seed)
        stones = round(5 * float(view[0]))
        assert stones in (1, 2)  # left of 4 or 5; heaps of 1 to 3 are taken at once
        assert info["action_mask"].any()
        assert env.step(stones)[1:3] == (1.0, True)


def test_solo__an_endless_case_with_a_compiled_bot_raises():
    env = SoloEnv("toy_nim", heap=3, seat=1, opponent="perfect")
    with pytest.raises(
        RuntimeError, match=r"before the learner in seat 1 could move; choose another"
    ):
        env.reset(seed=0)
    with pytest.raises(ResetNeeded):
        env.step(1)


def asked_at_most(times: int, policy: Any) -> Any:
    """Return a policy that fails the test when it is asked too often, so that it cannot hang."""
    left = [times]

    def ask(observation, mask):
        left[0] -= 1
        assert left[0] >= 0, "asked for ever"
        return policy(observation, mask)

    return ask


def test_solo__an_endless_case_with_a_callable_raises():
    env = SoloEnv("toy_nim", heap=3, seat=1, opponent=asked_at_most(5000, last))
    with pytest.raises(RuntimeError, match="before the learner in seat 1 could move"):
        env.reset(seed=0)


def test_solo__an_opponent_whose_first_answer_is_always_illegal_raises():
    env = scotch(seat=1, opponent=asked_at_most(5000, lambda observation, mask: -1))
    with pytest.raises(RuntimeError, match="before the learner in seat 1 could move"):
        env.reset(seed=0)


def test_solo__an_opponents_illegal_first_move_is_told_although_the_game_is_dealt_again():
    answers = iter([0, *[1] * 50])
    env = scotch(seat=1, opponent=lambda observation, mask: next(answers))
    assert env.reset(seed=0)[1]["opponent_illegal_action"] is True
    assert env.reset()[1]["opponent_illegal_action"] is False


def test_solo__a_bot_made_for_other_rules_is_refused():
    small = make_bot(make_game("scotch", money=10), "dp")
    with pytest.raises(ValueError, match="made for other rules"):
        SoloEnv("scotch", opponent=small, money=10_000)


@pytest.mark.parametrize("name", OUR_GAMES)
def test_solo__sb3s_monitor_can_keep_whether_an_action_was_illegal(name):
    env = Monitor(SoloEnv(name), info_keywords=("illegal_action", "opponent_illegal_action"))
    for wrong in (False, True):
        _, info = env.reset(seed=0)
        over = False
        while not over:
            action = -1 if wrong else int(info["action_mask"].argmax())
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        assert info["episode"]["illegal_action"] is wrong
        assert info["episode"]["opponent_illegal_action"] is False
