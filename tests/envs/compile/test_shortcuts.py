"""Shortcuts through Numba: they hold while something of ours is compiled, and change no result."""

import gc
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from compiling import LISTEN
from numba.core import errors, event, postproc, types
from numba.core.typing.context import BaseContext
from numba.core.typing.templates import _OverloadFunctionTemplate
from numba.np import arrayobj

from bidarena.envs.compile import apart, compiled, library, shortcuts

OWN = [
    (postproc.PostProcessor, "run"),
    (types.BaseFunction, "get_call_type"),
    (BaseContext, "resolve_value_type"),
    (event, "install_timer"),
    (arrayobj, "make_array"),
    (_OverloadFunctionTemplate, "_get_jit_decorator"),
]


def functions_of_numba():
    return [getattr(owner, name) for owner, name in OWN]


def spread(numbers):
    room = np.zeros(len(numbers))
    for i in range(len(numbers)):
        room[i] = max(numbers[i], 2.0) // 2
    return room


@apart
def doubled(numbers):
    return spread(numbers) * 2


def both(numbers):
    return spread(numbers).sum() + doubled(numbers).sum()


def mistaken(numbers):
    return numbers + "one"


def test_shortcuts__numba_is_as_before_after_a_compilation():
    before = functions_of_numba()
    assert compiled(both, {}, "toy")(np.arange(5.0)) == 3 * (1 + 1 + 1 + 1 + 2)
    with shortcuts.shortcuts():
        assert functions_of_numba()[0] is not before[0] and not gc.isenabled()
    assert functions_of_numba() == before and gc.isenabled()


def test_shortcuts__numba_is_as_before_after_an_error_which_tells_what_is_wrong():
    before = functions_of_numba()
    with pytest.raises(
        errors.TypingError, match=r"(?s)unicode_type.*mistaken|mistaken.*unicode_type"
    ):
        compiled(mistaken, {}, "toy")(np.arange(5.0))
    assert functions_of_numba() == before and gc.isenabled()


def test_shortcuts__a_collector_that_rests_stays_at_rest():
    gc.disable()
    try:
        with shortcuts.shortcuts():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


ZEROS = """
import numpy as np
from bidarena.envs.compile import apart, compiled
def first(size):
    return np.zeros(size).sum()
@apart
def second(size):
    return np.zeros(size).size
def both(size):
    return first(size) + second(size) + len(np.zeros(size))
assert compiled(both, {}, "toy")(3) == 6
zeros = [one for one in made if "zeros" in one.py_func.__qualname__]
print(len(zeros), *(type(part.library).__name__ for part in zeros[0].overloads.values()))
"""


def test_shortcuts__functions_of_numba_become_parts_once_for_all_callers(tmp_path):
    keep = LISTEN.replace("seen.append(", "made.append(happening.data['dispatcher']); seen.append(")
    assert run("made = []" + keep + ZEROS, tmp_path) == ["1", "Part"]


def test_shortcuts__code_of_others_that_calls_ours_is_compiled_by_numba_alone():
    ours = compiled(both, {}, "toy")

    @numba.njit
    def theirs(numbers):
        room = np.zeros(len(numbers))
        return ours(numbers) + room.sum() + np.zeros(3).sum()

    ours.recompile()
    assert theirs(np.arange(5.0)) == ours(np.arange(5.0))
    assert theirs(np.arange(4, dtype=np.int32)) == 12.0 == ours(np.arange(4, dtype=np.int32))


def test_shortcuts__an_unknown_numba_runs_as_it_is(monkeypatch):
    monkeypatch.setattr(shortcuts, "can_shorten", lambda: False)
    before = functions_of_numba()
    with shortcuts.shortcuts():
        assert functions_of_numba() == before and gc.isenabled()


def test_shortcuts__what_is_kept_of_a_function_is_not_numbas_notes():
    function = compiled(both, {}, "toy")
    function(np.arange(5.0))
    function.recompile()
    made = function.overloads.values()
    assert library.can_split() and all(one.type_annotation == "" for one in made)


PRODUCT = """
import sys, numpy as np
from bidarena.envs.compile import compiled
def add(one, other):
    return one + other
compiled(add, {}, "toy")(1, 2)
print("scipy.linalg" in sys.modules)
def product(one, other):
    return one @ other
print(compiled(product, {}, "toy")(np.ones((2, 3)), np.ones((3, 2))).sum())
"""


def test_shortcuts__scipy_is_imported_for_matrices_only(tmp_path):
    assert run(PRODUCT, tmp_path) == ["False", "12.0"]


def run(program, folder):
    """Return the words that a program prints in a process of its own, with an empty cache."""
    file = folder / "program.py"
    file.write_text(program)
    done = subprocess.run(
        [sys.executable, str(file)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
