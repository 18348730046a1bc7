"""For tests of bots in other processes: programs that misbehave, and what is left of them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bidarena.envs.batch import Batch
from bidarena.envs.game import Game
from bidarena.envs.learner import player_of

PYTHON = [sys.executable, "-I", "-S"]  # starts quickly

# Code of programs that do something else than answer. FORK leaves several processes behind.
FORK = """
import os, sys, time
def quiet():
    for stream in range(3):
        os.close(stream)
    time.sleep(1000)
if os.fork() == 0:
    quiet()
if os.fork() == 0:  # a daemon: a session of its own, and no parent
    os.setsid()
    if os.fork() == 0:
        quiet()
    os._exit(0)
if os.fork() == 0:  # keeps our pipes open
    os.setsid()
    time.sleep(1000)
"""
TROUBLE = {
    "hangs": "import time; time.sleep(1000)",
    "hangs and ignores signals": (
        "import signal, time\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n"
        "while True: time.sleep(1)"
    ),
    "prints without end": "import sys\nwhile True: sys.stdout.write('7' * 100000)",
    "prints lines without end": "while True: print('hello')",
    "complains without end": "import sys\nwhile True: sys.stderr.write('no ' * 100000)",
    "dies": "raise KeyError('lost')",
    "is killed": "import os; os.kill(os.getpid(), 9)",
    "forks and hangs": FORK + "time.sleep(1000)",
    "forks and dies": FORK + "sys.exit(3)",
    "forks without end": "import os\nwhile True: os.fork()",
    "eats memory": "block = bytearray(2 * 10**9)",
}


def processes_of(home: str) -> list[int]:
    """Return all processes with this HOME in their environment, whatever their parents are."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"HOME={home}".encode() in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            continue
    return found


PATIENCE = 30.0  # seconds; on a busy machine processes may take long to end


def all_gone(home: str, seconds: float = PATIENCE) -> bool:
    """Return whether all processes with this HOME end within some seconds."""
    return soon(lambda: not processes_of(home), seconds)


def soon(happens: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Return whether `happens()` becomes true within some seconds."""
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def open_files() -> int:
    """Return how many files this process has open."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def moves_of(game: Game, bots: list[Any], rows: int, seed: int) -> list[list[int]]:
    """Play `rows` games in one batch, bot k in seat k; return the actions of each game."""
    players = [player_of(game, bot) for bot in bots]
    batch = Batch(game, rows, seed=seed)
    moves: list[list[int]] = [[] for _ in range(rows)]
    actions = np.zeros(rows, np.int64)
    while (batch.movers >= 0).any():
        movers = batch.movers.copy()
        for seat, player in enumerate(players):
            batch.ask(player, movers == seat, actions)
        for row in np.flatnonzero(movers >= 0):
            moves[row].append(int(actions[row]))
        batch.step(actions)
    return moves
