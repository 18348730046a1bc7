"""Solutions are kept on disk: another process reads them, and other rules are solved anew."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bidarena.baselines.solvers import store
from bidarena.baselines.solvers.generic import solve
from bidarena.envs import make_game

SCRIPT = """
import json, sys
from bidarena.baselines.solvers.generic import solve
from bidarena.envs import make_game

def refuse(*args):
    raise SystemExit("solved anew")

if sys.argv[1] == "read":
    solve.solve_anew = refuse
answer = solve.solve_game(make_game("richman", money=3, max_rounds=20))
print(json.dumps([answer.value, answer.gap, answer.figures, answer.plan.chances.tolist()]))
"""


@pytest.fixture
def own_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("BIDARENA_CACHE", str(tmp_path))
    monkeypatch.setattr(solve, "_answers", {})
    return tmp_path


def run(how):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, how],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kept__a_second_process_reads_what_the_first_has_solved(own_folder):
    assert run("solve") == run("read")
    assert len(list(store.folder().glob("richman-any-*.npz"))) == 1


def test_kept__other_rules_are_solved_anew(own_folder, monkeypatch):
    solved = []
    anew = solve.solve_anew
    monkeypatch.setattr(
        solve, "solve_anew", lambda game, *rest: solved.append(game) or anew(game, *rest)
    )
    answers = []
    for rules in ({"money": 3}, {"money": 4}, {"money": 3}, {"money": 3, "tie": "coin"}):
        solve._answers.clear()
        answers.append(solve.solve_game(make_game("richman", max_rounds=20, **rules)))
    assert len(solved) == 3
    assert answers[0].value == answers[2].value
    assert np.array_equal(answers[0].plan.chances, answers[2].plan.chances)
    assert answers[0].figures != answers[1].figures
    assert len(list(store.folder().iterdir())) == 3


def test_kept__changed_rules_of_the_same_name_are_solved_anew(own_folder, monkeypatch):
    """The version of a solution is made from the source of the rules, not from their name."""
    game = make_game("richman", money=3, max_rounds=20)
    before = solve._version(game)
    assert solve._version(replace(game, idle=())) != before
    others = make_game("scotch", money=3, max_rounds=20)
    assert solve._version(others) != before
    monkeypatch.setattr(solve, "digest", lambda *args: "other rules")
    solve.solve_game(game)
    monkeypatch.undo()
    monkeypatch.setenv("BIDARENA_CACHE", str(own_folder))
    solve._answers.clear()
    assert store.load(game, "any", f"{solve.FORMAT} {solve.Limits().gap:g} {before}") is None


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # NumPy leaves broken files open
def test_kept__a_file_that_is_damaged_is_not_read(own_folder):
    game = make_game("richman", money=3, max_rounds=20)
    first = solve.solve_game(game)
    (path,) = store.folder().iterdir()
    Path(path).write_bytes(path.read_bytes()[:-100])
    solve._answers.clear()
    again = solve.solve_game(game)
    assert again.value == first.value and again is not first
