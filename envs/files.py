"""Write files so that they are complete or absent, whatever is killed and if the power fails.

A file is written as a draft beside its place, the draft is brought to the disk (fsync), renamed to
its place, and then the folder is brought to the disk, which remembers the new name. A table that
grows is brought to the disk after each line. Folders for what is kept between runs are here too.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from bidarena.envs.system import try_lock, user_id

PATIENCE = 5.0  # seconds to wait for a folder whose owner may just be ending
CACHE = "cache"  # name of the cache folder of users without a home
OLD_DRAFT = 3600.0  # seconds after which nobody is still writing a draft

_DRAFT = re.compile(r"\..+\.[0-9a-f]{8}")


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Context manager that yields a file to write to, which stands at `path` afterwards.

    Nothing is changed if the block raises. Missing folders are made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write bytes to a file, completely or not at all; see `whole_file`."""
    with whole_file(path) as file:
        file.write(content)


def write_json(path: Path, content: Any) -> None:
    """Write a value as JSON, completely or not at all; see `whole_file`."""
    write_whole(path, (json.dumps(content, indent=2) + "\n").encode())


def append(path: Path, text: str) -> None:
    """Add text to the end of a file; it is on the disk when this returns."""
    new = not path.exists()
    with path.open("ab") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
    if new:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can do that."""
    if sys.platform == "win32":  # folders cannot be opened there
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def remove_drafts(folder: Path, age: float = OLD_DRAFT) -> None:
    """Remove drafts in a folder that killed processes have left.

    Args:
        folder: the folder; folders inside of it are left alone.
        age: seconds since a draft was written; 0 if nobody else writes in the folder.
    """
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):  # another process has just removed it
                if _DRAFT.fullmatch(path.name) and time.time() - path.lstat().st_mtime >= age:
                    path.unlink()


def lock(file: IO[Any], folder: Path, patience: float = PATIENCE) -> None:
    """Claim a folder for this process until `file`, which is open in it, is closed.

    Args:
        file: an open file in the folder.
        folder: the folder.
        patience: seconds to wait for another process, which may just be ending.

    Raises:
        ValueError: another process has claimed the folder and keeps it.
    """
    end = time.monotonic() + patience
    while not try_lock(file):
        if time.monotonic() >= end:
            raise ValueError(f"folder={str(folder)!r}: another run is writing there")
        time.sleep(0.05)


def cache_folder() -> Path:
    """Return the folder for what can be computed again: BIDARENA_CACHE, or the platform's one.

    A user without a home folder, as in some containers, gets a private folder for temporary files.
    """
    chosen = os.environ.get("BIDARENA_CACHE")
    try:
        if chosen:
            return Path(chosen).expanduser()
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # no HOME, and no entry for this user in the list of users
        return private_folder() / CACHE
    return base / "bidarena"


def private_folder() -> Path:
    """Return this user's own folder among the temporary files, which nobody else can write to.

    Raises:
        ValueError: somebody else has made it, or it is a link.
    """
    owner = user_id()
    name = os.environ.get("USERNAME", "") if owner is None else owner
    folder = Path(tempfile.gettempdir()) / f"bidarena-{name}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()  # a link is not followed
    if not stat.S_ISDIR(found.st_mode):
        raise ValueError(f"{folder}: is a link or a file; set TMPDIR to a folder of yours")
    if owner is not None:
        if found.st_uid != owner:
            raise ValueError(f"{folder}: belongs to somebody else; set TMPDIR to a folder of yours")
        if stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)
    return folder
