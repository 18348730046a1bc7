"""Every module of this part can be imported first: none leans on another one's imports."""

from __future__ import annotations

import subprocess
import sys

ALONE = """
import importlib, pkgutil, sys
import bidarena.evaluate as package

names = [module.name for module in pkgutil.walk_packages(package.__path__, "bidarena.evaluate.")]
assert len(names) > 30
for name in names:
    for loaded in [known for known in sys.modules if known.startswith("bidarena.evaluate")]:
        del sys.modules[loaded]
    importlib.import_module(name)
"""


def test_evaluate__every_module_can_be_imported_first():
    done = subprocess.run(
        [sys.executable, "-c", ALONE], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
