"""The benchmark suite from end to end: figures, refusals, resuming, algorithms from outside."""

import json
import signal
import subprocess
import sys
import time

import pytest
import toy_climber  # noqa: F401  registers its algorithm for all tests of this process

from bidarena.cli.main import main
from bidarena.studies.suite import Settings, read_suite, study
from bidarena.studies.suite import runs as runs_module
from bidarena.studies.suite.budget import PRESETS, Budget, choose_budget, planned_steps
from bidarena.studies.suite.runs import MEASURED, Job, do_all, learn
from bidarena.train.folder import CHECKPOINT, CONFIG, METRICS

CELLS = """
name: test-v1
cells:
  tiny-raj:
    title: Raj, 3 cards
    game: raj
    rules: {cards: [1, 2, 3], items: [1, 2, 3], reward: margin}
    measure: exploitability
    random: 1.5555555555555556
    perfect: 0
  tiny-coins:
    game: coins
    rules: {board: triangle3}
    measure: kept_everywhere
    random: 0.36316551665388874
    perfect: 1
"""


@pytest.fixture
def cells(tmp_path):
    path = tmp_path / "cells.yml"
    path.write_text(CELLS)
    return path


def words(cells, folder, *more):
    line = ["study", "suite", "--suite", str(cells), "--folder", str(folder), "--json"]
    return [*line, "--budget", "tiny", *more]


