"""Work that is cut into pieces of a fitting size while it is done, and asked for elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.policies import Asker, Positions, Probabilities
from bidarena.envs.game import Game
from bidarena.envs.registry import load
from bidarena.evaluate.preparing import ready, turn
from bidarena.evaluate.workers import Do

PIECE = 2.0  # seconds that a piece should take
GROWTH = 8  # by how much the next one may be larger


class Pace:
    """Learns how much of something takes about as long as a piece should."""

    def __init__(self, first: int = 1) -> None:
        self._size, self._each = first, 0.0

    @property
    def size(self) -> int:
        """Of the next piece."""
        if not self._each:
            return self._size
        return max(1, min(int(PIECE / self._each), GROWTH * self._size))

    def took(self, size: int, seconds: float) -> None:
        """Learn of a piece that was done."""
        self._size, self._each = size, max(seconds, 1e-6) / size


# --- asking a bot what it does -------------------------------------------------------------------


@dataclass(frozen=True)
class Questions:
    """What somebody does in some positions."""

    game: Game
    player: str
    book: str  # "module:function" that makes the book of the game
    samples: int
    seed: int
    seat: int
    first: int  # the number of the first piece
    pieces: tuple[Positions, ...]

    def __str__(self) -> str:
        return f"asking {self.player} in {sum(map(len, self.pieces))} positions"


Sparse = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]  # rows, actions, chances

_askers: dict[tuple[Any, ...], Asker] = {}


def answer(job: Questions) -> tuple[list[Sparse], float]:
    """The answers piece by piece, what is not 0 of them, and the seconds they took."""
    bot = ready(job.game, job.player)
    key = (job.game.key, job.player, job.book, job.samples, job.seed)
    known = _askers.get(key)
    if known is None or known.player is not bot:
        known = Asker(load(job.book)(job.game), bot, samples=job.samples, seed=job.seed)
        _askers[key] = known
        with turn(f"asking {job.game.key.hex()} {job.player}"):
            known.piece(job.pieces[0][:1], job.seat)
    began = time.perf_counter()
    found = [known.piece(piece, job.seat) for piece in job.pieces]
    seconds = time.perf_counter() - began
    return [_sparse(chances) for chances in found], seconds


def _sparse(chances: Probabilities) -> Sparse:
    rows, actions = np.nonzero(chances)
    return rows, actions, chances[rows, actions]


class Spread:
    """Asks a bot in many positions by way of `do`; what an `Asker` takes as `ask`."""

    def __init__(self, do: Do, game: Game, player: str, book: str, samples: int, seed: int) -> None:
        self._do, self._game = do, game
        self._what = (game, player, book, samples, seed)
        self._pace = Pace()

    def __call__(self, pieces: list[Positions], seat: int) -> list[Probabilities]:
        """The answers to all pieces, in order."""
        found = [np.zeros((len(piece), self._game.actions)) for piece in pieces]

        def jobs() -> Iterator[Questions]:
            first = 0
            while first < len(pieces):
                size = self._pace.size
                yield Questions(*self._what, seat, first, tuple(pieces[first : first + size]))
                first += size

        for job, (answers, seconds) in self._do(answer, jobs()):
            self._pace.took(len(job.pieces), seconds)
            for number, (rows, actions, chances) in enumerate(answers, job.first):
                found[number][rows, actions] = chances
        return found


def needs_a_name(player: Any, ray: str | None) -> None:
    """Refuse players that cannot be sent to other machines."""
    if ray is not None and not isinstance(player, str):
        raise ValueError(
            f"player={player!r}: on a Ray a bot goes by its name or its file; leave out ray"
        )
