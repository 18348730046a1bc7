"""The single environment: spaces, masks, seats, opponents of every kind, bad input, copies."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import toy_sealed
from gymnasium.error import ResetNeeded
from toy_nim import constant

from bidarena.envs import batched, make_bot, make_game
from bidarena.envs.scotch.env import ScotchEnv
from bidarena.envs.solo import SoloEnv

SMALL = {"length": 4, "money": (3, 3)}


def scotch(**kwargs: Any) -> SoloEnv:
    return SoloEnv("scotch", **{**SMALL, **kwargs})


def first(observation: Any, mask: np.ndarray) -> int:
    """The lowest legal action."""
    return int(np.flatnonzero(mask)[0])


def last(observation: Any, mask: np.ndarray) -> int:
    """The highest legal action."""
    return int(np.flatnonzero(mask)[-1])


def episode(env: SoloEnv, choose: Any, seed: int | None = None) -> list[tuple[Any, ...]]:
    """All steps of one episode."""
    view, info = env.reset(seed=seed)
    steps = []
    while True:
        action = choose(view, info["action_mask"])
        view, reward, terminated, truncated, info = env.step(action)
        steps.append((view, reward, terminated, truncated, info))
        if terminated or truncated:
            return steps


def trace(env: SoloEnv, count: int, info: dict[str, Any], seed: int = 0) -> list[Any]:
    """Random legal steps from where the environment stands."""
    choice = np.random.default_rng(seed)
    out: list[Any] = []
    for _ in range(count):
        action = int(choice.choice(np.flatnonzero(info["action_mask"])))
        view, reward, terminated, truncated, info = env.step(action)
        out.append((view.tolist(), reward, terminated, truncated, info["action_mask"].tolist()))
        if terminated or truncated:
            view, info = env.reset()
            out.append((view.tolist(), env.seat))
    return out


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


def test_solo__info_has_no_word_of_illegal_actions_in_clean_games():
    env = scotch()
    for seed in range(5):
        for *_, info in episode(env, last, seed):
            assert set(info) == {"action_mask"}


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


# --- opponents -----------------------------------------------------------------------------------


def test_solo__an_opponent_by_name_may_carry_the_games_name():
    a, b = scotch(opponent="uniform:high=2"), scotch(opponent="scotch/uniform:high=2")
    assert trace(a, 40, a.reset(seed=1)[1]) == trace(b, 40, b.reset(seed=1)[1])


def test_solo__an_opponent_gets_his_options():
    # A bid of 1 every time never wins a round against 2.
    env = scotch(length=4, money=(9, 9), opponent="uniform:high=1")
    for seed in range(10):
        steps = episode(env, lambda view, mask: 2, seed)
        assert len(steps) == 2 and steps[-1][1] == 1.0


def test_solo__a_list_of_opponents_is_drawn_from_in_every_episode():
    names = ["one_by_one:stones=1", "one_by_one:stones=2", "perfect"]
    env = SoloEnv("toy_nim", heap=7, opponent=names, seat=1)
    seen = []
    for episode_number in range(60):
        view, _ = env.reset(seed=5 if episode_number == 0 else None)
        seen.append(round(7 - 7 * float(view[0])))  # what the opponent took first
    assert set(seen) == {1, 2, 3}
    assert min(seen.count(taken) for taken in (1, 2, 3)) > 8


def test_solo__the_opponent_drawn_stays_for_the_episode():
    env = scotch(length=9, money=(99, 99), opponent=["uniform:high=1", constant(5)], seat=0)
    seen = set()
    for seed in range(20):
        env.reset(seed=seed)
        spent = []
        for _ in range(3):
            view, *_ = env.step(1)  # lost, or tied with the advantage once
            spent.append(round(99 * float(view[1])))
        fives = [99 - 5 * k for k in (1, 2, 3)]
        assert (spent == fives) or all(left >= 96 for left in spent)
        seen.add(spent == fives)
    assert seen == {True, False}


@pytest.mark.parametrize("twice", [["random"], ["random", "random"], ("random", "random")])
def test_solo__a_list_of_one_name_plays_like_the_name(twice):
    # The draw itself takes luck, so seats are fixed and only legality is compared with the name.
    env = scotch(opponent=twice, seat=0)
    for seed in range(5):
        assert episode(env, first, seed)[-1][2]


def test_solo__a_bot_and_its_name_play_the_same():
    a, b = (
        scotch(opponent="random"),
        scotch(opponent=make_bot(make_game("scotch", **SMALL), "random")),
    )
    assert trace(a, 40, a.reset(seed=1)[1]) == trace(b, 40, b.reset(seed=1)[1])


def test_solo__a_registered_bot_may_be_a_callable():
    env = SoloEnv("toy_nim", heap=7, opponent="one_by_one:stones=2", seat=1)
    view, _ = env.reset(seed=0)
    assert view[0] == np.float32(5 / 7)


def test_solo__a_callable_gets_observation_and_mask_of_its_own_seat():
    calls = []

    def opponent(observation, mask):
        calls.append((observation, mask))
        return 1

    env = scotch(seat=0, money=(1, 3), length=4, start=1, opponent=opponent)
    env.reset(seed=0)
    env.step(1)
    ((observation, mask),) = calls
    assert observation.shape == (5,) and observation.dtype == np.float32
    assert mask.shape == (4,) and mask.dtype == np.int8
    # Its own money first, the bottle three steps from its own end, the advantage with the other.
    assert observation.tolist() == pytest.approx([1.0, 1 / 3, 1 / 3, 3 / 4, 0.0])
    assert mask.tolist() == [0, 1, 1, 1]


def test_solo__a_callable_does_not_see_what_the_learner_has_just_bid():
    calls = []

    def opponent(observation, mask):
        calls.append(observation.tolist())
        return 1

    for bid in (1, 2, 3):
        env = scotch(seat=0, opponent=opponent)
        env.reset(seed=0)
        env.step(bid)
    assert calls[0] == calls[1] == calls[2]


def test_solo__a_batched_callable_gets_rows():
    shapes = []

    @batched
    def opponent(observations, masks):
        shapes.append((observations.shape, masks.shape))
        return masks.argmax(axis=1)

    a, b = scotch(opponent=opponent), scotch(opponent=first)
    assert trace(a, 30, a.reset(seed=2)[1]) == trace(b, 30, b.reset(seed=2)[1])
    assert set(shapes) == {((1, 5), (1, 4))}


def test_solo__an_object_with_call_is_an_opponent():
    class Policy:
        def __call__(self, observation, mask):
            return first(observation, mask)

    a, b = scotch(opponent=Policy()), scotch(opponent=first)
    assert trace(a, 30, a.reset(seed=2)[1]) == trace(b, 30, b.reset(seed=2)[1])


def test_solo__an_opponent_need_not_be_hashable():
    class Policy:
        __hash__ = None

        def __call__(self, observation, mask):
            return first(observation, mask)

    env = scotch(opponent=[Policy(), "random"])
    assert episode(env, last, seed=0)[-1][2]


def test_solo__a_callable_that_is_false_is_still_the_opponent():
    class Policy:
        asked = 0

        def __len__(self):
            return 0

        def __call__(self, observation, mask):
            Policy.asked += 1
            return first(observation, mask)

    episode(scotch(opponent=Policy(), seat=0), last, seed=0)
    assert Policy.asked


def test_solo__opponents_sit_in_order_after_the_learner():
    lineup = ["highest", first, lambda observation, mask: 1]  # of seats 3, 0 and 1
    env = SoloEnv("toy_sealed", seat=2, rounds=1, opponents=lineup)
    env.reset(seed=0)
    env.step(0)
    # Seats 0 to 3 have played the cards 0, 1, 0, 2.
    hands = env._batch.states[0, toy_sealed.STATE["hands"]].tolist()
    assert hands == [0b110, 0b101, 0b110, 0b011]


def test_solo__one_opponent_takes_all_other_seats():
    env = SoloEnv("toy_sealed", seat=0, rounds=1, opponent=first)
    env.reset(seed=0)
    env.step(1)
    assert env._batch.states[0, toy_sealed.STATE["hands"]].tolist() == [0b101, 0b110, 0b110, 0b110]


def test_solo__opponents_of_several_kinds_share_a_table():
    for lineup in (["highest", "random", first], [["highest", first], "random", batched_last]):
        env = SoloEnv("toy_sealed", opponents=lineup)
        for seed in range(5):
            assert episode(env, first, seed)[-1][2]


@batched
def batched_last(observations, masks):
    return [last(None, mask) for mask in masks]


# --- illegal answers and errors of opponents -----------------------------------------------------


@pytest.mark.parametrize("wrong", [-1, 0, 99, 1.5, float("nan")])
def test_solo__an_opponents_illegal_answer_loses_for_it(wrong):
    env = scotch(seat=0, opponent=lambda observation, mask: wrong)
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(1)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["opponent_illegal_action"] is True and "illegal_action" not in info


def test_solo__an_illegal_answer_is_forgotten_by_the_next_game():
    answers = iter([-1, 1, 1, 1, 1])
    env = scotch(seat=0, opponent=lambda observation, mask: next(answers))
    env.reset(seed=0)
    assert "opponent_illegal_action" in env.step(1)[4]
    env.reset()
    assert set(env.step(1)[4]) == {"action_mask"}
    assert "illegal_action" in env.step(99)[4]
    env.reset()
    assert set(env.step(1)[4]) == {"action_mask"}


@pytest.mark.parametrize("wrong", [-3, 4, 10**6])
def test_solo__a_compiled_bot_out_of_range_loses(wrong):
    env = scotch(seat=0, opponent=constant(wrong))
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(1)
    assert (reward, terminated) == (1.0, True) and info["opponent_illegal_action"] is True


@pytest.mark.parametrize("lineup", [constant(3), [constant(3), "random"]])
def test_solo__a_compiled_bot_that_plays_illegally_loses_alone_and_in_a_list(lineup):
    env = scotch(seat=0, length=9, money=(3, 2), opponent=lineup)
    for seed in range(10):
        env.reset(seed=seed)
        _, reward, terminated, _, info = env.step(1)
        if env._batch.meta[0, -1] == 0:  # the constant bot was drawn
            assert (reward, terminated) == (1.0, True)
            assert info["opponent_illegal_action"] is True


def test_solo__raise_mode_raises_for_an_opponents_illegal_answer_too():
    env = scotch(seat=0, opponent=lambda observation, mask: 0, illegal_action="raise")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"the opponent's action 0 is illegal.*\[1, 2, 3\]"):
        env.step(1)
    with pytest.raises(ResetNeeded):
        env.step(1)


def test_solo__raise_mode_raises_for_an_illegal_compiled_bot_and_names_it():
    env = scotch(seat=0, opponent=constant(0), illegal_action="raise")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"constant.*illegal"):
        env.step(1)
    with pytest.raises(ResetNeeded):
        env.step(1)


def test_solo__an_opponent_that_raises_is_heard_and_the_next_reset_works():
    angry = [False]

    def opponent(observation, mask):
        if angry[0]:
            raise KeyError("out of ideas")
        return first(observation, mask)

    env = scotch(seat=0, opponent=opponent)
    env.reset(seed=0)
    angry[0] = True
    with pytest.raises(KeyError, match="out of ideas"):
        env.step(1)
    with pytest.raises(ResetNeeded):
        env.step(1)
    angry[0] = False
    assert episode(env, last, seed=0)[-1][2]


def test_solo__an_opponent_that_raises_during_reset_is_heard():
    def opponent(observation, mask):
        raise KeyError("out of ideas")

    env = scotch(seat=1, opponent=opponent)
    with pytest.raises(KeyError):
        env.reset(seed=0)
    with pytest.raises(ResetNeeded):
        env.step(1)


@pytest.mark.parametrize("answer", [None, "2", [1, 2], {}])
def test_solo__an_opponent_that_answers_with_nonsense_is_an_error_or_loses(answer):
    env = scotch(seat=0, opponent=lambda observation, mask: answer)
    env.reset(seed=0)
    try:
        *_, info = env.step(1)
    except (TypeError, ValueError):
        with pytest.raises(ResetNeeded):
            env.step(1)
    else:
        assert info["opponent_illegal_action"] is True


def test_solo__a_batched_opponent_with_too_few_answers_is_an_error():
    env = scotch(seat=0, opponent=batched(lambda observations, masks: []))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="actions: expected shape"):
        env.step(1)


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
    assert info["illegal_action"] is True and "opponent_illegal_action" not in info
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


# --- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"opponent": "unifrom"}, ["opponent='unifrom'", "did you mean 'uniform'", "'random'"]),
        ({"opponent": "uniform:hihg=3"}, ["opponent=", "no option 'hihg'", "high"]),
        ({"opponent": "random:high=3"}, ["opponent=", "no option 'high'", "has no options"]),
        ({"opponent": "uniform:high"}, ["opponent=", "name:option=value"]),
        ({"opponent": "uniform:high=-5"}, ["high=-5"]),
        ({"opponent": ["random", "nobody"]}, ["opponent='nobody'"]),
        ({"opponent": 3}, ["opponent="]),
        ({"opponent": []}, ["opponent=[]", "at least one"]),
        ({"opponent": ""}, ["opponent=''"]),
        ({"opponent": 0}, ["opponent="]),
        ({"opponent": {"name": "random"}}, ["opponent="]),
        ({"opponents": ["random", "random"]}, ["opponents=", "2 players", "1 opponents"]),
        ({"opponents": []}, ["opponents="]),
        ({"opponent": "random", "opponents": ["random"]}, ["opponent, opponents"]),
        ({"seat": 2}, ["seat=2", "0 to 1", "'random'", "'alternate'"]),
        ({"seat": -1}, ["seat=-1"]),
        ({"seat": "first"}, ["seat='first'", "'alternate'"]),
        ({"seat": True}, ["seat=True"]),
        ({"seat": None}, ["seat=None"]),
        ({"illegal_action": "ignore"}, ["illegal_action='ignore'", "'lose'", "'raise'"]),
        ({"render_mode": "human"}, ["render_mode='human'", "'ansi'", "'rgb_array'"]),
        ({"money": (3, -5)}, ["money[1]=-5"]),
    ],
)
def test_solo__wrong_arguments_are_named(kwargs, words):
    with pytest.raises(ValueError) as error:
        scotch(**kwargs)
    for word in words:
        assert word in str(error.value)


def test_solo__opponents_as_one_name_is_an_error_that_names_it():
    with pytest.raises(ValueError, match="opponents="):
        SoloEnv("toy_sealed", opponents="random")


def test_solo__an_unknown_rule_is_a_type_error_that_lists_the_rules():
    with pytest.raises(
        TypeError, match=r"scotch has no rule 'monney'; its rules are length,.*money"
    ):
        scotch(monney=3)


def test_solo__an_unknown_game_is_an_error_that_names_it():
    with pytest.raises(ValueError, match=r"game='scotsh' is not known: did you mean 'scotch'"):
        SoloEnv("scotsh")


def test_solo__rules_beside_a_ready_game_are_an_error():
    with pytest.raises(ValueError, match="length: rules cannot be given beside a ready Game"):
        SoloEnv(make_game("scotch"), length=3)


def test_solo__render_before_reset_is_an_error_and_without_mode_nothing():
    with pytest.raises(ResetNeeded):
        scotch(render_mode="ansi").render()
    with pytest.warns(UserWarning, match="render_mode"):
        assert scotch().render() is None


def test_solo__a_game_without_drawing_says_so():
    env = SoloEnv("toy_nim", render_mode="ansi")
    env.reset(seed=0)
    with pytest.raises(NotImplementedError, match="toy_nim has no ansi"):
        env.render()


# --- gym.make ------------------------------------------------------------------------------------


def test_make__a_registered_id_gives_the_environment_with_its_rules():
    env = gym.make("bidarena/Scotch-v0", **SMALL, seat=0)
    assert isinstance(env.unwrapped, ScotchEnv)
    assert env.unwrapped.game.options["money"] == [3, 3]
    assert json.loads(env.spec.to_json())["kwargs"]["seat"] == 0


def test_make__a_third_partys_game_needs_no_class():
    env = gym.make("toy/Nim-v0", heap=5, opponent="perfect", seat=0)
    assert isinstance(env.unwrapped, SoloEnv) and env.unwrapped.game.options["heap"] == 5
    env.reset(seed=0)
    assert env.step(1)[1] == 0.0  # 4 left, the opponent takes 1


def test_make__plays_like_the_class():
    made, plain = gym.make("bidarena/Scotch-v0", **SMALL), scotch()
    made_info, plain_info = made.reset(seed=6)[1], plain.reset(seed=6)[1]
    made.unwrapped.reset(seed=6)
    assert trace(made.unwrapped, 40, made_info) == trace(plain, 40, plain_info)


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
    """A policy that fails the test instead of letting it run for ever."""
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
    assert "opponent_illegal_action" not in env.reset()[1]


def test_solo__a_bot_made_for_other_rules_is_refused():
    small = make_bot(make_game("scotch", money=10), "dp")
    with pytest.raises(ValueError, match="made for other rules"):
        SoloEnv("scotch", opponent=small, money=10_000)
