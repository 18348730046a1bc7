"""Going on with a run of somebody else: nothing that its configuration names is run."""

import json

import pytest

from bidarena.cli.main import main
from bidarena.train import resume, start

QUICK = {"envs": 64, "n_steps": 16, "batch_size": 256, "net_arch": [16], "round": 1024}
SMALL = {"cards": [1, 2, 3], "items": [1, 2, 3]}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    parent = tmp_path_factory.mktemp("runs")
    wanted = {"rivals": ["value"], "games": 100, "evaluations": 1, "settings": QUICK}
    return start("raj", opponent="value", steps=1024, folder=parent, **wanted, **SMALL).folder


@pytest.mark.parametrize("place", ["rivals", "opponent", "game", "algorithm", "pool"])
def test_resume__starts_and_imports_nothing_that_config_json_names(run, tmp_path, capsys, place):
    mark = tmp_path / "ran"
    folder = tmp_path / "run"
    folder.mkdir()
    config = json.loads((run / "config.json").read_text())
    program = f"json:touch {mark}:jail=0"
    if place == "rivals":
        config["evaluation"]["rivals"] = [program]
    elif place == "opponent":
        config["task"]["players"]["opponent"] = ["value", f"best_response:of={program}"]
    elif place == "pool":
        config["task"]["settings"]["pool_bots"] = [program]
    else:
        config["task"][place] = f"antigravity:{config['task'][place]}"
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"config.json: .*(starts a program|imports).*--trust"):
        resume(folder)
    assert main(["train", "--resume", str(folder)]) == 2
    assert "--trust" in capsys.readouterr().err
    assert not mark.exists()
    if place == "rivals":  # with trust it is run, but it only touches a file and ends
        with pytest.raises(ValueError, match="ended with exit code 0"):
            resume(folder, trust=True)
        assert mark.exists()


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "{}", '{"task": 5, "evaluation": 5}'])
def test_resume__a_broken_configuration_is_named(tmp_path, text):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ValueError, match="not the configuration of a run"):
        resume(tmp_path)
