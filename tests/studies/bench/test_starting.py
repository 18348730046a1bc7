"""What it costs to start: measured in processes of their own, which leave nothing behind."""

import subprocess
import tempfile
from pathlib import Path

import pytest

from bidarena.studies.bench import starting
from bidarena.studies.bench.starting import start_costs


def test_start_costs__a_filled_cache_saves_the_compiling(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "own"))
    found = start_costs(["scotch"])["scotch"]
    assert 0 < found["warm_start_cpu_seconds"] < found["cold_start_cpu_seconds"]
    assert found["most_memory"] is None or found["most_memory"] > 2**20
    assert list(tmp_path.iterdir()) == []  # the own cache was not used, the others are gone


def test_start_costs__keep_the_games_apart(monkeypatch):
    asked = []

    def first_step(key, cache):
        asked.append((key, cache, Path(cache).is_dir()))
        return {"cpu_seconds": len(key), "most_memory": None}

    monkeypatch.setattr(starting, "_first_step", first_step)
    found = start_costs(["raj", "scotch"])
    assert list(found) == ["raj", "scotch"]
    assert found["raj"]["cold_start_cpu_seconds"] == len("bidarena/Raj-v0")
    assert all(there for _, _, there in asked)
    caches = {key: {cache for own, cache, _ in asked if own == key} for key, _, _ in asked}
    assert [len(own) for own in caches.values()] == [1, 1]  # the second start finds the first's
    assert not set.intersection(*caches.values())


def test_start_costs__tell_if_a_process_fails(monkeypatch):
    monkeypatch.setattr(starting, "PROGRAM", "raise SystemExit(3)")
    with pytest.raises(subprocess.CalledProcessError):
        start_costs(["scotch"])
