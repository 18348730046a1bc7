"""Files that are there as a whole or not at all, whenever the writing process is killed."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import IO, Any


def write_whole(path: Path, content: bytes) -> None:
    """Write beside `path`, see to it that it is on the disk, then put it in the place of `path`."""
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
    """One JSON value as a file."""
    write_whole(path, (json.dumps(content, indent=2) + "\n").encode())


def lock(file: IO[Any], folder: Path) -> None:
    """Claim a folder until `file` in it is closed; a ValueError if another run has claimed it."""
    try:
        import fcntl
    except ImportError:  # Windows, where two runs in one folder are not prevented
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ValueError(f"folder={str(folder)!r}: another run is writing there") from None
