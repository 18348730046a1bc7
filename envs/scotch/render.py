"""Draw Scotch as one player sees it: as text, and as a picture.

Both drawings read a `_View`, which holds only what the player may know, so they cannot show more.
The own end of the line is on the left; positions keep the numbers of the rules.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs import drawing
from bidarena.envs.bidding import ALTERNATE
from bidarena.envs.drawing import CARD, GOLD, INK, MUTED, NAMES, SIDES, WIDTH, Auction, Canvas, mix
from bidarena.envs.game import Cfg, Game, State
from bidarena.envs.scotch.rules import C, S


class _View(NamedTuple):
    """What the player in `seat` may know."""

    seat: int
    length: int
    distance: int  # of the bottle from the own end
    seen: Auction

    def number(self, distance: int) -> int:
        """Return the number that the rules give to the place `distance` from the own end."""
        return distance if self.seat == 0 else self.length - distance


def _look(game: Game, state: State, seat: int) -> _View:
    """Return what the player in `seat` may know of the state."""
    length, position = int(game.cfg[C.length]), int(state[S.position])
    seen = drawing.auction(game, state, seat)
    bids, winner = last_round(game.cfg, state, seat)
    if seen.champion >= 0:
        at_an_end = position in (0, length)
        reasons = ("the opponent is out of money", "you are out of money")
        if at_an_end:
            reasons = ("the bottle is yours", "the opponent has the bottle")
        seen = seen._replace(reason=reasons[seen.champion])
    return _View(
        seat=seat,
        length=length,
        distance=position if seat == 0 else length - position,
        seen=seen._replace(
            money=(seen.money[0], money_of_other(game.cfg, state, seat)), bids=bids, winner=winner
        ),
    )


def money_of_other(cfg: Cfg, state: State, seat: int) -> tuple[int, int]:
    """Return the least and the most money the other can have, as far as `seat` can know."""
    other = 1 - seat
    if cfg[C.know_opponent_money]:
        return (int(state[S.money + other]),) * 2
    return int(state[S.low + other]), int(state[S.high + other])


def last_round(cfg: Cfg, state: State, seat: int) -> tuple[tuple[int, int], int]:
    """Return the bids of the last round and the side that won it, as far as `seat` knows.

    With hidden money even a sign that the bids were equal would say too much, unless the
    advantage passed for all to see.
    """
    own, other = (int(state[S.last_bids + player]) for player in (seat, 1 - seat))
    winner = int(state[S.last_winner])
    shown = bool(cfg[C.know_opponent_money]) or (own == other and cfg[C.tie] == ALTERNATE)
    return (own, other if shown else -1), winner if winner < 0 else int(winner != seat)


def _marks(length: int, apart: float) -> list[int]:
    """Return round numbers from 0 to `length`, each at least `apart` above the one before."""
    steps = (digit * 10**zeros for zeros in range(5) for digit in (1, 2, 5))
    step = next(step for step in steps if step >= min(apart, length))
    return [*range(0, length - step + 1, step), length]


# --- as text -------------------------------------------------------------------------------------

COLUMNS = 60  # the most characters that a line takes


def ansi(game: Game, state: State, seat: int) -> str:
    """Return a board of text as the player in `seat` sees the game."""
    view = _look(game, state, seat)
    title = (
        f"{drawing.paint('Scotch', drawing.BOLD)}  {view.seen.round}, "
        f"bottle at {view.number(view.distance)}: {view.distance} from you, "
        f"{view.length - view.distance} from the opponent"
    )
    return "\n".join([title, *_line(view), *drawing.bidding_lines(view.seen)]) + "\n"


def _line(view: _View) -> list[str]:
    """Return two lines of text: the numbers, and below them the line with the bottle."""
    cell = min(max(COLUMNS // view.length, 1), 4)
    columns = min(view.length * cell, COLUMNS)

    def column(distance: int) -> int:
        exact = round(distance * columns / view.length)
        return exact if distance in (0, view.length) else min(max(exact, 1), columns - 1)

    line = ["─"] * (columns + 1)
    if view.length <= COLUMNS:
        line[::cell] = "┼" * (view.length + 1)
    digits = len(str(view.length))
    numbers = [" "] * (columns + 2 * digits)
    for mark in _marks(view.length, (digits + 1) * view.length / columns):
        at = column(view.number(mark))
        line[at] = "┼"
        start = at + digits - len(str(mark)) // 2
        numbers[start : start + len(str(mark))] = str(mark)
    line[0], line[-1] = "├", "┤"
    line[column(view.distance)] = "●"
    left, right = (drawing.paint(NAMES[side], drawing.SIDE_CODES[side]) for side in (0, 1))
    return [
        " " * (len("  you  ") - digits) + "".join(numbers).rstrip(),
        f"  {left}  {''.join(line)}  {right}",
    ]


# --- as a picture --------------------------------------------------------------------------------

HEIGHT = 400
LEFT, RIGHT, FLOOR = 124.0, 596.0, 220.0  # where the line lies
GLASS, LABEL = (38, 84, 70), (240, 230, 205)


def picture(game: Game, state: State, seat: int) -> NDArray[np.uint8]:
    """Return a picture of the game as the player in `seat` sees it, (400, 720, 3)."""
    view = _look(game, state, seat)
    seen = view.seen
    canvas = _table(view.length, seat, seen.champion).copy()
    drawing.heading(canvas, "Scotch", seen)
    canvas.text((40, 82), seen.rules, 12, MUTED, anchor="lm")
    steps = f"{view.distance:,} from you, {view.length - view.distance:,} from the opponent"
    canvas.text((WIDTH - 40, 82), steps, 12, MUTED, anchor="rm")

    x = _x(view.distance, view.length)
    if seen.winner >= 0:
        came_from = _x(view.distance + (1, -1)[seen.winner], view.length)
        canvas.line(((came_from, FLOOR), (x, FLOOR)), SIDES[seen.winner], 6)
    _bottle(canvas, x, FLOOR + 2)
    number = str(view.number(view.distance))
    half = drawing.text_width(number, 13) / 2 + 7
    canvas.panel((x - half, FLOOR + 11, x + half, FLOOR + 30), INK, radius=6)
    canvas.text((x, FLOOR + 20), number, 13, CARD, bold=True)
    for mark in _labelled(view.length):
        at = _x(view.number(mark), view.length)
        if abs(at - x) > half + 2 + drawing.text_width(str(mark), 13) / 2:
            canvas.text((at, FLOOR + 20), str(mark), 13, MUTED)

    drawing.bidding(canvas, 282, seen)
    return canvas.pixels()


def _x(distance: float, length: int) -> float:
    """Return the pixel column of the place `distance` from the own end."""
    return LEFT + (RIGHT - LEFT) * distance / length


def _labelled(length: int) -> list[int]:
    """Return the positions that get a number below them."""
    return _marks(length, (10 + 8 * len(str(length))) * length / (RIGHT - LEFT))


@lru_cache(maxsize=16)
def _table(length: int, seat: int, champion: int) -> Canvas:
    """Return a canvas with everything that does not move: the players and the line."""
    canvas = Canvas(HEIGHT)
    drawing.stage(canvas, 266, champion)
    for side, x in enumerate((70, WIDTH - 70)):
        _person(canvas, x, FLOOR - 30, SIDES[side], side == champion)
        canvas.text((x, FLOOR + 11), NAMES[side], 15, SIDES[side], bold=True)
        canvas.text((x, FLOOR + 29), f"player {seat if side == 0 else 1 - seat}", 12, MUTED)
    canvas.line(((LEFT, FLOOR), (RIGHT, FLOOR)), drawing.TRACK, 6)
    gap = (RIGHT - LEFT) / length
    for dot in range(length + 1) if gap >= 6 else _labelled(length):
        canvas.disc((_x(dot if seat == 0 else length - dot, length), FLOOR), 2.2, (148, 152, 160))
    for side, at in enumerate((LEFT, RIGHT)):
        canvas.disc((at, FLOOR), 7, SIDES[side], border=CARD, width=1.5)
    return canvas


def _person(canvas: Canvas, x: float, y: float, colour: tuple[int, ...], crowned: bool) -> None:
    """Draw a player from the shoulders up, in a circle."""
    light = mix(colour, CARD, 0.82)
    canvas.disc((x, y), 26, light, border=colour, width=2.5 if crowned else 1.5)
    turns = np.linspace(0, math.pi, 25).tolist()
    canvas.shape([(x + 16 * math.cos(t), y + 19 - 16 * math.sin(t)) for t in turns], colour)
    canvas.disc((x, y - 6), 11, light)
    canvas.disc((x, y - 6), 8.5, colour)
    if crowned:
        teeth = ((-13, -45), (-6, -37), (0, -48), (6, -37), (13, -45), (10, -30), (-10, -30))
        canvas.shape([(x + dx, y + dy) for dx, dy in teeth], GOLD)


def _bottle(canvas: Canvas, x: float, floor: float) -> None:
    """Draw a bottle of Scotch that stands on `floor`."""
    outline = [(x + side * w, floor - h) for side in (1, -1) for w, h in _profile()[::side]]
    canvas.shape(outline, GLASS)
    canvas.shape([(x - w + 3, floor - h) for w, h in _profile()[6:-1]], mix(GLASS, CARD, 0.2))
    canvas.panel((x - 7.5, floor - 123, x + 7.5, floor - 106), GOLD, radius=2.5)
    canvas.panel((x - 7.5, floor - 110, x + 7.5, floor - 108), mix(GOLD, INK, 0.35))
    canvas.panel((x - 19, floor - 54, x + 19, floor - 16), LABEL)
    canvas.text((x, floor - 40), "SCOTCH", 8, GLASS, bold=True)
    canvas.line(((x - 11, floor - 32), (x + 11, floor - 32)), GOLD)
    canvas.text((x, floor - 24), "12", 9, GLASS, bold=True)


@lru_cache(maxsize=1)
def _profile() -> list[tuple[float, float]]:
    """Return points (half the width, height) of the bottle's outline, from foot to mouth."""
    foot = [(15 + 4 * math.sin(t), 4 - 4 * math.cos(t)) for t in np.linspace(0, math.pi / 2, 8)]
    shoulder = [
        (6 + 13 * (1 + math.cos(math.pi * h)) / 2, 62 + 22 * h) for h in np.linspace(0, 1, 16)
    ]
    return [*foot, *shoulder, (6, 116)]
