"""Numba's cache on disk, made robust: broken files, full disks, and many processes at once.

Several processes that start with an empty cache would all compile the same. Here the first one that
misses a function locks it until it is saved; the others wait and load it. Each function has a lock
of its own, a file beside those of the cache that exists while it is compiled. A function is
compiled with the functions that it calls while its lock is held, and locks are always taken from
the caller to the called, so that no two processes wait for each other. The system ends the lock of
a process that dies. Where nothing can be locked, each process compiles for itself, as Numba does.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from bidarena.envs import system
from bidarena.envs.compile.stale import note_use, remove_unused

PATIENCE = 900.0  # seconds after which nobody waits for a process that seems to hang
LOOK = 0.05  # seconds between two looks at a lock
SILENCE = 2.0  # seconds of waiting before the user is told

_held = threading.local()  # .stack: the locks of the compilation that runs in this thread
_told: set[str] = set()  # what the user was told of already


def guard_cache(function: Any, label: str) -> None:
    """Let a compiled function share its cache with other processes, and survive broken files.

    A broken file of Numba's cache counts as missing, and a full disk only costs the saving. Numba
    itself fails for ever at an index that is empty, as a power cut can leave it.

    Args:
        function: what `numba.njit(cache=True)` returned.
        label: shown to the user who waits for it; usually the name of the game.
    """
    file = getattr(getattr(function, "_cache", None), "_cache_file", None)
    if file is None:
        return
    file.__class__ = _sound_cache_file(file.__class__)
    file.label = label
    function.compile = _unlocking(function.compile)


def _unlocking(compile_one: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return Numba's `compile` of a function that ends the locks it took, also after an error."""

    def compile_and_unlock(signature: Any) -> Any:
        outer = getattr(_held, "stack", None)
        with ExitStack() as stack:
            _held.stack = stack
            try:
                return compile_one(signature)
            finally:
                _held.stack = outer

    return compile_and_unlock


@lru_cache(maxsize=4)
def _sound_cache_file(kind: Any) -> Any:
    """Return a subclass of Numba's class of cache files: sound, and locked while one compiles."""

    class SoundCacheFile(kind):  # type: ignore[misc]
        """Cache files of Numba; what cannot be read is compiled anew and written again."""

        label: str

        def _load_index(self) -> Any:
            try:
                return super()._load_index()
            except Exception:  # unpickling fails in many ways
                return {}

        def load(self, key: Any) -> Any:
            """Return what is saved; if nothing is, lock the function and look once more."""
            found = self._found(key)
            stack = getattr(_held, "stack", None)
            if found is not None or stack is None:
                return found
            stack.enter_context(_locked(Path(f"{self._index_path}.lock"), self.label))
            return self._found(key)

        def _found(self, key: Any) -> Any:
            try:
                found = super().load(key)
            except Exception:
                return None
            if found is not None:
                note_use(Path(self._index_path))
            return found

        def save(self, key: Any, data: Any) -> None:
            try:
                super().save(key, data)
            except OSError as reason:
                tell_no_cache(reason)
            remove_unused(Path(self._index_path).parent)

    return SoundCacheFile


@contextmanager
def _locked(path: Path, label: str) -> Iterator[None]:
    """Context manager that waits for the lock at `path` and holds it, if it can be had."""
    began = time.monotonic()
    file: IO[Any] | None = None
    with suppress(OSError):  # a folder that cannot be written to, or has no locks
        while (file := _try(path)) is None and time.monotonic() - began < PATIENCE:
            if time.monotonic() - began > SILENCE:
                _tell_waiting(label)
            time.sleep(LOOK)
    try:
        yield
    finally:
        if file is not None:
            with file:
                with suppress(OSError):
                    path.unlink()  # first, while nobody else can have it
                with suppress(OSError):
                    system.unlock(file)


def _try(path: Path) -> IO[Any] | None:
    """Return the file at `path`, locked; None if another process holds the lock.

    The owner of a lock removes the file, so the one that we have opened may be gone by now.
    """
    file = path.open("ab")
    try:
        if system.try_lock(file) and _same(file, path):
            return file
    except BaseException:
        file.close()
        raise
    file.close()
    return None


def _same(file: IO[Any], path: Path) -> bool:
    """Return whether an open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _tell_waiting(label: str) -> None:
    """Print that another process compiles, once for each label."""
    if label not in _told:
        _told.add(label)
        print(f"bidarena: another process is compiling {label}; waiting for it", file=sys.stderr)


def tell_no_cache(reason: Exception) -> None:
    """Warn, once in a process, that Numba has nowhere to save what it compiles."""
    if "no cache" in _told:
        return
    _told.add("no cache")
    warnings.warn(
        f"bidarena compiles anew in every process, because its cache cannot be written ({reason}). "
        "Set NUMBA_CACHE_DIR to a folder of yours to avoid that.",
        stacklevel=2,
    )