def test_suite__two_cells_two_algorithms_end_to_end(cells, tmp_path, capsys):
    args = words(cells, tmp_path / "runs", "--algo", "minimax_q", "minimax_td", "--seeds", "2")
    assert main([*args, "--cpu-seconds", "2", "--decisions", "1e5"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["suite"] == "test-v1" and found["budget"]["name"] == "2s-100000"
    q, td = found["algorithms"]["minimax_q"], found["algorithms"]["minimax_td"]
    raj = td["cells"]["tiny-raj"]
    assert raj["seeds"] == [1, 2] and len(raj["figure"]["values"]) == 2
    for figure, value in zip(raj["figure"]["values"], raj["value"]["values"], strict=True):
        assert figure == pytest.approx(1 - value / 1.5555555555555556)
    # they have learned, on a slow machine too: the budget is in CPU seconds
    assert raj["figure"]["mean"] > 0 and q["cells"]["tiny-raj"]["figure"]["mean"] > 0.1
    assert raj["exact"] and raj["figure"]["half_width"] > 0 and raj["against"] == "self"
    # what cannot be learned has its reason
    assert "move at the same time" in q["cells"]["tiny-coins"]["refused"]
    assert td["overall"]["cells"] == 2 and q["overall"]["cells"] == 1
    own, over_all = q["overall"]["mean_of_own"], q["overall"]["mean_of_all"]
    assert over_all["mean"] == pytest.approx(own["mean"] / 2)  # the cell it cannot learn counts 0
    folder = tmp_path / "runs" / "test-v1-2s-100000"
    assert json.loads((folder / "result.json").read_text()) == found
    assert (folder / "result.png").read_bytes().startswith(b"\x89PNG")
    table = (folder / "result.md").read_text().splitlines()
    assert table[0] == "|  | `minimax_q` | `minimax_td` |"
    assert table[3].startswith("| `tiny-coins` | - | ") and "±" in table[2]
    page = (folder / "result.html").read_text()
    assert "minimax_td" in page and "Raj, 3 cards" in page and "move at the same time" in page
    assert "src=" not in page and "http" not in page.replace("http-equiv", "")  # one file


def test_suite__finished_runs_are_not_repeated_and_all_are_reported(
    cells, tmp_path, capsys, monkeypatch
):
    args = words(cells, tmp_path / "runs", "--cells", "tiny-raj", "--seeds", "1")
    assert main([*args, "--algo", "minimax_q"]) == 0
    first = json.loads(capsys.readouterr().out)
    begun = []
    keep = runs_module.run
    monkeypatch.setattr(
        runs_module, "run", lambda *given, **more: begun.append(given[3]) or keep(*given, **more)
    )
    assert main([*args, "--algo", "minimax_q", "mmd"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert [folder.name for folder in begun] == ["tiny-raj__mmd__1"]
    assert both["algorithms"]["minimax_q"] == first["algorithms"]["minimax_q"]
    assert main([*args, "--algo", "mmd"]) == 0  # reports the other algorithm too
    assert json.loads(capsys.readouterr().out)["algorithms"] == both["algorithms"]
    assert len(begun) == 1


def test_job__goes_on_after_sigterm_and_ends_as_planned(cells, tmp_path):
    code = (
        "import sys; from pathlib import Path\n"
        "from bidarena.studies.suite import read_suite\n"
        "from bidarena.studies.suite.budget import Budget\n"
        "from bidarena.studies.suite.runs import Job, learn\n"
        "cell = read_suite(Path(sys.argv[1])).cells[0]\n"
        "budget = Budget('own', 200_000, 1e5)\n"
        "learn(Job('test-v1', cell, 'minimax_q', 1, budget, Path(sys.argv[2])))"
    )
    job = Job(
        "test-v1",
        read_suite(cells).cells[0],
        "minimax_q",
        1,
        Budget("own", 200_000, 1e5),
        tmp_path / "runs",
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(cells), str(tmp_path / "runs")])
    until = time.monotonic() + 120
    while not (job.run / METRICS).is_file() and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) != 0
    assert (job.run / CHECKPOINT).is_file() and not (job.run / MEASURED).is_file()
    planned = json.loads((job.run / CONFIG).read_text())
    before = (job.run / METRICS).read_text().splitlines()
    told = learn(job)
    assert (job.run / METRICS).read_text().splitlines()[: len(before)] == before  # not anew
    assert json.loads((job.run / CONFIG).read_text()) == planned
    assert told["decisions"] >= planned["task"]["steps"] == told["planned_decisions"] == 200_000
    assert told["ended_by"] == "decisions"


def test_job__ends_by_its_cpu_seconds(cells, tmp_path):
    cell = read_suite(cells).cells[0]
    budget = Budget("own", 10**9, 0.5)
    told = learn(Job("test-v1", cell, "minimax_q", 1, budget, tmp_path))
    assert told["ended_by"] == "cpu_seconds" and told["decisions"] < 10**8
    assert told["planned_decisions"] == planned_steps(told["pace"], budget)


def test_suite__refuses_a_folder_with_runs_of_other_settings(cells, tmp_path, capsys, monkeypatch):
    args = words(cells, tmp_path / "runs", "--cells", "tiny-raj", "--algo", "minimax_q")
    assert main([*args, "--seeds", "1"]) == 0
    cells.write_text(CELLS.replace("perfect: 0", "perfect: 0.5"))
    capsys.readouterr()
    assert main([*args, "--seeds", "1"]) == 2
    told = capsys.readouterr().err
    assert "another cell" in told and "*__minimax_q__*" in told


def test_suite__runs_away_bring_their_files_home(cells, tmp_path, monkeypatch):
    """As on a Ray, without one: the worker has a folder of its own, files travel both ways."""
    from bidarena.evaluate.workers import ray as ray_module

    away = tmp_path / "away"
    monkeypatch.setattr(ray_module, "scratch", lambda: away)

    def do(work, jobs):
        for job in jobs:
            yield job, work(job)

    suite, budget, home = read_suite(cells), PRESETS["tiny"], tmp_path / "home"
    jobs = [Job("test-v1", cell, "minimax_q", 1, budget, home) for cell in suite.cells]
    found = {job.cell.name: result for job, result in do_all(do, jobs, away=True)}
    assert "refused" in found["tiny-coins"] and not jobs[1].run.exists()
    names = {path.name for path in jobs[0].run.iterdir()}
    assert names == {path.name for path in (away / "runs" / jobs[0].run.name).iterdir()}
    assert json.loads((jobs[0].run / MEASURED).read_text()) == found["tiny-raj"]
    monkeypatch.setattr(ray_module, "scratch", lambda: pytest.fail("it was done again"))
    again = {job.cell.name: result for job, result in do_all(do, jobs[:1], away=True)}
    assert again["tiny-raj"] == found["tiny-raj"]


OUTSIDE = """
import numpy as np

from bidarena.baselines.learned.network import Network
from bidarena.train import Stepwise, register_algorithm

register_algorithm("still", "own_algorithm:learner")


def learner(task):
    return Stepwise(task, stand_still)


def stand_still(task):
    game = task.make_game()
    shape = (game.observation_size, game.actions)
    for steps in range(1000, 10**9, 1000):
        yield steps, Network((np.zeros(shape, np.float32),), (np.zeros(shape[1], np.float32),))
"""


def test_suite__an_algorithm_from_outside_that_learns_nothing_is_at_0(
    cells, tmp_path, monkeypatch, capsys
):
    (tmp_path / "own_algorithm.py").write_text(OUTSIDE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    settings = Settings(
        algo=("own_algorithm:still",),
        cells=("tiny-raj",),
        budget="tiny",
        seeds=1,
        suite=cells,
        folder=tmp_path / "runs",
    )
    report = study(settings)
    told = report.result["algorithms"]["still"]["cells"]["tiny-raj"]
    assert told["figure"]["mean"] == pytest.approx(0.0, abs=1e-9)
    assert told["decisions"] == 4000
    args = words(cells, tmp_path / "runs", "--cells", "tiny-raj", "--seeds", "1")
    args.remove("--json")
    assert main([*args, "--algo", "own_algorithm:still"]) == 0
    assert "still" in capsys.readouterr().out


def test_suite__an_algorithm_that_cannot_play_itself_learns_against_the_sparring_bot(
    cells, tmp_path
):
    cell = read_suite(cells).cells[0]
    told = learn(Job("test-v1", cell, "toy_climber:climb", 1, PRESETS["tiny"], tmp_path))
    assert told["against"] == "random" and told["algorithm"] == "climb"


def test_budget__presets_and_own_limits():
    assert choose_budget("small", None, None) is PRESETS["small"]
    own = choose_budget("tiny", None, 2.0)
    assert own == Budget("2s-4000", 4000, 2.0)
    with pytest.raises(ValueError, match="cpu_seconds=0: expected a number above 0"):
        choose_budget("tiny", None, 0)
    assert planned_steps(1000.0, own) == 2000 and planned_steps(1e9, own) == 4000
