"""The benchmark of scaling: every figure is there, under keys that stay."""

from __future__ import annotations

import json

from bidarena.cli.main import main
from bidarena.studies.bench import scaling as bench_ray


def test_bench__scaling_has_stable_keys(monkeypatch, capsys):
    small = {"WARM": 4, "LENGTH": 0.1, "ROUNDS": 1, "EMPTY": 40, "WRITES": 3, "LARGE": 2**16}
    for name, value in small.items():
        monkeypatch.setattr(bench_ray, name, value)
    monkeypatch.setattr(bench_ray, "BOTS", ("ismcts:iterations=20,book=formula", "rules"))
    assert main(["bench", "scaling", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["scaling"]
    ratios = {"ray_2_workers_to_1", "ray_1_worker_to_local", "machine_2_processes_to_1"}
    assert set(found["ratios"]) == ratios
    assert set(found["ray_games_per_s"]) == {"1", "2"}
    assert all(value > 0 for value in [*found["ratios"].values(), found["local_games_per_s"]])
    costs = found["costs"]
    assert set(costs["driver_cpu_ms_per_piece"]) == {"4", "200", "2000"}
    for key in ("deals_per_core_second", "store_ms_per_piece", "start_seconds"):
        assert costs[key] > 0
    assert set(found["predicted"]["100 CPU hours"]) == {"1", "2", "10", "100", "1000"}
