"""Where the time of learners goes: shares that add up, for every algorithm that fits a game."""

import io
import time
from types import SimpleNamespace

import pytest
from rich.console import Console

from bidarena.cli import bench as command
from bidarena.studies.bench import training
from bidarena.train.algorithms import algorithms


def spend(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


class Known:
    """A learner whose times are known: two parts environment, one inference, three update."""

    steps = 0

    def learn(self):
        spend(0.02)
        spend(0.01)
        self._update()
        self.steps += 100
        return {"env_seconds": 0.02, "seconds": 0.06}

    def _update(self):
        spend(0.03)


def test_costs__takes_the_time_of_a_learner_apart():
    told = training._costs(Known(), 0.2)
    assert told["environment"] == pytest.approx(2 / 6, abs=0.08)
    assert told["inference"] == pytest.approx(1 / 6, abs=0.08)
    assert told["update"] == pytest.approx(3 / 6, abs=0.08)
    assert told["decisions_per_cpu_s"] > 0


@pytest.fixture
def one_game(monkeypatch):
    """Only one algorithm of each kind, on one game."""
    some = ["maskable_ppo", "fast_ppo", "mmd", "td"]
    assert set(some) <= set(algorithms())
    monkeypatch.setattr(training, "algorithms", lambda: [*some, "rllib_ppo"])
    asking = SimpleNamespace(bench=SimpleNamespace(learners=True))
    silent = SimpleNamespace(bench=SimpleNamespace(learners=False))
    monkeypatch.setattr(training, "tools_of", lambda name: asking if name == "raj" else silent)


def test_learner_costs__has_every_algorithm_that_can_learn_the_game(one_game, monkeypatch):
    said = []
    found = training.learner_costs(0.01, said.append)
    assert list(found) == ["raj"]
    rows = {(row["algorithm"], row["opponent"]): row for row in found["raj"]}
    named = {(name, who) for name in ("maskable_ppo", "fast_ppo") for who in ("random", "self")}
    alike = {(training.ALIKE, who) for who in ("random", "self")}
    assert set(rows) == named | alike | {("mmd", "self")}  # td is for open games
    assert len(said) == len(rows)
    for row in rows.values():
        assert row["environment"] + row["inference"] + row["update"] == pytest.approx(1)
        assert min(row["environment"], row["inference"], row["update"]) > 0
    assert rows["maskable_ppo", "random"]["times_first"] == 1
    out = io.StringIO()
    monkeypatch.setattr(command, "Console", lambda: Console(file=out, width=100))
    command._show_training(found)
    shown = out.getvalue()
    assert "fast_ppo, alike" in shown and "…" not in shown


def test_learner_costs__the_settings_alike_are_those_of_maskable_ppo():
    values = training._task_like_sb3("raj", "random").settings
    assert values["rows"] == 512 and values["hidden"] == [64, 64] and values["epochs"] == 4
