"""Algorithms by name: ours, those of others, and names that nobody knows."""

import json
import os
import shutil
import sys
from pathlib import Path
from unittest import mock

import pytest

from bidarena.baselines.learned.policy_file import load_policy
from bidarena.cli.main import main
from bidarena.envs.registry import load
from bidarena.train import Task, register_algorithm, resume, start
from bidarena.train.algorithms import (
    _algorithms,
    algorithm_name,
    algorithms,
    find_algorithm,
    hyperparameters,
    make_learner,
)

SMALL = {"cards": [1, 2, 3], "items": [1, 2, 3]}
MEASURE = {"rivals": ["value"], "games": 100, "evaluations": 2}


@pytest.fixture(autouse=True)
def registered():
    """Forget afterwards what a test registers."""
    sys.modules.pop("toy_climber", None)
    with mock.patch.dict(_algorithms), mock.patch.object(sys, "path", [*sys.path]):
        yield


def test_algorithms__ours_are_known_with_their_hyperparameters():
    known = {"maskable_ppo", "ppo", "a2c", "dqn", "mmd", "minimax_q", "td", "rllib_ppo", "fast_ppo"}
    # other tests of the process may have registered theirs
    ours = [name for name in algorithms() if find_algorithm(name).learner.startswith("bidarena.")]
    assert known <= set(ours)
    for name in ours:
        algorithm = find_algorithm(name)
        assert hyperparameters(name, "raj")["steps"] > 0
        assert algorithm.self_play == (".selfplay." in algorithm.learner or name == "fast_ppo")
        assert callable(load(algorithm.learner)) or algorithm.engine == "rllib"


def test_algorithms__engine_and_algo_give_the_name():
    assert algorithm_name("native", None) == "maskable_ppo"
    assert algorithm_name("native", "ppo") == "ppo"
    assert algorithm_name("rllib", None) == algorithm_name("rllib", "ppo") == "rllib_ppo"
    with pytest.raises(ValueError, match="engine='rllib' has no such algorithm, only ppo"):
        algorithm_name("rllib", "dqn")


def test_algorithms__an_unknown_name_is_refused_with_the_list():
    for ask in (find_algorithm, lambda name: algorithm_name("native", name)):
        with pytest.raises(ValueError, match=r"algo='mdd' is not known: did you mean 'mmd'.*'td'"):
            ask("mdd")
    with pytest.raises(ValueError, match="algo='climbb' is not known: did you mean 'climb'"):
        find_algorithm("toy_climber:climbb")
    with pytest.raises(ValueError, match="algo='nosuch:climb': there is no module 'nosuch'"):
        find_algorithm("nosuch:climb")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"engine": "jax"}, "engine='jax': expected one of 'native', 'rllib'"),
        ({"name": "my algo"}, "name='my algo'"),
    ],
)
def test_register_algorithm__refuses_what_makes_no_sense(wrong, message):
    with pytest.raises(ValueError, match=message):
        register_algorithm(**{"name": "mine", "learner": "toy_climber:Climber", **wrong})


def test_register_algorithm__twice_replaces():
    register_algorithm("mine", "nowhere:learner", hyperparameters={"default": {"steps": 1}})
    register_algorithm("mine", "toy_climber:Climber", hyperparameters={"default": {"steps": 2}})
    assert hyperparameters("mine", "raj") == {"steps": 2}
    assert algorithms().count("mine") == 1
    made = make_learner(Task("raj", SMALL, "mine", 10, settings={"games": 2, "change": 0.1}))
    assert type(made).__name__ == "Climber"


def test_register_algorithm__hyperparameters_from_a_file_or_a_dict(tmp_path):
    file = tmp_path / "mine.yml"
    file.write_text("default: {rate: 1, size: 2}\nbidarena/Raj-v0: {rate: 3}\n")
    register_algorithm("mine", "mine:learner", hyperparameters=file)
    assert hyperparameters("mine", "raj") == {"rate": 3, "size": 2}
    assert hyperparameters("mine", "scotch") == {"rate": 1, "size": 2}
    assert hyperparameters("toy_climber:climb", "scotch")["change"] == 0.1
    register_algorithm("mine", "mine:learner")
    assert hyperparameters("mine", "raj") == {}
    register_algorithm("mine", "mine:learner", hyperparameters={"bidarena/Raj-v0": {}})
    with pytest.raises(ValueError, match="expected a table with the key `default`"):
        hyperparameters("mine", "raj")


def weights(folder):
    network = load_policy(folder / "last.safetensors").network
    return [layer.tobytes() for layer in (*network.weights, *network.biases)]


def test_outside_algorithm__trains_resumes_and_is_measured_by_start(tmp_path):
    wanted = {"opponent": "value", "folder": tmp_path, **MEASURE, **SMALL}
    whole = start("raj", "toy_climber:climb", **wanted)
    assert whole.folder.name.startswith("Raj-v0__climb__0__")
    assert whole.steps >= 4000 and whole.scores["value"]["games"] == 100
    assert whole.truth["name"] == "exploitability"
    assert load_policy(whole.policy).info["algorithm"] == "toy_climber:climb"
    rounds = []

    def stop_early(progress):
        rounds.append(progress.steps)
        if len(rounds) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="--resume"):
        start("raj", "toy_climber:climb", **wanted, checkpoint_seconds=0, progress=stop_early)
    (stopped,) = set(tmp_path.iterdir()) - {whole.folder}
    again = resume(stopped)
    assert 0 < rounds[1] < rounds[3] < again.steps == whole.steps
    assert weights(stopped) == weights(whole.folder)
    assert again.scores == whole.scores


def test_outside_algorithm__trains_and_resumes_by_the_command_from_the_present_folder(
    tmp_path, monkeypatch, capsys
):
    import toy_climber

    shutil.copy(toy_climber.__file__, tmp_path / "own_climber.py")
    monkeypatch.chdir(tmp_path)
    words = ["--opponent", "value", "--cards", "1,2,3", "--items", "1,2,3", "--set", "games=20"]
    words += ["--rivals", "value", "--games", "100", "--evaluations", "1", "--json"]
    assert main(["train", "raj", "--algo", "own_climber:climb", "--steps", "1000", *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scores"]["value"]["games"] == 100
    # a new process, as it were: the module is found again by its name
    sys.modules.pop("own_climber")
    _algorithms.pop("climb")
    sys.path.remove(str(tmp_path))
    assert main(["train", "--resume", found["folder"], "--json"]) == 2
    assert "imports the module own_climber" in capsys.readouterr().err
    assert main(["train", "--resume", found["folder"], "--trust", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == found["steps"]
    policy = os.fspath(Path(found["folder"]) / "best.safetensors")
    assert main(["evaluate", policy, "--rivals", "random", "--games", "100", "--json"]) == 0
    assert main(["train", "raj", "--algo", "own_climber:climp"]) == 2
    assert "did you mean 'climb'" in capsys.readouterr().err
    sys.modules.pop("own_climber")
