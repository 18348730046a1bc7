"""Plays a Raj `settings.py` as the original program, for which it was written, would play it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.python_file import PythonFile
from bidarena.envs.progress import ShowProgress
from bidarena.envs.raj.env import Settings, from_settings

OPENER = "bidarena.baselines.adapters.raj.worker:open_settings"  # called in the file's process
TOGETHER = "bidarena.baselines.adapters.raj.together:open_series"  # called in that of all agents


@dataclass(frozen=True)
class Series:
    """The result of a series of games."""

    settings: Settings
    seed: int
    names: list[str]  # by seat
    banks: list[list[float]]  # by game, then by seat
    fault: str  # why, and through which agent, the series ended early; empty: it did not

    @property
    def means(self) -> list[float | None]:
        """Return the mean bank of each seat; None if no game was played."""
        if not self.banks:
            return [None] * len(self.names)
        return np.array(self.banks).mean(axis=0).tolist()

    @property
    def wins(self) -> list[int]:
        """Return how many games each seat won alone."""
        return self._best(shared=False)

    @property
    def ties(self) -> list[int]:
        """Return in how many games each seat shared the highest bank with others.

        The original program for three and more players counts these as won.
        """
        return self._best(shared=True)

    def _best(self, shared: bool) -> list[int]:
        """Return in how many games each seat had the highest bank, alone or shared."""
        games = [banks for banks in self.banks if (banks.count(max(banks)) > 1) == shared]
        return [sum(banks[k] == max(banks) for banks in games) for k in range(len(self.names))]


def read_settings(file: str) -> dict[str, Any]:
    """Return the dict `game_settings` of a Python file, which is run in a process of its own."""
    program = PythonFile(file, Limits(), {"open": OPENER})
    try:
        program.load()
    except Fault as wrong:
        raise ValueError(f"{file}: {wrong}") from None
    finally:
        program.close()
    return dict(program.facts["settings"])


def play_settings(
    settings: str | dict[str, Any],
    *,
    folder: str | None = None,
    limits: Limits | None = None,
    progress: ShowProgress | None = None,
) -> Series:
    """Play the series of games that a `game_settings` dict or a `settings.py` describes.

    Files, seats, training and, for a given seed, the order of the items are as in the original
    program. As there, all agents live in one process and share NumPy's global generator, settings
    may have keys that are not used, and the first fault of an agent ends the series. The games
    played until then are kept in the result.

    Args:
        settings: the dict, or the path of the file.
        folder: the folder of the agent files; by default that of the settings file, or the current
            folder.
        limits: limits of time of each agent, and of the memory of all together.
        progress: called with what is done, and how many games of how many.
    """
    if isinstance(settings, str):
        folder = folder or str(Path(settings).parent)
        settings = read_settings(settings)
    read = from_settings(settings)
    if len(read.agents) < 2:
        raise ValueError(f"agentFiles={read.agents!r}: expected at least two agent files")
    # Cards and items stay in the order written: what the generator draws depends on it.
    cards = list(settings.get("cardValues", read.options["cards"]))
    items = list(settings.get("itemValues", read.options["items"]))
    seed = int(time.time()) if read.seed is None else read.seed
    place = Path(folder or ".")
    files = [str((place / file).resolve()) for file in read.agents]
    for file in files:
        if not Path(file).is_file():
            raise ValueError(f"{file!r}: there is no such file; expected a Python file")
    names, banks = list(read.agents), list[list[float]]()
    setup = {"open": TOGETHER, "files": files, "cards": cards, "items": items}
    program = PythonFile(files[0], limits or Limits(), setup)
    fault = name = ""
    games = 0  # that the agent `name` trains
    try:
        for message in _messages(program, seed, read.games, len(files)):
            if "seated" in message:
                names[message["seat"]] = message["seated"]
            elif "banks" in message:
                banks += message["banks"]
                if progress is not None:
                    progress("playing", len(banks), read.games)
            elif "trained" in message:
                name, games = message.get("name", name), message.get("of", games)
                if progress is not None:
                    progress(f"training {name}", message["trained"], games)
    except Fault as wrong:
        fault = str(wrong)
    finally:
        program.close()
    return Series(read, seed, names, banks, fault)


def _messages(program: PythonFile, seed: int, games: int, agents: int) -> Iterator[dict[str, Any]]:
    """Yield what the process of a series tells, until it is over; raise `Fault` at a fault."""
    limits = program.limits
    program.load()
    order = {
        "seed": seed,
        "games": games,
        "seconds": limits.seconds,
        "start": limits.start,
        "training": limits.training,
    }
    # The process itself reports agents that take too long. These limits are for one that cannot.
    patience = limits.start + limits.training
    message = program.send(order, patience)
    seated = 0
    while "answer" not in message:
        if "fault" in message:
            raise Fault(message["fault"])
        if "playing" in message:
            patience = agents * limits.game
        if "seated" in message:
            message["seat"], seated = seated, seated + 1
        yield message
        message = program.listen(patience)
