"""Making the single environment: by its class and by gym.make, with good and bad arguments."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.wrappers import TimeAwareObservation
from our_games import OUR_GAMES
from solo_games import SMALL, scotch, trace

from bidarena.envs import make_game
from bidarena.envs.registry import env_id
from bidarena.envs.scotch.env import ScotchEnv
from bidarena.envs.solo import SoloEnv

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
        TypeError,
        match=r"scotch got an unexpected keyword argument 'monney'; its rules are length,.*money",
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


@pytest.mark.parametrize("name", OUR_GAMES)
@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_make__refuses_an_unknown_keyword_in_pythons_own_words(name, make):
    words = "got an unexpected keyword argument 'frameskip'"  # other libraries look for these
    with pytest.raises(TypeError, match=words) as refused:
        make(env_id(name), frameskip=1)
    assert all(rule in str(refused.value) for rule in make_game(name).options)


@pytest.mark.parametrize("name", OUR_GAMES)
def test_make__spec_tells_the_longest_game(name):
    env = gym.make(env_id(name))
    assert env.spec.max_episode_steps == make_game(name).longest
    assert gym.make(env.spec).spec == env.spec
    assert gym.make(env_id(name), max_episode_steps=3).spec.max_episode_steps == 3
    view, _ = TimeAwareObservation(env).reset(seed=0)
    assert len(view) == env.observation_space.shape[0] + 1


def test_make__a_longer_game_is_not_cut_short_by_the_limit_of_the_usual_one():
    usual = gym.make("toy/Nim-v0").spec.max_episode_steps
    env = gym.make("toy/Nim-v0", heap=10 * usual, seat=0)
    assert env.spec.max_episode_steps == 10 * usual
    _, info = env.reset(seed=0)
    terminated, steps = False, 0
    while not terminated:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        assert not truncated
        steps += 1
    assert steps > usual
