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
        if not Path(ending[1]).is_file():
            raise ValueError(f"opponent={spec!r}: there is no such file; expected {EXPECTED}")
        return Path(ending[1]), ending[2] or ""
    for folder, rest in ((spec, ""), spec.partition(":")[::2]):
        if folder and Path(folder).is_dir():
            for name in RUN_FILES:
                if (Path(folder) / name).is_file():
                    return Path(folder) / name, rest
            raise ValueError(f"opponent={spec!r}: this folder is no run; expected {EXPECTED}")
    return None
