"""Build in a folder for temporary files; everything else is in pyproject.toml.

Setuptools would build in `build/` of the clone and leave it there, and every file in it, also one
that was removed since, would go into all later wheels.
"""

import atexit
import shutil
import tempfile

from setuptools import setup
from setuptools.command.build import build


class TemporaryBuild(build):
    """The command `build`, in a folder that is removed when Python ends."""

    def initialize_options(self) -> None:
        """Choose the folder; one that is named on the command line replaces it."""
        super().initialize_options()
        self.build_base = tempfile.mkdtemp(prefix="bidarena-build-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)


setup(cmdclass={"build": TemporaryBuild})
