"""Which game is this? What a bot from outside is told of the games that it plays side by side.

Matches and environments play many games at once and ask a bot for one position after another,
without saying which game it belongs to. Here the positions are sorted into games: by the generator
that comes with a position, which has its own place in memory for each row of a batch, and by how
far the game has come.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from bidarena.envs.game import Game, Rng, State

MOST = 1 << 17  # seats that are remembered

Progress = Callable[[Game, State], int]


class Seat:
    """One player of one game."""

    def __init__(self, number: int, player: int) -> None:
        self.number = number  # of the game; other seats of the same bot in it have other numbers
        self.player = player
        self.progress: int | None = None
        self.seconds = 0.0  # that his moves took so far
        self.kept: Any = None  # what an adapter remembers of the game


class Seats:
    """All seats that a bot plays at the moment."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._progress, self._grows = _progress_of(game)
        self._seats: OrderedDict[tuple[int, int], Seat] = OrderedDict()
        self._count = 0

    def find(self, state: State, player: int, rng: Rng) -> tuple[Seat, Seat | None]:
        """The seat to which a position belongs, and the one that has ended there, if it is new."""
        key = (rng.__array_interface__["data"][0], player)
        now = None if self._progress is None else self._progress(self._game, state)
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
        """Can the position not be one of this game, because the game has come further already?"""
        if now is None or seat.progress is None:
            return True  # nobody can tell
        return now < seat.progress or (now == seat.progress and self._grows)

    def clear(self) -> list[Seat]:
        """Forget all seats; those that there were."""
        seats = list(self._seats.values())
        self._seats.clear()
        return seats

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_seats": OrderedDict()}  # rows of a batch do not travel


def _round(game: Game, state: State) -> int:
    return int(state[game.state["round"]][0])


def _decision(game: Game, state: State) -> int:
    return int(state[game.state["decision"]][0])


def _coins_gone(game: Game, state: State) -> int:
    return -int(state[game.state["board"]][0]).bit_count()


def _calls_and_cards(game: Game, state: State) -> int:
    deals, redeals, calls, trick, in_trick = (
        int(state[game.state[part]][0])
        for part in ("deals", "redeals", "calls", "trick", "in_trick")
    )
    return 10_000 * deals + 1000 * redeals + calls + 5 * trick + in_trick


# how far a game has come, and whether that has grown whenever a player is asked again
_KNOWN: dict[str, tuple[Progress, bool]] = {
    "scotch": (_round, True),
    "richman": (_decision, True),
    "raj": (_round, True),
    "coins": (_coins_gone, True),
    "twentynine": (_calls_and_cards, False),
}


def _progress_of(game: Game) -> tuple[Progress | None, bool]:
    if game.name in _KNOWN:
        return _KNOWN[game.name]
    part = game.state.get("round")
    if part is not None and part.stop - part.start == 1:
        return _round, False
    return None, False
