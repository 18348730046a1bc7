"""Write files so that they are complete or absent, even if the process is killed meanwhile."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import IO, Any


def write_whole(path: Path, content: bytes) -> None:
    """Write bytes to a draft beside `path`, wait until they are on the disk, rename it to `path`.

    Missing folders are made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """Write a value as JSON, completely or not at all; see `write_whole`."""
    write_whole(path, (json.dumps(content, indent=2) + "\n").encode())


def lock(file: IO[Any], folder: Path) -> None:
    """Claim a folder for this process until `file`, which is open in it, is closed.

    Raises:
        ValueError: another process has claimed the folder.
    """
    try:
        import fcntl
    except ImportError:  # Windows, where two runs in one folder are not prevented
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ValueError(f"folder={str(folder)!r}: another run is writing there") from None
