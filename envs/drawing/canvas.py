"""A canvas with smooth edges, and the colours of all pictures.

Games are drawn as one player sees them. A side is 0 for that player and 1 for the opponent.
Pillow is optional: it is imported when the first picture is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import ImageFont

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom
Colour = tuple[int, ...]  # red, green, blue from 0 to 255, and opacity if it is not 255

SHARP = 3  # pictures are drawn this many times too large, then averaged down: smooth edges
WIDTH = 720  # the usual width of a picture, in pixels

PAPER: Colour = (246, 244, 239)
CARD: Colour = (255, 255, 255)
INK: Colour = (38, 43, 51)
MUTED: Colour = (112, 118, 128)
HAIRLINE: Colour = (219, 215, 206)
TRACK: Colour = (228, 225, 217)
GOLD: Colour = (201, 152, 34)
# Colour-blind people can tell blue from orange, and in grey print they differ in brightness.
SIDES: tuple[Colour, Colour] = ((24, 94, 168), (214, 106, 16))
NAMES = ("you", "opponent")


def _pillow() -> tuple[Any, Any, Any]:
    """Import Pillow and return its modules Image, ImageDraw and ImageFont."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as reason:
        raise ImportError(
            'pictures are drawn with Pillow, which is missing: pip install "bidarena[render]"'
        ) from reason
    return Image, ImageDraw, ImageFont


@lru_cache(maxsize=64)
def _font(size: float) -> ImageFont.FreeTypeFont:
    return _pillow()[2].load_default(size)


def mix(colour: Colour, other: Colour, share: float) -> Colour:
    """Return a colour between two: `colour` at share 0, `other` at share 1."""
    return tuple(round(a + (b - a) * share) for a, b in zip(colour[:3], other[:3], strict=True))


class Canvas:
    """An image to draw on. Lengths are pixels of the finished picture, and may be fractions.

    Args:
        height: of the picture.
        paper: the colour of the background.
        width: of the picture.
    """

    def __init__(self, height: int, paper: Colour = PAPER, *, width: int = WIDTH) -> None:
        self._start(_pillow()[0].new("RGB", (width * SHARP, height * SHARP), paper))

    def _start(self, image: Any) -> None:
        self._image = image
        self._draw = _pillow()[1].Draw(image, "RGBA")

    def copy(self) -> Canvas:
        """Return a copy to draw on, so that a background need be drawn only once."""
        other = object.__new__(Canvas)
        other._start(self._image.copy())
        return other

    def pixels(self) -> NDArray[np.uint8]:
        """Return the finished picture, (height, width, 3)."""
        return np.array(self._image.reduce(SHARP), dtype=np.uint8)

    def panel(
        self,
        box: Box,
        fill: Colour | None = CARD,
        *,
        radius: float = 0,
        border: Colour | None = None,
        width: float = 1,
    ) -> None:
        """Draw a rectangle with round corners; one that is too small to see is left out.

        Args:
            box: left, top, right, bottom.
            fill: the colour inside; None: nothing.
            radius: of the corners.
            border: the colour of the border; None: none.
            width: of the border.
        """
        left, top, right, bottom = (SHARP * x for x in box)
        if right - left < 2 or bottom - top < 2:
            return
        round_by = min(radius * SHARP, (right - left) / 2, (bottom - top) / 2)
        inside = (left, top, right - 1, bottom - 1)
        self._draw.rounded_rectangle(inside, round_by, fill, border, round(width * SHARP))

    def disc(
        self,
        centre: Point,
        radius: float,
        fill: Colour | None,
        *,
        border: Colour | None = None,
        width: float = 1,
    ) -> None:
        """Draw a circle; the arguments are like those of `panel`."""
        x, y, r = centre[0] * SHARP, centre[1] * SHARP, radius * SHARP
        self._draw.ellipse((x - r, y - r, x + r, y + r), fill, border, round(width * SHARP))

    def shape(self, points: Sequence[Point], fill: Colour) -> None:
        """Draw a filled polygon."""
        self._draw.polygon([(x * SHARP, y * SHARP) for x, y in points], fill)

    def line(self, points: Sequence[Point], colour: Colour, width: float = 1) -> None:
        """Draw a line through all points with round joints; a thick one has round ends too."""
        thick = max(round(width * SHARP), 1)
        self._draw.line([(x * SHARP, y * SHARP) for x, y in points], colour, thick, "curve")
        if width > 1 and len(colour) == 3:
            for end in (points[0], points[-1]):
                self.disc(end, width / 2, colour)

    def arrowhead(self, tip: Point, angle: float, colour: Colour, size: float = 7) -> None:
        """Draw a triangle whose tip points along `angle` (radians, y downward)."""
        back = [
            (tip[0] - size * math.cos(angle + turn), tip[1] - size * math.sin(angle + turn))
            for turn in (-0.42, 0.42)
        ]
        self.shape([tip, *back], colour)

    def text(
        self,
        at: Point,
        text: str,
        size: float = 13,
        colour: Colour = INK,
        *,
        anchor: str = "mm",
        bold: bool = False,
        room: float = math.inf,
    ) -> None:
        """Draw one line of text.

        Args:
            at: where the anchor of the text goes.
            text: what to write.
            size: of the font.
            colour: of the letters.
            anchor: which point of the text is its anchor, as Pillow writes it: "mm" is the middle,
                "lm" the middle of the left edge.
            bold: whether the letters are bold.
            room: the font is made smaller until the text is not wider than this.
        """
        size = math.floor(2 * min(size, size * room / (1 + text_width(text, size)))) / 2
        # The only font that comes with Pillow has no bold letters: a thin outline makes them bold.
        outline = max(round(size * SHARP / 54), 1) if bold else 0
        stencil, left, top = _stencil(text, size * SHARP, anchor, outline)
        corner = (round(at[0] * SHARP) + left, round(at[1] * SHARP) + top)
        self._image.paste(colour, corner, stencil)


@lru_cache(maxsize=512)
def _stencil(text: str, size: float, anchor: str, outline: int) -> tuple[Any, int, int]:
    """Return an image of how much ink goes where, and its left and top edge from the anchor."""
    image, draw, _ = _pillow()
    font = _font(size)
    box = font.getbbox(text, anchor=anchor, stroke_width=outline)
    left, top = math.floor(box[0]), math.floor(box[1])
    stencil = image.new("L", (math.ceil(box[2]) - left, math.ceil(box[3]) - top))
    draw.Draw(stencil).text((-left, -top), text, 255, font, anchor, stroke_width=outline)
    return stencil, left, top


@lru_cache(maxsize=1024)
def text_width(text: str, size: float) -> float:
    """Return the width that a text has when `Canvas.text` draws it."""
    return float(_font(size * SHARP).getlength(text)) / SHARP
