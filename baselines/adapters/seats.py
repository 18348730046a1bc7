"""Find out which game a position belongs to, for outside bots that play many games at once.

Matches and environments play many games in one batch and ask a bot for one position after another,
without saying which game it belongs to. Two things tell the games apart: the generator that comes
with a position, which has its own place in memory for each row of the batch, and how far the game
has come.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from bidarena.envs.game import Game, Rng, State
from bidarena.envs.registry import load, tools_of

MOST = 1 << 17  # seats that are remembered

Count = Callable[[Game, State], int]  # how far a game has come; never falls during a game


class Seat:
    """One player in one game."""

    def __init__(self, number: int, player: int) -> None:
        self.number = number  # counts seats: two seats of one bot in one game have two numbers
        self.player = player
        self.progress: int | None = None  # how far the game had come at the last question
        self.seconds = 0.0  # time that the moves of this player have taken
        self.kept: Any = None  # what a subclass of `Asked` remembers of the game


class Seats:
    """All seats that one bot plays at present."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._count_progress, self._grows = _progress_of(game)
        self._seats: OrderedDict[tuple[int, int], Seat] = OrderedDict()
        self._count = 0

    def find(self, state: State, player: int, rng: Rng) -> tuple[Seat, Seat | None]:
        """Return the seat of a position and, if that seat is new, the one that ended there.

        Args:
            state: the position.
            player: the player who is asked.
            rng: the generator that comes with the position; only its place in memory matters.
        """
        key = (rng.__array_interface__["data"][0], player)
        count = self._count_progress
        now = None if count is None else count(self._game, state)
        seat = ended = self._seats.get(key)
        if seat is None or self._is_over(seat, now):
            self._count += 1
            seat = self._seats[key] = Seat(self._count, player)
            while len(self._seats) > MOST:
                self._seats.popitem(last=False)
        else:
            ended = None
        self._seats.move_to_end(key)
        seat.progress = now
        return seat, ended

    def _is_over(self, seat: Seat, now: int | None) -> bool:
        """Return whether the position cannot belong to this seat: its game has come further."""
        if now is None or seat.progress is None:
            return True  # unknown: every question begins a new seat
        return now < seat.progress or (now == seat.progress and self._grows)

    def clear(self) -> list[Seat]:
        """Forget all seats, and return them."""
        seats = list(self._seats.values())
        self._seats.clear()
        return seats

    def __getstate__(self) -> dict[str, Any]:
        # A place in memory means nothing in another process.
        return {**self.__dict__, "_seats": OrderedDict()}


def _progress_of(game: Game) -> tuple[Count | None, bool]:
    """Return the function that counts how far a game has come, and whether the count is strict.

    Strict: it has grown whenever the player is asked again. A game that declares no progress is
    counted by the part `round` of its state; None if it has no such part.
    """
    progress = tools_of(game.name).progress
    if progress is not None and ":" in progress.count:
        return load(progress.count), progress.strict
    name = "round" if progress is None else progress.count
    part = game.state.get(name)
    if part is None or part.stop - part.start != 1:
        if progress is not None:
            raise ValueError(f"progress={name!r}: not a part of the state with one number")
        return None, False
    return partial(_number_at, part.start), progress is not None and progress.strict


def _number_at(place: int, game: Game, state: State) -> int:
    return int(state[place])
