"""What the benchmark of scaling predicts from what it measured, and that it can be left out."""

from __future__ import annotations

import json

import pytest

from bidarena.cli.main import main
from bidarena.studies.bench import scaling as bench_ray
from bidarena.studies.bench.scaling import predicted

COSTS = {
    "piece_seconds": 2.0,
    "bytes_returned_per_piece": 1e4,
    "driver_cpu_ms_per_piece": {"4": 1.0, "200": 1.0, "2000": 2.0},
    "store_ms_per_piece": 1.0,
    "bytes_to_driver_per_s": 1e8,
    "start_seconds": 5.0,
}


def test_predicted__more_cores_never_take_longer_while_nothing_is_serial():
    free = {**COSTS, "driver_cpu_ms_per_piece": {"4": 0.0}, "store_ms_per_piece": 0.0}
    for told in predicted(free).values():
        seconds = [one["seconds"] for one in told.values()]
        assert seconds == sorted(seconds, reverse=True)
    assert predicted(free)["100 CPU hours"]["2"]["speed_up"] == pytest.approx(2.0, rel=1e-3)


def test_predicted__a_slow_database_is_named_as_what_limits():
    slow = {**COSTS, "store_ms_per_piece": 500.0}
    told = predicted(slow)["100 CPU hours"]
    assert told["1000"]["first_limit"] == "database"
    assert told["1000"]["speed_up"] < told["1000"]["piece_seconds"] / 0.5 + 1
    assert told["2"]["first_limit"] != "database"


def test_bench__says_that_ray_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(bench_ray.importlib.util, "find_spec", lambda name: None)
    assert main(["bench", "scaling"]) == 0
    assert "Ray is not installed" in capsys.readouterr().out
    assert main(["bench", "scaling", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"scaling": None}
