"""Bots that are asked in another process: their clocks, and what happens when they fail."""

from __future__ import annotations

import time
from typing import Any

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.sandbox import Sandbox
from bidarena.baselines.adapters.seats import Seat, Seats
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot


class Asked:
    """What all bots from outside have in common; each kind says how a `move` is asked for.

    A fault loses the game in which it happens, and the program is started anew for the next one.
    One that goes on failing at the cost of time, as often as `Limits.faults` says, is not asked
    any more, so that it does not hold up the others.
    """

    def __init__(self, game: Game, program: Sandbox) -> None:
        self.game = game
        self.program = program
        self.seats = Seats(game)
        self._wasted = 0.0  # seconds that went into faults since the last answer
        self._last_fault = ""

    def move(self, seat: Seat, state: State, rng: Rng, seconds: float) -> int:
        """The action for the player of `seat`, who has so much time."""
        raise NotImplementedError

    def get_ready(self) -> None:
        """What has to be done before a move can be asked for, on nobody's clock."""

    def game_over(self, seat: Seat) -> None:
        """Nothing will be asked any more in this seat."""

    @property
    def limits(self) -> Limits:
        """Of the program."""
        return self.program.limits

    def __call__(self, state: State, player: int, rng: Rng) -> int:
        """The action of `player`; see `Outside`."""
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
            action = self.move(seat, state, rng, min(self.limits.seconds, left))
        except Fault as fault:
            self._wasted += time.perf_counter() - began
            self._last_fault = str(fault)
            raise
        finally:
            if asked > began:
                seat.seconds += time.perf_counter() - asked
        self._wasted = 0.0
        return action

    def forget(self) -> None:
        """Drop what is remembered of games; the program is told, if its protocol has a word."""
        for seat in self.seats.clear():
            self.game_over(seat)

    def close(self) -> None:
        """End the program."""
        self.program.close()


def as_bot(name: str, asked: Asked) -> Bot:
    """Something that is asked elsewhere as a bot for matches and environments."""
    return Bot(name, elsewhere, outside=asked)


def elsewhere(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """No action: such a bot cannot be asked in compiled code."""
    return -1


def whole_number(value: Any) -> int:
    """An answer as a number; a fault if it is none."""
    number = isinstance(value, int) and not isinstance(value, bool)
    if not number and not (isinstance(value, float) and value.is_integer()):
        raise Fault(f"answered {str(value)[:80]!r}, expected a whole number")
    return int(value)
