"""Where compiled code is kept: one folder for all installations of a user.

Numba keeps code in `__pycache__` beside each file, or in a folder that is named after the place of
the file, and forgets it when any line of the file changes. Our names carry a digest of all that a
function depends on (`compiling.py`), so neither is needed: every installation, virtual environment
and checkout of a user finds what another one has compiled, and a changed comment compiles nothing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from bidarena.envs.files import cache_folder

FOLDER = "compiled"
STAMP = "named by digest"  # Numba compares it; our names change with the code instead


def compiled_folder() -> Path:
    """Return the folder of compiled code: NUMBA_CACHE_DIR, or `compiled` in the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) if chosen else cache_folder() / FOLDER


@lru_cache(maxsize=8)
def is_writable(folder: Path) -> bool:
    """Make a folder if there is none; return whether files can be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@lru_cache(maxsize=1)
def keep_in_one_folder(is_ours: Callable[[str], bool]) -> None:
    """Let Numba keep our functions in our folder.

    Where that cannot be written to, Numba looks for another place as usual.

    Args:
        is_ours: whether a qualified name is that of a function of ours.
    """
    from numba.core import caching

    class Place(caching._CacheLocator):  # type: ignore[misc]
        """Tells Numba where a function of ours is kept."""

        def __init__(self, folder: Path) -> None:
            self.folder = folder

        @classmethod
        def from_function(cls, function: Any, file: str) -> Any:
            """Return the place of a function, or None if it is not ours."""
            folder = compiled_folder()
            return cls(folder) if is_ours(function.__qualname__) and is_writable(folder) else None

        def ensure_cache_path(self) -> None:
            """Make the folder if somebody has removed it meanwhile."""
            self.folder.mkdir(parents=True, exist_ok=True)

        def get_cache_path(self) -> str:
            """Return the folder."""
            return str(self.folder)

        def get_source_stamp(self) -> str:
            """Return what never changes."""
            return STAMP

        def get_disambiguator(self) -> str:
            """Return what stands for the line of a function in Numba's names of files."""
            return "0"

    caching.CacheImpl._locator_classes.insert(0, Place)
