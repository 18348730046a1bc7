"""Work that is done once on a machine and not in each of its processes, above all compiling.

Processes that share a folder take turns: the first one that needs something prepares it, the others
wait and then find it on the disk. Processes without a shared folder, such as those whose parent has
prepared everything, do not wait.

Bots by name are made once in a process.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from bidarena.envs.files import CACHE, private_folder
from bidarena.envs.game import Game
from bidarena.envs.learner import Policy, player_of
from bidarena.envs.registry import Bot
from bidarena.envs.system import try_lock

STALE = 2 * 24 * 3600.0  # seconds after which the folder of a run on a machine is removed

_shared: list[Path] = []  # the folder that the processes of this machine share, if there is one
_made: dict[tuple[bytes, str], Bot | Policy] = {}  # bots that this process has made
prepared: set[tuple[bytes, str]] = set()  # (key of the game, bot) that this process has compiled


def share(folder: Path | None) -> None:
    """Take turns with the other processes that share this folder; None: do not take turns.

    Bots made before are dropped, because their names may stand for other files now.
    """
    _shared[:] = [] if folder is None else [folder]
    _made.clear()
    prepared.clear()


@contextmanager
def turn(what: str) -> Iterator[bool]:
    """Context manager that waits while another process of this machine prepares `what`.

    It yields whether this process is the one to prepare it.
    """
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


def player(game: Game, bot: str) -> Bot | Policy:
    """Return a bot by its name or the path of its policy; it is made once in a process."""
    if (game.key, bot) not in _made:
        _made[game.key, bot] = player_of(game, bot)
    return _made[game.key, bot]


def forget_bots() -> None:
    """Drop all bots made so far, and end the programs of those that run outside of this process.

    The next `player` makes them anew, from files and servers as they are then.
    """
    for bot in _made.values():
        close = getattr(getattr(bot, "outside", None), "close", None)
        if close is not None:
            close()
    _made.clear()
    prepared.clear()


def machine_folder(run: str) -> Path:
    """Return the folder of a run on this machine, one for each user; remove those of old runs."""
    parent = private_folder()
    folder = parent / run
    folder.mkdir(mode=0o700, exist_ok=True)
    for other in parent.iterdir():
        with suppress(OSError):  # another process has just removed it
            if other.name != CACHE and time.time() - other.lstat().st_mtime > STALE:
                shutil.rmtree(other)  # refuses a link
    return folder


def _wait_for(file: IO[Any]) -> None:
    """Wait until no other process holds the lock, and take it until the file is closed."""
    while not try_lock(file):
        time.sleep(0.05)
