"""Solutions on disk: found again, told apart by rules and version, rebuilt when damaged."""

import os
import subprocess
import sys
import tempfile
import time

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


def test_store__a_forged_file_is_not_believed(cache):
    """Written with right checksums of its own by something else than `save`."""
    game, calls = make_game("scotch", money=5), []
    store.stored(game, "exact", "1", build_once(calls))
    path = store.path_of(game, "exact", "1")
    with np.load(path) as found:
        arrays = dict(found)
    for forged in (np.full(5, 9.0), np.arange(5), np.arange(4.0), np.arange(5.0)[None]):
        np.savez(path, **{**arrays, "values": forged})
        found = store.stored(game, "exact", "1", build_once(calls))
        assert found["values"].tolist() == [0, 1, 2, 3, 4]
    del arrays["digest"]
    np.savez(path, **arrays)
    store.stored(game, "exact", "1", build_once(calls))
    assert len(calls) == 6


def test_store__drafts_of_killed_writers_and_unused_solutions_are_removed(cache):
    place = cache / "solutions"
    place.mkdir()
    long_ago = time.time() - 200 * 24 * 3600
    for name in (".new-abc.npz", ".raj-exact-1.npz.0123abcd", "raj-exact-0.npz", "note.txt"):
        (place / name).write_bytes(b"x")
        os.utime(place / name, (long_ago, long_ago))
    (place / ".new-fresh.npz").write_bytes(b"x")
    game = make_game("scotch", money=5)
    store.save(game, "exact", "1", {"values": np.zeros(5)})
    left = {path.name for path in place.iterdir()}
    assert left == {".new-fresh.npz", "note.txt", store.path_of(game, "exact", "1").name}


def test_store__a_user_without_home_or_entry_solves(tmp_path, monkeypatch):
    for name in ("BIDARENA_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("pwd.getpwuid", lambda _: {}[0])
    assert len(store.stored(make_game("scotch", money=5), "a", "1", build_once([]))["values"]) == 5
    assert list(tmp_path.rglob("*.npz"))


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
