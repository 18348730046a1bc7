"""What the drawings of the games share: a smooth canvas, a palette, pieces of bidding games.

Games are drawn as one player sees them. A side is 0 for that player and 1 for the opponent.
Pillow is optional: it is imported when the first picture is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import Game, State

if TYPE_CHECKING:
    from PIL import ImageFont

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom
Colour = tuple[int, ...]  # red, green, blue, and how opaque if not wholly

SHARP = 3  # everything is drawn this many times too large, then averaged down
WIDTH = 720  # of the pictures of bidding games

PAPER: Colour = (246, 244, 239)
CARD: Colour = (255, 255, 255)
INK: Colour = (38, 43, 51)
MUTED: Colour = (112, 118, 128)
HAIRLINE: Colour = (219, 215, 206)
TRACK: Colour = (228, 225, 217)
GOLD: Colour = (201, 152, 34)
# Blue and orange are told apart by every kind of eye, and differ in brightness when printed grey.
SIDES: tuple[Colour, Colour] = ((24, 94, 168), (214, 106, 16))
NAMES = ("you", "opponent")

DRAWN, UNDECIDED = 2, 3  # outcomes beside the winner's number, as in the rules of bidding games


def _pillow() -> tuple[Any, Any, Any]:
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
    """`colour` with a share of `other` in it."""
    return tuple(round(a + (b - a) * share) for a, b in zip(colour[:3], other[:3], strict=True))


class Canvas:
    """An image to draw on in pixels of the finished picture, fractions welcome."""

    def __init__(self, height: int, paper: Colour = PAPER, *, width: int = WIDTH) -> None:
        self._start(_pillow()[0].new("RGB", (width * SHARP, height * SHARP), paper))

    def _start(self, image: Any) -> None:
        self._image = image
        self._draw = _pillow()[1].Draw(image, "RGBA")

    def copy(self) -> Canvas:
        """The same picture to go on with, for backgrounds that are drawn once."""
        other = object.__new__(Canvas)
        other._start(self._image.copy())
        return other

    def pixels(self) -> NDArray[np.uint8]:
        """The finished picture (height, width, 3)."""
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
        """A rectangle with round corners."""
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
        """A circle."""
        x, y, r = centre[0] * SHARP, centre[1] * SHARP, radius * SHARP
        self._draw.ellipse((x - r, y - r, x + r, y + r), fill, border, round(width * SHARP))

    def shape(self, points: Sequence[Point], fill: Colour) -> None:
        """A filled polygon."""
        self._draw.polygon([(x * SHARP, y * SHARP) for x, y in points], fill)

    def line(self, points: Sequence[Point], colour: Colour, width: float = 1) -> None:
        """A line through all points with round joints and, where it is thick, round ends."""
        thick = max(round(width * SHARP), 1)
        self._draw.line([(x * SHARP, y * SHARP) for x, y in points], colour, thick, "curve")
        if width > 1 and len(colour) == 3:
            for end in (points[0], points[-1]):
                self.disc(end, width / 2, colour)

    def arrowhead(self, tip: Point, angle: float, colour: Colour, size: float = 7) -> None:
        """A triangle whose tip points along `angle` (radians, y downward)."""
        back = [
            (tip[0] - size * math.cos(angle + turn), tip[1] - size * math.sin(angle + turn))
            for turn in (-0.42, 0.42)
        ]
        self.shape([tip, *back], colour)

    def text(
        self,
        at: Point,
        words: str,
        size: float = 13,
        colour: Colour = INK,
        *,
        anchor: str = "mm",
        bold: bool = False,
        room: float = math.inf,
    ) -> None:
        """One line of text, made smaller until it fits the room; `anchor` as in Pillow."""
        size = math.floor(2 * min(size, size * room / (1 + text_width(words, size)))) / 2
        # The one font that comes with Pillow has no bold face: a thin outline makes one.
        outline = max(round(size * SHARP / 54), 1) if bold else 0
        stencil, left, top = _stencil(words, size * SHARP, anchor, outline)
        corner = (round(at[0] * SHARP) + left, round(at[1] * SHARP) + top)
        self._image.paste(colour, corner, stencil)


@lru_cache(maxsize=512)
def _stencil(words: str, size: float, anchor: str, outline: int) -> tuple[Any, int, int]:
    """Where the ink of a text goes, and the corner of that relative to its anchor."""
    image, draw, _ = _pillow()
    font = _font(size)
    box = font.getbbox(words, anchor=anchor, stroke_width=outline)
    left, top = math.floor(box[0]), math.floor(box[1])
    stencil = image.new("L", (math.ceil(box[2]) - left, math.ceil(box[3]) - top))
    draw.Draw(stencil).text((-left, -top), words, 255, font, anchor, stroke_width=outline)
    return stencil, left, top


@lru_cache(maxsize=1024)
def text_width(words: str, size: float) -> float:
    """How wide `Canvas.text` draws the words."""
    return float(_font(size * SHARP).getlength(words)) / SHARP


# --- bidding games -------------------------------------------------------------------------------


class Auction(NamedTuple):
    """Where a bidding game stands, in terms of sides; a side of -1 is nobody."""

    round: str
    money: tuple[tuple[int, int], tuple[int, int]]  # of each side: at least, at most
    most: int  # the most that anybody can have
    advantage: int  # the side that wins ties; nobody: a coin decides
    rules: str
    bids: tuple[int, int]  # opened last; -1: none, or hidden
    winner: int  # the side that won them; nobody: none, or not known
    sealed: tuple[bool, bool]  # has this side committed a bid?
    mover: int  # nobody when the game is over
    champion: int
    headline: str  # the result, or what is awaited
    reason: str


def auction(game: Game, state: State, seat: int) -> Auction:
    """What the parts of the state that bidding games have in common tell the player in `seat`.

    All money and the bids opened last are in it: a game that hides them replaces these.
    """

    def side(player: int) -> int:
        return player if player < 0 else int(player != seat)

    part = {name: state[where].tolist() for name, where in game.state.items()}
    (rounds,), (pending,), (outcome,) = part["round"], part["pending"], part["outcome"]
    own, other = (part["money"][player] for player in (seat, 1 - seat))
    over = outcome >= 0
    mover = -1 if over else side(int(pending >= 0))
    champion = side(outcome) if outcome in (0, 1) else -1
    if outcome == UNDECIDED:
        headline, reason = "stopped", "no more rounds"
    elif outcome == DRAWN:
        headline, reason = "draw", "both are out of money"
    elif over:
        headline, reason = ("you win", "you lose")[champion], ""
    elif mover == 0:
        headline, reason = "your bid", f"from $1 to ${own:,}" if own else "you have nothing: $0"
    else:
        headline, reason = "waiting", "the opponent is bidding"
    limit = game.options["max_rounds"]
    payee = {"bank": "the bank", "opponent": "the loser"}[game.options["payment"]]
    coin = ", a coin decides ties" if game.options["tie"] == "coin" else ""
    played = f"{rounds:,} round{'s' * (rounds != 1)} played"
    return Auction(
        round=played if over else f"round {rounds + 1:,}" + (f" of {limit:,}" if limit else ""),
        money=((own, own), (other, other)),
        most=max(game.options["money"]) if payee == "the bank" else sum(game.options["money"]),
        advantage=side(part["advantage"][0]),
        rules=f"the winner of a bid pays {payee}{coin}",
        bids=(part["last_bids"][seat], part["last_bids"][1 - seat]),
        winner=side(part["last_winner"][0]) if "last_winner" in part else -1,
        sealed=(pending >= 0 and seat == 0, pending >= 0 and seat == 1),
        mover=mover,
        champion=champion,
        headline=headline,
        reason=reason,
    )


def _round_words(seen: Auction) -> str:
    """How the bids opened last were decided."""
    own, other = seen.bids
    if own < 0:
        return "no bids yet"
    tied = own == other
    if seen.winner < 0:
        return "a tie: a coin decided" if tied else "the other bid is hidden"
    price = seen.bids[seen.winner]
    paid = f", paid ${price:,}" if price >= 0 else ""
    return f"{NAMES[seen.winner]} won{' the tie' if tied else ''}{paid}"


def heading(canvas: Canvas, title: str, seen: Auction) -> None:
    """The top line of a picture: the game, the round, what is awaited or how it ended."""
    canvas.text((24, 33), title, 22, INK, anchor="lm", bold=True)
    canvas.text((36 + text_width(title, 22), 34), seen.round, 15, MUTED, anchor="lm")
    canvas.text((WIDTH - 26, 33), seen.reason, 14, MUTED, anchor="rm")
    actor = seen.champion if seen.mover < 0 else seen.mover
    colour = INK if actor < 0 else SIDES[actor]
    right = WIDTH - 37 - text_width(seen.reason, 14)
    left = right - text_width(seen.headline, 14) - 28
    canvas.panel((left, 19, right, 47), colour, radius=14)
    canvas.text(((left + right) / 2, 32.5), seen.headline, 14, CARD, bold=True)


def stage(canvas: Canvas, bottom: float, champion: int) -> None:
    """The panel that a board is drawn on, in the colour of the side that has won."""
    won = champion >= 0
    fill = mix(SIDES[champion], CARD, 0.9) if won else CARD
    border, width = (SIDES[champion], 2) if won else (HAIRLINE, 1)
    canvas.panel((24, 62, WIDTH - 24, bottom), fill, radius=10, border=border, width=width)


def bidding(canvas: Canvas, top: float, seen: Auction) -> None:
    """The bottom of a picture: both sides' money, the bids opened last between them."""
    for side, left in enumerate((24, WIDTH - 264)):
        _purse(canvas, (left, top, left + 240, top + 98), side, seen)
        bid = seen.bids[side]
        words = "" if seen.bids[0] < 0 else f"{bid:,}" if bid >= 0 else "?"
        _card(canvas, (WIDTH / 2 - 33 + 66 * side, top + 36), words, side, seen.winner == side)
    colour = MUTED if seen.winner < 0 else SIDES[seen.winner]
    canvas.text((WIDTH / 2, top + 89), _round_words(seen), 13, colour, room=182)


