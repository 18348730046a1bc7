"""Playing cards on a `Canvas`: faces, backs, and suits as shapes, which the font does not have.

Suits are 0 spades, 1 diamonds, 2 hearts, 3 clubs.
"""

from __future__ import annotations

import math
from functools import lru_cache

from bidarena.envs.drawing.canvas import CARD, INK, Box, Canvas, Colour, Point, mix

RED: Colour = (190, 40, 48)
SUIT_COLOURS: tuple[Colour, ...] = (INK, RED, RED, INK)
SHADOW: Colour = (0, 0, 0, 38)


def suit(canvas: Canvas, centre: Point, size: float, which: int, colour: Colour) -> None:
    """Draw the sign of suit `which`, about `size` high."""
    x, y = centre
    for outline in _outlines(which):
        canvas.shape([(x + size * u, y + size * v) for u, v in outline], colour)
    if which == 3:
        for u, v in ((0.0, -0.24), (-0.25, 0.1), (0.25, 0.1)):
            canvas.disc((x + size * u, y + size * v), 0.235 * size, colour)


@lru_cache(maxsize=4)
def _outlines(which: int) -> tuple[tuple[Point, ...], ...]:
    """Return the polygons of a suit's sign in a square from -0.5 to 0.5, y downward."""
    stem = _stem()
    if which == 0:
        body = tuple((0.94 * u, 0.86 * -v - 0.08) for u, v in _heart())
        return body, stem
    if which == 1:
        return (_diamond(),)
    if which == 2:
        return (_heart(),)
    return (((0.0, -0.2), (-0.2, 0.1), (0.2, 0.1)), stem)


def _heart() -> tuple[Point, ...]:
    """Return the outline of a heart, from a well known curve."""
    points = []
    for k in range(72):
        t = 2 * math.pi * k / 72
        across = 16 * math.sin(t) ** 3
        up = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        points.append((across / 32, -(up + 2.5) / 30))
    return tuple(points)


def _diamond() -> tuple[Point, ...]:
    """Return the outline of a diamond, whose sides bend inward a little."""
    corners = ((0.0, -0.5), (0.39, 0.0), (0.0, 0.5), (-0.39, 0.0))
    points = []
    for k in range(4):
        (u, v), (s, t) = corners[k], corners[(k + 1) % 4]
        for step in range(8):
            share = step / 8
            pull = 1 - 0.3 * share * (1 - share)
            points.append(((u + (s - u) * share) * pull, (v + (t - v) * share) * pull))
    return tuple(points)


def _stem() -> tuple[Point, ...]:
    """Return the outline of a stem that widens toward the ground."""
    right = [(0.03 + 0.15 * (k / 6) ** 2, 0.1 + 0.39 * k / 6) for k in range(7)]
    return (*right, *((-u, v) for u, v in reversed(right)))


def face(
    canvas: Canvas,
    box: Box,
    rank: str,
    which: int,
    *,
    border: Colour | None = None,
    width: float = 1,
    dim: Colour | None = None,
) -> None:
    """Draw a card face up.

    Args:
        canvas: what to draw on.
        box: left, top, right, bottom of the card.
        rank: the text in the corner.
        which: the suit.
        border: the colour of the border; None: a light shade of the suit's colour.
        width: of the border.
        dim: a colour that the card fades into; None: it does not fade.
    """
    left, top, right, bottom = box
    high, wide = bottom - top, right - left
    paper, ink = CARD, SUIT_COLOURS[which]
    if dim is not None:
        paper, ink = mix(CARD, dim, 0.32), mix(ink, dim, 0.38)
    else:
        canvas.panel((left + 1, top + 2, right + 1.5, bottom + 2.5), SHADOW, radius=0.1 * wide)
    edge = border or mix(ink, paper, 0.7)
    canvas.panel(box, paper, radius=0.1 * wide, border=edge, width=width)
    if high < 52:  # too small for a sign in the corner
        canvas.text(((left + right) / 2, top + 0.31 * high), rank, 0.4 * high, ink, bold=True)
        suit(canvas, ((left + right) / 2, top + 0.7 * high), 0.3 * high, which, ink)
        return
    corner = (left + 0.23 * wide, top + 0.18 * high)
    canvas.text(corner, rank, 0.24 * high, ink, bold=True, room=0.36 * wide)
    suit(canvas, (corner[0], top + 0.39 * high), 0.15 * high, which, ink)
    suit(canvas, (left + 0.61 * wide, top + 0.64 * high), 0.4 * high, which, ink)


def back(canvas: Canvas, box: Box, colour: Colour) -> None:
    """Draw a card face down."""
    left, top, right, bottom = box
    canvas.panel((left + 1, top + 2, right + 1, bottom + 2), SHADOW, radius=4)
    canvas.panel(box, CARD, radius=4)
    inside = (left + 2, top + 2, right - 2, bottom - 2)
    canvas.panel(inside, colour, radius=2.5)
    light = mix(colour, CARD, 0.4)
    x, y = (left + right) / 2, (top + bottom) / 2
    across, down = (right - left) / 2 - 5, (bottom - top) / 2 - 5
    canvas.shape([(x - across, y), (x, y - down), (x + across, y), (x, y + down)], light)
    canvas.shape(
        [(x - across * 0.6, y), (x, y - down * 0.6), (x + across * 0.6, y), (x, y + down * 0.6)],
        colour,
    )
