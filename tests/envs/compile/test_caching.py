"""The cache on disk: one of many processes compiles, the others wait; nobody waits for the dead."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager

import pytest

from bidarena.envs.compile import caching, compiled

PLAY = """
    from numba.core import event
    recorder = event.RecordingListener()
    event.register("numba:compile", recorder)
    import gymnasium as gym, bidarena.envs
    env = gym.make("bidarena/Scotch-v0", money=(20, 20))
    env.reset(seed=1)
    print(len(recorder.buffer))
"""

TOY = """
    import sys, time
    sys.path.insert(0, ".")
    from numba.core import event
    recorder = event.RecordingListener()
    event.register("numba:compile", recorder)
    from bidarena.envs.compile import compiled
    from toy import outer
    ready = compiled(outer, {}, "toy")
    print(ready(4), len(recorder.buffer))
"""


def start(code, folder, **environment):
    """Start code in a fresh interpreter in `folder`."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return out.strip(), said


@pytest.fixture
def toy(tmp_path):
    """A folder with a module of two functions, and its cache."""
    (tmp_path / "toy.py").write_text(
        "def inner(x):\n    return x + 1\n\n\ndef outer(x):\n    return 10 * inner(x)\n"
    )
    (tmp_path / "cache").mkdir()
    return tmp_path


def test_cache__of_several_processes_one_compiles(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    counts = [finish(one)[0] for one in [start(PLAY, tmp_path, **cache) for _ in range(3)]]
    compiled_by = sorted(map(int, counts))
    assert compiled_by[:2] == [0, 0] and compiled_by[2] > 0
    assert not list(tmp_path.rglob("*.lock"))


@contextmanager
def owner(path, seconds):
    """Another process that holds the lock at `path` for some seconds."""
    code = f"""
        import time
        from pathlib import Path
        from bidarena.envs.compile.caching import _locked
        with _locked(Path({str(path)!r}), "x"):
            print("locked", flush=True)
            time.sleep({seconds})
    """
    process = start(code, path.parent)
    assert process.stdout.readline() == "locked\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def lock_of(function, toy):
    """Return where a function of the toy has its lock, as a run tells; clear the cache."""
    finish(start(TOY, toy, NUMBA_CACHE_DIR=str(toy / "cache")))
    (index,) = (toy / "cache").rglob(f"toy.{function}__*.nbi")
    for file in (toy / "cache").rglob("*.nbi"):
        file.unlink()
    return index.with_name(f"{index.name}.lock")


def test_cache__a_dead_owner_blocks_nobody(toy):
    """A process that was killed while it compiled leaves the file, but not the lock."""
    path = lock_of("outer", toy)
    with owner(path, 1000) as process:
        waiting = start(TOY, toy, NUMBA_CACHE_DIR=str(toy / "cache"))
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(6)
        process.kill()
        out, said = finish(waiting)
    assert out == "50 4"  # beginning and end of both functions
    assert said.count("another process is compiling toy; waiting for it") == 1
    assert not path.exists()


def test_cache__nobody_waits_longer_than_their_patience(monkeypatch, tmp_path):
    monkeypatch.setattr(caching, "PATIENCE", 0.2)
    path = tmp_path / "some.lock"
    with owner(path, 1000):
        began = time.monotonic()
        with caching._locked(path, "x"):
            assert 0.2 <= time.monotonic() - began < 5
        assert path.exists()  # it is the other's


def test_cache__a_folder_that_cannot_be_written_to_has_no_locks(tmp_path):
    missing = tmp_path / "no" / "such" / "folder" / "x.lock"
    with caching._locked(missing, "x"):
        assert not missing.exists()


def test_cache__a_lock_is_taken_again_by_the_next(tmp_path):
    path = tmp_path / "x.lock"
    for _ in range(2):
        with caching._locked(path, "x"):
            assert path.exists()
            assert caching._try(path) is None  # not even by this process
        assert not path.exists()


def test_cache__removed_lock_files_lock_nothing(tmp_path, monkeypatch):
    """Between opening a file and locking it, its last owner may remove it."""
    path = tmp_path / "x.lock"
    take = caching.system.try_lock

    def remove_first(file):
        path.unlink()
        return take(file)

    monkeypatch.setattr(caching.system, "try_lock", remove_first)
    assert caching._try(path) is None


def wrong(x):
    return x.no_such_thing


def test_cache__an_error_while_compiling_leaves_no_lock(monkeypatch):
    taken = []
    real = caching._locked
    monkeypatch.setattr(
        caching, "_locked", lambda path, label: taken.append(path) or real(path, label)
    )
    with pytest.raises(Exception, match="no_such_thing"):
        compiled(wrong, {}, "test")(1)
    assert taken and not any(path.exists() for path in taken)
    assert getattr(caching._held, "stack", None) is None


def test_cache__threads_that_compile_at_once_finish(toy, monkeypatch):
    monkeypatch.syspath_prepend(str(toy))
    import toy as module

    ready = compiled(module.outer, {}, "toy")
    found = []
    threads = [
        threading.Thread(target=lambda x=x: found.append(ready(x))) for x in (1, 2.0, True, 4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == [20, 20, 30, 50]
