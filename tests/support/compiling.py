"""Work that has to be compiled, and tells what was compiled for it and in which process."""

from __future__ import annotations

import os
from dataclasses import dataclass

from numba.core import event

from bidarena.evaluate.tournament.run import Job, play_job

compiled_here: list[str] = []

# Code for another process, before all else there: `seen` gets the names of what is compiled
LISTEN = """
from numba.core import event
seen = []
class Listener(event.Listener):
    def on_start(self, happening):
        seen.append(happening.data["dispatcher"].py_func.__qualname__)
    def on_end(self, happening):
        pass
event.register("numba:compile", Listener())
"""


class _Listener(event.Listener):
    def on_start(self, happening):
        compiled_here.append(happening.data["dispatcher"].py_func.__qualname__)

    def on_end(self, happening):
        pass


@dataclass(frozen=True)
class Piece:
    number: int
    job: Job


def play(piece):
    if not compiled_here:
        compiled_here.append("listening")
        event.register("numba:compile", _Listener())
    play_job(piece.job)
    return os.getpid(), compiled_here[1:]
