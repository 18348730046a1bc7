"""Keep solutions on disk, so that the next process reads what this one has computed.

The folder is `bidarena/solutions` in the user's cache folder, or `solutions` in the folder that
BIDARENA_CACHE names. A file has a label that says what it solves: game, rules, solver and version.
It is used only if the label is as expected and the digest of its content is right; otherwise the
solution is computed again. Files are written as a whole, so nobody reads half a file.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.files import OLD_DRAFT, cache_folder, remove_drafts, whole_file
from bidarena.envs.game import Game

FORMAT = 2  # version of the files
LABEL, DIGEST = "label", "digest"  # names of the entries of a file that hold these
STALE = 180 * 24 * 3600.0  # seconds after which a solution that nobody has read is removed

Arrays = dict[str, NDArray[np.float64]]


def folder() -> Path:
    """Return the folder of solutions: in BIDARENA_CACHE, or in the platform's cache folder."""
    return cache_folder() / "solutions"


def label(game: Game, solver: str, version: str) -> str:
    """Return the label of a solution: a text with everything the solution depends on."""
    rules = {"game": game.name, "rules": game.options, "cfg": game.cfg.tolist()}
    return json.dumps(
        {"format": FORMAT, "solver": solver, "version": version, **rules}, sort_keys=True
    )


def path_of(game: Game, solver: str, version: str) -> Path:
    """Return the path of the file of a solution."""
    digest = hashlib.sha256(label(game, solver, version).encode()).hexdigest()[:16]
    return folder() / f"{game.name}-{solver}-{digest}.npz"


def load(game: Game, solver: str, version: str) -> Arrays | None:
    """Return the arrays of a solution; None if there is no file, or if it is not as it was saved.

    Compiled code trusts these arrays, so a file without the right digest of its content is not
    used. That finds damage and files that something else wrote. It does not keep out somebody who
    may write in the folder of your caches.
    """
    path = path_of(game, solver, version)
    try:
        with np.load(path, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        wanted = label(game, solver, version)
        if str(arrays.pop(LABEL, "")) != wanted:
            return None
        if str(arrays.pop(DIGEST, "")) != _digest(wanted, arrays):
            return None
        os.utime(path)  # used now, so not stale
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, NotImplementedError):
        return None
    except (MemoryError, zlib.error):  # of a forged header, or of damage
        return None
    return arrays


def save(game: Game, solver: str, version: str, arrays: Arrays) -> None:
    """Write a solution to disk; warn instead of failing if the folder cannot be written to.

    Drafts of killed writers and solutions that nobody has used for long are removed.
    """
    path = path_of(game, solver, version)
    wanted = label(game, solver, version)
    told = {LABEL: np.array(wanted), DIGEST: np.array(_digest(wanted, arrays))}
    try:
        with whole_file(path) as file:
            np.savez(file, **told, **arrays)  # type: ignore[arg-type]
        _clear(path.parent)
    except (OSError, ValueError) as reason:
        warnings.warn(
            f"the solution of {game.name} is not kept ({reason}); set BIDARENA_CACHE to a folder "
            "of yours to keep it",
            stacklevel=2,
        )


def _digest(wanted: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash of a label and of all arrays with their names, types and shapes."""
    found = hashlib.sha256(wanted.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(array.view(np.uint8).data if array.size else b"")
    return found.hexdigest()


def _clear(place: Path) -> None:
    """Remove old drafts, and solutions that were not used for `STALE` seconds."""
    remove_drafts(place)
    for path in [*place.glob("*.npz"), *place.glob(".new-*.npz")]:  # .new-: drafts until 0.2
        age = OLD_DRAFT if path.name.startswith(".") else STALE
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > age:
                path.unlink()


def stored(game: Game, solver: str, version: str, build: Callable[[], Arrays]) -> Arrays:
    """Return a solution from disk; if there is none, call `build` and save what it returns."""
    arrays = load(game, solver, version)
    if arrays is None:
        arrays = build()
        save(game, solver, version, arrays)
    return arrays
