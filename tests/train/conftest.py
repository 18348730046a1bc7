"""The toy games of tests/envs are importable here."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "envs"))
