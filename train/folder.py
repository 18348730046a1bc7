"""The folder of a run: its configuration, its results, and all that is needed to go on.

    runs/Raj-v0__maskable_ppo__1__20260131-120000/
        config.json         the task, how it is evaluated, the versions of what it was learned with
        command.txt         the command line that starts such a run
        metrics.csv         one line for each round of learning
        evaluations.csv     one line for each match or exact measure
        best.safetensors    the best policy so far, and the one of the last evaluation:
        last.safetensors    both are bots, `bidarena match raj runs/.../best.safetensors greedy`
        checkpoint.pt       tensors and numbers, read without running any code
        learning.png        the evaluations as curves, drawn at the end
        tensorboard/        metrics and evaluations as curves for TensorBoard

Every file is replaced as a whole and on the disk before the run goes on; so is every line of a
table. When a run goes on from its checkpoint, the lines of tables that
are newer than the checkpoint are removed.
"""

from __future__ import annotations

import csv
import io
import json
import platform
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from bidarena.baselines.learned.tensors import read_tensors
from bidarena.envs.files import append, write_whole

CONFIG, COMMAND, CHECKPOINT = "config.json", "command.txt", "checkpoint.pt"
METRICS, EVALUATIONS = "metrics.csv", "evaluations.csv"
BEST, LAST = "best.safetensors", "last.safetensors"
PACKAGES = (
    *("bidarena", "gymnasium", "numba", "numpy", "ray"),
    *("sb3-contrib", "stable-baselines3", "torch"),
)


def new_folder(parent: Path, env: str, algorithm: str, seed: int) -> Path:
    """Make a new folder, named after what runs in it and when it began, and return it."""
    name = f"{env.rpartition('/')[2]}__{algorithm}__{seed}__{time.strftime('%Y%m%d-%H%M%S')}"
    for again in range(1000):
        folder = parent / (f"{name}-{again}" if again else name)
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise ValueError(f"folder={str(parent)!r}: no free name for {name}")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that a result may depend on."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration of a run; raise ValueError if this is not the folder of one."""
    path = folder / CONFIG
    if not path.is_file():
        raise ValueError(
            f"resume={str(folder)!r}: not the folder of a run, there is no {CONFIG} in it; runs "
            "are in runs/ unless --folder said otherwise"
        )
    try:
        config = json.loads(path.read_text())
        task, evaluation = config["task"], config["evaluation"]
        for what in (task["game"], task["algorithm"], config["command"]):
            if not isinstance(what, str):
                raise TypeError(f"{what!r:.50} is not a text")
        for what in (config, task, evaluation, task["rules"]):
            if not isinstance(what, dict):
                raise TypeError(f"{what!r:.50} is not an object")
    except (ValueError, LookupError, TypeError, RecursionError) as wrong:
        raise ValueError(f"{path}: not the configuration of a run ({wrong!r:.200})") from None
    return dict(config)


def write_checkpoint(folder: Path, state: Mapping[str, Any]) -> None:
    """Write the state of a run, as tensors and plain values."""
    import torch

    memory = io.BytesIO()
    torch.save(_as_tensors(state), memory)
    write_whole(folder / CHECKPOINT, memory.getvalue())


def read_checkpoint(folder: Path) -> dict[str, Any] | None:
    """Return the state of a run; None if it was stopped before its first checkpoint."""
    path = folder / CHECKPOINT
    if not path.is_file():
        return None
    try:
        return dict(read_tensors(path.read_bytes()))
    except Exception as wrong:  # zip and unpickler fail in many ways
        raise ValueError(f"{path}: not a checkpoint ({wrong})") from None


def _as_tensors(value: Any) -> Any:
    """Return the value with tensors in place of arrays: torch reads these without running code."""
    import torch

    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.ascontiguousarray(value))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {key: _as_tensors(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_tensors(item) for item in value]
    return value


class CsvTable:
    """A CSV file that grows by lines, and by a column when a line has a new one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._columns: list[str] = []
        if path.is_file():
            with path.open(newline="") as file:
                self._columns = next(csv.reader(file), [])

    def add(self, line: Mapping[str, Any]) -> None:
        """Append a line."""
        new = [name for name in line if name not in self._columns]
        if new:
            rows = self.rows()
            self._columns += new
            head = dict(zip(self._columns, self._columns, strict=True))
            write_whole(self.path, self._text([head, *rows]).encode())
        append(self.path, self._text([line]))

    def rows(self) -> list[dict[str, str]]:
        """Return all lines."""
        if not self.path.is_file():
            return []
        with self.path.open(newline="") as file:
            return list(csv.DictReader(file))

    def _text(self, rows: Sequence[Mapping[str, Any]]) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([row.get(name, "") for name in self._columns] for row in rows)
        return text.getvalue()

    def keep_to(self, steps: int) -> None:
        """Remove lines that are newer than `steps`, and a last line that was cut off."""
        if not self.path.is_file():
            return
        lines = self.path.read_text().splitlines(keepends=True)
        head, rows = lines[:1], lines[1:]
        kept = [row for row in rows if row.endswith("\n") and int(row.partition(",")[0]) <= steps]
        write_whole(self.path, "".join([*head, *kept] if kept else []).encode())
        if not kept:
            self._columns = []
            self.path.unlink()
