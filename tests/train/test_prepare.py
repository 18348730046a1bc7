"""`bidarena prepare`: after it nothing is left to be compiled, and what cannot be done is told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import toy_nim
from compiling import LISTEN

from bidarena.cli.main import main
from bidarena.train.prepare import Errand, do, errands, prepare

PREPARE = """
import toy_pennies
from bidarena.train.prepare import Errand, do
for errand in (Errand("toy_pennies", "environment"), Errand("toy_pennies", "table")):
    assert not do(errand).refusal
"""
USE = """
import gymnasium as gym, toy_pennies
from bidarena.evaluate.match import play_match
env = gym.make("toy/Pennies-v0")
env.reset(seed=5)
env.step(1)
play_match("toy_pennies", ["random", "random"], games=10)
print(*seen)
"""


def test_prepare__nothing_is_compiled_afterwards(tmp_path):
    def run(code):
        environment = {
            **os.environ,
            "NUMBA_CACHE_DIR": str(tmp_path),
            "PYTHONPATH": str(Path(toy_nim.__file__).parent),
        }
        line = [sys.executable, "-c", LISTEN + code]
        done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    run(PREPARE)
    assert run(USE) == []


def test_errands__cover_bots_learners_and_the_truth():
    words = {(errand.kind, errand.name) for errand in errands("toy_nim")}
    assert {("environment", ""), ("table", ""), ("truth", ""), ("bot", "perfect")} <= words
    assert ("learner", "td") in words and ("learner", "mmd") in words
    assert ("bot", "mcts:iterations=100") in words  # with its options of tournaments


def test_do__a_refusal_is_told_and_no_error():
    assert do(Errand("toy_nim", "bot", "perfect")).refusal == ""
    assert (
        "in turn" in do(Errand("toy_nim", "learner", "minimax_q")).refusal
        or do(Errand("toy_nim", "learner", "minimax_q")).refusal
    )
    assert do(Errand("toy_nim", "learner", "td")).refusal == ""


def test_prepare__shows_how_far_it_is(monkeypatch):
    kept = [Errand("toy_nim", "environment"), Errand("toy_nim", "table")]
    monkeypatch.setattr("bidarena.train.prepare.errands", lambda game: iter(kept))
    shown = []
    show = lambda what, done, total, news="": shown.append((done, total, news))  # noqa: E731
    done = prepare(["toy_nim"], processes=1, show=show)
    assert [one.errand for one in done] == kept
    assert [entry[:2] for entry in shown] == [(0, 2), (1, 2), (2, 2)]
    assert shown[-1][2] == "toy_nim: table"


def test_prepare__command(monkeypatch, capsys):
    kept = [Errand("toy_nim", "environment"), Errand("toy_nim", "bot", "nobody")]
    monkeypatch.setattr("bidarena.train.prepare.errands", lambda game: iter(kept))
    assert main(["prepare", "toy_nim", "--processes", "1", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["prepared"]
    assert first["refusal"] is None and "nobody" in second["refusal"]
    assert main(["prepare", "toy_nim", "--processes", "1"]) == 0
    assert "environment" in capsys.readouterr().out
    assert main(["prepare", "toy_nim", "--processes", "0"]) == 2
    assert "processes" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["nothing", "toy_nothing"])
def test_prepare__unknown_games_are_named(name, capsys):
    assert main(["prepare", name]) == 2
    assert name in capsys.readouterr().err
