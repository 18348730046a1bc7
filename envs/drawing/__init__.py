"""What the drawings of several games share.

    canvas.py      a canvas with smooth edges, and the colours
    bids.py        pieces of games of bids: money, bids, who is to bid
    cards.py       playing cards
    terminal.py    colours of a terminal
    frame.py       what the views for browsers begin with

Games are drawn as one player sees them. A side is 0 for that player and 1 for the opponent.
"""

from bidarena.envs.drawing.bids import Auction, auction, bidding, bidding_lines, heading, stage
from bidarena.envs.drawing.canvas import (
    CARD,
    GOLD,
    HAIRLINE,
    INK,
    MUTED,
    NAMES,
    PAPER,
    SHARP,
    SIDES,
    TRACK,
    WIDTH,
    Box,
    Canvas,
    Colour,
    Point,
    mix,
    text_width,
)
from bidarena.envs.drawing.frame import auction_view, view_frame
from bidarena.envs.drawing.terminal import BOLD, GREEN, SIDE_CODES, paint

__all__ = [
    "BOLD",
    "CARD",
    "GOLD",
    "GREEN",
    "HAIRLINE",
    "INK",
    "MUTED",
    "NAMES",
    "PAPER",
    "SHARP",
    "SIDES",
    "SIDE_CODES",
    "TRACK",
    "WIDTH",
    "Auction",
    "Box",
    "Canvas",
    "Colour",
    "Point",
    "auction",
    "auction_view",
    "bidding",
    "bidding_lines",
    "heading",
    "mix",
    "paint",
    "stage",
    "text_width",
    "view_frame",
]
