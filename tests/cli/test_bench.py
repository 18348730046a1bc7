"""`bidarena bench`: stable keys, and a table that can be read in a narrow terminal."""

import io
import json

from rich.console import Console

from bidarena.cli.bench import _exact_table, _table
from bidarena.cli.main import main
from bidarena.studies.bench import BATCHES, THREADED, environments, exact

RESULT = {
    "reference": {
        "cartpole_single_steps_per_s": 123_000.0,
        "cartpole_vector_steps_per_s": {str(n): 8.5e6 for n in BATCHES},
    },
    "games": {
        "raj": {
            "single_steps_per_s": 245_000.0,
            "vector_steps_per_s": {str(n): 10.5e6 for n in BATCHES},
            "vector_2_threads_steps_per_s": {str(n): 9.8e6 for n in THREADED},
            "random_games_per_s": 3.5e6,
            "bytes_per_env": 402,
            "most_memory": 170 << 20,
            "cold_start_cpu_seconds": 6.7,
            "warm_start_cpu_seconds": 0.8,
            "train_steps_per_s": 25_000.0,
            "train_env_share": 0.02,
            "solve_seconds": 0.027,
            "solved_rules": {},
            "bot_microseconds_per_move": {"minimax": 12.5},
            "reference": {
                "openspiel": {
                    "game": "goofspiel(imp_info=True)",
                    "with_observation_steps_per_s": 1e5,
                    "random_games_per_s": 1e4,
                }
            },
            "search": {
                "mcts_iterations_per_s": 880_000.0,
                "long_search": {
                    "technique": "mcts",
                    "ms": 1500,
                    "bytes_used": 51 << 20,
                    "bytes_reserved": 64 << 20,
                },
            },
            "ratios": {
                "single_to_cartpole": 1.8,
                "vector_to_cartpole": {str(n): 71.3 for n in BATCHES},
                "vector_to_sync": 1234.0,
                "two_threads_to_one": {str(n): 1.87 for n in THREADED},
                "train_to_sb3_defaults": 14.0,
                "search_to_openspiel": {"mcts": {"goofspiel(imp_info=True)": 6.4}},
            },
        }
    },
}


def test_table__has_all_numbers_in_eighty_columns():
    out = io.StringIO()
    Console(file=out, width=80).print(_table(RESULT))
    shown = out.getvalue()
    numbers = ("1.8", "71.3", "1234", "1.87", "105", "350", "6.4", "14", "51 of 64 MiB")
    for number in (*numbers, "170 MiB", "6.7 s CPU", "0.8 s CPU"):
        assert f" {number} " in shown, shown
    assert "…" not in shown


def test_bench__has_stable_keys(capsys, monkeypatch):
    starts = {"scotch": {"cold_start_cpu_seconds": 6.0}}  # measured in tests/studies/bench
    monkeypatch.setattr(environments, "start_costs", lambda names: {n: starts[n] for n in names})
    assert main(["bench", "scotch", "--seconds", "0.02", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    scotch = result["games"]["scotch"]
    assert set(scotch["vector_steps_per_s"]) == {"1024", "8192"}
    for key in ("single_steps_per_s", "bytes_per_env", "cold_start_cpu_seconds"):
        assert scotch[key] > 0
    for by_rows in (scotch["vector_2_threads_steps_per_s"], scotch["ratios"]["two_threads_to_one"]):
        assert set(by_rows) == {"8192", "65536"}
        assert all(number > 0 for number in by_rows.values())
    assert result["reference"]["cartpole_single_steps_per_s"] > 0
    assert scotch["ratios"]["vector_to_sync"] > 1
    assert scotch["search"]["mcts_iterations_per_s"] > 0
    assert scotch["search"]["ismcts_iterations_per_s"] > 0
    long = scotch["search"]["long_search"]
    assert 0 < long["bytes_used"] <= long["bytes_reserved"] <= 64 * 2**20
    spiel = result["reference"]["openspiel_search"]
    assert set(spiel["ismcts_iterations_per_s"]) == {"euchre", "bridge", "hearts"}
    assert set(scotch["ratios"]["search_to_openspiel"]) == {"mcts", "ismcts"}


def test_bench_exact__shows_times_and_ratios(capsys):
    assert main(["bench", "exact", "--seconds", "0.01", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["exact"]
    out = io.StringIO()
    Console(file=out, width=80).print(_exact_table(found["exact"]))
    shown = out.getvalue()
    for row in found["exact"].values():
        for number in (row["information_sets"], row["ratios"]["nash_conv_to_python"]):
            assert f" {number:,.0f} " in shown, shown
        row["ratios"] = None
    Console(file=out, width=80).print(_exact_table(found["exact"]))
    assert "not installed" in out.getvalue() and "…" not in out.getvalue()


def test_bench_large__shows_size_time_and_memory(capsys, monkeypatch):
    monkeypatch.setattr(exact.large_costs, "__defaults__", (3,))
    assert main(["bench", "large"]) == 0
    shown = capsys.readouterr().out
    assert "192" in shown and "1.111111" in shown and "GiB" in shown
