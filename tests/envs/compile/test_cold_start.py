"""Cold start: how many functions are compiled until the first step of each game.

Seconds depend on the machine; the number of functions does not, and it is what grows unnoticed. A
text that is put together in compiled code adds some forty functions of Numba's own.
"""

import os
import subprocess
import sys

import pytest
from compiling import LISTEN

STEP = """
import gymnasium as gym, bidarena.envs
env = gym.make({name!r})
_, info = env.reset(seed=1)
env.step(int(info["action_mask"].argmax()))
print(*seen)
"""

MOST = {
    "bidarena/Scotch-v0": 24,
    "bidarena/RichmanGraph-v0": 21,
    "bidarena/Raj-v0": 27,
    "bidarena/Coins-v0": 16,
    "bidarena/TwentyNine-v1": 83,
}


@pytest.mark.parametrize("name", MOST)
def test_cold_start__few_functions_are_compiled_for_the_first_step(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LISTEN + STEP.format(name=name)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = done.stdout.split()
    assert seen[0].startswith("run_rows__") and len(seen) <= MOST[name], seen
    assert not any("str" in function or "repr" in function for function in seen)  # no texts
