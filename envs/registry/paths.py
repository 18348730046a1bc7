"""Bots that are named by a path: of a policy file, of a zip, or of the folder of a training run."""

from __future__ import annotations

import re
from pathlib import Path

# suffix of a file -> "module:function" of the function (game, path, **options) that makes its bot
POLICIES = {
    ".safetensors": "bidarena.baselines.learned.policy_file:policy_bot",
    ".zip": "bidarena.baselines.learned.sb3:sb3_bot",
}
RUN_FILES = ("best.safetensors", "last.safetensors")  # the policy of a run: the first that exists
_found: dict[str, Path] = {}  # path as the user wrote it -> the file, of all that were looked up
_brought: dict[str, Path] = {}  # path as written on another machine -> the copy of the file here
EXPECTED = (
    "a policy file (.safetensors), a zip of Stable-Baselines3, or the folder of a run with "
    f"{' or '.join(RUN_FILES)} in it"
)


def find_policy(spec: str) -> tuple[Path, str] | None:
    """Return the policy file that a bot's name stands for, and the options written after it.

    Returns None if the name is not a path: it neither ends in .safetensors or .zip nor is a folder.

    Raises:
        ValueError: there is no such file, or the folder is not that of a run.
    """
    ending = re.match(r"(.+?\.(?:safetensors|zip))(?::(.*))?$", spec, re.DOTALL)
    if ending is not None:
        path = _brought.get(ending[1], Path(ending[1]))
        if not path.is_file():
            raise ValueError(f"opponent={spec!r}: there is no such file; expected {EXPECTED}")
        _found[ending[1]] = path.resolve()
        return path, ending[2] or ""
    for folder, rest in ((spec, ""), spec.partition(":")[::2]):
        if folder in _brought:
            return _brought[folder], rest
        if folder and Path(folder).is_dir():
            for name in RUN_FILES:
                if (Path(folder) / name).is_file():
                    _found[folder] = (Path(folder) / name).resolve()
                    return Path(folder) / name, rest
            raise ValueError(f"opponent={spec!r}: this folder is no run; expected {EXPECTED}")
    return None


def found_policies() -> dict[str, Path]:
    """Return the policy files that were looked up in this process, by the path as written.

    Files named inside other names, such as best_response:of=mine.safetensors, are among them.
    """
    return {written: path for written, path in _found.items() if path.is_file()}


def bring_policy(written: str, path: Path) -> None:
    """Let the path `written` stand from now on for `path`, a copy from another machine."""
    _brought[written] = path
