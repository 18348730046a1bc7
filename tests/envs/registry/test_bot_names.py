"""Names of bots that are paths, or begin with the prefix of an opener."""

import pickle
from unittest import mock

import gymnasium as gym
import numpy as np
import pytest
import toy_opener

from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import save_policy
from bidarena.envs import Bot, make_bot, make_game, register_opener
from bidarena.envs.learner import LearnerBatch
from bidarena.envs.registry.bot_names import _openers
from bidarena.evaluate.exploit import exploit
from bidarena.evaluate.match import play_match

RAJ = {"cards": [1, 2, 3], "items": [1, 2, 3]}


def linear(game, seed=0):
    luck = np.random.default_rng(seed)
    weight = luck.normal(size=(game.observation_size, game.actions)).astype(np.float32)
    return Network((weight,), (np.zeros(game.actions, np.float32),))


@pytest.fixture
def raj():
    return make_game("raj", **RAJ)


@pytest.fixture
def here(tmp_path, monkeypatch, raj):
    monkeypatch.chdir(tmp_path)
    save_policy("net.safetensors", raj, linear(raj))
    save_policy("runs/one/last.safetensors", raj, linear(raj, 1))
    save_policy("runs/two/last.safetensors", raj, linear(raj, 1))
    save_policy("runs/two/best.safetensors", raj, linear(raj, 2))
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "seed", "deterministic"),
    [
        ("net.safetensors", 0, False),
        ("./net.safetensors:deterministic=true", 0, True),
        ("runs/one", 1, False),
        ("runs/one/last.safetensors", 1, False),
        ("runs/two", 2, False),
        ("runs/two/:deterministic=true", 2, True),
        ("{here}/runs/two", 2, False),
    ],
)
def test_make_bot__opens_files_and_runs(here, raj, spec, seed, deterministic):
    bot = make_bot(raj, spec.format(here=here))
    assert isinstance(bot, Bot) and bot.made_for == raj.key
    assert bot.deterministic is deterministic
    count = raj.observation_size * raj.actions
    weights = bot.params[-count - raj.actions : -raj.actions]
    assert (weights == linear(raj, seed).weights[0].ravel()).all()


def test_make_bot__paths_may_contain_colons_and_the_name_of_the_game(here, raj):
    for folder in ("at:12:30", "raj", "raj/x"):
        save_policy(f"{folder}/best.safetensors", raj, linear(raj))
        for spec in (folder, f"{folder}/best.safetensors:deterministic=true"):
            assert isinstance(make_bot(raj, spec), Bot)


def test_make_bot__a_bot_comes_before_a_folder_of_its_name(here, raj):
    save_policy("greedy/best.safetensors", raj, linear(raj))
    save_policy("raj/greedy/best.safetensors", raj, linear(raj))
    assert make_bot(raj, "greedy").name == "greedy"
    assert make_bot(raj, "raj/greedy").name == "greedy"
    assert "best" in make_bot(raj, "./greedy").name


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("missing.safetensors", "no such file; expected a policy file"),
        ("missing.zip:deterministic=true", "no such file; expected a policy file"),
        ("runs/three", "no such folder; expected a policy file.*'greedy'"),
        ("runs", "this folder is no run; expected .*best.safetensors or last.safetensors"),
        ("./", "this folder is no run"),
        ("gredy", "did you mean 'greedy'"),
        ("raj/gredy", "did you mean 'greedy'"),
        ("scotch/dp", "'scotch/dp' is not known"),
        ("", "'' is not known"),
        (":", "'' is not known"),
        ("net.safetensors:depth=3", "net.safetensors has no option 'depth'.*deterministic"),
        ("net.safetensors:deterministic=5", "expected True or False"),
        ("net.safetensors:deterministic", "write options as"),
        ("gopher://localhost", "'gopher' is not known"),
    ],
)
def test_make_bot__says_what_is_wrong_with_a_path(here, raj, spec, message):
    with pytest.raises(ValueError, match=message):
        make_bot(raj, spec)


def test_make_bot__refuses_a_policy_for_other_rules(here):
    with pytest.raises(ValueError, match=r"cards: the policy knows \[1, 2, 3\], this game has"):
        make_bot(make_game("raj"), "net.safetensors")


def test_environments__play_against_a_file(here, raj):
    for made in (
        gym.make("bidarena/Raj-v0", opponent="runs/two", **RAJ),
        gym.make_vec("bidarena/Raj-v0", num_envs=3, opponent=["net.safetensors", "greedy"], **RAJ),
    ):
        made.reset(seed=0)


def test_learner_batch__with_a_file_survives_pickling(here, raj):
    batch = LearnerBatch(raj, 8, opponents=["net.safetensors"], seat=0)
    batch.seed(list(range(8)), np.random.default_rng(0))
    batch.reset()
    travelled = pickle.loads(pickle.dumps(batch))
    for one in (batch, travelled):
        one.step(one.masks.argmax(axis=1))
    assert (batch.observations == travelled.observations).all()
    assert (batch.rewards == travelled.rewards).all()


def test_match_and_exploit__take_files(here, raj):
    match = play_match(raj, ["net.safetensors", "runs/two:deterministic=true"], 200)
    assert [score.bot for score in match.scores][1] == "runs/two:deterministic=true"
    assert exploit(raj, "net.safetensors").exact
    response = make_bot(raj, "best_response:of=net.safetensors")
    found = play_match(raj, [response, "net.safetensors"], 4000).scores[0]
    expected = exploit(raj, "net.safetensors").best_response_value
    assert abs(found.mean - expected) < 2 * found.half_width


@pytest.fixture
def openers():
    with mock.patch.dict(_openers):
        register_opener("count", "toy_opener:counting")
        register_opener("http", "toy_opener:address")
        toy_opener.calls.clear()
        yield toy_opener.calls


@pytest.mark.parametrize(
    ("spec", "rest"),
    [
        ("count:1", "1"),
        ("count:007", "007"),
        ("http://localhost:8000/a:b=c", "http://localhost:8000/a:b=c"),
        ("http:localhost", "localhost"),
        ("http://localhost/x.safetensors", "http://localhost/x.safetensors"),
    ],
)
def test_opener__gets_what_follows_its_prefix(openers, raj, spec, rest):
    player = make_bot(raj, spec)
    assert openers == [("raj", rest)]
    assert play_match(raj, [player, "random"], 10).games == 10


def test_opener__bots_are_made_for_the_game(openers, raj):
    assert make_bot(raj, "count:random").made_for == raj.key


def test_opener__errors_name_the_bot(openers, raj):
    with pytest.raises(ValueError, match="opponent='count:x,y': expected a number, got 'x,y'"):
        make_bot(raj, "count:x,y")
    with pytest.raises(ValueError, match="'count' is not known"):  # a prefix needs its colon
        make_bot(raj, "count")
    with pytest.raises(ValueError, match="prefix='a:b'"):
        register_opener("a:b", "toy_opener:counting")


def test_opener__a_bot_comes_first(openers, raj):
    register_opener("greedy", "toy_opener:counting")
    with pytest.raises(ValueError, match="has no option 'depth'"):
        make_bot(raj, "greedy:depth=1")
    assert not openers