def _purse(canvas: Canvas, box: Box, side: int, seen: Auction) -> None:
    """A side's money as number and bar; the opponent's is mirrored."""
    left, top, right, _ = box
    near, inward, anchor = (left + 16, 1, "lm") if side == 0 else (right - 16, -1, "rm")
    far, opposite = left + right - near, "rm" if side == 0 else "lm"
    colour = SIDES[side]
    canvas.panel(box, CARD, radius=10, border=HAIRLINE)
    canvas.text((near, top + 20), ("you have", "opponent has")[side], 13, MUTED, anchor=anchor)
    low, high = seen.money[side]
    words = f"${low:,}" if low == high else f"${low:,} to ${high:,}"
    room = 125 if seen.sealed[side] else 208
    canvas.text((near, top + 47), words, 26, colour, anchor=anchor, bold=True, room=room)
    for amount, tint in ((seen.most, TRACK), (high, mix(colour, CARD, 0.6)), (low, colour)):
        ends = sorted((near, near + 208 * inward * amount / seen.most))
        canvas.panel((ends[0], top + 72, ends[1], top + 82), tint, radius=5)
    if seen.advantage == side:
        x, y = far - 8 * inward, top + 20
        canvas.disc((x, y), 9, GOLD, border=mix(GOLD, INK, 0.35))
        for dy in (-2, 2):
            canvas.line(((x - 3.5, y + dy), (x + 3.5, y + dy)), CARD, 1.8)
        canvas.text((far - 22 * inward, y), "wins ties", 13, INK, anchor=opposite)
    if seen.sealed[side]:  # a card face down
        x, y = far - 8 * inward, top + 48
        canvas.panel((x - 7, y - 10, x + 7, y + 10), colour, radius=2.5)
        canvas.panel((x - 4.5, y - 7.5, x + 4.5, y + 7.5), None, radius=1, border=CARD)
        canvas.line(((x - 3, y - 6), (x + 3, y + 6)), CARD)
        canvas.line(((x + 3, y - 6), (x - 3, y + 6)), CARD)
        canvas.text((far - 22 * inward, y), "bid is in", 13, INK, anchor=opposite)


