"""What is done once on a machine and not once in each of its processes: compiling, above all.

Processes that are told of a folder they share take turns: the first one that needs something
prepares it, the others wait and then find it on the disk. Processes that were told of none, such as
those whose parent has prepared everything, do not wait for anybody.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from bidarena.envs.game import Game
from bidarena.envs.learner import player_of
from bidarena.evaluate.playing import Player, prepare

STALE = 2 * 24 * 3600.0  # seconds after which what a run left on a machine is removed

_shared: list[Path] = []  # the folder that the processes of this machine share, if there is one
_made: dict[tuple[bytes, str], Player] = {}  # bots by name that this process has made
_prepared: set[tuple[bytes, str]] = set()


def share(folder: Path | None) -> None:
    """Take turns with the other processes that share this folder; None: with nobody.

    Bots that were made before are forgotten: their names may stand for other files now.
    """
    _shared[:] = [] if folder is None else [folder]
    _made.clear()
    _prepared.clear()


@contextmanager
def turn(what: str) -> Iterator[bool]:
    """Wait until nobody on this machine prepares `what`; whether that is now to be done here."""
    if not _shared:
        yield False
        return
    mark = _shared[0] / f"{hashlib.sha256(what.encode()).hexdigest()[:24]}.prepared"
    if mark.exists():
        yield False
        return
    with (_shared[0] / "lock").open("a") as file:
        _wait_for(file)
        needed = not mark.exists()
        if needed:  # one lock for everything: different bots share most of their code
            yield True
            mark.touch()
    if not needed:
        yield False


def player(game: Game, bot: str) -> Player:
    """A bot by its name, or a policy by its file; made once in a process."""
    if (game.key, bot) not in _made:
        _made[game.key, bot] = player_of(game, bot)
    return _made[game.key, bot]


def ready(game: Game, bot: str) -> Player:
    """The same with its code compiled: once on a machine, loaded by the other processes."""
    key = (game.key, bot)
    if key not in _prepared:
        with turn(f"{game.key.hex()} {bot}"):
            prepare(game, [player(game, bot)])
        _prepared.add(key)
    return player(game, bot)


def machine_folder(run: str) -> Path:
    """A folder of this machine and user for a run; those of runs long past are removed."""
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    parent = Path(tempfile.gettempdir()) / f"bidarena-{owner}"
    parent.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and parent.stat().st_uid != owner:
        raise ValueError(f"{parent}: belongs to somebody else; set TMPDIR to a folder of yours")
    folder = parent / run
    folder.mkdir(exist_ok=True)
    for other in parent.iterdir():
        with suppress(OSError):  # somebody else has just removed it
            if time.time() - other.stat().st_mtime > STALE:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def _wait_for(file: IO[Any]) -> None:
    """Until no other process holds the lock; it is given up when the file is closed."""
    with suppress(ImportError):  # Windows, where several may prepare the same
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
