"""Parts and wholes: what only compiled code calls has no machine code, and all else is as usual."""

import os
import subprocess
import sys

import numpy as np
import pytest
from compiling import LISTEN

from bidarena.envs.compile import apart, compiled, library, rule


@rule
def grow(number):
    raise NotImplementedError


def double(number):
    return 2 * number


def grow_much(number):
    return double(number) + 1


def grow_or_fail(number):
    if number < 0:
        raise ValueError("too small", -7)
    return number


@apart
def filled(size, number):
    numbers = np.empty(size)
    for i in range(size):
        numbers[i] = number
    return numbers


def total(size, number):
    numbers = filled(size, grow(number))
    result = 0.0
    for i in range(size):
        result += numbers[i]
    return result


def part_of(function, name):
    return function.py_func.__globals__[name]


def test_library__parts_have_no_machine_code_and_wholes_hold_them():
    function = compiled(total, {"grow": grow_much}, "toy")
    assert function(3, 5) == 33.0
    function.recompile()  # the disk may have had it
    (part,) = part_of(function, "grow").overloads.values()
    assert type(part.library).__name__ == "Part"
    assert part.library.get_pointer_to_function(part.fndesc.llvm_func_name) == 0
    (made,) = function.overloads.values()
    assert library.can_split() and type(made.library).__name__ == "Whole"
    assert function(3, 5) == 33.0


def test_library__the_same_function_can_be_a_whole_and_a_part():
    alone = compiled(double, {}, "toy")
    inside = part_of(part_of(compiled(total, {"grow": grow_much}, "toy"), "grow"), "double")
    assert alone(4) == 8 and alone is not inside


def test_library__errors_of_parts_reach_python():
    function = compiled(total, {"grow": grow_or_fail}, "toy")
    assert function(2, 5) == 10.0
    with pytest.raises(ValueError, match="too small") as caught:
        function(2, -5)
    assert caught.value.args == ("too small", -7)


def test_library__an_unknown_numba_gets_wholes_only(monkeypatch):
    monkeypatch.setattr(library, "can_split", lambda: False)
    monkeypatch.setattr("bidarena.envs.compile.compiling.can_split", lambda: False)
    assert library.options_of(True) == library.options_of(False) == {}
    function = compiled(total, {"grow": lambda_free}, "toy")
    assert function(2, 5) == 10.0 and part_of(function, "grow")(5) == 5


def lambda_free(number):
    return number


MODULE = """
from bidarena.envs.compile import rule

@rule
def grow(number):
    raise NotImplementedError

def double(number):
    return 2 * number

def grow_much(number):
    if number < 0:
        raise ValueError("too small", -7)
    return double(number) + 1

def first(number):
    return grow(number)

def second(number):
    return grow(number) + 1000
"""

CALL = """
import sys
sys.path.insert(0, ".")
import toy
from bidarena.envs.compile import compiled
function = compiled(toy.{name}, {{"grow": toy.grow_much}}, "toy")
try:
    function(-5)
except ValueError as error:
    print(error.args, end=" ")
print(function(5), *(name.partition("__")[0] for name in seen))
"""


def test_library__a_kept_rule_serves_other_loops_in_other_processes(tmp_path):
    (tmp_path / "toy.py").write_text(MODULE)

    def call(name):
        done = subprocess.run(
            [sys.executable, "-c", LISTEN + CALL.format(name=name)],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert call("first") == "('too small', -7) 11 first grow_much double"
    assert call("first") == "('too small', -7) 11"  # all of it is kept
    assert call("second") == "('too small', -7) 1011 second"  # the rule is loaded with its helper
