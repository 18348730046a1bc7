"""Where torch computes: one setting for all learners, and clear refusals."""

import json
import re

import pytest
import torch
import toy_climber  # noqa: F401  registers its algorithm for all tests of this process

from bidarena.cli.main import main
from bidarena.train import start
from bidarena.train.algorithms import algorithms, find_algorithm, hyperparameters, make_learner
from bidarena.train.devices import devices, find_device
from bidarena.train.settings import changed
from bidarena.train.task import Task

SMALL = {"cards": [1, 2, 3], "items": [1, 2, 3]}
NATIVE = [
    name
    for name in algorithms()
    if find_algorithm(name).engine == "native"
    and find_algorithm(name).learner.startswith("bidarena.train.")
]
ABSENT = next(name for name in ("cuda:63", "mps:63") if name not in devices())


def test_find_device__finds_what_is_here():
    assert find_device("cpu") == torch.device("cpu") and "cpu" in devices()
    for name in devices():
        assert find_device(name).type == name.partition(":")[0]


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "", 3, None])
def test_find_device__refuses_names_that_torch_does_not_know(name):
    with pytest.raises(
        ValueError, match=r"device=.*: torch knows no such device; expected .*'cpu'"
    ):
        find_device(name)


@pytest.mark.parametrize("name", [ABSENT, "meta"])
def test_find_device__refuses_devices_that_are_not_here(name):
    with pytest.raises(ValueError, match=rf"device='{name}': torch cannot compute there; .*'cpu'"):
        find_device(name)


def task(algorithm, device):
    open_games = algorithm in ("td", "td_parts")
    game, rules = ("coins", {"board": "triangle3"}) if open_games else ("raj", SMALL)
    values = hyperparameters(algorithm, game)
    values.pop("steps")
    rules = {**rules, **values.pop("rules", {})}
    players = {"opponent": "self" if find_algorithm(algorithm).self_play else "random"}
    return Task(game, rules, algorithm, 1000, 0, players, changed(values, {"device": device}))


@pytest.mark.parametrize("algorithm", NATIVE)
def test_device__is_a_setting_of_every_native_algorithm(algorithm):
    with pytest.raises(ValueError, match=f"device='{ABSENT}'"):
        make_learner(task(algorithm, ABSENT))
    learner = make_learner(task(algorithm, "cpu"))
    found = learner.model.device if hasattr(learner, "model") else learner.device
    assert found == torch.device("cpu")


def test_device__is_an_option_of_the_command_and_kept_with_the_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["train", "raj", "--algo", "mmd", "--cards", "1,2,3", "--items", "1,2,3"]
    words += ["--steps", "100", "--set", "rows=32", "hidden=[8]", "--rivals", "value"]
    words += ["--games", "20", "--evaluations", "1", "--json"]
    assert main([*words, "--device", "gpu"]) == 2
    assert re.search("device='gpu': torch knows no such device", capsys.readouterr().err)
    assert not list(tmp_path.glob("runs/*"))
    assert main([*words, "--device", "cpu"]) == 0
    folder = json.loads(capsys.readouterr().out)["folder"]
    config = json.loads((tmp_path / folder / "config.json").read_text())
    assert config["task"]["settings"]["device"] == "cpu"
    assert main(["train", "--resume", folder, "--device", ABSENT]) == 2
    assert f"device='{ABSENT}': torch cannot compute there" in capsys.readouterr().err
    config["task"]["settings"]["device"] = ABSENT  # as if it came from a machine that has it
    (tmp_path / folder / "config.json").write_text(json.dumps(config))
    assert main(["train", "--resume", folder]) == 2
    assert main(["train", "--resume", folder, "--device", "cpu", "--json"]) == 0


def test_start__refuses_a_device_where_nothing_has_one(tmp_path):
    with pytest.raises(ValueError, match=r"device.*not known"):
        start("raj", "toy_climber:climb", device="cpu", folder=tmp_path)
