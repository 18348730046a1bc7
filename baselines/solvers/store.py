"""Keep solutions on disk, so that the next process reads what this one has computed.

The folder is `bidarena/solutions` in the user's cache folder, or `solutions` in the folder that
BIDARENA_CACHE names. A file has a label that says what it solves: game, rules, solver and version.
It is used only if the label is as expected and its checksums are right; otherwise the solution is
computed again. Files are written under another name and then renamed, so nobody reads half a file.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import Game

FORMAT = 1  # version of the files
LABEL = "label"  # name of the entry of a file that holds its label

Arrays = dict[str, NDArray[np.float64]]


def folder() -> Path:
    """Return the folder of solutions: in BIDARENA_CACHE, or in the platform's cache folder."""
    chosen = os.environ.get("BIDARENA_CACHE")
    if chosen:
        return Path(chosen).expanduser() / "solutions"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "bidarena" / "solutions"


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
    """Return the arrays of a solution; None if there is no file, or if it is damaged."""
    try:
        with np.load(path_of(game, solver, version), allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}  # this checks the checksums
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, NotImplementedError):
        return None
    if str(arrays.pop(LABEL, "")) != label(game, solver, version):
        return None
    return arrays


def save(game: Game, solver: str, version: str, arrays: Arrays) -> None:
    """Write a solution to disk; warn instead of failing if the folder cannot be written to."""
    path = path_of(game, solver, version)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-", suffix=".npz")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **{LABEL: np.array(label(game, solver, version))}, **arrays)  # type: ignore[arg-type]
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as reason:
        warnings.warn(
            f"the solution of {game.name} is not kept ({reason}); set BIDARENA_CACHE to a folder "
            "of yours to keep it",
            stacklevel=2,
        )


def stored(game: Game, solver: str, version: str, build: Callable[[], Arrays]) -> Arrays:
    """Return a solution from disk; if there is none, call `build` and save what it returns."""
    arrays = load(game, solver, version)
    if arrays is None:
        arrays = build()
        save(game, solver, version, arrays)
    return arrays