def _card(canvas: Canvas, at: Point, words: str, side: int, won: bool) -> None:
    """A bid on a card, raised and filled if it won; no words: no bid yet."""
    x, y = at[0], at[1] - (5 if won else 0)
    box = (x - 30, y - 34, x + 30, y + 34)
    if not words:
        canvas.panel(box, None, radius=8, border=HAIRLINE, width=1.5)
        return
    colour = SIDES[side]
    canvas.panel((x - 29, y - 31, x + 31, y + 37), (0, 0, 0, 26), radius=8)
    canvas.panel(box, colour if won else CARD, radius=8, border=colour, width=1.5)
    canvas.text((x, y), words, 24, CARD if won else colour, bold=True, room=50)


# --- bidding games as text -----------------------------------------------------------------------

BOLD, GREEN, SIDE_CODES = "1", "1;32", ("1;34", "1;33")


def paint(words: str, code: str) -> str:
    """Words in a terminal's colour, which ends with them."""
    return f"\x1b[{code}m{words}\x1b[0m"


def bidding_lines(seen: Auction) -> list[str]:
    """Money, bids and what is awaited, below a board of text."""
    lines = []
    for side, (low, high) in enumerate(seen.money):
        full, shaded = (math.ceil(20 * amount / seen.most) for amount in (low, high))
        bar = "█" * full + "▒" * (shaded - full) + "·" * (20 - shaded)
        amount = f"${low:,}" if low == high else f"${low:,} to ${high:,}"
        token = "  ◆ wins ties" if seen.advantage == side else ""
        name = paint(f"{NAMES[side]:<8}", SIDE_CODES[side])
        lines.append(f"  {name}  {bar}  {amount}{token}")
    own, other = seen.bids
    bids = f"you {own:,}, opponent {f'{other:,}' if other >= 0 else 'hidden'}"
    if own < 0:
        bids = _round_words(seen)
    elif seen.winner >= 0 or other >= 0:
        bids = f"{bids}: {_round_words(seen)}"
    lines.append(f"  bids      {bids}")
    lines.append(f"  rules     {seen.rules}")
    waiting = "; the opponent's bid is in" if seen.sealed[1] else ""
    code = GREEN if seen.champion == 0 else BOLD
    lines.append(f"  {paint(seen.headline, code)}: {seen.reason}{waiting}")
    return lines
