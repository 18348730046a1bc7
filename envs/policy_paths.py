"""When the name of a bot is a path: of a policy file, of a zip, or of the folder of a run."""

from __future__ import annotations

import re
from pathlib import Path

# by the end of its name, what makes a bot of a file: function(game, path, **options)
POLICIES = {
    ".safetensors": "bidarena.baselines.policy_file:policy_bot",
    ".zip": "bidarena.baselines.sb3_network:sb3_bot",
}
RUN_FILES = ("best.safetensors", "last.safetensors")  # what stands for a run, the better one first
_found: dict[str, Path] = {}  # the files that names stood for in this process, by what was written
_brought: dict[str, Path] = {}  # files of another machine, by what they are called there
EXPECTED = (
    "a policy file (.safetensors), a zip of Stable-Baselines3, or the folder of a run with "
    f"{' or '.join(RUN_FILES)} in it"
)


def find_policy(spec: str) -> tuple[Path, str] | None:
    """The file that a bot's name stands for, and the options written after it.

    None if it is not a path: it ends neither in .safetensors nor in .zip, and is no folder.
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
    """The files that names of bots stood for in this process, by what was written for them.

    Also those named inside of other names, such as best_response:of=mine.safetensors.
    """
    return {written: path for written, path in _found.items() if path.is_file()}


def bring_policy(written: str, path: Path) -> None:
    """From now on `written` stands for a file that was brought here from another machine."""
    _brought[written] = path
