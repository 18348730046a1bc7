"""Ask an outside bot for its moves: its clocks, and what happens when it fails.

This runs in our process. Matches and environments call an `Asked`, which sends the question to a
program in another process through its `Sandbox`.
"""

from __future__ import annotations

import time
from typing import Any

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.identity import Identity, of_command, of_file
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.python_file import PythonFile
from bidarena.baselines.adapters.sandbox import Sandbox
from bidarena.baselines.adapters.seats import Seat, Seats
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import PROGRAM, Bot


class Asked:
    """Base class of all outside bots; a subclass defines `move`, which asks for one action.

    A fault loses the game in which it happens, and the program is started again for the next one.
    A bot is not asked any more when its faults one after another have taken as much time as
    `Limits.faults` moves may take. So it cannot hold up the others.

    Args:
        game: the game that is played.
        program: the program that is asked.
    """

    def __init__(self, game: Game, program: Sandbox) -> None:
        self.game = game
        self.program = program
        self.seats = Seats(game)
        self._wasted = 0.0  # seconds that faults have taken since the last answer
        self._last_fault = ""

    def move(self, seat: Seat, state: State, rng: Rng, seconds: float) -> int:
        """Ask for the action of the player in `seat`, who has so many seconds, and return it."""
        raise NotImplementedError

    def get_ready(self) -> None:
        """Prepare the program for questions; the time is not counted. By default do nothing."""

    def game_over(self, seat: Seat) -> None:
        """Take note that the game of `seat` has ended. By default do nothing."""

    @property
    def limits(self) -> Limits:
        """The limits of the program."""
        return self.program.limits

    def __call__(self, state: State, player: int, rng: Rng) -> int:
        """Return the action of `player`, or raise `Fault`; see `Outside`."""
        if self._wasted >= self.limits.faults * self.limits.seconds:
            raise Fault(f"is not asked any more; its last fault: {self._last_fault}")
        seat, ended = self.seats.find(state, player, rng)
        began = asked = time.perf_counter()
        try:
            self.get_ready()
            if ended is not None:
                self.game_over(ended)
            left = self.limits.game - seat.seconds
            if left <= 0:
                raise Fault(f"has used up its {self.limits.game:g} s for a game")
            asked = time.perf_counter()
            try:
                action = self.move(seat, state, rng, min(self.limits.seconds, left))
            except Fault:
                if time.perf_counter() - asked >= left:  # the limit of the game, not of the move
                    raise Fault(f"has used up its {self.limits.game:g} s for a game") from None
                raise
        except Fault as fault:
            self._wasted += time.perf_counter() - began
            self._last_fault = str(fault)
            raise
        finally:
            if asked > began:
                seat.seconds += time.perf_counter() - asked
        self._wasted = 0.0
        return action

    def identity(self) -> Identity:
        """Return what tells this bot from others that had its name: a digest of its files."""
        if isinstance(self.program, PythonFile):
            return of_file(self.program.setup["file"])
        return of_command(self.program.argv)

    def forget(self) -> None:
        """Forget all games, and call `game_over` for each."""
        for seat in self.seats.clear():
            self.game_over(seat)

    def close(self) -> None:
        """End the program and all processes that belong to it."""
        self.program.close()


def as_bot(name: str, asked: Asked) -> Bot:
    """Return the bot, for matches and environments, that calls `asked` for its moves."""
    return Bot(name, elsewhere, outside=asked, kind=PROGRAM)


def elsewhere(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return -1, which is no action: the `act` of a bot that compiled code cannot ask."""
    return -1


def whole_number(value: Any) -> int:
    """Return an answer as an int; raise `Fault` unless it is a whole number."""
    number = isinstance(value, int) and not isinstance(value, bool)
    if not number and not (isinstance(value, float) and value.is_integer()):
        raise Fault(f"answered {str(value)[:80]!r}, expected a whole number")
    return int(value)
