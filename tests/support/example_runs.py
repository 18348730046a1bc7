"""Runs an example of examples/stacks and reads the learning result that it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

STACKS = Path(__file__).parents[2] / "examples" / "stacks"
PATIENCE = 600  # seconds; an example takes less than a minute, but may have to wait for a processor
RESULT = re.compile(r"Games won against (\w+): ([\d.]+)% before, ([\d.]+)% after \d+ \w+\.")


class Result(NamedTuple):
    """What an example has printed last."""

    rival: str
    before: float  # share of games won by the policy that has not learned
    after: float

    def shows_learning(self) -> bool:
        """Return whether many more games are won after learning than before."""
        return self.after > 0.6 and self.after > self.before + 0.25


def result_in(text: str) -> Result:
    """Return the learning result in the last line of a text."""
    found = RESULT.fullmatch(text.strip().splitlines()[-1])
    assert found, f"the last line tells no result:\n{text}"
    return Result(found[1], float(found[2]) / 100, float(found[3]) / 100)


def run_example(name: str, folder: Path) -> Result:
    """Run a script in a folder; return its learning result."""
    done = subprocess.run(
        [sys.executable, str(STACKS / name)],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return result_in(done.stdout)
