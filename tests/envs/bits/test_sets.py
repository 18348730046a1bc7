"""Sets as whole numbers: compiled functions do what Python does, on every processor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidarena.envs.bits import count, highest, lowest, nth, subset
from bidarena.envs.compile import compiled
from bidarena.envs.rng import WORDS, seeded


def described(mask, n, rng):
    """Return all that the functions say of a set and its n-th element."""
    drawn = subset(rng, mask, n)
    return count(mask), nth(mask, n), lowest(mask), highest(mask), lowest(mask & 0), drawn


@settings(deadline=None)  # the first example compiles
@given(st.sets(st.integers(0, 61), min_size=1), st.data())
def test_bits__compiled_code_and_python_agree(things, data):
    n = data.draw(st.integers(0, len(things) - 1))
    mask = sum(1 << thing for thing in things)
    rng = seeded(np.random.default_rng(n), WORDS)
    expected = (len(things), sorted(things)[n], min(things), max(things), 62)
    with np.errstate(over="ignore"):
        in_python = described(mask, n, rng.copy())
    in_code = compiled(described, {}, "bits")(mask, n, rng)
    assert in_python[:5] == in_code[:5] == expected
    assert in_python[5] == in_code[5] and count(in_code[5]) == n
    assert in_code[5] & mask == in_code[5]


def test_bits__of_the_empty_set():
    assert (count(0), lowest(0), highest(0)) == (0, 62, -1)


SAME = """
import numpy as np
from test_sets import compiled, described
from numba.core.registry import cpu_target
found = cpu_target.target_context.codegen().magic_tuple()
assert "+bmi2" not in found[2], found
describe = compiled(described, {}, "bits")
for mask in (1, 0b1011, 0xF0F0F0F0F0F0F0F, (1 << 62) - 1):
    for n in range(mask.bit_count()):
        words = np.array([3 + n, 5], np.uint64)
        with np.errstate(over="ignore"):
            assert describe(mask, n, words.copy()) == described(mask, n, words), (mask, n)
print("same")
"""


@pytest.mark.parametrize("switch", [{"NUMBA_CPU_NAME": "generic"}, {"NUMBA_CPU_FEATURES": ""}])
def test_bits__a_processor_without_the_instruction_finds_the_same(switch, tmp_path):
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    env = {**os.environ, **switch, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", SAME], env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout == "same\n", done.stderr
