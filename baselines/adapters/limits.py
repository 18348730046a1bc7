"""What a program from outside may use, and how that is written: `file:bot.py:seconds=2,game=60`."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of a program; passing one is a fault."""

    seconds: float = 5.0  # for a move
    game: float = 120.0  # for all moves of a game together
    start: float = 60.0  # from its start until it is ready, for a program that stays
    training: float = 3600.0  # for agents that train before they play
    output: int = 65536  # bytes of an answer; sixteen times as many on stderr
    memory: int = 2048  # MiB, of each of its processes and of all together
    processes: int = 64  # at the same time
    faults: int = 3  # one after another, after which it is not asked any more

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"{field.name}={value!r}: expected a number above 0")
            if field.type == "int" and not isinstance(value, int):
                raise ValueError(f"{field.name}={value!r}: expected a whole number above 0")


_NAMES = "|".join(field.name for field in dataclasses.fields(Limits))
_ENDING = re.compile(rf"(?P<what>.*?)(?::(?P<limits>(?:{_NAMES})=[^:]*))?", re.DOTALL)


def split_limits(text: str) -> tuple[str, Limits]:
    """What to run, and the limits written after the last colon, if any are."""
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
