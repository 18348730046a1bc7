"""Opponents of the single environment: every kind of them, and what happens when they fail."""

from __future__ import annotations

import numpy as np
import pytest
import toy_sealed
from gymnasium.error import ResetNeeded
from solo_games import SMALL, batched_last, episode, first, last, scotch, trace
from toy_nim import constant

from bidarena.envs import batched, make_bot, make_game
from bidarena.envs.solo import SoloEnv

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


# --- illegal answers and errors of opponents -----------------------------------------------------


@pytest.mark.parametrize("wrong", [-1, 0, 99, 1.5, float("nan")])
def test_solo__an_opponents_illegal_answer_loses_for_it(wrong):
    env = scotch(seat=0, opponent=lambda observation, mask: wrong)
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(1)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["opponent_illegal_action"] is True and info["illegal_action"] is False


def test_solo__an_illegal_answer_is_forgotten_by_the_next_game():
    answers = iter([-1, 1, 1, 1, 1])
    env = scotch(seat=0, opponent=lambda observation, mask: next(answers))
    env.reset(seed=0)
    assert env.step(1)[4]["opponent_illegal_action"] is True
    env.reset()
    info = env.step(1)[4]
    assert (info["illegal_action"], info["opponent_illegal_action"]) == (False, False)
    assert env.step(99)[4]["illegal_action"] is True
    env.reset()
    info = env.step(1)[4]
    assert (info["illegal_action"], info["opponent_illegal_action"]) == (False, False)


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
