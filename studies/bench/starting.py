"""What it costs to start: time and memory of fresh processes up to the first step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bidarena.envs.registry import env_id
from bidarena.envs.system import usable_cores

# Started alone, it makes an environment and takes one legal step; then it tells what that took,
# with the processes that it has started itself, from the start of the interpreter on.
PROGRAM = """
import json, os, sys, time
import gymnasium, numpy
env = gymnasium.make("bidarena.envs:" + sys.argv[1])
_, info = env.reset(seed=0)
env.step(int(numpy.flatnonzero(info["action_mask"])[0]))
from bidarena.envs.system import most_memory
spent = os.times()
print(json.dumps({"cpu_seconds": sum(spent[:4]), "most_memory": most_memory()}))
"""


def start_costs(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return for each game what the first step of `gym.make` takes in a process of its own.

    The keys: `cold_start_cpu_seconds`, with an empty cache, so that everything is compiled;
    `warm_start_cpu_seconds`, with what that process has left in the cache; `most_memory`, the most
    bytes of memory that the second process had, None where nobody tells. CPU time hardly depends on
    what else the machine does, so that as many games as there are cores are measured at once.
    """
    with ThreadPoolExecutor(usable_cores()) as pool:
        return dict(zip(names, pool.map(_cold_and_warm, names), strict=True))


def _cold_and_warm(name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (_first_step(env_id(name), cache) for _ in range(2))
    return {
        "cold_start_cpu_seconds": cold["cpu_seconds"],
        "warm_start_cpu_seconds": warm["cpu_seconds"],
        "most_memory": warm["most_memory"],
    }


def _first_step(key: str, cache: str) -> dict[str, Any]:
    """Return what a fresh process takes for its first step, with its compiled code in `cache`."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, key],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
        text=True,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told
