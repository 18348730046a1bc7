"""The folder of compiled code: one for all installations of a user, found by digests alone."""

import os
import subprocess
import sys

import pytest

from bidarena.envs.compile import digest
from bidarena.envs.compile.place import compiled_folder, is_writable

TOY = """def helper(x):
    return x + 1


def outer(x):
    return 10 * helper(x)
"""
CALL = """
import sys
sys.path.insert(0, ".")
from numba.core import event
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
from bidarena.envs.compile import compiled
from toy import outer
print(compiled(outer, {}, "toy")(4), len(recorder.buffer) > 0)
"""


def run(folder, code=CALL, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.fixture
def toys(tmp_path):
    """Two folders with the same module, and the name of a cache of their own."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "toy.py").write_text(TOY)
    return tmp_path / "one", tmp_path / "two", {"BIDARENA_CACHE": str(tmp_path / "cache")}


def test_place__another_installation_finds_what_one_has_compiled(toys, tmp_path):
    one, two, cache = toys
    assert run(one, **cache) == ["50", "True"]
    assert list((tmp_path / "cache" / "compiled").glob("toy.outer__*.nbi"))
    assert not list(one.rglob("*.nbi"))
    assert run(two, **cache) == ["50", "False"]


def test_place__comments_and_docstrings_compile_nothing_but_changed_helpers_do(toys):
    one, two, cache = toys
    run(one, **cache)
    told = TOY.replace(
        "    return x + 1", '    """Add one."""\n    # the next one\n    return x + 1'
    )
    (two / "toy.py").write_text(f"# a comment above\n{told}")
    assert run(two, **cache) == ["50", "False"]
    (two / "toy.py").write_text(TOY.replace("x + 1", "x + 2"))
    assert run(two, **cache) == ["60", "True"]


def test_place__code_that_checks_bounds_is_not_mixed_with_code_that_does_not(toys):
    one, _, cache = toys
    assert run(one, **cache, NUMBA_BOUNDSCHECK="1") == ["50", "True"]
    assert run(one, **cache) == ["50", "True"]
    assert run(one, **cache) == ["50", "False"]


def test_place__functions_of_others_stay_where_numba_keeps_them(toys):
    one, _, cache = toys
    code = CALL.replace("compiled(outer, {}, ", "__import__('numba').njit(cache=True)(lambda x: ")
    code = code.replace('"toy")(4)', "x + 46)(4)")
    (one / "foreign.py").write_text(code)
    run(one, "import foreign", **cache)
    assert list((one / "__pycache__").glob("foreign.*.nbi"))


def test_place__without_a_folder_of_our_own_numba_keeps_it_beside_the_file(toys, tmp_path):
    one, _, _ = toys
    (tmp_path / "file").write_text("in the way")
    cache = {"BIDARENA_CACHE": str(tmp_path / "file" / "cache")}
    assert run(one, **cache) == ["50", "True"]
    assert list((one / "__pycache__").glob("toy.outer__*.nbi"))
    assert run(one, **cache) == ["50", "False"]


def test_compiled_folder__is_the_one_that_was_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    assert compiled_folder() == tmp_path / "chosen"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("BIDARENA_CACHE", str(tmp_path))
    assert compiled_folder() == tmp_path / "compiled"


def test_is_writable__makes_the_folder(tmp_path):
    assert is_writable(tmp_path / "a" / "b") and (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    assert not is_writable(tmp_path / "file" / "folder")


def with_docstring(x):
    """Return x."""
    return x


def without_docstring(x):
    return x


def test_digest__does_not_see_docstrings():
    without_docstring.__qualname__ = with_docstring.__qualname__
    assert digest(with_docstring, {}) == digest(without_docstring, {})
