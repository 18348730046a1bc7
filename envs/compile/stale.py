"""Removes compiled code that nobody uses any more from Numba's cache.

When a function changes, its compiled copies get new names (see `compiling.py`), and the files of
the old ones stay. Each use of a file is noted by its date, once a day. Files that were not used for
`DAYS` days are removed when something new is compiled beside them.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from bidarena.envs.compile.place import compiled_folder

DAYS = 30  # without use, after which compiled code is removed
_DAY = 86_400.0
# module.function__label_digest-line.python version, of an index (nbi) or of code (nbc)
_OURS = re.compile(r".+__\w+_[0-9a-f]{12}-\d+\.py\d+\w*(\.\d+)?\.nb[ic]")


def note_use(index: Path) -> None:
    """Note that the code of an index is used today."""
    with suppress(OSError):  # gone by now, or not ours to change
        if time.time() - index.stat().st_mtime > _DAY:
            for file in _files_of(index):
                os.utime(file)


@cache
def remove_unused(folder: Path) -> None:
    """Remove files of ours that were not used for long; once for each folder in a process."""
    for file in _ours(folder):
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > DAYS * _DAY:
                file.unlink()


def remove_compiled() -> int:
    """Remove all compiled code of ours, old and new, and return how many files that were."""
    removed = 0
    for folder in _folders():
        for file in _ours(folder):
            with suppress(OSError):
                file.unlink()
                removed += 1
    return removed


def _files_of(index: Path) -> Iterator[Path]:
    """Yield an index and the files of code that belong to it."""
    yield index
    yield from index.parent.glob(f"{index.stem}.*.nbc")


def _ours(folder: Path) -> Iterator[Path]:
    return (file for file in folder.glob("*.nb[ic]") if _OURS.fullmatch(file.name))


def _folders() -> Iterator[Path]:
    """Yield all folders in which Numba may keep code of ours."""
    import bidarena

    yield compiled_folder()
    if not os.environ.get("NUMBA_CACHE_DIR"):
        for place in bidarena.__path__:  # where the first one could not be written to
            yield from Path(place).rglob("__pycache__")
