"""Training from Python: what `start` plans and writes, and what it refuses."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from bidarena.baselines.learned.policy_file import load_policy
from bidarena.cli.main import main
from bidarena.envs import make_game
from bidarena.evaluate.match import play_match
from bidarena.train import register_algorithm, start
from bidarena.train.algorithms import _algorithms
from bidarena.train.folder import CsvTable

SMALL = {"cards": [1, 2, 3], "items": [1, 2, 3]}
QUICK = {"envs": 64, "n_steps": 16, "batch_size": 256, "net_arch": [16], "round": 1024}
MEASURE = {"rivals": ["value"], "games": 100, "evaluations": 1}


def config(run):
    return json.loads((run.folder / "config.json").read_text())


def test_train__importing_it_imports_neither_torch_nor_numba():
    code = "import sys, bidarena.train; print({'torch', 'numba', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_start__stays_a_function_after_its_module_is_imported():
    code = "import bidarena.train.start, bidarena.train as t; print(callable(t.start))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_start__leaves_a_run_that_the_command_line_can_repeat(tmp_path, capsys):
    told = []
    run = start(
        "raj",
        opponent=["value", "random"],
        seat=1,
        steps=2000,
        seed=3,
        settings={**QUICK, "net_arch": (16,)},
        folder=tmp_path / "one",
        progress=told.append,
        **MEASURE,
        **SMALL,
    )
    assert [progress.steps for progress in told] == [0, 1024, 2048]
    assert told[-1].task.game == "raj" and "exploitability" in told[-1].measured
    assert run.steps == 2048 and run.scores["value"]["games"] == 100
    measured = CsvTable(run.folder / "evaluations.csv").rows()
    assert {row["steps"] for row in measured} == {"2048"}  # once means at the end only
    assert play_match(make_game("raj", **SMALL), [str(run.policy), "random"], 20).games == 20
    command = (run.folder / "command.txt").read_text()
    assert command.startswith("bidarena train raj --algo maskable_ppo --cards '[1, 2, 3]'")
    assert main([*shlex.split(command)[1:], "--folder", str(tmp_path / "two"), "--json"]) == 0
    other = json.loads(capsys.readouterr().out)
    assert other["scores"] == run.scores
    repeated = json.loads(Path(other["folder"], "config.json").read_text())
    for part in ("task", "evaluation"):
        assert repeated[part] == config(run)[part]
    weights = [
        load_policy(f"{one}/last.safetensors").network for one in (run.folder, other["folder"])
    ]
    pairs = zip(weights[0].weights, weights[1].weights, strict=True)
    assert all((one == two).all() for one, two in pairs)


def test_start__rules_that_suit_an_algorithm_give_way_to_those_of_the_user(tmp_path):
    quick = {"steps": 100, "settings": {"rows": 32, "hidden": [8]}, "folder": tmp_path, **MEASURE}
    assert config(start("raj", "mmd", **quick, **SMALL))["task"]["rules"]["reward"] == "margin"
    run = start("raj", "mmd", **quick, **SMALL, reward="outcome")
    assert config(run)["task"]["rules"]["reward"] == "outcome"
    ready = make_game("raj", **SMALL)
    assert ready.options["reward"] == "outcome"
    assert config(start(ready, "mmd", **quick))["task"]["rules"] == config(run)["task"]["rules"]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"algo": "ppoo"}, "algo='ppoo'.*did you mean 'ppo'"),
        ({"opponent": "minmax"}, "did you mean 'minimax'"),
        ({"opponent": print}, "players=.*kept as JSON"),
        ({"settings": {"learning_rat": 1}}, "did you mean 'learning_rate'"),
        ({"settings": {"learning_rate": print}}, "settings=.*kept as JSON"),
        ({"rivals": ["greedyy"]}, "did you mean 'greedy'"),
        ({"games": 1}, "games=1"),
        ({"seed": -1}, "seed=-1"),
        ({"steps": 0}, "steps=0"),
        ({"ray": "auto"}, "ray='auto': the algorithm maskable_ppo works in this process"),
        ({"game": make_game("raj"), "reward": "margin"}, "beside a ready Game"),
    ],
)
def test_start__refuses_and_leaves_no_folder(wanted, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        start(**{"game": "raj", "folder": tmp_path, **wanted})
    assert not list(tmp_path.iterdir())


def test_start__without_usual_steps_asks_for_them(tmp_path):
    with mock.patch.dict(_algorithms):
        register_algorithm("mine", "nowhere:learner")
        with pytest.raises(ValueError, match="steps: mine has no usual number of steps"):
            start("raj", "mine", folder=tmp_path)


def test_start__a_game_of_ones_own_is_found_again(tmp_path):
    quick = {"steps": 500, "settings": QUICK, "rivals": ["random"], "games": 20, "evaluations": 1}
    run = start("toy_nim:toy_nim", **quick, folder=tmp_path)
    assert config(run)["task"]["game"] == "toy_nim:toy_nim"
    again = (
        "import sys; from bidarena.train import resume; "
        "print(resume(sys.argv[1], trust=True).steps)"
    )
    path = ":".join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", again, str(run.folder)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": path},
    )
    assert int(done.stdout) == run.steps
