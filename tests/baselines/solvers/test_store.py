"""Solutions on disk: found again, told apart by rules and version, rebuilt when damaged."""

import subprocess
import sys

import numpy as np
import pytest

from bidarena.baselines.scotch import exact as scotch_exact
from bidarena.baselines.solvers import store
from bidarena.envs import make_game


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDARENA_CACHE", str(tmp_path))
    return tmp_path


def build_once(calls):
    def build():
        calls.append(1)
        return {"values": np.arange(5.0)}

    return build


def test_store__a_second_time_it_is_read(cache):
    game, calls = make_game("scotch", money=5), []
    for _ in range(2):
        found = store.stored(game, "exact", "1", build_once(calls))
        assert found["values"].tolist() == [0, 1, 2, 3, 4]
    assert len(calls) == 1
    assert [path.suffix for path in (cache / "solutions").iterdir()] == [".npz"]


def test_store__rules_solver_and_version_are_told_apart(cache):
    calls = []
    for money, solver, version in ((5, "a", "1"), (6, "a", "1"), (5, "b", "1"), (5, "a", "2")):
        store.stored(make_game("scotch", money=money), solver, version, build_once(calls))
    assert len(calls) == 4


def test_store__damaged_files_are_rebuilt(cache):
    game, calls = make_game("scotch", money=5), []
    store.stored(game, "exact", "1", build_once(calls))
    path = store.path_of(game, "exact", "1")
    whole = path.read_bytes()
    flipped = bytearray(whole)
    at = whole.index(np.arange(5.0).tobytes()) + 11
    flipped[at] ^= 1
    other = store.path_of(make_game("scotch", money=6), "exact", "1")
    store.save(make_game("scotch", money=6), "exact", "1", {"values": np.zeros(5)})
    for damage in (b"", whole[: len(whole) // 2], bytes(flipped), b"x" * 99, other.read_bytes()):
        path.write_bytes(damage)
        found = store.stored(game, "exact", "1", build_once(calls))
        assert found["values"].tolist() == [0, 1, 2, 3, 4]
        assert path.read_bytes() != damage
    assert len(calls) == 6


def test_store__without_a_place_to_write_it_goes_on_with_a_warning(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("BIDARENA_CACHE", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="BIDARENA_CACHE"):
        found = store.stored(make_game("scotch", money=5), "exact", "1", build_once([]))
    assert len(found["values"]) == 5


def test_store__the_default_folder_is_the_users_cache(monkeypatch):
    monkeypatch.delenv("BIDARENA_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert str(store.folder()) == "/somewhere/bidarena/solutions"


def test_store__another_process_reads_the_solution(cache):
    game = make_game("scotch", money=9, length=4)
    scotch_exact.solutions._known.clear()
    value = scotch_exact.solutions.find(game).value
    code = (
        "import bidarena.baselines.scotch.exact as s; from bidarena.envs import make_game\n"
        "s.solutions._solve = None\n"  # so that it cannot be computed there
        "print(s.solutions.find(make_game('scotch', money=9, length=4)).value)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) == value
