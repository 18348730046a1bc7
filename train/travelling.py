"""Moving the folder of a run from one machine to another, as the bytes of its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bidarena.envs.files import lock, write_whole
from bidarena.train.folder import CHECKPOINT, CONFIG


def read_files(folder: Path) -> dict[str, bytes]:
    """Return all files of a run by their paths in its folder; none if there is no run in it yet.

    Raise ValueError if another process is writing in the folder.
    """
    if not (folder / CONFIG).is_file():
        return {}
    with (folder / CONFIG).open("rb") as claimed:
        lock(claimed, folder)
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.name.startswith(".")  # no drafts
        }


def unpack(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a run, each as a whole, in an order in which a kill does no harm.

    Until the configuration is there, there is no run. Until the checkpoint is there, the run goes
    on from the checkpoint before, and newer lines of tables are removed.
    """
    for name in sorted(files, key=lambda name: ("", CONFIG, CHECKPOINT).index(_rank(name))):
        write_whole(folder / name, files[name])


def _rank(name: str) -> str:
    return name if name in (CONFIG, CHECKPOINT) else ""
