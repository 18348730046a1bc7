"""The environment that Ray lives in: what it shares with the other one, and what it must pin."""

from __future__ import annotations

from importlib.metadata import requires, version
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ("llvmlite", "numba", "numpy", "torch")  # what is compiled by one is loaded by the other


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


def test_environment__shares_compiled_code_with_the_other_one():
    ours, other = pins("constraints-ray.txt"), pins("constraints.txt")
    for package in SHARED:
        assert ours[package] == other[package] == version(package).partition("+")[0]


def test_environment__has_the_gymnasium_that_rllib_wants():
    wanted = [line for line in requires("ray") or [] if line.startswith("gymnasium==")]
    assert wanted and f"gymnasium=={version('gymnasium')}" in wanted[0]
