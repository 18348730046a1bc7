"""Limits of outside bots, and how they are written: `file:bot.py:seconds=2,game=60`."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

from bidarena.envs.arguments import whole


@dataclass(frozen=True)
class Limits:
    """Limits of an outside bot; to exceed one is a fault."""

    seconds: float = 5.0  # for one move
    game: float = 120.0  # seconds for all moves of a game together
    start: float = 60.0  # seconds until a program that keeps running is ready
    training: float = 3600.0  # seconds for an agent that trains before it plays
    output: int = 65536  # bytes of one answer; on stderr sixteen times as many
    memory: int = 2048  # MiB, of each process and of all processes together
    disk: int = 1024  # MiB of each file, and of all temporary files together
    processes: int = 64  # processes at one time
    jail: int = 1  # 0: it may read and write all files that you can, see jail.py
    faults: int = 3  # in a row, each as long as a move may take: then it is not asked any more

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "jail":
                whole("jail", value, 0, 1)
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"{field.name}={value!r}: expected a number above 0")
            if field.type == "int" and not isinstance(value, int):
                raise ValueError(f"{field.name}={value!r}: expected a whole number above 0")


_NAMES = "|".join(field.name for field in dataclasses.fields(Limits))
_ENDING = re.compile(rf"(?P<what>.*?)(?::(?P<limits>(?:{_NAMES})=[^:]*))?", re.DOTALL)


def split_limits(text: str) -> tuple[str, Limits]:
    """Return what to run, and the limits that may be written after the last colon."""
    found = _ENDING.fullmatch(text)
    what, written = (found["what"], found["limits"]) if found else (text, None)
    given: dict[str, float] = {}
    for part in (written or "").split(","):
        if not part:
            continue
        name, _, value = part.partition("=")
        if name not in _NAMES.split("|"):
            raise ValueError(f"{name!r} is no limit; limits are {_NAMES.replace('|', ', ')}")
        try:
            given[name] = int(value) if value.isdigit() else float(value)
        except ValueError:
            raise ValueError(f"{name}={value!r}: expected a number above 0") from None
    return what, Limits(**given)  # type: ignore[arg-type]
