"""Compiled code that nobody uses: old files go, used and foreign ones stay."""

import os
import subprocess
import sys
import time

import pytest

from bidarena.envs.compile import remove_compiled, stale

DAY = 86_400


def made(folder, name, days):
    file = folder / name
    file.write_bytes(b"x")
    os.utime(file, (time.time() - days * DAY,) * 2)
    return file


INDEX = "rules.step__raj_0123456789ab-56.py311.nbi"
CODE = "rules.step__raj_0123456789ab-56.py311.1.nbc"
OLD = "rules.step__raj_ba9876543210-50.py311.nbi"
FOREIGN = ("rules.step-56.py311.nbi", "notes.txt", "rules.cpython-311.pyc")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    stale.remove_unused.cache_clear()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_remove_unused__old_files_of_ours_go(folder):
    old, kept = made(folder, OLD, stale.DAYS + 1), made(folder, INDEX, stale.DAYS - 1)
    foreign = [made(folder, name, 400) for name in FOREIGN]
    stale.remove_unused(folder)
    assert not old.exists() and kept.exists() and all(file.exists() for file in foreign)


def test_note_use__makes_an_index_and_its_code_young(folder):
    index, code, other = (made(folder, name, 20) for name in (INDEX, CODE, OLD))
    stale.note_use(index)
    ages = [time.time() - file.stat().st_mtime for file in (index, code, other)]
    assert ages[0] < 60 and ages[1] < 60 and ages[2] > 19 * DAY
    stale.note_use(folder / "gone.nbi")  # removed by another process meanwhile


def test_remove_compiled__removes_all_of_ours_and_nothing_else(folder):
    ours = [made(folder, name, 0) for name in (INDEX, CODE, OLD)]
    foreign = [made(folder, name, 0) for name in FOREIGN]
    assert remove_compiled() == 3
    assert not any(file.exists() for file in ours) and all(file.exists() for file in foreign)


def test_remove_compiled__finds_what_was_really_compiled(folder):
    code = "import gymnasium as gym, bidarena.envs; gym.make('bidarena/Scotch-v0').reset(seed=1)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert remove_compiled() > 5
    assert not list(folder.rglob("*.nb?"))
