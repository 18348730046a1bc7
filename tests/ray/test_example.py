"""The example for RLlib learns, as the page on stacks says."""

from example_runs import run_example


def test_example__learns(tmp_path, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    found = run_example("with_rllib.py", tmp_path)
    assert found.shows_learning(), found
