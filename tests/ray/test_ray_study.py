"""Studies on a Ray: the same results, in the same folders."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from watching import Watched

from bidarena.baselines.learned.policy_file import policy_bot
from bidarena.cli.main import main
from bidarena.envs import make_game
from bidarena.evaluate.tournament import run as module
from bidarena.evaluate.tournament.meetings import read_games
from bidarena.studies import learning as study
from bidarena.studies.learning import Lesson
from bidarena.studies.twentynine.search import Settings, make_parts
from bidarena.train.folder import CHECKPOINT, CONFIG
from bidarena.train.travelling import read_files, unpack

SEARCH = [
    "study",
    "twentynine-search",
    "--part",
    "iterations",
    "--iterations",
    "10",
    "--deals",
    "10",
]
SEARCH += ["--players", "ismcts/ucb1", "mom/ucb1", "rules", "--json"]
TIMES = ("seconds", "thinking", "steps_per_s", "env_share")


def without_times(value):
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if not any(t in key for t in TIMES)}
        return {key: without_times(item) for key, item in kept.items()}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def games(folder):
    settings = Settings(
        part="iterations", iterations=10, deals=10, players=("ismcts/ucb1", "mom/ucb1", "rules")
    )
    tournament, _ = make_parts(settings)["iterations"]
    return list(read_games(tournament, folder / "iterations"))


def test_study_of_searches__keeps_the_same_games(cluster, tmp_path, capsys, monkeypatch):
    watched = Watched(tmp_path / "log", nodes=2)
    monkeypatch.setattr(module, "play_job", watched)
    ray = ["--folder", str(tmp_path / "ray"), "--ray", cluster.address]
    assert main([*SEARCH, *ray]) == 0
    first = json.loads(capsys.readouterr().out)
    assert len({node for node, *_ in watched.seen()}) == 2
    assert main([*SEARCH, "--folder", str(tmp_path / "here")]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert len(games(tmp_path / "ray")) == 3 * 20
    assert games(tmp_path / "ray") == games(tmp_path / "here")
    assert first["settings"] == alone["settings"]
    began = len(watched.seen())
    assert main([*SEARCH, *ray]) == 0  # all is there: nobody is asked
    assert len(watched.seen()) == began


@pytest.fixture
def lesson(monkeypatch):
    rules = (("cards", [1, 2, 3]), ("items", [1, 2, 3]))
    made = Lesson("small", "raj", "mmd", rules, "self", ("valueplus",), 16_384)
    monkeypatch.setitem(study.PARTS, "raj-fixed", [made])
    return made


LEARN = ["study", "learning", "--part", "raj-fixed", "--seeds", "2", "--games", "100", "--json"]


def weights(folder, lesson):
    game = make_game("raj", **dict(lesson.rules))
    return policy_bot(game, folder / "last.safetensors").params


def metrics(folder):
    with (folder / "metrics.csv").open() as file:
        return [without_times(row) for row in csv.DictReader(file)]


def test_study_of_learning__brings_the_runs_home(cluster, tmp_path, capsys, lesson):
    here, away = tmp_path / "here", tmp_path / "away"
    assert main([*LEARN, "--processes", "1", "--folder", str(here)]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert main([*LEARN, "--folder", str(away), "--ray", cluster.address]) == 0
    spread = json.loads(capsys.readouterr().out)
    assert without_times(spread["lessons"]) == without_times(alone["lessons"])
    for run in ("small__1", "small__2"):
        names = {path.name for path in (here / run).iterdir()}
        assert names == {path.name for path in (away / run).iterdir()} and CHECKPOINT in names
        np.testing.assert_array_equal(weights(here / run, lesson), weights(away / run, lesson))
        assert metrics(here / run) == metrics(away / run)
    written = (here / "small__1" / "metrics.csv").read_bytes()
    assert main([*LEARN, "--folder", str(here), "--ray", cluster.address]) == 0
    capsys.readouterr()
    assert (here / "small__1" / "metrics.csv").read_bytes() == written  # nothing is learned again
    config = json.loads((here / "small__1" / CONFIG).read_text())
    config["task"]["seed"] += 10
    (here / "small__1" / CONFIG).write_text(json.dumps(config))
    assert main([*LEARN, "--folder", str(here), "--ray", cluster.address]) == 2
    assert "another run in this folder" in capsys.readouterr().err
    assert (here / "small__1" / "metrics.csv").read_bytes() == written


def test_study_of_learning__refuses_a_folder_without_a_run_before_it_is_sent(
    cluster, tmp_path, capsys, lesson
):
    words = [*LEARN, "--folder", str(tmp_path)]
    (tmp_path / "small__1").mkdir()
    config = {"task": {"game": "raj"}, "evaluation": {}}
    (tmp_path / "small__1" / CONFIG).write_text(json.dumps(config))
    assert main([*words, "--ray", cluster.address]) == 2
    assert "not the configuration of a run" in capsys.readouterr().err


def test_study_suite__brings_the_runs_home(cluster, tmp_path, capsys):
    cells = tmp_path / "cells.yml"
    cells.write_text(
        "name: test-v1\ncells:\n  tiny-raj:\n    game: raj\n"
        "    rules: {cards: [1, 2, 3], items: [1, 2, 3], reward: margin}\n"
        "    measure: exploitability\n    random: 1.5555555555555556\n    perfect: 0\n"
    )
    words = ["study", "suite", "--suite", str(cells), "--algo", "minimax_q", "td", "--seeds", "2"]
    words += ["--budget", "tiny", "--folder", str(tmp_path / "runs"), "--json"]
    assert main([*words, "--ray", cluster.address]) == 0
    found = json.loads(capsys.readouterr().out)["algorithms"]
    assert len(found["minimax_q"]["cells"]["tiny-raj"]["figure"]["values"]) == 2
    assert "refused" in found["td"]["cells"]["tiny-raj"]
    run = tmp_path / "runs" / "test-v1-tiny" / "tiny-raj__minimax_q__1"
    assert {CONFIG, CHECKPOINT, "measured.json"} <= {path.name for path in run.iterdir()}
    written = (run / "metrics.csv").read_bytes()
    assert main([*words, "--ray", cluster.address]) == 0  # nothing is learned again
    assert json.loads(capsys.readouterr().out)["algorithms"] == found
    assert (run / "metrics.csv").read_bytes() == written


def test_travelling__a_folder_arrives_as_it_was(tmp_path):
    assert read_files(tmp_path / "nothing") == {}
    files = {CONFIG: b"{}", CHECKPOINT: b"\0", "tensorboard/events.1": b"x", "metrics.csv": b"a\n"}
    written: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        from bidarena.train import travelling

        keep = travelling.write_whole
        patch.setattr(
            travelling,
            "write_whole",
            lambda path, content: (written.append(path.name), keep(path, content)),
        )
        unpack(tmp_path / "run", files)
    assert written[-2:] == [CONFIG, CHECKPOINT]
    Path(tmp_path / "run" / ".draft").write_bytes(b"half")
    assert read_files(tmp_path / "run") == files
